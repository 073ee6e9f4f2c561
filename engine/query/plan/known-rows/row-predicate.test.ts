/** Conditions on row numbers, run by DuckDB: the rows they select, and how many it reads for that. */
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RowSet } from '../../../util/row-set.ts';
import { Params } from '../../dialect/duckdb.ts';
import { rowsPredicate } from './row-predicate.ts';

const ROWS = 100_000;
const VECTOR = 2048;
let instance: DuckDBInstance;
let connection: DuckDBConnection;
beforeAll(async () => {
  instance = await DuckDBInstance.create(':memory:');
  connection = await instance.connect();
  await connection.run(
    `CREATE TABLE events AS SELECT 'text ' || i AS message FROM range(${ROWS}) AS r(i)`,
  );
});
afterAll(() => {
  connection.closeSync();
  instance.closeSync();
});

interface Operator {
  readonly operator_type?: string;
  readonly operator_cardinality?: number;
  readonly children?: readonly Operator[];
}
function scanned({
  operator_type: type,
  operator_cardinality: rows,
  children = [],
}: Operator): number {
  if (type === 'TABLE_SCAN') return rows ?? NaN;
  return children.reduce((sum, child) => sum + scanned(child), 0);
}

/** @param most rows that may be read */
const CASES: readonly { name: string; rows: readonly number[]; most: number }[] = [
  { name: 'one row', rows: [54_321], most: 1 },
  { name: 'neighbours', rows: [700, 701, 702], most: 3 },
  { name: 'two rows, all others between them', rows: [0, ROWS - 1], most: 2 * VECTOR },
  { name: 'rows far apart', rows: [7, 30_000, 60_000, 99_000], most: 4 * VECTOR },
  { name: 'rows of one vector', rows: [4096, 4100, 4200], most: VECTOR },
  {
    name: 'more than are listed',
    rows: Array.from({ length: 2000 }, (_, i) => 20_000 + i * 2),
    most: 4000,
  },
];

describe('a set of rows', () => {
  test.each(CASES)('$name', async ({ rows, most }) => {
    const params = new Params();
    const predicate = rowsPredicate(RowSet.ofSorted(Uint32Array.from(rows), ROWS), params);
    if (!('sql' in predicate)) throw new Error('not a condition');
    const { sql, params: values } = params.finish(
      `SELECT rowid::INTEGER, message FROM events WHERE ${predicate.sql}`,
    );
    const found = await connection.runAndReadAll(sql, values);
    expect(found.getRowsJS()).toEqual(rows.map((row) => [row, `text ${row}`]));
    const analysed = await connection.runAndReadAll(
      `EXPLAIN (ANALYZE, FORMAT json) ${sql}`,
      values,
    );
    const [[, plan]] = analysed.getRowsJS() as [[string, string]];
    expect(scanned(JSON.parse(plan) as Operator)).toBeLessThanOrEqual(most);
  });
});
