/**
 * Runs the imports that windows ask for. Threads and a DuckDB that one import has used wait for the next one;
 * compaction and rollups of small imports are done after them (background-maintenance.ts).
 */
import type { Result } from '../../contract/operations.ts';
import {
  IDLE_MS,
  isSmallImport,
  PAUSE_MS,
  WarmThreads,
  type FromWorker,
  type ToWorker,
} from '../../ingest/index.ts';
import { endDuckdb, type IdleDuckdb } from '../../store/index.ts';
import { IdleSlot } from '../../util/idle-slot.ts';
import type { Services } from '../handler.ts';
import { BackgroundMaintenance } from './background-maintenance.ts';
import { importEvidence, type ImportReport, type SourceReport } from './import.ts';
import type { ImportArguments } from './import-history.ts';
import type { ImportWork } from './import-jobs.ts';
import { maintainOn } from './maintenance-thread.ts';

/** How long resources of an import stay available for the next one. */
const IDLE_SLOT_MS = 60_000;

export class ImportRunner {
  private readonly services: Services;
  private readonly workers: WarmThreads<ToWorker, FromWorker>;
  /** Workers of lower priority: a thread cannot get its priority back. */
  private readonly lowPriorityWorkers: WarmThreads<ToWorker, FromWorker>;
  private readonly kept = new IdleSlot<IdleDuckdb>(IDLE_SLOT_MS, endDuckdb);
  private readonly maintenance: BackgroundMaintenance;

  constructor(services: Services) {
    const { cases, evidence, settings } = services;
    this.services = services;
    this.workers = new WarmThreads(() => evidence.startWorker(), IDLE_SLOT_MS);
    this.lowPriorityWorkers = new WarmThreads(() => evidence.startWorker(), IDLE_SLOT_MS);
    const maintainers = new WarmThreads(() => evidence.startMaintenance(), IDLE_SLOT_MS);
    this.maintenance = new BackgroundMaintenance(
      async (folder, task) => {
        const { importMemory, threads } = settings.limits;
        // One of two cores is left to imports and queries.
        const options = { memoryLimit: importMemory, threads: Math.ceil(threads / 2) };
        const made = await maintainOn(maintainers.take(), folder, { ...options, ...task });
        // No commit announces them.
        if (made > 0) await cases.use(folder, async ({ nodes }) => nodes.renew());
      },
      PAUSE_MS,
      IDLE_MS,
    );
    cases.beforeClose(() => this.maintenance.close());
  }

  /** Starts a thread for the import of `bytes` that follows a preview. */
  prepare(bytes: number): void {
    (isSmallImport(bytes) ? this.workers : this.lowPriorityWorkers).prepare();
  }

  work(folder: string, args: ImportArguments, jobs: number | undefined): ImportWork {
    return async (signal, voice) => {
      const { cases, evidence, settings } = this.services;
      const { importMemory, threads, chunkRows, jobs: usual } = settings.limits;
      const { kept, maintenance } = this;
      const { inUse } = maintenance;
      const nothing = { bytes: 0, totalBytes: 0, rows: 0, source: '' };
      const report = await maintenance.around(
        folder,
        () =>
          importEvidence(evidence, {
            background: true,
            startWorker: (background) =>
              (background ? this.lowPriorityWorkers : this.workers).take(),
            deferMaintenance: true,
            folder,
            ...args,
            jobs: jobs ?? usual,
            adaptiveWorkers: jobs === undefined,
            builder: { memoryLimit: importMemory, threads, kept, catalogs: cases.writable, inUse },
            signal,
            onListing: () => voice.progress({ ...nothing, phase: 'listing' }),
            onProgress: (progress) => voice.progress(progress),
            onSource: (source) => voice.part({ source: sourceReport(source) }),
            onRecovered: (message) => voice.part({ message }),
            ...(chunkRows === undefined ? {} : { chunk: { rows: chunkRows } }),
          }),
        ({ smallSegmentsLeft }) => smallSegmentsLeft,
      );
      return importReport(report);
    };
  }
}

function sourceReport(report: SourceReport): Result<'import.start'>['sources'][number] {
  const { sourceId, sha256, format, dialect, first, last, message, broken, ...rest } = report;
  return {
    ...rest,
    ...(sourceId === undefined ? {} : { sourceId }),
    ...(sha256 === undefined ? {} : { sha256 }),
    ...(format === undefined ? {} : { format }),
    ...(dialect === undefined ? {} : { dialect }),
    ...(first === undefined ? {} : { first }),
    ...(last === undefined ? {} : { last }),
    ...(message === undefined ? {} : { message }),
    ...(broken === undefined ? {} : { broken }),
  };
}

function importReport(report: ImportReport): Result<'import.start'> {
  const { importId, sources, manifests, total, elapsedMs } = report;
  return {
    ...{ importId, total, elapsedMs },
    sources: sources.map(sourceReport),
    manifests: [...manifests],
  };
}
