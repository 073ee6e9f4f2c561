/**
 * Whole numbers as DuckDB stores them: of one value, in runs, packed into bits, or as they are, whichever
 * takes the fewest bytes. `../numbers.ts` reads them.
 * https://github.com/duckdb/duckdb, src/storage/compression: rle, bitpacking, fixed_size_uncompressed.
 *
 * Holds always: rows without a value have one of a row near by, so that what says which there are is all that
 * tells them apart, and minima and maxima are those of values.
 */
import type { BatchNumbers } from '../../batch-rows.ts';
import { fillGaps, hasGaps } from './gaps.ts';
import {
  type EncodedPiece,
  GROUP,
  NO_BYTES,
  type NumberStats,
  aligned,
  bitsOf,
  effectiveWidth,
  packedSize,
  pieceBytes,
  pieceView,
  putPacked,
  putPackedSteps,
} from './pieces.ts';

export type WholeType = 'u8' | 'u16' | 'u32' | 'i32' | 'i64';

const SIZES: Readonly<Record<WholeType, number>> = { u8: 1, u16: 2, u32: 4, i32: 4, i64: 8 };
/** Numbers are doubles here: steps between them are exact up to this. */
const MOST_EXACT = Number.MAX_SAFE_INTEGER;
/** The largest with a sign, by their bytes. */
const MOST_SIGNED: Readonly<Record<number, number>> = {
  ...{ 1: 0x7f, 2: 0x7fff },
  ...{ 4: 0x7fff_ffff, 8: MOST_EXACT },
};

const HEAD = 8;
/** Of a group: how it is packed, and where it begins. */
const KNOWN = 4;
const MOST_RUN = 0xffff;
const COUNT_BYTES = 2;
const Mode = { constant: 2, constantDelta: 3, deltaFor: 4, for: 5 } as const;

/** The column that is being encoded, with a value in every row; grows to the largest group of rows. */
let column = new Float64Array(1 << 17);

/** What is known of each group of 2,048 values: bounds of values and of steps, how it is packed. */
class Groups {
  count = 0;
  low = new Float64Array(64);
  high = new Float64Array(64);
  lowStep = new Float64Array(64);
  highStep = new Float64Array(64);
  modes = new Uint16Array(64);

  begin(rows: number): void {
    this.count = Math.ceil(rows / GROUP);
    if (this.count <= this.low.length) return;
    this.low = new Float64Array(this.count);
    this.high = new Float64Array(this.count);
    this.lowStep = new Float64Array(this.count);
    this.highStep = new Float64Array(this.count);
    this.modes = new Uint16Array(this.count);
  }
}

const groups = new Groups();

/**
 * @param values one a row
 * @param present 1 where there is one, 0 elsewhere; undefined: in all rows
 * @param maxBytes of a piece
 */
export function encodeNumbers(
  type: WholeType,
  values: BatchNumbers,
  present: Uint8Array | undefined,
  rows: number,
  maxBytes: number,
): EncodedPiece[] {
  if (rows === 0) return [];
  const size = SIZES[type];
  const own = rows === values.length ? values : values.subarray(0, rows);
  const areGaps = hasGaps(present, rows);
  if (!areGaps && areAlike(own) && Number.isSafeInteger(own[0])) return [constant(rows, own[0]!)];
  if (column.length < rows) column = new Float64Array(rows);
  column.set(own);
  if (areGaps && !fillGaps(column, present!, rows)) return [constant(rows, 0)];
  if (type === 'i64' && !areWhole(column, rows)) makeWhole(column, rows);
  let { low, high } = lookAt(rows);
  if (low < -MOST_EXACT || high > MOST_EXACT) {
    makeWhole(column, rows);
    ({ low, high } = lookAt(rows));
  }
  if (low === high) return [constant(rows, low)];
  const packed = packedBytes(size, rows, maxBytes);
  const whole = rows * size;
  if (runs.find(rows, Math.min(packed, whole) / (size + COUNT_BYTES)))
    return inRuns(size, rows, maxBytes);
  return packed < whole ? inGroups(size, rows, maxBytes) : asTheyAre(size, rows, maxBytes);
}

/**
 * Where lists end, as the number of values of all up to there: packed also where it is one number, for which lists
 * have no form of their own.
 * @param counts of values by row
 */
export function encodeEnds(counts: Uint16Array, rows: number, maxBytes: number): EncodedPiece[] {
  if (rows === 0) return [];
  if (column.length < rows) column = new Float64Array(rows);
  addUp(counts, rows, column);
  lookAt(rows);
  packedBytes(SIZES.i64, rows, maxBytes);
  return inGroups(SIZES.i64, rows, maxBytes);
}

function addUp(counts: Uint16Array, rows: number, out: Float64Array): void {
  let end = 0;
  for (let row = 0; row < rows; row++) out[row] = end += counts[row]!;
}

/** Bytes, of which mostly nothing can be packed: that is seen before they are made numbers. */
export function encodeBytes(values: Uint8Array, maxBytes: number): EncodedPiece[] {
  if (values.length === 0) return [];
  const { low, high } = spanOf(values);
  if (effectiveWidth(bitsOf(high - low), SIZES.u8) < 8)
    return encodeNumbers('u8', values, undefined, values.length, maxBytes);
  const out: EncodedPiece[] = [];
  for (let from = 0; from < values.length; from += maxBytes) {
    const bytes = values.slice(from, from + maxBytes);
    const { low: min, high: max } = spanOf(bytes);
    const stats = { kind: 'number', min, max } as const;
    out.push({ encoding: 'Uncompressed', rows: bytes.length, bytes, stats });
  }
  return out;
}

function spanOf(values: Uint8Array): { low: number; high: number } {
  let low = 255;
  let high = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return { low, high };
}

/** Whether all have the same bits, which is seen at the speed of memory. */
function areAlike({ buffer, byteOffset, byteLength, BYTES_PER_ELEMENT }: BatchNumbers): boolean {
  const bytes = new Uint8Array(buffer, byteOffset, byteLength);
  const moved = bytes.subarray(BYTES_PER_ELEMENT);
  return Buffer.compare(moved, bytes.subarray(0, moved.length)) === 0;
}

function constant(rows: number, value: number): EncodedPiece {
  const stats = { kind: 'number', min: value, max: value } as const;
  return { encoding: 'Constant', rows, bytes: NO_BYTES, stats };
}

function lookAt(rows: number): { low: number; high: number } {
  groups.begin(rows);
  let low = Infinity;
  let high = -Infinity;
  for (let group = 0; group < groups.count; group++) {
    lookAtValues(column, group, Math.min(rows, (group + 1) * GROUP), groups);
    low = Math.min(low, groups.low[group]!);
    high = Math.max(high, groups.high[group]!);
  }
  return { low, high };
}

/** Whether no number has a part of one, and none is infinite. */
function areWhole(values: Float64Array, rows: number): boolean {
  for (let from = 0; from < rows; from += GROUP)
    if (partsOf(values, from, Math.min(rows, from + GROUP)) !== 0) return false;
  return true;
}

function partsOf(values: Float64Array, from: number, to: number): number {
  let parts = 0;
  for (let i = from; i < to; i++) {
    const value = values[i]!;
    parts += value - Math.floor(value);
  }
  return parts;
}

/** What 64 bits would have of numbers that no importer gives: parts of one, and those beyond 2^63. */
function makeWhole(values: Float64Array, rows: number): void {
  for (let i = 0; i < rows; i++) {
    const value = values[i]!;
    const whole = Number.isFinite(value) ? Math.trunc(value) : 0;
    values[i] = Number.isSafeInteger(whole) ? whole : Number(BigInt.asIntN(64, BigInt(whole)));
  }
}

/** Notes the bounds of a group's values, of which it takes four at a time: twice as quick as one. */
function lookAtValues(values: Float64Array, group: number, to: number, out: Groups): void {
  let i = group * GROUP;
  let low = values[i]!;
  let high = low;
  for (const end = to - 3; i < end; i += 4) {
    const a = values[i]!;
    const b = values[i + 1]!;
    const c = values[i + 2]!;
    const d = values[i + 3]!;
    if (a < low) low = a;
    if (a > high) high = a;
    if (b < low) low = b;
    if (b > high) high = b;
    if (c < low) low = c;
    if (c > high) high = c;
    if (d < low) low = d;
    if (d > high) high = d;
  }
  for (; i < to; i++) {
    const value = values[i]!;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  out.low[group] = low;
  out.high[group] = high;
}

/** Steps that are looked at before it is asked whether they are too different. */
const SOME_STEPS = 64;

/** Notes the bounds of a group's steps; false where they are `limit` apart, or more. */
function lookAtSteps(
  values: Float64Array,
  group: number,
  to: number,
  limit: number,
  out: Groups,
): boolean {
  let before = values[group * GROUP]!;
  let low = Infinity;
  let high = -Infinity;
  for (let from = group * GROUP + 1; from < to; from += SOME_STEPS) {
    const end = Math.min(to, from + SOME_STEPS);
    for (let i = from; i < end; i++) {
      const value = values[i]!;
      const step = value - before;
      if (step < low) low = step;
      if (step > high) high = step;
      before = value;
    }
    if (high - low >= limit) return false;
  }
  out.lowStep[group] = low;
  out.highStep[group] = high;
  return true;
}

/** How a group is packed: its mode, and in how many bits. */
function modeOf(group: number, to: number, size: number): number {
  const low = groups.low[group]!;
  const high = groups.high[group]!;
  if (low === high) return Mode.constant;
  const width = effectiveWidth(bitsOf(high - low), size);
  const asItIs = Mode.for | (width << 8);
  // Steps have a sign, as what is added up to values has.
  const most = MOST_SIGNED[size]!;
  if (high > most) return asItIs;
  // So far apart they take as many bits as values.
  const limit = 2 ** (Math.min(width, size * 7 + 1) - 1);
  if (!lookAtSteps(column, group, to, limit, groups)) return asItIs;
  const lowStep = groups.lowStep[group]!;
  const highStep = groups.highStep[group]!;
  if (-lowStep > most || highStep > most || highStep - lowStep > most) return asItIs;
  if (lowStep === highStep) return Mode.constantDelta;
  const first = column[group * GROUP]! - lowStep;
  if (first > most || -first > most) return asItIs;
  return Mode.deltaFor | (effectiveWidth(bitsOf(highStep - lowStep), size) << 8);
}

/** Bytes of a group, less those that say where it is. */
function groupBytes(mode: number, count: number, size: number): number {
  const width = mode >>> 8;
  switch (mode & 0xff) {
    case Mode.constant:
      return size;
    case Mode.constantDelta:
      return 2 * size;
    case Mode.for:
      return 2 * size + packedSize(count, width);
    default:
      return 3 * size + packedSize(count, width);
  }
}

/** Bytes of all groups; Infinity where one is larger than a piece. */
function packedBytes(size: number, rows: number, maxBytes: number): number {
  let sum = 0;
  for (let group = 0; group < groups.count; group++) {
    if (!isExact(groups.low[group]!, groups.high[group]!)) return Infinity;
    const count = Math.min(GROUP, rows - group * GROUP);
    const mode = modeOf(group, group * GROUP + count, size);
    groups.modes[group] = mode;
    const own = groupBytes(mode, count, size);
    if (aligned(HEAD + own) + KNOWN > maxBytes) return Infinity;
    sum += own + KNOWN;
  }
  return sum;
}

function isExact(low: number, high: number): boolean {
  return low >= -MOST_EXACT && high <= MOST_EXACT && high - low <= MOST_EXACT;
}

/** Writes a number at a place of the piece; gives the place behind it. */
function put(at: number, value: number, size: number): number {
  switch (size) {
    case 1:
      pieceView.setUint8(at, value);
      break;
    case 2:
      pieceView.setUint16(at, value, true);
      break;
    case 4:
      // A number without a sign, too, as its low 32 bits.
      pieceView.setInt32(at, value, true);
      break;
    default: {
      const low = value >>> 0;
      pieceView.setUint32(at, low, true);
      pieceView.setInt32(at + 4, (value - low) / 0x1_0000_0000, true);
    }
  }
  return at + size;
}

function inGroups(size: number, rows: number, maxBytes: number): EncodedPiece[] {
  const out: EncodedPiece[] = [];
  const known: number[] = [];
  let at = HEAD;
  let first = 0;
  let low = Infinity;
  let high = -Infinity;
  const flush = (end: number): void => {
    const start = aligned(at);
    pieceBytes.fill(0, at, start);
    const all = start + known.length * KNOWN;
    put(0, all, 8);
    // That of the first is the last.
    known.forEach((one, i) => pieceView.setUint32(all - (i + 1) * KNOWN, one, true));
    out.push({
      ...{ encoding: 'BitPacking', rows: end - first, bytes: pieceBytes.slice(0, all) },
      stats: { kind: 'number', min: low, max: high },
    });
    known.length = 0;
    at = HEAD;
    first = end;
    low = Infinity;
    high = -Infinity;
  };
  for (let group = 0; group < groups.count; group++) {
    const from = group * GROUP;
    const count = Math.min(GROUP, rows - from);
    const coded = groups.modes[group]!;
    const need = groupBytes(coded, count, size);
    if (aligned(at + need) + (known.length + 1) * KNOWN > maxBytes) flush(from);
    const mode = coded & 0xff;
    const width = coded >>> 8;
    known.push(((mode << 24) | at) >>> 0);
    const least = groups.low[group]!;
    const step = groups.lowStep[group]!;
    switch (mode) {
      case Mode.constant:
        at = put(at, least, size);
        break;
      case Mode.constantDelta:
        at = put(at, column[from]!, size);
        at = put(at, step, size);
        break;
      case Mode.for:
        at = put(at, least, size);
        at = put(at, width, size);
        at = putPacked(at, column, from, count, least, width);
        break;
      default:
        at = put(at, step, size);
        at = put(at, width, size);
        at = put(at, column[from]! - step, size);
        at = putPackedSteps(at, column, from, count, step, width);
    }
    low = Math.min(low, least);
    high = Math.max(high, groups.high[group]!);
  }
  flush(rows);
  return out;
}

/** Runs of equal values: of each its value, and the row behind it. */
class Runs {
  count = 0;
  /** The first that is not taken. */
  next = 0;
  values = new Float64Array(1 << 17);
  ends = new Uint32Array(1 << 17);

  /** Whether the column has fewer than `limit`. */
  find(rows: number, limit: number): boolean {
    if (this.values.length < rows) {
      this.values = new Float64Array(rows);
      this.ends = new Uint32Array(rows);
    }
    this.values[0] = column[0]!;
    let last = 0;
    for (let from = 0; from < rows && last + 1 < limit; from += GROUP)
      last = findRuns(column, from, Math.min(rows, from + GROUP), this.values, this.ends, last);
    this.count = last + 1;
    this.next = 0;
    return this.count < limit;
  }
}

const runs = new Runs();

/**
 * Goes on with the last run that was found; gives the number of the one that is the last then. Without a branch:
 * where runs end cannot be foreseen.
 */
function findRuns(
  values: Float64Array,
  from: number,
  to: number,
  found: Float64Array,
  ends: Uint32Array,
  last: number,
): number {
  let run = last;
  let before = found[run]!;
  for (let i = from; i < to; i++) {
    const value = values[i]!;
    run += Number(value !== before);
    found[run] = value;
    ends[run] = i + 1;
    before = value;
  }
  return run;
}

/** Values and lengths of runs of the piece that is being made, and their bounds; longer runs are several. */
const taken = {
  count: 0,
  low: 0,
  high: 0,
  values: new Float64Array(1 << 16),
  lengths: new Uint16Array(1 << 16),
};

function inRuns(size: number, rows: number, maxBytes: number): EncodedPiece[] {
  // What stands between values and lengths is at most 7 bytes.
  const most = Math.floor((maxBytes - HEAD - 7) / (size + COUNT_BYTES));
  const out: EncodedPiece[] = [];
  for (let from = 0; from < rows;) {
    const to = takeRuns(runs, from, Math.min(most, taken.lengths.length), taken);
    const { count, values, lengths, low, high } = taken;
    const end = putAll(HEAD, values, 0, count, size);
    const counts = aligned(end);
    pieceBytes.fill(0, end, counts);
    put(0, counts, 8);
    new Uint16Array(pieceBytes.buffer, counts, count).set(lengths.subarray(0, count));
    const bytes = pieceBytes.slice(0, counts + count * COUNT_BYTES);
    const stats = { kind: 'number', min: low, max: high } as const;
    out.push({ encoding: 'RLE', rows: to - from, bytes, stats });
    from = to;
  }
  return out;
}

/** Takes at most so many runs of the column from a row on; gives the row behind them. */
function takeRuns(found: Runs, from: number, most: number, out: typeof taken): number {
  const { values, ends } = found;
  const { lengths } = out;
  let run = found.next;
  let value = values[run]!;
  let low = value;
  let high = value;
  let count = 0;
  let row = from;
  while (run < found.count && count < most) {
    value = values[run]!;
    if (value < low) low = value;
    if (value > high) high = value;
    const length = Math.min(MOST_RUN, ends[run]! - row);
    out.values[count] = value;
    lengths[count++] = length;
    row += length;
    if (row === ends[run]) run += 1;
  }
  found.next = run;
  out.count = count;
  out.low = low;
  out.high = high;
  return row;
}

/** Numbers on their way to fewer bytes. */
let words = new Int32Array(1 << 16);

/** Writes numbers one behind the other at a place of the piece, which is a multiple of their size. */
function putAll(at: number, values: Float64Array, from: number, to: number, size: number): number {
  const count = to - from;
  const { buffer } = pieceBytes;
  if (size === 8) putLong(values, from, to, new Int32Array(buffer, at, count * 2));
  else if (size === 4) putWords(values, from, to, new Int32Array(buffer, at, count));
  else {
    if (words.length < count) words = new Int32Array(count);
    putWords(values, from, to, words);
    const Bytes = size === 1 ? Uint8Array : Uint16Array;
    new Bytes(buffer, at, count).set(words.subarray(0, count));
  }
  return at + count * size;
}

/** The low 32 bits of each; a typed array's own way from doubles takes several times as long. */
function putWords(values: Float64Array, from: number, to: number, out: Int32Array): void {
  for (let i = from, at = 0; i < to; i++) out[at++] = values[i]!;
}

function putLong(values: Float64Array, from: number, to: number, out: Int32Array): void {
  for (let i = from, at = 0; i < to; i++) {
    const value = values[i]!;
    const low = value >>> 0;
    out[at++] = low;
    out[at++] = (value - low) / 0x1_0000_0000;
  }
}

function asTheyAre(size: number, rows: number, maxBytes: number): EncodedPiece[] {
  const most = Math.floor(maxBytes / size);
  const out: EncodedPiece[] = [];
  for (let from = 0; from < rows; from += most) {
    const to = Math.min(rows, from + most);
    const end = putAll(0, column, from, to, size);
    const stats = boundsOf(column, from, to);
    const bytes = pieceBytes.slice(0, end);
    out.push({ encoding: 'Uncompressed', rows: to - from, bytes, stats });
  }
  return out;
}

function boundsOf(values: Float64Array, from: number, to: number): NumberStats {
  let min = values[from]!;
  let max = min;
  for (let i = from + 1; i < to; i++) {
    const value = values[i]!;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return { kind: 'number', min, max };
}

/** The same pieces of type `i64` with `by` added to each value; their bytes are changed where they lie. */
export function shiftNumbers(pieces: readonly EncodedPiece[], by: number): EncodedPiece[] {
  return pieces.map((piece) => {
    const { stats, bytes, encoding, rows } = piece;
    if (stats.kind !== 'number') throw new Error('no numbers');
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const add = (at: number): void => {
      view.setBigInt64(at, view.getBigInt64(at, true) + BigInt(by), true);
    };
    switch (encoding) {
      case 'Uncompressed':
        for (let row = 0; row < rows; row++) add(row * 8);
        break;
      case 'RLE':
        // Between values and lengths nothing stands: both begin at a multiple of eight.
        for (let at = HEAD; at < view.getUint32(0, true); at += 8) add(at);
        break;
      case 'BitPacking': {
        const all = view.getUint32(0, true);
        for (let group = 0; group * GROUP < rows; group++) {
          const known = view.getUint32(all - (group + 1) * KNOWN, true);
          // Of steps it is the value before the first that is added to, which is the third number.
          add((known & 0xff_ffff) + (known >>> 24 === Mode.deltaFor ? 16 : 0));
        }
        break;
      }
      default:
    }
    return { ...piece, stats: { kind: 'number', min: stats.min + by, max: stats.max + by } };
  });
}
