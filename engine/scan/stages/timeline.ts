/**
 * `timeline [interval] [by f]`: counts per bucket. The first and the last event are known at the end
 * only, so events are counted by units of time that no bucket can divide: a whole interval where those
 * begin at known times, else microseconds, which become milliseconds and seconds as the range grows.
 */
import type { EventBatch } from '../../contract/event-batch.ts';
import type { Measure } from '../../query/ast.ts';
import type { RawValue } from '../../query/format.ts';
import { bucketStart, intervalMicros } from '../../query/grid.ts';
import { type Plan, gridOf } from '../../query/plan.ts';
import type { TableColumn } from '../../query/relation.ts';
import type { TimelineStage } from '../../query/stages/timeline.ts';
import { ROW_BYTES, type Budget } from '../budget.ts';
import { Grouping } from '../grouping.ts';
import type { Wanted } from '../../query/batch/batch-scope.ts';
import type { RowScope } from '../../query/batch/row-scope.ts';
import { byAll, rowOrder } from '../table.ts';
import type { ScanStage, StagePart, StageResult } from './stage.ts';

const MILLISECOND = 1e3;
const SECOND = 1e6;
/** 1970-01-05 was a Monday. */
const FIRST_MONDAY = 4 * 86_400e6;
/** Even buckets begin at whole units when the range is this many of them (engine/query/plan.ts). */
const RANGE_UNITS = 60 * 30;

const pair = new Int32Array(2);
const real = new Float64Array(pair.buffer);

export function timelineStage(
  stage: TimelineStage,
  plan: Plan,
  columns: readonly TableColumn[],
  budget: Budget,
  wanted: Wanted,
): ScanStage {
  return new Timeline(stage, plan, columns, budget, wanted);
}

class Timeline implements ScanStage {
  private readonly plan: Plan;
  private readonly columns: readonly TableColumn[];
  private readonly budget: Budget;
  private readonly grouping: Grouping;
  private readonly origin: number;
  private unit: number;
  private readonly growing: boolean;
  private low = Infinity;
  private high = -Infinity;

  constructor(
    stage: TimelineStage,
    plan: Plan,
    columns: readonly TableColumn[],
    budget: Budget,
    wanted: Wanted,
  ) {
    this.plan = plan;
    this.columns = columns;
    this.budget = budget;
    const { interval, start, end, by } = stage;
    this.growing = interval === undefined;
    if (interval === undefined) {
      this.unit = 1;
      this.origin = plan.range.from ?? plan.range.to ?? 0;
    } else {
      const step = intervalMicros(interval);
      const { zone } = plan.context;
      const whole = zone === 'UTC' || zone === 'Z';
      // Elsewhere a bucket begins at a whole second of UTC, or finer.
      this.unit = whole ? step : step % SECOND === 0 ? SECOND : MILLISECOND;
      this.origin = whole && interval.unit === 'w' ? FIRST_MONDAY : 0;
    }
    const count: Measure = { fn: 'count', of: undefined, as: 'count', start, end };
    this.grouping = new Grouping(
      plan,
      {
        by: by === undefined ? [] : [by],
        measures: [count],
        before: { words: 2, scoped: (scope) => this.units(scope) },
      },
      budget,
      wanted,
    );
  }

  scoped(batch: EventBatch) {
    const take = this.grouping.scoped(batch);
    return (rows: Int32Array, n: number) => {
      take(rows, n);
      if (this.growing) this.coarsen();
    };
  }

  /** Fills the unit of each row; rows without a time are left out. */
  private units(scope: RowScope) {
    const column = scope.column({ column: 'ts' });
    if (column === undefined || column.type === 'text' || column.type === 'ip6') return () => 0;
    const { values, present } = column;
    return (rows: Int32Array, n: number, words: readonly Int32Array[]): number => {
      const [first, second] = [words[0]!, words[1]!];
      const { unit, origin } = this;
      let { low, high } = this;
      let k = 0;
      let start = NaN;
      for (let i = 0; i < n; i++) {
        const row = rows[i]!;
        if (present[row] !== 1) continue;
        const ts = values[row]!;
        if (ts < low) low = ts;
        if (ts > high) high = ts;
        const passed = ts - start;
        if (!(passed >= 0 && passed < unit)) {
          const index = Math.floor((ts - origin) / unit);
          start = origin + index * unit;
          real[0] = index + 0;
        }
        first[k] = pair[0]!;
        second[k] = pair[1]!;
        rows[k++] = row;
      }
      this.low = low;
      this.high = high;
      return k;
    };
  }

  readonly parts = {
    part: (): StagePart => {
      const { unit, low, high } = this;
      return { grouping: this.grouping.part(), units: { unit, low, high } };
    },
    merge: ({ grouping, units }: StagePart): void => {
      if (grouping === undefined || units === undefined) throw new TypeError('not of a timeline');
      this.coarsenTo(units.unit);
      this.grouping.merge(grouping, coarser(this.unit / units.unit));
      this.low = Math.min(this.low, units.low);
      this.high = Math.max(this.high, units.high);
      if (this.growing) this.coarsen();
    },
  };

  private coarsen(): void {
    const range = this.high - this.low;
    this.coarsenTo(
      range >= RANGE_UNITS * SECOND ? SECOND : range >= RANGE_UNITS * MILLISECOND ? MILLISECOND : 1,
    );
  }

  private coarsenTo(unit: number): void {
    if (unit <= this.unit) return;
    this.grouping.rekey(coarser(unit / this.unit));
    this.unit = unit;
  }

  finish(): StageResult {
    const { grouping, columns, unit, origin } = this;
    const found = this.high >= this.low;
    const grid = gridOf(this.plan, {
      low: found ? this.low : undefined,
      high: found ? this.high : undefined,
    });
    const order = byAll(columns);
    if (grid === undefined) return { table: { columns, rows: [], order }, raw: [] };
    const starts = Float64Array.from({ length: grid.buckets }, (_, i) => bucketStart(grid, i));
    // Groups of units become groups of buckets.
    const series = new Map<string, RawValue[]>();
    for (let group = 0; group < grouping.size; group++) {
      pair[0] = grouping.word(group, 0);
      pair[1] = grouping.word(group, 1);
      const bucket = lastBelow(starts, origin + real[0]! * unit);
      const values = grouping.values(group);
      const key = JSON.stringify([bucket, ...values]);
      const count = Number(grouping.measures[0]!.value(group));
      const row = series.get(key);
      if (row === undefined) {
        this.budget.take(2 * ROW_BYTES);
        series.set(key, [bucket, ...values, count]);
      } else row[row.length - 1] = Number(row.at(-1)) + count;
    }
    const counted = columns.slice(1);
    const byValues = rowOrder(counted, byAll(counted.slice(0, -1)));
    const raw = [...series.values()].sort(
      (a, b) => Number(a[0]) - Number(b[0]) || byValues(a.slice(1), b.slice(1)),
    );
    // Without series, empty buckets are rows too.
    const filled =
      counted.length > 1
        ? raw
        : Array.from(starts, (_, bucket) => [bucket, series.get(`[${bucket}]`)?.[1] ?? 0]);
    const rows = filled.map(([bucket, ...rest]) => [starts[Number(bucket)], ...rest]);
    return { table: { columns, rows, order }, raw, grid };
  }
}

/** Numbers of units to those of units that are `factor` times as long. */
function coarser(factor: number): (words: readonly Int32Array[], n: number) => void {
  return (words, n) => {
    if (factor === 1) return;
    const [first, second] = [words[0]!, words[1]!];
    for (let i = 0; i < n; i++) {
      pair[0] = first[i]!;
      pair[1] = second[i]!;
      real[0] = Math.floor(real[0]! / factor) + 0;
      first[i] = pair[0]!;
      second[i] = pair[1]!;
    }
  };
}

/** The last of ascending `starts` that is not above `at`; 0 when all are. */
function lastBelow(starts: Float64Array, at: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (starts[middle]! <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}
