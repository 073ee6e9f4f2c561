/**
 * The parts of a chunk: rows by day and kind, written to Parquet files below `staging/` as they come, and sent to
 * the threads that index them.
 */
import { join } from 'node:path';
import type { EventBatch, NumberColumn } from '../contract/event-batch.ts';
import type { EpochMicros, Kind } from '../contract/event.ts';
import { type BatchRows, countPresent } from '../store/batch-rows.ts';
import { ParquetPart } from '../store/parquet-part.ts';
import type { TimeUnit } from '../store/table-layout.ts';
import type { IndexFeed } from './index-feed.ts';
import type { PartInfo } from './protocol.ts';
import { rowsInOrder } from './row-order.ts';

/** Rows of a batch that are of one day. */
export interface DayRows {
  readonly day: string;
  readonly rows: BatchRows;
}

interface OpenPart {
  part: ParquetPart;
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

export class DayParts {
  private readonly folder: string;
  private readonly prefix: string;
  private readonly indexRows: number;
  private readonly feed: IndexFeed | undefined;
  private readonly open = new Map<string, OpenPart>();
  private number = 0;

  /**
   * @param prefix of the names of files
   * @param indexRows rows that a part has at least to be indexed
   * @param feed told the rows of every part; none when there are to be no indexes
   */
  constructor(folder: string, prefix: string, indexRows: number, feed?: IndexFeed) {
    this.folder = folder;
    this.prefix = prefix;
    this.indexRows = indexRows;
    this.feed = feed;
  }

  /**
   * Stores rows of a source; nothing of the batch is read once it returns.
   * @returns bytes by which the chunk grows
   */
  add(batch: EventBatch, source: number, days: readonly DayRows[]): number {
    let bytes = 0;
    for (const { day, rows } of days) bytes += this.addRows(batch, source, day, rows);
    return bytes;
  }

  /** Closes the parts: the chunk is whole. */
  finish(): PartInfo[] {
    const parts: PartInfo[] = [];
    for (const open of this.open.values()) {
      const { part } = open;
      part.finish();
      const { columns } = part;
      // Which of these rows are in the case already is asked before they are stored: that loses the order.
      const { minTs, maxTs, timeUnit } = open.times;
      const sorted = open.times.sorted && !columns.includes('record_key');
      const indexed = this.feed !== undefined && part.rows >= this.indexRows && !part.hasAlikeNames;
      parts.push({
        path: part.path,
        day: open.day,
        kind: open.kind,
        rows: part.rows,
        bytes: part.size,
        minTs: Number.isNaN(minTs) ? undefined : minTs,
        maxTs: Number.isNaN(maxTs) ? undefined : maxTs,
        sorted,
        sources: [...open.sources],
        columns,
        counts: part.counts,
        timeUnit,
        selected: part.selected,
        constants: part.constants(),
        messages: part.messages,
        rareMessages: part.hasRareMessages,
        unflowedPackets: open.unflowedPackets,
        indexed,
      });
      if (indexed) this.feed?.finish(part.path, sorted);
      else this.feed?.drop(part.path);
    }
    this.open.clear();
    return parts;
  }

  /** Forgets the parts that are open. */
  abandon(): void {
    for (const { part } of this.open.values()) {
      part.abandon();
      this.feed?.drop(part.path);
    }
    this.open.clear();
  }

  /** Adds rows of one day; gives their bytes. */
  private addRows(batch: EventBatch, source: number, day: string, given: BatchRows): number {
    const key = `${day}/${batch.kind}`;
    let open = this.open.get(key);
    // Of a full batch more rows would follow that belong among them, which only DuckDB can sort.
    const maySort = batch.length < batch.capacity;
    const { rows, times } = noted(open?.times ?? NO_TIMES, batch, given, maySort);
    if (open === undefined) {
      open = this.beginPart(day, batch.kind, times);
      this.open.set(key, open);
    } else open.times = times;
    const { part } = open;
    const n = rows.to - rows.from;
    if (batch.kind === 'packet') {
      open.unflowedPackets += n - countPresent(batch.flow_id.present, rows);
    }
    open.sources.set(source, (open.sources.get(source) ?? 0) + n);
    const cut = part.addRowGroup(batch, rows);
    this.feed?.add(part.path, batch, rows, cut, part.coded);
    const bytes = part.size - open.bytes;
    open.bytes = part.size;
    return bytes;
  }

  private beginPart(day: string, kind: Kind, times: PartTimes): OpenPart {
    const path = join(this.folder, `${this.prefix}-${this.number++}.parquet`);
    return {
      part: new ParquetPart(path),
      bytes: 0,
      ...{ day, kind, times },
      sources: new Map(),
      unflowedPackets: 0,
    };
  }
}

/** Rows behind those of a part, put in order if `sort` and if then all are, and what the part's times become. */
function noted(
  before: PartTimes,
  batch: EventBatch,
  rows: BatchRows,
  sort: boolean,
): { rows: BatchRows; times: PartTimes } {
  const times = timesWith(before, batch, rows);
  if (times.sorted || !before.sorted || !sort) return { rows, times };
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
