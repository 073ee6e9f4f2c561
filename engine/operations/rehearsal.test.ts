/** What a process asks itself while nobody asks anything. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { importInProcess } from '../ingest/testing/in-process.ts';
import { CasePool } from './case-pool.ts';
import { CaseSession } from './case-session.ts';
import { runQuery } from './run-query.ts';

const ROWS = 12_000;
let root: string;
let folder: string;
let empty: string;
let pool: CasePool;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'daybook-rehearsal-'));
  folder = join(root, 'x.daybook');
  empty = join(root, 'empty.daybook');
  const log = join(root, 'a.log');
  const lineOf = (i: number): string =>
    `${new Date(Date.UTC(2026, 9, 1) + i * 1000).toISOString()} host${i % 7} sshd[${i}]: Failed password for user${i % 90}\n`;
  writeFileSync(log, Array.from({ length: ROWS }, (_, i) => lineOf(i)).join(''));
  writeFileSync(join(root, 'nothing.log'), '');
  // Large enough for a map of its values.
  await importInProcess(folder, [log], { chunk: { ms: 600_000 } });
  await importInProcess(empty, [join(root, 'nothing.log')]);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));
afterEach(async () => {
  await pool.close();
  vi.restoreAllMocks();
});

/** Sessions of the rehearsal: that were opened, and the texts of what was asked in each. */
function watched(change: (session: CaseSession) => void = () => undefined): {
  opened: CaseSession[];
  closed: CaseSession[];
  asked: string[];
} {
  const seen = { opened: [] as CaseSession[], closed: [] as CaseSession[], asked: [] as string[] };
  const { open } = CaseSession;
  vi.spyOn(CaseSession, 'open').mockImplementation((...args) => {
    const session = open.apply(CaseSession, args);
    if (args[3] !== 'keeps no records') return session;
    seen.opened.push(session);
    change(session);
    const { record, close } = session;
    session.record = (watch, status, text) => {
      seen.asked.push(`${watch.operation} ${status} ${text}`);
      record.call(session, watch, status, text);
    };
    session.close = async () => {
      await close.call(session);
      seen.closed.push(session);
    };
    return session;
  });
  return seen;
}

function makePool(): void {
  pool = new CasePool(() => ({ memoryLimit: 2e8, threads: 1 }));
  pool.prepare();
}

const ask = async (of: string, query = 'failed | count'): Promise<void> => {
  await pool.use(of, async (session) => {
    await runQuery(session, { query, zone: 'UTC', limit: 10 }, new AbortController().signal);
  });
};
const logged = (): Promise<string[]> =>
  pool.use(folder, async (session) => {
    session.writeRecords();
    return session.catalog.operations().map(({ operation }) => operation);
  });

it('asks for lists and bars of words of the case, once, and writes nothing of it down', async () => {
  const seen = watched();
  makePool();
  await ask(folder);
  await vi.waitFor(() => expect(seen.closed).toHaveLength(1), { timeout: 20_000, interval: 50 });
  expect(seen.asked).toContain('result.open done kind:log failed');
  expect(seen.asked.some((one) => /^timeline\.run done kind:log \*[a-z]/u.test(one))).toBe(true);
  expect(seen.asked.some((one) => /^result\.open done kind:log [a-z]+\*$/u.test(one))).toBe(true);
  expect(seen.asked.filter((one) => !one.includes(' done '))).toEqual([]);
  const before = await logged();
  expect(new Set(before)).toEqual(new Set(['query.run']));
  await new Promise((resolve) => setTimeout(resolve, 400));
  expect(seen.opened).toHaveLength(1);
});

it('stops when something is asked, and begins again', async () => {
  const seen = watched();
  makePool();
  await ask(folder);
  await vi.waitFor(() => expect(seen.asked.length).toBeGreaterThan(0), {
    timeout: 20_000,
    interval: 1,
  });
  await ask(folder, 'password | count');
  // There is a second only where the first was stopped, be it between two questions.
  await vi.waitFor(() => expect(seen.closed).toHaveLength(2), { timeout: 20_000, interval: 50 });
  expect(seen.opened).toHaveLength(2);
});

it('begins again also where what was stopped takes its time to end', async () => {
  const seen = watched((session) => {
    const { close } = session;
    session.close = async () => {
      await new Promise((resolve) => setTimeout(resolve, 500));
      await close.call(session);
    };
  });
  makePool();
  await ask(folder);
  await vi.waitFor(() => expect(seen.asked.length).toBeGreaterThan(0), {
    timeout: 20_000,
    interval: 1,
  });
  await ask(folder, 'password | count');
  await vi.waitFor(() => expect(seen.closed).toHaveLength(2), { timeout: 20_000, interval: 50 });
});

it('waits for a case that has something', async () => {
  const seen = watched();
  makePool();
  await ask(empty);
  await vi.waitFor(() => expect(seen.closed).toHaveLength(1), { timeout: 20_000, interval: 50 });
  expect(seen.asked).toEqual([]);
  await ask(folder);
  await vi.waitFor(() => expect(seen.closed).toHaveLength(2), { timeout: 20_000, interval: 50 });
  expect(seen.asked.length).toBeGreaterThan(0);
});

it('is over only when all that it asked is, also where some of it fails', async () => {
  const before: string[] = [];
  const seen = watched((session) => {
    vi.spyOn(session.store, 'prepare').mockImplementation(() => {
      throw new Error('no list');
    });
    const { close } = session;
    session.close = () => {
      before.push(...seen.asked);
      return close.call(session);
    };
  });
  makePool();
  await ask(folder);
  await vi.waitFor(() => expect(seen.closed).toHaveLength(1), { timeout: 20_000, interval: 50 });
  expect(before).toEqual(['timeline.run done kind:log ']);
});

it('is ended with the cases', async () => {
  const seen = watched();
  makePool();
  await ask(folder);
  await vi.waitFor(() => expect(seen.asked.length).toBeGreaterThan(0), {
    timeout: 20_000,
    interval: 1,
  });
  await pool.close();
  expect(seen.closed).toHaveLength(1);
});
