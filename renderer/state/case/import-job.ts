/**
 * Imports as this window sees them: one job per case, independent of any dialog, so that the dialog can be closed,
 * the window reloaded, or an import of another window followed. The import itself belongs to the engine; only
 * `cancel` ends it.
 */
import { createStore, type StoreApi } from 'zustand/vanilla';
import { errorInfoOf, type Engine } from '../../../engine/contract/wire/client.ts';
import type { ErrorInfo } from '../../../engine/contract/wire/frame.ts';
import type { Params, Part, Result } from '../../../engine/contract/operations.ts';

export type ImportReport = Result<'import.start'>;
export type SourceReport = ImportReport['sources'][number];
type ImportProgress = Extract<Part<'import.start'>, { progress: unknown }>['progress'];

export interface ImportJob {
  readonly state: 'running' | 'cancelling' | 'complete' | 'cancelled' | 'failed';
  readonly progress: ImportProgress | undefined;
  /** Finished sources, in the order in which they finished; all of them once there is a report. */
  readonly sources: readonly SourceReport[];
  readonly messages: readonly string[];
  readonly report: ImportReport | undefined;
  readonly error: ErrorInfo | undefined;
}

export interface ImportJobs {
  /** By the case's path. */
  readonly store: StoreApi<Readonly<Record<string, ImportJob | undefined>>>;
  start(params: Params<'import.start'>): void;
  resume(path: string, importId: number): void;
  /** Attaches to the import in progress on a case, if there is one and it is not followed yet. */
  follow(path: string): void;
  cancel(path: string): void;
  /** Forgets a job that has ended. */
  dismiss(path: string): void;
}

const FIRST: ImportJob = {
  state: 'running',
  progress: undefined,
  sources: [],
  messages: [],
  report: undefined,
  error: undefined,
};

export function isRunning(job: ImportJob | undefined): boolean {
  return job?.state === 'running' || job?.state === 'cancelling';
}

/** The job after one part of an import's report. */
function withPart(job: ImportJob, part: Part<'import.start'>): ImportJob {
  if ('progress' in part) return { ...job, progress: part.progress };
  if ('source' in part) return { ...job, sources: [...job.sources, part.source] };
  return { ...job, messages: [...job.messages, part.message] };
}

/** The job after its end by an error. */
function withError(job: ImportJob, error: unknown): ImportJob {
  const info = errorInfoOf(error);
  return info.code === 'cancelled'
    ? { ...job, state: 'cancelled' }
    : { ...job, state: 'failed', error: info };
}

export function createImportJobs(connection: Engine): ImportJobs {
  const store = createStore<Readonly<Record<string, ImportJob | undefined>>>(() => ({}));
  const following = new Set<string>();

  const set = (path: string, change: (job: ImportJob) => ImportJob): void => {
    store.setState((jobs) => ({ ...jobs, [path]: change(jobs[path] ?? FIRST) }));
  };
  const begin = (
    path: string,
    call: (onPart: (part: Part<'import.start'>) => void) => Promise<ImportReport>,
  ): void => {
    if (isRunning(store.getState()[path])) return;
    set(path, () => FIRST);
    call((part) => set(path, (job) => withPart(job, part))).then(
      (report) => set(path, (job) => withReport(job, report)),
      (error: unknown) => set(path, (job) => withError(job, error)),
    );
  };

  return {
    store,
    start: (params) =>
      begin(params.case, (onPart) => connection.call('import.start', params, { onPart })),
    resume: (path, importId) =>
      begin(path, (onPart) =>
        connection.call('import.resume', { case: path, importId }, { onPart }),
      ),
    follow(path) {
      if (following.has(path) || isRunning(store.getState()[path])) return;
      following.add(path);
      let seen = false;
      connection
        .call(
          'import.follow',
          { case: path },
          {
            onPart: (part) => {
              set(path, (job) => withPart(seen ? job : FIRST, part));
              seen = true;
            },
          },
        )
        .then(
          (report) => {
            if (report !== null) set(path, (job) => withReport(job, report));
          },
          (error: unknown) => {
            if (seen) set(path, (job) => withError(job, error));
          },
        )
        .finally(() => following.delete(path));
    },
    cancel(path) {
      if (!isRunning(store.getState()[path])) return;
      set(path, (job) => ({ ...job, state: 'cancelling' }));
      // The call that began or follows it reports how it ended.
      connection.call('import.cancel', { case: path }).catch(() => undefined);
    },
    dismiss(path) {
      if (isRunning(store.getState()[path])) return;
      store.setState((jobs) => ({ ...jobs, [path]: undefined }));
    },
  };
}

function withReport(job: ImportJob, report: ImportReport): ImportJob {
  return { ...job, state: 'complete', report, sources: report.sources };
}
