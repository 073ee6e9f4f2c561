/**
 * Which rows have a value, as DuckDB stores it: all alike, a bit for each, or containers of 2,048 rows.
 * `../validity.ts` reads it.
 * https://github.com/duckdb/duckdb, src/storage/compression: validity_uncompressed, roaring.
 */
import { countOnes, putBits } from '../../presence.ts';
import {
  type EncodedPiece,
  GROUP,
  NO_BYTES,
  aligned,
  pieceBytes,
  pieceView,
  putPackedCodes,
} from './pieces.ts';

/** Bits take so many times as many bytes as containers before these are made, which take longer to read. */
const LEAST_GAIN = 2;
const HEAD = 8;
const TYPE_BITS = 2;
const AMOUNT_BITS = 7;
const PARTS = 8;
const SHORT_LIST = 8;
const SHORT_RUNS = 4;
const MOST_LIST = 248;
const MOST_RUNS = 124;
const Kind = { bits: 0, present: 1, absent: 2, runs: 3 } as const;
/** As it is noted of each: whether it is of runs, and whether those are named that have no value. */
const NOTED: readonly number[] = [0, 0, 1, 3];
/** Instead of how many are named. */
const ARE_BITS = 249;

/** One piece for all rows, for columns whose values say themselves where there is none. */
export function emptyValidity(present: Uint8Array | undefined, rows: number): EncodedPiece {
  const ones = present === undefined ? rows : countOnes(present.subarray(0, rows));
  return {
    ...{ encoding: 'Empty Validity', rows, bytes: NO_BYTES },
    stats: { kind: 'validity', hasNull: ones < rows, hasNoNull: ones > 0 },
  };
}

/**
 * @param present 1 where there is one, 0 elsewhere; undefined: in all rows
 * @param maxBytes of a piece
 */
export function encodeValidity(
  present: Uint8Array | undefined,
  rows: number,
  maxBytes: number,
): EncodedPiece[] {
  if (rows === 0) return [];
  if (present === undefined) return [allAlike(true, rows)];
  const own = Buffer.from(present.buffer, present.byteOffset, rows);
  const known = last.find((one) => one.maxBytes === maxBytes && own.equals(one.present));
  if (known !== undefined) return known.pieces;
  const copy = copyOf(own);
  const pieces = encode(copy, rows, maxBytes);
  last.unshift({ present: copy.present, maxBytes, pieces });
  if (last.length > MOST_LAST) last.pop();
  return pieces;
}

/** Columns of one kind of record are there together: what was made last serves for the next. */
const last: { present: Uint8Array; maxBytes: number; pieces: EncodedPiece[] }[] = [];
const MOST_LAST = 6;

/** Which rows have a value, also four rows at a time; rows behind the last have one. */
interface Rows {
  readonly present: Uint8Array;
  readonly words: Int32Array;
}

/** Of a batch's column rows may begin anywhere, so that words cannot be read where they lie. */
function copyOf(present: Uint8Array): Rows {
  const rows = present.length;
  const bytes = new Uint8Array((rows + 3) & -4).fill(1, rows);
  bytes.set(present);
  return { present: bytes.subarray(0, rows), words: new Int32Array(bytes.buffer) };
}

function allAlike(present: boolean, rows: number): EncodedPiece {
  const stats = { kind: 'validity', hasNull: !present, hasNoNull: present } as const;
  return { encoding: 'Constant', rows, bytes: NO_BYTES, stats };
}

function encode(own: Rows, rows: number, maxBytes: number): EncodedPiece[] {
  const ones = countOnes(own.present);
  if (ones === rows || ones === 0) return [allAlike(ones > 0, rows)];
  const count = Math.ceil(rows / GROUP);
  if (containers.kinds.length < count) containers = newContainers(count);
  let size = HEAD + 16;
  for (let number = 0; number < count; number++)
    size += look(own.words, number, Math.min(rows, (number + 1) * GROUP), containers) + 1;
  if (size * LEAST_GAIN < rows >>> 3 && size <= maxBytes) return [asContainers(own, rows, count)];
  return asBits(own.present, rows, maxBytes);
}

function asBits(present: Uint8Array, rows: number, maxBytes: number): EncodedPiece[] {
  const most = (maxBytes & -8) * 8;
  const out: EncodedPiece[] = [];
  for (let from = 0; from < rows; from += most) {
    const to = Math.min(rows, from + most);
    const size = Math.ceil((to - from) / 64) * 8;
    pieceBytes.fill(0, 0, size);
    const some = present.subarray(from, to);
    putBits(some, pieceBytes, 0);
    const ones = countOnes(some);
    out.push({
      ...{ encoding: 'Uncompressed', rows: to - from, bytes: pieceBytes.slice(0, size) },
      stats: { kind: 'validity', hasNull: ones < to - from, hasNoNull: ones > 0 },
    });
  }
  return out;
}

/** What is known of each container: its kind, and how many rows or runs it names; of the one that is looked at, its rows. */
let containers = newContainers(64);

function newContainers(count: number) {
  return { kinds: new Uint8Array(count), amounts: new Uint8Array(count), there: 0, gaps: 0 };
}

/** Chooses a container's kind; gives about how many bytes it takes. */
function look(words: Int32Array, number: number, to: number, out: typeof containers): number {
  const from = number * GROUP;
  countIn(words, from >>> 2, (to + 3) >>> 2, out);
  // Those behind the last are not its.
  const there = out.there - (-to & 3);
  const missing = to - from - there;
  const runs = out.gaps;
  const bits = Math.ceil((to - from) / 64) * 8;
  const fewer = Math.min(there, missing);
  const list = fewer >= MOST_LIST ? Infinity : fewer < SHORT_LIST ? fewer * 2 : PARTS + fewer;
  const inRuns = runs >= MOST_RUNS ? Infinity : runs < SHORT_RUNS ? runs * 4 : PARTS + runs * 2;
  const least = Math.min(list, inRuns);
  if (least > bits) {
    out.kinds[number] = Kind.bits;
    return bits + 8;
  }
  if (list <= inRuns) {
    out.kinds[number] = missing <= there ? Kind.absent : Kind.present;
    out.amounts[number] = fewer;
  } else {
    out.kinds[number] = Kind.runs;
    out.amounts[number] = runs;
  }
  // A short one begins at a multiple of its units.
  return least + 3;
}

/**
 * How many rows have a value, and how many runs of rows have none: four rows at a time. A container has fewer than 256
 * of both in each fourth of 512 rows.
 */
function countIn(words: Int32Array, from: number, to: number, out: typeof containers): void {
  let there = 0;
  let gaps = 0;
  let ones = 0;
  let begins = 0;
  let before = 1;
  for (let i = from; i < to; i++) {
    const own = words[i]!;
    ones += own;
    // Rows that have none, behind one that has, or behind which no row is.
    begins += ~own & ((own << 8) | before) & ALL;
    before = own >>> 24;
    if ((i & 127) === 127) {
      there += sumOfBytes(ones);
      gaps += sumOfBytes(begins);
      ones = 0;
      begins = 0;
    }
  }
  out.there = there + sumOfBytes(ones);
  out.gaps = gaps + sumOfBytes(begins);
}

function sumOfBytes(sums: number): number {
  return (sums & 255) + ((sums >>> 8) & 255) + ((sums >>> 16) & 255) + (sums >>> 24);
}

/** Four rows with a value, or without. */
const ALL = 0x0101_0101;
const NONE = 0;

const codes = new Uint32Array(1 << 16);

function asContainers(own: Rows, rows: number, count: number): EncodedPiece {
  const { kinds, amounts } = containers;
  let at = HEAD;
  for (let number = 0; number < count; number++) {
    const from = number * GROUP;
    const to = Math.min(rows, from + GROUP);
    const amount = amounts[number]!;
    switch (kinds[number]) {
      case Kind.bits: {
        at = zeroTo(at, aligned(at));
        pieceBytes.fill(0, at, at + GROUP / 8);
        putBits(own.present.subarray(from, to), pieceBytes, at);
        at += Math.ceil((to - from) / 64) * 8;
        break;
      }
      case Kind.runs:
        at = amount < SHORT_RUNS ? zeroTo(at, (at + 3) & -4) : zeroTo(at, at + PARTS);
        at = putRuns(own, from, to, at, amount);
        break;
      default: {
        const named = kinds[number] === Kind.present ? 1 : 0;
        at = amount < SHORT_LIST ? zeroTo(at, (at + 1) & -2) : zeroTo(at, at + PARTS);
        at = putList(own, from, to, at, amount, named);
      }
    }
  }
  at = zeroTo(at, aligned(at));
  pieceView.setUint32(0, at - HEAD, true);
  pieceView.setUint32(4, 0, true);
  at = putKnown(at, count);
  return {
    ...{ encoding: 'Roaring', rows, bytes: pieceBytes.slice(0, at) },
    stats: { kind: 'validity', hasNull: true, hasNoNull: true },
  };
}

function zeroTo(from: number, to: number): number {
  pieceBytes.fill(0, from, to);
  return to;
}

/** What is known of all: their kinds, how many runs those of runs have, and rows those of lists. */
function putKnown(start: number, count: number): number {
  const { kinds, amounts } = containers;
  for (let i = 0; i < count; i++) codes[i] = NOTED[kinds[i]!]!;
  let at = putPackedCodes(start, codes, count, TYPE_BITS);
  let ofRuns = 0;
  for (let i = 0; i < count; i++) if (kinds[i] === Kind.runs) codes[ofRuns++] = amounts[i]!;
  at = putPackedCodes(at, codes, ofRuns, AMOUNT_BITS);
  for (let i = 0; i < count; i++)
    if (kinds[i] !== Kind.runs) pieceBytes[at++] = kinds[i] === Kind.bits ? ARE_BITS : amounts[i]!;
  return at;
}

/** The first row from one on that has a value (1), or has none (0); `to` where there is none. */
function rowWith(there: number, { present, words }: Rows, from: number, to: number): number {
  const others = there === 1 ? NONE : ALL;
  for (let row = from; row < to; row++) {
    if ((row & 3) === 0) while (row < to && words[row >>> 2] === others) row += 4;
    if (row < to && present[row] === there) return row;
  }
  return to;
}

/** Rows of a container: two bytes each; or how many there are of each 256, which stand before, and a byte each. */
function putList(
  rows: Rows,
  from: number,
  to: number,
  start: number,
  amount: number,
  named: number,
): number {
  const isShort = amount < SHORT_LIST;
  let at = start;
  for (let i = rowWith(named, rows, from, to); i < to; i = rowWith(named, rows, i + 1, to)) {
    const row = i - from;
    pieceBytes[at++] = row;
    if (isShort) pieceBytes[at++] = row >>> 8;
    else pieceBytes[start - PARTS + (row >>> 8)]!++;
  }
  return at;
}

/** Runs of rows without a value: their first and how many behind it; or where they begin and end, like rows. */
function putRuns(rows: Rows, from: number, to: number, start: number, amount: number): number {
  const isShort = amount < SHORT_RUNS;
  let at = start;
  for (let end = from; ;) {
    const first = rowWith(0, rows, end, to);
    if (first === to) return at;
    end = rowWith(1, rows, first + 1, to);
    if (isShort) {
      pieceView.setUint16(at, first - from, true);
      pieceView.setUint16(at + 2, end - first - 1, true);
      at += 4;
    } else {
      at = putRow(at, first - from, start);
      at = putRow(at, end - from, start);
    }
  }
}

function putRow(at: number, row: number, start: number): number {
  pieceBytes[at] = row;
  // The end of the last run may lie behind the last part.
  if (row < GROUP) pieceBytes[start - PARTS + (row >>> 8)]!++;
  return at + 1;
}
