/**
 * Positions in a list by time without reading the list: a tree of spans with their counts.
 *
 * Invariant: the order is time, nanoseconds, source, record; undated events last.
 */
import type { EpochMicros } from '../../../contract/event.ts';
import type { ListPart } from '../../../query/index.ts';

/** Events `offset` to `offset + count` of a part, in order of time. */
interface Piece {
  readonly part: NonNullable<ListPart['part']>;
  readonly offset: number;
  readonly count: number;
}

/** A span of time, half-open, with `count` events. */
export interface Span {
  readonly from: EpochMicros;
  readonly to: EpochMicros;
  readonly count: number;
}

/** A span, and the number of its first event. */
interface Slice extends Span {
  readonly start: number;
  /** Set once it was subdivided. */
  parts?: Slice[];
}

/** Spans with more events than this are divided before rows of them are read. */
const MOST_ROWS = 16_384;
/** Events that a part of a divided span should have. */
const ROWS = 4096;
const MOST_PARTS = 8192;

/** Events of a span in spans of `width`. */
type Divide = (span: Span, width: number) => Promise<Span[]>;

export class TimeOrder {
  readonly dated: number;
  readonly undated: number;
  private readonly root: Slice[];

  /** @param spans in order of time, disjoint. */
  constructor(spans: readonly Span[], undated: number) {
    this.root = numbered(spans, 0);
    this.dated = spans.reduce((sum, { count }) => sum + count, 0);
    this.undated = undated;
  }

  /** The pieces that hold numbers `from` to `to`, in order. */
  async pieces(from: number, to: number, divide: Divide): Promise<Piece[]> {
    const out: Piece[] = [];
    const end = Math.min(to, this.dated);
    if (from < end) {
      const leaves: Slice[] = [];
      await this.leaves(this.root, from, end, divide, leaves);
      const [first] = leaves;
      const last = leaves.at(-1);
      if (first !== undefined && last !== undefined) {
        const part = { from: first.from, to: last.to };
        out.push({ part, offset: from - first.start, count: end - from });
      }
    }
    const offset = Math.max(from - this.dated, 0);
    const count = Math.min(to - this.dated, this.undated) - offset;
    if (count > 0) out.push({ part: 'undated', offset, count });
    return out;
  }

  /** The number of slices is bounded by what was requested. */
  private async leaves(
    slices: Slice[],
    from: number,
    to: number,
    divide: Divide,
    out: Slice[],
  ): Promise<void> {
    for (let at = firstEndingAfter(slices, from); at < slices.length; at++) {
      const slice = slices[at]!;
      if (slice.start >= to) return;
      const parts = await this.within(slice, divide);
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

  /** Number of events before `ts`; `count` counts those in a span up to it. */
  async before(
    ts: EpochMicros,
    divide: Divide,
    count: (span: Span) => Promise<number>,
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

function numbered(spans: readonly Span[], start: number): Slice[] {
  let next = start;
  return spans.map(({ from, to, count }) => {
    const slice = { from, to, count, start: next };
    next += count;
    return slice;
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
