/**
 * Segments written before the numbers of cut messages became bytes are read like others, together with them and
 * after merging with them.
 */
import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { evidence } from '../../../app/compose.ts';
import { CaseWriter } from '../../ingest/case/case-writer.ts';
import { compactAll } from '../../ingest/compaction/compact.ts';
import { BUILDER, importInProcess } from '../../ingest/testing/in-process.ts';
import { CaseSession } from '../session/case-session.ts';
import { startQuery } from '../query.ts';
import { withNumberLists } from '../../operations/testing/number-lists.ts';
import { type SmallCase, smallCase } from '../../operations/testing/small-case.ts';

const ROWS = 1500;
const messageOf = (i: number) =>
  [
    `Failed password for user${i % 70} from 10.${i % 3}.0.${i % 250} port ${i * 20} ssh2`,
    `key SHA256:${(i * 7919).toString(36)} of 日本 ${i * 100_000}`,
    `sensor quasar${i % 400} of unit ${i % 64}`,
    `whole ${'-'.repeat(i % 40)}`,
  ][i % 4]!;
/** Every second line, so that both segments have events at all times. */
const lines = (from: 0 | 1): string =>
  Array.from({ length: ROWS }, (_, row) => {
    const i = row * 2 + from;
    const time = new Date(Date.UTC(2026, 10, 1) + i * 5_000).toISOString();
    return `${time} web01 app[${i}]: ${messageOf(i)}\n`;
  }).join('');

let small: SmallCase;

beforeAll(async () => {
  vi.stubEnv('DAYBOOK_INDEX_ROWS', '25');
  small = await smallCase({ 'a.log': lines(0) }, evidence, { workers: 1 });
  const writer = await CaseWriter.open(small.folder, 'test', BUILDER);
  try {
    expect(await withNumberLists(writer)).toBe(1);
  } finally {
    writer.close();
  }
  const more = join(small.root, 'b.log');
  writeFileSync(more, lines(1));
  await importInProcess(small.folder, [more], { workers: 1, lowLatency: true });
}, 60_000);
afterAll(async () => {
  vi.unstubAllEnvs();
  await small.dispose();
});

async function asked(session: CaseSession, text: string, path?: 'scan'): Promise<unknown[]> {
  const running = startQuery(session, { text, zone: 'UTC', path });
  const rows: unknown[] = [];
  for await (const batch of running.rows()) {
    const message = batch.columns.find(({ name }) => name === 'message')!.parts[0]!.at;
    for (const row of batch.rows) rows.push(row[message]);
  }
  return rows;
}

async function checkAnswers(): Promise<void> {
  const session = CaseSession.open(small.folder, { memoryLimit: 3e8, threads: 2 });
  try {
    const all = Array.from({ length: 2 * ROWS }, (_, i) => `app[${i}]: ${messageOf(i)}`);
    expect(await asked(session, '*', 'scan')).toEqual(all);
    // The messages were in parts.
    const together = vi.spyOn(session.store, 'messageShapes');
    expect(await asked(session, '* | head 40')).toEqual(all.slice(0, 40));
    expect(together).toHaveBeenCalled();
    for (const filter of ['message:/port 2\\d+0 ssh/', 'message:/日本 \\d{6}$/'])
      expect(await asked(session, filter)).toEqual(await asked(session, filter, 'scan'));
  } finally {
    await session.close();
  }
}

it('are read beside others', checkAnswers, 30_000);

it('are merged with others', async () => {
  const writer = await CaseWriter.open(small.folder, 'test', BUILDER);
  try {
    const forms = writer.catalog.segments.all().map(({ numberForm }) => numberForm);
    expect(new Set(forms)).toEqual(new Set(['widths', 'bytes']));
    await compactAll(writer);
    const [only, ...others] = writer.catalog.segments.all();
    expect([only?.numberForm, only?.rows, others]).toEqual(['bytes', 2 * ROWS, []]);
    expect(only?.shapes).toBeGreaterThan(2);
  } finally {
    writer.close();
  }
  await checkAnswers();
}, 30_000);
