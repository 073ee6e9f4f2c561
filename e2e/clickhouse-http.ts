/**
 * ClickHouse's HTTP interface over a ClickHouse in this process (chdb), for tests: as much of it as its official client
 * uses. Statements are those that a server would get; chdb has no server of its own, and reads what is sent with an INSERT
 * from a file, in place of `input(…)`. Writes its port on standard output; ends with its standard input.
 *
 *   node e2e/clickhouse-http.ts MODULE FOLDER
 */
import { createWriteStream, rmSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { text } from 'node:stream/consumers';

interface Session {
  query(sql: string, format: string): string;
}

const [, , module, folder] = process.argv;
process.chdir(folder!);
const chdb = createRequire(import.meta.url)(module!) as { Session: new (path: string) => Session };
const session = new chdb.Session('./clickhouse');

/** Parameters of a request that are not settings. */
const OWN = [
  'query',
  'query_id',
  'database',
  'session_id',
  'default_format',
  'enable_http_compression',
];
let requests = 0;

async function answer(request: IncomingMessage): Promise<string> {
  const url = new URL(request.url ?? '/', 'http://localhost');
  if (url.pathname === '/ping') return 'Ok.\n';
  for (const [name, value] of url.searchParams)
    if (!OWN.includes(name)) session.query(`SET ${name} = '${value}'`, 'TSV');
  const sql = url.searchParams.get('query');
  if (sql === null) return session.query(await text(request), 'TSV');
  const data = path.resolve(`request-${++requests}`);
  try {
    await pipeline(request, createWriteStream(data));
    const [, insert, structure, format] =
      /^([^]*) FROM input\(([^]*)\) FORMAT (\w+)\s*$/.exec(sql) ?? [];
    return session.query(
      insert === undefined ? sql : `${insert} FROM file('${data}', ${format}, ${structure})`,
      'TSV',
    );
  } finally {
    rmSync(data, { force: true });
  }
}

const server = createServer((request, response) => {
  answer(request).then(
    (body) => response.end(body),
    (error: unknown) => {
      const message = String(error instanceof Error ? error.message : error);
      const [, code = '1'] = /Code: (\d+)/.exec(message) ?? [];
      response.writeHead(500, { 'X-ClickHouse-Exception-Code': code });
      response.end(message.replace(/^[^]*?(?=Code: )/, ''));
    },
  );
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object') process.stdout.write(`${address?.port}\n`);
});
process.stdin.resume().once('end', () => process.exit(0));
