/**
 * What imports leave undone because somebody waits for them: small segments are merged, side files made, and the
 * merged rollup of everything. It is done when nothing has been imported into a case for a while.
 *
 * Holds always: what is made is made without the writer's lock, so nobody is refused because of it; a writer that
 * comes meanwhile takes its unfinished files away, and nothing is lost. Only to put it in its place the lock is
 * taken, for a moment in which this thread does nothing else, and only where the case is as it was when it was
 * begun. What fails is left for the next time.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Catalog } from '../catalog/catalog.ts';
import { UPKEEP, WriterLock } from '../catalog/writer-lock.ts';
import { DaybookError } from '../contract/errors.ts';
import { CaseWorkshop } from '../ingest/case-workshop.ts';
import { UPKEEP_FOLDER } from '../ingest/case-writer.ts';
import { isDamaged, runsToMerge } from '../ingest/compact.ts';
import { makeNodes } from '../ingest/merge-rollups.ts';
import { type Rewritten, rewrite, swap } from '../ingest/rewrite.ts';
import { placeSideFile, SegmentPlaces } from '../ingest/segment-places.ts';
import { type BuilderOptions, SegmentBuilder } from '../store/segment-builder.ts';

/** More rows at once would keep the engine from answering for too long: they are left to writers. */
const MOST_ROWS = 200_000;

/** Does what is left undone of a case; returns how many segments, side files and rollups were made. */
export async function catchUp(caseFolder: string, options: BuilderOptions): Promise<number> {
  const folder = resolve(caseFolder);
  const catalog = Catalog.open(folder);
  let staging: string | undefined;
  try {
    if (catalog.readOnly) return 0;
    mkdirSync(join(folder, 'staging'), { recursive: true });
    // Nobody else's: what is put in its place by its name must be what was made here.
    staging = mkdtempSync(join(folder, 'staging', UPKEEP_FOLDER));
    const builder = await SegmentBuilder.create(staging, [join(folder, 'days')], options);
    try {
      const workshop = new CaseWorkshop(folder, staging, catalog, builder);
      const merged = await mergeSmall(workshop);
      const indexed = await indexMissing(workshop);
      return merged + indexed + (await makeNodes(workshop)).made;
    } finally {
      builder.close();
    }
  } finally {
    catalog.close();
    if (staging !== undefined) rmSync(staging, { recursive: true, force: true });
  }
}

async function mergeSmall(workshop: CaseWorkshop): Promise<number> {
  const { catalog, folder } = workshop;
  let made = 0;
  for (const run of runsToMerge(workshop)) {
    if (run.reduce((sum, { rows }) => sum + rows, 0) > MOST_ROWS) continue;
    const before = catalog.lastChange();
    let rewritten: Rewritten;
    try {
      rewritten = await rewrite(workshop, run);
    } catch (error) {
      // Whoever reads the segment is told; the others are to be merged.
      if (isDamaged(error)) continue;
      throw error;
    }
    made += asWriter(folder, () => {
      const there = new Set(catalog.segments().map(({ id }) => id));
      // Every change of marks and segments is told of but a compaction within an import.
      if (catalog.lastChange() !== before || !run.every(({ id }) => there.has(id))) return 0;
      const places = new SegmentPlaces(folder, catalog.lastSegmentId());
      return swap(workshop, places, rewritten).length;
    });
  }
  return made;
}

async function indexMissing(workshop: CaseWorkshop): Promise<number> {
  const { catalog, folder } = workshop;
  let made = 0;
  for await (const { segment, index } of workshop.missingIndexes(MOST_ROWS))
    made += asWriter(folder, () => {
      const now = catalog.segments().find(({ id }) => id === segment.id);
      if (now === undefined || now.index !== undefined) return 0;
      placeSideFile(folder, segment, index);
      catalog.setSideFile(segment.id, { bytes: index.bytes, sha256: index.sha256 });
      return 1;
    });
  return made;
}

/** Does `work` with the writer's lock; nothing where another has it. */
function asWriter(folder: string, work: () => number): number {
  let lock: WriterLock;
  try {
    lock = WriterLock.take(folder, UPKEEP);
  } catch (error) {
    if (error instanceof DaybookError && error.code === 'case-locked') return 0;
    throw error;
  }
  try {
    return work();
  } finally {
    lock.release();
  }
}

export class Upkeep {
  private readonly work: (folder: string) => Promise<void>;
  private readonly idleMs: number;
  private readonly waiting = new Map<string, NodeJS.Timeout>();
  private readonly working = new Set<string>();

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
      // What is done now was begun before the last import.
      if (this.working.has(path)) this.later(path);
      else void this.workOn(path);
    }, this.idleMs);
    this.waiting.set(path, timer.unref());
  }

  private async workOn(path: string): Promise<void> {
    this.working.add(path);
    try {
      await this.work(path);
    } catch {
      // The case is whole without it, and may be gone.
    } finally {
      this.working.delete(path);
    }
  }
}
