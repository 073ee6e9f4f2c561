import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { evidence } from '../../../app/compose.ts';
import { Catalog } from '../../catalog/catalog.ts';
import { BUILDER, importInProcess, rowsOf } from '../../ingest/testing/in-process.ts';
import { WarmThreads } from '../../ingest/coordinator/warm-threads.ts';
import { maintainOn } from './maintenance-thread.ts';

describe('maintenance in a thread of its own', () => {
  let root: string;
  let folder: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'daybook-maintenance-'));
    folder = join(root, 'x.daybook');
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  async function importFew(imports: number, day: string): Promise<void> {
    for (let i = 0; i < imports; i++) {
      const file = join(root, `${day}-${i}.csv`);
      writeFileSync(
        file,
        `ts_start,src_ip,dst_ip,dst_port,proto\n${day}T10:10:1${i}Z,10.0.0.${i},10.9.9.9,443,TCP\n`,
      );
      await importInProcess(folder, [file], { lowLatency: true });
    }
  }

  it('makes of a case what is left undone, one task after the other, in the pauses of imports', async () => {
    const threads = new WarmThreads(() => evidence.startMaintenance(), Infinity);
    try {
      for (const day of ['2026-11-02', '2026-11-03']) {
        await importFew(6, day);
        const events = () =>
          rowsOf(folder, 'SELECT to_json(e)::VARCHAR FROM events e ORDER BY source_id, seq');
        const before = await events();
        const staging = join(folder, 'staging', 'maintenance-here');
        let pauses = 0;
        const task = {
          ...{ meanwhile: false, staging, memoryLimit: BUILDER.memoryLimit, threads: 1 },
          pause: async () => void (pauses += 1),
        };
        expect(await maintainOn(threads.take(), folder, task)).toBe(1);
        // Before a run is merged, and before it is put in place.
        expect(pauses).toBe(2);
        expect(await events()).toEqual(before);
        expect(readdirSync(join(folder, 'staging'))).toEqual([]);
      }
      const catalog = Catalog.open(folder);
      expect(catalog.segments.all().map(({ rows }) => rows)).toEqual([12]);
      catalog.close();
    } finally {
      threads.close();
    }
  });

  it('leaves it undone where it is told to', async () => {
    const threads = new WarmThreads(() => evidence.startMaintenance(), Infinity);
    try {
      await importFew(6, '2026-11-02');
      const staging = join(folder, 'staging', 'maintenance-here');
      const task = { meanwhile: false, staging, memoryLimit: BUILDER.memoryLimit, threads: 1 };
      const files = () => readdirSync(join(folder, 'days'), { recursive: true }).sort();
      const before = files();
      const tellAt = async (place: number) => {
        const stop = new AbortController();
        let pauses = 0;
        const pause = async () => {
          if (pauses++ === place) stop.abort();
        };
        await maintainOn(threads.take(), folder, { ...task, pause, signal: stop.signal });
      };
      const stopped = new AbortController();
      stopped.abort();
      const { signal } = stopped;
      const nothing = maintainOn(threads.take(), folder, {
        ...{ ...task, signal },
        pause: async () => expect.unreachable(),
      });
      await expect(nothing).rejects.toThrow('cancelled');
      for (const place of [0, 1]) await expect(tellAt(place)).rejects.toThrow('cancelled');
      expect(files()).toEqual(before);
      expect(readdirSync(join(folder, 'staging'))).toEqual([]);
      await tellAt(2);
      expect(files()).not.toEqual(before);
    } finally {
      threads.close();
    }
  });

  it('says so where there is no case, and goes on with another one', async () => {
    await importFew(6, '2026-11-02');
    const threads = new WarmThreads(() => evidence.startMaintenance(), Infinity);
    const task = {
      meanwhile: true,
      memoryLimit: BUILDER.memoryLimit,
      threads: 1,
      pause: async () => undefined,
    };
    const of = (path: string) =>
      maintainOn(threads.take(), path, {
        ...task,
        staging: join(path, 'staging', 'maintenance-here'),
      });
    try {
      const none = join(root, 'none.daybook');
      await expect(of(none)).rejects.toThrow('maintenance:');
      expect(existsSync(none)).toBe(false);
      expect(await of(folder)).toBe(0);
    } finally {
      threads.close();
    }
  });

  it('is given up where its thread ends', async () => {
    const thread = evidence.startMaintenance();
    const done = maintainOn(thread, join(root, 'none.daybook'), {
      ...{ meanwhile: true, memoryLimit: BUILDER.memoryLimit, threads: 1, staging: root },
      pause: async () => undefined,
    });
    thread.stop();
    await expect(done).rejects.toThrow('maintenance');
  });
});
