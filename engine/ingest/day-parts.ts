/**
 * The parts of a chunk: rows by day and kind, stored in files below `staging/` as they come, and told to the
 * threads that index them.
 */
import { join } from 'node:path';
import type { EventBatch, NumberColumn } from '../contract/event-batch.ts';
import type { EpochMicros, Kind } from '../contract/event.ts';
import { type BatchRows, countPresent } from '../store/batch-rows.ts';
import { ParquetPart } from '../store/parquet-part.ts';
import { constantsOf, selectedOf } from '../store/segment-file/write/draft.ts';
import { BLOCK, SMALL_BLOCK } from '../store/segment-blocks.ts';
import { MOST_SMALL_GROUPS, SegmentPart } from '../store/segment-part.ts';
import type { TimeUnit } from '../store/table-layout.ts';
import type { IndexFeed } from './index-feed.ts';
import type { PartInfo } from './protocol.ts';
import { rowsInOrder } from './row-order.ts';
import type { Loan } from './shared-memory.ts';

/** A part that begins with fewer rows DuckDB writes, but where all that is read is few small sources. */
const LEAST_SEGMENT_ROWS = 10_000;

export interface PartLimits {
  /** Rows that a part has at least to be indexed. */
  readonly indexRows: number;
  /** So many files are read: of few, small parts may be segments from the start, too. */
  readonly sources: number;
}

/** Of which source rows are. */
export interface RowsSource {
  readonly id: number;
  /** Of all its content. */
  readonly isSmall: boolean;
}

/** Rows of a batch that are of one day. */
export interface DayRows {
  readonly day: string;
  readonly rows: BatchRows;
}

/** Where the rows of a chunk go. */
export interface Parts {
  /**
   * Stores these rows; nothing of the batch is read once it returns.
   * @returns bytes by which the chunk grows
   */
  add(batch: EventBatch, source: RowsSource, days: readonly DayRows[]): number;
  /** Closes the parts: the chunk is whole. */
  finish(): PartInfo[] | Promise<PartInfo[]>;
  /** Forgets the parts that are open. */
  abandon(): void;
}

interface OpenPart {
  part: ParquetPart | SegmentPart;
  /** Bytes of it that are counted. */
  bytes: number;
  day: string;
  kind: Kind;
  times: PartTimes;
  sources: Map<number, number>;
  unflowedPackets: number;
}

/** What is known of the times of a part's rows. */
interface PartTimes {
  readonly minTs: EpochMicros;
  readonly maxTs: EpochMicros;
  /** The coarsest of all. */
  readonly timeUnit: TimeUnit;
  /** Whether the rows come in the order that a segment has them in. */
  readonly sorted: boolean;
  /** Of the last row that has a time. */
  readonly lastTs: number;
  readonly lastNanos: number;
  readonly lastSource: number;
  readonly lastSeq: number;
}

const NO_TIMES: PartTimes = {
  ...{ minTs: NaN, maxTs: NaN, timeUnit: 1_000_000, sorted: true },
  ...{ lastTs: -Infinity, lastNanos: 0, lastSource: 0, lastSeq: -Infinity },
};

export class DayParts implements Parts {
  private readonly folder: string;
  private readonly prefix: string;
  private readonly limits: PartLimits;
  private readonly feed: IndexFeed | undefined;
  private readonly open = new Map<string, OpenPart>();
  /** Parts that others of their day and kind have followed. */
  private readonly ended: OpenPart[] = [];
  private number = 0;

  /**
   * @param prefix of the names of files
   * @param feed told the rows of every part; none when there are to be no indexes
   */
  constructor(folder: string, prefix: string, limits: PartLimits, feed?: IndexFeed) {
    this.folder = folder;
    this.prefix = prefix;
    this.limits = limits;
    this.feed = feed;
  }

  /** @param loan what the batch lies in, if it was lent: then it is read until that has ended */
  add(batch: EventBatch, source: RowsSource, days: readonly DayRows[], loan?: Loan): number {
    let bytes = 0;
    for (const { day, rows } of days) bytes += this.addRows(batch, source, day, rows, loan);
    return bytes;
  }

  finish(): PartInfo[] {
    const parts: PartInfo[] = [];
    for (const open of [...this.ended, ...this.open.values()]) {
      const stored = finishPart(open);
      const { columns } = open.part;
      // Which of these rows are in the case already is asked before they are stored: that loses the order.
      const { minTs, maxTs, timeUnit } = open.times;
      const sorted = open.times.sorted && !columns.includes('record_key');
      const indexed =
        this.feed !== undefined &&
        open.part.rows >= this.limits.indexRows &&
        !(open.part instanceof ParquetPart && open.part.hasAlikeNames);
      parts.push({
        path: open.part.path,
        day: open.day,
        kind: open.kind,
        rows: open.part.rows,
        bytes: open.part.size,
        minTs: Number.isNaN(minTs) ? undefined : minTs,
        maxTs: Number.isNaN(maxTs) ? undefined : maxTs,
        sorted,
        sources: [...open.sources],
        columns,
        timeUnit,
        ...stored,
        unflowedPackets: open.unflowedPackets,
        indexed,
      });
      if (indexed) this.feed?.finish(open.part.path, sorted);
      else this.feed?.drop(open.part.path);
    }
    this.open.clear();
    this.ended.length = 0;
    return parts;
  }

  abandon(): void {
    for (const { part } of [...this.ended, ...this.open.values()]) {
      part.abandon();
      this.feed?.drop(part.path);
    }
    this.open.clear();
    this.ended.length = 0;
  }

  /** Adds rows of one day; gives their bytes. */
  private addRows(
    batch: EventBatch,
    source: RowsSource,
    day: string,
    given: BatchRows,
    loan: Loan | undefined,
  ): number {
    const key = `${day}/${batch.kind}`;
    let open = this.open.get(key);
    if (open?.part instanceof SegmentPart && open.part.block < BLOCK && !source.isSmall) {
      // What comes is too much for such small blocks.
      this.ended.push(open);
      open = undefined;
    }
    let { rows, times } = noted(
      open?.times ?? NO_TIMES,
      batch,
      given,
      this.maySort(open, batch, given, source),
    );
    const isFollowed =
      open?.part instanceof SegmentPart && !open.part.add(batch, rows, times.timeUnit);
    if (open !== undefined && isFollowed) {
      this.ended.push(open);
      open = undefined;
      ({ rows, times } = noted(NO_TIMES, batch, given, false));
    }
    if (open === undefined) {
      open = this.beginPart(batch, source, day, rows, times, !isFollowed);
      this.open.set(key, open);
    } else open.times = times;
    const { part } = open;
    const n = rows.to - rows.from;
    if (batch.kind === 'packet') {
      open.unflowedPackets += n - countPresent(batch.flow_id.present, rows);
    }
    open.sources.set(source.id, (open.sources.get(source.id) ?? 0) + n);
    const cut = part instanceof ParquetPart ? part.addRowGroup(batch, rows) : part.cut;
    this.feed?.add(part.path, batch, rows, cut, part.coded, loan);
    const bytes = part.size - open.bytes;
    open.bytes = part.size;
    return bytes;
  }

  /**
   * Whether rows out of order are to be sorted before they are added to a part, if that helps. Those of a full batch
   * are not, with which a part begins: more would follow that belong among them, which only DuckDB can sort.
   */
  private maySort(
    open: OpenPart | undefined,
    batch: EventBatch,
    { from, to }: BatchRows,
    source: RowsSource,
  ): boolean {
    if (open !== undefined) return open.part instanceof SegmentPart && open.times.sorted;
    return batch.length < batch.capacity && to - from >= this.leastSegmentRows(source);
  }

  /** Rows of a source that a segment begins with at least. */
  private leastSegmentRows({ isSmall }: RowsSource): number {
    return isSmall && this.limits.sources <= MOST_SMALL_GROUPS ? 1 : LEAST_SEGMENT_ROWS;
  }

  /** @param mayBeSegment the part may be one that is the segment itself: the rows are added to it, not to others */
  private beginPart(
    batch: EventBatch,
    source: RowsSource,
    day: string,
    rows: BatchRows,
    times: PartTimes,
    mayBeSegment: boolean,
  ): OpenPart {
    const path = join(this.folder, `${this.prefix}-${this.number++}`);
    const open = {
      part: new SegmentPart(
        `${path}.duckdb`,
        source.isSmall ? SMALL_BLOCK : BLOCK,
        this.limits.sources === 1,
      ),
      bytes: 0,
      day,
      kind: batch.kind,
      times,
      sources: new Map(),
      unflowedPackets: 0,
    } satisfies OpenPart;
    const isSegment =
      mayBeSegment &&
      times.sorted &&
      day !== 'undated' &&
      rows.to - rows.from >= this.leastSegmentRows(source) &&
      open.part.add(batch, rows, times.timeUnit);
    return isSegment ? open : { ...open, part: new ParquetPart(`${path}.parquet`) };
  }
}

/** Closes a part, and says how its rows are stored. */
function finishPart({
  part,
  times: { timeUnit },
}: OpenPart): Pick<PartInfo, 'draft' | 'selected' | 'constants' | 'messages' | 'rareMessages'> {
  if (part instanceof SegmentPart) {
    const draft = part.finish(timeUnit);
    return {
      draft,
      selected: selectedOf(draft),
      constants: constantsOf(draft),
      messages: part.cutMessages,
      rareMessages: draft.shapes === undefined,
    };
  }
  part.finish();
  return {
    draft: undefined,
    selected: part.selected,
    constants: part.constants(),
    messages: part.messages,
    rareMessages: part.hasRareMessages,
  };
}

/** Rows behind those of a part, put in order if `sort` and if then all are, and what the part's times become. */
function noted(
  before: PartTimes,
  batch: EventBatch,
  rows: BatchRows,
  sort: boolean,
): { rows: BatchRows; times: PartTimes } {
  const times = timesWith(before, batch, rows);
  if (times.sorted || !sort) return { rows, times };
  const ordered = rowsInOrder(batch, rows);
  const better = timesWith(before, batch, ordered);
  return better.sorted ? { rows: ordered, times: better } : { rows, times };
}

function timesWith(before: PartTimes, batch: EventBatch, { from, to, list }: BatchRows): PartTimes {
  const { ts, ts_ns: nanos, source_id: source, seq } = batch;
  let { minTs, maxTs, timeUnit, sorted, lastTs, lastNanos, lastSource, lastSeq } = before;
  let last = -1;
  for (let i = from; i < to; i++) {
    const end = list === undefined ? risingUntil(ts, i, to, lastTs) : i;
    if (end > i) {
      const first = ts.values[i]!;
      last = end - 1;
      lastTs = ts.values[last]!;
      lastNanos = nanos.present[last] === 1 ? nanos.values[last]! : 0;
      if (!(first >= minTs)) minTs = first;
      if (!(lastTs <= maxTs)) maxTs = lastTs;
      timeUnit = unitWith(timeUnit, ts.values, i, end);
      i = last;
      continue;
    }
    const row = list === undefined ? i : list[i]!;
    if (ts.present[row] === 0) continue;
    const value = ts.values[row]!;
    const rest = nanos.present[row] === 1 ? nanos.values[row]! : 0;
    if (value < lastTs || (value === lastTs && rest < lastNanos)) sorted = false;
    else if (value === lastTs && rest === lastNanos && sorted) {
      if (last >= 0) {
        lastSource = source.values[last]!;
        lastSeq = numberAt(seq, last);
      }
      const of = source.values[row]!;
      sorted = of > lastSource || (of === lastSource && numberAt(seq, row) >= lastSeq);
    }
    last = row;
    lastTs = value;
    lastNanos = rest;
    if (!(value >= minTs)) minTs = value;
    if (!(value <= maxTs)) maxTs = value;
    timeUnit = unitWith(timeUnit, ts.values, row, row + 1);
  }
  if (last >= 0) {
    lastSource = source.values[last]!;
    lastSeq = numberAt(seq, last);
  }
  return { minTs, maxTs, timeUnit, sorted, lastTs, lastNanos, lastSource, lastSeq };
}

/** The first row from one on that has no time, or none later than that of the row before. */
function risingUntil(
  { values, present }: NumberColumn,
  from: number,
  to: number,
  before: number,
): number {
  let last = before;
  for (let row = from; row < to; row++) {
    const value = values[row]!;
    if (!(value > last) || present[row] === 0) return row;
    last = value;
  }
  return to;
}

/** The coarsest unit of these times that is not coarser than `before`. */
function unitWith(
  before: TimeUnit,
  values: NumberColumn['values'],
  from: number,
  to: number,
): TimeUnit {
  let unit = before;
  for (let row = from; row < to && unit !== 1; row++) {
    const value = values[row]!;
    if (!isMultiple(value, unit)) unit = isMultiple(value, 1000) ? 1000 : 1;
  }
  return unit;
}

function numberAt({ values, present }: NumberColumn, row: number): number {
  return present[row] === 1 ? values[row]! : 0;
}

/** The remainder of such large numbers takes ten times as long to find. */
function isMultiple(value: number, of: number): boolean {
  return Math.floor(value / of) * of === value;
}
