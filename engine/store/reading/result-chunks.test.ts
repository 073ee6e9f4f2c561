/** A result ends at its last row, or with DuckDB's error. */
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { resultChunks } from './result-chunks.ts';

let instance: DuckDBInstance;
let connection: DuckDBConnection;
beforeEach(async () => {
  instance = await DuckDBInstance.create(':memory:', { threads: '2' });
  connection = await instance.connect();
});
afterEach(() => {
  connection.closeSync();
  instance.closeSync();
});

const ROWS = 500_000;
async function rowsOf(sql: string, values: number[] = [], signal?: AbortSignal): Promise<number> {
  let rows = 0;
  for await (const { chunk } of resultChunks({ connection, sql, values, signal }))
    rows += chunk.rowCount;
  return rows;
}
const failingAt = (row: string): string =>
  `SELECT CASE WHEN range = ${row} THEN error('late')::VARCHAR ELSE 'x' END FROM range(${ROWS})`;

it('gives every row', async () => {
  await expect(rowsOf(`SELECT * FROM range(${ROWS})`)).resolves.toBe(ROWS);
  await expect(rowsOf('SELECT 1 WHERE false')).resolves.toBe(0);
  await connection.run('CREATE TABLE t (a INTEGER)');
  await expect(rowsOf('INSERT INTO t VALUES (1), (2)')).resolves.toBe(1);
  await expect(rowsOf('SELECT * FROM t')).resolves.toBe(2);
});

it.each(['0', '400000', String(ROWS - 1)])('says that DuckDB failed at row %s', async (row) => {
  await expect(rowsOf(failingAt(row))).rejects.toThrow('late');
  await expect(rowsOf('SELECT 1')).resolves.toBe(1);
});

it('says so of a statement with values, too', async () => {
  await expect(rowsOf(failingAt('$1::BIGINT'), [400_000])).rejects.toThrow('late');
});

it('says that memory did not suffice for a later row', async () => {
  await connection.run("SET memory_limit = '64MB'; SET temp_directory = ''");
  const sql = `SELECT range FROM range(${ROWS}) UNION ALL SELECT len(list(range)) FROM range(${ROWS * 40})`;
  await expect(rowsOf(sql)).rejects.toThrow('Out of Memory');
});

it('can be left before its end, and cancelled', async () => {
  for await (const { chunk } of resultChunks({ connection, sql: failingAt('400000') })) {
    expect(chunk.rowCount).toBeGreaterThan(0);
    break;
  }
  const abort = new AbortController();
  abort.abort();
  await expect(rowsOf(`SELECT * FROM range(${ROWS})`, [], abort.signal)).rejects.toMatchObject({
    code: 'cancelled',
  });
  await expect(rowsOf('SELECT 1')).resolves.toBe(1);
});
