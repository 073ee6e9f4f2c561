/**
 * Events of sources with different columns on the same days: no statement reads the columns of all sources for the
 * rows of each, and each event is delivered once, in order, with its values.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { evidence } from '../../../app/compose.ts';
import { importInProcess } from '../../ingest/testing/in-process.ts';
import { type SmallCase, smallCase } from '../../operations/testing/small-case.ts';
import { SegmentStore } from '../../store/reading/segment-store.ts';
import { type ShownRecord, shownRows, startQuery } from '../query.ts';
import { CaseSession } from '../session/case-session.ts';

const SOURCES = 6;
const NAMES = 150;
const ROWS = 40;

let unlike: SmallCase;

/** One source: its names are unique, its times lie between those of the others. */
function source(s: number): string {
  const lines = Array.from({ length: ROWS }, (_, i) =>
    JSON.stringify({
      timestamp: new Date(Date.UTC(2026, 2, 1 + i, 0, s)).toISOString(),
      number: i * SOURCES + s,
      ...Object.fromEntries(
        Array.from({ length: NAMES }, (_name, n) => [`s${s}_${n}`, `v${s}x${n}x${i} end`]),
      ),
    }),
  );
  return `${lines.join('\n')}\n`;
}

beforeAll(async () => {
  unlike = await smallCase({ 's0.ndjson': source(0) }, evidence);
  for (let s = 1; s < SOURCES; s++) {
    const path = join(unlike.evidence, `s${s}.ndjson`);
    writeFileSync(path, source(s));
    await importInProcess(unlike.folder, [path]);
  }
});
afterAll(() => unlike.dispose());

async function asked(
  text: string,
  path?: 'scan',
): Promise<{ found: ShownRecord[]; sql: string[] }> {
  const session = CaseSession.open(unlike.folder, { memoryLimit: 3e8, threads: 2 });
  const run = vi.spyOn(SegmentStore.prototype, 'query');
  const found: ShownRecord[] = [];
  try {
    const running = startQuery(session, { text, zone: 'UTC', ...(path && { path }) });
    for await (const some of shownRows(running, 'UTC')) found.push(...some);
    return { found, sql: run.mock.calls.map(([sql]) => sql) };
  } finally {
    run.mockRestore();
    await session.close();
  }
}

const attribute = (record: ShownRecord, name: string) => (record['attrs'] as ShownRecord)[name];

it.each([undefined, 'scan'] as const)('come in order, and whole (path: %s)', async (path) => {
  const { found, sql } = await asked('*', path);
  expect(found.map((one) => attribute(one, 'number'))).toEqual(
    Array.from({ length: ROWS * SOURCES }, (_, i) => String(i)),
  );
  found.forEach((one, i) => {
    const [s, row] = [i % SOURCES, Math.floor(i / SOURCES)];
    for (const n of [0, NAMES - 1])
      expect(attribute(one, `s${s}_${n}`)).toBe(`v${s}x${n}x${row} end`);
  });
  // A statement mentions each attribute a few times; with all sources in all branches it would be SOURCES times as
  // often.
  const mentions = Math.max(...sql.map((one) => one.split('"a:s0_7"').length - 1));
  expect(mentions).toBeLessThan(SOURCES);
  expect(sql.length).toBeLessThan(ROWS);
});

it.each([undefined, 'scan'] as const)('are found by a word of any (path: %s)', async (path) => {
  const { found, sql } = await asked('v3x149x20', path);
  expect(found.map((one) => attribute(one, 'number'))).toEqual([String(20 * SOURCES + 3)]);
  const patterns = Math.max(...sql.map((one) => one.split('regexp_matches').length - 1));
  expect(patterns).toBeLessThan(NAMES);
});

it('are not found by a phrase that begins in one attribute and ends in another', async () => {
  const whole = await asked('"v3x5x7 end"', 'scan');
  expect(whole.found).toHaveLength(1);
  for (const between of [' ', '\0'])
    expect((await asked(`"end${between}v3x6x7"`, 'scan')).found).toEqual([]);
});
