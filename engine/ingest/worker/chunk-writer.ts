/**
 * The event sink of an import worker: takes batches, assigns their rows to days, stores them in parts, and cuts
 * chunks. A chunk holds whole rows of one or more sources and the state of those sources at that point, so that the
 * coordinator can commit it as one.
 *
 * A source that is read again to resume an import emits the same rows in the same order; those already in the case
 * are skipped by count.
 */
import { BATCH_BYTES, BATCH_ROWS, EventBatch } from '../../columns/event-batch.ts';
import type { BreakState } from '../../contract/errors.ts';
import type { ByteOffset, EpochMicros, Kind } from '../../contract/event.ts';
import type { EventSink } from '../../evidence/importer.ts';
import { clockErrorOf } from '../../contract/time/clock.ts';
import { GIVEN, type Decisions } from '../../contract/time/decisions.ts';
import type { Cutter } from '../../fields/cutting/cutter.ts';
import { shippedCutter } from '../../fields/cutting/extractors.ts';
import { type BatchRows, rowList, rowSpan } from '../../store/parts/batch-rows.ts';
import type { DayParts, DayRows, SourceRows } from './day-parts.ts';
import type { PartInfo, SkipPlan, SourceState } from './protocol.ts';
import { emptySourceState } from './source-state.ts';

const DAY_MICROS = 86_400_000_000;
const UNDATED = Number.NaN;
/** Maximum number of raw bytes kept of a quarantined record; its full length is recorded as well. */
const MAX_QUARANTINED_BYTES = 1 << 20;
const MAX_NOTES = 100;
/** With more attribute names than this, the next source starts with none. */
const MAX_IDLE_ATTRIBUTES = 64;
/** Capacity of the first batch of a small source: one row for this many bytes, and a minimum number of rows. */
const BYTES_A_ROW = 32;
const LEAST_BATCH_ROWS = 512;
/**
 * The same from the second source on. Small ones share batches: each batch is a row group of every column, which costs
 * as much for 200 rows as for 16,384.
 */
const SHARED_BATCH_ROWS = 16_384;
const BATCH = { rows: BATCH_ROWS, bytes: BATCH_BYTES } as const;

export interface Chunk {
  parts: PartInfo[];
  /** Current states: further reading changes them. */
  sources: SourceState[];
  quarantine: Uint8Array;
}

export interface ChunkLimits {
  rows: number;
  /** Bytes of parts. */
  bytes: number;
  /** Bytes of texts as read. */
  textBytes: number;
  ms: number;
}

/** The UTC day of a time, as `2026-11-21`; `undated` for NaN. */
function dayOf(micros: EpochMicros): string {
  if (Number.isNaN(micros)) return 'undated';
  return dayName(Math.floor(micros / DAY_MICROS));
}
function dayName(epochDay: number): string {
  return new Date(epochDay * 86_400_000).toISOString().slice(0, -14);
}

/** Rows of a batch that were counted for their sources, and are stored with those that come after them. */
interface SettledRows {
  /** How many, those that are not stored among them. */
  until: number;
  /** Rows that are stored, and the first of them. */
  readonly sources: SourceRows[];
  first: number;
}

/** Counts what a source has yielded so far. */
class SourceProgress {
  readonly state: SourceState;
  readonly skip: SkipPlan | undefined;
  /** Number of leading rows, by kind, that equal another source's. */
  readonly duplicateRows: Record<string, number>;
  readonly startedAt = performance.now();

  constructor(sourceId: number, skip: SkipPlan | undefined) {
    this.skip = skip;
    this.duplicateRows = { ...skip?.duplicate?.rows };
    this.state = emptySourceState(sourceId);
  }

  /**
   * Whether previously committed rows are still being read again.
   * @param waiting rows of a kind that are not counted yet
   */
  replaying(waiting: (kind: string) => number = () => 0): boolean {
    const resume = this.skip?.resume;
    if (resume === undefined) return false;
    if (this.state.quarantineMet < resume.quarantined) return true;
    for (const kind in resume.rows) {
      const met = (this.state.emitted[kind] ?? 0) + waiting(kind);
      if (met < resume.rows[kind]!) return true;
    }
    return false;
  }
}

export class ChunkWriter implements EventSink {
  private readonly limits: ChunkLimits;
  private readonly batches = new Map<Kind, EventBatch>();
  private readonly touched = new Map<number, SourceProgress>();
  private readonly quarantined: string[] = [];
  private current: SourceProgress | undefined;
  private currentName = '';
  /** Clock error of the current source, in microseconds. */
  private clockError = 0;
  private readonly batchLimits: { readonly rows: number; readonly bytes: number };
  private batchRows: number;
  private readonly parts: DayParts;
  private readonly cutter: Cutter;
  private rows = 0;
  private bytes = 0;
  private textBytes = 0;
  private startedAt = performance.now();
  /** Rows of batches that the last cut left for a later chunk, and the time since when there are any. */
  private readonly left = new Map<EventBatch, number>();
  private leftSince = 0;
  private readonly settled = new Map<EventBatch, SettledRows>();
  private hasBegun = false;
  /** Rows taken since the start, for progress. */
  totalRows = 0;
  /** Set by the reader: called between blocks, may cut a chunk. */
  onDrain: (consumed: ByteOffset) => Promise<void> | undefined = () => undefined;

  /** @param batch maximum number of rows and bytes in a batch */
  constructor(
    limits: ChunkLimits,
    parts: DayParts,
    batch: { readonly rows: number; readonly bytes: number } = BATCH,
    cutter: Cutter = shippedCutter(),
  ) {
    this.batchLimits = batch;
    this.batchRows = batch.rows;
    this.limits = limits;
    this.parts = parts;
    this.cutter = cutter;
  }

  // -- one source ------------------------------------------------------------------------------

  /**
   * @param bytes size of its content, if known: a small source does not need room for a whole row group
   * @param clock the error of the clock that timestamped it
   */
  begin(
    sourceId: number,
    name: string,
    skip: SkipPlan | undefined,
    bytes?: number,
    clock?: string,
  ): SourceState {
    const least = this.hasBegun ? SHARED_BATCH_ROWS : LEAST_BATCH_ROWS;
    this.hasBegun = true;
    this.batchRows = Math.min(
      this.batchLimits.rows,
      Math.max(least, Math.ceil((bytes ?? Infinity) / BYTES_A_ROW)),
    );
    for (const [kind, batch] of this.batches) {
      batch.currentSource = sourceId;
      batch.isDerived = false;
      if (batch.attributes.size <= MAX_IDLE_ATTRIBUTES && batch.capacity >= this.batchRows)
        continue;
      this.flushBatch(batch);
      this.batches.delete(kind);
    }
    this.current = new SourceProgress(sourceId, skip);
    this.clockError = clockErrorOf(clock);
    if (clock !== undefined) this.decide({ clock, clockBasis: GIVEN });
    this.currentName = name;
    this.touched.set(sourceId, this.current);
    return this.current.state;
  }

  /** Ends the current source; its last rows are in the next chunk. */
  end(): void {
    for (const batch of this.batches.values()) this.settle(batch);
    const current = this.source();
    current.state.elapsedMs = performance.now() - current.startedAt;
    this.current = undefined;
  }

  private source(): SourceProgress {
    if (this.current === undefined) throw new Error('no source is being read');
    return this.current;
  }

  batch(kind: Kind): EventBatch {
    let batch = this.batches.get(kind);
    if (batch === undefined) {
      batch = new EventBatch(
        kind,
        (full) => this.flushBatch(full),
        this.batchRows,
        this.batchLimits.bytes,
      );
      batch.currentSource = this.source().state.sourceId;
      this.batches.set(kind, batch);
    }
    return batch;
  }

  record(n: number): void {
    const { state } = this.source();
    state.read += n;
    state.stored += n;
  }

  quarantine(offset: ByteOffset, reason: string, raw: Uint8Array, line?: number): void {
    const { state, skip } = this.source();
    state.read += 1;
    const met = state.quarantineMet++;
    if (met < (skip?.duplicate?.quarantined ?? 0)) {
      state.duplicate += 1;
      return;
    }
    state.quarantined += 1;
    if (met < (skip?.resume?.quarantined ?? 0)) return;
    this.quarantined.push(
      JSON.stringify({
        source: this.currentName,
        sourceId: state.sourceId,
        offset,
        ...(line === undefined ? {} : { line }),
        reason,
        length: raw.length,
        raw: Buffer.from(raw.subarray(0, MAX_QUARANTINED_BYTES)).toString('base64'),
      }),
    );
    this.bytes += Math.min(raw.length, MAX_QUARANTINED_BYTES) * 1.4;
  }

  skip(reason: string, n: number): void {
    if (n === 0) return;
    const { state } = this.source();
    state.read += n;
    state.skippedReasons[reason] = (state.skippedReasons[reason] ?? 0) + n;
  }

  note(text: string): void {
    const { notes } = this.source().state;
    if (notes.length < MAX_NOTES && !notes.includes(text)) notes.push(text);
  }

  broken(state: BreakState, offset: ByteOffset, reason: string): void {
    this.source().state.broken ??= { state, offset, reason };
  }

  metadata(key: string, value: unknown): void {
    this.source().state.metadata[key] = value;
  }

  decide(decisions: Decisions): void {
    Object.assign(this.source().state.decisions, decisions);
  }

  drain(consumed: ByteOffset): Promise<void> | undefined {
    return this.onDrain(consumed);
  }

  // -- chunks ----------------------------------------------------------------------------------

  /** Whether there is enough for a chunk. */
  get due(): boolean {
    // Cases of earlier versions may have flows that were committed before their packets: new rows may thus arrive
    // while others are still skipped. A chunk with them could not state its source's position, and they would be
    // stored again.
    const waiting = (kind: string): number => this.unsettled(this.batches.get(kind as Kind));
    if (!this.any || this.current?.replaying(waiting) === true) return false;
    return this.full || performance.now() - this.startedAt >= this.limits.ms;
  }

  /** Whether the chunk has reached its maximum size. */
  get full(): boolean {
    const { rows, bytes, textBytes } = this.limits;
    const isFull = this.waiting >= rows || this.bytes >= bytes || this.textBytes >= textBytes;
    return this.any && isFull;
  }

  private get any(): boolean {
    return this.waiting > 0 || this.quarantined.length > 0;
  }

  /** Number of rows that are in no chunk yet, without those that may wait. */
  private get waiting(): number {
    let rows = this.rows;
    for (const batch of this.batches.values()) rows += batch.length - (this.left.get(batch) ?? 0);
    return rows;
  }

  /**
   * Closes the parts and returns the chunk; undefined if there is nothing to commit.
   * @param goesOn the current source continues immediately: a chunk that is full need not contain everything
   */
  cut(goesOn = false): Chunk | undefined {
    if (goesOn && this.full) this.flushMost();
    else this.flushBatches();
    const isEmpty = this.rows === 0;
    const parts = isEmpty ? [] : this.parts.finish();
    const sources: SourceState[] = [];
    for (const [id, progress] of this.touched) {
      if (!progress.replaying() || progress.state.done !== undefined) {
        if (progress === this.current) {
          progress.state.elapsedMs = performance.now() - progress.startedAt;
        }
        sources.push(progress.state);
      }
      if (progress !== this.current) this.touched.delete(id);
    }
    const quarantine = Buffer.from(
      this.quarantined.length === 0 ? '' : `${this.quarantined.join('\n')}\n`,
    );
    this.quarantined.length = 0;
    this.rows = 0;
    this.bytes = 0;
    this.textBytes = 0;
    this.startedAt = performance.now();
    if (isEmpty && sources.length === 0) return undefined;
    return { parts, sources, quarantine };
  }

  /** Drops what was not cut, for a cancelled or failed import. */
  abandon(): void {
    for (const batch of this.batches.values()) batch.clear();
    this.left.clear();
    this.settled.clear();
    this.touched.clear();
    this.current = undefined;
    this.quarantined.length = 0;
    this.rows = 0;
    this.bytes = 0;
    this.textBytes = 0;
    this.parts.abandon();
  }

  private flushBatches(): void {
    for (const batch of this.batches.values()) this.flushBatch(batch);
  }

  /**
   * Passes on the rows for a chunk. A few derived rows are left for the next chunk, as long as those fit in the
   * batch: otherwise each chunk would make a small segment of them, all of which would have to be merged in the
   * end.
   */
  private flushMost(): void {
    const now = performance.now();
    if (this.left.size === 0) this.leftSince = now;
    const mayWait = now - this.leftSince < this.limits.ms && !this.source().replaying();
    for (const batch of this.batches.values()) {
      const more = batch.length - (this.left.get(batch) ?? 0);
      // The next chunk may have more of them than this one.
      const isFew = batch.length + 2 * more <= batch.capacity;
      // Those of sources that have ended belong to this chunk.
      if (mayWait && batch.isDerived && isFew && !this.settled.has(batch))
        this.left.set(batch, batch.length);
      else this.flushBatch(batch);
    }
  }

  /** Hands the rows of a batch on to the parts of their days. */
  private flushBatch(batch: EventBatch): void {
    this.settle(batch);
    const settled = this.settled.get(batch);
    if (settled === undefined) return;
    const { sources, first } = settled;
    if (sources.length > 0) {
      this.textBytes += batch.textBytes;
      this.cutter.cut(batch, first);
      this.bytes += this.parts.add(batch, sources);
      for (const { days } of sources) for (const { rows } of days) this.rows += rows.to - rows.from;
    }
    this.settled.delete(batch);
    batch.clear();
  }

  /** Counts the rows of `batch` that are not counted yet for the current source. */
  private settle(batch: EventBatch): void {
    this.left.delete(batch);
    const settled = this.settled.get(batch) ?? { until: 0, sources: [], first: 0 };
    const { until, sources } = settled;
    const n = batch.length;
    if (n === until) return;
    this.settled.set(batch, settled);
    batch.correctClock(this.clockError, until);
    const from = this.leaveOut(batch, until);
    if (from < n) {
      if (sources.length === 0) settled.first = from;
      sources.push({ source: this.source().state.sourceId, days: this.daysOf(batch, from) });
    }
    settled.until = n;
    this.totalRows += n - until;
  }

  private unsettled(batch: EventBatch | undefined): number {
    return batch === undefined ? 0 : batch.length - (this.settled.get(batch)?.until ?? 0);
  }

  /**
   * Counts the rows of `batch` from `start` on for their source.
   * @returns the first of them that is not in the case yet
   */
  private leaveOut(batch: EventBatch, start: number): number {
    const { state, skip, duplicateRows } = this.source();
    const before = state.emitted[batch.kind] ?? 0;
    const n = batch.length - start;
    state.emitted[batch.kind] = before + n;
    if (skip === undefined) return start;
    let duplicates = Math.min(n, Math.max(0, (duplicateRows[batch.kind] ?? 0) - before));
    if (skip.duplicate !== undefined) {
      // A record that extends beyond the equal bytes is a different record, and so is one whose time was decided
      // differently (the year of a log without years, say): it and all that follow are stored.
      const { extent, firstTs = -Infinity, lastTs = Infinity } = skip.duplicate;
      const { offset, record_length: length, ts } = batch;
      for (let i = 0; i < duplicates; i++) {
        const row = start + i;
        const reaches = offset.values[row]! + length.values[row]!;
        const time = ts.present[row] === 1 ? ts.values[row]! : firstTs;
        if (reaches <= extent && time >= firstTs && time <= lastTs) continue;
        duplicates = i;
        duplicateRows[batch.kind] = before + i;
      }
      state.stored -= duplicates;
      state.duplicate += duplicates;
    }
    const committed = Math.min(n, Math.max(0, (skip.resume?.rows[batch.kind] ?? 0) - before));
    return start + Math.max(duplicates, committed);
  }

  /** The rows from `from` on by their days; notes the first and the last time of the current source. */
  private daysOf(batch: EventBatch, from: number): DayRows[] {
    const { values, present } = batch.ts;
    const n = batch.length;
    const { state } = this.source();
    let first = state.firstTs ?? Infinity;
    let last = state.lastTs ?? -Infinity;
    const span = spanOf(values, present, from, n);
    if (
      span !== undefined &&
      Math.floor(span.first / DAY_MICROS) === Math.floor(span.last / DAY_MICROS)
    ) {
      state.firstTs = Math.min(first, span.first);
      state.lastTs = Math.max(last, span.last);
      return [{ day: dayOf(span.first), rows: rowSpan(from, n) }];
    }
    // Rows of one day are mostly adjacent: handle one run after the other.
    const runs = new Map<number, number[]>();
    let day = UNDATED;
    let dayEnd = -Infinity;
    let bounds: number[] = [];
    for (let row = from; row < n; row++) {
      let value = UNDATED;
      if (present[row] === 1) {
        value = values[row]!;
        if (value < first) first = value;
        if (value > last) last = value;
        if (value < dayEnd && value >= dayEnd - DAY_MICROS) continue;
      } else if (Number.isNaN(day) && row > from) continue;
      bounds.push(row);
      day = Math.floor(value / DAY_MICROS);
      dayEnd = (day + 1) * DAY_MICROS;
      const known = runs.get(day);
      bounds = known ?? [];
      if (known === undefined) runs.set(day, bounds);
      bounds.push(row);
    }
    bounds.push(n);
    if (first !== Infinity) {
      state.firstTs = first;
      state.lastTs = last;
    }
    return Array.from(runs, ([number, ends]) => ({
      day: Number.isNaN(number) ? 'undated' : dayName(number),
      rows: rowsOf(ends),
    }));
  }
}

/** The first and last of the times from `from` to `to`; undefined if one is missing. */
function spanOf(
  values: Float64Array,
  present: Uint8Array,
  from: number,
  to: number,
): { first: EpochMicros; last: EpochMicros } | undefined {
  let first = Infinity;
  let last = -Infinity;
  for (let row = from; row < to; row++) {
    const value = values[row]!;
    if (present[row] === 0 || Number.isNaN(value)) return undefined;
    if (value < first) first = value;
    if (value > last) last = value;
  }
  return { first, last };
}

/** Rows between the bounds, which are alternately the beginning and end of a run. */
function rowsOf(bounds: readonly number[]): BatchRows {
  if (bounds.length === 2) return rowSpan(bounds[0]!, bounds[1]!);
  let n = 0;
  for (let i = 0; i < bounds.length; i += 2) n += bounds[i + 1]! - bounds[i]!;
  const list = new Uint32Array(n);
  let to = 0;
  for (let i = 0; i < bounds.length; i += 2)
    for (let row = bounds[i]!; row < bounds[i + 1]!; row++) list[to++] = row;
  return rowList(list);
}
