/** Finding rows by reading, with several concurrent callers that share each other's reading. */
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { evidence } from '../../../app/compose.ts';
import { CancelledError } from '../../contract/errors.ts';
import { type Filter, type SegmentInfo, parseQuery, planQuery } from '../../query/index.ts';
import { CaseSession } from '../session/case-session.ts';
import type { Snapshot } from '../session/snapshot.ts';
import { contextOf } from '../plan-context.ts';
import { type RowFinder, finderOf } from './row-finder.ts';
import { type SmallCase, smallCase } from '../../operations/testing/small-case.ts';

let small: SmallCase;
let session: CaseSession;
let snapshot: Snapshot;
let filter: Filter;
let segments: readonly SegmentInfo[] = [];
let tests = 0;

/** Waiting statements, by the segments that they read. */
interface Reading {
  readonly end: () => void;
  stopped: boolean;
}
const readings = new Map<string, Reading>();

function finder(signal?: AbortSignal): RowFinder {
  return finderOf(session, snapshot, signal, async (_, read, stop) => {
    const { promise, resolve, reject } = Promise.withResolvers<[]>();
    const one: Reading = { end: () => resolve([]), stopped: false };
    readings.set(read.map(({ id }) => segments.findIndex((s) => s.id === id)).join(), one);
    stop?.addEventListener('abort', () => {
      one.stopped = true;
      reject(new CancelledError());
    });
    return promise;
  });
}

async function reading(which: string): Promise<Reading> {
  for (;;) {
    const one = readings.get(which);
    if (one !== undefined) return one;
    await turn();
  }
}

beforeAll(async () => {
  const lines = Array.from(
    { length: 30 },
    (_, n) =>
      `2026-11-${String((n % 3) + 1).padStart(2, '0')}T10:00:${n + 10}Z web01 sshd: line ${n}`,
  );
  vi.stubEnv('DAYBOOK_DENSE_ROWS', '1');
  small = await smallCase({ 'a.log': `${lines.toSorted().join('\n')}\n` }, evidence);
  session = CaseSession.open(small.folder, { memoryLimit: 3e8, threads: 1 });
  snapshot = session.snapshot();
}, 60_000);
beforeEach(() => {
  readings.clear();
  // Each test has a different condition, because results are cached.
  const ast = parseQuery(`message:/line ${(tests += 1)}/`);
  const plan = planQuery(ast, contextOf(snapshot, { text: '', zone: 'UTC' }, session));
  if (plan.events.node !== 'base') throw new Error('no filter alone');
  ({ filter } = plan.events);
  segments = plan.segmentsUsed;
  expect(segments).toHaveLength(3);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await session.close();
  await small.dispose();
});

it('goes on when another is cancelled whose reading it waits for beside a third one', async () => {
  const stop = new AbortController();
  const first = finder().exact(filter, segments.slice(0, 1));
  const second = finder(stop.signal).exact(filter, segments.slice(1, 2));
  const cancelled = expect(second).rejects.toThrow(CancelledError);
  const [one, two] = [await reading('0'), await reading('1')];
  const both = finder().exact(filter, segments.slice(0, 2));
  // Look-ups yield now and then, at most once for each segment.
  for (let n = 0; n < 20; n++) await turn();
  stop.abort();
  await cancelled;
  expect(two.stopped).toBe(false);
  one.end();
  two.end();
  expect([...(await both).values()].map(({ exact }) => exact)).toEqual([true, true]);
  await first;
});

it('stops its own reading when it is cancelled while it waits for that of another', async () => {
  const stop = new AbortController();
  const first = finder().exact(filter, segments.slice(0, 1));
  const one = await reading('0');
  const all = expect(finder(stop.signal).exact(filter, segments)).rejects.toThrow(CancelledError);
  const own = await reading('1,2');
  stop.abort();
  await all;
  expect([one.stopped, own.stopped]).toEqual([false, true]);
  one.end();
  await first;
});

it('reads the times of many small segments by turns', async () => {
  const days = Array.from({ length: 80 }, (_, day) => new Date(Date.UTC(2026, 0, 1 + day)));
  const lines = days.map((day) => `${day.toISOString()} web01 sshd: a day`);
  const other = await smallCase({ 'a.log': `${lines.join('\n')}\n` }, evidence);
  const session = CaseSession.open(other.folder, { memoryLimit: 3e8, threads: 1 });
  try {
    const all = session.snapshot();
    const plan = planQuery(parseQuery(''), contextOf(all, { text: '', zone: 'UTC' }, session));
    if (plan.events.node !== 'base') throw new Error('no filter alone');
    const read: number[] = [];
    const found = finderOf(session, all, undefined, async (_, some) => {
      read.push(some.length);
      return some.map(({ id, minTs }) => [id, `[${minTs}]`]);
    });
    const timed = await found.timed(plan.events.filter, plan.segmentsUsed);
    expect(timed?.map(({ time }) => time?.timeOf(0))).toEqual(
      plan.segmentsUsed.map(({ minTs }) => minTs),
    );
    expect(read).toEqual([32, 32, 16]);
  } finally {
    await session.close();
    await other.dispose();
  }
});
