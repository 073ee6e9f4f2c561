/** Imports as a window sees them: started, followed, cancelled, resumed, listed; receiving; the quarantine. */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { evidence } from '../../../app/compose.ts';
import { Catalog } from '../../catalog/catalog.ts';
import type { Params, Part } from '../../contract/operations.ts';
import { CaseWriter } from '../../ingest/case/case-writer.ts';
import { BUILDER, rowsOf, startInProcess } from '../../ingest/testing/in-process.ts';
import { pcapOf, rfc3164, rfc5424, zeekConn } from '../../ingest/testing/small-evidence.ts';
import { CasePool } from '../../search/session/case-pool.ts';
import { startQuery } from '../../search/query.ts';
import type { Services } from '../handler.ts';
import { ImportJobs } from './import-jobs.ts';
import { called } from '../testing/called.ts';
import { evidenceHandlers } from './handlers.ts';

let root: string;
let below: string;
let services: Services;
let handlers: ReturnType<typeof evidenceHandlers>;

const LINES = 20_000;
const ROWS = 8_000;
/** Several of them are committed while an import runs. */
const CHUNK_ROWS = 1_500;

/**
 * Runs in this process what threads run: a cancelled thread is not reused, and each would load the modules again.
 */
const inProcess: typeof evidence = {
  ...evidence,
  startWorker: () => ({ ...startInProcess(), await: () => undefined }),
};

function servicesOf(): Services {
  return {
    cases: new CasePool(() => ({ memoryLimit: 3e8, threads: 2 })),
    evidence: inProcess,
    imports: new ImportJobs(),
    clusters: [],
    settings: {
      limits: {
        ...{ memory: 3e8, importMemory: BUILDER.memoryLimit, threads: 2, jobs: 2 },
        chunkRows: CHUNK_ROWS,
      },
      ...{ casesFolder: root, stateFolder: root },
    },
  };
}

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'daybook-evidence-'));
  below = join(root, 'evidence');
  mkdirSync(join(below, 'deep'), { recursive: true });
  writeFileSync(join(below, 'a.log'), rfc5424(LINES));
  writeFileSync(join(below, 'b.zeek'), zeekConn(ROWS).replace(/^.*Cabc77\t.*$/m, 'no row'));
  writeFileSync(join(below, 'deep/c.pcap'), pcapOf(ROWS));
  services = servicesOf();
  handlers = evidenceHandlers(services);
});
afterAll(async () => {
  await services.cases.close();
  rmSync(root, { recursive: true, force: true });
});

type Start = Params<'import.start'>;
type ImportPart = Part<'import.start'>;
const start = (
  params: Omit<Start, 'items'> & { items?: Start['items'] },
  how: { signal?: AbortSignal; onPart?: (part: ImportPart) => void } = {},
  by = handlers,
) => called(by, 'import.start', { items: [{ path: below }], ...params }, how);

/** The contents of a case, however it was made and in whatever order its sources came. */
async function contents(path: string) {
  const catalog = Catalog.open(path);
  const sources = catalog.sources
    .all()
    .map(({ name, read, stored, duplicate, quarantined, status, byKind }) => ({
      ...{ name, read, stored, duplicate, quarantined, status, byKind },
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  expect(catalog.integrityProblems()).toEqual([]);
  catalog.close();
  const rows = await rowsOf(
    path,
    `SELECT kind, count(*)::DOUBLE, count(DISTINCT (source_id, seq))::DOUBLE, sum(epoch_us(ts))::VARCHAR,
       sum("offset")::VARCHAR FROM events GROUP BY ALL ORDER BY ALL`,
  );
  return { sources, rows };
}

describe('import.start', () => {
  it('tells progress, sources as they finish, and the report', async () => {
    const folder = join(root, 'told.daybook');
    const inThreads = evidenceHandlers({ ...services, evidence, imports: new ImportJobs() });
    const { result, parts } = await start({ case: folder }, {}, inThreads);
    const progress = parts.flatMap((part) => ('progress' in part ? [part.progress] : []));
    expect(progress[0]!.phase).toBe('listing');
    expect(progress.at(-1)!.phase).toBe('compacting');
    const last = progress.filter(({ phase }) => phase === 'reading').at(-1)!;
    expect(last.totalBytes).toBe(
      ['a.log', 'b.zeek', 'deep/c.pcap'].reduce((sum, f) => sum + statSync(join(below, f)).size, 0),
    );
    expect(progress.map(({ bytes }) => bytes)).toEqual(
      progress.map(({ bytes }) => bytes).toSorted((a, b) => a - b),
    );
    expect(last.bytes).toBeLessThanOrEqual(last.totalBytes);
    expect(last.bytesPerSecond).toBeGreaterThan(0);
    const sources = parts.flatMap((part) => ('source' in part ? [part.source] : []));
    expect(sources).toEqual(result.sources);
    expect(sources.map(({ source }) => source).sort()).toEqual(['a.log', 'b.zeek', 'deep/c.pcap']);
    expect(result.total).toMatchObject({ sources: 3, read: LINES + 2 * ROWS, quarantined: 1 });
  });

  it('reads each file by the decision that is nearest to it, and once', async () => {
    const logs = join(root, 'logs');
    mkdirSync(join(logs, 'sub'), { recursive: true });
    for (const name of ['one.log', 'two.log', 'sub/three.log'])
      writeFileSync(join(logs, name), rfc3164(3) + `<38>Mar  4 11:00:00 h a: ${name}\n`);
    const folder = join(root, 'options.daybook');
    const { result } = await start({
      case: folder,
      items: [
        { path: join(logs, 'two.log'), tz: '+05:00', year: 2021 },
        { path: logs, tz: '+01:00', year: 2020 },
        { path: join(logs, 'sub'), year: 2022 },
      ],
    });
    const told = result.sources.map(({ source, decisions, first }) => [
      ...[source, decisions['year'], decisions['tz']],
      new Date(first! / 1000).toISOString(),
    ]);
    expect(told.sort()).toEqual([
      ['one.log', 2020, '+01:00', '2020-03-04T09:00:00.000Z'],
      ['sub/three.log', 2022, 'UTC', '2022-03-04T10:00:00.000Z'],
      ['two.log', 2021, '+05:00', '2021-03-04T05:00:00.000Z'],
    ]);
  });

  it.each<[string, Partial<Start>, string]>([
    ['a zone that is none', { items: [{ path: '.', tz: 'Nowhere/Here' }] }, 'usage'],
    ['a format that is none', { items: [{ path: '.', format: 'pcapx' }] }, 'usage'],
    ['a field that is none', { items: [{ path: '.', mapping: { scr_ip: 'A' } }] }, 'usage'],
    ['nothing of captures', { packets: false, flows: false }, 'usage'],
    ['a path that is none', { items: [{ path: '/nowhere/at/all' }] }, 'not-found'],
  ])('refuses %s, and makes no case', async (_, params, code) => {
    const folder = join(root, 'refused.daybook');
    await expect(start({ case: folder, ...params })).rejects.toMatchObject({ code });
    expect(Catalog.exists(folder)).toBe(false);
  });
});

describe('an import that runs', () => {
  it('is followed, and refuses a second one by its own name', async () => {
    const folder = join(root, 'followed.daybook');
    let follower: ReturnType<typeof called<'import.follow'>> | undefined;
    let second: Promise<unknown> | undefined;
    let listed: ReturnType<typeof called<'import.list'>> | undefined;
    const followed: Part<'import.follow'>[] = [];
    const begun = await start(
      { case: folder },
      {
        onPart: (part) => {
          if (!('source' in part) || follower !== undefined) return;
          follower = called(
            handlers,
            'import.follow',
            { case: folder },
            {
              onPart: (one) => void followed.push(one),
            },
          );
          second = start({ case: folder }).catch((error: unknown) => error);
          listed = called(handlers, 'import.list', { case: folder });
        },
      },
    );
    expect(followed[0]).toHaveProperty('progress');
    expect((await follower!).result).toEqual(begun.result);
    expect(await second).toMatchObject({ code: 'case-locked' });
    expect(String(await second)).toContain(`process ${process.pid} `);
    expect((await listed!).result.imports[0]).toMatchObject({
      status: 'running',
      resumable: false,
    });
    const after = await called(handlers, 'import.follow', { case: folder });
    expect(after.result).toBeNull();
  });

  it('is searched meanwhile, and later answers have more', async () => {
    const folder = join(root, 'searched.daybook');
    // An import that is long enough to be searched more than once.
    const [long, lines] = [join(root, 'long.log'), 60_000];
    writeFileSync(long, rfc5424(lines));
    const counts: number[] = [];
    const count = () =>
      services.cases.use(folder, async (session) => {
        const answer = await startQuery(session, { text: '* | count', zone: 'UTC' }).answer();
        counts.push(answer.shape === 'count' ? Number(answer.count) : NaN);
        asking = undefined;
      });
    const rows = () =>
      services.cases.use(folder, async (session) => {
        let found = 0;
        for await (const batch of startQuery(session, { text: '*', zone: 'UTC' }).rows())
          found += batch.rows.length;
        return found;
      });
    let asking: Promise<void> | undefined;
    let reading: Promise<number> | undefined;
    const { result } = await start(
      { case: folder, jobs: 1, items: [{ path: long }, { path: join(below, 'deep') }] },
      {
        onPart: (part) => {
          if (!('progress' in part) || part.progress.rows === 0) return;
          asking ??= count();
          reading ??= rows();
        },
      },
    );
    await asking;
    await count();
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
    expect(new Set(counts).size).toBeGreaterThan(2);
    // Packets lie beneath their flows.
    expect(counts.at(-1)).toBe(lines + result.total.byKind.flow!);
    expect(await reading).toBeLessThanOrEqual(counts.at(-1)!);
    expect(await rows()).toBe(counts.at(-1));
  });

  it('goes on when who follows it goes', async () => {
    const folder = join(root, 'left.daybook');
    const controller = new AbortController();
    let follower: Promise<unknown> | undefined;
    const { result } = await start(
      { case: folder },
      {
        onPart: (part) => {
          if (!('source' in part) || follower !== undefined) return;
          follower = called(handlers, 'import.follow', { case: folder }, controller).catch(
            (error: unknown) => error,
          );
          controller.abort();
        },
      },
    );
    expect(await follower).toMatchObject({ code: 'cancelled' });
    expect(result.total.sources).toBe(3);
  });

  it('cancelled at any time and resumed, stores what one stores that ran through', async () => {
    const whole = join(root, 'whole.daybook');
    await start({ case: whole, jobs: 1 });
    const want = await contents(whole);
    let stopped = 0;
    for (const [round, how] of ['signal', 'import.cancel', 'signal'].entries()) {
      const folder = join(root, `stopped-${round}.daybook`);
      const controller = new AbortController();
      let cancelled: Promise<unknown> | undefined;
      const failed = start(
        { case: folder, jobs: 1 },
        {
          signal: controller.signal,
          onPart: (part) => {
            const due = 'progress' in part && part.progress.rows > 2 * CHUNK_ROWS * round;
            if (!due || cancelled !== undefined) return;
            cancelled = Promise.resolve();
            if (how === 'signal') controller.abort();
            else cancelled = called(handlers, 'import.cancel', { case: folder });
          },
        },
      );
      await expect(failed).rejects.toMatchObject({ code: 'cancelled' });
      if (how === 'import.cancel')
        expect(await cancelled).toMatchObject({ result: { cancelled: true } });
      const [run] = (await called(handlers, 'import.list', { case: folder })).result.imports;
      expect(run).toMatchObject({ status: 'cancelled', resumable: true });
      stopped += 1;
      await called(handlers, 'import.resume', { case: folder, importId: run!.id });
      expect(await contents(folder)).toEqual(want);
      const { imports } = (await called(handlers, 'import.list', { case: folder })).result;
      expect(imports.map(({ status, resumable }) => [status, resumable])).toEqual([
        ['complete', false],
        ['cancelled', false],
      ]);
    }
    expect(stopped).toBe(3);
    const none = await called(handlers, 'import.cancel', { case: whole });
    expect(none.result).toEqual({ cancelled: false });
  });

  it('goes on after others have changed the case, and where it was deleted and made again', async () => {
    const folder = join(root, 'again.daybook');
    const files = ['one', 'two', 'three', 'four'].map((name, i) => {
      const path = join(root, `${name}.log`);
      writeFileSync(path, rfc5424(10 + i));
      return path;
    });
    const imported = async (path: string) => {
      const items = [{ path, format: 'syslog' }];
      await called(handlers, 'import.start', { case: folder, items });
      const { imports } = (await called(handlers, 'import.list', { case: folder })).result;
      return imports.map(({ id, status }) => [id, status]);
    };
    expect(await imported(files[0]!)).toEqual([[1, 'complete']]);
    // As a killed process leaves it.
    const writer = await CaseWriter.open(folder, 'import', BUILDER);
    writer.catalog.imports.begin({ items: [], recursive: true });
    writer.close();
    expect(await imported(files[1]!)).toEqual([
      [3, 'complete'],
      [2, 'interrupted'],
      [1, 'complete'],
    ]);
    rmSync(folder, { recursive: true });
    expect(await imported(files[2]!)).toEqual([[1, 'complete']]);
    expect(await imported(files[3]!)).toEqual([
      [2, 'complete'],
      [1, 'complete'],
    ]);
  });

  it('that was killed is told as interrupted and can be resumed, by its own decisions', async () => {
    const folder = join(root, 'killed.daybook');
    const path = join(below, 'deep');
    // As a killed process leaves it: started, with nobody holding the lock.
    const writer = await CaseWriter.open(folder, 'import', BUILDER, true);
    const options = { timeZone: '+02:00', packets: false, flows: true };
    writer.catalog.imports.begin({ items: [{ path, options }], recursive: true });
    const listed = () => called(handlers, 'import.list', { case: folder });
    expect((await listed()).result.imports[0]).toMatchObject({ status: 'running' });
    writer.close();
    const [run] = (await listed()).result.imports;
    expect(run).toMatchObject({ status: 'interrupted', resumable: true, ledger: [] });
    const { result, parts } = await called(handlers, 'import.resume', {
      ...{ case: folder, importId: run!.id },
    });
    expect(parts).toContainEqual({ message: expect.stringContaining('interrupted') as string });
    // Without packets only flows are stored.
    expect(Object.keys(result.total.byKind)).toEqual(['flow']);
    expect((await listed()).result.imports[0]!.ledger).toMatchObject([
      { name: 'c.pcap', status: 'complete', read: ROWS },
    ]);
    await expect(
      called(handlers, 'import.resume', { case: folder, importId: result.importId }),
    ).rejects.toMatchObject({ code: 'usage' });
    await expect(
      called(handlers, 'import.resume', { case: folder, importId: 99 }),
    ).rejects.toMatchObject({ code: 'not-found' });
  });
});

describe('evidence.preview', () => {
  it('knows what the case has', async () => {
    const folder = join(root, 'told.daybook');
    const { parts, result } = await called(handlers, 'evidence.preview', {
      ...{ case: folder, paths: [below] },
    });
    expect(result).toMatchObject({ sources: 3, left: 0, ignored: [] });
    expect(parts.map(({ preview }) => [preview.source, preview.already?.name])).toEqual([
      ['a.log', 'a.log'],
      ['b.zeek', 'b.zeek'],
      ['deep/c.pcap', 'deep/c.pcap'],
    ]);
  });
});

describe('evidence.receive', () => {
  it('keeps a file that comes in pieces, which imports and verifies like any other', async () => {
    const folder = join(root, 'received.daybook');
    (await CaseWriter.open(folder, 'test', BUILDER, true)).close();
    const content = Buffer.from(rfc5424(2000));
    const modifiedMs = Date.UTC(2024, 5, 1);
    let path = '';
    const send = async (from: number, to: number) => {
      const { result } = await called(handlers, 'evidence.receive', {
        ...{ case: folder, upload: 'drop-1', name: 'var/log/a.log', offset: from, modifiedMs },
        ...{ bytes: content.subarray(from, to), last: to === content.length },
      });
      path = result.path;
      return result.size;
    };
    expect(await send(0, 1000)).toBe(1000);
    expect(await send(0, 1000), 'sent again').toBe(1000);
    expect(await send(500, 5000), 'sent again, and more').toBe(5000);
    expect(await send(5000, content.length)).toBe(content.length);
    expect(await send(5000, content.length), 'the last one again').toBe(content.length);
    expect(path).toBe(join(folder, 'received/drop-1/var/log/a.log'));
    expect(readFileSync(path)).toEqual(content);
    expect(statSync(path).mode & 0o222).toBe(0);
    expect(statSync(path).mtimeMs).toBe(modifiedMs);
    const { result } = await start({ case: folder, items: [{ path: join(folder, 'received') }] });
    expect(result.sources[0]).toMatchObject({
      ...{ source: 'drop-1/var/log/a.log', stored: 2000 },
      sha256: createHash('sha256').update(content).digest('hex'),
    });
    const catalog = Catalog.open(folder);
    expect(catalog.audit.entries().map(({ operation }) => operation)).toEqual([
      'receive',
      'import',
    ]);
    catalog.close();
  });
});
