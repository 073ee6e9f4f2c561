/**
 * The parts of a chunk: rows by kind, written to Parquet files below `staging/` as they arrive, and sent to the
 * indexing threads. A day of which many rows arrive at once gets a part of its own; the others share one, so that
 * small sources of hundreds of days do not become a segment for each day.
 *
 * Invariant: rows of a day and kind that state their identity (`record_key`) are in one part of a chunk, where
 * duplicates among them are found.
 */
import { join } from 'node:path';
import type { EventBatch } from '../../columns/event-batch.ts';
import type { NumberColumn } from '../../columns/columns.ts';
import type { EpochMicros, Kind } from '../../contract/event.ts';
import {
  type DayCount,
  SPAN_OF_DENSE,
  WIDE_COLUMNS,
  denseRows,
  isUsual,
} from '../../util/segment-days.ts';
import { type BatchRows, countPresent, rowList, rowSpan } from '../../store/parts/batch-rows.ts';
import { ParquetPart } from '../../store/parts/parquet-part.ts';
import type { TimeUnit } from '../../store/table-layout.ts';
import type { IndexFeed } from '../indexing/index-feed.ts';
import type { PartInfo } from './protocol.ts';
import { rowsInOrder } from './row-order.ts';

/** Rows of a batch that belong to one day. */
export interface DayRows {
  readonly day: string;
  readonly rows: BatchRows;
}

/** Rows of a batch that are of one source. */
export interface SourceRows {
  readonly source: number;
  readonly days: readonly DayRows[];
}

interface OpenPart {
  part: ParquetPart;
  /** Its bytes that are counted. */
  bytes: number;
  /** Rows by day. */
  days: Map<string, number>;
  kind: Kind;
  times: PartTimes;
  sources: Map<number, number>;
  unflowedPackets: number;
}

/** Time statistics of a part's rows. */
interface PartTimes {
  readonly minTs: EpochMicros;
  readonly maxTs: EpochMicros;
  /** The coarsest unit of all its times. */
  readonly timeUnit: TimeUnit;
  /** Whether the rows arrive in the order of a segment. */
  readonly sorted: boolean;
  /** Time of the last row that has one. */
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
  private readonly denseRows = denseRows();
  /** By `DAY/KIND`. */
  private readonly ofDay = new Map<string, OpenPart>();
  /** By kind, for several days; separate for rows that state their identity. */
  private readonly shared = new Map<string, OpenPart>();
  /** Shared parts that take no more rows. */
  private readonly full: OpenPart[] = [];
  private number = 0;

  /**
   * @param prefix of file names
   * @param indexRows minimum number of rows of a part with an index
   * @param feed receives the rows of every part; undefined if no indexes are made
   */
  constructor(folder: string, prefix: string, indexRows: number, feed?: IndexFeed) {
    this.folder = folder;
    this.prefix = prefix;
    this.indexRows = indexRows;
    this.feed = feed;
  }

  /**
   * Stores rows of a batch; the batch is not read after it returns.
   * @returns the bytes by which the chunk grows
   */
  add(batch: EventBatch, sources: readonly SourceRows[]): number {
    const { kind } = batch;
    const { present } = batch.record_key;
    const hasKeys = present.subarray(0, batch.length).includes(1);
    const isKeyed = ({ days }: SourceRows): boolean =>
      hasKeys && days.some(({ rows }) => countPresent(present, rows) > 0);
    let bytes = 0;
    for (const [keyed, ofThem] of Map.groupBy(sources, isKeyed)) {
      const ofDays = new Map<OpenPart, SourceRows[]>();
      const shared: SourceRows[] = [];
      const sharedDays = new Set<string>();
      for (const { source, days } of ofThem) {
        const rest: DayRows[] = [];
        for (const one of days) {
          const isShared = keyed && sharedDays.has(one.day);
          const open = isShared ? undefined : this.partOfDay(kind, one, keyed);
          if (open === undefined) {
            rest.push(one);
            sharedDays.add(one.day);
            continue;
          }
          const others = ofDays.get(open);
          if (others === undefined) ofDays.set(open, [{ source, days: [one] }]);
          else others.push({ source, days: [one] });
        }
        if (rest.length > 0) shared.push({ source, days: rest });
      }
      for (const [open, rows] of ofDays) bytes += this.addRows(open, batch, rows);
      if (shared.length > 0) bytes += this.addRows(this.sharedPart(kind, keyed), batch, shared);
    }
    return bytes;
  }

  /** The part for rows of this day and kind only; undefined for rows that go to a shared part. */
  private partOfDay(kind: Kind, { day, rows }: DayRows, isKeyed: boolean): OpenPart | undefined {
    const key = `${day}/${kind}`;
    if (isKeyed && this.shared.get(sharedKey(kind, true))?.days.has(day) === true) return undefined;
    const known = this.ofDay.get(key);
    if (known !== undefined) return known;
    if (isUsual(day) && rows.to - rows.from < this.denseRows) return undefined;
    const open = this.beginPart(kind);
    this.ofDay.set(key, open);
    return open;
  }

  private sharedPart(kind: Kind, isKeyed: boolean): OpenPart {
    const key = sharedKey(kind, isKeyed);
    const known = this.shared.get(key);
    if (known !== undefined) {
      const { rows, width } = known.part;
      const isFull = rows >= this.denseRows * SPAN_OF_DENSE || width > WIDE_COLUMNS;
      // Rows that state their identity must not be in two parts.
      if (isKeyed || !isFull) return known;
      this.full.push(known);
    }
    const open = this.beginPart(kind);
    this.shared.set(key, open);
    return open;
  }

  /** Closes the parts: the chunk is complete. */
  finish(): PartInfo[] {
    const parts: PartInfo[] = [];
    for (const open of this.openParts()) {
      const { part } = open;
      part.finish();
      const { columns } = part;
      // Rows that are already in the case are removed before storing, which loses the order.
      const { minTs, maxTs, timeUnit } = open.times;
      const sorted = open.times.sorted && !columns.includes('record_key');
      const indexed = this.feed !== undefined && part.rows >= this.indexRows && !part.hasAlikeNames;
      parts.push({
        path: part.path,
        days: daysInOrder(open.days),
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
    this.clear();
    return parts;
  }

  private openParts(): OpenPart[] {
    return [...this.ofDay.values(), ...this.full, ...this.shared.values()];
  }

  private clear(): void {
    this.ofDay.clear();
    this.shared.clear();
    this.full.length = 0;
  }

  /** Drops the open parts. */
  abandon(): void {
    for (const { part } of this.openParts()) {
      part.abandon();
      this.feed?.drop(part.path);
    }
    this.clear();
  }

  /** Adds rows; returns their bytes. */
  private addRows(open: OpenPart, batch: EventBatch, sources: readonly SourceRows[]): number {
    const days = sources.flatMap((one) => one.days);
    // After a full batch, more rows would follow that belong between them, which only DuckDB can sort.
    const maySort = batch.length < batch.capacity;
    const { rows, times } = noted(open.times, batch, joined(days), maySort);
    open.times = times;
    const { part } = open;
    const n = rows.to - rows.from;
    if (batch.kind === 'packet') {
      open.unflowedPackets += n - countPresent(batch.flow_id.present, rows);
    }
    for (const { source, days: ofSource } of sources)
      for (const { day, rows: dayRows } of ofSource) {
        const count = dayRows.to - dayRows.from;
        open.sources.set(source, (open.sources.get(source) ?? 0) + count);
        open.days.set(day, (open.days.get(day) ?? 0) + count);
      }
    const cut = part.addRowGroup(batch, rows);
    this.feed?.add(part.path, batch, rows, cut, part.coded);
    const bytes = part.size - open.bytes;
    open.bytes = part.size;
    return bytes;
  }

  private beginPart(kind: Kind): OpenPart {
    const path = join(this.folder, `${this.prefix}-${this.number++}.parquet`);
    return {
      part: new ParquetPart(path),
      bytes: 0,
      days: new Map(),
      ...{ kind, times: NO_TIMES },
      sources: new Map(),
      unflowedPackets: 0,
    };
  }
}

function sharedKey(kind: Kind, isKeyed: boolean): string {
  return isKeyed ? `${kind}/keyed` : kind;
}

function daysInOrder(days: ReadonlyMap<string, number>): DayCount[] {
  return Array.from(days, ([day, rows]) => ({ day, rows })).sort((a, b) =>
    a.day < b.day ? -1 : 1,
  );
}

/** The rows of several days in the given order; as one span if they are adjacent. */
function joined(days: readonly DayRows[]): BatchRows {
  const first = days[0]!.rows;
  if (days.length === 1) return first;
  const isSpan = days.every(
    ({ rows }, i) => rows.list === undefined && (i === 0 || rows.from === days[i - 1]!.rows.to),
  );
  if (isSpan) return rowSpan(first.from, days.at(-1)!.rows.to);
  const list = new Uint32Array(days.reduce((sum, { rows }) => sum + rows.to - rows.from, 0));
  let to = 0;
  for (const { rows } of days)
    for (let i = rows.from; i < rows.to; i++)
      list[to++] = rows.list === undefined ? i : rows.list[i]!;
  return rowList(list);
}

/**
 * Rows to append to a part, sorted if `sort` is set and that sorts the part as a whole, and the part's new times.
 */
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

/** Index of the first row, from one on, that has no time or a time before that of the previous row. */
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

/** The coarsest unit of these times that is at least as fine as `before`. */
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

/** Computing the remainder of such large numbers takes ten times as long. */
function isMultiple(value: number, of: number): boolean {
  return Math.floor(value / of) * of === value;
}
