/**
 * Events whose texts are too long to be sorted, or held, in memory are delivered in small slices, each once and in
 * order.
 */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { evidence } from '../../../app/compose.ts';
import { type SmallCase, smallCase } from '../../operations/testing/small-case.ts';
import { SegmentStore } from '../../store/reading/segment-store.ts';
import { type ShownRecord, shownRows, startQuery } from '../query.ts';
import { CaseSession } from '../session/case-session.ts';

const ROWS = 64;
const LENGTH = 200_000;
/** Half of it is available to statements. */
const TINY = 40e6;

let long: SmallCase;

beforeAll(async () => {
  const lines = Array.from({ length: ROWS }, (_, i) =>
    JSON.stringify({
      timestamp: new Date(Date.UTC(2026, 2, 1, 0, i)).toISOString(),
      number: 100 + ((i * 37) % ROWS),
      text: `${i} `.repeat(LENGTH).slice(0, LENGTH),
    }),
  );
  long = await smallCase({ 'long.ndjson': `${lines.join('\n')}\n` }, evidence);
});
afterAll(() => long.dispose());

it('are read in slices of few', async () => {
  const session = CaseSession.open(long.folder, { memoryLimit: TINY, threads: 2 });
  const run = vi.spyOn(SegmentStore.prototype, 'query');
  const numbers: unknown[] = [];
  try {
    const running = startQuery(session, { text: '* | sort number', zone: 'UTC' });
    for await (const some of shownRows(running, 'UTC'))
      for (const { attrs } of some) numbers.push((attrs as ShownRecord)['number']);
    const slices = run.mock.calls.filter(([sql]) => !sql.includes('work.main'));
    expect(slices.length).toBeGreaterThan(4);
  } finally {
    run.mockRestore();
    await session.close();
  }
  expect(numbers).toEqual(Array.from({ length: ROWS }, (_, i) => String(100 + i)));
});
