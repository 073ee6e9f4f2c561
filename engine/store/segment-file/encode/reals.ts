/**
 * Real numbers as DuckDB stores them: of one value, in runs, as whole numbers of decimal places (ALP), or as they are.
 * Of each number all bits are kept, those of NaN and of a zero below 0, too.
 * https://github.com/duckdb/duckdb, src/storage/compression/alp; Afroozeh, Kuffó, Boncz, "ALP: Adaptive Lossless
 * Floating-Point Compression" (2023).
 */
import { fillGaps, hasGaps } from './gaps.ts';
import {
  type EncodedPiece,
  NO_BYTES,
  type NumberStats,
  aligned,
  bitsOf,
  effectiveWidth,
  packedSize,
  pieceBytes,
  pieceView,
  putPacked,
} from './pieces.ts';

const SIZE = 8;
const COUNT_BYTES = 2;
const RUNS_HEAD = 8;
const MOST_RUN = 0xffff;

let column = new Float64Array(1 << 12);

/**
 * @param values one a row
 * @param present 1 where there is one, 0 elsewhere; undefined: in all rows
 * @param maxBytes of a piece
 */
export function encodeReals(
  values: Float64Array,
  present: Uint8Array | undefined,
  rows: number,
  maxBytes: number,
): EncodedPiece[] {
  if (rows === 0) return [];
  if (column.length < rows) column = new Float64Array(rows);
  column.set(rows === values.length ? values : values.subarray(0, rows));
  if (hasGaps(present, rows) && !fillGaps(column, present!, rows)) column.fill(0, 0, rows);
  const runs = countRuns(wordsOf(column), rows);
  const first = column[0]!;
  // What is one value is told by statistics, which know neither NaN nor the sign of zero.
  if (runs === 1 && !Number.isNaN(first) && !Object.is(first, -0)) {
    const stats = { kind: 'number', min: first, max: first } as const;
    return [{ encoding: 'Constant', rows, bytes: NO_BYTES, stats }];
  }
  const inRunsBytes = runs * (SIZE + COUNT_BYTES);
  const forms = formsOf(rows);
  const vectors = forms.length === 0 ? undefined : lookAt(rows, forms);
  const least = Math.min(inRunsBytes, vectors?.bytes ?? Infinity, rows * SIZE);
  if (least === inRunsBytes) return inRuns(rows, maxBytes);
  if (least === vectors?.bytes && vectors.largest + VECTOR_HEAD + HEAD + 12 <= maxBytes)
    return inVectors(rows, vectors.forms, maxBytes);
  return asTheyAre(rows, maxBytes);
}

function wordsOf(values: Float64Array): Int32Array {
  return new Int32Array(values.buffer, values.byteOffset, values.length * 2);
}

function countRuns(words: Int32Array, rows: number): number {
  let runs = 1;
  for (let at = 2; at < rows * 2; at += 2)
    if (words[at] !== words[at - 2] || words[at + 1] !== words[at - 1]) runs += 1;
  return runs;
}

/** In DuckDB's order, in which NaN is greater than any. */
function boundsOf(from: number, to: number): NumberStats {
  let min = NaN;
  let max = column[from]!;
  for (let i = from; i < to; i++) {
    const value = column[i]!;
    if (!(min <= value) && !Number.isNaN(value)) min = value;
    if (!(value <= max)) max = Number.isNaN(max) ? max : value;
  }
  return { kind: 'number', min, max };
}

function inRuns(rows: number, maxBytes: number): EncodedPiece[] {
  const most = Math.floor((maxBytes - RUNS_HEAD) / (SIZE + COUNT_BYTES));
  const words = wordsOf(column);
  const lengths: number[] = [];
  const out: EncodedPiece[] = [];
  let first = 0;
  const flush = (end: number): void => {
    const counts = RUNS_HEAD + lengths.length * SIZE;
    pieceView.setUint32(0, counts, true);
    pieceView.setUint32(4, 0, true);
    lengths.forEach((length, i) => pieceView.setUint16(counts + i * 2, length, true));
    const bytes = pieceBytes.slice(0, counts + lengths.length * COUNT_BYTES);
    out.push({ encoding: 'RLE', rows: end - first, bytes, stats: boundsOf(first, end) });
    first = end;
    lengths.length = 0;
  };
  for (let from = 0; from < rows;) {
    if (lengths.length === most) flush(from);
    const end = Math.min(rows, from + MOST_RUN);
    let to = from + 1;
    while (
      to < end &&
      words[to * 2] === words[from * 2] &&
      words[to * 2 + 1] === words[from * 2 + 1]
    )
      to++;
    pieceView.setFloat64(RUNS_HEAD + lengths.length * SIZE, column[from]!, true);
    lengths.push(to - from);
    from = to;
  }
  flush(rows);
  return out;
}

function asTheyAre(rows: number, maxBytes: number): EncodedPiece[] {
  const most = Math.floor(maxBytes / SIZE);
  const out: EncodedPiece[] = [];
  for (let from = 0; from < rows; from += most) {
    const to = Math.min(rows, from + most);
    new Float64Array(pieceBytes.buffer, 0, to - from).set(column.subarray(from, to));
    const bytes = pieceBytes.slice(0, (to - from) * SIZE);
    out.push({ encoding: 'Uncompressed', rows: to - from, bytes, stats: boundsOf(from, to) });
  }
  return out;
}

/** Numbers that are brought into one form. */
const VECTOR = 1024;
const HEAD = 4;
/** The form, how many are not of it, the least, and in how many bits the others are packed. */
const VECTOR_HEAD = 13;
const EXCEPTION = SIZE + 2;
const MOST_PLACES = 18;
/** Vectors of which the best form is looked for, numbers that are tried of each, and forms that are kept. */
const SAMPLED_VECTORS = 8;
const SAMPLED = 32;
const MOST_FORMS = 5;
/** Added and taken away again, it rounds to a whole number what is smaller than 2^51. */
const ROUNDING = 6_755_399_441_055_744;
const MOST_ROUNDED = 2 ** 51;

const UP = Float64Array.from({ length: MOST_PLACES + 1 }, (_, places) => Number(`1e${places}`));
const DOWN = Float64Array.from({ length: MOST_PLACES + 1 }, (_, places) => Number(`1e-${places}`));

/** A form: so many decimal places, of which the last `factor` are zeros, in one number. */
function formOf(exponent: number, factor: number): number {
  return exponent * 32 + factor;
}

/** Whole numbers of a vector, and which of it are not of the form. */
const vector = {
  whole: new Float64Array(VECTOR),
  exceptions: new Uint16Array(VECTOR),
  count: 0,
  low: 0,
  high: 0,
};

/** Brings `count` numbers, each `step` behind the one before, into a form. */
function bring(
  values: Float64Array,
  from: number,
  count: number,
  step: number,
  form: number,
  out: typeof vector,
): void {
  const up = UP[form >>> 5]!;
  const down = DOWN[form & 31]!;
  const back = UP[form & 31]!;
  const backDown = DOWN[form >>> 5]!;
  const { whole, exceptions } = out;
  let other = 0;
  let low = Infinity;
  let high = -Infinity;
  for (let i = 0, at = from; i < count; i++, at += step) {
    const value = values[at]!;
    const scaled = value * up * down;
    const number = scaled + ROUNDING - ROUNDING;
    whole[i] = number;
    if (
      number * back * backDown === value &&
      number < MOST_ROUNDED &&
      number > -MOST_ROUNDED &&
      !(value === 0 && 1 / value < 0)
    ) {
      if (number < low) low = number;
      if (number > high) high = number;
    } else exceptions[other++] = i;
  }
  out.count = other;
  out.low = other === count ? 0 : low;
  out.high = other === count ? 0 : high;
}

function vectorBytes({ count, low, high }: typeof vector, rows: number): number {
  const width = effectiveWidth(bitsOf(high - low), SIZE);
  return VECTOR_HEAD + packedSize(rows, width) + count * EXCEPTION;
}

/** Forms that suit some of the column, the one that suits most first. */
function formsOf(rows: number): number[] {
  const vectors = Math.ceil(rows / VECTOR);
  const step = Math.max(1, Math.floor(vectors / SAMPLED_VECTORS));
  const found = new Map<number, number>();
  for (let number = 0; number < vectors; number += step) {
    const from = number * VECTOR;
    const count = Math.min(VECTOR, rows - from);
    let best = -1;
    let least = Infinity;
    for (let exponent = MOST_PLACES; exponent >= 0; exponent--)
      for (let factor = exponent; factor >= 0; factor--) {
        const bits = sampleBits(from, count, formOf(exponent, factor));
        if (bits >= least) continue;
        least = bits;
        best = formOf(exponent, factor);
      }
    if (best >= 0) found.set(best, (found.get(best) ?? 0) + 1);
  }
  return [...found]
    .sort(([, a], [, b]) => b - a)
    .slice(0, MOST_FORMS)
    .map(([form]) => form);
}

/** About how many bits the numbers tried of a vector take in a form; Infinity where hardly one is of it. */
function sampleBits(from: number, count: number, form: number): number {
  const step = Math.ceil(count / SAMPLED);
  const tried = Math.ceil(count / step);
  bring(column, from, tried, step, form, vector);
  if (tried - vector.count < Math.min(2, tried)) return Infinity;
  return tried * bitsOf(vector.high - vector.low) + vector.count * EXCEPTION * 8;
}

interface Looked {
  /** Of each vector its form. */
  readonly forms: Uint16Array;
  readonly bytes: number;
  /** Of the largest vector. */
  readonly largest: number;
}

function lookAt(rows: number, forms: readonly number[]): Looked {
  const vectors = Math.ceil(rows / VECTOR);
  const out = new Uint16Array(vectors);
  let bytes = HEAD;
  let largest = 0;
  for (let number = 0; number < vectors; number++) {
    const from = number * VECTOR;
    const count = Math.min(VECTOR, rows - from);
    let [best] = forms;
    if (forms.length > 1) {
      let least = Infinity;
      for (const form of forms) {
        const bits = sampleBits(from, count, form);
        if (bits >= least) continue;
        least = bits;
        best = form;
      }
    }
    out[number] = best!;
    bring(column, from, count, 1, best!, vector);
    const own = vectorBytes(vector, count);
    bytes += own + 4;
    largest = Math.max(largest, own);
  }
  return { forms: out, bytes, largest };
}

function inVectors(rows: number, forms: Uint16Array, maxBytes: number): EncodedPiece[] {
  const out: EncodedPiece[] = [];
  const known: number[] = [];
  let at = HEAD;
  let first = 0;
  const flush = (end: number): void => {
    const start = aligned(at);
    pieceBytes.fill(0, at, start);
    const all = start + known.length * 4;
    pieceView.setUint32(0, all, true);
    // That of the first is the last.
    known.forEach((one, i) => pieceView.setUint32(all - (i + 1) * 4, one, true));
    const bytes = pieceBytes.slice(0, all);
    out.push({ encoding: 'ALP', rows: end - first, bytes, stats: boundsOf(first, end) });
    known.length = 0;
    at = HEAD;
    first = end;
  };
  forms.forEach((form, number) => {
    const from = number * VECTOR;
    const count = Math.min(VECTOR, rows - from);
    bring(column, from, count, 1, form, vector);
    const need = vectorBytes(vector, count);
    if (aligned(at + need) + (known.length + 1) * 4 > maxBytes) flush(from);
    known.push(at);
    at = putVector(at, from, count, form);
  });
  flush(rows);
  return out;
}

function putVector(start: number, from: number, count: number, form: number): number {
  const { whole, exceptions, count: other, low, high } = vector;
  const width = effectiveWidth(bitsOf(high - low), SIZE);
  for (let i = 0; i < other; i++) whole[exceptions[i]!] = low;
  pieceView.setUint8(start, form >>> 5);
  pieceView.setUint8(start + 1, form & 31);
  pieceView.setUint16(start + 2, other, true);
  pieceView.setBigInt64(start + 4, BigInt(low), true);
  pieceView.setUint8(start + 12, width);
  let at = putPacked(start + VECTOR_HEAD, whole, 0, count, low, width);
  const words = wordsOf(column);
  for (let i = 0; i < other; i++, at += SIZE) {
    // Word by word: no bit of a NaN is lost.
    const row = from + exceptions[i]!;
    pieceView.setInt32(at, words[row * 2]!, true);
    pieceView.setInt32(at + 4, words[row * 2 + 1]!, true);
  }
  for (let i = 0; i < other; i++, at += 2) pieceView.setUint16(at, exceptions[i]!, true);
  return at;
}
