/** The process that holds plain DuckDB: `node duckdb-session.ts FILE`. */
import { DuckDBInstance } from '@duckdb/node-api';
import { serveLines } from './json-session.ts';

const instance = await DuckDBInstance.create(process.argv[2]);
const connection = await instance.connect();
await serveLines(async (line) => {
  const from = performance.now();
  const reader = await connection.runAndReadAll(JSON.parse(line) as string);
  const rows = reader.getRowsJson();
  return { ms: performance.now() - from, rows };
});
