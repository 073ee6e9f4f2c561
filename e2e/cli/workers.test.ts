/** The result of an import does not depend on the number of workers. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateEvidence } from '../harness.ts';
import { Commands, daybook, json, ndjson, scratch } from './harness.ts';

const space = scratch();
const evidence = path.join(space.folder, 'evidence');
const commands = new Commands();
const WORKERS = [1, 2, 5];
const ledgers = new Map<number, Record<string, unknown>[]>();
const folderOf = (jobs: number): string => path.join(space.folder, `${jobs}.daybook`);

beforeAll(async () => {
  await generateEvidence(space.folder, '--scale', '0.1');
  for (const jobs of WORKERS) {
    // Small chunks and an index of every part: many commits, with those of workers interleaved.
    const env = {
      DAYBOOK_CHUNK_ROWS: '1000',
      DAYBOOK_INDEX_ROWS: '1',
    };
    const args = [
      'import',
      folderOf(jobs),
      evidence,
      '--recursive',
      '--jobs',
      String(jobs),
      '--json',
    ];
    const made = await daybook(args, { env });
    expect(made.status, made.err).toBe(0);
    ledgers.set(jobs, ndjson<Record<string, unknown>>(made));
  }
});
afterAll(async () => {
  await commands.close();
  space.remove();
});

const NOT_OF_THE_EVIDENCE = /^(elapsed|case$|import|peak)/;

/** The ledger's lines, without fields that are not about the evidence. */
function ledgerOf(jobs: number): unknown[] {
  return ledgers
    .get(jobs)!
    .map((line) =>
      Object.fromEntries(Object.entries(line).filter(([name]) => !NOT_OF_THE_EVIDENCE.test(name))),
    )
    .sort((a, b) => (String(a['source']) < String(b['source']) ? -1 : 1));
}

/** Every event, as a line of JSON; those of one worker are read once. */
async function eventsOf(jobs: number): Promise<readonly string[]> {
  const known = events.get(jobs);
  if (known !== undefined) return known;
  const args = ['query', folderOf(jobs), 'kind:*', '--format', 'ndjson', '--limit', '1000000'];
  const found = await commands.run(args);
  expect(found.status, found.err).toBe(0);
  const lines = found.out
    .split('\n')
    .filter((line) => line !== '')
    .sort();
  events.set(jobs, lines);
  return lines;
}
const events = new Map<number, readonly string[]>();

async function answerOf(jobs: number, query: string): Promise<unknown> {
  const found = await commands.run(['query', folderOf(jobs), query, '--format', 'json']);
  expect(found.status, found.err).toBe(0);
  const { timings: _, ...answer } = json<Record<string, unknown>>(found);
  return answer;
}

describe.each(WORKERS.slice(1))('%i workers', (jobs) => {
  it('keep the same ledger', () => {
    expect(ledgerOf(jobs)).toEqual(ledgerOf(1));
    expect(ledgerOf(1).length).toBeGreaterThan(3);
  });

  it('store the same events', async () => {
    const [one, many] = [await eventsOf(1), await eventsOf(jobs)];
    expect(many.length).toBeGreaterThan(5000);
    expect(many).toEqual(one);
  });

  it('answer alike', async () => {
    for (const query of [
      'kind:* | top 20 src_ip',
      '| timeline 1h',
      'failed | count',
      '| stats sum(bytes) by proto | sort proto',
    ]) {
      const [one, many] = await Promise.all(
        [1, jobs].map(async (workers) => answerOf(workers, query)),
      );
      expect(many, query).toEqual(one);
    }
  });

  it('are whole', async () => {
    const verified = await daybook(['verify', folderOf(jobs)]);
    expect(verified.status, verified.out + verified.err).toBe(0);
    const days = path.join(folderOf(jobs), 'days');
    const files = readdirSync(days).flatMap((day) => readdirSync(path.join(days, day)));
    const count = (ending: string): number => files.filter((name) => name.endsWith(ending)).length;
    expect(count('.idx')).toBe(count('.duckdb'));
  });
});
