/**
 * The five questions of an incident in the README, over the evidence that `npm run demo` writes: the answers agree
 * with the story of that evidence (fixtures/evidence/story.ts).
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  ATTACKER,
  BEACON,
  BREAK_IN,
  DROP_SITE,
  FILES,
  HELPERS,
  STOLEN_ACCOUNT,
} from '../../fixtures/evidence/story.ts';
import { generateEvidence, type Expected } from '../../fixtures/generate.ts';
import { daybook, json, ndjson, scratch } from './harness.ts';

const { folder, remove } = scratch();
const CASE = path.join(folder, 'acme.daybook');
let expected: Expected;

const README = readFileSync(path.join(import.meta.dirname, '../../README.md'), 'utf8');
const QUESTIONS = /Five questions of an incident[^]*?\n\n((?: {4}.*\n)+)/.exec(README)?.[1] ?? '';
const QUERIES = [...QUESTIONS.matchAll(/query acme\.daybook '(.*)'$/gm)].map(([, query]) => query!);

beforeAll(async () => {
  expected = generateEvidence(folder, 0.2, 3);
  const { status, err } = await daybook([
    ...['import', CASE, path.join(folder, 'evidence'), '--recursive'],
  ]);
  expect(status, err).toBe(0);
  expect(QUERIES).toHaveLength(5);
});
afterAll(remove);

interface Row {
  readonly [column: string]: string | number | null;
}
async function rows(number: number): Promise<readonly Row[]> {
  const outcome = await daybook(['query', CASE, QUERIES[number - 1]!, '--json']);
  expect(outcome.status, outcome.err).toBe(0);
  if (QUERIES[number - 1]!.includes('| fields')) return ndjson<Row>(outcome);
  return json<{ rows: readonly Row[] }>(outcome).rows;
}

it('who guessed passwords', async () => {
  const found = await rows(1);
  expect(found.map(({ src_ip }) => src_ip).sort()).toEqual([ATTACKER, ...HELPERS].sort());
  expect(found[0]?.['src_ip']).toBe(ATTACKER);
  const tries = found.reduce((sum, row) => sum + Number(row['tries']), 0);
  expect(tries).toBeLessThanOrEqual(expected.answers.failedPasswords);
  expect(tries).toBeGreaterThan(2000);
});

it('did one work', async () => {
  const found = await rows(2);
  expect(found).toMatchObject([{ src_ip: ATTACKER, user: STOLEN_ACCOUNT }]);
  expect(Date.parse(String(found[0]?.['end'])) * 1000).toBe(BREAK_IN);
});

it('what that host talked to afterwards', async () => {
  const [first, second] = await rows(3);
  // A sweep over SMB, and logins to servers.
  expect(first).toMatchObject({ dst_port: 445 });
  expect(Number(first?.['hosts'])).toBeGreaterThan(20);
  expect(second).toMatchObject({ dst_port: 22 });
});

it('how much left the network', async () => {
  const [first] = await rows(4);
  expect(first).toMatchObject({ src_ip: FILES.ip, dst_ip: DROP_SITE });
  expect(Number(first?.['sum(bytes)'])).toBeGreaterThanOrEqual(expected.answers.toDropSite.bytes);
  expect(Number(first?.['share'])).toBeGreaterThan(0.9);
});

it('what is new', async () => {
  const [first] = await rows(5);
  expect(first).toMatchObject({ dst_ip: DROP_SITE, 'values(src_ip)': FILES.ip });
  const since = Date.parse(String(first?.['min(ts)'])) * 1000;
  expect(since).toBeGreaterThanOrEqual(BEACON.from);
  expect(since).toBeLessThan(BEACON.from + 600e6);
});
