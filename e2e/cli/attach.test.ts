/**
 * A case that was handed over is attached to ClickHouse over its HTTP interface and asked there as on this machine
 * (e2e/clickhouse-http.ts says what listens). Where chdb cannot be fetched, the test's name says why it is skipped.
 */
import { appendFileSync, cpSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClickHouseServer, clickhouseServer } from '../clickhouse-server.ts';
import { generateEvidence } from '../harness.ts';
import { clickhouseModule, whyNot } from '../provision/index.ts';
import { assertClearMessage, daybook, json, scratch } from './harness.ts';

const space = scratch();
const reason = whyNot('clickhouse');
const acme = path.join(space.folder, 'acme.daybook');
const handedOver = path.join(space.folder, 'handed-over');
let server: ClickHouseServer | undefined;

const at = (database: string): string => `clickhouse://127.0.0.1:${server!.port}/${database}`;

async function run(...args: string[]): Promise<string> {
  const { status, out, err } = await daybook(args);
  expect(status, `${args.join(' ')}: ${err}`).toBe(0);
  return out;
}

/** Runs a statement on the server, not through Daybook. */
async function ask(sql: string): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${server!.port}/`, { method: 'POST', body: sql });
  const text = await answer.text();
  expect(answer.ok, `${sql}: ${text}`).toBe(true);
  return text.trim();
}

async function expectRefused(args: readonly string[], message: string): Promise<void> {
  const { status, out, err } = await daybook([...args]);
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
}

async function attach(database: string, from = handedOver): Promise<Attached> {
  return json<Attached>(await daybook(['attach', at(database), from, '--json']));
}

beforeAll(async () => {
  const module = clickhouseModule();
  if (reason !== undefined || module === undefined) return;
  await generateEvidence(space.folder);
  // Of two spellings of a name an event has both.
  writeFileSync(
    path.join(space.folder, 'evidence', 'spellings.jsonl'),
    ['"Zone":"a","zone":"b"', '"zone":"c"', '"ZONE":"d","zone":"e","Zone":"f"']
      .map((more, i) => `{"time":"2026-10-13T10:00:0${i}Z","message":"spelt ${i}",${more}}\n`)
      .join(''),
  );
  await run('import', acme, path.join(space.folder, 'evidence'), '--recursive');
  await run('tag', acme, 'failed', 'odd');
  await run('hand-over', acme, handedOver);
  const folder = path.join(space.folder, 'server');
  mkdirSync(folder);
  server = await clickhouseServer(module, folder);
  const first = await attach('acme');
  expect(first).toMatchObject({ sent: first.files, differing: [] });
});
afterAll(async () => {
  await server?.close();
  space.remove();
});

/** Answers without what differs from run to run, or is not said of clusters. */
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
    const [local, there] = await Promise.all([
      run(command, acme, ...args, '--json'),
      run(command, at('acme'), ...args, '--json'),
    ]);
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

  it('says what a cluster cannot do', async () => {
    for (const [args, message] of [
      [['compact', at('acme')], 'compact is not done on a cluster'],
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

  it('sends nothing twice', async () => {
    expect(await attach('acme')).toMatchObject({ sent: 0, differing: [] });
  });

  it('answers nothing of a case that was not loaded whole', async () => {
    const changed = path.join(space.folder, 'changed');
    cpSync(handedOver, changed, { recursive: true });
    appendFileSync(path.join(changed, 'sources', 'sources.jsonl'), 'x');
    await expectRefused(['attach', at('changed'), changed], 'was changed since');
    for (const command of ['count', 'fields', 'sources'])
      await expectRefused([command, at('changed')], 'no case that was loaded whole');
  });
});
