/**
 * IPv6 addresses as DuckDB stores UUIDs: of one value, in runs, or as they are; 128 bits, the lowest byte first, the
 * highest bit turned round so that the order of numbers with a sign is that of addresses. `../numbers.ts` reads them.
 */
import {
  type EncodedPiece,
  NO_BYTES,
  type WideStats,
  aligned,
  pieceBytes,
  pieceView,
} from './pieces.ts';

const SIZE = 16;
const WORDS = 4;
const HEAD = 8;
const COUNT_BYTES = 2;
const MOST_RUN = 0xffff;

/** Four words a row, the lowest first. */
let column = new Uint32Array(1 << 12);
/** Of runs: their first rows, and where the last ends. */
let begins = new Uint32Array(1 << 10);

/**
 * @param values 16 bytes a row, in network order
 * @param present 1 where there is one, 0 elsewhere; undefined: in all rows
 * @param maxBytes of a piece
 */
export function encodeWide(
  values: Uint8Array,
  present: Uint8Array | undefined,
  rows: number,
  maxBytes: number,
): EncodedPiece[] {
  if (rows === 0) return [];
  if (column.length < rows * WORDS) column = new Uint32Array(rows * WORDS);
  if (begins.length <= rows) begins = new Uint32Array(rows + 1);
  turnRound(values, present, rows, column);
  const runs = findRuns(column, rows, begins);
  if (runs === 1)
    return [{ encoding: 'Constant', rows, bytes: NO_BYTES, stats: boundsOf(0, 1, begins) }];
  return runs * (SIZE + COUNT_BYTES) < rows * SIZE
    ? inRuns(rows, runs, maxBytes)
    : asTheyAre(rows, maxBytes);
}

/** Rows without a value get that of the one before, or of the first. */
function turnRound(
  values: Uint8Array,
  present: Uint8Array | undefined,
  rows: number,
  out: Uint32Array,
): void {
  const view = new DataView(values.buffer, values.byteOffset, values.byteLength);
  let row = present === undefined ? 0 : present.indexOf(1);
  if (row < 0 || row >= rows) {
    out.fill(0, 0, rows * WORDS);
    return;
  }
  for (let i = 0, to = 0; i < rows; i++) {
    if (present === undefined || present[i] === 1) row = i;
    const at = row * SIZE;
    out[to++] = view.getUint32(at + 12);
    out[to++] = view.getUint32(at + 8);
    out[to++] = view.getUint32(at + 4);
    out[to++] = view.getUint32(at) ^ 0x8000_0000;
  }
}

function findRuns(words: Uint32Array, rows: number, out: Uint32Array): number {
  out[0] = 0;
  let runs = 1;
  for (let at = WORDS, row = 1; row < rows; row++, at += WORDS)
    if (
      words[at] !== words[at - 4] ||
      words[at + 1] !== words[at - 3] ||
      words[at + 2] !== words[at - 2] ||
      words[at + 3] !== words[at - 1]
    )
      out[runs++] = row;
  out[runs] = rows;
  return runs;
}

/** The least and the greatest of the values in rows that `at` names from `from` to `to` (not included). */
function boundsOf(from: number, to: number, at: Uint32Array): WideStats {
  let min = at[from]!;
  let max = min;
  for (let i = from + 1; i < to; i++) {
    const row = at[i]!;
    if (compare(row, min) < 0) min = row;
    if (compare(row, max) > 0) max = row;
  }
  return { kind: 'wide', min: valueOf(min), max: valueOf(max) };
}

function compare(a: number, b: number): number {
  const signs = (column[a * WORDS + 3]! | 0) - (column[b * WORDS + 3]! | 0);
  if (signs !== 0) return signs;
  for (let word = 2; word >= 0; word--) {
    const more = column[a * WORDS + word]! - column[b * WORDS + word]!;
    if (more !== 0) return more;
  }
  return 0;
}

function valueOf(row: number): bigint {
  let value = 0n;
  for (let word = 3; word >= 0; word--)
    value = (value << 32n) | BigInt(column[row * WORDS + word]!);
  return BigInt.asIntN(128, value);
}

function inRuns(rows: number, runs: number, maxBytes: number): EncodedPiece[] {
  const most = Math.floor((maxBytes - HEAD) / (SIZE + COUNT_BYTES));
  const out: EncodedPiece[] = [];
  let first = 0;
  let from = 0;
  let count = 0;
  const flush = (run: number, end: number): void => {
    const counts = aligned(HEAD + count * SIZE);
    pieceView.setUint32(0, counts, true);
    pieceView.setUint32(4, 0, true);
    new Uint16Array(pieceBytes.buffer, counts, count).set(lengths.subarray(0, count));
    out.push({
      ...{ encoding: 'RLE', rows: end - first },
      bytes: pieceBytes.slice(0, counts + count * COUNT_BYTES),
      stats: boundsOf(from, run, begins),
    });
    first = end;
    count = 0;
  };
  for (let run = 0; run < runs; run++) {
    const end = begins[run + 1]!;
    for (let row = begins[run]!; row < end;) {
      if (count === most) {
        flush(row > begins[run]! ? run + 1 : run, row);
        from = run;
      }
      const length = Math.min(MOST_RUN, end - row);
      putRows(HEAD + count * SIZE, row, row + 1);
      lengths[count++] = length;
      row += length;
    }
  }
  flush(runs, rows);
  return out;
}

const lengths = new Uint16Array(1 << 14);

function putRows(at: number, from: number, to: number): void {
  new Uint32Array(pieceBytes.buffer, at, (to - from) * WORDS).set(
    column.subarray(from * WORDS, to * WORDS),
  );
}

function asTheyAre(rows: number, maxBytes: number): EncodedPiece[] {
  const most = Math.floor(maxBytes / SIZE);
  const out: EncodedPiece[] = [];
  const every = Uint32Array.from({ length: rows }, (_, row) => row);
  for (let from = 0; from < rows; from += most) {
    const to = Math.min(rows, from + most);
    putRows(0, from, to);
    const bytes = pieceBytes.slice(0, (to - from) * SIZE);
    const stats = boundsOf(from, to, every);
    out.push({ encoding: 'Uncompressed', rows: to - from, bytes, stats });
  }
  return out;
}
