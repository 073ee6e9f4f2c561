/**
 * IPv6 addresses as DuckDB stores UUIDs: of one value, in runs, or as they are; 128 bits, the lowest byte first, the
 * highest bit turned round so that the order of numbers with a sign is that of addresses. `../numbers.ts` reads them.
 */
import { type EncodedPiece, NO_BYTES, type WideStats, pieceBytes, pieceView } from './pieces.ts';

const SIZE = 16;
const WORDS = 4;
const HEAD = 8;
const COUNT_BYTES = 2;
const MOST_RUN = 0xffff;

/** Of each run its value, four words, the lowest first; its first row, and where the last ends. */
let column = new Uint32Array(1 << 12);
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
  if (begins.length <= rows) {
    column = new Uint32Array(rows * WORDS);
    begins = new Uint32Array(rows + 1);
  }
  const runs = findRuns(values, present, rows, column, begins);
  if (runs === 1) return [{ encoding: 'Constant', rows, bytes: NO_BYTES, stats: boundsOf(0, 1) }];
  return runs * (SIZE + COUNT_BYTES) < rows * SIZE
    ? inRuns(runs, maxBytes)
    : asTheyAre(rows, runs, maxBytes);
}

/** Rows without a value are of the run before, or of the first. */
function findRuns(
  values: Uint8Array,
  present: Uint8Array | undefined,
  rows: number,
  words: Uint32Array,
  out: Uint32Array,
): number {
  const view = new DataView(values.buffer, values.byteOffset, values.byteLength);
  let runs = 0;
  words.fill(0, 0, WORDS);
  for (let row = 0; row < rows; row++) {
    if (present !== undefined && present[row] === 0) continue;
    const at = row * SIZE;
    const own = runs * WORDS;
    const first = view.getUint32(at + 12);
    const second = view.getUint32(at + 8);
    const third = view.getUint32(at + 4);
    const last = (view.getUint32(at) ^ 0x8000_0000) >>> 0;
    if (
      runs > 0 &&
      words[own - 4] === first &&
      words[own - 3] === second &&
      words[own - 2] === third &&
      words[own - 1] === last
    )
      continue;
    words[own] = first;
    words[own + 1] = second;
    words[own + 2] = third;
    words[own + 3] = last;
    out[runs++] = row;
  }
  out[0] = 0;
  runs = Math.max(1, runs);
  out[runs] = rows;
  return runs;
}

/** The least and the greatest value of runs from `from` to `to` (not included). */
function boundsOf(from: number, to: number): WideStats {
  let min = from;
  let max = from;
  for (let run = from + 1; run < to; run++) {
    if (compare(run, min) < 0) min = run;
    if (compare(run, max) > 0) max = run;
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

function valueOf(run: number): bigint {
  let value = 0n;
  for (let word = 3; word >= 0; word--)
    value = (value << 32n) | BigInt(column[run * WORDS + word]!);
  return BigInt.asIntN(128, value);
}

function inRuns(runs: number, maxBytes: number): EncodedPiece[] {
  const most = Math.floor((maxBytes - HEAD) / (SIZE + COUNT_BYTES));
  const out: EncodedPiece[] = [];
  const lengths: number[] = [];
  let from = 0;
  let rows = 0;
  const flush = (to: number): void => {
    const counts = HEAD + lengths.length * SIZE;
    pieceView.setUint32(0, counts, true);
    pieceView.setUint32(4, 0, true);
    lengths.forEach((length, i) => pieceView.setUint16(counts + i * 2, length, true));
    const bytes = pieceBytes.slice(0, counts + lengths.length * COUNT_BYTES);
    out.push({ encoding: 'RLE', rows, bytes, stats: boundsOf(from, to) });
    rows = 0;
    lengths.length = 0;
  };
  for (let run = 0; run < runs; run++) {
    for (let left = begins[run + 1]! - begins[run]!; left > 0;) {
      if (lengths.length === most) {
        // A long run goes on in the next piece.
        flush(left < begins[run + 1]! - begins[run]! ? run + 1 : run);
        from = run;
      }
      const length = Math.min(MOST_RUN, left);
      putRun(HEAD + lengths.length * SIZE, run);
      lengths.push(length);
      rows += length;
      left -= length;
    }
  }
  flush(runs);
  return out;
}

function putRun(at: number, run: number): void {
  for (let word = 0; word < WORDS; word++)
    pieceView.setUint32(at + word * 4, column[run * WORDS + word]!, true);
}

function asTheyAre(rows: number, runs: number, maxBytes: number): EncodedPiece[] {
  const most = Math.floor(maxBytes / SIZE);
  const out: EncodedPiece[] = [];
  let run = 0;
  for (let from = 0; from < rows; from += most) {
    const to = Math.min(rows, from + most);
    const first = run;
    for (let row = from; row < to; row++) {
      if (row === begins[run + 1] && run + 1 < runs) run += 1;
      putRun((row - from) * SIZE, run);
    }
    const bytes = pieceBytes.slice(0, (to - from) * SIZE);
    const stats = boundsOf(first, run + 1);
    out.push({ encoding: 'Uncompressed', rows: to - from, bytes, stats });
  }
  return out;
}
