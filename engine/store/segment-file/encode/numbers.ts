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
  packDeltas,
  packFor,
  packedSize,
  pieceBytes,
  pieceView,
  putPacked,
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

/** What is known of each group of 2,048 values. */
class Groups {
  count = 0;
  runs = 0;
  /** Whether all are whole numbers. */
  areWhole = true;
  low = new Float64Array(64);
  high = new Float64Array(64);
  lowStep = new Float64Array(64);
  highStep = new Float64Array(64);

  begin(rows: number): void {
    this.count = Math.ceil(rows / GROUP);
    this.runs = 0;
    this.areWhole = true;
    if (this.count <= this.low.length) return;
    this.low = new Float64Array(this.count);
    this.high = new Float64Array(this.count);
    this.lowStep = new Float64Array(this.count);
    this.highStep = new Float64Array(this.count);
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
  if (column.length < rows) column = new Float64Array(rows);
  column.set(rows === values.length ? values : values.subarray(0, rows));
  if (hasGaps(present, rows) && !fillGaps(column, present!, rows)) return [constant(rows, 0)];
  let { low, high } = lookAt(rows);
  if (!groups.areWhole || low < -MOST_EXACT || high > MOST_EXACT) {
    makeWhole(column, rows);
    ({ low, high } = lookAt(rows));
  }
  if (low === high) return [constant(rows, low)];
  const packed = packedBytes(size, rows, maxBytes);
  const runs = groups.runs * (size + COUNT_BYTES);
  const whole = rows * size;
  if (runs < packed && runs < whole) return inRuns(size, rows, maxBytes);
  return packed < whole ? inGroups(size, rows, maxBytes) : asTheyAre(size, rows, maxBytes);
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
    look(column, group, Math.min(rows, (group + 1) * GROUP), groups);
    if (groups.low[group]! < low) low = groups.low[group]!;
    if (groups.high[group]! > high) high = groups.high[group]!;
  }
  return { low, high };
}

/** What 64 bits would have of numbers that no importer gives: parts of one, and those beyond 2^63. */
function makeWhole(values: Float64Array, rows: number): void {
  for (let i = 0; i < rows; i++) {
    const value = values[i]!;
    const whole = Number.isFinite(value) ? Math.trunc(value) : 0;
    values[i] = Number.isSafeInteger(whole) ? whole : Number(BigInt.asIntN(64, BigInt(whole)));
  }
}

/** Notes the bounds of a group's values and steps, and the runs that begin in it. */
function look(values: Float64Array, group: number, to: number, out: Groups): void {
  const from = group * GROUP;
  let before = values[from]!;
  let low = before;
  let high = before;
  let lowStep = Infinity;
  let highStep = -Infinity;
  let runs = from === 0 || values[from - 1]! !== before ? 1 : 0;
  let areWhole = Math.floor(before) === before;
  for (let i = from + 1; i < to; i++) {
    const value = values[i]!;
    const step = value - before;
    if (step < lowStep) lowStep = step;
    if (step > highStep) highStep = step;
    if (step !== 0) {
      runs += 1;
      if (Math.floor(value) !== value) areWhole = false;
      if (value < low) low = value;
      if (value > high) high = value;
    }
    before = value;
  }
  out.low[group] = low;
  out.high[group] = high;
  out.lowStep[group] = lowStep;
  out.highStep[group] = highStep;
  out.runs += runs;
  if (!areWhole) out.areWhole = false;
}

/** How a group is packed: its mode, and in how many bits. */
function modeOf(group: number, size: number): number {
  const low = groups.low[group]!;
  const high = groups.high[group]!;
  if (low === high) return Mode.constant;
  const width = effectiveWidth(bitsOf(high - low), size);
  const lowStep = groups.lowStep[group]!;
  const highStep = groups.highStep[group]!;
  // Steps have a sign, as what is added up to values has.
  const most = MOST_SIGNED[size]!;
  const canStep = high <= most && -lowStep <= most && highStep <= most;
  if (!canStep || highStep - lowStep > most) return Mode.for | (width << 8);
  if (lowStep === highStep) return Mode.constantDelta;
  const stepWidth = effectiveWidth(bitsOf(highStep - lowStep), size);
  const first = column[group * GROUP]! - lowStep;
  if (stepWidth >= width || first > most || -first > most) return Mode.for | (width << 8);
  return Mode.deltaFor | (stepWidth << 8);
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
    const own = groupBytes(modeOf(group, size), count, size);
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
    const coded = modeOf(group, size);
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
        packFor(column, from, count, least, width);
        at = putPacked(at, count, width);
        break;
      default:
        at = put(at, step, size);
        at = put(at, width, size);
        at = put(at, column[from]! - step, size);
        packDeltas(column, from, count, step, width);
        at = putPacked(at, count, width);
    }
    low = Math.min(low, least);
    high = Math.max(high, groups.high[group]!);
  }
  flush(rows);
  return out;
}

/** Values and lengths of runs of the piece that is being made, and their bounds. */
const runs = {
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
    const to = collectRuns(column, from, rows, Math.min(most, runs.lengths.length), runs);
    const { count, values, lengths, low, high } = runs;
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

/** Notes at most so many runs from a row on; gives the row behind them. */
function collectRuns(
  values: Float64Array,
  from: number,
  rows: number,
  most: number,
  out: typeof runs,
): number {
  const { values: found, lengths } = out;
  let value = values[from]!;
  let low = value;
  let high = value;
  let count = 0;
  let start = from;
  let at = from + 1;
  for (; at <= rows; at++) {
    if (at < rows && values[at]! === value && at - start < MOST_RUN) continue;
    found[count] = value;
    lengths[count++] = at - start;
    start = at;
    if (at === rows || count === most) break;
    value = values[at]!;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  out.count = count;
  out.low = low;
  out.high = high;
  return start;
}

/** Writes numbers one behind the other at a place of the piece, which is a multiple of their size. */
function putAll(at: number, values: Float64Array, from: number, to: number, size: number): number {
  const count = to - from;
  const { buffer } = pieceBytes;
  if (size === 8) putLong(values, from, to, new Int32Array(buffer, at, count * 2));
  else {
    const Words = size === 1 ? Uint8Array : size === 2 ? Uint16Array : Uint32Array;
    new Words(buffer, at, count).set(values.subarray(from, to));
  }
  return at + count * size;
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
