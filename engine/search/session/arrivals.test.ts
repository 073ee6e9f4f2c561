/**
 * Between two looks at a case, every event that arrived is reported once, whatever was merged or cancelled
 * meanwhile.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CaseWriter } from '../../ingest/case/case-writer.ts';
import { compactAll } from '../../ingest/compaction/compact.ts';
import type { WorkerHandle } from '../../ingest/coordinator/import-report.ts';
import {
  BUILDER,
  importInProcess,
  rowsOf,
  startInProcess,
} from '../../ingest/testing/in-process.ts';
import { PCAP_HEADER, PCAP_RECORD, pcapOf, rfc3164 } from '../../ingest/testing/small-evidence.ts';
import { isSame, reachedBy, type Reached } from './arrivals.ts';
import { CaseSession } from './case-session.ts';
import { shownRows, startQuery } from '../query.ts';

const CHUNK = { rows: 40 };
const ALL = 'kind:log OR kind:packet OR kind:flow';

let root: string;
let evidence: string;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'daybook-arrivals-'));
  evidence = join(root, 'evidence');
  mkdirSync(evidence);
  writeFileSync(join(evidence, 'a.log'), rfc3164(3000));
  const packets = pcapOf(20_000);
  // The first flow ends last.
  const frame = packets.subarray(PCAP_HEADER + 16, PCAP_HEADER + PCAP_RECORD);
  for (let n = 30; n < 20_000; n += 30) frame.copy(packets, PCAP_HEADER + n * PCAP_RECORD + 16);
  writeFileSync(join(evidence, 'b.pcap'), packets);
  writeFileSync(join(evidence, 'c.log'), rfc3164(30).replaceAll('host', 'other'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Events counted by id. */
async function arrived(session: CaseSession, after: Reached, until: Reached): Promise<string[]> {
  const ids: string[] = [];
  const asked = { zone: 'UTC', arrived: { after, until } };
  // Including packets of flows.
  const running = startQuery(session, { text: ALL, ...asked });
  for await (const records of shownRows(running, 'UTC'))
    for (const record of records) ids.push(String(record['event_id']));
  const counted = startQuery(session, { text: `${ALL} | count`, ...asked });
  expect(await counted.answer()).toMatchObject({ count: ids.length });
  return ids;
}

it('is every event once, of sources that were cancelled on the way and segments that were merged', async () => {
  const folder = join(root, 'work.daybook');
  await importInProcess(folder, [join(evidence, 'c.log')]);
  const session = CaseSession.open(folder, BUILDER);
  const before = (await rowsOf(folder, 'SELECT count(*)::DOUBLE FROM events'))[0]![0];
  let reached = await reachedBy(session);
  const seen: string[] = [];
  let looks = 0;
  let partial = 0;
  try {
    for (let more = true; more;) {
      // Each import is cancelled after its second commit, until one completes.
      const controller = new AbortController();
      let commits = 0;
      const startWorker = (): WorkerHandle => {
        const inner = startInProcess();
        return {
          ...inner,
          post: (message) => {
            if (message.type === 'committed' && ++commits >= 2) controller.abort();
            inner.post(message);
          },
        };
      };
      more = await importInProcess(folder, [evidence], {
        ...{ chunk: CHUNK, signal: controller.signal, startWorker },
      }).then(
        () => false,
        () => true,
      );
      if (looks % 2 === 0) {
        const writer = await CaseWriter.open(folder, 'test', BUILDER);
        await compactAll(writer);
        writer.close();
      }
      const now = await reachedBy(session);
      partial += now.open.filter(({ record }) => record > 0).length;
      seen.push(...(await arrived(session, reached, now)));
      expect(isSame(now, await reachedBy(session))).toBe(true);
      reached = now;
      looks += 1;
    }
  } finally {
    await session.close();
  }
  expect(looks).toBeGreaterThan(2);
  expect(partial).toBeGreaterThan(1);
  const all = await rowsOf(folder, 'SELECT source_id::DOUBLE, seq::DOUBLE FROM events');
  expect(seen.length).toBe(all.length - Number(before));
  expect(new Set(seen).size).toBe(seen.length);
  expect(seen.some((id) => id.includes(':f'))).toBe(true);
}, 60_000);
