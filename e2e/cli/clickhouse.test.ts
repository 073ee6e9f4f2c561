/**
 * docs/team.md is true: its SQL runs as printed in ClickHouse (chdb, in a separate process), it loads what the
 * manifest says, and its conditions find as many events as the queries next to them. Skipped where chdb cannot be
 * fetched; the test's name says why.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateEvidence } from '../harness.ts';
import { clickhouseModule, whyNot } from '../provision/index.ts';
import { Commands, daybook, json, scratch } from './harness.ts';

const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/team.md'), 'utf8');
const [loading, comparing, printed, asking, again] = [
  ...page.matchAll(/^```sql\n([^]*?)^```/gm),
].map(([, code]) => statements(code!));
const space = scratch();
const commands = new Commands();
const reason = whyNot('clickhouse');
const acme = path.join(space.folder, 'acme.daybook');

function statements(code: string): string[] {
  return code.split(/;\s*$/m).filter((one) => one.trim() !== '');
}

/** Conditions of the page, in both languages; a bar within one is escaped in a table. */
const PAIRS = [...page.matchAll(/^\| `(kind:[^`]+)` \| `([^`]+)` \|$/gm)].map(
  ([, query, condition]): [string, string] => [query!, condition!.replaceAll('\\|', '|')],
);

const PROGRAM = `
const { Session } = require(process.argv[1]);
const session = new Session('./clickhouse');
const answers = JSON.parse(require('node:fs').readFileSync(0, 'utf8')).map((sql) => session.query(sql, 'JSONCompactEachRow'));
process.stdout.write(JSON.stringify(answers));
process.exit(0);
`;

/** Runs statements one after the other; returns the rows of each. */
function ask(sql: readonly string[]): unknown[][][] {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['-e', PROGRAM, clickhouseModule()!],
    { cwd: space.folder, input: JSON.stringify(sql), encoding: 'utf8', maxBuffer: 1 << 28 },
  );
  expect(status, stderr).toBe(0);
  return (JSON.parse(stdout) as string[]).map((text) =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as unknown[]),
  );
}

/** A query as the command line translates it. */
async function translated(query: string): Promise<string> {
  const options = ['--dialect', 'clickhouse', '--database', 'acme'];
  const made = await commands.run(['sql', acme, query, ...options]);
  expect(made.status, made.err).toBe(0);
  return made.out;
}

async function run(...args: string[]): Promise<void> {
  const outcome = await daybook(args);
  expect(outcome.status, outcome.err).toBe(0);
}

beforeAll(async () => {
  if (reason !== undefined) return;
  await generateEvidence(space.folder, '--scale', '0.1');
  await run('import', acme, path.join(space.folder, 'evidence'), '--recursive');
  await run('tag', acme, 'failed', 'odd');
  await run('hand-over', acme, path.join(space.folder, 'handed-over'));
  ask(loading!);
});
afterAll(async () => {
  await commands.close();
  space.remove();
});

const title = reason === undefined ? 'the page of teams' : `the page of teams (${reason})`;

describe.skipIf(reason !== undefined)(title, () => {
  it('loads all of it, as the manifest says, and finds what is missing', () => {
    expect(ask(comparing!)).toEqual([[]]);
    const [, differing] = ask([
      "ALTER TABLE acme.events DELETE WHERE kind = 'dns' SETTINGS mutations_sync = 2",
      ...comparing!,
    ]);
    expect(differing!.map(([file]) => String(file).split('/')[1])).toEqual([
      'kind=dns',
      'kind=dns',
    ]);
    ask(again!);
    expect(ask(comparing!)).toEqual([[]]);
  });

  it('prints the SQL of a query as the page has it', async () => {
    const [, query] = /^daybook sql acme\.daybook '(.*)' --dialect clickhouse/m.exec(page)!;
    expect(await translated(query!)).toBe(`${printed![0]};\n`);
    const asked = await daybook(['query', acme, query!, '--json']);
    const { rows } = json<{ rows: Record<string, unknown>[] }>(asked);
    const [found] = ask(printed!);
    expect(rows.length).toBeGreaterThan(0);
    expect(found!.map((row) => row.map(String))).toEqual(
      rows.map((row) => Object.values(row).map(String)),
    );
  });

  it('asks as printed', () => {
    const answers = ask(asking!);
    expect(answers).toHaveLength(3);
    for (const rows of answers) expect(rows.length).toBeGreaterThan(0);
  });

  it.each(PAIRS)('finds as many events as Daybook: %s', async (query, condition) => {
    const counted = await commands.run(['count', acme, query, '--json']);
    expect(counted.status, counted.err).toBe(0);
    const { count } = json<{ count: number }>(counted);
    const [[[found]], [[same]]] = ask([
      `SELECT toUInt32(count()) FROM acme.events WHERE ${condition}`,
      await translated(`${query} | count`),
    ]) as [[[number]], [[unknown]]];
    expect(found).toBe(count);
    expect(found).toBeGreaterThan(0);
    expect(Number(same)).toBe(count);
  });

  it('has those pairs', () => {
    expect(PAIRS.length).toBeGreaterThan(10);
  });
});
