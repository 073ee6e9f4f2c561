/** Explains how a query is answered on a case with some damaged indexes. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { evidence } from '../../app/compose.ts';
import { CaseSession } from './session/case-session.ts';
import { startQuery } from './query.ts';
import { type SmallCase, smallCase } from '../operations/testing/small-case.ts';

const DAYS = 3;
const ROWS = 60;
let small: SmallCase;

beforeAll(async () => {
  vi.stubEnv('DAYBOOK_INDEX_ROWS', '10');
  const lines = Array.from({ length: DAYS * ROWS }, (_, n) => {
    const timestamp = new Date(Date.UTC(2026, 10, 2 + Math.floor(n / ROWS)) + n * 1000);
    return JSON.stringify({ timestamp, message: `m ${n}`, host: `h${n % 3}` });
  });
  small = await smallCase({ 'records.json': `${lines.join('\n')}\n` }, evidence);
  const days = join(small.folder, 'days');
  const [one] = readdirSync(days, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.idx'))
    .sort();
  const path = join(days, one!);
  const bytes = readFileSync(path);
  const directory = bytes.toString('latin1', bytes.length - 2000);
  for (const name of ['rollup', 'combinations']) {
    const [, at, size] = new RegExp(`"${name}",(\\d+),(\\d+)`).exec(directory)!;
    bytes.fill(0xa5, Number(at), Number(at) + Number(size));
  }
  writeFileSync(path, bytes);
}, 60_000);
afterAll(async () => {
  vi.unstubAllEnvs();
  await small.dispose();
});

it.each(['NOT host:h1 | count', 'NOT host:h1 | top 5 host'])('%s: by rows', async (text) => {
  const session = CaseSession.open(small.folder, { memoryLimit: 3e8, threads: 1 });
  try {
    const asked = () => startQuery(session, { text, zone: 'UTC' });
    const lines = await asked().explain();
    expect(lines.join('\n')).toContain('path: index');
    const running = asked();
    await running.answer();
    expect(running.notes().join('\n')).toContain('damaged');
  } finally {
    await session.close();
  }
});
