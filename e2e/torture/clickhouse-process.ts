/**
 * ClickHouse (chdb) in a separate process: runs the statements of a `LineProcess`, a JSON string each, and returns
 * their rows or errors.
 */
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';

interface Session {
  query(sql: string, format: string): string;
}

const [, , module, folder] = process.argv;
process.chdir(folder!);
const chdb = createRequire(import.meta.url)(module!) as { Session: new (path: string) => Session };
const session = new chdb.Session('./clickhouse');
// Otherwise JSON has null for numbers beyond the largest.
session.query('SET output_format_json_quote_denormals = 1', 'JSONEachRow');

for await (const line of createInterface({ input: process.stdin })) {
  let answer: { rows: unknown[] } | { error: string };
  try {
    const text = session.query(JSON.parse(line) as string, 'JSONEachRow');
    const rows = text.split('\n').filter((one) => one !== '');
    answer = { rows: rows.map((one) => JSON.parse(one) as unknown) };
  } catch (error) {
    answer = { error: error instanceof Error ? error.message : String(error) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
// Its threads do not end by themselves.
process.exit(0);
