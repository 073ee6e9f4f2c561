/**
 * Bytes of a segment's file that its map has, those that are looked at before a value is found: where the groups of
 * packed numbers lie and what each begins with, dictionaries' heads. So a row costs a column one page, not three.
 *
 * Holds always: they are the file's own bytes, by their places in it; of others the page is read. Written by heads.ts.
 */
import { zstdDecompressSync } from 'node:zlib';
import type { Piece, SegmentMap, Stored } from './segment-map.ts';

/** Of a segment, unpacked; more are none. */
const MOST_BYTES = 1 << 26;

/** Some parts of a piece, in order: places from the piece's begin on, and of each where in `bytes` it is. */
export class KnownBytes {
  private readonly bytes: Uint8Array;
  private readonly starts: number[] = [];
  private readonly ends: number[] = [];
  private readonly places: number[] = [];

  /**
   * @param bytes of one piece, as `headsOf` writes them
   * @throws RangeError where they are not
   */
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    const reader = new Numbers(bytes);
    const count = reader.next();
    let end = 0;
    let length = 0;
    for (let i = 0; i < count; i++) {
      if (reader.at > bytes.length) break;
      const start = end + reader.next();
      this.starts.push(start);
      this.places.push(length);
      const own = reader.next();
      this.ends.push((end = start + own));
      length += own;
    }
    if (reader.at + length > bytes.length) throw new RangeError('heads');
    for (let i = 0; i < count; i++) this.places[i]! += reader.at;
  }

  /** Copies bytes `from` to `to` to their places in `out`, if all of them are known. */
  copy(from: number, to: number, out: Uint8Array): boolean {
    const { starts, ends, places, bytes } = this;
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (ends[middle]! < to) low = middle + 1;
      else high = middle;
    }
    if (low === starts.length || starts[low]! > from) return false;
    const shift = places[low]! - starts[low]!;
    for (let at = from; at < to; at++) out[at] = bytes[at + shift]!;
    return true;
  }
}

/** By piece; those that have none are missing. @throws what is no such thing */
export function unpackHeads(map: SegmentMap, packed: Uint8Array): Map<Piece, Uint8Array> {
  const bytes = zstdDecompressSync(packed, { maxOutputLength: MOST_BYTES });
  const reader = new Numbers(bytes);
  const out = new Map<Piece, Uint8Array>();
  for (const [piece] of piecesOf(map)) {
    const length = reader.next();
    if (length > 1) out.set(piece, bytes.subarray(reader.at, reader.at + length));
    reader.at += length;
  }
  return out;
}

/** Where an event lies in its source is asked for one event at a time. */
const NOT_LISTED = 'offset';

/** Those that have heads, in the order of the map. */
export function* piecesOf({ columns }: SegmentMap): Generator<readonly [Piece, Stored]> {
  for (const [name, groups] of Object.entries(columns))
    if (name !== NOT_LISTED) for (const group of groups) yield* ofStored(group);
}

const WITH_HEADS: ReadonlySet<string> = new Set(['BitPacking', 'DICT_FSST', 'Roaring']);

function* ofStored(stored: Stored): Generator<readonly [Piece, Stored]> {
  for (const piece of stored.data) if (WITH_HEADS.has(piece[1])) yield [piece, stored];
  for (const piece of stored.valid) if (WITH_HEADS.has(piece[1])) yield [piece, stored];
  if (stored.child !== undefined) yield* ofStored(stored.child);
}

class Numbers {
  at = 0;
  private readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  next(): number {
    let value = 0;
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = this.bytes[this.at++] ?? 0;
      value |= (byte & 127) << shift;
      if (byte < 128) break;
    }
    return value;
  }
}
