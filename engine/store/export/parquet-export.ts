/** Converts newline-delimited JSON to Parquet, in a DuckDB that may access one folder only. */
import { DuckDBInstance } from '@duckdb/node-api';
import { identifier, literal, storeError } from '../segment-builder.ts';

/** Time columns: stored as timestamps with a zone; all others have their JSON types. */
const TIMES: ReadonlySet<string> = new Set(['ts', 'first', 'last', 'start']);
/** A timestamp with a zone has microseconds: the remaining nanoseconds of `ts` are in this column, 0 to 999. */
const NANOS = 'ts_ns';

/** DuckDB's memory for writing, in addition to that of the query whose rows are written. */
const MEMORY_LIMIT = '192MB';
/** Rows of a group, which is in memory as a whole; fewer if rows are wide. */
const GROUP_ROWS = 61_440;
const LEAST_GROUP_ROWS = 2048;
const GROUP_BYTES = 16e6;
/** The buffer for lines has twice the size of the longest possible line. */
const LEAST_LINE_BYTES = 2 << 20;

/** Lines of JSON in a file. */
interface JsonLines {
  readonly file: string;
  readonly count: number;
  readonly bytes: number;
  /** Length of the longest line in bytes. */
  readonly longest: number;
}

/**
 * @param rows undefined: none, the file has only columns
 * @throws DaybookError disk-full
 */
export async function exportParquet(
  folder: string,
  rows: JsonLines | undefined,
  out: string,
  names: readonly string[],
): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:', {
    memory_limit: MEMORY_LIMIT,
    threads: '1',
  });
  const connection = await instance.connect();
  try {
    await connection.run(`SET allowed_directories = [${literal(folder)}]`);
    await connection.run('SET enable_external_access = false');
    await connection.run('SET lock_configuration = true');
    const list = names.flatMap((name) => {
      if (!TIMES.has(name)) return [identifier(name)];
      const time = `${identifier(name)}::TIMESTAMPTZ AS ${identifier(name)}`;
      if (name !== 'ts' || names.includes(NANOS)) return [time];
      const digits = `nullif(regexp_extract(ts::VARCHAR, '\\.\\d{6}(\\d{3})', 1), '')`;
      return [time, `${digits}::USMALLINT AS ${NANOS}`];
    });
    const none = names.map((name) => `NULL::VARCHAR AS ${identifier(name)}`);
    const source =
      rows === undefined
        ? `(SELECT ${none.join(', ')} WHERE false)`
        : `read_json(${literal(rows.file)}, format = 'newline_delimited', sample_size = -1, convert_strings_to_integers = false, timestampformat = 'none', dateformat = 'none', maximum_object_size = ${Math.max(LEAST_LINE_BYTES, rows.longest)})`;
    const fitting = rows && Math.floor((GROUP_BYTES * rows.count) / rows.bytes);
    const group = Math.max(LEAST_GROUP_ROWS, Math.min(GROUP_ROWS, fitting ?? GROUP_ROWS));
    await connection.run(
      `COPY (SELECT ${list.join(', ')} FROM ${source}) TO ${literal(out)} (FORMAT parquet, ROW_GROUP_SIZE ${group})`,
    );
  } catch (error) {
    throw storeError(error);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
