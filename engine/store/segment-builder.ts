/**
 * Builds segments: immutable DuckDB files that hold the events of one day and kind in time order.
 *
 * A segment is made in the staging folder, checkpointed and closed, so that no write-ahead log remains (a leftover
 * one can prevent every later start under a low memory limit); only then may it be moved.
 */
import { createHash, hash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { resultChunks } from './reading/result-chunks.ts';
import { returnMemoryAbove } from './return-memory.ts';
import './keep-byte-order-marks.ts';
import { diskError, diskFull } from '../util/files/files.ts';
import type { IdleSlot } from '../util/idle-slot.ts';
import { type CutMessages, MESSAGE } from './messages/message-columns.ts';
import { BLOCK, SMALL_BLOCK, SMALL_BYTES } from './segment-blocks.ts';
import { numbersWhere } from './segment-sql.ts';
import {
  type ConstantColumn,
  type KnownColumns,
  type TableLayout,
  areRare,
  identifier,
  literal,
  tableLayout,
} from './table-layout.ts';
import { DaybookError, hasCode, messageOfError } from '../contract/errors.ts';
import { type ValueCounts, countValues } from './value-counts.ts';

export interface BuilderOptions {
  /** DuckDB's memory limit in bytes. */
  memoryLimit: number;
  threads: number;
  /** Hands DuckDB from one writer of a case to the next; otherwise each makes its own. */
  kept?: IdleSlot<IdleDuckdb>;
  /** Once aborted, statements fail, except those of several concurrent builds. */
  signal?: AbortSignal;
}

/** A DuckDB with a builder's settings and nothing attached. */
export interface IdleDuckdb {
  readonly instance: DuckDBInstance;
  /** A connection without temporary tables. */
  readonly connection: DuckDBConnection | undefined;
}

export function endDuckdb({ instance, connection }: IdleDuckdb): void {
  connection?.closeSync();
  instance.closeSync();
}

export interface BuildOptions {
  sorted: boolean;
  inputBytes: number;
  /** Columns of the select that are stored once, in the table's definition. */
  constants?: readonly ConstantColumn[];
  /** How the messages of the select are cut; undefined if they are whole. */
  messages?: CutMessages | undefined;
  /** Statistics of the select's rows; if omitted, they are computed. */
  known?: KnownRows | undefined;
}

/** Statistics of a segment's rows. */
export interface KnownRows extends KnownColumns {
  readonly rows: number;
  readonly minTs: number | undefined;
  readonly maxTs: number | undefined;
  /** Ascending. */
  readonly sources: readonly number[];
  readonly counts: ValueCounts;
}

export interface BuiltSegment {
  path: string;
  rows: number;
  bytes: number;
  sha256: string;
  minTs: number | undefined;
  maxTs: number | undefined;
  columns: string[];
  counts: ValueCounts;
  sources: number[];
  /** Number of shapes of its messages; 0 if they are whole. */
  shapes: number;
}

/** DuckDB's row group size: with no more rows in a table, threads cannot leave unused blocks. */
const ROW_GROUP_ROWS = 122_880;
const INTERRUPT_MS = 20;
/** Maximum share of a file's blocks that may be unused. */
const MOST_HOLES = 0.1;
/** The order of events in a segment: time, then source and record. */
const ORDER = [
  ['ts', 'ts NULLS LAST'],
  ['ts_ns', 'coalesce(ts_ns, 0)'],
  ['source_id', 'source_id'],
  ['seq', 'seq'],
] as const;

export { identifier, literal };

export class SegmentBuilder {
  private readonly instance: DuckDBInstance;
  private readonly connection: DuckDBConnection;
  private readonly folder: string;
  private readonly threads: number;
  /** Bytes that DuckDB may use. */
  readonly memoryLimit: number;
  private readonly keep: ((duckdb: IdleDuckdb) => void) | undefined;
  private readonly signal: AbortSignal | undefined;
  private readonly attached = new Set<string>();
  private interrupting: NodeJS.Timeout | undefined;
  private hasTables = false;
  private number = 0;

  private constructor(
    instance: DuckDBInstance,
    connection: DuckDBConnection,
    folder: string,
    { threads, signal, memoryLimit }: BuilderOptions,
    keep: ((duckdb: IdleDuckdb) => void) | undefined,
  ) {
    this.signal = signal;
    this.threads = threads;
    this.memoryLimit = memoryLimit;
    this.instance = instance;
    this.connection = connection;
    this.folder = folder;
    this.keep = keep;
    signal?.addEventListener('abort', this.interrupt);
    if (signal?.aborted === true) this.interrupt();
  }

  /** An interrupt between two statements is lost. */
  private readonly interrupt = () => {
    this.connection.interrupt();
    this.interrupting = setInterval(() => this.connection.interrupt(), INTERRUPT_MS);
  };

  /**
   * @param staging folder for unfinished segments
   * @param readable further folders whose files may be read (existing segments)
   */
  static async create(
    staging: string,
    readable: string[],
    options: BuilderOptions,
  ): Promise<SegmentBuilder> {
    const config = {
      threads: String(duckdbThreads(options.threads)),
      memory_limit: `${Math.round(options.memoryLimit / 1e6)}MB`,
      temp_directory: spillFolder(staging),
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
      // Each part is read once, and the next import has others of the same names.
      enable_external_file_cache: 'false',
      // With DuckDB's default of five, memory is mostly newly allocated each time: with one, 25 to 40 MB less at
      // the same speed, files within 0.5 %.
      write_buffer_row_group_count: '1',
    };
    const folders = [staging, ...readable].map(literal).join(', ');
    const settings = JSON.stringify([config, folders]);
    const keep = options.kept && ((one: IdleDuckdb) => options.kept?.keep(one, settings));
    const kept = options.kept?.take(settings);
    const instance = kept?.instance ?? (await DuckDBInstance.create(':memory:', config));
    const connection = kept?.connection ?? (await instance.connect());
    if (kept === undefined) {
      await connection.run(`SET allowed_directories = [${folders}]`);
      await connection.run('SET enable_external_access = false');
      await connection.run('SET lock_configuration = true');
    }
    return new SegmentBuilder(instance, connection, staging, options, keep);
  }

  /** @param sound whether all work was completed */
  close(sound = false): void {
    this.signal?.removeEventListener('abort', this.interrupt);
    clearInterval(this.interrupting);
    // It would look for spilled data where nothing exists any more.
    const clean = sound && this.attached.size === 0 && !existsSync(spillFolder(this.folder));
    const { instance, connection } = this;
    if (!clean || this.keep === undefined) endDuckdb({ instance, connection });
    else if (!this.hasTables) this.keep({ instance, connection });
    else {
      connection.closeSync();
      this.keep({ instance, connection: undefined });
    }
  }

  /**
   * Writes the result of `select` (a SELECT with the columns of a segment) as a new segment file. The caller omits
   * columns without a value.
   * @throws DaybookError disk-full
   */
  build(select: string, options: BuildOptions): Promise<BuiltSegment> {
    return this.buildOn(this.connection, select, options);
  }

  /**
   * Builds several segments, as many at a time as there are threads: a small one keeps one thread busy, mostly with
   * files. Selects must not use temporary tables. Results are in the given order.
   * @throws DaybookError disk-full, after all running builds have ended
   */
  async buildAll(
    builds: readonly { select: string; options: BuildOptions }[],
  ): Promise<BuiltSegment[]> {
    const [only] = builds;
    if (only !== undefined && builds.length === 1)
      return [await this.build(only.select, only.options)];
    const results: BuiltSegment[] = [];
    /** Builds that ran out of memory next to others: each is repeated alone. */
    const again: number[] = [];
    let next = 0;
    const lane = async () => {
      const connection = await this.instance.connect();
      try {
        while (next < builds.length) {
          const at = next++;
          const { select, options } = builds[at]!;
          try {
            results[at] = await this.buildOn(connection, select, options);
          } catch (error) {
            if (!hasCode(error, 'limit-exceeded')) throw error;
            again.push(at);
          }
        }
      } finally {
        next = builds.length;
        connection.closeSync();
      }
    };
    const lanes = Array.from({ length: Math.min(this.threads, builds.length) }, lane);
    for (const outcome of await Promise.allSettled(lanes)) {
      if (outcome.status === 'rejected') throw outcome.reason;
    }
    for (const at of again) {
      await returnMemoryAbove(this.memoryLimit);
      results[at] = await this.build(builds[at]!.select, builds[at]!.options);
    }
    return results;
  }

  private async buildOn(
    connection: DuckDBConnection,
    select: string,
    options: BuildOptions,
  ): Promise<BuiltSegment> {
    const number = this.number++;
    const name = `new_${number}`;
    const making = join(this.folder, `segment-${number}.duckdb`);
    let path = making;
    // Cut messages take less than half of the bytes.
    const inputBytes = options.inputBytes * (options.messages === undefined ? 1 : 2);
    const block = inputBytes < SMALL_BYTES ? SMALL_BLOCK : BLOCK;
    try {
      const selected = options.known ?? (await selectedOf(connection, select));
      const layout = tableLayout(selected, options.constants ?? [], options.messages);
      const { columns, table, view } = layout;
      const order = ORDER.filter(([name]) => columns.includes(name)).map(([, sql]) => sql);
      const sort = options.sorted ? '' : ` ORDER BY ${order.join(', ')}`;
      await connection.run(attachNew(making, name, block));
      const { rowsChanged: rows } = await connection.run(
        `CREATE TABLE ${name}.${table} (${layout.definitions.join(', ')});
         INSERT INTO ${name}.${table} (${layout.stored}) SELECT ${layout.values} FROM (${select})${sort}`,
      );
      const finish = `${view === undefined ? '' : `${view(name)};`} CHECKPOINT ${name}`;
      const detach = `DETACH ${name}`;
      const known = options.known?.rows === rows ? options.known : undefined;
      // Each statement that is awaited takes half a millisecond of a small segment's few.
      const atOnce = known !== undefined && rows <= ROW_GROUP_ROWS;
      await connection.run(atOnce ? `${finish}; ${detach}` : finish);
      const shapes = options.messages?.shapes.length ?? 0;
      const counted = known ?? {
        ...(await timesAndSources(connection, `${name}.${table}`, columns)),
        counts: await countValues(
          async (sql) => (await connection.runAndReadAll(sql)).getRowsJS(),
          name,
          { columns, shapes },
        ),
      };
      const loose = rows > ROW_GROUP_ROWS && (await hasHoles(connection, name));
      if (loose) {
        path = path.replace(/\.duckdb$/, '-tight.duckdb');
        await copyTight(connection, name, path, block, layout);
      }
      if (!atOnce) await connection.run(detach);
      if (existsSync(`${making}.wal`))
        throw new DaybookError('internal', `a write-ahead log stayed beside ${making}`);
      if (loose) rmSync(making, { force: true });
      return {
        path,
        rows,
        bytes: statSync(path).size,
        sha256: await fileSha256(path),
        minTs: counted.minTs,
        maxTs: counted.maxTs,
        columns: [...columns],
        counts: counted.counts,
        sources: [...counted.sources],
        shapes,
      };
    } catch (error) {
      await connection.run(`DETACH DATABASE IF EXISTS ${name}`).catch(() => undefined);
      for (const half of [making, `${making}.wal`, path]) rmSync(half, { force: true });
      throw storeError(diskError(error) ?? error);
    }
  }

  /** Attaches a segment file read-only under `name`, unless it is attached already. */
  async attach(name: string, path: string): Promise<void> {
    try {
      await this.connection.run(
        `ATTACH IF NOT EXISTS ${literal(path)} AS ${identifier(name)} (READ_ONLY)`,
      );
      this.attached.add(name);
    } catch (error) {
      throw segmentProblem(path, error);
    }
  }
  async detach(name: string): Promise<void> {
    await this.connection.run(`DETACH DATABASE IF EXISTS ${identifier(name)}`);
    this.attached.delete(name);
  }

  /** Makes a temporary table `name(row BIGINT)` of these numbers, replacing any of that name. */
  async rowTable(name: string, rows: Uint32Array): Promise<void> {
    this.hasTables = true;
    await this.connection.run(`CREATE OR REPLACE TEMP TABLE ${identifier(name)} (row BIGINT)`);
    const appender = await this.connection.createAppender(name);
    for (const row of rows) {
      appender.appendBigInt(BigInt(row));
      appender.endRow();
    }
    appender.closeSync();
  }

  /** Makes a temporary table of the result of `select`: computed once, read as often as needed. */
  async table(name: string, select: string): Promise<void> {
    this.hasTables = true;
    await this.rows(`CREATE OR REPLACE TEMP TABLE ${identifier(name)} AS ${select}`);
  }

  async dropTable(name: string): Promise<void> {
    await this.rows(`DROP TABLE IF EXISTS ${identifier(name)}`);
  }

  /** Streams the rows of `sql` in columns of JavaScript values; null is null. */
  async *stream(sql: string): AsyncGenerator<{ columns: unknown[][]; rows: number }> {
    const { connection, signal } = this;
    try {
      for await (const { chunk } of resultChunks({ connection, sql, signal }))
        yield { columns: chunk.getColumns(), rows: chunk.rowCount };
    } catch (error) {
      throw storeError(error);
    }
  }

  /** Numbers of the rows of a table that meet a condition, ascending. */
  async numbersWhere(table: string, condition: string): Promise<Uint32Array> {
    return Uint32Array.from(await this.rows(numbersWhere(table, condition)), ([row]) =>
      Number(row),
    );
  }

  /** Runs `sql` on the builder's connection and returns its rows as JavaScript values. */
  async rows(sql: string): Promise<unknown[][]> {
    try {
      const result = await this.connection.runAndReadAll(sql);
      return result.getRowsJS();
    } catch (error) {
      throw storeError(error);
    }
  }
}

/**
 * Number of threads that DuckDB may use for one statement. A statement's own thread spins while others work on its
 * last tasks: on two cores that took 0.6 µs of 3.8 for each row of a flow table. Several concurrent segments, and
 * readers next to them, use the machine as well.
 */
function duckdbThreads(threads: number): number {
  return Math.max(1, threads >>> 1);
}

function spillFolder(staging: string): string {
  return join(staging, SPILLED);
}

/**
 * SQL that makes a segment's file and attaches it. The file is useless before its checkpoint, so no write-ahead log
 * is written or waited for.
 */
function attachNew(path: string, name: string, block: number): string {
  return `ATTACH ${literal(path)} AS ${name} (STORAGE_VERSION 'v1.5.0', BLOCK_SIZE ${block}, RECOVERY_MODE 'no_wal_writes')`;
}

/** Whether enough of a database's file is unused that copying it pays. */
async function hasHoles(connection: DuckDBConnection, name: string): Promise<boolean> {
  const sizes = await connection.runAndReadAll(
    `SELECT free_blocks::DOUBLE, total_blocks::DOUBLE FROM pragma_database_size() WHERE database_name = '${name}'`,
  );
  const [free, total] = sizes.getRowsJS()[0] as [number, number];
  return free > total * MOST_HOLES;
}

/**
 * Copies a segment into the new file `path` without unused blocks. Inserting threads leave row groups of uneven
 * sizes, which a checkpoint may join: their old blocks, up to half of the file, stay unused. Even row groups are
 * copied as they are.
 */
async function copyTight(
  connection: DuckDBConnection,
  from: string,
  path: string,
  block: number,
  { table, definitions, stored, view }: TableLayout,
): Promise<void> {
  const name = `${from}_tight`;
  await connection.run(attachNew(path, name, block));
  try {
    await connection.run(`CREATE TABLE ${name}.${table} (${definitions.join(', ')})`);
    await connection.run(
      `INSERT INTO ${name}.${table} (${stored}) SELECT ${stored} FROM ${from}.${table}`,
    );
    if (view !== undefined) await connection.run(view(name));
    await connection.run(`CHECKPOINT ${name}`);
  } finally {
    await connection.run(`DETACH ${name}`);
  }
}

/** The columns of a select, the coarsest unit of its times, and whether few rows have a message. */
async function selectedOf(connection: DuckDBConnection, select: string): Promise<KnownColumns> {
  const described = await connection.runAndReadAll(`DESCRIBE ${select}`);
  const selected = described
    .getRowsJS()
    .map(([name, type]) => ({ name: name as string, type: type as string }));
  const columnOf = (name: string): string =>
    selected.some((column) => column.name === name) ? identifier(name) : 'NULL';
  const found = await connection.runAndReadAll(
    `SELECT bool_and(us % 1000000 = 0), bool_and(us % 1000 = 0), count(message)::DOUBLE, count(*)::DOUBLE
     FROM (SELECT epoch_us(${columnOf('ts')}::TIMESTAMP) AS us, ${columnOf(MESSAGE)} AS message FROM (${select}))`,
  );
  const [seconds, milliseconds, messages, rows] = found.getRowsJS()[0] as [
    ...[boolean | null, boolean | null],
    ...[number, number],
  ];
  const rareMessages = areRare(messages, rows);
  if (seconds === true) return { selected, timeUnit: 1_000_000, rareMessages };
  return { selected, timeUnit: milliseconds === true ? 1000 : 1, rareMessages };
}

/** The first and the last time of a segment's rows, and their sources. */
async function timesAndSources(
  connection: DuckDBConnection,
  table: string,
  columns: readonly string[],
): Promise<Pick<KnownRows, 'minTs' | 'maxTs' | 'sources'>> {
  const times = columns.includes('ts')
    ? 'epoch_us(min(ts))::DOUBLE, epoch_us(max(ts))::DOUBLE'
    : 'NULL::DOUBLE, NULL::DOUBLE';
  const found = await connection.runAndReadAll(
    `SELECT ${times}, list(DISTINCT source_id ORDER BY source_id) FROM ${table}`,
  );
  const [minTs, maxTs, sources] = found.getRowsJS()[0] as [
    number | null,
    number | null,
    number[] | null,
  ];
  return { minTs: minTs ?? undefined, maxTs: maxTs ?? undefined, sources: sources ?? [] };
}

/** A file up to this size is read at once: waiting for each block takes longer than hashing it. */
const READ_AT_ONCE = 1 << 20;
const READ_BYTES = 1 << 18;

/**
 * SHA-256 of a file as hexadecimal text.
 */
export async function fileSha256(path: string): Promise<string> {
  if (statSync(path).size <= READ_AT_ONCE) {
    const bytes = readFileSync(path);
    return hash('sha256', bytes);
  }
  const sum = createHash('sha256');
  // One buffer for all blocks: a stream allocates new pages for each.
  const memory = new Uint8Array(READ_BYTES);
  const file = await open(path, 'r');
  try {
    for (;;) {
      const { bytesRead } = await file.read(memory, 0, memory.length, null);
      if (bytesRead === 0) break;
      const block = memory.subarray(0, bytesRead);
      sum.update(block);
    }
  } finally {
    await file.close();
  }
  return sum.digest('hex');
}

/** Why the segment in `file` cannot be opened, in words for people. */
export function segmentProblem(file: string, error: unknown): DaybookError {
  const hint = 'run: daybook verify CASE';
  const name = file.split(/[\\/]/).slice(-3).join('/');
  if (!existsSync(file))
    return new DaybookError('not-found', `segment ${name} is missing`, hint, error);
  const why = messageOfError(error);
  if (/too many open files/i.test(why)) {
    return new DaybookError(
      'limit-exceeded',
      `segment ${name} cannot be opened: too many files are open`,
      'allow more (ulimit -n), or merge small segments: daybook compact CASE',
      error,
    );
  }
  return new DaybookError('case-damaged', `segment ${name} cannot be opened: ${why}`, hint, error);
}

/** The spill folder within the folder of a reader or a writer. */
export const SPILLED = 'spill';
/** DuckDB's errors that name one of its temporary files. */
const SPILL_PROBLEM = /duckdb_temp_(?:storage|block)|[\\/]spill[\\/]/;

/** DuckDB's error for a statement that assumes other columns, or more rows, than a segment has. */
const NOT_AS_WRITTEN = /^(?:Binder|Catalog) Error|bitstring aggregation/;

/** The error of a statement on segments, in words for people if DuckDB's SQL would mean nothing to them. */
export function statementError(error: unknown, sql: string): unknown {
  const isOther = error instanceof Error && NOT_AS_WRITTEN.test(error.message);
  if (!isOther || !/\bseg_\d+/.test(sql)) return storeError(error);
  return new DaybookError(
    'case-damaged',
    'a segment of the case has other columns or rows than its catalog says: one of them is not what was written',
    'run: daybook verify CASE; if it finds nothing wrong, this is a bug in Daybook',
    error,
  );
}

/** Translates DuckDB's errors into words for people; leaves others as they are. */
export function storeError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof DaybookError) return error;
  const text = error.message;
  if (
    /No space left on device|disk.*full|Could not write all bytes|ENOSPC|file size limit/i.test(
      text,
    )
  ) {
    return diskFull(error);
  }
  // Spilled data is not a segment.
  if (SPILL_PROBLEM.test(text)) {
    return new DaybookError(
      'unreadable',
      `temporary data of the query in the case's staging folder cannot be read or written: ${text}`,
      'run it again; if this repeats, check the disk that the case is on',
      error,
    );
  }
  if (/Corrupt database|corrupt|Could not read (enough bytes|from file)|checksum/i.test(text)) {
    return new DaybookError(
      'case-damaged',
      `a segment of the case is damaged: ${text}`,
      'run: daybook verify CASE',
      error,
    );
  }
  if (/INTERRUPT/i.test(text)) return new DaybookError('cancelled', 'cancelled', undefined, error);
  if (/Out of Memory/i.test(text)) {
    return new DaybookError(
      'limit-exceeded',
      'the query needs more memory than Daybook may use',
      'narrow the time range, or raise the limit with DAYBOOK_MEMORY (such as 4GB)',
      error,
    );
  }
  return error;
}
