/**
 * A handed-over case is attached to ClickHouse over its HTTP interface and queried there as on this machine (the
 * server is described in e2e/clickhouse-http.ts). Skipped where chdb cannot be fetched; the test's name says why.
 */
import { appendFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Random } from '../../fixtures/evidence/random.ts';
import { type ClickHouseServer, clickhouseServer } from '../clickhouse-server.ts';
import { CUTS, cuttingProxy } from '../cutting-proxy.ts';
import { generateEvidence, writeTotals } from '../harness.ts';
import { bucketServer, clickhouseModule, whyNot } from '../provision/index.ts';
import { s3Server } from '../s3-server.ts';
import { assertClearMessage, Commands, daybook, json, scratch, start } from './harness.ts';

const space = scratch();
const commands = new Commands();
const reason = whyNot('clickhouse');
const acme = path.join(space.folder, 'acme.daybook');
const handedOver = path.join(space.folder, 'handed-over');
let server: ClickHouseServer | undefined;
/** Of a case that is attached repeatedly; DAYBOOK_KILLS sets how many. */
const INTERRUPTIONS = Number(process.env['DAYBOOK_KILLS'] ?? 8);
const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' };

const at = (database: string): string => `clickhouse://127.0.0.1:${server!.port}/${database}`;

async function run(...args: string[]): Promise<string> {
  const { status, out, err } = await commands.run(args);
  expect(status, `${args.join(' ')}: ${err}`).toBe(0);
  return out;
}

/** A file for lookups, too long for a statement. */
const owners = path.join(space.folder, 'owners.csv');

/** Runs a statement on the server, not through Daybook. */
async function ask(sql: string): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${server!.port}/`, { method: 'POST', body: sql });
  const text = await answer.text();
  expect(answer.ok, `${sql}: ${text}`).toBe(true);
  return text.trim();
}

async function expectRefused(args: readonly string[], message: string): Promise<void> {
  const { status, out, err } = await commands.run(args);
  expect(status, err).toBeGreaterThan(0);
  expect(out).toBe('');
  assertClearMessage(err);
  expect(err).toContain(message);
}

interface Attached {
  readonly events: number;
  readonly files: number;
  readonly sent: number;
  readonly differing: readonly { readonly path: string; readonly message: string }[];
  readonly addedTags: number;
}

async function attach(database: string, from = handedOver): Promise<Attached> {
  return json<Attached>(await commands.run(['attach', at(database), from, '--json']));
}

beforeAll(async () => {
  const module = clickhouseModule();
  if (reason !== undefined || module === undefined) return;
  await generateEvidence(space.folder, '--scale', '0.05');
  // An event with both of two spellings of a name.
  writeFileSync(
    path.join(space.folder, 'evidence', 'spellings.jsonl'),
    ['"Zone":"a","zone":"b"', '"zone":"c"', '"ZONE":"d","zone":"e","Zone":"f"']
      .map((more, i) => `{"time":"2026-10-13T10:00:0${i}Z","message":"spelt ${i}",${more}}\n`)
      .join(''),
  );
  // Attributes that are named as columns are.
  writeFileSync(
    path.join(space.folder, 'evidence', 'named.jsonl'),
    [0, 1, 2]
      .map(
        (i) =>
          `{"timestamp":"2026-10-13T11:00:0${i}Z","message":"named ${i}","user":"u${i}","action":"a${i}","service":"s${i}"}\n`,
      )
      .join(''),
  );
  writeTotals(path.join(space.folder, 'evidence'));
  writeFileSync(
    owners,
    `net,owner,cost\n0.0.0.0/0,world,1\n10.0.0.0/8,inside,2.5\n${Array.from({ length: 1200 }, (_, i) => `10.20.${i >> 8}.${i & 255},desk ${i % 9},${i}\n`).join('')}`,
  );
  for (const args of [
    ['import', acme, path.join(space.folder, 'evidence'), '--recursive'],
    ['tag', acme, 'failed', 'odd'],
    ['hand-over', acme, handedOver],
  ])
    expect((await daybook(args)).status).toBe(0);
  const folder = path.join(space.folder, 'server');
  mkdirSync(folder);
  // It uses these to read from a bucket.
  for (const [name, value] of Object.entries(CREDENTIALS)) vi.stubEnv(name, value);
  server = await clickhouseServer(module, folder);
  const first = json<Attached>(await daybook(['attach', at('acme'), handedOver, '--json']));
  expect(first).toMatchObject({ sent: first.files, differing: [] });
});
afterAll(async () => {
  await commands.close();
  await server?.close();
  space.remove();
});

/** Answers without parts that differ from run to run, or that clusters do not report. */
function comparable(text: string): unknown {
  const lines = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);
  return lines.map((line) => {
    if (Array.isArray(line)) return line as unknown[];
    const rest = new Map(Object.entries(line as Record<string, unknown>));
    for (const name of ['timings', 'notSearched', 'hints', 'packetsBeneath']) rest.delete(name);
    return Object.fromEntries(rest);
  });
}

/** Sums of fractions depend on the order in which they are added. */
function rounded(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, one: unknown) =>
      typeof one === 'number' && !Number.isInteger(one) ? Number(one.toPrecision(10)) : one,
    ),
  ) as unknown;
}

const QUESTIONS: readonly (readonly string[])[] = [
  ['query', 'failed', '--limit', '3'],
  ['query', 'kind:log | fields ts, host, message, source | head 2'],
  ['query', 'kind:flow | fields ts, src_ip, proto, bytes, source | sort -bytes | head 7'],
  ['query', 'attrs.in:2 | top 5 attrs.out'],
  ['query', 'kind:flow | stats sum(bytes), avg(duration) by proto'],
  ['query', 'kind:log | timeline 1d by host'],
  ['query', 'host:nosuch'],
  ['query', 'kind:* named'],
  ['query', 'kind:log | patterns 5 desc'],
  ['query', 'kind:flow src_ip in [ kind:log failed | values src_ip ] | top 3 dst_ip'],
  ['query', 'host not in [ host in [ failed | values host ] | values host ] | count'],
  ['query', 'kind:flow | top 5 community_id'],
  ['query', '* | top tag'],
  ['query', 'failed | fields tag, host | head 3'],
  ['query', 'spelt | fields -ip, -attrs.ZONE, -offset'],
  ['query', 'kind:flow | fields -id.orig_h, -port, -ts | head 3'],
  ['query', 'kind:log | fields -attributes, -source | head 3'],
  ['query', 'spelt | fields host, attributes | fields -ZONE'],
  ['query', 'spelt | fields -zone, -attributes'],
  ['query', 'kind:flow | rename sport as from | eval mb = bytes / 1e6 | head 3'],
  ['query', `kind:flow | lookup "${owners}" on src_ip as net | top 5 owner by sum(cost)`],
  ['query', `kind:flow | lookup "${owners}" on dst_ip as net | sort -cost | head 3`],
  [
    'query',
    `kind:flow src_ip in [ kind:flow | lookup "${owners}" on src_ip as net | where cost > 2 | values src_ip ] | count`,
  ],
  ['query', 'kind:flow | head 3 | union (failed | tail 2)'],
  ['count'],
  ['count', 'tag:odd'],
  ['top', 'src_ip'],
  ['top', 'dst_port', 'kind:flow', '--by', 'sum(bytes)', '--n', '3'],
  ['timeline'],
  ['timeline', 'kind:log', '--interval', '1h'],
  ['fields'],
];

const title = reason === undefined ? 'a case in ClickHouse' : `a case in ClickHouse (${reason})`;

describe.skipIf(reason !== undefined)(title, () => {
  it.each(QUESTIONS)('answers as the case on this machine: %s %s', async (command, ...args) => {
    const local = await run(command, acme, ...args, '--json');
    const there = await run(command, at('acme'), ...args, '--json');
    expect(rounded(comparable(there))).toEqual(rounded(comparable(local)));
  });

  it('lists sources, and explains', async () => {
    interface Source {
      readonly source: string;
      readonly stored: number;
      readonly first: string | null;
    }
    const some = (text: string) =>
      (JSON.parse(text) as Source[]).map(({ source, stored, first }) => ({
        source,
        stored,
        first,
      }));
    expect(some(await run('sources', at('acme'), '--json'))).toEqual(
      some(await run('sources', acme, '--json')),
    );
    const plan = await run('query', at('acme'), 'kind:flow | top 2 src_ip', '--explain');
    expect(plan).toContain("WHERE kind = 'flow'");
    expect(plan).toContain('ReadFromMergeTree');
  });

  it('says which flows state the bytes of both ways as one number', async () => {
    const notesOf = async (...query: string[]) =>
      (JSON.parse(await run('query', at('acme'), ...query, '--json')) as { notes: string[] }).notes;
    expect(await notesOf('kind:flow | talkers 2')).toEqual([
      expect.stringMatching(/totals\.csv.* one number of bytes for both ways/),
    ]);
    expect(await notesOf('kind:flow | count')).toEqual([]);
    const hosts = ['kind:flow ip:10.9.0.7', '--json'];
    const there = await run('hosts', at('acme'), ...hosts);
    expect(there).toContain('"bothWays":5000700');
    expect(there).toBe(await run('hosts', acme, ...hosts));
  });

  it('says what a cluster cannot do', async () => {
    for (const [args, message] of [
      [['compact', at('acme')], 'compact does not work on a cluster'],
      [['count', at('nosuch')], 'has no case'],
      [['count', 'clickhouse://127.0.0.1:1/acme'], 'does not answer: ECONNREFUSED'],
    ] as const)
      await expectRefused(args, message);
  });

  it.each([
    ["max_rows_to_group_by = 1, group_by_overflow_mode = 'any'", 'max_rows_to_group_by = 0'],
    ["max_rows_to_read = 10, read_overflow_mode = 'break'", 'max_rows_to_read = 0'],
  ])('answers in part at no limit of the server: %s', async (limit, none) => {
    await ask(`SET ${limit}`);
    try {
      await expectRefused(['top', at('acme'), 'src_ip'], 'refuses');
    } finally {
      await ask(`SET ${none}`);
    }
  });

  it.each([
    ["additional_result_filter = '1 = 0'", "additional_result_filter = ''"],
    [
      "additional_table_filters = '{''acme.events'': ''1 = 0''}'",
      "additional_table_filters = '{}'",
    ],
    ['limit = 1, offset = 1', 'limit = 0, offset = 0'],
  ])('answers wholly whatever the server cuts off: %s', async (cut, none) => {
    const top = () => run('top', at('acme'), 'src_ip', '--json');
    const whole = comparable(await top());
    await ask(`SET ${cut}`);
    try {
      expect(comparable(await top())).toEqual(whole);
    } finally {
      await ask(`SET ${none}`);
    }
  });

  it('sends nothing twice, and says and loads again what differs', async () => {
    expect(await attach('acme')).toMatchObject({ sent: 0, differing: [] });
    await ask(
      "ALTER TABLE acme.events DELETE WHERE kind = 'dns' AND day = '2026-10-13' SETTINGS mutations_sync = 2",
    );
    await ask(
      "INSERT INTO acme.events (kind, day, file) VALUES ('log', '2031-01-01', '1.parquet')",
    );
    const again = await attach('acme');
    expect(again.differing).toHaveLength(2);
    expect(again.differing).toContainEqual({
      path: expect.stringMatching(/^events\/kind=dns\/day=2026-10-13\//) as string,
      message: expect.stringMatching(/^rows 0 instead of \d+$/) as string,
    });
    expect(again.differing).toContainEqual({
      path: 'events/kind=log/day=2031-01-01/1.parquet',
      message: 'does not belong to a hand-over',
    });
    expect(again.sent).toBeGreaterThan(0);
    expect(again.sent).toBeLessThan(again.files);
    expect(await run('count', at('acme'))).toBe(await run('count', acme));
    expect(await run('count', at('acme'), 'kind:dns')).toBe(await run('count', acme, 'kind:dns'));
  });

  it('keeps tags that people added there', async () => {
    await ask(
      "INSERT INTO acme.tags (event_id, tag) SELECT event_id, 'ours' FROM acme.events LIMIT 3",
    );
    for (let i = 0; i < 2; i++) {
      expect(await attach('acme')).toMatchObject({ addedTags: 3 });
      expect(await run('count', at('acme'), 'tag:ours')).toContain('3');
    }
    expect(await run('count', at('acme'), 'tag:odd')).toBe(await run('count', acme, 'tag:odd'));
    // One that is handed over as well, and later is not.
    await ask(
      "INSERT INTO acme.tags (event_id, tag) SELECT event_id, tag FROM acme.tags WHERE tag = 'odd' LIMIT 1",
    );
    expect(await attach('acme')).toMatchObject({ addedTags: 4 });
    expect(await run('count', at('acme'), 'tag:odd')).toBe(await run('count', acme, 'tag:odd'));
    expect(await ask("SELECT count() FROM acme.tags WHERE tag = 'odd' AND NOT handed_over")).toBe(
      '1',
    );
    await ask('DELETE FROM acme.tags WHERE NOT handed_over');
  });

  it('never exchanges the tables that people add to, whatever they add meanwhile', async () => {
    await attach('meanwhile');
    const tables = () =>
      ask(
        "SELECT name, uuid FROM system.tables WHERE database = 'meanwhile' AND name IN ('tags', 'notes', 'searches', 'findings') ORDER BY name",
      );
    const before = await tables();
    expect(before.split('\n')).toHaveLength(4);
    const event = await ask(
      "SELECT event_id FROM meanwhile.events WHERE kind = 'log' ORDER BY ts, seq LIMIT 1",
    );
    await ask(`INSERT INTO meanwhile.tags (event_id, tag) VALUES ('${event}', 'ours')`);
    // One arrives while the next hand-over is loaded.
    await ask('CREATE TABLE meanwhile.files_next AS meanwhile.files');
    await ask(
      `CREATE MATERIALIZED VIEW meanwhile.more TO meanwhile.tags AS SELECT '${event}' AS event_id, 'late' AS tag FROM meanwhile.files_next LIMIT 1`,
    );
    // The hand-over has one no more, and one that was not there.
    await ask(
      "INSERT INTO meanwhile.tags (event_id, tag, handed_over) VALUES ('1:2', 'gone', true)",
    );
    await ask("DELETE FROM meanwhile.tags WHERE handed_over AND tag = 'odd'");
    expect(await attach('meanwhile')).toMatchObject({ addedTags: 2 });
    expect(await tables()).toBe(before);
    for (const tag of ['ours', 'late'])
      expect(await run('count', at('meanwhile'), `tag:${tag}`, '--json')).toContain('"count":1,');
    expect(await ask("SELECT count() FROM meanwhile.tags WHERE tag = 'gone'")).toBe('0');
    expect(await run('count', at('meanwhile'), 'tag:odd')).toBe(
      await run('count', acme, 'tag:odd'),
    );
  });

  it('rates findings as the next hand-over does, but for what somebody rated there', async () => {
    const there = at('acme');
    const handOver = (tag: string, severity: string) =>
      ask(
        `INSERT INTO acme.findings (tag, severity, handed_over, at, user) VALUES ('${tag}', '${severity}', true, NULL, '')`,
      );
    await run('tag', there, 'event_id:1:1', 'late');
    // Only its name is kept.
    await run('tag', there, 'event_id:1:1', 'late', '--remove');
    await run('tag', there, 'event_id:1:1', 'late');
    await run('tag', there, 'event_id:1:2', 'moved');
    // Others get a position by it, and no severity.
    await run('findings', there, 'tag:moved', '--place', '3');
    await handOver('late', 'high');
    await handOver('moved', 'medium');
    const rated = async () =>
      [...(await run('findings', there)).matchAll(/(\S+) +tag:(\S+)/g)].map(([, severity, tag]) =>
        [tag, severity].join(' '),
      );
    expect(await rated()).toEqual(['late high', 'odd -', 'moved medium']);
    await run('findings', there, 'tag:moved', '--severity', 'none');
    await run('findings', there, 'tag:late', '--severity', 'low');
    expect(await rated()).toEqual(['late low', 'odd -', 'moved -']);
    await run('findings', there, '--reset-order');
    expect(await rated()).toEqual(['late low', 'moved -', 'odd -']);
    for (const table of ['tags', 'findings'])
      await ask(`DELETE FROM acme.${table} WHERE NOT handed_over`);
    await ask("DELETE FROM acme.findings WHERE tag IN ('late', 'moved')");
  });

  it('replaces no table that it did not make', async () => {
    await ask('CREATE DATABASE theirs');
    for (const name of ['tags', 'events_next', 'sources'])
      await ask(`CREATE TABLE theirs.${name} ENGINE = MergeTree ORDER BY x AS SELECT 7 AS x`);
    const message = 'daybook attach did not create: events_next, sources, tags';
    await expectRefused(['attach', at('theirs'), handedOver], message);
    for (const name of ['tags', 'events_next', 'sources'])
      expect(await ask(`SELECT x FROM theirs.${name}`)).toBe('7');
    await ask('CREATE DATABASE small ENGINE = Memory');
    await expectRefused(['attach', at('small'), handedOver], 'cannot exchange several tables');
  });

  it('puts nothing in place that is not all of the hand-over, and no more', async () => {
    const first = await attach('late');
    // Meanwhile a row arrives of a day that nobody handed over.
    for (const table of ['events', 'files'])
      await ask(`CREATE TABLE late.${table}_next AS late.${table}`);
    await ask(
      "CREATE MATERIALIZED VIEW late.more TO late.events_next AS SELECT 'log' AS kind, '2031-01-01' AS day, '1.parquet' AS file FROM late.files_next LIMIT 1",
    );
    await expectRefused(['attach', at('late'), handedOver], 'does not belong to a hand-over');
    await ask('DROP TABLE late.more');
    // No record is kept of what was loaded.
    for (const table of ['events', 'files']) await ask(`DROP TABLE late.${table}_next`);
    await ask('CREATE TABLE late.events_next AS late.events');
    await ask('CREATE TABLE late.files_next AS late.files ENGINE = Null');
    await expectRefused(['attach', at('late'), handedOver], 'the loaded data differ from');
    expect(await run('count', at('late'))).toBe(await run('count', acme));
    await ask('DROP TABLE late.files_next');
    expect(await attach('late')).toMatchObject({ files: first.files });
    expect(await run('count', at('late'))).toBe(await run('count', acme));
  });

  it('goes on where it was ended while columns of attributes were made', async () => {
    const { files } = await attach('begun');
    await ask('RENAME TABLE begun.events TO begun.events_next, begun.files TO begun.files_next');
    for (const table of ['tags', 'sources', 'attached']) await ask(`DROP TABLE begun.${table}`);
    const columns = "SELECT count() FROM system.columns WHERE default_kind = 'MATERIALIZED' AND";
    const made = await ask(`${columns} database = 'begun' AND table = 'events_next'`);
    expect(Number(made)).toBeGreaterThan(1);
    expect(await attach('begun')).toMatchObject({ files, sent: 0 });
    expect(await ask(`${columns} database = 'begun' AND table = 'events'`)).toBe(made);
    expect(await run('count', at('begun'))).toBe(await run('count', acme));
  });

  it('refuses a file that was changed, and another case', async () => {
    const changed = path.join(space.folder, 'changed');
    cpSync(handedOver, changed, { recursive: true });
    const manifest = JSON.parse(readFileSync(path.join(changed, 'manifest.json'), 'utf8')) as {
      case: { id: string };
      files: { path: string }[];
    };
    appendFileSync(path.join(changed, manifest.files[0]!.path), 'x');
    await expectRefused(['attach', at('changed'), changed], 'has changed since');
    for (const command of ['count', 'fields', 'sources'])
      await expectRefused([command, at('changed')], 'no completely loaded case');
    manifest.case.id = 'another';
    writeFileSync(path.join(changed, 'manifest.json'), JSON.stringify(manifest));
    await expectRefused(['attach', at('acme'), changed], 'holds another case (acme.daybook)');
  });

  it('goes on where it was interrupted', async () => {
    const noted = async (): Promise<number> =>
      Number(
        await ask(
          "SELECT ifNull(sum(total_rows), 0) FROM system.tables WHERE database = 'cut' AND name = 'files_next'",
        ),
      );
    const { child, outcome } = start(['attach', at('cut'), handedOver]);
    child.stdin.end();
    let loaded = 0;
    while (loaded === 0 && child.exitCode === null) loaded = await noted();
    child.kill('SIGKILL');
    await outcome;
    expect(loaded).toBeGreaterThan(0);
    await expectRefused(['count', at('cut')], 'no completely loaded case');
    const again = await attach('cut');
    expect(again.differing).toEqual([]);
    expect(again.sent).toBeLessThan(again.files);
    expect(await run('count', at('cut'))).toBe(await run('count', acme));
  });

  it(`is finished after ${INTERRUPTIONS} interruptions: nothing double, nothing half`, async () => {
    const small = path.join(space.folder, 'small.daybook');
    const from = path.join(space.folder, 'small-handed-over');
    const lines = path.join(space.folder, 'small.jsonl');
    const event = (_: unknown, i: number) =>
      `{"time":"2026-10-${13 + (i % 3)}T10:00:00Z","message":"event ${i}","n":"${i}"}\n`;
    writeFileSync(lines, Array.from({ length: 12 }, event).join(''));
    await run('import', small, lines);
    await run('tag', small, 'event', 'all');
    await run('hand-over', small, from);
    const proxy = await cuttingProxy(server!.port);
    const attachCut = (database: string) =>
      commands.run(['attach', `clickhouse://127.0.0.1:${proxy.port}/${database}`, from, '--json']);
    const seed = Date.now() % 1e6;
    try {
      expect((await attachCut('uncut')).status).toBe(0);
      const requests = proxy.asked;
      const random = new Random(seed);
      for (let interrupted = 0; interrupted < INTERRUPTIONS;) {
        proxy.next(1 + random.below(requests), CUTS[random.below(CUTS.length)]!);
        const { status, err } = await attachCut('often');
        if (status !== 0) assertClearMessage(err);
        const isDone = status === 0;
        interrupted += isDone ? 0 : 1;
        // If all is loaded, the next one starts.
        if (isDone) await ask('DROP DATABASE often SYNC');
      }
      proxy.next(Infinity, 'before');
      const whole = json<Attached>(await attachCut('often'));
      expect(whole.differing, `seed ${seed}`).toEqual([]);
    } finally {
      await proxy.close();
    }
    for (const sql of [
      'SELECT kind, day, file, count(), uniqExact(event_id), sum(bytes) FROM %.events GROUP BY ALL ORDER BY ALL',
      'SELECT tag, handed_over, count() FROM %.tags GROUP BY ALL ORDER BY ALL',
      'SELECT path, sha256, rows FROM %.files ORDER BY path',
      'SELECT count() FROM %.sources',
      'SELECT case_id FROM %.attached',
    ])
      expect(await ask(sql.replace('%', 'often')), `seed ${seed}`).toBe(
        await ask(sql.replace('%', 'uncut')),
      );
    const tables = "SELECT name FROM system.tables WHERE database = 'often' AND name LIKE '%_next'";
    expect(await ask(tables)).toBe('');
  }, 600_000);

  const noBucket = whyNot('s3');
  const reads = 'reads a bucket itself, one that is whole and unchanged';
  it.skipIf(noBucket !== undefined)(
    noBucket === undefined ? reads : `${reads} (${noBucket})`,
    async () => {
      const s3 = await s3Server(bucketServer()!);
      try {
        await s3.makeBucket('incidents');
        const env = { AWS_ENDPOINT_URL: s3.url, AWS_REGION: 'us-east-1', ...CREDENTIALS };
        const sent = await daybook(['hand-over', acme, 's3://incidents/case', '--yes'], { env });
        expect(sent.status, sent.err).toBe(0);
        const from = `${s3.url}/incidents/case`;
        const first = await attach('bucket', from);
        expect(first).toMatchObject({ sent: first.files, differing: [] });
        expect(await run('count', at('bucket'), 'tag:odd')).toBe(
          await run('count', acme, 'tag:odd'),
        );
        await expectRefused(['attach', at('bucket'), from.replace('case', 'c*')], 'as a pattern');
        for (const mark of ['.hand-over.json', '.hand-over.jsonl']) {
          await s3.put('incidents', `case/${mark}`, '{}');
          await expectRefused(
            ['attach', at('bucket'), from],
            'was interrupted, or is still being written',
          );
          await s3.remove('incidents', `case/${mark}`);
        }
        const key = 'case/sources/sources.jsonl';
        const sources = (await s3.objects('incidents')).get(key)!.toString();
        await s3.put('incidents', key, sources.replace('evidence', 'Evidence'));
        await expectRefused(['attach', at('bucket'), from], 'sources.jsonl has changed since');
      } finally {
        await s3.close();
      }
    },
  );
});
