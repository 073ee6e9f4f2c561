/** An import by a thread that has read other evidence before gives the same result as one by a new thread. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { evidence } from '../../../app/compose.ts';
import { Catalog } from '../../catalog/catalog.ts';
import type { ImportOptions } from '../../ingest/worker/protocol.ts';
import type { WorkerHandle } from '../../ingest/coordinator/import-report.ts';
import { importInProcess, quarantined, rowsOf } from '../../ingest/testing/in-process.ts';
import { eveJson, pcapOf, rfc3164, zeekConn } from '../../ingest/testing/small-evidence.ts';
import { WarmThreads } from '../../ingest/coordinator/warm-threads.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'daybook-warm-'));
  // Side files as well, by the thread that is kept with it.
  vi.stubEnv('DAYBOOK_INDEX_ROWS', '20');
  for (const [file, bytes] of IMPORTS) writeFileSync(join(folder, file), bytes);
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

const wide = `src_ip,${Array.from({ length: 90 }, (_, i) => `column${i}`).join(',')}\n10.0.0.1${',x'.repeat(90)}\n`;
const table = 'Start,From,To,Note\n2026-11-02 10:00:00,10.0.0.1,10.0.0.2,"a\nb"\n';

/** Each is one import; leftovers of one would show in the next. */
const IMPORTS: readonly (readonly [string, string | Uint8Array, Partial<ImportOptions>])[] = [
  ['a.log', rfc3164(60) + 'no header\n\n', { timeZone: 'Europe/Berlin', year: 2025 }],
  ['wide.csv', wide, {}],
  ['eve.json', eveJson(30) + 'not json\n', {}],
  ['table.csv', table, { mapping: { ts: 'Start', src_ip: 'From', 'attrs.to': 'To' } }],
  ['conn.log', zeekConn(70) + 'no\trow\n', {}],
  ['a.pcap', pcapOf(50), { packets: false }],
  ['b.log', rfc3164(61), {}],
  ['nothing.bin', Uint8Array.of(0, 1, 2, 3, 255, 254), {}],
];

/** The contents of a case, except when it was made. */
async function contents(path: string) {
  const catalog = Catalog.open(path);
  const sources = catalog.sources.all().map(({ elapsedMs: _, importId: _1, ...rest }) => rest);
  const segments = catalog.segments
    .all()
    .map(({ day, kind, rows, columns, index }) => ({ day, kind, rows, columns, index }));
  const problems = catalog.integrityProblems();
  catalog.close();
  const rows = await rowsOf(
    path,
    'SELECT to_json(e)::VARCHAR FROM events e ORDER BY source_id, kind, seq',
  );
  return { sources, segments, problems, quarantine: quarantined(path), rows: rows.flat() };
}

async function importAll(name: string, startWorker: () => WorkerHandle) {
  const path = join(folder, name);
  for (const [file, , options] of IMPORTS)
    await importInProcess(path, [join(folder, file)], { options, startWorker });
  return contents(path);
}

it('stores the same, import after import of all kinds of evidence', async () => {
  let started = 0;
  const warm = new WarmThreads(
    () => {
      started += 1;
      return evidence.startWorker();
    },
    60_000,
    () => 1e10,
  );
  const byOne = await importAll('warm.daybook', () => warm.take());
  warm.close();
  expect(started).toBe(1);
  expect(byOne.segments.some(({ index }) => index !== undefined)).toBe(true);
  expect(byOne).toEqual(await importAll('cold.daybook', () => evidence.startWorker()));
});

it('takes a new thread after one that was stopped in the middle', async () => {
  let started = 0;
  const warm = new WarmThreads(() => {
    started += 1;
    return evidence.startWorker();
  }, 60_000);
  const path = join(folder, 'stopped.daybook');
  const log = join(folder, 'stopped.log');
  writeFileSync(log, rfc3164(20_000));
  const cancelled = new AbortController();
  const stopping = (): WorkerHandle => {
    const thread = warm.take();
    return {
      ...thread,
      post: (message) => {
        if (message.type === 'item') cancelled.abort();
        thread.post(message);
      },
    };
  };
  await expect(
    importInProcess(path, [log], { startWorker: stopping, signal: cancelled.signal }),
  ).rejects.toThrow('cancelled');
  const report = await importInProcess(path, [log], { startWorker: () => warm.take() });
  warm.close();
  expect([started, report.total.stored]).toEqual([2, 20_000]);
});
