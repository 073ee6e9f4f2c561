import { createHash } from 'node:crypto';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { evidence } from '../../../app/compose.ts';
import type { OperationName, Params, Part } from '../../contract/operations.ts';
import { eveJson, pcapOf, rfc3164 } from '../../ingest/testing/small-evidence.ts';
import { called } from '../testing/called.ts';
import { smallCase, type SmallCase } from '../testing/small-case.ts';
import { outputHandlers } from './handlers.ts';
import { markHandlers } from '../marks/handlers.ts';

let small: SmallCase;
let handlers: ReturnType<typeof outputHandlers>;

/** Text that a spreadsheet, a browser or a terminal would act on. */
const HOSTILE = [
  '=HYPERLINK("http://example.invalid","x")',
  '<script>globalThis.ran = 1</script>',
  '"><img src=x onerror=alert(1)>',
  'reversed \u202e txt.exe \u2066',
  'bell \u0007 escape \u001b[31m',
  `long ${'x'.repeat(1_000_000)}`,
];

beforeAll(async () => {
  const hostile = HOSTILE.map(
    (text, n) => `<38>1 2026-03-04T10:00:0${n}.5Z host${n} app ${n} - - ${text}\n`,
  ).join('');
  const many = JSON.stringify({
    timestamp: '2026-03-04T10:00:00.125000+0000',
    event_type: 'alert',
    src_ip: '10.0.0.1',
    ...Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`name${n}<b>`, `v${n}`])),
  });
  small = await smallCase(
    {
      'a.log': rfc3164(50),
      'b.log': hostile,
      'c.json': `${eveJson(6)}not json\n${eveJson(2)}`,
      'd.pcap': pcapOf(5),
      'e.json': `${many}\n`,
      'f <script>alert(2)</script>.log': rfc3164(3).replaceAll('gate', 'other'),
    },
    evidence,
    { options: { timeZone: 'Europe/Berlin' } },
  );
  handlers = outputHandlers(small.services, { version: '1.2.3' });
});
afterAll(() => small.dispose());

type Output = 'export.rows' | 'report.write';
/** Runs an operation without a path and puts its parts together. */
async function written<N extends Output>(name: N, params: Omit<Params<N>, 'case'>) {
  const { result, parts } = await called<Output>(handlers, name, {
    case: small.folder,
    ...params,
  });
  const bytes = Buffer.concat(
    (parts as Part<OperationName>[]).flatMap((part) =>
      typeof part === 'object' && 'bytes' in part && part.bytes instanceof Uint8Array
        ? [part.bytes]
        : [],
    ),
  );
  expect(result.bytes).toBe(bytes.length);
  expect(result.sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
  return { result, bytes, text: bytes.toString('utf8') };
}
const rowsOf = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const audit = () =>
  small.services.cases.use(small.folder, async (session) => session.catalog.audit.entries());

describe('export.rows', () => {
  it('writes CSV with the chosen fields, in the chosen order, and defuses formulas', async () => {
    const { text, result } = await written('export.rows', {
      query: 'program:app NOT message:long',
      format: 'csv',
      fields: ['host', 'message'],
      sort: { field: 'host', descending: true },
    });
    const lines = text.split('\n');
    expect(lines[0]).toBe('host,message');
    expect(lines.slice(1, 6).map((line) => line.slice(0, 6))).toEqual([
      ...['host4,', 'host3,', 'host2,', 'host1,', 'host0,'],
    ]);
    expect(lines[5]).toBe(`host0,"'=HYPERLINK(""http://example.invalid"",""x"")"`);
    expect(result).toMatchObject({ rows: 5 });
  });

  it('writes NDJSON with everything an event has, in the zone that was chosen', async () => {
    const { text } = await written('export.rows', {
      query: 'host:host1',
      format: 'ndjson',
      zone: 'Europe/Berlin',
    });
    expect(rowsOf(text)).toMatchObject([
      { ts: '2026-03-04T11:00:01.5+01:00', host: 'host1', message: HOSTILE[1] },
    ]);
  });

  it('keeps the order, the fields and the limit of the query itself', async () => {
    const { text } = await written('export.rows', {
      query: 'host:gate | sort pid desc | fields pid | head 10',
      format: 'ndjson',
      limit: 2,
    });
    expect(rowsOf(text)).toEqual([{ pid: 149 }, { pid: 148 }]);
  });

  it('writes what lists show of an event, which is no field', async () => {
    const { text } = await written('export.rows', {
      query: 'kind:flow source:d.pcap',
      format: 'csv',
      fields: ['kind', 'src_ip', 'summary', 'dst_port'],
      limit: 1,
    });
    const [head, first] = text.split('\n');
    expect(head).toBe('kind,src_ip,summary,dst_port');
    expect(first).toMatch(/^flow,10\.0\.0\.1,\w+ udp \d+ pkts? \d+ B → .*,\d+$/);
    const logs = await written('export.rows', {
      query: 'host:host1',
      format: 'ndjson',
      fields: ['summary'],
    });
    expect(rowsOf(logs.text)).toEqual([{ summary: HOSTILE[1] }]);
  });

  it('expands names that stand for several, in the header too', async () => {
    const { text } = await written('export.rows', {
      query: 'kind:packet',
      format: 'csv',
      fields: ['ip', 'id.orig_p'],
      limit: 1,
    });
    expect(text).toBe('src_ip,dst_ip,src_port\n10.0.0.1,10.0.0.2,40000\n');
  });

  it.each([
    ['kind:packet | top 2 src_port', 'src_port,count,share\n40000,1,0.2\n40001,1,0.2\n'],
    ['kind:packet | count', 'count\n5\n'],
  ])('writes what %s gives', async (query, csv) => {
    expect((await written('export.rows', { query, format: 'csv' })).text).toBe(csv);
  });

  it('writes Parquet that DuckDB reads', async () => {
    const path = join(small.root, 'rows.parquet');
    const { result } = await called(handlers, 'export.rows', {
      ...{ case: small.folder, query: 'host:gate', format: 'parquet', path },
      fields: ['ts', 'host', 'pid'],
    });
    expect(result).toMatchObject({ rows: 50, path });
    const file = readFileSync(path);
    expect(result.sha256).toBe(createHash('sha256').update(file).digest('hex'));
    const connection = await (await DuckDBInstance.create()).connect();
    const reader = await connection.runAndReadAll(
      `SELECT count(*)::INTEGER, min(pid)::INTEGER, max(host) FROM '${path}'`,
    );
    expect(reader.getRows()).toEqual([[50, 100, 'gate']]);
    // Without rows it has its columns.
    const none = join(small.root, 'none.parquet');
    await called(handlers, 'export.rows', {
      ...{ case: small.folder, query: 'nothing_like_this', format: 'parquet', path: none },
      fields: ['ts', 'host'],
    });
    const empty = await connection.runAndReadAll(`SELECT * FROM '${none}'`);
    expect(empty.columnNames()).toEqual(['ts', 'ts_ns', 'host']);
    expect(empty.getRows()).toEqual([]);
    connection.closeSync();
  });

  it('never writes over evidence or into the case, by whatever name', async () => {
    const source = join(small.evidence, 'a.log');
    const before = readFileSync(source);
    const link = join(small.root, 'link.log');
    linkSync(source, link);
    symlinkSync(small.folder, join(small.root, 'way-in'));
    const run = (path: string) =>
      called(handlers, 'export.rows', { case: small.folder, query: '*', format: 'csv', path });
    for (const path of [
      source,
      link,
      join(small.folder, 'case.sqlite'),
      join(small.folder, 'new.csv'),
      join(small.root, 'way-in', 'x.csv'),
      small.evidence,
    ])
      await expect(run(path), path).rejects.toMatchObject({ code: 'usage' });
    await expect(run(join(small.root, 'no', 'folder.csv'))).rejects.toMatchObject({
      code: 'unreadable',
    });
    expect(readFileSync(source)).toEqual(before);
    rmSync(link);
  });

  it('leaves what was there when it is cancelled or fails, and no other file', async () => {
    const folder = join(small.root, 'kept');
    mkdirSync(folder);
    const path = join(folder, 'rows.csv');
    writeFileSync(path, 'kept');
    const signal = AbortSignal.abort();
    const params = { case: small.folder, query: '*', format: 'csv', path } as const;
    await expect(called(handlers, 'export.rows', params, { signal })).rejects.toMatchObject({
      code: 'cancelled',
    });
    await expect(
      called(handlers, 'export.rows', { ...params, query: '"unclosed' }),
    ).rejects.toMatchObject({ code: 'query-syntax' });
    expect(readFileSync(path, 'utf8')).toBe('kept');
    expect(readdirSync(folder)).toEqual(['rows.csv']);
    await called(handlers, 'export.rows', params);
    expect(readFileSync(path, 'utf8')).toMatch(/^ts,kind,/);
    expect(readdirSync(folder)).toEqual(['rows.csv']);
  });

  it('is in the audit log with its hash', async () => {
    const { result } = await written('export.rows', { query: 'host:gate', format: 'csv' });
    const last = (await audit()).at(-1);
    expect(last).toMatchObject({ operation: 'export', intact: true });
    expect(last?.detail).toMatchObject({ query: 'host:gate', rows: 50, sha256: result.sha256 });
  });
});

describe('report.write', () => {
  it('says everything that it promises, and stays text', async () => {
    const marks = markHandlers(small.services);
    const { folder } = small;
    const target = { view: { query: 'program:app' } };
    await called(marks, 'tag.set', { case: folder, name: '<u>tag</u>', target });
    await called(marks, 'note.set', { case: folder, event: '1:1', text: '<i>note</i>\nsecond' });
    await called(marks, 'delete.run', {
      ...{ case: folder, reason: 'legal <b>hold</b>' },
      target: { events: ['1:2', '1:3'] },
    });
    for (const view of ['?q=host%3Agate', '?q=kind%3Apacket+%7C+top+src_port', '?q=%28unclosed'])
      await called(marks, 'search.save', { case: folder, name: `View ${view}`, view });
    const { text, bytes } = await written('report.write', {
      title: 'Title <script>',
      author: '& author',
      zone: 'Europe/Berlin',
    });

    expect(text).not.toMatch(/<script|<img|<i>|<u>|<b>hold|onerror=[^&]*>|javascript:|style="/i);
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
    expect(text).toContain('&lt;script&gt;globalThis.ran = 1&lt;/script&gt;');
    expect(text).toContain('reversed <span class="control">\\u202e</span> txt.exe');
    expect(text).toContain('<span class="control">\\x1b</span>[31m');
    expect(text).not.toMatch(/x{3000}/);
    expect(bytes.length).toBeLessThan(300_000);

    const style = /<style>([^]*?)<\/style>/.exec(text)?.[1] ?? '';
    const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(text)?.[1] ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain(
      `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    );
    for (const reference of text.matchAll(/(?:href|src)="([^"]*)"/g))
      expect(reference[1]).toMatch(/^#/);
    const anchors = new Set([...text.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id));
    for (const [, to] of text.matchAll(/href="#([^"]*)"/g)) expect(anchors).toContain(to);

    const sources = await small.services.cases.use(folder, async (session) =>
      session.catalog.sources.all(),
    );
    for (const source of sources) expect(text).toContain(source.rawSha256);
    const numbers = (cells: readonly string[]): number[] =>
      cells.map((one) => Number(one.replaceAll(',', '')));
    const [sum = []] = [
      ...text.matchAll(
        /([\d,]+) read = ([\d,]+) stored \+ ([\d,]+) duplicate \+ ([\d,]+) quarantined \+ ([\d,]+) skipped/g,
      ),
    ].map((match) => numbers(match.slice(1)));
    // Each source with its number, from 1 on, and its ledger; the last row is their sum.
    const table = /Sources in this report[^]*?<\/table>/.exec(text)?.[0] ?? '';
    const rows = [...table.matchAll(/<tr>[^]*?<\/tr>/g)]
      .map(([row]) =>
        [...row.matchAll(/<td class="number">([\d,]*)<\/td>/g)].map(([, cell = '']) => cell),
      )
      .filter((cells) => cells.length > 0);
    const whole = numbers(rows.pop()!.slice(-5));
    expect(rows.map(([no]) => no)).toEqual(sources.map((_, i) => String(i + 1)));
    const ledgers = rows.map((cells) => numbers(cells.slice(-5)));
    for (const [read = 0, ...parts] of [whole, ...ledgers])
      expect(parts.reduce((all, part) => all + part, 0)).toBe(read);
    expect(whole).toEqual(sum);
    expect(whole).toEqual(whole.map((_, i) => ledgers.reduce((all, one) => all + one[i]!, 0)));

    expect(text).toContain('legal &lt;b&gt;hold&lt;/b&gt;');
    expect(text).toContain('&lt;u&gt;tag&lt;/u&gt;');
    expect(text).toContain('&lt;i&gt;note&lt;/i&gt;<br>\nsecond');
    expect(text).toMatch(/could not be run for this report: /);
    expect(text).toMatch(/<svg[^>]*role="img"/);
    expect(text).toContain('Europe/Berlin');
    expect(text).not.toMatch(/counts do not add up|does not match its hash/);
    // Lists are limited.
    expect(text).not.toMatch(/Every (run|deletion)|All sources of/);
  });

  it('is the same twice, but for its time and its entry in the audit trail', async () => {
    const texts = [await written('report.write', {}), await written('report.write', {})].map(
      ({ text }) =>
        text
          .replace(/(?<=>)\s+/g, '')
          .replace(/<tr>[^]*?<\/tr>/g, (row) => (row.includes('>report<') ? '' : row))
          .replace(/\d+ (entry|entries)(?=\. Daybook)/, '')
          // The foot of printed pages has the time, and the policy names the style sheet by its hash.
          .replace(/(?<=content: "Written )[^"]*/, '')
          .replace(/(?<=style-src &#39;sha256-|style-src 'sha256-)[^&']*/, '')
          .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ(?=<\/span>(, by|<\/footer))/g, ''),
    );
    expect(texts[0]).toBe(texts[1]);
  });

  it('says what is wrong where a ledger does not add up or an audit entry was changed', async () => {
    const { default: Database } = await import('better-sqlite3');
    const db = new Database(join(small.folder, 'case.sqlite'));
    db.exec('DROP TRIGGER audit_no_update');
    db.exec("UPDATE audit SET user = 'someone' WHERE id = 1");
    // Two ledgers that are wrong by as much: their sum is right.
    db.exec('UPDATE sources SET read = read + 1 WHERE id = 1');
    db.exec('UPDATE sources SET read = read - 1 WHERE id = 2');
    db.close();
    const { text } = await written('report.write', {});
    expect(text.match(/The counts do not add up/g)).toHaveLength(2);
    expect(text).not.toContain('accounted for');
    expect(text).toContain(
      'At least one entry does not match its hash: it, or an entry\nbefore it,',
    );
  });

  it('goes to a file', async () => {
    const path = join(small.root, 'report.html');
    const { result } = await called(handlers, 'report.write', { case: small.folder, path });
    expect(existsSync(path)).toBe(true);
    expect(result.path).toBe(path);
  });
});

describe('hand-over.run', () => {
  it('writes a case to a folder, says how far it is, and what it did', async () => {
    const whole = await smallCase({ 'a.log': rfc3164(50), 'b.pcap': pcapOf(5) }, evidence);
    try {
      const handlers = outputHandlers(whole.services, { version: '1.2.3' });
      const folder = join(whole.root, 'handed-over');
      const params = { case: whole.folder, folder };
      const { result, parts } = await called(handlers, 'hand-over.run', params);
      expect(result).toMatchObject({ folder, events: 60, byKind: { log: 50, packet: 5, flow: 5 } });
      expect(parts[0]).toMatchObject({ of: 60 });
      const manifest = readFileSync(join(folder, 'manifest.json'));
      expect(createHash('sha256').update(manifest).digest('hex')).toBe(result.sha256);
      const again = await called(handlers, 'hand-over.run', params);
      expect(again.result).toMatchObject({ written: 1, kept: result.files - 1 });
    } finally {
      await whole.dispose();
    }
  });
});
