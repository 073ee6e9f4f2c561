/**
 * Adds a number to all values of a column whose blocks are written: rows of a file that several workers read get
 * their numbers when they are committed.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { shiftNumbers } from '../encode/numbers.ts';
import { BLOCK_HEAD, HEADERS_BYTES, writeAt } from './block-file.ts';
import { putSum } from './block-sum.ts';
import { type PlacedPiece, type SegmentDraft, isStored } from './draft.ts';

/** @param name of a column of type BIGINT */
export function shiftColumn(draft: SegmentDraft, name: string, by: number): SegmentDraft {
  const blocks = new Map<number, Uint8Array>();
  const fd = openSync(draft.path, 'r+');
  const position = (block: number) => HEADERS_BYTES + block * draft.block;
  const blockOf = (number: number): Uint8Array => {
    let bytes = blocks.get(number);
    if (bytes === undefined) {
      bytes = new Uint8Array(draft.block);
      if (readSync(fd, bytes, 0, bytes.length, position(number)) !== bytes.length)
        throw new Error(`${draft.path} is shorter than it was written`);
      blocks.set(number, bytes);
    }
    return bytes;
  };
  const shifted = (piece: PlacedPiece): PlacedPiece => {
    const at = BLOCK_HEAD + piece.offset;
    const bytes =
      piece.block < 0 ? new Uint8Array(0) : blockOf(piece.block).subarray(at, at + piece.size);
    return { ...piece, stats: shiftNumbers([{ ...piece, bytes }], by)[0]!.stats };
  };
  try {
    const columns = draft.columns.map((column) =>
      column.name === name && isStored(column)
        ? {
            ...column,
            groups: column.groups.map(({ data, valid }) => ({ data: data.map(shifted), valid })),
          }
        : column,
    );
    for (const [number, bytes] of blocks) {
      putSum(bytes);
      writeAt(fd, bytes, position(number));
    }
    return { ...draft, columns };
  } finally {
    closeSync(fd);
  }
}
