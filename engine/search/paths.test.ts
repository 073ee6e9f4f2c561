/**
 * All access paths (catalog, rollups, indexes, rows) give the same answer: random queries over evidence of all
 * kinds against `path: scan`, which reads the rows.
 *
 * DAYBOOK_PATH_RUNS: number of queries; a few by default. DAYBOOK_PATH_SEED: the seed.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { evidence } from '../../app/compose.ts';
import { writeNfdumpCsv, writeZeekConn } from '../../fixtures/evidence/flows.ts';
import { END, START } from '../../fixtures/evidence/story.ts';
import { writeAuthLog } from '../../fixtures/evidence/syslog.ts';
import { cell } from '../contract/wire/column-batch.ts';
import { DaybookError } from '../contract/errors.ts';
import { sideFilePath } from '../index/side-file.ts';
import { BUILDER } from '../ingest/testing/in-process.ts';
import { pcapOf } from '../ingest/testing/small-evidence.ts';
import { CaseSession } from './session/case-session.ts';
import { conversations } from './groups/conversations.ts';
import { fieldValues } from './groups/field-values.ts';
import type { Client } from '../operations/handler.ts';
import { markHandlers } from '../operations/marks/handlers.ts';
import { closeList, listPlace, listRows, openList } from '../operations/query/open-results.ts';
import { compactCase } from '../operations/case/compact.ts';
import { startQuery } from './query.ts';
import { type SmallCase, smallCase } from '../operations/testing/small-case.ts';
import { timeline } from './groups/timeline.ts';
import { top } from './groups/top.ts';

const RUNS = Number(process.env['DAYBOOK_PATH_RUNS'] ?? 15);
const SEED = Number(process.env['DAYBOOK_PATH_SEED'] ?? 2026);
/** Milliseconds: a query can take seconds on a busy machine. */
const PATIENCE = Math.max(600_000, RUNS * 6000);
const WORDS = [
  'failed',
  'Kelvin',
  '\u212aelvin',
  'ſtart',
  'START',
  'naïve',
  'É',
  'a_b',
  '4711',
  'x',
];

let small: SmallCase;
let session: CaseSession;
const { signal } = new AbortController();

/** Records with free text, Unicode, IPv6, and more names than can have columns. */
function records(): string {
  const lines: string[] = [];
  for (let n = 0; n < 400; n++) {
    const words = [n, n * 7, n * 13].map((i) => WORDS[i % WORDS.length]!);
    const time =
      n % 17 === 0 ? {} : { timestamp: new Date(START / 1000 + n * 400_000).toISOString() };
    const rare =
      n % 30 === 0
        ? Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`k${n}_${i}`, `v${i} failed`]))
        : {};
    lines.push(
      JSON.stringify({
        ...time,
        ...(n % 5 === 0 ? {} : { message: words.join([' ', '-', '/', ' = ', ''][n % 5]) }),
        ...(n % 3 === 0 ? { host: ['web01', 'WEB01', 'db.K', 'É'][n % 4] } : {}),
        ...(n % 4 === 0
          ? { src_ip: `2001:db8::${(n % 8).toString(16)}`, dst_ip: '2001:db8::ff' }
          : {}),
        ...(n % 4 === 1 ? { src_ip: `10.0.0.${n % 20}`, dst_ip: '10.0.0.1', bytes: n * 10 } : {}),
        user: ['root', 'Root', 'alice smith', ''][n % 4],
        note: 'y'.repeat(n % 50 === 0 ? 3000 : n % 11),
        // Names of columns and aliases, names that differ in case, lists.
        ...(n % 6 === 0 ? { 'event.action': ['web01', 'other'][(n % 4) >>> 1] } : {}),
        ...(n % 7 === 0 ? { User: ['root', 'NOBODY'][n % 2] } : {}),
        ...(n % 9 === 0 ? { severity: 'high', source: 'edr', 'event.code': `${n % 5}` } : {}),
        answers: n % 10 === 0 ? [`10.0.0.${n % 20}`, 'x, "y"', n] : `10.0.0.${n % 3}`,
        ...(n % 8 === 0 ? { ttls: [n % 5, 300] } : { TTLs: n % 3 }),
        ...rare,
      }),
    );
  }
  return `${lines.join('\n')}\n`;
}

function idxFiles(folder: string): string[] {
  return readdirSync(join(folder, 'days'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.idx'))
    .sort()
    .map((name) => join(folder, 'days', name));
}

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-paths-'));
  const at = (name: string) => join(folder, name);
  writeAuthLog(at('auth.log'), { from: START, to: END, linesPerDay: 90, seed: 5 });
  writeNfdumpCsv(at('border.csv'), { connectionsPerDay: 70, seed: 5 });
  writeZeekConn(at('conn.log'), { connectionsPerDay: 120, seed: 5 });
  const files = Object.fromEntries(
    ['auth.log', 'border.csv', 'conn.log'].map((name) => [name, readFileSync(at(name))]),
  );
  rmSync(folder, { recursive: true });
  // Otherwise small segments have no index.
  vi.stubEnv('DAYBOOK_INDEX_ROWS', '25');
  // Days of flows get segments of their own, some days of logs share one.
  vi.stubEnv('DAYBOOK_DENSE_ROWS', '400');
  // Otherwise few segments have no merged rollups.
  vi.stubEnv('DAYBOOK_NODE_PARTS', '3');
  small = await smallCase({ ...files, 'a.pcap': pcapOf(60), 'records.json': records() }, evidence, {
    chunk: { rows: 700, ms: 1e9 },
  });
  await compactCase(small.folder, BUILDER);
  const marks = markHandlers(small.services);
  const context = { signal, client: { kept: new Map() }, part: async () => undefined };
  const view = (query: string) => ({ view: { query, zone: 'UTC' } });
  const target = { case: small.folder, remove: false };
  await marks['tag.set']({ ...target, name: 'seen', target: view('dst_port:22') }, context);
  await marks['delete.run'](
    { case: small.folder, reason: 'test', target: view('dst_port:53 bytes:<200') },
    context,
  );
  const indexes = idxFiles(small.folder);
  expect(indexes.length).toBeGreaterThan(7);
  // Older segments have none, and one may be damaged.
  for (const [i, path] of indexes.entries()) {
    if (i % 10 === 3) rmSync(path);
    if (i % 10 !== 7) continue;
    const bytes = readFileSync(path);
    if (i % 20 === 7) bytes.fill(0xa5, bytes.length >>> 2, bytes.length >>> 1);
    writeFileSync(path, i % 20 === 7 ? bytes : bytes.subarray(0, bytes.length - 9));
  }
  // Enough to sort rows with hundreds of columns by any path.
  session = CaseSession.open(small.folder, { memoryLimit: 1.5e9, threads: 2 });
  const several = session.snapshot().segments.filter(({ days }) => days !== undefined);
  expect(several.length).toBeGreaterThan(1);
  const log = several.find(({ kind }) => kind === 'log');
  rmSync(join(small.folder, sideFilePath(log!.file)), { force: true });
}, 120_000);
afterAll(async () => {
  vi.unstubAllEnvs();
  await session.close();
  await small.dispose();
});

type Path = 'scan' | undefined;
interface Asked {
  query: string;
  from: number | undefined;
  to: number | undefined;
}

/** The answer or the error, without costs. */
async function said(work: () => Promise<unknown>): Promise<unknown> {
  try {
    const found = await work();
    return JSON.parse(
      JSON.stringify(found, (key, value: unknown) => {
        if (key === 'timings' || key === 'notes') return undefined;
        return value instanceof Float64Array ? [...value] : value;
      }),
    ) as unknown;
  } catch (error) {
    if (error instanceof DaybookError) return { error: error.code };
    throw error;
  }
}

function isTooMuch(answer: unknown): boolean {
  return (
    typeof answer === 'object' &&
    answer !== null &&
    'error' in answer &&
    answer.error === 'limit-exceeded'
  );
}

const run = (asked: Asked, stages: string, path: Path, limit?: number) =>
  said(async () => {
    const { from, to } = asked;
    const text = `${asked.query}${stages}`;
    const running = startQuery(session, { text, from, to, zone: 'Europe/Berlin', path, limit });
    if (running.plan.shape !== 'rows') return running.answer();
    const rows: unknown[] = [];
    for await (const batch of running.rows())
      for (const row of batch.rows)
        rows.push(
          batch.columns
            .map(({ name, parts }) => [
              name,
              ...parts.map(({ role, at }) => (role === 'nanos' ? (row[at] ?? 0) : row[at])),
            ])
            // No nanoseconds are null, or 0 if none of the segments read has any.
            .filter(([name, ...values]) =>
              name === 'ts' ? values[0] !== null : values.some((value) => value !== null),
            ),
        );
    return rows;
  });

const list = (asked: Asked, descending: boolean, places: readonly number[], path: Path) =>
  said(async () => {
    const client: Client = { kept: new Map() };
    const sort = { field: 'ts', descending };
    const fields = ['message', 'src_ip', 'host', 'attrs.user'];
    const firsts: unknown[] = [];
    const shown = (batch: Parameters<Parameters<typeof openList>[5]>[0]) =>
      Array.from({ length: batch.rows }, (_, row) =>
        batch.columns.map((column) => cell(column, row)),
      );
    const opened = await openList(
      session,
      small.folder,
      { ...asked, zone: 'UTC', path, sort, fields, first: 20 },
      client,
      signal,
      async (batch) => void firsts.push(...shown(batch)),
    );
    const { result, total, undated } = opened;
    const pages: unknown[] = [];
    for (const place of places) {
      const offset = Math.floor(place * total);
      const page = await listRows(session, result, { offset, limit: 30, fields }, client, signal);
      pages.push(shown(page.batch));
      const ts = START + Math.floor(place * (END - START));
      pages.push(await listPlace(session, result, ts, client, signal));
    }
    closeList(client, result);
    return { total, undated, firsts, pages };
  });

const word = fc.constantFrom(
  ...WORDS,
  ...['fail*', '*ail*', '?ailed', 'sshd', 'session', 'root', '*?', 'invalid', 'nosuchword'],
  ...[
    '10.0.0.1',
    '10.0.0.0/24',
    '10.0.0.8/29',
    '0.0.0.0/2',
    '2001:db8::/32',
    '2001:db8::2',
    '"failed password"',
    '"a_b x"',
    '"x/4711"',
    'user',
    'k0_1',
    'v3',
  ],
);
const field = fc.constantFrom(
  ...[
    'kind:flow',
    'kind:(log OR other)',
    'kind:*',
    'kind:packet',
    'tag:seen',
    'tag:*',
    'day:undated',
  ],
  ...[
    'source:auth.log',
    'source:*.csv',
    'src_ip:10.0.0.0/8',
    'ip:10.0.0.1',
    'src_ip:2001:db8::/32',
  ],
  ...[
    'dst_ip:"2001:db8::ff"',
    'ip:*',
    'ip:10.*.0.1',
    'dst_port:443',
    'port:[1 TO 1023]',
    'bytes:>500',
  ],
  ...['host:web01', 'host:w*', 'host:*', 'host:"db.k"', 'host:?*1', 'program:sshd', 'program:*'],
  ...[
    'message:failed',
    'message:/ro+t/',
    'message:/session opened/',
    'message:/FAILED pass/i',
    'message:/(for|from) root/',
    'NOT message:/ port 1/',
    'message:/\\.0\\.0\\.1/',
    'host:/web01/',
    'message:"naïve É"',
    'message:*',
    'user:root',
    'user:alice*',
    'USER:nobody',
    'attrs.user:root',
    'event.action:web01',
    'event.action:*',
    'severity:high',
    'source:edr',
    'event.code:3',
    'answers:10.0.0.1',
    'answers:"x, \\"y\\""',
    'answers:10.0.0.0/29',
    'answers:>100',
    'ttls:300',
    'TTLS:[1 TO 2]',
    'attributes:300',
  ],
  ...[
    'user:"alice smith"',
    'note:yyyyy',
    'attributes:root',
    'attributes:v1*',
    'severity:<=err',
    'ts:*',
  ],
  ...['proto:tcp', 'NOT proto:udp', 'NOT event_type:dns', 'event_type:*', 'src_ip:*', 'severity:*'],
  ...[
    'src_ip:10.20.10.25',
    'dst_ip:10.0.0.1',
    'proto:(tcp OR icmp)',
    'program:s*',
    'NOT user:root',
    'user:*',
  ],
  ...['flow:10.0.0.1-*', 'flow:*:22/tcp', 'service:ssh', 'event_id:1:5', 'last:36h'],
);
const { filter } = fc.letrec<{ filter: string }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    word,
    field,
    fc.tuple(tie('filter'), tie('filter')).map(([a, b]) => `${a} ${b}`),
    fc.tuple(tie('filter'), tie('filter')).map(([a, b]) => `(${a} OR ${b})`),
    tie('filter').map((a) => `NOT (${a})`),
  ),
}));
const time = fc.option(
  fc.oneof(
    fc.integer({ min: 0, max: Math.floor((END - START) / 3600e6) }).map((n) => START + n * 3600e6),
    fc.integer({ min: 0, max: END - START }).map((n) => START + n),
  ),
  { nil: undefined, freq: 2 },
);
const asked = fc
  .tuple(
    fc.oneof({ weight: 1, arbitrary: fc.constant('*') }, { weight: 5, arbitrary: filter }),
    time,
    time,
  )
  .map(([query, a, b]): Asked => {
    const both = a !== undefined && b !== undefined;
    return both
      ? { query, from: Math.min(a, b), to: Math.max(a, b) + 1 }
      : { query, from: a, to: b };
  });
const stages = fc.constantFrom(
  ...['', ' | count', ' | timeline', ' | timeline 1h', ' | timeline 7d', ' | timeline 1d by kind'],
  ...[
    ' | timeline 6h spread bytes',
    ' | timeline 6h sum(bytes) by proto',
    ' | timeline 1d distinct(host)',
    ' | top 5 src_ip',
    ' | top 3 src_ip, dst_ip',
    ' | top 4 dst_port, proto',
  ],
  ...[
    ' | top 5 host',
    ' | top 4 dst_ip',
    ' | top 3 user',
    ' | top 3 USER, event.action',
    ' | values event.code',
    ' | stats count(), max(ttls), distinct(User) by Host',
    ' | stats count(), sum(bytes) by user, host',
    ' | top 5 event_type',
    ' | top 5 src_ip by sum(bytes)',
    ' | top 3 proto by sum(packets_rev)',
    ' | values program',
  ],
  ...[
    ' | values dst_ip',
    ' | stats count(), sum(bytes) as b',
    ' | stats count() by proto',
    ' | values source',
  ],
  ...[
    ' | stats sum(packets) as p, count() by src_ip',
    ' | top 3 severity, host',
    ' | top 3 host by distinct(user)',
  ],
  ...[
    ' | sort host | head 7',
    ' | tail 9',
    ' | dedup host',
    ' | eval x = len(message) | where x > 20 | stats count() by x',
    ' | eval src_ip = coalesce(dst_ip, src_ip) | top 4 src_ip',
    ' | eval host = "web01" | where host:web01 | values host',
    ' | rename host as program | top 3 program',
    ' | where src_ip = dst_ip | count',
    ' | where bytes > 2 * packets | count',
    ' | where hour:22-6 | count',
    ' | top 5 src_ip/24',
    ' | rare 3 host',
    ' | stats countif(src_ip:private), median(bytes), first(host) by bin(ts, 1h)',
    ' | extract "for {who} from" | top 3 who',
    ' | where host in (web01, web02) | timeline 1d',
    ' | sort user, -event.action | head 9',
    ' | where failed | count',
    ' | talkers 5',
  ],
  ...[
    ' | sort ts | head 9',
    ' | sort -ts | head 11',
    ' | sort -ts, host | tail 400',
    ' | sort host | sort -ts | head 6 | count',
    ' | sort ts | tail 5 | top 3 host',
    ' | head 800 | tail 3',
    ' | tail 600 | where failed | count',
    ' | union (failed | sort -ts | head 4)',
  ],
  ...[
    ' | union (host:web01) | count',
    ' | union (failed | head 3)',
    ' | head 12',
    ' | fields ts, message, tag',
  ],
);

// Runs first: damage found later makes segments be read.
it.each([
  ['kind:log | count', 'catalog'],
  ['kind:log | top 5 host', 'rollup'],
  ['kind:log program:sshd | top 5 program', 'rollup'],
  ['kind:log NOT program:sshd | stats count()', 'rollup'],
  // Some segments have attributes without a stored list of names: one of them may be named program.
  ['kind:log NOT program:sshd | count', 'scan'],
  ['tag:seen | timeline 1h', 'index'],
  ['bytes:>500 | stats avg(bytes)', 'scan'],
])('%s is answered by %s', async (text, path) => {
  const running = startQuery(session, { text, zone: 'UTC' });
  await running.answer();
  expect(running.timings().path).toBe(path);
});

it.each(['', 'kind:*', 'failed', 'NOT host:web01', 'bytes:>500', 'tag:seen', 'nosuchword'])(
  'a timeline of "%s" by kind, and its kinds, are the same by number and by statement',
  async (query) => {
    for (const limit of [1, 5]) {
      const [one, two] = await Promise.all(
        [undefined, 'scan' as const].map(async (path) => {
          const view = { query, zone: 'UTC', path, field: 'kind', limit };
          const { values, distinct, present } = await fieldValues(session, view, signal);
          return { values, distinct, present };
        }),
      );
      expect(one).toEqual(two);
    }
    for (const most of [1, 2, 6]) {
      const [one, two] = await Promise.all(
        [undefined, 'scan' as const].map(async (path) => {
          const view = { query, zone: 'UTC', path, buckets: 40, by: 'kind', most };
          const { series, starts, total, undated } = await timeline(session, view, signal);
          return { series, starts, total, undated };
        }),
      );
      expect(one).toEqual(two);
    }
  },
);

describe('index, rollup and scan', () => {
  it(
    'answer any query alike',
    async () => {
      await fc.assert(
        fc.asyncProperty(
          asked,
          stages,
          fc.option(fc.integer({ min: 0, max: 40 }), { nil: undefined }),
          async (view, behind, limit) => {
            const expected = await run(view, behind, 'scan', limit);
            // The memory for sorting rows with hundreds of columns may depend on the path.
            const found = await run(view, behind, undefined, limit);
            fc.pre(!isTooMuch(expected) && !isTooMuch(found));
            expect(found).toEqual(expected);
          },
        ),
        { seed: SEED, numRuns: RUNS },
      );
    },
    PATIENCE,
  );

  it(
    'give the same lists, whatever part is looked at',
    async () => {
      const places = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 3 });
      await fc.assert(
        fc.asyncProperty(
          asked,
          fc.constantFrom('', '', ' | head 40'),
          fc.boolean(),
          places,
          async (view, head, descending, at) => {
            const here = { ...view, query: `${view.query}${head}` };
            expect(await list(here, descending, at, undefined)).toEqual(
              await list(here, descending, at, 'scan'),
            );
          },
        ),
        { seed: SEED + 1, numRuns: Math.ceil(RUNS / 3) },
      );
    },
    PATIENCE,
  );

  it(
    'tell a window the same',
    async () => {
      const by = fc.constantFrom(undefined, 'host', 'kind', 'src_ip');
      const what = fc.constantFrom('timeline', 'top', 'values', 'conversations');
      await fc.assert(
        fc.asyncProperty(asked, what, by, async (view, name, group) => {
          const answers = (path: Path) => {
            const here = { ...view, zone: 'UTC', path };
            const key = group ?? 'program';
            return said(async () => {
              switch (name) {
                case 'timeline':
                  return timeline(session, { ...here, buckets: 40, by: group, most: 3 }, signal);
                case 'top':
                  return top(
                    session,
                    { ...here, by: [key], measure: { fn: 'count' }, limit: 5, sparkline: 8 },
                    signal,
                  );
                case 'values':
                  return fieldValues(session, { ...here, field: key, limit: 5 }, signal);
                default:
                  return conversations(session, { ...here, order: 'bytes', limit: 5 }, signal);
              }
            });
          };
          expect(await answers(undefined)).toEqual(await answers('scan'));
        }),
        { seed: SEED + 2, numRuns: Math.ceil(RUNS / 3) },
      );
    },
    PATIENCE,
  );
});
