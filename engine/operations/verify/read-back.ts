/**
 * Reads events of a source from the evidence again, with the importer, options and decisions in the catalog, and
 * compares every field with the case. This finds what no hash can: a changed value in a segment whose hash was made
 * to fit, and an importer that behaves differently now.
 *
 * The events to compare are chosen by a hash of their number, so they are spread over all of the source and are the
 * same each time. Importers begin at the first byte: a source is read up to the last event to compare.
 */
import { EventBatch } from '../../columns/event-batch.ts';
import { clockErrorOf } from '../../contract/time/clock.ts';
import { CancelledError } from '../../contract/errors.ts';
import type { ByteOffset, Kind } from '../../contract/event.ts';
import type { EventSink, Importer, EvidenceItem, SourceInput } from '../../evidence/importer.ts';
import { inWholeLines } from '../../evidence/pieces.ts';
import type { Cutter } from '../../fields/cutting/cutter.ts';
import type { SegmentRow, SourceRow } from '../../catalog/index.ts';
import { type ImportOptions, readOptions } from '../../ingest/index.ts';
import { identifier, type Plain } from '../../store/index.ts';
import type { CaseSession } from '../../search/index.ts';
import {
  differences,
  emittedEvent,
  selected,
  storedEvent,
  type Difference,
  type EventValues,
} from './event-values.ts';
import { type Progress, reasonOf } from './findings.ts';

/** Events to compare of each source. */
export type SampleSize = number | 'all';

const BATCH_ROWS = 1024;
/** Number of events that are looked up in the case at once if all are compared. */
const LOOKED_UP = 20_000;
/** Events that are named of a source. */
const MOST_NAMED = 10;

export interface DifferentEvent {
  readonly seq: number;
  /** Empty value: the evidence, or the case, has no such event. */
  readonly differences: readonly Difference[];
  readonly absent?: 'in the evidence' | 'in the case';
}

export interface ReadBack {
  readonly compared: number;
  readonly differing: number;
  /** The first of those that differ. */
  readonly named: readonly DifferentEvent[];
  /** Why events were left out; undefined: all were compared. */
  readonly left: string | undefined;
}

interface ReadBackOptions {
  readonly sample: SampleSize;
  /** Segments that may be read. */
  readonly segments: readonly SegmentRow[];
  readonly importers: readonly Importer[];
  /** Uses the case's own extractors as well. */
  readonly cutter: Cutter;
  /** Events may have been deleted from the segments: events of the evidence may be missing. */
  readonly mayLack: boolean;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/** The events of a case that are compared with the evidence. */
export class StoredEvents {
  private readonly session: CaseSession;
  /** Number of events of each source in a segment. */
  private readonly counts = new Map<number, ReadonlyMap<number, number>>();
  /** Events of the sources that are next in a segment, by source and number. */
  private readonly prefetched = new Map<number, Map<number, Map<number, EventValues>>>();
  private held = 0;

  constructor(session: CaseSession) {
    this.session = session;
  }

  /** Number of events of a source in a segment. */
  async count(segment: SegmentRow, source: number, signal: AbortSignal): Promise<number> {
    let counts = this.counts.get(segment.id);
    if (counts === undefined) {
      const rows = await this.select(segment, 'source_id, count(*)', 'GROUP BY ALL', signal);
      counts = new Map(rows.map(([id, rows]) => [Number(id), Number(rows)]));
      this.counts.set(segment.id, counts);
    }
    return counts.get(source) ?? 0;
  }

  /**
   * Events of a source in a segment: at least those with a number from `first` to `last`. For a small source the
   * following ones are read as well: planning a statement on stored messages takes 0.1 s.
   */
  async between(
    segment: SegmentRow,
    { id: source, byKind }: SourceRow,
    first: number,
    last: number,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<number, EventValues>> {
    // Counts all its events, not just those in this segment: a source with many segments is looked up often.
    if (Object.values(byKind).reduce((sum, n) => sum + n, 0) > LOOKED_UP) {
      const where = `WHERE source_id = ${source} AND seq BETWEEN ${first} AND ${last}`;
      return eventsOf(segment, await this.rows(segment, where, signal));
    }
    const known = this.prefetched.get(segment.id)?.get(source);
    if (known !== undefined) return known;
    let total = await this.count(segment, source, signal);
    let end = source;
    for (const id of segment.sources.filter((id) => id > source).sort((a, b) => a - b)) {
      total += await this.count(segment, id, signal);
      if (total > LOOKED_UP) break;
      end = id;
    }
    const rows = await this.rows(segment, `WHERE source_id BETWEEN ${source} AND ${end}`, signal, [
      'source_id',
    ]);
    if (this.held > 2 * LOOKED_UP) {
      this.prefetched.clear();
      this.held = 0;
    }
    this.held += rows.length;
    const bySource = new Map(
      Map.groupBy(rows, (row) => Number(row.at(-1)))
        .entries()
        .map(([id, sources]) => [id, eventsOf(segment, sources)]),
    );
    this.prefetched.set(segment.id, bySource);
    return bySource.get(source) ?? new Map<number, EventValues>();
  }

  /** The columns of a segment, and more, of the rows that `where` leaves. */
  rows(
    segment: SegmentRow,
    where: string,
    signal: AbortSignal,
    more: readonly string[] = [],
  ): Promise<Plain[][]> {
    return this.select(segment, [selected(segment.columns), ...more].join(', '), where, signal);
  }

  private async select(
    segment: SegmentRow,
    columns: string,
    where: string,
    signal: AbortSignal,
  ): Promise<Plain[][]> {
    const { store } = this.session;
    const release = store.hold();
    try {
      await store.attach([segment]);
      return await store.rows(
        `SELECT ${columns} FROM ${identifier(`seg_${segment.id}`)}.events ${where}`,
        [],
        signal,
      );
    } finally {
      release();
    }
  }
}

function eventsOf(segment: SegmentRow, rows: readonly Plain[][]): Map<number, EventValues> {
  return new Map(
    rows.map((row) => {
      const event = storedEvent(segment.kind, segment.columns, row);
      return [event.seq, event];
    }),
  );
}

/** Compares events of `source` with the content from `evidence`, which is what was imported. */
export async function readBack(
  stored: StoredEvents,
  source: SourceRow,
  evidence: EvidenceItem,
  options: ReadBackOptions,
): Promise<ReadBack> {
  const importer = options.importers.find(({ id }) => id === source.importer);
  if (importer === undefined) return nothing(`there is no importer ${source.importer}`);
  if (importer.version !== source.importerVersion)
    return nothing(
      `it was read by version ${source.importerVersion} of the importer ${importer.id}; this Daybook has version ${importer.version}`,
    );
  const rows = new StoredRows(stored, source, options.segments);
  const wanted =
    options.sample === 'all' ? undefined : await rows.sample(options.sample, options.signal);
  if (wanted?.size === 0) return { compared: 0, differing: 0, named: [], left: undefined };
  const reader = new Comparison(rows, wanted, options, source);
  try {
    await importer.read(
      contentOf(source, evidence, importer.byLines === true),
      reader,
      readOptions(decidedOptions(source), source.format, undefined),
    );
  } catch (error) {
    if (!(error instanceof Enough)) reader.problem = reasonOf(error);
  }
  return reader.end(source.error === undefined && source.broken === undefined);
}

function nothing(left: string): ReadBack {
  return { compared: 0, differing: 0, named: [], left };
}

/** The options of the import, with later decisions: the zone, year and order of dates that its events have now. */
function decidedOptions({ decisions, options }: SourceRow): ImportOptions {
  const given = options as unknown as ImportOptions;
  return {
    ...given,
    timeZone: decisions.tz ?? given.timeZone,
    year: decisions.year ?? given.year,
    dateOrder: decisions.dateOrder ?? given.dateOrder,
    clock: decisions.clock ?? given.clock,
  };
}

/** The content as it was imported: a log may have grown since. */
function contentOf(
  { name, contentSize, modifiedMs }: SourceRow,
  evidence: EvidenceItem,
  byLines: boolean,
): SourceInput {
  const input = byLines ? inWholeLines(evidence.input) : evidence.input;
  if (!evidence.plain || contentSize === undefined) {
    return {
      ...{ name, size: input.size, modifiedMs },
      blocks: () => input.blocks(),
      ...(input.pieces === undefined ? {} : { pieces: () => input.pieces!() }),
    };
  }
  return {
    ...{ name, size: contentSize, modifiedMs },
    async *blocks() {
      let left = contentSize;
      for await (const block of input.blocks()) {
        const part = block.subarray(0, left);
        left -= part.length;
        if (part.length > 0) yield part;
        if (left === 0) return;
      }
    },
  };
}

/** Thrown when nothing more need be read. */
class Enough extends Error {}

/** Stored rows of a source. */
class StoredRows {
  private readonly stored: StoredEvents;
  private readonly source: SourceRow;
  private readonly segments: readonly SegmentRow[];

  constructor(stored: StoredEvents, source: SourceRow, segments: readonly SegmentRow[]) {
    this.stored = stored;
    this.source = source;
    this.segments = segments.filter((segment) => segment.sources.includes(source.id));
  }

  /** A number of events, chosen by their numbers, or all there are. */
  async sample(size: number, signal: AbortSignal): Promise<Map<number, EventValues>> {
    const total = Object.values(this.source.byKind).reduce((sum, n) => sum + n, 0);
    const step = Math.max(1, Math.floor(total / (2 * size)));
    const found: { order: bigint; event: EventValues }[] = [];
    for (const segment of this.segments) {
      const rows = await this.stored.rows(
        segment,
        `WHERE source_id = ${this.source.id} AND hash(seq) % ${step} = 0 ORDER BY hash(seq) LIMIT ${size}`,
        signal,
        ['hash(seq)::VARCHAR'],
      );
      for (const row of rows) {
        const event = storedEvent(segment.kind, segment.columns, row);
        found.push({ order: BigInt(String(row.at(-1))), event });
      }
    }
    found.sort((a, b) => (a.order < b.order ? -1 : 1));
    return new Map(found.slice(0, size).map(({ event }) => [event.seq, event]));
  }

  /** At least those of one kind with a number from `first` to `last`. */
  async between(
    kind: Kind,
    first: number,
    last: number,
    signal: AbortSignal,
  ): Promise<Map<number, EventValues>> {
    const out = new Map<number, EventValues>();
    for (const segment of this.segments) {
      if (segment.kind !== kind) continue;
      const events = await this.stored.between(segment, this.source, first, last, signal);
      for (const event of events.values()) out.set(event.seq, event);
    }
    return out;
  }

  async count(signal: AbortSignal): Promise<number> {
    let total = 0;
    for (const segment of this.segments)
      total += await this.stored.count(segment, this.source.id, signal);
    return total;
  }
}

/** Takes the events of a source from its importer. */
class Comparison implements EventSink {
  /** Why reading ended early. */
  problem: string | undefined;
  private readonly rows: StoredRows;
  /** Events to compare that have not arrived yet; undefined: all events are compared. */
  private readonly wanted: Map<number, EventValues> | undefined;
  private readonly options: ReadBackOptions;
  private readonly sourceId: number;
  private readonly cutter: Cutter;
  private readonly clockError: number;
  private readonly batches = new Map<Kind, EventBatch>();
  private readonly pending: EventValues[] = [];
  private readonly named: DifferentEvent[] = [];
  private compared = 0;
  private differing = 0;
  private consumed = 0;

  constructor(
    rows: StoredRows,
    wanted: Map<number, EventValues> | undefined,
    options: ReadBackOptions,
    source: SourceRow,
  ) {
    this.rows = rows;
    this.wanted = wanted;
    this.options = options;
    this.sourceId = source.id;
    this.cutter = options.cutter;
    this.clockError = clockErrorOf(decidedOptions(source).clock);
  }

  /** @param whole the import read the source to its end */
  async end(whole: boolean): Promise<ReadBack> {
    for (const batch of this.batches.values()) this.take(batch);
    await this.lookUp();
    let left = this.problem;
    // What was not read for a known reason is not missing.
    const complete = this.problem === undefined || !whole;
    if (complete && this.wanted !== undefined)
      for (const seq of this.wanted.keys())
        this.differs({ seq, differences: [], absent: 'in the evidence' });
    if (complete && this.wanted === undefined) {
      const stored = await this.rows.count(this.options.signal);
      for (let n = this.compared; n < stored; n++)
        this.differs({ seq: 0, differences: [], absent: 'in the evidence' });
    }
    if (whole === false && this.problem !== undefined && complete) left = undefined;
    return { compared: this.compared, differing: this.differing, named: this.named, left };
  }

  batch(kind: Kind): EventBatch {
    let batch = this.batches.get(kind);
    if (batch === undefined) {
      batch = new EventBatch(kind, (full) => this.take(full), BATCH_ROWS);
      batch.currentSource = this.sourceId;
      this.batches.set(kind, batch);
    }
    return batch;
  }

  private take(batch: EventBatch): void {
    const { wanted } = this;
    const seqs = batch.seq.values;
    batch.correctClock(this.clockError);
    this.cutter.cut(batch);
    for (let row = 0; row < batch.length; row++) {
      if (wanted === undefined) {
        this.pending.push(emittedEvent(batch, row));
        continue;
      }
      const stored = wanted.get(seqs[row]!);
      if (stored === undefined) continue;
      wanted.delete(seqs[row]!);
      this.compare(stored, emittedEvent(batch, row));
    }
    batch.clear();
  }

  async drain(consumed: ByteOffset): Promise<void> {
    if (this.options.signal.aborted) throw new CancelledError();
    this.options.progress.onBytes(consumed - this.consumed);
    this.consumed = consumed;
    if (this.wanted?.size === 0) throw new Enough();
    if (this.pending.length >= LOOKED_UP) await this.lookUp();
    // Yields to other work of this thread.
    await new Promise((resolve) => setImmediate(resolve));
  }

  private async lookUp(): Promise<void> {
    for (const [kind, events] of Map.groupBy(this.pending.splice(0), (event) => event.kind)) {
      const seqs = events.map(({ seq }) => seq);
      const first = seqs.reduce((a, b) => Math.min(a, b));
      const last = seqs.reduce((a, b) => Math.max(a, b));
      const stored = await this.rows.between(kind, first, last, this.options.signal);
      for (const event of events) {
        const found = stored.get(event.seq);
        if (found !== undefined) this.compare(found, event);
        else if (!this.options.mayLack)
          this.differs({ seq: event.seq, differences: [], absent: 'in the case' });
      }
    }
  }

  private compare(stored: EventValues, emitted: EventValues): void {
    this.compared += 1;
    const found = differences(stored, emitted);
    if (found.length > 0) this.differs({ seq: stored.seq, differences: found });
  }

  private differs(event: DifferentEvent): void {
    this.differing += 1;
    if (this.named.length < MOST_NAMED) this.named.push(event);
  }

  record(): void {
    // Counts are in the ledger.
  }
  quarantine(): void {
    // Likewise, and in the quarantine file.
  }
  skip(): void {
    // Likewise.
  }
  note(): void {
    // It is in the catalog.
  }
  metadata(): void {
    // Likewise.
  }
  decide(): void {
    // Reading uses the decisions in the catalog.
  }
}
