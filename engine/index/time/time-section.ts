/**
 * The section that maps times to rows: the times of a segment's rows, in their order, as pages of differences.
 * Dated rows come first, ascending; undated rows come last.
 *
 * Section `time`: head u32 rows, u32 dated rows, u32 rows of a page; then for each page f64 time of its first row,
 * u32 end of its block; the unit of its differences (u8: 0 microseconds, 1 milliseconds, 2 seconds).
 */
import { BlockWriter } from '../values/blocks.ts';
import { inSteps } from '../steps.ts';
import { PackWriter } from '../values/packing.ts';
import type { Section } from '../side-file.ts';

export const TIME_SECTION = 'time';
const PAGE_ROWS = 2048;
/** Microseconds of the units that differences are counted in. */
export const UNITS = [1, 1_000, 1_000_000] as const;

/**
 * @param times UTC microseconds of the segment's rows, NaN for none
 * @param dated result of `datedRows`
 */
export function timeSection(times: Float64Array, dated: number): Section {
  const head = new PackWriter(false);
  const blocks = new BlockWriter();
  head.u32(times.length);
  head.u32(dated);
  head.u32(PAGE_ROWS);
  for (let from = 0; from < dated; from += PAGE_ROWS) {
    const page = times.subarray(from, Math.min(dated, from + PAGE_ROWS));
    const unit = unitOf(page);
    head.f64(page[0]!);
    head.u32(blocks.add(packPage(page, UNITS[unit]!)));
    head.u8(unit);
  }
  return blocks.finish(TIME_SECTION, head.finish());
}

/**
 * Number of rows with a time; undefined if these are not ascending whole numbers followed by the undated rows: such
 * a segment has no time section, and is scanned.
 */
export function datedRows(times: Float64Array): number | undefined {
  let dated = 0;
  inSteps(times.length, (from, to) => {
    if (dated >= 0) dated = datedSome(times, from, to, dated);
  });
  return dated < 0 ? undefined : dated;
}

/** The same up to row `to`, if `before` rows before `from` have a time; -1 for undefined. */
function datedSome(times: Float64Array, from: number, to: number, before: number): number {
  let dated = before;
  let last = before === 0 ? -Infinity : times[before - 1]!;
  for (let row = from; row < to; row++) {
    const time = times[row]!;
    if (Number.isNaN(time)) continue;
    if (dated !== row || time < last || !Number.isSafeInteger(time)) return -1;
    if (!Number.isSafeInteger(time - last) && row > 0) return -1;
    last = time;
    dated += 1;
  }
  return dated;
}

/** The number of the coarsest unit that all differences are multiples of. */
function unitOf(page: Float64Array): number {
  for (let unit = UNITS.length - 1; unit > 0; unit--) if (fits(page, UNITS[unit]!)) return unit;
  return 0;
}

function fits(page: Float64Array, micros: number): boolean {
  for (let i = 1; i < page.length; i++) {
    const step = page[i]! - page[i - 1]!;
    if (Math.floor(step / micros) * micros !== step) return false;
  }
  return true;
}

/**
 * Buffers, reused for every page: a page's differences if they are below 2^32, as nearly always, and their byte
 * planes.
 */
const steps32 = new Uint32Array(PAGE_ROWS);
const planes32 = new Uint8Array(PAGE_ROWS * 4 + 1);

function packPage(page: Float64Array, micros: number): Uint8Array {
  const n = page.length - 1;
  const most = putSteps(page, micros, steps32);
  const out = new PackWriter(false, n * 4 + 16);
  if (most <= 0xffff_ffff) {
    out.packed(planes32.subarray(0, putPlanes(steps32, n, most, planes32)));
    return out.finish();
  }
  const planes = new PackWriter(false, n * 7 + 16);
  planes.numbers(stepsOf(page, micros));
  out.packed(planes.finish());
  return out.finish();
}

/** The difference of each time to the one before, in units of `micros`; returns the largest. */
function putSteps(page: Float64Array, micros: number, steps: Uint32Array): number {
  let most = 0;
  for (let i = 0; i + 1 < page.length; i++) {
    const step = (page[i + 1]! - page[i]!) / micros;
    steps[i] = step;
    if (step > most) most = step;
  }
  return most;
}

/** Writes them like `PackWriter.numbers`; returns the number of bytes. */
function putPlanes(steps: Uint32Array, n: number, most: number, planes: Uint8Array): number {
  let size = 1;
  let width = 0;
  for (let rest = most; rest > 0; rest = Math.floor(rest / 256)) {
    const shift = width * 8;
    for (let i = 0; i < n; i++) planes[size + i] = steps[i]! >>> shift;
    size += n;
    width += 1;
  }
  planes[0] = width;
  return size;
}

function stepsOf(page: Float64Array, micros: number): Float64Array {
  const out = new Float64Array(page.length - 1);
  for (let i = 0; i < out.length; i++) out[i] = (page[i + 1]! - page[i]!) / micros;
  return out;
}
