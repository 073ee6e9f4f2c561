/** Newline-delimited JSON to Parquet, by a DuckDB that may touch one folder only. */
import { DuckDBInstance } from '@duckdb/node-api';
import { identifier, literal, storeError } from './segment-builder.ts';

/** Columns of times: stored as timestamps with a zone; everything else as its JSON type. */
const TIMES: ReadonlySet<string> = new Set(['ts', 'first', 'last', 'start']);

/** @throws DaybookError disk-full */
export async function exportParquet(
  folder: string,
  rows: string,
  out: string,
  names: readonly string[],
): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:', { memory_limit: '1GB', threads: '1' });
  const connection = await instance.connect();
  try {
    await connection.run(`SET allowed_directories = [${literal(folder)}]`);
    await connection.run('SET enable_external_access = false');
    await connection.run('SET lock_configuration = true');
    const list = names.map((name) =>
      TIMES.has(name)
        ? `${identifier(name)}::TIMESTAMPTZ AS ${identifier(name)}`
        : identifier(name),
    );
    const source = `read_json(${literal(rows)}, format = 'newline_delimited', sample_size = -1, convert_strings_to_integers = false, timestampformat = 'none', dateformat = 'none', maximum_object_size = 33554432)`;
    await connection.run(
      `COPY (SELECT ${list.join(', ')} FROM ${source}) TO ${literal(out)} (FORMAT parquet)`,
    );
  } catch (error) {
    throw storeError(error);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
