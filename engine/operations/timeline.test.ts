/** A timeline counts the events of the list beside it, whatever chooses among them. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { evidence } from '../../app/compose.ts';
import { CaseSession } from './case-session.ts';
import { type SmallCase, smallCase } from './testing/small-case.ts';
import { timeline } from './timeline.ts';

let small: SmallCase;
let session: CaseSession;
beforeAll(async () => {
  const lines = Array.from({ length: 60 }, (_, n) =>
    JSON.stringify({
      timestamp: new Date(Date.UTC(2026, 0, 1 + (n % 6), 0, 0, n)).toISOString(),
      message: `line ${n} of ${n % 3}`,
    }),
  );
  small = await smallCase({ 'r.json': `${lines.join('\n')}\n` }, evidence);
  session = CaseSession.open(small.folder, { memoryLimit: 3e8, threads: 1 });
}, 60_000);
afterAll(async () => {
  await session.close();
  await small.dispose();
});

it.each<[string, number]>([
  ['*', 60],
  ['* | head 3', 3],
  ['"of 1" | head 7 | head 30', 7],
  ['* | head 0', 0],
  ['* | sort message | head 5', 5],
])('%s: %i events', async (query, total) => {
  const { signal } = new AbortController();
  for (const path of [undefined, 'scan'] as const)
    for (const by of [undefined, 'kind', 'message'])
      for (const buckets of [1, 30]) {
        const view = { query, zone: 'UTC', path, buckets, by, most: 2 };
        const found = await timeline(session, view, signal);
        expect(found.total).toBe(total);
        const counted = found.series.flatMap(({ counts }) => [...counts]);
        expect(counted.reduce((sum, n) => sum + n, 0)).toBe(total);
      }
});
