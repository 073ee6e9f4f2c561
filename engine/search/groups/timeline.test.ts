/** A timeline counts the same events as the list next to it, whatever selects them. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { evidence } from '../../../app/compose.ts';
import { CaseSession } from '../session/case-session.ts';
import { type SmallCase, smallCase } from '../../operations/testing/small-case.ts';
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
  const alerts = Array.from({ length: 40 }, (_, n) =>
    JSON.stringify({
      timestamp: new Date(Date.UTC(2026, 1, 1 + (n % 20), n, 30, n)).toISOString(),
      event_type: n % 3 === 0 ? 'alert' : 'dns',
      src_ip: '192.0.2.1',
      dest_ip: '192.0.2.2',
      proto: 'UDP',
      ...(n % 3 === 0 ? { alert: { signature: `rule ${n}`, severity: 1 } } : { dns: { id: n } }),
    }),
  );
  small = await smallCase(
    { 'r.json': `${lines.join('\n')}\n`, 'eve.json': `${alerts.join('\n')}\n` },
    evidence,
  );
  session = CaseSession.open(small.folder, { memoryLimit: 3e8, threads: 1 });
}, 60_000);
afterAll(async () => {
  await session.close();
  await small.dispose();
});

it.each<[string, number]>([
  ['*', 100],
  ['kind:log', 60],
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

it('counts alike by what is known of segments and by reading them, whatever part of them is asked for', async () => {
  const { signal } = new AbortController();
  const hour = 3_600_000_000;
  const first = Date.UTC(2026, 0, 1) * 1000;
  const spans: [number | undefined, number | undefined][] = [
    [undefined, undefined],
    [first + 2e7, undefined],
    [undefined, first + 31 * 24 * hour],
    [first + 5 * 24 * hour + 3e7, first + 45 * 24 * hour + 7 * hour],
    [first + 31 * 24 * hour + hour, first + 32 * 24 * hour],
    [first + 400 * 24 * hour, first + 500 * 24 * hour],
  ];
  for (const query of ['*', 'kind:dns', '"of 1"', '-kind:log'])
    for (const [from, to] of spans)
      for (const by of [undefined, 'kind'])
        for (const buckets of [1, 3, 30, 400])
          for (const most of [1, 8]) {
            const view = { query, zone: 'UTC', from, to, buckets, by, most };
            const { starts, width, series, total, undated } = await timeline(
              session,
              { ...view, path: 'scan' },
              signal,
            );
            expect(await timeline(session, view, signal), JSON.stringify(view)).toMatchObject({
              ...{ starts, width, series, total, undated },
            });
          }
}, 60_000);
