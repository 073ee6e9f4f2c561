/**
 * State that stages depending on the order of events keep of each event until all have arrived: its group, its
 * time, and, where ties matter, its position among events of that time. Memory is limited by the scan's budget:
 * exceeding it is an error.
 */
import type { Field } from '../names/fields.ts';
import type { Budget } from './budget.ts';
import { readsOf } from './values/field-values.ts';
import type { TakeGrouped } from './measures.ts';
import { type RowScope, numberAt } from './row-scope.ts';

const FIRST_ROWS = 1024;
/** Bytes of one event. */
const TIMED_BYTES = 8 + 4;
const PLACED_BYTES = TIMED_BYTES + 8 + 4 + 2 + 2;

export class TimedRows {
  size = 0;
  groups = new Int32Array(FIRST_ROWS);
  /** Microseconds. */
  times = new Float64Array(FIRST_ROWS);
  nanos = new Uint16Array(0);
  sources = new Uint32Array(0);
  records = new Float64Array(0);
  /** A bit for each condition that the event meets. */
  marks = new Uint16Array(0);
  private readonly budget: Budget;
  private readonly conditions: readonly Field[] | undefined;

  /** @param conditions numbers that are there where a condition holds; only events that meet one are kept, each with its place */
  constructor(budget: Budget, conditions?: readonly Field[]) {
    this.budget = budget;
    this.conditions = conditions;
  }

  scoped(scope: RowScope): TakeGrouped {
    const { conditions } = this;
    const ts = scope.column({ column: 'ts' });
    if (conditions === undefined)
      return (rows, groups, n) => {
        for (let i = 0; i < n; i++) {
          const time = numberAt(ts, rows[i]!);
          if (time !== undefined) this.times[this.add(groups[i]!)] = time;
        }
      };
    const nanos = scope.column({ column: 'ts_ns' });
    const source = scope.column({ column: 'source_id' });
    const record = scope.column({ column: 'seq' });
    return (rows, groups, n) => {
      const reads = conditions.map((field) => readsOf(field, scope)[0]!);
      for (let i = 0; i < n; i++) {
        const row = rows[i]!;
        const time = numberAt(ts, row);
        if (time === undefined) continue;
        let marks = 0;
        for (let at = 0; at < reads.length; at++) if (reads[at]!(row) !== null) marks |= 1 << at;
        if (marks === 0) continue;
        const to = this.add(groups[i]!);
        this.times[to] = time;
        this.nanos[to] = numberAt(nanos, row) ?? 0;
        this.sources[to] = numberAt(source, row) ?? 0;
        this.records[to] = numberAt(record, row) ?? 0;
        this.marks[to] = marks;
      }
    };
  }

  private add(group: number): number {
    const { size } = this;
    if (
      size === this.groups.length ||
      (this.conditions !== undefined && size === this.marks.length)
    )
      this.grow(Math.max(FIRST_ROWS, size * 2));
    this.groups[size] = group;
    this.size = size + 1;
    return size;
  }

  private grow(to: number): void {
    const isPlaced = this.conditions !== undefined;
    this.budget.take((to - this.size) * (isPlaced ? PLACED_BYTES : TIMED_BYTES));
    this.groups = copied(new Int32Array(to), this.groups);
    this.times = copied(new Float64Array(to), this.times);
    if (!isPlaced) return;
    this.nanos = copied(new Uint16Array(to), this.nanos);
    this.sources = copied(new Uint32Array(to), this.sources);
    this.records = copied(new Float64Array(to), this.records);
    this.marks = copied(new Uint16Array(to), this.marks);
  }

  /** Numbers of the events, group after group, each in the order of events. */
  inOrder(): Int32Array {
    const { groups, times, nanos, sources, records, size, budget } = this;
    budget.take(size * 8);
    const order = Int32Array.from({ length: size }, (_, i) => i);
    const isPlaced = this.conditions !== undefined;
    return order.sort((a, b) => {
      const found = groups[a]! - groups[b]! || times[a]! - times[b]!;
      if (found !== 0 || !isPlaced) return found;
      return nanos[a]! - nanos[b]! || sources[a]! - sources[b]! || records[a]! - records[b]!;
    });
  }
}

function copied<T extends Int32Array | Float64Array | Uint16Array | Uint32Array>(
  to: T,
  from: T,
): T {
  to.set(from);
  return to;
}
