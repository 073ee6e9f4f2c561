/**
 * Which event stands where in a list, without having read the list: by time through a tree of spans
 * with their counts, or, for orders that are not by time and for lists that are short, event by event.
 *
 * Invariant: both say the same of the same events: time, nanoseconds, source, record; undated last.
 */
import type { EpochMicros } from '../../contract/event.ts';
import type { Edge, Part, SegmentInfo } from '../../query/index.ts';

/** Rows `offset` to `offset + count` of a part, in order of time, or backwards. */
interface Piece {
  readonly segments: readonly SegmentInfo[];
  /** All of the segments when left out. */
  readonly part?: Part;
  /** It is enough to look at the first or last rows of each segment. */
  readonly edge?: Edge;
  readonly offset: number;
  readonly count: number;
  readonly backwards: boolean;
}

/** A span of time, half-open, that holds `count` events, the first of which is number `start`. */
export interface Slice {
  readonly from: EpochMicros;
  readonly to: EpochMicros;
  readonly segments: readonly SegmentInfo[];
  readonly count: number;
  start: number;
  /** Once it was looked into. */
  parts?: Slice[];
}

/** Slices with more events than this are divided before rows of them are read. */
const MOST_ROWS = 16_384;
/** Events that a part of a divided slice should have. */
const ROWS = 4096;
/** As near to the begin or end of whole segments rows are found without looking at times. */
const EDGE = 2000;
const MOST_PARTS = 8192;
/** Segments whose first rows are sooner read than the times of all are counted. */
const MOST_EDGES = 32;

type Divide = (slice: Slice, width: number) => Promise<Slice[]>;

export class TimeOrder {
  readonly dated: number;
  readonly undated: number;
  private readonly root: Slice[];
  private readonly undatedSegments: readonly SegmentInfo[];
  private readonly whole: boolean;

  /**
   * @param slices in order of time, disjoint.
   * @param whole each slice is every row of its segments.
   */
  constructor(
    slices: readonly Slice[],
    undated: { count: number; segments: readonly SegmentInfo[] },
    whole: boolean,
  ) {
    this.whole = whole;
    this.root = numbered(slices, 0);
    this.dated = slices.reduce((sum, { count }) => sum + count, 0);
    this.undated = undated.count;
    this.undatedSegments = undated.segments;
  }

  /** The pieces that hold numbers `from` to `to`, in order. */
  async pieces(from: number, to: number, divide: Divide): Promise<Piece[]> {
    const out: Piece[] = [];
    const end = Math.min(to, this.dated);
    if (from < end) {
      const leaves: Slice[] = [];
      await this.leaves(this.root, from, end, divide, leaves);
      let run: Slice[] = [];
      const flush = () => {
        const [first] = run;
        const last = run.at(-1);
        if (first === undefined || last === undefined) return;
        const skip = Math.max(from - first.start, 0);
        out.push({
          segments: [...new Set(run.flatMap(({ segments }) => segments))],
          part: { from: first.from, to: last.to },
          offset: skip,
          count: Math.min(end, last.start + last.count) - first.start - skip,
          backwards: false,
        });
        run = [];
      };
      const isWhole = (slice: Slice) => this.whole && this.root.includes(slice);
      // Neighbours are read together, but not across a day's end: days have segments of their own.
      for (const leaf of leaves) {
        const edge = isWhole(leaf) ? edgePiece(leaf, from, end) : undefined;
        if (edge !== undefined) {
          flush();
          out.push(edge);
          continue;
        }
        if (run[0] !== undefined && run[0].segments !== leaf.segments) flush();
        run.push(leaf);
      }
      flush();
    }
    if (to > this.dated) {
      const offset = Math.max(from - this.dated, 0);
      const count = Math.min(to - this.dated, this.undated) - offset;
      if (count > 0)
        out.push({
          segments: this.undatedSegments,
          part: 'undated',
          offset,
          count,
          backwards: false,
        });
    }
    return out;
  }

  /** How many slices there may be is bounded by what was looked at. */
  private async leaves(
    slices: Slice[],
    from: number,
    to: number,
    divide: Divide,
    out: Slice[],
  ): Promise<void> {
    let at = firstEndingAfter(slices, from);
    for (; at < slices.length; at++) {
      const slice = slices[at]!;
      if (slice.start >= to) return;
      const isEdge = this.whole && slices === this.root && edgePiece(slice, from, to) !== undefined;
      const parts = isEdge ? undefined : await this.within(slice, divide);
      if (parts === undefined) out.push(slice);
      else await this.leaves(parts, from, to, divide, out);
    }
  }

  private async within(slice: Slice, divide: Divide): Promise<Slice[] | undefined> {
    if (slice.parts !== undefined) return slice.parts;
    const span = slice.to - slice.from;
    if (slice.count <= MOST_ROWS || span <= 1) return undefined;
    const parts = Math.min(Math.max(Math.ceil(slice.count / ROWS), 2), MOST_PARTS);
    const found = await divide(slice, Math.max(1, Math.ceil(span / parts)));
    slice.parts = numbered(found, slice.start);
    return slice.parts;
  }

  /** How many events are before `ts`; `count` counts those in a slice. */
  async before(
    ts: EpochMicros,
    divide: Divide,
    count: (slice: Slice) => Promise<number>,
  ): Promise<number> {
    let slices = this.root;
    let passed = 0;
    for (;;) {
      const slice = slices.find(({ to }) => to > ts);
      if (slice === undefined) {
        const last = slices.at(-1);
        return last === undefined ? passed : last.start + last.count;
      }
      if (slice.from >= ts) return slice.start;
      passed = slice.start;
      const parts = await this.within(slice, divide);
      if (parts === undefined) return passed + (await count(slice));
      slices = parts;
    }
  }
}

/** Numbers `from` to `to` as far as they are in a slice of whole segments, near one of its ends. */
function edgePiece({ segments, start, count }: Slice, from: number, to: number): Piece | undefined {
  const low = Math.max(from, start);
  if (segments.length > MOST_EDGES) return undefined;
  const high = Math.min(to, start + count);
  const head = high - start;
  const tail = start + count - low;
  if (head <= EDGE)
    return {
      ...{ segments, edge: { end: 'first', rows: head }, offset: low - start },
      ...{ count: high - low, backwards: false },
    };
  if (tail > EDGE) return undefined;
  return {
    ...{ segments, edge: { end: 'last', rows: tail }, offset: start + count - high },
    ...{ count: high - low, backwards: true },
  };
}

function numbered(slices: readonly Slice[], start: number): Slice[] {
  let next = start;
  return slices.map((slice) => {
    const own = { ...slice, start: next };
    next += slice.count;
    return own;
  });
}

function firstEndingAfter(slices: readonly Slice[], number: number): number {
  let low = 0;
  let high = slices.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const { start, count } = slices[middle]!;
    if (start + count <= number) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Every event of a list by its segment and number. */
export class RowOrder {
  readonly segments: Int32Array;
  readonly rows: Float64Array;
  /** NaN: undated. */
  readonly times: Float64Array;

  constructor(found: readonly { segment: number; row: number; ts: number | undefined }[]) {
    this.segments = Int32Array.from(found, ({ segment }) => segment);
    this.rows = Float64Array.from(found, ({ row }) => row);
    this.times = Float64Array.from(found, ({ ts }) => ts ?? NaN);
  }

  get length(): number {
    return this.rows.length;
  }

  /** The place of the earliest event at or after `ts`; undefined when there is none. */
  firstAt(ts: EpochMicros): number | undefined {
    let best: number | undefined;
    for (let at = 0; at < this.times.length; at++) {
      const time = this.times[at]!;
      if (time >= ts && (best === undefined || time < this.times[best]!)) best = at;
    }
    return best;
  }
}
