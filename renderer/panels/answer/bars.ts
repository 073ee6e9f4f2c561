/** The bars of a `| timeline` answer: which of its columns are series, stacked on each other. */
import { cell, columnOf, type ColumnBatch } from '../../../engine/contract/wire/column-batch.ts';
import type { TimelineShape } from '../../panel-api.ts';

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
  /** The column that is drawn: `count`, a measure such as `sum(bytes)`, or the field that is spread. */
  readonly measure: string;
  /** Whether the values of several buckets can be added up. */
  readonly adds: boolean;
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

/**
 * Undefined when the answer has no buckets, or when nothing can be stacked: averages of series do not add up.
 * Its columns are `start`, `count`, the measure if there is one, and the series.
 */
export function barsOf(batch: ColumnBatch, shape: TimelineShape): Bars | undefined {
  const start = columnOf(batch, 'start');
  if (start === undefined || batch.rows === 0) return undefined;
  if (shape.by !== undefined && !shape.adds) return undefined;
  const starts = Float64Array.from({ length: batch.rows }, (_, row) => {
    const value = cell(start, row);
    return (typeof value === 'string' ? microsOf(value) : value) ?? NaN;
  });
  if (starts.some((n) => Number.isNaN(n))) return undefined;
  const [, count, measured, ...others] = batch.columns;
  const measure = shape.isMeasured ? measured : count;
  const split = shape.isMeasured || measured === undefined ? others : [measured, ...others];
  const all = (shape.by === undefined ? [measure] : split).filter((one) => one?.type === 'number');
  if (all.length === 0) return undefined;
  const gap = batch.rows > 1 ? (starts[1] ?? 0) - (starts[0] ?? 0) : 60e6;
  return {
    starts,
    width: gap > 0 ? gap : 60e6,
    series: largestOf(all, batch.rows),
    measure: measure?.name ?? 'count',
    adds: shape.adds,
  };
}

type NumberColumn = Extract<ColumnBatch['columns'][number], { type: 'number' }>;

/** The first series, which are the largest, and all others as one. */
function largestOf(columns: readonly NumberColumn[], rows: number): Series[] {
  const read = ({ values }: NumberColumn): Float64Array =>
    values.map((n) => (Number.isNaN(n) ? 0 : n));
  const series: Series[] = columns
    .slice(0, columns.length > MOST_SERIES ? MOST_SERIES - 1 : MOST_SERIES)
    .map((column) => ({ name: column.name, rest: false, values: read(column) }));
  const others = columns.slice(series.length);
  if (others.length > 0) {
    const values = new Float64Array(rows);
    for (const column of others) read(column).forEach((n, i) => (values[i] = (values[i] ?? 0) + n));
    series.push({ name: `${others.length} others`, rest: true, values });
  }
  return series;
}

/** Tops of the bars, the first series at the bottom. */
export function topsOf(series: readonly Series[]): Float64Array[] {
  let below: Float64Array | undefined;
  return series.map(({ values }) => {
    const tops = values.map((n, i) => n + (below?.[i] ?? 0));
    below = tops;
    return tops;
  });
}
