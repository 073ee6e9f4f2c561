/**
 * Positions in a list by time when the rows of each segment are known: they are found by counting, without reading
 * anything.
 *
 * Invariant: the order is that of statements on events: time, nanoseconds, source, record; undated last.
 */
import type { EpochMicros } from '../../contract/event.ts';
import { RowSet } from '../../util/row-set.ts';
import {
  type Rows,
  type SegmentInfo,
  intersect,
  rankOf,
  rowsOf,
  sliceOf,
} from '../../query/index.ts';
import { type TimedRows, eventsIn, rowAt } from '../access-paths/timed-rows.ts';

/** Rows that, in order, contain the requested ones at `offset` to `offset + count`. */
interface NumberPiece {
  readonly sets: ReadonlyMap<SegmentInfo, Rows>;
  readonly offset: number;
  readonly count: number;
}

/**
 * Number of extra rows that may be read so that fewer times are looked up. Reading a row takes as long as a hundred
 * look-ups if rows are scattered, and it may be the only row of its segment.
 */
const SLACK = 8;

export class NumberOrder {
  readonly dated: number;
  readonly undated: number;
  private readonly list: readonly TimedRows[];
  private readonly undatedList: readonly TimedRows[];
  private readonly from: EpochMicros;
  private readonly to: EpochMicros;

  constructor(list: readonly TimedRows[]) {
    const listed = list.filter(({ rows }) => rows !== 'none');
    this.list = listed.filter(({ segment }) => segment.day !== 'undated');
    this.undatedList = listed.filter(({ segment }) => segment.day === 'undated');
    this.dated = eventsIn(this.list);
    this.undated = eventsIn(this.undatedList);
    this.from = this.list.reduce(
      (low, { segment }) => Math.min(low, segment.minTs ?? low),
      Infinity,
    );
    this.to = this.list.reduce(
      (high, { segment }) => Math.max(high, segment.maxTs ?? high),
      -Infinity,
    );
  }

  /** The pieces that contain positions `from` to `to`, in order. */
  pieces(from: number, to: number): NumberPiece[] {
    const out: NumberPiece[] = [];
    const last = Math.min(to, this.dated);
    if (from < last) out.push(this.datedPiece(from, last));
    if (to > this.dated && this.undated > 0) {
      const offset = Math.max(from - this.dated, 0);
      const count = Math.min(to - this.dated, this.undated) - offset;
      if (count > 0) out.push(piece(this.undatedList, begin, end, offset, count));
    }
    return out;
  }

  /** Number of events before `ts`. */
  before(ts: EpochMicros): number {
    return this.list.reduce((sum, one) => sum + rankOf(one.rows, rowAt(one, ts)), 0);
  }

  private datedPiece(from: number, to: number): NumberPiece {
    if (from === 0 && to === this.dated) return piece(this.list, begin, end, 0, to);
    const low = this.lowest(from);
    const high = this.highest(to, low);
    return piece(
      this.list,
      (one) => rowAt(one, low),
      (one) => rowAt(one, high),
      from - this.before(low),
      to - from,
    );
  }

  /** A time before which there are at most `number` events, and not many fewer. */
  private lowest(number: number): EpochMicros {
    let low = this.from;
    let high = this.to + 1;
    while (number > SLACK && high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      const before = this.before(middle);
      if (before > number) high = middle;
      else {
        low = middle;
        if (number - before <= SLACK) break;
      }
    }
    return low;
  }

  /** A time before which there are at least `number` events, and not many more. */
  private highest(number: number, from: EpochMicros): EpochMicros {
    let low = from;
    let high = this.to + 1;
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      const before = this.before(middle);
      if (before < number) low = middle;
      else {
        high = middle;
        if (before - number <= SLACK) break;
      }
    }
    return high;
  }
}

const begin = (): number => 0;
const end = ({ segment }: TimedRows): number => segment.rows;

/** Rows `offset` to `offset + count` of those between two rows of each segment. */
function piece(
  list: readonly TimedRows[],
  from: (one: TimedRows) => number,
  to: (one: TimedRows) => number,
  offset: number,
  count: number,
): NumberPiece {
  const parts = list
    .map((one) => ({ one, from: from(one), to: to(one) }))
    .filter(({ one, from, to }) => rankOf(one.rows, from) < rankOf(one.rows, to));
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) {
    // Rows of one segment are already in order.
    const { segment, rows } = only.one;
    const start = rankOf(rows, only.from) + offset;
    const slice = sliceOf(rows, segment.rows, start, start + count);
    const set = rowsOf(RowSet.ofSorted(slice.slice(), segment.rows));
    return { sets: new Map([[segment, set]]), offset: 0, count };
  }
  const sets = parts.map(({ one: { segment, rows }, from, to }) => {
    if (from === 0 && to === segment.rows) return [segment, rows] as const;
    const range = rowsOf(RowSet.range(segment.rows, from, to));
    return [segment, intersect(rows, range)] as const;
  });
  return { sets: new Map(sets), offset, count };
}
