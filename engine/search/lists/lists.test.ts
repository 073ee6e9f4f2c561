/**
 * A list narrows a query as its rows would if they were written out: random lists over evidence of all kinds, by
 * index, by joining and by a full scan, against the same rows in the query language.
 *
 * DAYBOOK_LIST_RUNS: number of lists; a few by default.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { evidence } from '../../../app/compose.ts';
import { writeNfdumpCsv, writeZeekConn } from '../../../fixtures/evidence/flows.ts';
import { END, START } from '../../../fixtures/evidence/story.ts';
import { writeAuthLog } from '../../../fixtures/evidence/syslog.ts';
import { pcapOf } from '../../ingest/testing/small-evidence.ts';
import type { GivenList } from './case-lists.ts';
import { CaseSession } from '../session/case-session.ts';
import { markHandlers } from '../../operations/marks/handlers.ts';
import { queryHandlers } from '../../operations/query/handlers.ts';
import { shownRows, startQuery } from '../query.ts';
import { type SmallCase, smallCase } from '../../operations/testing/small-case.ts';
import { unmatchedLines } from './unmatched-lines.ts';

const RUNS = Number(process.env['DAYBOOK_LIST_RUNS'] ?? 25);

let small: SmallCase;
let session: CaseSession;
/** The events, to draw values from. */
let events: Readonly<Record<string, unknown>>[] = [];
const { signal } = new AbortController();
const context = { signal, client: { kept: new Map() }, part: async () => undefined };

/** Records with names in many cases, IPv6, and attributes. */
function records(): string {
  const lines = Array.from({ length: 200 }, (_, n) =>
    JSON.stringify({
      timestamp: new Date(START / 1000 + n * 400_000).toISOString(),
      message: `user ${n % 9} asked for evil${n % 5}.example, id ${n}`,
      host: ['web01', 'WEB01', 'ſun', 'SUN', 'Kelvin', '\u212aELVIN', 'İz', 'ız', 'iz'][n % 9],
      src_ip: n % 2 === 0 ? `2001:db8:${n % 5}::${(n % 8).toString(16)}` : `10.0.0.${n % 20}`,
      dst_ip: n % 2 === 0 ? '2001:db8::ff' : '10.0.0.1',
      src_port: 1000 + (n % 7),
      dst_port: n % 3 === 0 ? 53 : 443,
      user: ['root', 'Root', 'alice smith', 'a"b'][n % 4],
      names: [['one.example', 'Größe'], 'two.example', ['a"b\\', 'ONE.example', 'root'], [5, 60]][
        n % 4
      ],
      ...(n % 3 === 0 ? { Host: ['extra1', `extra${n % 9}`] } : {}),
    }),
  );
  return `${lines.join('\n')}\n`;
}

async function shown(
  query: string,
  list?: GivenList,
  path?: 'scan',
  exclude?: GivenList,
): Promise<Record<string, unknown>[]> {
  const out: Record<string, unknown>[] = [];
  const running = startQuery(session, { text: query, list, exclude, zone: 'UTC', path });
  for await (const rows of shownRows(running, 'UTC')) out.push(...rows);
  return out;
}

async function ids(
  query: string,
  list?: GivenList,
  path?: 'scan',
  exclude?: GivenList,
): Promise<string[]> {
  return (await shown(`${query} | fields event_id`, list, path, exclude)).map((row) =>
    String(row['event_id']),
  );
}

const given = (text: string, more: Omit<GivenList, 'bytes'> = {}): GivenList => ({
  bytes: Buffer.from(text),
  ...more,
});

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-lists-'));
  const at = (name: string) => join(folder, name);
  writeAuthLog(at('auth.log'), { from: START, to: END, linesPerDay: 30, seed: 5 });
  writeNfdumpCsv(at('border.csv'), { connectionsPerDay: 40, seed: 5 });
  writeZeekConn(at('conn.log'), { connectionsPerDay: 60, seed: 5 });
  const files = Object.fromEntries(
    ['auth.log', 'border.csv', 'conn.log'].map((name) => [name, readFileSync(at(name))]),
  );
  rmSync(folder, { recursive: true });
  vi.stubEnv('DAYBOOK_INDEX_ROWS', '60');
  small = await smallCase({ ...files, 'a.pcap': pcapOf(40), 'records.json': records() }, evidence);
  session = CaseSession.open(small.folder, { memoryLimit: 5e8, threads: 2 });
  const marks = markHandlers(small.services);
  await marks['delete.run'](
    {
      ...{ case: small.folder, reason: 'test' },
      target: { view: { query: 'dst_port:53 bytes:<200', zone: 'UTC' } },
    },
    context,
  );
  events = await shown('kind:*');
}, 120_000);
afterAll(async () => {
  vi.unstubAllEnvs();
  await session.close();
  await small.dispose();
});

/** A value of a field that some event has, or one that perhaps none has. */
const OTHERS: Readonly<Record<string, readonly string[]>> = {
  src_ip: ['10.0.0.0/8', '2001:db8::/29', '2001:db8::/35', '192.0.2.7', '0.0.0.0/0', '10.0.0.0/31'],
  dst_ip: ['10.0.0.0/24', '2001:db8::/32', '198.51.100.1'],
  ip: ['10.0.0.1', '10.0.0.0/30', '2001:db8::1', '192.0.2.0/24', '::/0'],
  src_port: ['1003', '70000', '53'],
  dst_port: ['53', '443', '22'],
  port: ['53', '443', '1004'],
  proto: ['tcp', 'UDP', '58'],
  host: ['WEB01', 'extra1', 'Extra3', 'sun', 'ſun', 'kelvin', 'iz', 'İZ', 'IZ', 'nobody'],
  'attrs.host': ['extra1', 'Extra3', 'extra6', '["extra1","extra3"]'],
  user: ['ROOT', 'alice smith', 'a"b', 'root'],
  names: [
    'One.Example',
    'grösse',
    'GRÖSSE',
    'Größe',
    'two.example',
    'a"b\\',
    '5',
    '[5,60]',
    'root',
  ],
  bytes: ['100', '1.5', '1e3'],
  service: ['SSH', 'dns'],
};
const valueOf = (field: string): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 1, arbitrary: fc.constantFrom(...(OTHERS[field] ?? ['x'])) },
    {
      weight: 3,
      arbitrary: fc.nat().map((n) => {
        const name = { ip: ['src_ip', 'dst_ip'][n % 2]!, port: ['src_port', 'dst_port'][n % 2]! };
        const spelled = name[field as 'ip' | 'port'] ?? field;
        const event = events[n % events.length]!;
        const attributes = event['attrs'];
        const value =
          event[spelled] ??
          (typeof attributes === 'object' && attributes !== null
            ? new Map<string, unknown>(Object.entries(attributes)).get(spelled)
            : undefined);
        return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
      }),
    },
  );

interface RandomList {
  readonly fields: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly directed: boolean;
}
const lists: fc.Arbitrary<RandomList> = fc
  .record({
    fields: fc.oneof<fc.Arbitrary<string[]>[]>(
      fc.constant(['src_ip', 'src_port', 'dst_ip', 'dst_port', 'proto']),
      fc.constantFrom(...Object.keys(OTHERS)).map((field) => [field]),
      fc.subarray(Object.keys(OTHERS), { minLength: 1, maxLength: 4 }),
    ),
    directed: fc.boolean(),
  })
  .chain(({ fields, directed }) =>
    fc
      .array(fc.tuple(...fields.map(valueOf)), { minLength: 1, maxLength: 12 })
      .map((rows) => ({
        fields,
        rows: rows.filter((row) => row.some((cell) => cell !== '')),
        directed,
      }))
      .filter(({ rows }) => rows.length > 0),
  );

function asText({ fields, rows }: RandomList): string {
  const cell = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return [fields, ...rows].map((row) => row.map(cell).join(',')).join('\n');
}

/** The same rows as a query. */
function asQuery({ fields, rows, directed }: RandomList): string {
  const eitherWay = !directed && fields.includes('src_ip') && fields.includes('dst_ip');
  const flipped = (name: string) =>
    name.startsWith('src_') ? name.replace('src_', 'dst_') : name.replace('dst_', 'src_');
  const term = (names: readonly string[], row: readonly string[]) =>
    names
      .flatMap((name, i) =>
        row[i] === '' ? [] : `${name}:"${row[i]!.replaceAll(/["\\]/g, '\\$&')}"`,
      )
      .join(' ');
  const terms = rows.flatMap((row) => {
    if (!eitherWay) return [`(${term(fields, row)})`];
    const [both, ways] = ['src_ip:* dst_ip:*', [fields, fields.map(flipped)]];
    return ways.map((names) => `(${both} ${term(names, row)})`);
  });
  return `(${terms.join(' OR ')})`;
}

describe('a list', () => {
  it('finds what its rows would find as a query', async () => {
    const filters = fc.constantFrom(
      '*',
      'kind:*',
      'NOT dst_port:22',
      'proto:tcp',
      'dst_port:443 OR user:root',
    );
    await fc.assert(
      fc.asyncProperty(lists, filters, async (list, filter) => {
        const { directed } = list;
        const one = given(asText(list), { directed });
        const expected = await ids(`(${filter}) ${asQuery(list)}`, undefined, 'scan');
        expect(await ids(filter, one)).toEqual(expected);
        expect(await ids(filter, one, 'scan')).toEqual(expected);
        const counted = startQuery(session, { text: `${filter} | count`, list: one, zone: 'UTC' });
        expect(await counted.answer()).toMatchObject({ count: expected.length });
      }),
      { numRuns: RUNS, seed: RUNS === 25 ? 11 : Date.now() },
    );
  }, 120_000);

  it('takes a member of its own for each key that has the same attribute', async () => {
    const expected = await ids('host:"extra1" attrs.host:"extra3"', undefined, 'scan');
    expect(expected.length).toBeGreaterThan(5);
    const list = given('host,attrs.host\nextra1,extra3\n');
    expect(await ids('*', list)).toEqual(expected);
    expect(await ids('*', list, 'scan')).toEqual(expected);
  });

  it('leaves out what its rows would find, also beside another', async () => {
    await fc.assert(
      fc.asyncProperty(
        lists,
        lists,
        fc.constantFrom('*', 'kind:*', 'proto:tcp'),
        async (list, other, filter) => {
          const { directed } = list;
          const one = given(asText(list), { directed });
          const expected = await ids(`(${filter}) NOT ${asQuery(list)}`, undefined, 'scan');
          expect(await ids(filter, undefined, undefined, one)).toEqual(expected);
          expect(await ids(filter, undefined, 'scan', one)).toEqual(expected);
          const both = await ids(
            `(${filter}) ${asQuery(other)} NOT ${asQuery(list)}`,
            undefined,
            'scan',
          );
          const within = given(asText(other), { directed: other.directed });
          expect(await ids(filter, within, undefined, one)).toEqual(both);
        },
      ),
      { numRuns: Math.ceil(RUNS / 2), seed: 7 },
    );
  }, 120_000);

  it('says which of its lines match no event', async () => {
    await fc.assert(
      fc.asyncProperty(lists, async (list) => {
        const { directed, rows } = list;
        const { lines, of } = await unmatchedLines(session, {
          ...{ query: 'NOT dst_port:22', zone: 'UTC' },
          list: given(asText(list), { directed }),
        });
        const expected: number[] = [];
        for (const [i, row] of rows.entries()) {
          const found = await ids(`NOT dst_port:22 ${asQuery({ ...list, rows: [row] })}`);
          if (found.length === 0) expected.push(i + 2);
        }
        expect({ lines: [...lines], of }).toEqual({ lines: expected, of: rows.length });
      }),
      { numRuns: Math.ceil(RUNS / 5), seed: 5 },
    );
  }, 120_000);

  it.each([
    [
      'flow',
      (e: Record<string, unknown>) =>
        `${String(e['src_ip'])}-${String(e['dst_ip'])}:${String(e['dst_port'])}`,
    ],
    ['event_id', (e: Record<string, unknown>) => String(e['event_id'])],
    ['community_id', (e: Record<string, unknown>) => String(e['community_id'])],
  ])('has rows of %s', async (field, of) => {
    const some = events.filter((e) => e['kind'] === 'flow' && !String(e['src_ip']).includes(':'));
    const values = [some[3]!, some[17]!, some[40]!].map(of);
    const expected = await ids(
      values.map((value) => `${field}:${value}`).join(' OR '),
      undefined,
      'scan',
    );
    expect(expected.length).toBeGreaterThan(0);
    expect(await ids('*', given(values.join('\n'), { fields: [field] }))).toEqual(expected);
  });

  it('takes values of any type, one a line: addresses on either side, the rest as text', async () => {
    const list = given(
      '# indicators\n10.0.0[.]3\r\n\r\n2001:db8:1::/48\nevil3.example\nnowhere.example\n',
    );
    const rows = ['ip:10.0.0.3', 'ip:2001:db8:1::/48', '"evil3.example"', '"nowhere.example"'];
    const expected = await ids(rows.join(' OR '), undefined, 'scan');
    expect(expected.length).toBeGreaterThan(10);
    expect(await ids('*', list)).toEqual(expected);
    expect(await ids('*', list, 'scan')).toEqual(expected);
    const { lines } = await unmatchedLines(session, { query: '*', zone: 'UTC', list });
    expect([...lines]).toEqual([6]);
  });

  it('takes any number of IPv6 blocks for the columns of addresses, and says so where they are too many for text', async () => {
    const blocks = Array.from({ length: 2500 }, (_, n) => `2001:db8:${(n + 1).toString(16)}::/48`);
    const text = blocks.join('\n');
    expect(() => startQuery(session, { text: '*', list: given(text), zone: 'UTC' })).toThrow(
      expect.objectContaining({
        message: expect.stringContaining('2,500 IPv6 addresses and blocks') as string,
        hint: expect.stringMatching(
          /^--list-field ip .*; or split the list into parts of 2000$/,
        ) as string,
      }),
    );
    // Only blocks 1 to 4 have addresses: `2001:db8::/48` contains none of them.
    const met = blocks.slice(0, 4).map((block) => `ip:${block}`);
    const expected = await ids(met.join(' OR '), undefined, 'scan');
    expect(expected.length).toBeGreaterThan(0);
    expect(await ids('*', given(text, { fields: ['ip'] }))).toEqual(expected);
  });

  it('narrows before events are chosen, and on both sides of a union', async () => {
    const list = given('port\n443\n53\n');
    const query = 'proto:udp | head 5';
    expect(await ids(query, list)).toEqual(await ids('proto:udp port:(443 OR 53) | head 5'));
    expect(await ids('proto:udp | union (dst_port:443 | head 3)', list)).toEqual(
      await ids('proto:udp port:(443 OR 53) | union (dst_port:443 | head 3)'),
    );
  });

  it.each(['* | head 1', '* | head 3 | head 1', '* | sort ts | head 1', '* | dedup kind | tail 1'])(
    'says which lines the events that are chosen do not match: %s',
    async (query) => {
      const text = '10.0.0.0/8\nevil0.example\nevil1.example\nevil2.example\n0.0.0.0/0\n::/0\n';
      const [one = ''] = await ids(query, given(text));
      const expected: number[] = [];
      for (const [i, row] of text.trimEnd().split('\n').entries())
        if ((await ids(`kind:* event_id:${one}`, given(row))).length === 0) expected.push(i + 1);
      const { lines } = await unmatchedLines(session, { query, zone: 'UTC', list: given(text) });
      expect(expected.length).toBeGreaterThan(1);
      expect([...lines]).toEqual(expected);
    },
  );

  it('narrows what is tagged and deleted, by way of the contract', async () => {
    const marks = markHandlers(small.services);
    const queries = queryHandlers(small.services);
    const flows = await shown('kind:flow proto:tcp | head 40');
    const names = ['src_ip', 'src_port', 'dst_ip', 'dst_port', 'proto'];
    const text = [names, ...flows.map((row) => names.map((name) => row[name]))].join('\n');
    const list = { bytes: new Uint8Array(Buffer.from(text)), name: 'flows.csv' };
    const view = { query: 'kind:flow', zone: 'UTC', list };
    const expected = await ids(view.query, given(text));
    expect(expected.length).toBeGreaterThanOrEqual(40);
    const tagged = await marks['tag.set'](
      { case: small.folder, name: 'listed', remove: false, target: { view } },
      context,
    );
    expect(tagged).toEqual({ matched: expected.length, changed: expected.length });
    expect(await ids('tag:listed')).toEqual(expected);
    expect(session.catalog.audit.entries().at(-1)?.detail).toMatchObject({
      ...{ query: 'kind:flow', name: 'listed', matched: expected.length },
      list: { name: 'flows.csv', bytes: list.bytes.length },
    });
    const gone = await marks['delete.run'](
      { case: small.folder, reason: 'listed', target: { view } },
      context,
    );
    expect(gone.changed).toBe(expected.length);
    const { lines, of } = await queries['list.unmatched']({ case: small.folder, ...view }, context);
    expect([lines.length, of]).toEqual([40, 40]);
  });
});

it('lists are evicted when there are many, and made again', async () => {
  const list = (n: number) => given(`dst_port\n443\n${10_000 + n}\n`);
  const expected = await ids('dst_port:443');
  for (let n = 0; n < 40; n++) expect(await ids('*', list(n % 20), 'scan')).toEqual(expected);
  const tables = await session.store.rows(
    "SELECT count(*) FROM duckdb_tables() WHERE database_name = 'lists'",
  );
  expect(Number(tables[0]?.[0])).toBeLessThanOrEqual(16);
});

describe('a list that is wrong', () => {
  it.each<[string, string, Omit<GivenList, 'bytes'>?]>([
    ['src_ip\n10.0.0.1\n10.0.0.300\n', 'line 3 of the list: "10.0.0.300" is not an IP address'],
    ['src_ip,dst_port\n10.0.0.1\n', 'line 2 of the list: 1 value for 2 columns'],
    ['src_ip,dst_port\n10.0.0.1,x\n', 'line 2 of the list: dst_port has no value "x"'],
    ['src_ip,comment\n10.0.0.1,x\n', 'line 1 of the list: "comment": no field of events'],
    [
      `${Array(32).fill('ip').join(',')}\n${Array(32).fill('10.0.0.1').join(',')}\n`,
      'the list: "ip" and "ip" are the same field',
    ],
    ['dst_ip,dest_ip\n10.0.0.1,10.0.0.1\n', 'the list: "dst_ip" and "dest_ip" are the same field'],
    ['10.0.0.1,80\n', 'line 1 of the list: 2 columns without a name'],
    ['src_ip,dst_port\n10.0.0.1,80\n,\n', 'line 3 of the list: it has no value'],
    ['', 'the list: it holds no value'],
    ['src_ip\n', 'the list: there is no row'],
    ['ts\n2026\n', 'the list: ts is not a field that a list can have'],
    ['10.0.0.1\n"..."\n', 'line 2 of the list: "..." has no letter'],
    ['{"src_ip":"10.0.0.1"}\n{"src_ip":', 'line 2 of the list: not a JSON object'],
    ['{"src_ip":["10.0.0.1"]}', 'line 1 of the list: "src_ip" is neither text nor a number'],
    ['{"user":12345678901234567890}', 'line 1 of the list: "user" is a number that'],
    [
      '{"src_ip":"10.0.0.1","dst_prt":53}\n{"src_ip":"10.0.0.2"}\n',
      'the list: no object has a value of "dst_port"',
      { fields: ['src_ip', 'dst_port'] },
    ],
    ['user,src_ip\n"a,10.0.0.1\n', 'line 2 of the list: a quote " that is not closed'],
    ['10.0.0.1-10.0.0.2\nx\n', 'line 2 of the list: "x" is not a flow', { fields: ['flow'] }],
    ['a\nb\n', 'the list: no event has a field "nothing"', { fields: ['nothing'] }],
    ['a\nb\n', 'line 1 of the list: 1 column, but 2 names', { fields: ['user', 'host'] }],
    ['x'.repeat(2001), 'line 1 of the list: a value of 2001 characters'],
    ['a\0b', 'the list is not text'],
  ])('%j', (text, message, more = {}) => {
    expect(() => startQuery(session, { text: '*', list: given(text, more), zone: 'UTC' })).toThrow(
      message,
    );
  });
});
