/**
 * U+FEFF is a byte order mark only at the beginning of a file: a value that begins with it keeps it, wherever
 * values are stored, compared, counted or shown.
 */
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { evidence, scanTools } from '../../app/compose.ts';
import { CaseSession } from './session/case-session.ts';
import { shownRows, startQuery } from './query.ts';
import { startScan } from '../operations/scan/scan.ts';
import { type SmallCase, smallCase } from '../operations/testing/small-case.ts';

const MARK = '\uFEFF';
const ROWS = 60;
let small: SmallCase;
let session: CaseSession;
let log: string;

beforeAll(async () => {
  vi.stubEnv('DAYBOOK_INDEX_ROWS', '10');
  const lines = Array.from({ length: ROWS }, (_, i) =>
    JSON.stringify({
      timestamp: new Date(Date.UTC(2026, 10, 2) + i * 1000).toISOString(),
      message: `${MARK}login ${i}`,
      host: i % 3 === 0 ? 'web' : `${MARK}web`,
      program: `${MARK}sshd`,
      taste: `${MARK}root`,
    }),
  );
  small = await smallCase({ 'records.json': `${lines.join('\n')}\n` }, evidence);
  log = join(small.evidence, 'records.json');
  session = CaseSession.open(small.folder, { memoryLimit: 3e8, threads: 1 });
}, 60_000);
afterAll(async () => {
  vi.unstubAllEnvs();
  await session.close();
  await small.dispose();
});

async function asked(text: string, path?: 'scan'): Promise<unknown> {
  const running = startQuery(session, { text, zone: 'UTC', path });
  if (running.plan.shape !== 'rows') return running.answer();
  const rows: unknown[] = [];
  for await (const some of shownRows(running, 'UTC')) rows.push(...some);
  return rows;
}

async function scanned(text: string): Promise<unknown> {
  const running = startScan(
    {
      ...{ path: log, text, from: undefined, to: undefined, zone: 'UTC', limit: undefined },
      ...{
        format: undefined,
        timeZone: undefined,
        year: undefined,
        dateOrder: undefined,
        mapping: undefined,
      },
      ...{ signal: new AbortController().signal, standardInput: Readable.from([]), threads: 1 },
      onProgress: () => undefined,
    },
    scanTools,
  );
  if (running.plan.shape !== 'rows') return running.answer();
  const rows: unknown[] = [];
  for await (const some of running.rows()) rows.push(...some);
  return rows;
}

const plain = (value: unknown): string =>
  JSON.stringify(value, (key, one: unknown) =>
    key === 'timings' || key === 'notes' ? undefined : one,
  );

describe('a value that begins with U+FEFF', () => {
  it('is stored and shown with it, though all rows have the same', async () => {
    const rows = await asked('* | fields message, program, attrs.taste | head 1');
    for (const value of ['login 0', 'sshd', 'root']) expect(plain(rows)).toContain(MARK + value);
  });

  it.each([
    'host:web | count',
    'host:web | top 5 program',
    '* | top 5 host',
    '* | top 5 program',
    'program:sshd | count',
    'attrs.taste:root | count',
    '* | patterns 5',
    '* | fields ts, host, message',
  ])('%s: by every path and by a scan', async (text) => {
    const wanted = plain(await asked(text, 'scan'));
    expect(plain(await asked(text))).toBe(wanted);
    expect(plain(await scanned(text))).toBe(wanted);
  });
});
