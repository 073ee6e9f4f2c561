/**
 * Reads segments: one DuckDB instance per open case, to which segment files are attached read-only when a query
 * first needs them.
 *
 * Invariants: DuckDB can read only the case's `days` folder, write only its own spill folder, load no extension and
 * not be reconfigured; texts of queries reach it as parameters.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  DuckDBTimestampValue,
  DuckDBUUIDValue,
  type DuckDBConnection,
  type DuckDBValue,
} from '@duckdb/node-api';
import { mostSideFiles, openFileLimit } from '../../util/files/open-files.ts';
import { CancelledError, DaybookError } from '../../contract/errors.ts';
import { ListTables, type ListTable } from './list-tables.ts';
import type { MessageShape } from '../messages/message-cutter.ts';
import { ShapeCache } from '../messages/shape-cache.ts';
import { type Started, type StoreOptions, endInstance, startInstance } from './duckdb-instance.ts';
import {
  identifier,
  literal,
  segmentProblem,
  SPILLED,
  statementError,
  storeError,
} from '../segment-builder.ts';
import { type ResultChunk, resultChunks } from './result-chunks.ts';
import { segmentPath, type ExpectedFile } from '../segment-path.ts';
import {
  type NumberColumnName,
  type NumberedSegment,
  type SegmentNumbers,
  NumberCollector,
  numbersSql,
} from './segment-numbers.ts';

/** A value that can be bound; whole numbers beyond 32 bits are bigint. */
export type Bound = string | number | bigint | boolean | null;
/** A value of a result: times as UTC microseconds, UUIDs as text, lists as arrays. */
export type Plain = string | number | bigint | boolean | null | Plain[];

interface ResultBatch {
  /** One array per column, all of the same length. */
  columns: readonly (readonly Plain[])[];
  rows: number;
}

export interface SegmentFile extends ExpectedFile {
  id: number;
  /** Relative to the case folder. */
  file: string;
}

/** Limit of attached segments, each an open file; beyond it the least recently used are detached. */
const MAX_ATTACHED = 4000;
/** Open files besides those and side files: rollups, segments read without DuckDB, evidence, spill, sockets. */
const OTHER_FILES = 600;
/** Minimum number of attached segments if few files may be open. */
const LEAST_ATTACHED = 64;
/** Segments that one statement attaches: an urgent one has to wait for it. */
const AT_ONCE = 8;

/** A folder for statements to spill into, used by nothing else. */
interface Spill {
  readonly path: string;
  release(): void;
}

/** Why segments could not be attached, by id. */
type Failures = ReadonlyMap<number, unknown>;

export class SegmentStore {
  private readonly folder: string;
  private readonly options: StoreOptions;
  private opening: Promise<Started> | undefined;
  /** Attaching and detaching are serialised: a statement aborts another one on the same connection. */
  private administering: Promise<unknown> = Promise.resolve();
  private readonly idle: DuckDBConnection[] = [];
  /** Attached segments, most recently used last. */
  private readonly attached = new Map<number, string>();
  /** Segments being attached: each promise reports which segments of its statement failed. */
  private readonly attaching = new Map<number, Promise<Failures>>();
  private readonly shapes = new ShapeCache();
  private running = 0;
  /** Number of operations between preparing their segments and their last statement. */
  private holds = 0;
  /** Number of lists that show rows of a segment. */
  private readonly pins = new Map<number, number>();
  /** Marks are replaced one after the other, on a separate connection. */
  private marking: Promise<void> = Promise.resolve();
  /** Also tables of lists. */
  private listing: Promise<void> = Promise.resolve();
  private closed = false;
  /** Attached segments that were copied to memory, as schemas: their files are not open. */
  private readonly copied = new Set<number>();
  private readonly mostFiles: number;
  private readonly makeSpill: () => Spill | undefined;
  private spill: Spill | undefined;

  /** @param makeSpill makes a folder for spilling; undefined: none */
  constructor(
    folder: string,
    options: StoreOptions,
    makeSpill: () => Spill | undefined = () => undefined,
  ) {
    this.makeSpill = makeSpill;
    const limit = openFileLimit();
    const free = limit - mostSideFiles(limit) - OTHER_FILES;
    this.mostFiles = Math.min(MAX_ATTACHED, Math.max(LEAST_ATTACHED, free));
    this.folder = folder;
    this.options = options;
  }

  /** Starts what every first statement waits for, while the caller determines what it will read. */
  prepare(): void {
    this.started().catch(() => undefined);
  }

  private started(): Promise<Started> {
    // Nothing would close it.
    if (this.closed && this.opening === undefined) return Promise.reject(new CancelledError());
    if (this.opening === undefined) {
      const opening = this.open();
      this.opening = opening;
      // The reason why it could not be opened, such as a temporary lack of memory, may be gone at the next
      // question.
      opening.catch(() => {
        if (this.opening === opening) this.opening = undefined;
      });
    }
    return this.opening;
  }

  private async open(): Promise<Started> {
    const started = await startInstance(this.options);
    try {
      this.spill = this.makeSpill();
      // DuckDB makes it when it needs it, and removes it.
      const spill = this.spill && join(this.spill.path, SPILLED);
      const folders = [join(this.folder, 'days'), ...(spill === undefined ? [] : [spill])];
      await started.admin.run(
        [
          `SET temp_directory = ${literal(spill ?? '')}`,
          `SET allowed_directories = [${folders.map(literal).join(', ')}]`,
          'SET enable_external_access = false',
          'SET lock_configuration = true',
        ].join(';'),
      );
    } catch (error) {
      endInstance(started);
      this.releaseSpill();
      throw error;
    }
    return started;
  }

  /** Pending attachments are cancelled, and their callers get that error. */
  async close(): Promise<void> {
    this.closed = true;
    const started = await this.opening?.catch(() => undefined);
    if (started === undefined) return;
    for (const connection of this.idle) connection.closeSync();
    await this.marking;
    await this.listing;
    await this.administering;
    endInstance(started);
    this.releaseSpill();
  }

  private releaseSpill(): void {
    this.spill?.release();
    this.spill = undefined;
  }

  /** Nothing is detached until the returned function is called, once. */
  hold(): () => void {
    this.holds += 1;
    return () => {
      this.holds -= 1;
    };
  }

  /**
   * Keeps segments attached once they are, even if the case replaces them: lists that show their rows stay usable.
   * Call the returned function once to end that.
   */
  pin(segments: Iterable<number>): () => void {
    const ids = [...segments];
    for (const id of ids) this.pins.set(id, (this.pins.get(id) ?? 0) + 1);
    return () => {
      for (const id of ids) {
        const left = (this.pins.get(id) ?? 0) - 1;
        if (left > 0) this.pins.set(id, left);
        else this.pins.delete(id);
      }
    };
  }

  /** Whether an operation other than the caller's may be using attached segments. */
  inUse(): boolean {
    return this.running > 0 || this.holds > 1;
  }

  /**
   * Attaches missing segments and detaches those that no longer exist.
   * @throws DaybookError not-found if a segment's file is missing
   */
  async attach(segments: readonly SegmentFile[]): Promise<void> {
    const needed = new Set(segments.map(({ id }) => id));
    const missing = segments.filter(({ id }) => !this.attached.has(id)).length;
    if (!this.inUse()) {
      const copies = Math.max(0, needed.size - this.mostFiles);
      for (const id of [...this.attached.keys()]) {
        const tooMany = this.filesOpen + missing > this.mostFiles || this.copied.size > copies;
        if (!tooMany) break;
        if (!needed.has(id) && !this.pins.has(id)) await this.detach(id);
      }
    }
    await this.attachMissing(segments);
  }

  private get filesOpen(): number {
    return this.attached.size - this.copied.size;
  }

  /**
   * Starts attaching segments that will be read later, if there is room: none is detached for them. Errors are left
   * to the operation that reads the segments: it attaches them as well.
   */
  attachSoon(segments: readonly SegmentFile[]): void {
    if (this.filesOpen + segments.length > this.mostFiles) return;
    this.attachMissing(segments).catch(() => undefined);
  }

  private async attachMissing(segments: readonly SegmentFile[]): Promise<void> {
    await this.started();
    const missing = segments.filter(({ id, file }) => {
      if (this.attached.get(id) !== file) return true;
      this.attached.delete(id);
      this.attached.set(id, file);
      return false;
    });
    for (let at = 0; at < missing.length; at += AT_ONCE)
      await this.attachSome(missing.slice(at, at + AT_ONCE));
  }

  /** Another call may be attaching some of them already; its failures are reported there. */
  private async attachSome(segments: readonly SegmentFile[]): Promise<void> {
    const missing = segments.filter(
      ({ id, file }) => this.attached.get(id) !== file && !this.attaching.has(id),
    );
    if (missing.length > 0) {
      const done = this.attachTogether(missing).finally(() => {
        for (const { id } of missing) this.attaching.delete(id);
      });
      for (const { id } of missing) this.attaching.set(id, done);
    }
    const begun = segments.map(({ id }) => ({ id, done: this.attaching.get(id) }));
    for (const { id, done } of begun) {
      const failures = await done;
      if (failures?.has(id) === true) throw failures.get(id);
    }
  }

  private async attachTogether(segments: readonly SegmentFile[]): Promise<Failures> {
    if (this.filesOpen + segments.length > this.mostFiles) return this.attachEach(segments, true);
    try {
      // In one call: between statements the thread may be busy with indexes.
      await this.administer(segments.map((one) => this.attachSql(one)).join(';'));
      for (const { id, file } of segments) this.attached.set(id, file);
      return new Map();
    } catch {
      return this.attachEach(segments);
    }
  }

  /** One after the other, to find out which cannot be attached. */
  private async attachEach(segments: readonly SegmentFile[], copy = false): Promise<Failures> {
    const failures = new Map<number, unknown>();
    for (const segment of segments) {
      try {
        if (copy) await this.copyIn(segment);
        else await this.administer(this.attachSql(segment));
        this.attached.set(segment.id, segment.file);
      } catch (error) {
        const isExplained = error instanceof DaybookError;
        failures.set(
          segment.id,
          isExplained ? error : segmentProblem(join(this.folder, segment.file), error),
        );
      }
    }
    return failures;
  }

  /**
   * Copies a segment into a schema in memory, which statements name like a database. Its rows keep their numbers,
   * and go to the spill folder if there are too many. For cases with more small segments than files may be open:
   * slow, but right.
   */
  private async copyIn(segment: SegmentFile): Promise<void> {
    const { id, file } = segment;
    const [from, to] = [`copied_${id}`, identifier(`seg_${id}`)];
    await this.administer(
      `ATTACH ${literal(segmentPath(this.folder, file, segment))} AS ${from} (READ_ONLY)`,
    );
    try {
      const { admin } = await this.started();
      const stored = await admin.runAndReadAll(
        `SELECT comment FROM duckdb_tables() WHERE database_name = ${literal(from)} AND table_name = 'stored'`,
      );
      const tables = [`CREATE TABLE ${to}.events AS SELECT * FROM ${from}.events`];
      for (const [comment] of stored.getRows()) {
        tables.push(`CREATE TABLE ${to}.stored AS SELECT * FROM ${from}.stored`);
        if (typeof comment === 'string')
          tables.push(`COMMENT ON TABLE ${to}.stored IS ${literal(comment)}`);
      }
      await this.administer(
        `BEGIN; CREATE SCHEMA ${to}; ${tables.join('; ')}; COMMIT; DETACH ${from}`,
      );
      this.copied.add(id);
    } catch (error) {
      await this.administer(`ROLLBACK`).catch(() => undefined);
      await this.administer(`DETACH DATABASE IF EXISTS ${from}`).catch(() => undefined);
      throw error;
    }
  }

  private attachSql(segment: SegmentFile): string {
    const { id, file } = segment;
    return `ATTACH IF NOT EXISTS ${literal(segmentPath(this.folder, file, segment))} AS ${identifier(`seg_${id}`)} (READ_ONLY)`;
  }

  /** Detaches every segment that is not in `existing`. */
  async keepOnly(existing: ReadonlySet<number>): Promise<void> {
    if (this.inUse()) return;
    for (const id of [...this.attached.keys()])
      if (!existing.has(id) && !this.pins.has(id)) await this.detach(id);
  }

  private async detach(id: number): Promise<void> {
    this.attached.delete(id);
    this.shapes.delete(id);
    const name = identifier(`seg_${id}`);
    const isCopy = this.copied.delete(id);
    await this.administer(
      isCopy ? `DROP SCHEMA ${name} CASCADE` : `DETACH DATABASE IF EXISTS ${name}`,
    );
  }

  private administer(sql: string): Promise<unknown> {
    const done = this.administering.then(async () => {
      const { admin } = await this.started();
      if (this.closed) throw new CancelledError();
      return admin.run(sql);
    });
    this.administering = done.catch(() => undefined);
    return done;
  }

  /** Makes the table of a list; statements name it `lists.main."NAME"`. */
  createList(table: ListTable): Promise<void> {
    return this.onLists((tables) => tables.create(table));
  }

  /** Drops tables of lists that no operation is using; they may be made again later. */
  dropLists(names: readonly string[]): Promise<void> {
    if (names.length === 0) return Promise.resolve();
    return this.onLists(async (tables) => {
      for (const name of names) await tables.drop(name);
    });
  }

  /** Tables of lists are made and dropped in the order of the requests. */
  private onLists(work: (tables: ListTables) => Promise<void>): Promise<void> {
    const done = this.listing.then(async () => {
      const { lister } = await this.started();
      await work(new ListTables(lister));
    });
    this.listing = done.catch(() => undefined);
    return done;
  }

  /** A new folder that statements may write to and read from; undefined: there is none. `dropFolder` removes it. */
  async workFolder(): Promise<string | undefined> {
    await this.started();
    if (this.spill === undefined) return undefined;
    const folder = join(this.spill.path, SPILLED, `rows-${this.workFolders++}`);
    mkdirSync(folder, { recursive: true });
    return folder;
  }
  private workFolders = 0;

  dropFolder(folder: string): void {
    rmSync(folder, { recursive: true, force: true });
  }

  /** Drops the temporary tables of an answer. */
  async dropWork(tables: readonly string[]): Promise<void> {
    if (tables.length === 0 || this.closed) return;
    await this.administer(tables.map((table) => `DROP TABLE IF EXISTS ${table}`).join(';'));
  }

  /** Replaces the rows of a segment that count as deleted (`tag` 0) or tagged. */
  async setMarks(segment: number, tag: number, rows: Uint32Array): Promise<void> {
    const { marker } = await this.started();
    const done = this.marking.then(() => replaceMarks(marker, segment, tag, rows));
    this.marking = done.catch(() => undefined);
    await done;
  }

  /**
   * Runs one statement and streams its rows.
   * @throws DaybookError cancelled, limit-exceeded, disk-full
   */
  async *query(
    sql: string,
    values: readonly Bound[],
    signal?: AbortSignal,
  ): AsyncGenerator<ResultBatch> {
    for await (const { chunk } of this.chunks(sql, values, signal))
      yield {
        columns: chunk.getColumns().map((column) => column.map(plain)),
        rows: chunk.rowCount,
      };
  }

  /** The same, in DuckDB's chunks. */
  private async *chunks(
    sql: string,
    values: readonly Bound[],
    signal: AbortSignal | undefined,
  ): AsyncGenerator<ResultChunk> {
    const { connection, release } = await this.connect(signal);
    try {
      yield* resultChunks({ connection, sql, values: values.map(bindable), signal });
    } catch (error) {
      throw statementError(error, sql);
    } finally {
      release();
    }
  }

  /** A connection for one statement, which the signal interrupts. */
  private async connect(
    signal: AbortSignal | undefined,
  ): Promise<{ connection: DuckDBConnection; release: () => void }> {
    const { instance } = await this.started();
    stopIfAborted(signal);
    const connection = this.idle.pop() ?? (await instance.connect());
    let interrupting: NodeJS.Timeout | undefined;
    const onAbort = () => {
      // An interrupt between two chunks is lost: it is repeated until it is noticed.
      connection.interrupt();
      interrupting = setInterval(() => connection.interrupt(), 20);
    };
    signal?.addEventListener('abort', onAbort);
    this.running += 1;
    const release = () => {
      this.running -= 1;
      signal?.removeEventListener('abort', onAbort);
      clearInterval(interrupting);
      if (this.closed || isAborted(signal)) connection.closeSync();
      else this.idle.push(connection);
    };
    return { connection, release };
  }

  /** The message shapes of each attached segment; segments without readable ones are omitted. */
  async messageShapes(
    segments: readonly number[],
    signal?: AbortSignal,
  ): Promise<Map<number, readonly MessageShape[]>> {
    const out = new Map<number, readonly MessageShape[]>();
    const missing: number[] = [];
    for (const id of segments) {
      const known = this.shapes.get(id);
      if (known === undefined) missing.push(id);
      else out.set(id, known);
    }
    if (missing.length === 0) return out;
    const names = missing.map((id) => literal(`seg_${id}`)).join(', ');
    const found = await this.rows(
      `SELECT CAST(substr(name, 5) AS INTEGER), comment FROM (SELECT if(schema_name = 'main', database_name, schema_name) AS name, table_name, comment FROM duckdb_tables()) WHERE name IN (${names}) AND table_name = 'stored'`,
      [],
      signal,
    );
    for (const [id, text] of found) {
      const shapes = this.shapes.set(Number(id), text);
      if (shapes !== undefined) out.set(Number(id), shapes);
    }
    return out;
  }

  /**
   * Whole number columns, by segment. The segments must be attached and have these columns.
   * @throws DaybookError cancelled, case-damaged
   */
  async numbers(
    segments: readonly NumberedSegment[],
    columns: readonly NumberColumnName[],
    signal?: AbortSignal,
  ): Promise<SegmentNumbers> {
    const collector = new NumberCollector(segments, columns);
    for await (const { chunk } of this.chunks(numbersSql(segments, columns), [], signal))
      collector.add(chunk);
    if (!collector.whole)
      throw new DaybookError(
        'case-damaged',
        'a segment has other rows than the catalog says',
        'run: daybook verify CASE',
      );
    return collector.numbers;
  }

  /** All rows of a small result. */
  async rows(sql: string, values: readonly Bound[] = [], signal?: AbortSignal): Promise<Plain[][]> {
    const { connection, release } = await this.connect(signal);
    try {
      const result = await connection.run(sql, values.map(bindable));
      stopIfAborted(signal);
      return (await result.getRows()).map((row) => row.map(plain));
    } catch (error) {
      throw statementError(error, sql);
    } finally {
      release();
    }
  }
}

/** In one transaction: a concurrent statement sees the marks before or after. */
async function replaceMarks(
  marker: DuckDBConnection,
  segment: number,
  tag: number,
  rows: Uint32Array,
): Promise<void> {
  await marker.run('BEGIN');
  try {
    if (tag === 0) await marker.run(`DELETE FROM marks.deleted WHERE segment = ${segment}`);
    else await marker.run(`DELETE FROM marks.tagged WHERE segment = ${segment} AND tag = ${tag}`);
    if (rows.length > 0) {
      const table = tag === 0 ? 'deleted' : 'tagged';
      const appender = await marker.createAppender(table, 'main', 'marks');
      for (const row of rows) {
        appender.appendInteger(segment);
        if (tag !== 0) appender.appendInteger(tag);
        appender.appendBigInt(BigInt(row));
        appender.endRow();
      }
      appender.closeSync();
    }
    await marker.run('COMMIT');
  } catch (error) {
    await marker.run('ROLLBACK');
    throw storeError(error);
  }
}

/** Whole numbers are bound as 64-bit integers, which cannot hold 1e300; the SQL casts to the right type. */
function bindable(value: Bound): DuckDBValue {
  const isHuge = Number.isInteger(value) && !Number.isSafeInteger(value);
  return isHuge ? String(value) : value;
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted ?? false;
}
function stopIfAborted(signal: AbortSignal | undefined): void {
  if (isAborted(signal)) throw new CancelledError();
}

function plain(value: DuckDBValue): Plain {
  switch (typeof value) {
    case 'bigint':
      return value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : value;
    case 'object':
      if (value === null) return null;
      if (value instanceof DuckDBTimestampValue) return Number(value.micros);
      if (value instanceof DuckDBUUIDValue) return value.toString();
      if ('items' in value && Array.isArray(value.items)) return value.items.map(plain);
      if ('toDouble' in value && typeof value.toDouble === 'function')
        return Number(value.toDouble());
      return String(value);
    case 'undefined':
      return null;
    default:
      return value;
  }
}
