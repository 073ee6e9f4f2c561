/** `import.start`: reads evidence into a case. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Ignored, ReadLimits } from '../../contract/importer.ts';
import { DaybookError, hasCode } from '../../contract/errors.ts';
import { CaseWriter, type WriterOptions } from '../../ingest/case/case-writer.ts';
import type { FromWorker, ToWorker } from '../../ingest/worker/protocol.ts';
import { type KeptThread, WarmThreads } from '../../ingest/coordinator/warm-threads.ts';
import type { PreviewWorkerHandle } from '../../ingest/preview/preview-protocol.ts';
import type {
  ImportProgress,
  ImportReport,
  SourceReport,
  WorkerHandle,
} from '../../ingest/coordinator/import-report.ts';
import { isSmallImport } from '../../ingest/compaction/policy.ts';
import { bytesOf, runImport } from '../../ingest/coordinator/run-import.ts';
import { Stopwatch } from '../../measure/operation-log.ts';
import type { EvidenceReader } from '../event/evidence-reader.ts';
import type { FromMaintenance, ToMaintenance } from './maintenance-thread.ts';
import type { FromVerify, ToVerify } from '../verify/verify-thread.ts';
import { workItems, type ImportItem, type ListedFile } from './import-items.ts';

export type { ImportReport, SourceReport };
export { UNRECOGNISED } from '../../ingest/worker/recognise.ts';

/** Given by the shell: how to list evidence and how to start a worker. */
export interface Evidence extends EvidenceReader {
  /** The importers and their dialects, as a person may name them. */
  readonly formats: readonly string[];
  /** Whether a mapping may name this field. */
  isMappable(field: string): boolean;
  /**
   * Lists the files below `paths`, each once. Standard input (`-`) and pipes are kept in `temporary` first.
   * @param signal ends the waiting for those
   * @throws DaybookError not-found, unreadable for one of `paths`
   */
  list(
    paths: readonly string[],
    recursive: boolean,
    temporary: string,
    signal?: AbortSignal,
  ): Promise<{ files: ListedFile[]; ignored: Ignored[] }>;
  /**
   * A password that encrypted archives may have: it is kept in memory, until the process ends, and tried wherever
   * evidence is read from now on, by threads that run already, too.
   * @throws DaybookError usage
   */
  unlock(password: string): void;
  startWorker(): KeptThread<ToWorker, FromWorker>;
  startPreviewWorker(): PreviewWorkerHandle;
  /** Does what imports leave undone. */
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
  /** Somebody searches meanwhile: what they ask goes first. */
  background?: boolean;
  /** Where threads are kept from import to import; else each starts its own. */
  startWorker?: (background: boolean) => WorkerHandle;
  /** The caller maintains the case afterwards (background-maintenance.ts): a small import leaves that to it. */
  deferMaintenance?: boolean;
}

/**
 * Imports `items` into the case in `folder`, which is created when there is none.
 * @throws DaybookError case-locked, not-a-case, unreadable, unknown-format, disk-full, cancelled
 */
export async function importEvidence(
  evidence: Evidence,
  parameters: ImportParameters,
): Promise<ImportReport> {
  const watch = new Stopwatch('import.start');
  // Before the case comes to be: a mistyped path must not leave an empty one.
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

  /** Ends the first, if nothing came to be read. */
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
    // Somebody waits for few events, whatever is asked meanwhile.
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

/** Keeps what the import cost. Where that is impossible (a full disk), why it failed is what matters. */
function recordImport(
  { catalog }: CaseWriter,
  watch: Stopwatch,
  status: string,
  text: string,
): void {
  try {
    catalog.operations.add([watch.measured(status, text)]);
  } catch {
    // Nothing was promised about it.
  }
}
