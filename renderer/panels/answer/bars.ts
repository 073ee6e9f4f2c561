/** The bars of a `| timeline` answer: which of its columns are series, stacked on each other. */
import { cell, columnOf, type ColumnBatch } from '../../../engine/contract/wire/column-batch.ts';

interface Series {
  readonly name: string;
  /** All series but the largest few, together. */
  readonly rest: boolean;
  readonly values: Float64Array;
}

export interface Bars {
  /** UTC microseconds of each bucket's start, ascending. */
  readonly starts: Float64Array;
  /** Of a bucket, in microseconds. */
  readonly width: number;
  readonly series: readonly Series[];
  /** The measure: `count`, or the field that is spread. */
  readonly measure: string;
}

const MOST_SERIES = 8;

/** Microseconds of `2026-10-12T00:00:00.000000Z` or `…+02:00`; undefined for any other text. */
export function microsOf(text: string): number | undefined {
  const match = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/.exec(text);
  if (match === null) return undefined;
  const seconds = Date.parse(`${match[1]}${match[3]}`);
  return Number.isNaN(seconds)
    ? undefined
    : seconds * 1000 + Number((match[2] ?? '').padEnd(6, '0').slice(0, 6));
}

/** Undefined when the answer has no buckets. `stage`: the text of the timeline stage. */
export function barsOf(batch: ColumnBatch, stage: string): Bars | undefined {
  const start = columnOf(batch, 'start');
  if (start === undefined || batch.rows === 0) return undefined;
  const starts = Float64Array.from({ length: batch.rows }, (_, row) => {
    const value = cell(start, row);
    return (typeof value === 'string' ? microsOf(value) : value) ?? NaN;
  });
  if (starts.some((n) => Number.isNaN(n))) return undefined;
  const numbers = batch.columns.filter((column) => column.type === 'number');
  const spread = /\bspread\b/.test(stage)
    ? (numbers.find(
        ({ name }) =>
          name !== 'count' && new RegExp(`spread\\s+${escape(name)}(\\s|$)`).test(stage),
      ) ?? columnOf(batch, 'bytes'))
    : undefined;
  const measure = spread?.name ?? 'count';
  const stacked = /\sby\s/.test(stage)
    ? numbers.filter(({ name }) => name !== 'start' && name !== 'count' && name !== spread?.name)
    : [];
  const shown = stacked.length > 0 ? stacked : numbers.filter(({ name }) => name === measure);
  const read = ({ values }: (typeof numbers)[number]): Float64Array =>
    values.map((n) => (Number.isNaN(n) ? 0 : n));
  const series: Series[] = shown
    .slice(0, shown.length > MOST_SERIES ? MOST_SERIES - 1 : MOST_SERIES)
    .map((column) => ({ name: column.name, rest: false, values: read(column) }));
  const others = shown.slice(series.length);
  if (others.length > 0) {
    const values = new Float64Array(batch.rows);
    for (const column of others) read(column).forEach((n, i) => (values[i] = (values[i] ?? 0) + n));
    series.push({ name: `${others.length} others`, rest: true, values });
  }
  const gap = batch.rows > 1 ? (starts[1] ?? 0) - (starts[0] ?? 0) : 60e6;
  return {
    starts,
    width: gap > 0 ? gap : 60e6,
    series,
    measure: stacked.length > 0 ? 'count' : measure,
  };
}

const escape = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** Tops of the bars, the first series at the bottom. */
export function topsOf(series: readonly Series[]): Float64Array[] {
  let below: Float64Array | undefined;
  return series.map(({ values }) => {
    const tops = values.map((n, i) => n + (below?.[i] ?? 0));
    below = tops;
    return tops;
  });
}
