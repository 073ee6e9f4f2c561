/** Makes what a map keeps of its file's bytes: known-bytes.ts. */
import { closeSync, openSync } from 'node:fs';
import { constants, zstdCompressSync } from 'node:zlib';
import { piecesOf } from './known-bytes.ts';
import { numberHeads, numberType } from './numbers.ts';
import { Pages, Scratch } from './pages.ts';
import { packMap, type Piece, type SegmentMap, type Stored } from './segment-map.ts';
import { textHeads } from './texts.ts';
import { validityHeads } from './validity.ts';

/** As the catalog keeps it, with what it keeps of the file's bytes. @throws what reading the file throws */
export function mapOfFile(path: string, map: SegmentMap): Uint8Array {
  const fd = openSync(path, 'r');
  try {
    return packMap({ ...map, heads: headsOf(map, new Pages(fd, map, new Scratch())) });
  } finally {
    closeSync(fd);
  }
}

/** The heads of a segment's pieces, read from its file. */
function headsOf(map: SegmentMap, pages: Pages): Uint8Array {
  const out: Uint8Array[] = [];
  for (const [piece, stored] of piecesOf(map)) {
    const parts: number[] = [];
    const asked: (readonly [number, number])[] = [];
    pages.onNeed = (from, to) => void asked.push([from, to]);
    try {
      readHead(pages, piece, stored);
    } catch {
      // What is not read here has no head, either.
      asked.length = 0;
    }
    const ranges = joined(asked);
    put(parts, ranges.length);
    let end = 0;
    for (const [from, to] of ranges) {
      put(parts, from - end);
      put(parts, to - from);
      end = to;
    }
    for (const [from, to] of ranges)
      for (let at = from; at < to; at++) parts.push(pages.bytes[at]!);
    const length: number[] = [];
    put(length, parts.length);
    out.push(Uint8Array.from(length), Uint8Array.from(parts));
  }
  pages.onNeed = undefined;
  // With a sum of its own: nothing else says whether these bytes are still those of the file.
  const params = { [constants.ZSTD_c_checksumFlag]: 1 };
  return zstdCompressSync(Buffer.concat(out), { params });
}

function readHead(pages: Pages, piece: Piece, { type }: Pick<Stored, 'type'>): void {
  switch (piece[1]) {
    case 'BitPacking':
      numberHeads(pages, piece, numberType(type));
      return;
    case 'DICT_FSST':
      textHeads(pages, piece);
      return;
    default:
      validityHeads(pages, piece);
  }
}

/** In order, those that touch as one. */
function joined(ranges: (readonly [number, number])[]): (readonly [number, number])[] {
  const out: [number, number][] = [];
  for (const [from, to] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const last = out.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else out.push([from, to]);
  }
  return out;
}

/** Seven bits a byte, the lowest first; the eighth says that there are more. */
function put(out: number[], value: number): void {
  let left = value;
  for (; left > 127; left >>>= 7) out.push((left & 127) | 128);
  out.push(left);
}
