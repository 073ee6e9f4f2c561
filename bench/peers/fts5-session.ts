/**
 * The process that holds SQLite: `node fts5-session.ts FILE`. Beside statements it takes
 * `.index LOG`, which reads a log into the contentless index `log`, a row per line.
 */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import Database from 'better-sqlite3';
import { serveLines } from './json-session.ts';

const database = new Database(process.argv[2]);
database.pragma('journal_mode = OFF');
database.pragma('synchronous = OFF');
const LINES_A_TRANSACTION = 100_000;

async function index(path: string): Promise<void> {
  database.exec(
    "CREATE VIRTUAL TABLE log USING fts5(line, content='', detail=none, tokenize=\"ascii tokenchars '_'\")",
  );
  const insert = database.prepare('INSERT INTO log(rowid, line) VALUES (?, ?)');
  let number = 0;
  database.exec('BEGIN');
  for await (const line of createInterface({ input: createReadStream(path) })) {
    insert.run(++number, line);
    if (number % LINES_A_TRANSACTION === 0) database.exec('COMMIT; BEGIN');
  }
  database.exec('COMMIT');
}

await serveLines(async (line) => {
  const statement = JSON.parse(line) as string;
  const from = performance.now();
  const file = /^\.index (.+)$/.exec(statement)?.[1];
  let rows: unknown = [];
  if (file !== undefined) await index(file);
  else {
    const prepared = database.prepare(statement);
    if (prepared.reader) rows = prepared.raw().all();
    else prepared.run();
  }
  return { ms: performance.now() - from, rows };
});
