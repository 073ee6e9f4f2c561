/**
 * An import that is cancelled after any of its commits and resumed gives the same contents: resumed sources with
 * quarantined records, earlier copies of a growing log, records that state their identity.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Catalog } from '../../catalog/catalog.ts';
import { DaybookError } from '../../contract/errors.ts';
import type { WorkerHandle } from './import-report.ts';
import { classicCapture } from '../testing/captures.ts';
import {
  importInProcess,
  inBlocks,
  quarantined,
  rowsOf,
  startInProcess,
} from '../testing/in-process.ts';
import { eveJson, rfc3164, zeekConn } from '../testing/small-evidence.ts';

const CHUNK = { rows: 40 };
/** Importers offer a commit once per block. */
const WALK = inBlocks(1 << 16);
const LINES = 3000;

let folder: string;
let evidence: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'daybook-resume-'));
  evidence = join(folder, 'evidence');
  mkdirSync(evidence);
  const log = rfc3164(LINES);
  writeFileSync(join(evidence, 'a.log'), log.slice(0, log.indexOf('\n', log.length >> 1) + 1));
  writeFileSync(join(evidence, 'b.log'), log);
  let table = zeekConn(2000);
  // Rows that cannot be parsed, at both ends and in between.
  for (const at of ['Cabc5\t', 'Cabc900\t', 'Cabc1999\t'])
    table = table.replace(new RegExp(`^.*${at}.*$`, 'm'), 'no\trow');
  writeFileSync(join(evidence, 'c.zeek'), table);
  writeFileSync(join(evidence, 'd.zeek'), zeekConn(300, 1800));
  // Many conversations, whose flows are committed after their packets.
  writeFileSync(join(evidence, 'e.pcap'), classicCapture(2000, {}, 100).subarray(0, -7));
  writeFileSync(join(evidence, 'f.json'), eveJson(50) + '{"cut off\n' + eveJson(50));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The contents of a case, however it was made. */
async function contents(path: string) {
  const catalog = Catalog.open(path);
  const sources = catalog.sources
    .all()
    .map(({ name, read, stored, duplicate, skipped, status, byKind, ...rest }) => ({
      ...{ name, read, stored, duplicate, skipped, status, byKind },
      ...{ quarantined: rest.quarantined, first: rest.firstTs, last: rest.lastTs },
    }));
  const problems = catalog.integrityProblems();
  catalog.close();
  expect(problems).toEqual([]);
  return {
    sources,
    quarantine: quarantined(path)
      .map(({ source, offset, reason, raw }) => `${source} ${offset} ${reason} ${raw}`)
      .sort(),
    rows: await rowsOf(
      path,
      `SELECT kind, source_id::DOUBLE, count(*)::DOUBLE, count(DISTINCT seq)::DOUBLE, sum(epoch_us(ts))::VARCHAR,
         sum("offset")::VARCHAR FROM events GROUP BY ALL ORDER BY ALL`,
    ),
  };
}

/** The ledger includes what is stored, also for sources that were not read to their end. */
function expectLedger(path: string): void {
  const catalog = Catalog.open(path);
  const ledger = new Map(catalog.ledger.of().map((row) => [row.sourceId, row]));
  for (const { id, read, stored, status, broken } of catalog.sources.all()) {
    if (read === 0) continue;
    // The catalog has a truncated content as complete; the ledger shows that it is truncated.
    const told = status === 'complete' ? (broken?.state ?? status) : status;
    expect(ledger.get(id)).toMatchObject({ read, stored, status: told });
  }
  catalog.close();
}

/** A worker whose import is cancelled after its commit number `after`. */
function cancellingAfter(after: number, controller: AbortController): () => WorkerHandle {
  let commits = 0;
  return () => {
    const inner = startInProcess(undefined, WALK);
    return {
      ...inner,
      post: (message) => {
        if (message.type === 'committed' && ++commits >= after) controller.abort();
        inner.post(message);
      },
    };
  };
}

it('comes to the same after a cancellation at each of its commits', async () => {
  const whole = join(folder, 'whole.daybook');
  await importInProcess(whole, [evidence], { chunk: CHUNK });
  const want = await contents(whole);
  const stored = Object.fromEntries(want.sources.map((source) => [source.name, source.stored]));
  expect(stored['a.log']! + stored['b.log']!).toBe(LINES);
  // Of the events of eve.json, flows state their identity.
  expect(stored).toMatchObject({ 'c.zeek': 1997, 'd.zeek': 101, 'e.pcap': 1999, 'f.json': 75 });
  expect(want.quarantine.length).toBe(3 + 1 + 1);

  let cancelled = 0;
  for (let after = 1; after < 40; after += 4) {
    const path = join(folder, `after-${after}.daybook`);
    const controller = new AbortController();
    const failure: unknown = await importInProcess(path, [evidence], {
      chunk: CHUNK,
      signal: controller.signal,
      startWorker: cancellingAfter(after, controller),
    }).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (failure === undefined) break;
    expect(failure instanceof DaybookError && failure.code).toBe('cancelled');
    cancelled += 1;
    expectLedger(path);
    // A second cancellation, of the resumed import.
    const again = new AbortController();
    await importInProcess(path, [evidence], {
      chunk: CHUNK,
      signal: again.signal,
      startWorker: cancellingAfter(2, again),
    }).catch(() => undefined);
    await importInProcess(path, [evidence], { chunk: CHUNK });
    expect(await contents(path), `after commit ${after}`).toEqual(want);
    rmSync(path, { recursive: true });
  }
  expect(cancelled).toBeGreaterThan(2);
});

it('a log that grows from import to import is stored once, and so is its archive', async () => {
  const path = join(folder, 'growing.daybook');
  const lines = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => {
      const day = new Date(Date.UTC(2026, 0, 1 + from + i)).toISOString();
      return `${day} host prog[${from + i}]: line\n`;
    }).join('');
  const stored: number[] = [];
  for (const [name, size] of [
    ['day1', 100],
    ['day2', 120],
    ['day3', 140],
    ['day4', 160],
    ['archive.gz', 160],
    ['day5', 180],
  ] as const) {
    const file = join(folder, `growing-${name}`);
    const content = lines(0, size);
    writeFileSync(file, name.endsWith('.gz') ? gzipSync(content) : content);
    const { total } = await importInProcess(path, [file]);
    expect(total.read).toBe(size);
    stored.push(total.stored);
  }
  expect(stored).toEqual([100, 20, 20, 20, 0, 20]);
});

it('counts what was skipped of a source that is known as skipped, not as duplicates', async () => {
  const file = join(folder, 'blank.log');
  writeFileSync(file, '2026-01-01T00:00:00Z host a: one\n\n\n2026-01-01T00:00:01Z host a: two\n');
  const path = join(folder, 'blank.daybook');
  const first = await importInProcess(path, [file]);
  expect(first.total).toMatchObject({ read: 4, stored: 2, duplicate: 0, skipped: 2 });
  const again = await importInProcess(path, [file]);
  expect(again.total).toMatchObject({ read: 4, stored: 0, duplicate: 2, skipped: 2 });
  expect(again.sources[0]?.skippedReasons).toEqual(first.sources[0]?.skippedReasons);
});
