/** `import.start`: reads evidence into a case. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Ignored, ReadLimits } from '../../contract/left-out.ts';
import { DaybookError, hasCode } from '../../contract/errors.ts';
import {
  CaseWriter,
  type WriterOptions,
  type FromWorker,
  type ToWorker,
  type KeptThread,
  WarmThreads,
  type PreviewWorkerHandle,
  type ImportProgress,
  type ImportReport,
  type SourceReport,
  type WorkerHandle,
  isSmallImport,
  bytesOf,
  runImport,
} from '../../ingest/index.ts';
import { Stopwatch } from '../../measure/operation-log.ts';
import type { EvidenceReader } from '../event/evidence-reader.ts';
import type { FromMaintenance, ToMaintenance } from './maintenance-thread.ts';
import type { FromVerify, ToVerify } from '../verify/verify-thread.ts';
import { workItems, type ImportItem, type ListedFile } from './import-items.ts';

export type { ImportReport, SourceReport };
export { UNRECOGNISED } from '../../ingest/index.ts';

/** Given by the shell: how to list evidence and how to start a worker. */
export interface Evidence extends EvidenceReader {
  /** The importers and their dialects, as a person may name them. */
  readonly formats: readonly string[];
  /** Whether a mapping may name this field. */
  isMappable(field: string): boolean;
  /**
   * Lists the files below `paths`, each once. Standard input (`-`) and pipes are first copied to `temporary`.
   * @param signal aborts waiting for those
   * @throws DaybookError not-found, unreadable for one of `paths`
   */
  list(
    paths: readonly string[],
    recursive: boolean,
    temporary: string,
    signal?: AbortSignal,
  ): Promise<{ files: ListedFile[]; ignored: Ignored[] }>;
  /**
   * Adds a password for encrypted archives: it is kept in memory until the process exits and tried wherever
   * evidence is read from now on, including by running threads.
   * @throws DaybookError usage
   */
  unlock(password: string): void;
  startWorker(): KeptThread<ToWorker, FromWorker>;
  startPreviewWorker(): PreviewWorkerHandle;
  /** Starts a thread for deferred maintenance. */
  startMaintenance(): KeptThread<ToMaintenance, FromMaintenance>;
  /** Verifies a case. */
  startVerify(): KeptThread<ToVerify, FromVerify>;
}

interface ImportParameters {
  folder: string;
  items: readonly ImportItem[];
  recursive: boolean;
  limits?: ReadLimits;
  leaveOutOverlap?: boolean;
  jobs: number;
  /** `jobs` is a limit: little evidence has one worker (`ImportRequest`). */
  adaptiveWorkers?: boolean;
  builder: WriterOptions;
  signal?: AbortSignal;
  onListing?: () => void;
  onProgress?: (progress: ImportProgress) => void;
  onSource?: (report: SourceReport) => void;
  /** Called with each step of the recovery after a crash. */
  onRecovered?: (message: string) => void;
  chunk?: { rows?: number; ms?: number };
  /** Whether searches go on meanwhile, and have priority. */
  background?: boolean;
  /** Provides threads that are kept between imports; otherwise each import starts its own. */
  startWorker?: (background: boolean) => WorkerHandle;
  /** The caller maintains the case afterwards (background-maintenance.ts): a small import defers that work. */
  deferMaintenance?: boolean;
}

/**
 * Imports `items` into the case in `folder`, which is created if there is none.
 * @throws DaybookError case-locked, not-a-case, unreadable, unknown-format, disk-full, cancelled
 */
export async function importEvidence(
  evidence: Evidence,
  parameters: ImportParameters,
): Promise<ImportReport> {
  const watch = new Stopwatch('import.start');
  // Before the case is created: a mistyped path must not leave an empty one.
  for (const { path } of parameters.items) {
    if (path === '-' || existsSync(path)) continue;
    throw new DaybookError('not-found', `${path}: no such file or folder`, 'check the path');
  }
  const { startWorker } = parameters;
  if (startWorker !== undefined) return importWith(evidence, parameters, watch, startWorker);
  const workers = new OwnWorkers(evidence);
  try {
    return await importWith(evidence, parameters, watch, () => workers.take());
  } finally {
    workers.close();
  }
}

/** Workers of one import. The first loads its modules while the case is opened and evidence is listed. */
class OwnWorkers {
  private readonly first: WarmThreads<ToWorker, FromWorker>;

  constructor(evidence: Evidence) {
    this.first = new WarmThreads(() => evidence.startWorker(), Infinity);
    this.first.prepare();
  }

  take(): WorkerHandle {
    const worker = this.first.take();
    return { ...worker, release: () => worker.stop() };
  }

  /** Ends the first thread if there was nothing to read. */
  close(): void {
    this.first.close();
  }
}

async function importWith(
  evidence: Evidence,
  parameters: ImportParameters,
  watch: Stopwatch,
  startWorker: (background: boolean) => WorkerHandle,
): Promise<ImportReport> {
  const writer = await CaseWriter.open(parameters.folder, 'import', parameters.builder, true);
  let status = 'failed';
  try {
    for (const id of writer.recovery.interruptedImports) {
      parameters.onRecovered?.(
        `import ${id} was interrupted; what it had committed is in the case`,
      );
    }
    parameters.onListing?.();
    const paths = parameters.items.map(({ path }) => (path === '-' ? path : resolve(path)));
    const { files, ignored } = await watch.spanAsync('list', () =>
      evidence.list(paths, parameters.recursive, writer.staging, parameters.signal),
    );
    if (files.length === 0 && ignored.length === 0) {
      throw new DaybookError(
        'unreadable',
        'there is no file to import',
        'name files or folders that hold evidence',
      );
    }
    const lowLatency =
      parameters.deferMaintenance === true && isSmallImport(bytesOf(files.map(({ path }) => path)));
    // A caller waits for few events, whatever else is requested meanwhile.
    const background = parameters.background === true && !lowLatency;
    const report = await watch.spanAsync('run', () =>
      runImport(writer, {
        items: workItems(files, parameters.items, parameters.limits),
        ignored,
        workers: parameters.jobs,
        adaptiveWorkers: parameters.adaptiveWorkers ?? false,
        startWorker: () => startWorker(background),
        description: {
          items: parameters.items.map(({ options }, i) => ({ path: paths[i], options })),
          recursive: parameters.recursive,
          ...(parameters.limits === undefined ? {} : { limits: parameters.limits }),
        },
        signal: parameters.signal,
        onProgress: parameters.onProgress,
        onSource: parameters.onSource,
        leaveOutOverlap: parameters.leaveOutOverlap ?? false,
        background,
        lowLatency,
        ...(parameters.chunk === undefined ? {} : { chunk: parameters.chunk }),
      }),
    );
    watch.rowsReturned = report.total.stored;
    status = 'done';
    return report;
  } catch (error) {
    if (hasCode(error, 'cancelled')) status = 'cancelled';
    throw error;
  } finally {
    recordImport(writer, watch, status, parameters.items.map(({ path }) => path).join(' '));
    writer.close(status === 'done');
  }
}

/**
 * Records the cost of the import. If that is impossible (a full disk), the import's error is the one that matters.
 */
function recordImport(
  { catalog }: CaseWriter,
  watch: Stopwatch,
  status: string,
  text: string,
): void {
  try {
    catalog.operations.add([watch.measured(status, text)]);
  } catch {
    // Best effort.
  }
}
