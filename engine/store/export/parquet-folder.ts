/**
 * Writes rows of segments to Parquet files in one folder, in a separate DuckDB instance.
 *
 * Invariants: it reads the case's `days` folder and writes the one folder, nothing else; memory is bounded by the
 * size of row groups, which have fewer rows if there is too little.
 */
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { CancelledError, hasCode } from '../../contract/errors.ts';
import { statementBytes, type StoreOptions } from '../reading/duckdb-instance.ts';
import { segmentPath } from '../segment-path.ts';
import type { SegmentFile } from '../reading/segment-store.ts';
import { literal, segmentProblem, statementError } from '../segment-builder.ts';
import { daysOf } from '../../util/segment-days.ts';
import { epochMicros } from '../segment-sql.ts';
import { EVENT_ID, TYPED_COLUMNS, typedColumns, type TypedSegment } from './typed-events.ts';

/** Rows of a group; fewer if rows are wide or memory is short. */
const MOST_GROUP_ROWS = 122_880;
const LEAST_GROUP_ROWS = 2048;
const MOST_GROUP_BYTES = 96e6;
/** Size of a row in memory relative to that in a segment; and bytes of each value, nulls included. */
const EXPANSION = 6;
const VALUE_BYTES = 16;
/** Each thread has a group in memory, which takes as much again while it is compressed and written. */
const GROUPS_OF_THREAD = 4;
const THREAD_BYTES = 192e6;
const FILE_MODE = 0o600;

/** The attached segment's database name. */
const SEGMENT = 'seg_0';

/** Rows of a segment that have a tag. */
interface TaggedRows {
  readonly name: string;
  readonly rows: Uint32Array;
}

/** Number of rows, their first and last time, and exact sums by column. */
interface RowsSummary {
  readonly rows: number;
  readonly firstTs?: number;
  readonly lastTs?: number;
  readonly sums: Record<string, string>;
}

export class ParquetFolder {
  private readonly folder: string;
  private readonly instance: DuckDBInstance;
  private readonly connection: DuckDBConnection;
  private readonly signal: AbortSignal;
  private readonly groupBytes: number;
  private repeating: NodeJS.Timeout | undefined;
  private attached: SegmentFile | undefined;
  /** Whether the table `typed` belongs to the attached segment. */
  private isTyped = false;
  /** Condition on `place` that holds for visible rows. */
  private shown = 'true';

  private constructor(
    folder: string,
    instance: DuckDBInstance,
    connection: DuckDBConnection,
    signal: AbortSignal,
    groupBytes: number,
  ) {
    this.groupBytes = groupBytes;
    this.folder = folder;
    this.instance = instance;
    this.connection = connection;
    this.signal = signal;
    signal.addEventListener('abort', this.onAbort);
  }

  /**
   * @param folder of the case
   * @param out folder for the files: an absolute path without links
   * @param setup statements that others rely on, such as macros
   */
  static async open(
    folder: string,
    out: string,
    setup: readonly string[],
    { threads: most, memoryLimit }: StoreOptions,
    signal: AbortSignal,
  ): Promise<ParquetFolder> {
    const memory = statementBytes(memoryLimit);
    const threads = Math.max(1, Math.min(most, Math.floor(memory / THREAD_BYTES)));
    const groupBytes = Math.min(MOST_GROUP_BYTES, memory / (GROUPS_OF_THREAD * threads));
    const instance = await DuckDBInstance.create(':memory:', {
      threads: String(threads),
      memory_limit: `${Math.round(memory / 1e6)}MB`,
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
      preserve_insertion_order: 'true',
    });
    const connection = await instance.connect();
    const allowed = [join(folder, 'days'), out].map(literal).join(', ');
    await connection.run(
      [
        ...setup,
        `SET temp_directory = ''`,
        `SET allowed_directories = [${allowed}]`,
        'SET enable_external_access = false',
        'SET lock_configuration = true',
      ].join(';'),
    );
    return new ParquetFolder(folder, instance, connection, signal, groupBytes);
  }

  close(): void {
    this.signal.removeEventListener('abort', this.onAbort);
    clearInterval(this.repeating);
    this.connection.closeSync();
    this.instance.closeSync();
  }

  private readonly onAbort = (): void => {
    this.connection.interrupt();
    this.repeating = setInterval(() => this.connection.interrupt(), 20);
  };

  /**
   * Attaches a segment, replacing the previous one.
   * @param deleted numbers of rows to hide; undefined: none
   * @throws DaybookError not-found, case-damaged
   */
  async attach(segment: SegmentFile, deleted: Uint32Array | undefined): Promise<void> {
    if (this.attached?.id !== segment.id) await this.attachOther(segment);
    this.shown = 'true';
    if (deleted === undefined) return;
    await this.deletedTable(deleted);
    this.shown = 'place NOT IN (SELECT "row" FROM deleted)';
  }

  private async attachOther(segment: SegmentFile): Promise<void> {
    const path = segmentPath(this.folder, segment.file, segment);
    await this.run(`DETACH DATABASE IF EXISTS ${SEGMENT}`);
    await this.run('DROP TABLE IF EXISTS typed');
    this.attached = undefined;
    this.isTyped = false;
    try {
      await this.connection.run(`ATTACH ${literal(path)} AS ${SEGMENT} (READ_ONLY)`);
    } catch (error) {
      if (this.signal.aborted) throw new CancelledError();
      throw segmentProblem(path, error);
    }
    this.attached = segment;
  }

  /** Writes a range of rows of the attached segment in their exported form, without deleted ones. @param rows half-open */
  async copyEvents(
    segment: TypedSegment & { readonly bytes: number; readonly rows: number },
    rows: readonly [number, number],
    out: string,
  ): Promise<void> {
    const typed = await this.typedRows(segment);
    await this.copy(`SELECT * EXCLUDE (place) FROM ${typed} WHERE ${this.among(rows)}`, out, {
      columns: TYPED_COLUMNS.length,
      bytes: segment.bytes / segment.rows,
    });
  }

  /** Summary of the rows that `copyEvents` must write. @param summed columns to add up */
  async summaryOfEvents(
    segment: TypedSegment,
    rows: readonly [number, number],
    summed: readonly string[],
  ): Promise<RowsSummary> {
    const columns = typedColumns(segment, ['ts', ...summed]).join(', ');
    return this.summary(
      `(SELECT rowid AS place, ${columns} FROM ${SEGMENT}.events) WHERE ${this.among(rows)}`,
      summed,
    );
  }

  /** Summary of the rows in a written file. */
  async summaryOfFile(path: string, summed: readonly string[]): Promise<RowsSummary> {
    return this.summary(`read_parquet(${literal(path)})`, summed);
  }

  private async summary(from: string, summed: readonly string[]): Promise<RowsSummary> {
    const sums = summed.map((name) => `coalesce(sum(${name}), 0)`);
    const values = ['count(*)', epochMicros('min(ts)'), epochMicros('max(ts)'), ...sums];
    const [row = []] = await this.rows(`SELECT ${values.join(', ')} FROM ${from}`);
    const [count, first, last, ...all] = row;
    return {
      rows: Number(count),
      ...(first === null || first === undefined ? {} : { firstTs: Number(first) }),
      ...(last === null || last === undefined ? {} : { lastTs: Number(last) }),
      sums: Object.fromEntries(summed.map((name, i) => [name, all[i] ?? '0'])),
    };
  }

  /** Counts the visible rows of the attached segment that have these tags, once for each tag. */
  async countTagged(tags: readonly TaggedRows[]): Promise<number> {
    await this.taggedTable(tags);
    const [[count] = []] = await this.rows(`SELECT count(*) FROM (${this.taggedRows()})`);
    return Number(count);
  }

  /** Writes the rows that `countTagged` counted: `event_id` and `tag`. */
  async copyTagged(out: string): Promise<void> {
    await this.copy(`${this.taggedRows()} ORDER BY place, tag`, out, { columns: 2, bytes: 16 });
  }

  private taggedRows(): string {
    const events = `SELECT rowid AS place, ${EVENT_ID} AS event_id FROM ${SEGMENT}.events`;
    return `SELECT event_id, tag FROM (${events}) JOIN tagged ON tagged."row" = place WHERE ${this.shown}`;
  }

  private among([first, end]: readonly [number, number]): string {
    return `place >= ${first} AND place < ${end} AND ${this.shown}`;
  }

  /**
   * The rows of the attached segment in their exported form, each with its `place` in the segment. If files are
   * made of its days and memory allows it, they are materialised once: finding thousands of attributes takes longer
   * than reading them.
   */
  private async typedRows(segment: TypedSegment & { readonly bytes: number }): Promise<string> {
    const rows = `SELECT rowid AS place, ${typedColumns(segment).join(', ')} FROM ${SEGMENT}.events`;
    if (daysOf(segment).length === 1 || segment.bytes * EXPANSION > this.groupBytes)
      return `(${rows})`;
    if (!this.isTyped) await this.run(`CREATE TABLE typed AS ${rows}`);
    this.isTyped = true;
    return 'typed';
  }

  /** Makes the table `deleted("row")` of row numbers, replacing the previous one. */
  private async deletedTable(rows: Uint32Array): Promise<void> {
    await this.run('CREATE OR REPLACE TABLE deleted ("row" BIGINT)');
    const appender = await this.connection.createAppender('deleted');
    for (const row of rows) {
      appender.appendBigInt(BigInt(row));
      appender.endRow();
    }
    appender.closeSync();
  }

  /** Makes the table `tagged("row", tag)`, replacing the previous one. */
  private async taggedTable(tags: readonly TaggedRows[]): Promise<void> {
    await this.run('CREATE OR REPLACE TABLE tagged ("row" BIGINT, tag VARCHAR)');
    const appender = await this.connection.createAppender('tagged');
    for (const { name, rows } of tags)
      for (const row of rows) {
        appender.appendBigInt(BigInt(row));
        appender.appendVarchar(name);
        appender.endRow();
      }
    appender.closeSync();
  }

  /**
   * Writes the rows of a select to a file, in its order.
   * @param row number of columns in a row, and its size in the segment
   */
  private async copy(
    select: string,
    out: string,
    { columns, bytes }: { readonly columns: number; readonly bytes: number },
  ): Promise<void> {
    const fitting = Math.floor(this.groupBytes / (columns * VALUE_BYTES + bytes * EXPANSION));
    let group = Math.max(LEAST_GROUP_ROWS, Math.min(MOST_GROUP_ROWS, fitting));
    for (;;) {
      try {
        await this.run(
          `COPY (${select}) TO ${literal(out)} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${group})`,
        );
        break;
      } catch (error) {
        const isTooMuch = hasCode(error, 'limit-exceeded');
        if (!isTooMuch || group === LEAST_GROUP_ROWS) throw error;
        group = Math.max(LEAST_GROUP_ROWS, group >>> 2);
      }
    }
    chmodSync(out, FILE_MODE);
  }

  /** The rows of a small result, as texts. */
  private async rows(sql: string): Promise<(string | null)[][]> {
    try {
      const result = await this.connection.runAndReadAll(sql);
      return result
        .getRows()
        .map((row) => row.map((value) => (value === null ? null : String(value))));
    } catch (error) {
      throw this.problem(error, sql);
    }
  }

  private async run(sql: string): Promise<void> {
    if (this.signal.aborted) throw new CancelledError();
    try {
      await this.connection.run(sql);
    } catch (error) {
      throw this.problem(error, sql);
    }
  }

  private problem(error: unknown, sql: string): unknown {
    return this.signal.aborted ? new CancelledError() : statementError(error, sql);
  }
}
