/**
 * Runs a user's SQL statement on the files of a case, in a DuckDB instance that is created for it and ends with it.
 *
 * Invariants: segments are attached read-only before the statement is parsed; from then on DuckDB can open no file
 * outside its spill folder, load no extension and not be reconfigured; a statement that does anything but read is
 * refused.
 */
import { join } from 'node:path';
import {
  type DuckDBConnection,
  DuckDBInstance,
  DuckDBMapValue,
  type DuckDBResult,
  DuckDBStructValue,
  type DuckDBValue,
  StatementType,
} from '@duckdb/node-api';
import { CancelledError, DaybookError } from '../../contract/errors.ts';
import { type StoreOptions, statementBytes } from './duckdb-instance.ts';
import { resultChunks } from './result-chunks.ts';
import { literal, SPILLED, storeError } from '../segment-builder.ts';

/**
 * A value for JSON: whole numbers beyond 2^53 and values without a JSON form become texts as DuckDB writes them.
 */
export type OpenValue =
  null | boolean | number | string | OpenValue[] | { [name: string]: OpenValue };

export interface OpenRows {
  readonly names: readonly string[];
  readonly rows: readonly (readonly OpenValue[])[];
}

interface OpenStatement extends StoreOptions {
  /** Statements that set up the case's relations. */
  readonly setup: Iterable<string>;
  readonly sql: string;
  /** A folder into which DuckDB may spill; undefined: none. */
  readonly spill: string | undefined;
  readonly signal: AbortSignal;
}

/**
 * Streams the rows of the statement; at least one part, which names the columns.
 * @throws DaybookError usage for an invalid statement or one that does not only read; whatever opening segments
 * throws
 */
export async function* runOpenStatement(statement: OpenStatement): AsyncGenerator<OpenRows> {
  const { setup, sql, signal, spill, threads, memoryLimit } = statement;
  const instance = await DuckDBInstance.create(':memory:', {
    threads: String(threads),
    memory_limit: `${Math.round(statementBytes(memoryLimit) / 1e6)}MB`,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  });
  const connection = await instance.connect();
  const stop = (): void => connection.interrupt();
  // An interrupt between two statements, or chunks, is lost: it is repeated.
  let repeating: NodeJS.Timeout | undefined;
  const onAbort = (): void => {
    stop();
    repeating = setInterval(stop, 20);
  };
  signal.addEventListener('abort', onAbort);
  try {
    for (const one of setup) {
      if (signal.aborted) throw new CancelledError();
      await connection.run(one);
    }
    const folder = spill === undefined ? '' : join(spill, SPILLED);
    await connection.run(
      [
        `SET temp_directory = ${literal(folder)}`,
        ...(folder === '' ? [] : [`SET allowed_directories = [${literal(folder)}]`]),
        'SET enable_external_access = false',
        'SET lock_configuration = true',
      ].join(';'),
    );
    yield* rowsOf(connection, sql, signal);
  } catch (error) {
    if (signal.aborted) throw new CancelledError();
    throw storeError(error);
  } finally {
    signal.removeEventListener('abort', onAbort);
    clearInterval(repeating);
    connection.closeSync();
    instance.closeSync();
  }
}

async function* rowsOf(
  connection: DuckDBConnection,
  sql: string,
  signal: AbortSignal,
): AsyncGenerator<OpenRows> {
  try {
    if (sql.trim() === '') throw readsOnly('no statement');
    const found = await connection.extractStatements(sql);
    if (found.count !== 1)
      throw readsOnly(found.count === 0 ? 'no statement' : `${found.count} statements`);
    const one = await found.prepare(0);
    if (one.statementType !== StatementType.SELECT) throw readsOnly('another kind of statement');
    let names: readonly string[] = [];
    const start = async (): Promise<DuckDBResult> => {
      const result = await one.stream();
      names = result.deduplicatedColumnNames();
      return result;
    };
    let hasRows = false;
    for await (const { chunk } of resultChunks({ connection, sql, signal, start })) {
      hasRows = true;
      yield { names, rows: chunk.getRows().map((row) => row.map(openValue)) };
    }
    if (!hasRows) yield { names, rows: [] };
  } catch (error) {
    throw wrongAsUsage(error);
  }
}

function readsOnly(found: string): DaybookError {
  return new DaybookError(
    'usage',
    `only one read-only statement can be run, such as SELECT, DESCRIBE or SUMMARIZE; found ${found}`,
    'to do more, run the script that daybook sql CASE prints in your own DuckDB',
  );
}

/** Errors in the statement itself; the position in it, which DuckDB draws below its line, is removed. */
const WRONG =
  /((?:Parser|Binder|Catalog|Conversion|Permission|Invalid Input|Out of Range|Not implemented) Error: [^]*?)(?:\s+LINE \d+:[^]*)?$/;

/** DuckDB's error about a statement that it cannot parse or run, as a usage error with its wording. */
function wrongAsUsage(error: unknown): unknown {
  const [, said] = WRONG.exec(error instanceof Error ? error.message : '') ?? [];
  if (said === undefined) return error;
  return new DaybookError(
    'usage',
    said.replaceAll(/\s+/g, ' '),
    'daybook sql CASE --run "DESCRIBE events" lists the columns',
    error,
  );
}

function openValue(value: DuckDBValue): OpenValue {
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'bigint')
    return value >= -9007199254740991n && value <= 9007199254740991n
      ? Number(value)
      : String(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (value === undefined || value === null) return null;
  if (value instanceof DuckDBMapValue)
    return record(value.entries.map(({ key, value: of }) => [textOf(key), openValue(of)]));
  if (value instanceof DuckDBStructValue)
    return record(Object.entries(value.entries).map(([name, of]) => [name, openValue(of)]));
  if ('items' in value && Array.isArray(value.items)) return value.items.map(openValue);
  return String(value);
}

/** `fromEntries` treats `__proto__` like any other name. */
function record(entries: readonly (readonly [string, OpenValue])[]): OpenValue {
  return Object.fromEntries(entries);
}

function textOf(key: DuckDBValue): string {
  return typeof key === 'string' ? key : String(key);
}
