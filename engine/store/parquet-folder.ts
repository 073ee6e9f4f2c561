/**
 * Writes rows of segments to Parquet files in one folder, in a separate DuckDB instance.
 *
 * Invariants: it reads the case's `days` folder and writes the one folder, nothing else; memory is bounded by the
 * size of row groups, which have fewer rows if there is too little.
 */
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { CancelledError, hasCode } from '../contract/errors.ts';
import { statementBytes, type StoreOptions } from './duckdb-instance.ts';
import { segmentPath } from './segment-path.ts';
import type { SegmentFile } from './segment-store.ts';
import { literal, segmentProblem, statementError } from './segment-builder.ts';
import { daysOf } from '../util/segment-days.ts';
import { typedColumns, type TypedSegment } from './typed-events.ts';

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
export const SEGMENT = 'seg_0';

/** Rows of a segment that have a tag. */
interface TaggedRows {
  readonly name: string;
  readonly rows: Uint32Array;
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

  /** Attaches a segment as `SEGMENT`, replacing the previous one. @throws DaybookError not-found, case-damaged */
  async attach(segment: SegmentFile): Promise<void> {
    if (this.attached?.id === segment.id) return;
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

  /**
   * The rows of the attached segment in their exported form, each with its `place` in the segment. If files are
   * made of its days and memory allows it, they are materialised once: finding thousands of attributes takes longer
   * than reading them.
   */
  async typedRows(segment: TypedSegment & { readonly bytes: number }): Promise<string> {
    const rows = `SELECT rowid AS place, ${typedColumns(segment).join(', ')} FROM ${SEGMENT}.events`;
    if (daysOf(segment).length === 1 || segment.bytes * EXPANSION > this.groupBytes)
      return `(${rows})`;
    if (!this.isTyped) await this.run(`CREATE TABLE typed AS ${rows}`);
    this.isTyped = true;
    return 'typed';
  }

  /** Makes the table `deleted("row")` of row numbers, replacing the previous one. */
  async deletedTable(rows: Uint32Array): Promise<void> {
    await this.run('CREATE OR REPLACE TABLE deleted ("row" BIGINT)');
    const appender = await this.connection.createAppender('deleted');
    for (const row of rows) {
      appender.appendBigInt(BigInt(row));
      appender.endRow();
    }
    appender.closeSync();
  }

  /** Makes the table `tagged("row", tag)`, replacing the previous one. */
  async taggedTable(tags: readonly TaggedRows[]): Promise<void> {
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
  async copy(
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
  async rows(sql: string): Promise<(string | null)[][]> {
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
