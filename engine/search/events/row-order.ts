/** A list that stores, for each event, its segment, its number in it and its time. */
import type { EpochMicros } from '../../contract/event.ts';
import type { RawValue } from '../../query/index.ts';

export class RowOrder {
  readonly segments: number[] = [];
  readonly rows: number[] = [];
  /** NaN: undated. */
  private readonly times: number[] = [];
  undated = 0;

  get length(): number {
    return this.rows.length;
  }

  /** @param found rows returned by the statement of `compileOrder` */
  add(found: readonly (readonly RawValue[])[]): void {
    for (const [segment, row, ts] of found) {
      this.segments.push(Number(segment));
      this.rows.push(Number(row));
      this.times.push(typeof ts === 'number' ? ts : NaN);
      if (typeof ts !== 'number') this.undated += 1;
    }
  }

  /** Number of events before `ts`. */
  before(ts: EpochMicros): number {
    return this.times.reduce((before, time) => before + Number(time < ts), 0);
  }

  /** The position of the earliest event at or after `ts`; undefined if there is none. */
  firstAt(ts: EpochMicros): number | undefined {
    let best: number | undefined;
    for (let at = 0; at < this.times.length; at++) {
      const time = this.times[at]!;
      if (time >= ts && (best === undefined || time < this.times[best]!)) best = at;
    }
    return best;
  }
}
