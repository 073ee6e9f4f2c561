/**
 * One pass over evidence with a query, without storing anything: importers fill batches, the filter selects rows,
 * and these are shown or go into the aggregating stage.
 *
 * Invariants: memory is bounded; reading stops when no more rows are wanted; unreadable records are counted, and
 * the first of them reported.
 */
import { NO_FIELDS } from '../query/plan/analyse.ts';
import { CancelledError, DaybookError, LimitError, SourceError } from '../contract/errors.ts';
import { EventBatch } from '../columns/event-batch.ts';
import { type ByteOffset, type Kind, PROTOCOL_KINDS } from '../contract/event.ts';
import type { EventSink, Importer, ReadOptions, SourceInput } from '../evidence/importer.ts';
import type { Decisions } from '../contract/time/decisions.ts';
import { CUT_COLUMNS, type Cutter } from '../fields/cutting/cutter.ts';
import { cutterWith } from '../fields/cutting/own-extractors.ts';
import { type Answer, shapeAnswer } from '../query/answers/answer.ts';
import { Params } from '../query/dialect/duckdb.ts';
import { buildTable, eventContext, gridOf } from '../query/plan/plan-tables.ts';
import { QueryError, didYouMean, shown } from '../query/syntax/query-error.ts';
import { outputsOf } from '../query/statements/statements.ts';
import type { TableColumn } from '../query/statements/relation.ts';
import { Budget } from '../query/batch/budget.ts';
import { filterColumns } from '../query/filters/filter.ts';
import { type ScanPlan, type ScanRequest, planScan } from './plan-scan.ts';
import { type Wanted, batchScope, computeAgain } from '../query/batch/batch-scope.ts';
import { overflowOf } from '../query/batch/row-scope.ts';
import { type ShownRows, shownRows } from './shown-columns.ts';
import { ATTRIBUTE_PREFIX, spellingOf } from '../query/batch/values/spelling.ts';
import type { BatchStage } from '../query/batch/stage.ts';
import { notesOfTotals, stageOperatorOf } from '../query/stages/stages.ts';
import { sorted } from '../query/batch/table.ts';
import { severalValues } from '../query/names/several-values.ts';

/** Rows of a batch: few enough that their columns stay near the processor. */
const SCAN_ROWS = 8192;
/** Rows that may wait to be shown before reading pauses. */
const MAX_WAITING = 4;
const MOST_QUARANTINED = 100;
const MOST_NOTES = 50;

/** Records read, and records that could not be read. */
export interface ScanLedger {
  read: number;
  stored: number;
  quarantined: number;
  skipped: number;
  /** Bytes of content. */
  bytes: number;
  /** The first of those that were quarantined. */
  readonly problems: { source: string; offset: ByteOffset; reason: string }[];
  /** Sources that were not read to their end. */
  readonly broken: { source: string; reason: string }[];
  readonly notes: string[];
}

interface ScanProgress {
  readonly bytes: number;
  readonly rows: number;
}

/** Batches that one source fills, each with the function that takes its rows. */
type Batches = Map<Kind, { batch: EventBatch; take: (() => void) | undefined }>;

/** Ends reading because enough was found; no error. */
class EnoughRead extends Error {}

export class Scan {
  readonly ledger: ScanLedger = {
    read: 0,
    stored: 0,
    quarantined: 0,
    skipped: 0,
    bytes: 0,
    problems: [],
    broken: [],
    notes: [],
  };
  readonly scanPlan: ScanPlan;
  /** Called every so often while reading. */
  onProgress: ((progress: ScanProgress) => void) | undefined;
  private readonly signal: AbortSignal | undefined;
  private readonly wanted: Wanted;
  private readonly stage: BatchStage | undefined;
  private readonly cutter: Cutter;
  private readonly clockError: number;
  private readonly columns: readonly TableColumn[];
  private readonly limit: number | undefined;
  private readonly unlisted: Set<string>;
  private readonly named = new Set<string>();
  /** Columns of texts and attributes that events had, by their kind. */
  private readonly columnsRead = new Map<Kind, Set<string>>();
  /** Sources whose flows may state one number of bytes for both ways. */
  private readonly totals = new Set<string>();
  private waiting: ShownRows[] = [];
  private wake: (() => void) | undefined;
  private resume: (() => void) | undefined;
  private shown = 0;
  private enough = false;

  /**
   * @param limit maximum number of rows in the result: counts are complete
   * @throws DaybookError query-syntax, unknown-field
   */
  constructor(request: ScanRequest, limit?: number, signal?: AbortSignal) {
    this.scanPlan = planScan(request);
    this.cutter = cutterWith(request.extractors ?? []);
    this.clockError = request.clockError ?? 0;
    this.signal = signal;
    const { plan, stage } = this.scanPlan;
    this.wanted = stage === undefined && plan.projection === undefined ? undefined : new Set();
    this.unlisted = new Set(plan.unlisted);
    const most = [plan.limit, limit].flatMap((one) => one ?? []);
    this.limit = most.length === 0 ? undefined : Math.min(...most);
    const grid = undefined;
    this.columns =
      stage === undefined ? [] : buildTable(this.scanPlan.first, new Params(), grid).columns;
    this.stage = this.makeStage();
    // Determines which columns are read, before reading.
    for (const kind of this.scanPlan.kinds) {
      const probe = new EventBatch(kind, () => undefined, 1);
      this.taker(probe);
      if (stage === undefined && this.wanted !== undefined)
        shownRows(probe, new Int32Array(0), 0, plan, this.wanted);
    }
  }

  /** Whether the query reads a column that extractors fill. */
  private get isCut(): boolean {
    const { wanted } = this;
    return wanted === undefined || CUT_COLUMNS.values().some((name) => wanted.has(name));
  }

  private makeStage(): BatchStage | undefined {
    const { stage, first } = this.scanPlan;
    if (stage === undefined) return undefined;
    const { resolve, extent, range, context } = first;
    return stageOperatorOf(stage).batches?.(stage, {
      ...{ resolve, extent, range, columns: this.columns, wanted: this.wanted },
      budget: new Budget(),
      zone: context.zone,
      grid: (matched) => gridOf(first, matched),
    });
  }

  /** The function that takes the rows of a batch each time it is full. */
  private taker(batch: EventBatch): () => void {
    const { filter, plan, kinds } = this.scanPlan;
    if (!kinds.has(batch.kind)) return () => undefined;
    const select = filterColumns(filter, batchScope(batch, this.wanted));
    const take = this.stage?.scoped(batch);
    const all = Int32Array.from({ length: batch.capacity }, (_, i) => i);
    const rows = new Int32Array(batch.capacity);
    return () => {
      const { length } = batch;
      rows.set(length === all.length ? all : all.subarray(0, length));
      const n = select(rows, length);
      if (n === 0) return;
      if (take !== undefined) take(rows, n);
      else this.show(batch, rows, n, plan);
    };
  }

  private show(batch: EventBatch, rows: Int32Array, n: number, plan: ScanPlan['plan']): void {
    const left = this.limit === undefined ? n : Math.min(n, this.limit - this.shown);
    if (left > 0) {
      this.shown += left;
      this.waiting.push(shownRows(batch, rows, left, plan, this.wanted));
      this.wake?.();
    }
    if (this.limit !== undefined && this.shown >= this.limit) this.enough = true;
  }

  /** Whether no more evidence need be read. */
  get done(): boolean {
    return this.enough || (this.stage === undefined && this.limit === 0);
  }

  /**
   * Reads one source through its importer. For shapes other than rows; `rows` returns rows. Intact parts of a
   * damaged source are read: `ledger.broken` reports it.
   * @throws DaybookError cancelled, source-damaged if nothing of it could be read, …
   */
  async read(
    importer: Importer,
    input: SourceInput,
    options: Omit<ReadOptions, 'packets' | 'flows' | 'protocols' | 'columns'>,
    source: number,
  ): Promise<void> {
    if (this.done) return;
    const { kinds, kindMentioned } = this.scanPlan;
    const { ledger } = this;
    const before = ledger.bytes;
    const readBefore = ledger.read;
    const batches: Batches = new Map();
    const sink = this.sink(batches, input.name, source);
    const flush = (): void => {
      for (const { batch } of batches.values()) this.full(batch, batches);
    };
    try {
      await importer.read(input, sink, {
        ...options,
        packets: kindMentioned ? kinds.has('packet') : true,
        flows: this.wantsFlows || this.wantsProtocols,
        protocols: this.wantsProtocols,
        ...(this.wanted === undefined ? {} : { columns: this.wanted }),
      });
    } catch (error) {
      if (error instanceof EnoughRead) return;
      flush();
      if (ledger.read === readBefore || !this.isBroken(error, input.name)) throw error;
      return;
    }
    flush();
    if (input.size !== undefined) ledger.bytes = before + input.size;
    for (const note of input.notes ?? []) sink.note(note);
  }

  /** Receives what an importer finds in a source. */
  private sink(batches: Batches, name: string, source: number): EventSink {
    const { ledger } = this;
    const before = ledger.bytes;
    return {
      batch: (kind) => {
        let known = batches.get(kind);
        if (known === undefined) {
          const batch = new EventBatch(kind, (filled) => this.full(filled, batches), SCAN_ROWS);
          batch.currentSource = source;
          known = { batch, take: undefined };
          batches.set(kind, known);
        }
        return known.batch;
      },
      record: (n) => {
        ledger.read += n;
        ledger.stored += n;
      },
      quarantine: (offset, reason) => {
        ledger.read += 1;
        ledger.quarantined += 1;
        if (ledger.problems.length < MOST_QUARANTINED)
          ledger.problems.push({ source: name, offset, reason });
      },
      skip: (_, n) => {
        ledger.read += n;
        ledger.skipped += n;
      },
      note: (text) => {
        if (ledger.notes.length < MOST_NOTES) ledger.notes.push(`${name}: ${text}`);
      },
      metadata: (key, value) => {
        if (key === 'totals' && Array.isArray(value) && value.includes('bytes'))
          this.totals.add(name);
      },
      decide: (_: Decisions) => undefined,
      drain: (consumed) => {
        ledger.bytes = before + consumed;
        this.onProgress?.({ bytes: ledger.bytes, rows: ledger.read });
        if (this.signal?.aborted === true) throw new CancelledError();
        if (this.done) throw new EnoughRead();
        if (this.stage !== undefined) return undefined;
        // A consumer of rows should not wait until a batch is full.
        for (const { batch } of batches.values()) if (batch.length > 0) this.full(batch, batches);
        if (this.done) throw new EnoughRead();
        if (this.waiting.length < MAX_WAITING) return undefined;
        return new Promise((resolve) => {
          this.resume = resolve;
        });
      },
    };
  }

  /** Filters the rows of a batch and empties it. */
  private full(batch: EventBatch, batches: Batches): void {
    const known = batches.get(batch.kind);
    spellingOf(batch).begin();
    batch.correctClock(this.clockError);
    if (this.isCut) this.cutter.cut(batch);
    computeAgain(batch, this.wanted);
    // Not before there are rows: by then it is known which columns have codes.
    if (known !== undefined) (known.take ??= this.taker(batch))();
    if (this.unlisted.size > 0) this.list(batch);
    this.noteColumns(batch);
    batch.clear();
  }

  /** Notes that a source is damaged, cut off or stopped by a limit; false for any other error. */
  isBroken(error: unknown, source: string): boolean {
    if (!(error instanceof SourceError) && !(error instanceof LimitError)) return false;
    this.ledger.broken.push({ source, reason: error.message });
    return true;
  }

  private get wantsFlows(): boolean {
    const { kinds, kindMentioned } = this.scanPlan;
    return kindMentioned && (kinds.has('flow') || this.wanted?.has('flow_id') === true);
  }

  /** Events of protocols, or their facts about flows. */
  private get wantsProtocols(): boolean {
    const { kinds, kindMentioned } = this.scanPlan;
    if (!kindMentioned) return false;
    if (PROTOCOL_KINDS.some((kind) => kinds.has(kind))) return true;
    return kinds.has('flow') && this.wanted?.has('service') !== false;
  }

  private noteColumns(batch: EventBatch): void {
    const known = this.columnsRead.get(batch.kind) ?? new Set();
    this.columnsRead.set(batch.kind, known);
    for (const name of batch.attributes.keys()) known.add(`${ATTRIBUTE_PREFIX}${name}`);
    for (const name of batch.coded.keys()) known.add(name);
    for (const [name, column] of batch.columns())
      if (column.type === 'text' && column.size > 0) known.add(name);
  }

  /** Notes on how it read the query, for people; call it after the end. */
  notes(): string[] {
    const { readings, stages, projection, resolve } = this.scanPlan.plan;
    const sets = [...this.columnsRead.values()];
    return [
      ...readings,
      ...notesOfTotals(stages, () => [...this.totals]),
      ...severalValues(stages, projection ?? [], sets, resolve),
    ];
  }

  /** Attributes that the query names are checked: one that nothing has is a mistake. */
  private list(batch: EventBatch): void {
    for (const name of [...this.unlisted]) {
      const lower = name.toLowerCase();
      for (const known of batch.attributes.keys())
        if (known.toLowerCase() === lower) this.unlisted.delete(name);
      for (let row = 0; row < batch.length && batch.overflow.size > 0; row++) {
        if (batch.overflow.present[row] !== 1) continue;
        if (Object.hasOwn(overflowOf(batch.overflow, row), name)) this.unlisted.delete(name);
      }
    }
    for (const coded of batch.coded.keys()) {
      if (!coded.startsWith(ATTRIBUTE_PREFIX)) continue;
      const known = coded.slice(ATTRIBUTE_PREFIX.length);
      this.named.add(known);
      for (const name of [...this.unlisted])
        if (name.toLowerCase() === known) this.unlisted.delete(name);
    }
    for (const known of batch.attributes.keys()) this.named.add(known);
  }

  /** @throws QueryError unknown-field if the query names something that none of the evidence has */
  private checkNames(): void {
    if (this.enough) return;
    for (const name of this.unlisted) {
      throw new QueryError(
        'unknown-field',
        `no event that was read has a field ${shown(name)}`,
        0,
        NO_FIELDS[name.toLowerCase()] ??
          didYouMean(name, [...this.named]) ??
          `put it in quotes to search for the text: "${name.slice(0, 40)}"`,
      );
    }
  }

  /**
   * Rows as they are found while `reading` runs.
   * @param reading reads all sources, by `read`
   */
  async *rows(reading: () => Promise<void>): AsyncGenerator<ShownRows> {
    let ended = false;
    let failure: unknown;
    const work = reading()
      .catch((error: unknown) => {
        failure = error ?? new DaybookError('internal', 'reading failed');
      })
      .finally(() => {
        ended = true;
        this.wake?.();
      });
    try {
      for (;;) {
        const next = this.waiting.shift();
        if (next !== undefined) {
          yield next;
          continue;
        }
        this.resume?.();
        this.resume = undefined;
        if (ended) break;
        await new Promise<void>((resolve) => {
          this.wake = resolve;
        });
        this.wake = undefined;
      }
    } finally {
      // Nobody wants more: reading must not wait for ever.
      this.enough ||= !ended;
      this.resume?.();
      this.waiting = [];
      await work;
    }
    if (failure !== undefined) throw failure;
    this.checkNames();
  }

  /** The answer of every other shape, when all sources have been read. */
  answer(zone: string): Answer {
    this.checkNames();
    const { plan, after } = this.scanPlan;
    if (this.stage === undefined) throw new TypeError('rows have no answer');
    const result = this.stage.finish();
    const names = { sources: plan.context.sources, tags: [] };
    const statement = { sql: '', params: [], grid: result.grid };
    if (after.length === 0 && result.raw !== undefined) {
      const timeline = plan.shape === 'timeline';
      const columns = timeline ? this.columns.slice(1) : this.columns;
      const { outputs } = outputsOf(columns, timeline ? 1 : 0);
      return shapeAnswer(plan, { ...statement, columns: outputs }, result.raw, names, zone);
    }
    let { table } = result;
    const { around } = eventContext(plan, [], new Params());
    for (const stage of after)
      table = stageOperatorOf(stage).batchTable?.(stage, table, around) ?? table;
    const { outputs } = outputsOf(table.columns, 0);
    const all = sorted(table).rows;
    // A number is not a row.
    const rows = plan.shape === 'count' ? all : all.slice(0, this.limit);
    return shapeAnswer(plan, { ...statement, columns: outputs }, rows, names, zone);
  }
}
