/**
 * Background maintenance: work that imports defer so that callers do not wait for it. Small segments are merged,
 * side files made, and the merged rollup of everything. It runs when nothing has been imported into a case for a
 * while; many small segments are merged in the next pause between imports, and very many while imports go on.
 *
 * Invariants: everything is made without the writer's lock, so it blocks nobody; a writer that arrives meanwhile,
 * other than an import of this process, removes its unfinished files, and nothing is lost. The lock is taken only
 * to put results in place, between two imports, for a moment, and only if nothing but imports changed the case
 * since the start. What fails is left for the next time.
 */
import { randomUUID } from 'node:crypto';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { caseRelative, makeCaseFolder, removeFromCase } from '../../util/files/case-files.ts';
import { Catalog, type SegmentRow, MAINTENANCE, WriterLock } from '../../catalog/index.ts';
import { hasCode, messageOfError } from '../../contract/errors.ts';
import { Stopwatch } from '../../measure/operation-log.ts';
import {
  SegmentRewriter,
  MAINTENANCE_FOLDER,
  mergeRuns,
  runsToMerge,
  record,
  recordFallbacks,
  TOLERATED,
  isUrgent,
  makeNodes,
  rewrite,
  swap,
  placeSideFile,
  SegmentPlaces,
} from '../../ingest/index.ts';
import { type BuilderOptions, SegmentBuilder } from '../../store/index.ts';

/** Interval and duration of attempts to put results in place while another process writes. */
const RETRY_MS = 50;
const MOST_RETRIES = 20;
/** Work that does not stop within this time is computing, and uses no DuckDB meanwhile. */
const END_MS = 3000;

/**
 * Waits until no import of this process runs.
 * @param lasting and none has for a while; skipped if there are very many small segments
 */
export type Pause = (lasting: boolean) => Promise<void>;

export interface MaintenanceOptions extends BuilderOptions {
  /**
   * More will be imported soon: only what costs imports most is done, merging segments of which there are too many.
   */
  meanwhile?: boolean;
  pause?: Pause;
  /** The working folder below the case's `staging`, used by nothing else and removed afterwards. */
  staging?: string;
}

/** Does the deferred work of a case; returns how many segments, side files and rollups were made. */
export async function maintainCase(
  caseFolder: string,
  options: MaintenanceOptions,
): Promise<number> {
  const folder = resolve(caseFolder);
  const { meanwhile = false, pause: given, ...building } = options;
  const { signal } = options;
  const pause: Pause = async (lasting) => {
    signal?.throwIfAborted();
    await given?.(lasting);
    signal?.throwIfAborted();
  };
  const staging = options.staging ?? maintenanceFolder(folder);
  const catalog = Catalog.open(folder);
  try {
    if (catalog.readOnly) return 0;
    removeFromCase(folder, caseRelative(folder, staging));
    makeCaseFolder(folder, caseRelative(folder, staging));
    const builder = await SegmentBuilder.create(staging, [join(folder, 'days')], building);
    const watch = new Stopwatch('case.maintain');
    let done = false;
    try {
      const rewriter = new SegmentRewriter(folder, staging, catalog, builder);
      let made = await mergeSmall(rewriter, meanwhile, pause);
      signal?.throwIfAborted();
      if (!meanwhile) {
        made += await indexMissing(rewriter, pause);
        signal?.throwIfAborted();
        made += (await makeNodes(rewriter)).made;
      }
      done = true;
      record(catalog, watch.measured('done', undefined));
      return made;
    } catch (error) {
      const cancelled = hasCode(error, 'cancelled');
      record(catalog, watch.measured(cancelled ? 'cancelled' : 'failed', messageOfError(error)));
      throw error;
    } finally {
      builder.close(done);
    }
  } finally {
    catalog.close();
    removeFromCase(folder, caseRelative(folder, staging));
  }
}

/** A new name: a file that is put in place by its name must be the one that was made there. */
function maintenanceFolder(caseFolder: string): string {
  return join(caseFolder, 'staging', `${MAINTENANCE_FOLDER}${randomUUID().slice(0, 8)}`);
}

async function mergeSmall(
  rewriter: SegmentRewriter,
  meanwhile: boolean,
  pause: Pause,
): Promise<number> {
  const { catalog, folder } = rewriter;
  let made = 0;
  const merge = async (run: readonly SegmentRow[]): Promise<void> => {
    if (!isUrgent(run.length)) await pause(true);
    const before = catalog.changes.last();
    const rewritten = await rewrite(rewriter, run, { lowLatency: meanwhile });
    made += await asWriter(catalog, pause, () => {
      const there = new Set(catalog.segments.outlines().map(({ id }) => id));
      // Every change of marks and segments is reported, except a compaction within an import.
      if (!onlyImports(catalog, before) || !run.every(({ id }) => there.has(id))) return 0;
      const places = new SegmentPlaces(folder, catalog.segments.lastId());
      return swap(rewriter, places, rewritten).length;
    });
  };
  const runs = runsToMerge(rewriter, meanwhile ? TOLERATED.pause : TOLERATED.import);
  recordFallbacks(catalog, 'case.compact', await mergeRuns(runs, merge, true));
  return made;
}

/** Whether nothing but imports changed the case since: they leave existing segments as they are. */
function onlyImports(catalog: Catalog, since: number): boolean {
  const changes = catalog.changes.after(since);
  // Only if all of them are known: old ones are dropped.
  if (changes.length !== catalog.changes.last() - since) return false;
  return changes.every(({ operation }) => operation === 'import');
}

async function indexMissing(rewriter: SegmentRewriter, pause: Pause): Promise<number> {
  const { catalog, folder } = rewriter;
  let made = 0;
  for await (const { segment, index } of rewriter.missingIndexes())
    made += await asWriter(catalog, pause, () => {
      const now = catalog.segments.outlines().find(({ id }) => id === segment.id);
      if (now === undefined || now.hasIndex) return 0;
      placeSideFile(folder, segment, index);
      catalog.segments.setSideFile(segment.id, { bytes: index.bytes, sha256: index.sha256 });
      return 1;
    });
  return made;
}

/**
 * Runs `work` with the writer's lock, between imports; does nothing if another process holds it, or the case was
 * replaced.
 */
async function asWriter(catalog: Catalog, pause: Pause, work: () => number): Promise<number> {
  for (let tries = 0; tries < MOST_RETRIES; tries++) {
    await pause(false);
    const lock = takeLock(catalog.folder);
    if (lock !== undefined) {
      try {
        return catalog.isCurrent() ? work() : 0;
      } finally {
        lock.release();
      }
    }
    await wait(RETRY_MS);
  }
  return 0;
}

function takeLock(folder: string): WriterLock | undefined {
  try {
    return WriterLock.take(folder, MAINTENANCE);
  } catch (error) {
    if (hasCode(error, 'case-locked')) return undefined;
    throw error;
  }
}

/** Maintenance that a case needs. */
export type MaintenanceTask = Required<
  Pick<MaintenanceOptions, 'meanwhile' | 'pause' | 'staging'>
> &
  Pick<MaintenanceOptions, 'signal'>;

interface Imports {
  /** Number of running imports. */
  running: number;
  /** Callers that wait for a pause. */
  waiting: (() => void)[];
}

export class BackgroundMaintenance {
  /** Folders in which is worked now. */
  readonly inUse = new Set<string>();
  private readonly work: (folder: string, task: MaintenanceTask) => Promise<void>;
  private readonly pauseMs: number;
  private readonly idleMs: number;
  private readonly timers = new Map<string, NodeJS.Timeout>();
  private readonly imports = new Map<string, Imports>();
  /** Cases with maintenance in progress, with the function that ends waiting for a lasting pause. */
  private readonly working = new Map<string, () => void>();
  private readonly ending = new AbortController();
  private readonly underWay = new Set<Promise<void>>();
  private begun = 0;
  private readonly folderName = `${MAINTENANCE_FOLDER}${randomUUID().slice(0, 8)}`;

  /**
   * @param pauseMs after an import that has left many small segments
   * @param idleMs after the last import
   */
  constructor(
    work: (folder: string, task: MaintenanceTask) => Promise<void>,
    pauseMs: number,
    idleMs: number,
  ) {
    this.work = work;
    this.pauseMs = pauseMs;
    this.idleMs = idleMs;
  }

  /**
   * Runs an import into a case. A failed one leaves the work deferred by earlier ones.
   * @param smallSegmentsLeft number of small segments to merge before imports have ended
   */
  async around<T>(
    folder: string,
    work: () => Promise<T>,
    smallSegmentsLeft: (result: T) => number = () => 0,
  ): Promise<T> {
    const path = resolve(folder);
    this.notNow(path);
    const imports = this.imports.get(path) ?? { running: 0, waiting: [] };
    this.imports.set(path, imports);
    imports.running += 1;
    this.begun += 1;
    let left = 0;
    try {
      const result = await work();
      left = smallSegmentsLeft(result);
      return result;
    } finally {
      imports.running -= 1;
      if (imports.running === 0) {
        this.imports.delete(path);
        for (const go of imports.waiting) go();
      }
      if (isUrgent(left)) {
        const go = this.working.get(path);
        if (go === undefined) this.begin(path, true);
        else go();
      }
      // Otherwise it is done after the import that is still running.
      if (imports.running === 0) this.later(path, left > 0);
    }
  }

  /** Called when an import into the case starts. */
  private notNow(path: string): void {
    clearTimeout(this.timers.get(path));
    this.timers.delete(path);
  }

  /**
   * The last import that ran has ended.
   * @param many it has left too many small segments for them to wait for the rest
   */
  private later(path: string, many = false): void {
    this.notNow(path);
    if (this.ending.signal.aborted) return;
    const timer = setTimeout(
      () => {
        this.timers.delete(path);
        // The current work started before the last import.
        if (this.working.has(path)) this.later(path);
        else {
          this.begin(path, many);
          if (many) this.later(path);
        }
      },
      many ? this.pauseMs : this.idleMs,
    );
    this.timers.set(path, timer.unref());
  }

  /**
   * Starts nothing more, and abandons what is under way. It is awaited briefly: the process must not exit while
   * DuckDB works for a thread other than the first, which would abort it.
   */
  async close(): Promise<void> {
    this.ending.abort();
    for (const path of [...this.timers.keys()]) this.notNow(path);
    const ended = Promise.all(this.underWay);
    await Promise.race([ended, wait(END_MS, undefined, { ref: false })]);
  }

  private begin(path: string, meanwhile: boolean): void {
    if (this.ending.signal.aborted) return;
    const work = this.workOn(path, meanwhile).finally(() => this.underWay.delete(work));
    this.underWay.add(work);
  }

  private async workOn(path: string, meanwhile: boolean): Promise<void> {
    const hurried = Promise.withResolvers<void>();
    let isHurried = false;
    this.working.set(path, () => {
      isHurried = true;
      hurried.resolve();
    });
    const staging = join(path, 'staging', this.folderName);
    this.inUse.add(staging);
    const over = async () => {
      const imports = this.imports.get(path);
      if (imports !== undefined) await new Promise<void>((go) => imports.waiting.push(go));
    };
    const lasts = async () => {
      for (let begun = -1; begun !== this.begun && !isHurried;) {
        await over();
        begun = this.begun;
        await new Promise<void>((go) => setTimeout(go, this.pauseMs).unref());
      }
    };
    const pause = (lasting: boolean) =>
      lasting ? Promise.race([lasts(), hurried.promise]) : over();
    try {
      await this.work(path, { meanwhile, pause, staging, signal: this.ending.signal });
    } catch {
      // The case is intact without it, and may be gone.
    } finally {
      this.inUse.delete(staging);
      this.working.delete(path);
    }
  }
}
