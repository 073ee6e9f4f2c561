import { existsSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Catalog } from '../../catalog/catalog.ts';
import { CaseWriter } from '../../ingest/case/case-writer.ts';
import { MOST_BESIDE, MOST_DEFERRED } from '../../ingest/compaction/policy.ts';
import { BUILDER, importInProcess, rowsOf } from '../../ingest/testing/in-process.ts';
import { CaseSession } from '../../search/session/case-session.ts';
import { summarise } from '../../measure/operation-log.ts';
import { deleteEvents, tagEvents } from '../marks/mark.ts';
import { startQuery } from '../../search/query.ts';
import { retimeSources } from '../case/retime.ts';
import { maintainCase, BackgroundMaintenance } from './background-maintenance.ts';
import { verifyCase } from '../verify/verify-case.ts';

const PAUSE_MS = 100;
const IDLE_MS = 1000;
const imported = () => Promise.resolve('imported');

describe('maintenance', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('is done once nothing has been imported for a while, of each case', async () => {
    const done: string[] = [];
    const maintenance = new BackgroundMaintenance(
      async (folder) => void done.push(folder),
      PAUSE_MS,
      IDLE_MS,
    );
    expect(await maintenance.around('a', imported)).toBe('imported');
    await vi.advanceTimersByTimeAsync(IDLE_MS - 1);
    const { promise, resolve: end } = Promise.withResolvers<void>();
    const long = maintenance.around('a', () => promise);
    await maintenance.around('b', imported);
    await vi.advanceTimersByTimeAsync(IDLE_MS);
    expect(done).toEqual([resolve('b')]);
    end();
    await long;
    await maintenance.around('a', imported);
    await vi.advanceTimersByTimeAsync(5 * IDLE_MS);
    expect(done).toEqual([resolve('b'), resolve('a')]);
  });

  it('is done also when the last import failed: others before it have left something', async () => {
    const done: string[] = [];
    const maintenance = new BackgroundMaintenance(
      async (folder) => void done.push(folder),
      PAUSE_MS,
      IDLE_MS,
    );
    await maintenance.around('a', imported);
    const failed = maintenance.around('a', () => Promise.reject(new Error('cancelled')));
    await expect(failed).rejects.toThrow('cancelled');
    await vi.advanceTimersByTimeAsync(IDLE_MS);
    expect(done).toEqual([resolve('a')]);
  });

  it('is not begun while another import goes on beside which one was refused', async () => {
    const done: string[] = [];
    const maintenance = new BackgroundMaintenance(
      async (folder) => void done.push(folder),
      PAUSE_MS,
      IDLE_MS,
    );
    const { promise, resolve: end } = Promise.withResolvers<void>();
    const long = maintenance.around('a', () => promise);
    const refused = maintenance.around('a', () => Promise.reject(new Error('the case is locked')));
    await expect(refused).rejects.toThrow('locked');
    await vi.advanceTimersByTimeAsync(2 * IDLE_MS);
    expect(done).toEqual([]);
    end();
    await long;
    await vi.advanceTimersByTimeAsync(IDLE_MS);
    expect(done).toEqual([resolve('a')]);
  });

  it('is done by one at a time: what ends during it is waited for', async () => {
    let running = 0;
    let most = 0;
    let done = 0;
    const ends: (() => void)[] = [];
    const maintenance = new BackgroundMaintenance(
      async () => {
        most = Math.max(most, ++running);
        await new Promise<void>((end) => ends.push(end));
        running -= 1;
        done += 1;
      },
      PAUSE_MS,
      IDLE_MS,
    );
    await maintenance.around('a', imported);
    await vi.advanceTimersByTimeAsync(IDLE_MS);
    await maintenance.around('a', imported);
    await vi.advanceTimersByTimeAsync(3 * IDLE_MS);
    expect([running, most]).toEqual([1, 1]);
    ends.shift()!();
    await vi.advanceTimersByTimeAsync(IDLE_MS);
    ends.shift()!();
    await vi.advanceTimersByTimeAsync(IDLE_MS);
    expect([done, most]).toEqual([2, 1]);
  });

  it('merges many small segments in a pause between imports, and the rest when all have ended', async () => {
    const done: string[] = [];
    const maintenance = new BackgroundMaintenance(
      async (_, { meanwhile }) => void done.push(meanwhile ? 'merged' : 'all'),
      ...[PAUSE_MS, IDLE_MS],
    );
    for (let i = 0; i < 20; i++) {
      await maintenance.around('a', imported, () => MOST_BESIDE);
      await vi.advanceTimersByTimeAsync(PAUSE_MS - 1);
    }
    expect(done).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(done).toEqual(['merged']);
    await vi.advanceTimersByTimeAsync(IDLE_MS);
    expect(done).toEqual(['merged', 'all']);
  });

  it('begins at once where there are very many, and waits for a pause between imports where it asks for one', async () => {
    const done: string[] = [];
    const maintenance = new BackgroundMaintenance(
      async (_, { meanwhile, pause }) => {
        done.push(meanwhile ? 'meanwhile' : 'idle');
        await pause(false);
        done.push('pause');
      },
      ...[PAUSE_MS, IDLE_MS],
    );
    const many = () => MOST_BESIDE + 1;
    await maintenance.around('a', imported, many);
    await vi.advanceTimersByTimeAsync(1);
    expect(done).toEqual(['meanwhile', 'pause']);
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const one = maintenance.around('a', () => first.promise);
    const two = maintenance.around('a', () => second.promise);
    await maintenance.around('a', imported, many);
    first.resolve();
    await one;
    await vi.advanceTimersByTimeAsync(1);
    expect(done.slice(2)).toEqual(['meanwhile']);
    second.resolve();
    await two;
    await vi.advanceTimersByTimeAsync(1);
    expect(done.slice(2)).toEqual(['meanwhile', 'pause']);
  });

  it('waits for a pause that lasts, until there are very many', async () => {
    const done: string[] = [];
    const maintenance = new BackgroundMaintenance(
      async (_, { meanwhile, pause }) => {
        await pause(true);
        done.push(meanwhile ? 'merged' : 'all');
      },
      ...[PAUSE_MS, IDLE_MS],
    );
    const next = async (left: number) => {
      await maintenance.around('a', imported, () => left);
      await vi.advanceTimersByTimeAsync(PAUSE_MS / 2);
    };
    await next(9);
    // It has started, and waits for the same time again.
    await vi.advanceTimersByTimeAsync(PAUSE_MS / 2);
    for (let i = 10; i <= MOST_BESIDE; i++) await next(i);
    expect(done).toEqual([]);
    await next(MOST_BESIDE + 1);
    expect(done).toEqual(['merged']);
    await next(9);
    await vi.advanceTimersByTimeAsync(2 * PAUSE_MS);
    expect(done).toEqual(['merged', 'merged']);
  });

  it('keeps the folder in which it works from imports as long as it works', async () => {
    const { promise, resolve: end } = Promise.withResolvers<void>();
    const folders: string[] = [];
    const maintenance = new BackgroundMaintenance(
      async (_, { staging }) => {
        folders.push(staging);
        await promise;
      },
      ...[PAUSE_MS, IDLE_MS],
    );
    await maintenance.around('a', imported);
    await vi.advanceTimersByTimeAsync(IDLE_MS);
    expect([...maintenance.inUse]).toEqual(folders);
    expect(folders[0]).toContain(join(resolve('a'), 'staging'));
    end();
    await vi.advanceTimersByTimeAsync(1);
    expect(maintenance.inUse.size).toBe(0);
  });

  it('is ended: what is under way is waited for, and nothing is begun', async () => {
    const done: string[] = [];
    const maintenance = new BackgroundMaintenance(
      async (folder, { signal }) => {
        done.push(`${folder} begun`);
        await new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()));
        await vi.advanceTimersByTimeAsync(1);
        done.push(`${folder} stopped`);
      },
      ...[PAUSE_MS, IDLE_MS],
    );
    const [a, b] = [resolve('a'), resolve('b')];
    await maintenance.around(a, imported);
    await vi.advanceTimersByTimeAsync(IDLE_MS);
    await maintenance.around(b, imported);
    await maintenance.close();
    await maintenance.around(b, imported, () => MOST_BESIDE + 1);
    await vi.advanceTimersByTimeAsync(2 * IDLE_MS);
    expect(done).toEqual([`${a} begun`, `${a} stopped`]);
  });

  it('fails without anybody noticing', async () => {
    let tries = 0;
    const maintenance = new BackgroundMaintenance(
      async () => {
        tries += 1;
        throw new Error('the case is gone');
      },
      PAUSE_MS,
      IDLE_MS,
    );
    for (let i = 0; i < 2; i++) {
      await maintenance.around('a', imported);
      await vi.advanceTimersByTimeAsync(IDLE_MS);
    }
    expect(tries).toBe(2);
  });
});

describe('what small imports leave undone', () => {
  let root: string;
  let folder: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'daybook-maintenance-'));
    folder = join(root, 'x.daybook');
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const HEAD = 'ts_start,src_ip,dst_ip,dst_port,proto,bytes,packets';
  async function importFlows(imports: number, rows: number, day = '2026-11-02'): Promise<void> {
    for (let i = 0; i < imports; i++) {
      const file = join(root, `flows-${day}-${i}.csv`);
      const lines = Array.from(
        { length: rows },
        (_, n) =>
          `${day}T10:${10 + i}:${10 + (n % 50)}Z,10.0.${i}.${n % 200},10.9.9.9,443,TCP,${n},1`,
      );
      writeFileSync(file, [HEAD, ...lines, ''].join('\n'));
      await importInProcess(folder, [file], { lowLatency: true });
    }
  }
  const segments = () => {
    const catalog = Catalog.open(folder);
    const found = catalog.segments.all();
    catalog.close();
    return found;
  };
  const events = () =>
    rowsOf(folder, 'SELECT to_json(e)::VARCHAR FROM events e ORDER BY source_id, seq');
  async function marked<T>(work: (session: CaseSession) => Promise<T>): Promise<T> {
    const session = CaseSession.open(folder, { memoryLimit: 1e9, threads: 2 });
    try {
      return await work(session);
    } finally {
      await session.close();
    }
  }
  const tag = (text: string) =>
    marked((session) => tagEvents({ session, text, zone: 'UTC', name: 'seen', remove: false }));

  it('is in the log of operations, with the reason where it failed', async () => {
    await importFlows(5, 20);
    const pause = () => Promise.reject(new Error('no room'));
    await expect(maintainCase(folder, { ...BUILDER, pause })).rejects.toThrow('no room');
    await maintainCase(folder, BUILDER);
    const catalog = Catalog.open(folder);
    const logged = catalog.operations
      .all()
      .filter(({ operation }) => operation === 'case.maintain');
    expect(logged.map(({ status, text }) => [status, text])).toEqual([
      ['failed', 'no room'],
      ['done', undefined],
    ]);
    expect(summarise(logged)).toMatchObject([{ operation: 'case.maintain', count: 2, failed: 1 }]);
    catalog.close();
  });

  it('is made of the others where a segment is damaged, and imports go on', async () => {
    await importFlows(5, 20);
    await importFlows(5, 20, '2026-11-03');
    const damaged = segments().find(({ day }) => day === '2026-11-02')!;
    truncateSync(join(folder, damaged.file), 4096);
    expect(await maintainCase(folder, BUILDER)).toBeGreaterThan(0);
    const catalog = Catalog.open(folder);
    const logged = catalog.operations.all();
    catalog.close();
    expect(logged.find(({ operation }) => operation === 'case.compact')).toMatchObject({
      status: 'failed',
      text: expect.stringMatching(/^segments [\d, ]+ were not merged: /) as string,
    });
    const left = segments();
    expect(left.length).toBeLessThan(5);
    expect(left.map(({ id }) => id)).toContain(damaged.id);
    expect(left.reduce((sum, { rows }) => sum + rows, 0)).toBe(10 * 20);
    const file = join(root, 'more.csv');
    writeFileSync(file, `${HEAD}\n2026-11-02T12:00:00Z,10.0.9.9,10.9.9.9,443,TCP,1,1\n`);
    const report = await importInProcess(folder, [file]);
    expect(report.total.stored).toBe(1);
  });

  it('is made later: few segments with side files, and the same events with their tags', async () => {
    await importFlows(5, 2500);
    expect(segments().map(({ index }) => index)).toEqual(Array(5).fill(undefined));
    const { matched } = await tag('bytes:<5');
    expect(matched).toBe(25);
    const before = await events();
    expect(await maintainCase(folder, BUILDER)).toBe(1);
    const [one, ...more] = segments();
    expect([more, one?.rows]).toEqual([[], 12_500]);
    expect(one?.index).toBeDefined();
    expect(await events()).toEqual(before);
    expect(await tag('tag:seen')).toMatchObject({ matched: 25, changed: 0 });
    expect(await maintainCase(folder, BUILDER)).toBe(0);
    expect(readdirSync(join(folder, 'staging'))).toEqual([]);
    const { findings } = await marked((session) =>
      verifyCase(session, { repair: false, builder: BUILDER }),
    );
    expect(findings).toEqual([]);
  });

  it('is no reason for a query to end that has begun to give its events', async () => {
    await importFlows(1, 3, '2026-11-01');
    await importFlows(5, 20);
    await marked(async (session) => {
      const query = { text: '*', zone: 'UTC', path: 'scan' } as const;
      const rows = startQuery(session, query).rows();
      const seen: number[] = [];
      for await (const batch of rows) {
        if (seen.length === 0) expect(await maintainCase(folder, BUILDER)).toBe(1);
        seen.push(batch.rows.length);
      }
      expect(seen).toEqual([3, 100]);
    });
  });

  it('is told from new times, after which a query cannot go on', async () => {
    for (const day of [1, 2]) {
      const file = join(root, `${day}.csv`);
      writeFileSync(file, `${HEAD}\n2026-11-0${day} 10:00:00,10.0.0.1,10.9.9.9,443,TCP,1,1\n`);
      await importInProcess(folder, [file]);
    }
    await marked(async (session) => {
      const rows = startQuery(session, { text: '*', zone: 'UTC', path: 'scan' }).rows();
      expect((await rows.next()).done).toBe(false);
      const before = segments().at(-1)!.id;
      const parameters = { folder, sources: ['2.csv'], timeZone: 'Asia/Tokyo', year: undefined };
      const retimed = retimeSources({ ...parameters, builder: BUILDER });
      while (segments().at(-1)!.id === before) await turn();
      await expect(rows.next()).rejects.toThrow(/is missing/);
      await retimed;
    });
  });

  it('is made of events without a time, too', async () => {
    for (let i = 0; i < 5; i++) {
      const file = join(root, `undated-${i}.csv`);
      writeFileSync(file, `src_ip,dst_ip,dst_port,proto\n10.0.${i}.1,10.9.9.9,443,TCP\n`);
      await importInProcess(folder, [file], { lowLatency: true });
    }
    const before = await events();
    expect(await maintainCase(folder, BUILDER)).toBe(1);
    expect(segments()).toMatchObject([{ day: 'undated', rows: 5 }]);
    expect(await events()).toEqual(before);
  });

  it('is merged although more is imported meanwhile', async () => {
    await importFlows(9, 20);
    const staging = join(folder, 'staging', 'maintenance-here');
    const inUse = new Set([staging]);
    const [file, more] = [join(root, 'more.csv'), '2026-11-02T12:00:00Z,10.0.9.9,10.9.9.9,443,TCP'];
    writeFileSync(file, `${HEAD}\n${more},1,1\n`);
    // The segments to merge are chosen by then. Once the staging folder exists, they may not be.
    let pauses = 0;
    const pause = async () => {
      if (pauses++ === 0) await importInProcess(folder, [file], { lowLatency: true, inUse });
    };
    expect(await maintainCase(folder, { ...BUILDER, meanwhile: true, staging, pause })).toBe(1);
    expect(segments().map(({ rows }) => rows)).toEqual([1, 180]);
    expect(
      await rowsOf(folder, 'SELECT count(DISTINCT (source_id, seq))::INT FROM events'),
    ).toEqual([[181]]);
    expect(readdirSync(join(folder, 'staging'))).toEqual([]);
  });

  it('never is of very many segments: where nobody tidies up, imports merge them', async () => {
    const files = Array.from({ length: MOST_DEFERRED + 2 }, (_, i) => {
      const file = join(root, `few-${i}.csv`);
      writeFileSync(file, `${HEAD}\n2026-11-02T10:10:10Z,10.0.0.${i},10.9.9.9,443,TCP,1,1\n`);
      return file;
    });
    const most = files.splice(0, MOST_DEFERRED - 1);
    const many = await importInProcess(folder, most, { lowLatency: true, chunk: { rows: 1 } });
    expect(many.smallSegmentsLeft).toBe(MOST_DEFERRED - 1);
    const left: number[] = [];
    for (const file of files)
      left.push((await importInProcess(folder, [file], { lowLatency: true })).smallSegmentsLeft);
    expect(left).toEqual([MOST_DEFERRED, 0, 0]);
    expect(segments().map(({ rows }) => rows)).toEqual([MOST_DEFERRED + 1, 1]);
  });

  it('is left where somebody writes', async () => {
    await importFlows(5, 20);
    const writer = await CaseWriter.open(folder, 'test', BUILDER);
    try {
      expect(await maintainCase(folder, BUILDER)).toBe(0);
    } finally {
      writer.close();
    }
    expect(segments()).toHaveLength(5);
  });

  it('touches no other case that was made in the place of this one', async () => {
    await importFlows(5, 20);
    await marked((session) =>
      deleteEvents({ session, text: '*', zone: 'UTC', reason: 'of another case' }),
    );
    let restarted = false;
    const pause = async () => {
      if (restarted) return;
      restarted = true;
      rmSync(folder, { recursive: true });
      await importFlows(5, 20);
    };
    await maintainCase(folder, { ...BUILDER, pause }).catch(() => undefined);
    expect(restarted).toBe(true);
    expect(await events()).toHaveLength(100);
  });

  it('is left where something has changed since it was begun', async () => {
    await importFlows(5, 20);
    const made = maintainCase(folder, BUILDER);
    const staging = join(folder, 'staging');
    const isBuilding = () =>
      readdirSync(staging, { recursive: true }).some((name) => String(name).endsWith('.duckdb'));
    while (!existsSync(staging) || !isBuilding()) await turn();
    const catalog = Catalog.open(folder);
    const [first] = catalog.segments.all();
    catalog.transaction(() => {
      catalog.marks.set(first!.id, catalog.marks.tagId('seen'), Uint32Array.of(0, 7));
      catalog.changes.add('tag', {});
    });
    catalog.close();
    expect(await made).toBe(0);
    expect(segments()).toHaveLength(5);
    expect(await maintainCase(folder, BUILDER)).toBe(1);
    expect(await tag('tag:seen')).toMatchObject({ matched: 2, changed: 0 });
  });
});
