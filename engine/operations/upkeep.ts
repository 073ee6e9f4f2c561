/**
 * What imports leave undone because somebody waits for them: the merged rollup of everything, which they keep
 * as it is while it has nearly all. It is made when nothing has been imported into a case for a while.
 *
 * Holds always: it takes no writer's lock, so nobody is refused because of it; a writer that comes meanwhile
 * takes its unfinished files away, and nothing is lost. What fails is left for the next time.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Catalog } from '../catalog/catalog.ts';
import { makeNodes } from '../ingest/merge-rollups.ts';
import { type BuilderOptions, SegmentBuilder } from '../store/segment-builder.ts';

/** Makes the merged rollups that a case lacks; returns how many. */
export async function catchUp(caseFolder: string, options: BuilderOptions): Promise<number> {
  const folder = resolve(caseFolder);
  const catalog = Catalog.open(folder);
  const staging = join(folder, 'staging', `upkeep-${process.pid}`);
  try {
    if (catalog.readOnly) return 0;
    mkdirSync(staging, { recursive: true });
    const builder = await SegmentBuilder.create(staging, [join(folder, 'days')], options);
    try {
      return (await makeNodes({ folder, staging, catalog, builder })).made;
    } finally {
      builder.close();
    }
  } finally {
    catalog.close();
    rmSync(staging, { recursive: true, force: true });
  }
}

export class Upkeep {
  private readonly work: (folder: string) => Promise<void>;
  private readonly idleMs: number;
  private readonly waiting = new Map<string, NodeJS.Timeout>();

  /** @param idleMs after the last import */
  constructor(work: (folder: string) => Promise<void>, idleMs: number) {
    this.work = work;
    this.idleMs = idleMs;
  }

  /** Runs an import into a case. One that fails leaves what others before it have left. */
  async around<T>(folder: string, work: () => Promise<T>): Promise<T> {
    this.notNow(folder);
    try {
      return await work();
    } finally {
      this.later(folder);
    }
  }

  /** Something is imported into a case now. */
  private notNow(folder: string): void {
    const path = resolve(folder);
    clearTimeout(this.waiting.get(path));
    this.waiting.delete(path);
  }

  /** An import has ended. */
  private later(folder: string): void {
    this.notNow(folder);
    const path = resolve(folder);
    const timer = setTimeout(() => {
      this.waiting.delete(path);
      // The case is whole without it, and may be gone.
      this.work(path).catch(() => undefined);
    }, this.idleMs);
    this.waiting.set(path, timer.unref());
  }
}
