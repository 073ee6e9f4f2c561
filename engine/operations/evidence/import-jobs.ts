/**
 * The imports running in this engine: one per case, whoever started or follows it. An import outlives the window
 * that started it; another window can attach to it.
 */
import { resolve } from 'node:path';
import type { Part, Result } from '../../contract/operations.ts';
import { CancelledError } from '../../contract/errors.ts';
import { ProgressMeter, type Counted } from './import-progress.ts';

type ImportPart = Part<'import.start'>;
type ImportResult = Result<'import.start'>;

/** Reports of a running import. */
interface ImportVoice {
  progress(progress: Counted): void;
  part(part: ImportPart): void;
}

/** Does an import's work until it is done or `signal` aborts. */
export type ImportWork = (signal: AbortSignal, voice: ImportVoice) => Promise<ImportResult>;

interface Job {
  readonly controller: AbortController;
  readonly done: Promise<ImportResult>;
  readonly listeners: Set<(part: ImportPart) => void>;
  readonly meter: ProgressMeter;
}

export class ImportJobs {
  private readonly jobs = new Map<string, Job>();

  /** Whether an import runs on the case in `folder` in this engine. */
  runs(folder: string): boolean {
    return this.jobs.has(resolve(folder));
  }

  /**
   * Starts an import and stays with it to its end. If another one is running, `work` is started all the same: the
   * case's lock refuses it and names the holder.
   * @throws DaybookError whatever `work` throws; cancelled if `signal` aborted or somebody cancelled it
   */
  start(
    folder: string,
    work: ImportWork,
    signal: AbortSignal,
    listener: (part: ImportPart) => void,
  ): Promise<ImportResult> {
    const path = resolve(folder);
    const controller = new AbortController();
    const listeners = new Set([listener]);
    const tell = (part: ImportPart) => {
      for (const one of [...listeners]) one(part);
    };
    const meter = new ProgressMeter((progress) => tell({ progress }));
    const cancel = () => controller.abort();
    signal.addEventListener('abort', cancel);
    if (signal.aborted) cancel();
    const done = work(controller.signal, {
      progress: (progress) => meter.update(progress),
      part: tell,
    }).finally(() => {
      meter.stop();
      signal.removeEventListener('abort', cancel);
      if (this.jobs.get(path)?.controller === controller) this.jobs.delete(path);
    });
    if (!this.jobs.has(path)) this.jobs.set(path, { controller, done, listeners, meter });
    return done;
  }

  /**
   * Attaches to the import that runs on a case; undefined if there is none. `listener` immediately gets the last
   * progress. Aborting `signal` detaches, and the import goes on.
   * @throws DaybookError the import's error; cancelled if `signal` aborted
   */
  async follow(
    folder: string,
    signal: AbortSignal,
    listener: (part: ImportPart) => void,
  ): Promise<ImportResult | undefined> {
    const job = this.jobs.get(resolve(folder));
    if (job === undefined) return undefined;
    if (signal.aborted) throw new CancelledError();
    const last = job.meter.last;
    if (last !== undefined) listener({ progress: last });
    job.listeners.add(listener);
    let detach: () => void = () => undefined;
    const detached = new Promise<never>((_, reject) => {
      detach = () => reject(new CancelledError());
    });
    signal.addEventListener('abort', detach);
    try {
      return await Promise.race([job.done, detached]);
    } finally {
      signal.removeEventListener('abort', detach);
      job.listeners.delete(listener);
    }
  }

  /** Cancels the import that runs on a case, at a chunk boundary; false if there is none. */
  async cancel(folder: string): Promise<boolean> {
    const job = this.jobs.get(resolve(folder));
    if (job === undefined) return false;
    job.controller.abort();
    await job.done.catch(() => undefined);
    return true;
  }
}
