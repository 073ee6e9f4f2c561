/**
 * The imports that run in this engine: one per case, whoever began it, and whoever looks on. A
 * window that goes leaves its import running; another one attaches to it.
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
   * Begins an import and stays with it to its end. Where one runs already, `work` is begun all the
   * same: the case's lock refuses it, and says who has it.
   * @throws DaybookError what `work` throws; cancelled when `signal` aborted or somebody cancelled it
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
   * Attaches to the import that runs on a case; undefined when none does. `listener` is told the
   * last progress at once. Aborting `signal` detaches, and the import goes on.
   * @throws DaybookError what the import fails with; cancelled when `signal` aborted
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

  /** Cancels the import that runs on a case, at a chunk's edge; false when none does. */
  async cancel(folder: string): Promise<boolean> {
    const job = this.jobs.get(resolve(folder));
    if (job === undefined) return false;
    job.controller.abort();
    await job.done.catch(() => undefined);
    return true;
  }
}
