/** `import.start`: reads evidence into a case. */
import { existsSync } from 'node:fs';
import type { Ignored } from '../contract/importer.ts';
import { DaybookError } from '../contract/errors.ts';
import { CaseWriter } from '../ingest/case-writer.ts';
import type { ImportOptions, WorkItem } from '../ingest/protocol.ts';
import {
  runImport,
  type ImportProgress,
  type ImportReport,
  type SourceReport,
  type WorkerHandle,
} from '../ingest/run-import.ts';
import { Stopwatch } from '../measure/operation-log.ts';
import type { BuilderOptions } from '../store/segment-builder.ts';
import { CaseSession } from './case-session.ts';

export type { ImportReport, SourceReport };

/** What the shell brings along: how to list evidence and how to start a worker. */
export interface Evidence {
  /** Lists the files below `paths`. Standard input (`-`) is kept in `temporary` first. */
  list(
    paths: readonly string[],
    recursive: boolean,
    temporary: string,
  ): Promise<{ items: WorkItem[]; ignored: Ignored[] }>;
  startWorker(): WorkerHandle;
}

export interface ImportParameters {
  folder: string;
  paths: readonly string[];
  recursive: boolean;
  options: ImportOptions;
  jobs: number;
  builder: BuilderOptions;
  signal?: AbortSignal;
  onProgress?: (progress: ImportProgress) => void;
  onSource?: (report: SourceReport) => void;
  /** What recovery after a crash found and did. */
  onRecovered?: (message: string) => void;
  chunk?: { rows?: number; bytes?: number; ms?: number };
}

/**
 * Imports `paths` into the case in `folder`, which is created when there is none.
 * @throws DaybookError case-locked, not-a-case, unreadable, unknown-format, disk-full, cancelled
 */
export async function importEvidence(
  evidence: Evidence,
  parameters: ImportParameters,
): Promise<ImportReport> {
  const watch = new Stopwatch('import.start');
  // Before the case comes to be: a mistyped path must not leave an empty one.
  for (const path of parameters.paths) {
    if (path === '-' || existsSync(path)) continue;
    throw new DaybookError('not-found', `${path}: no such file or folder`, 'check the path');
  }
  const writer = await CaseWriter.open(parameters.folder, 'import', parameters.builder, true);
  let status = 'failed';
  try {
    for (const id of writer.recovery.interruptedImports) {
      parameters.onRecovered?.(
        `import ${id} was interrupted; what it had committed is in the case`,
      );
    }
    const { items, ignored } = await watch.spanAsync('list', () =>
      evidence.list(parameters.paths, parameters.recursive, writer.staging),
    );
    if (items.length === 0 && ignored.length === 0) {
      throw new DaybookError(
        'unreadable',
        'there is no file to import',
        'name files or folders that hold evidence',
      );
    }
    const report = await watch.spanAsync('run', () =>
      runImport(writer, {
        items,
        ignored,
        options: parameters.options,
        workers: parameters.jobs,
        startWorker: () => evidence.startWorker(),
        description: { paths: parameters.paths, options: parameters.options },
        signal: parameters.signal,
        onProgress: parameters.onProgress,
        onSource: parameters.onSource,
        ...(parameters.chunk === undefined ? {} : { chunk: parameters.chunk }),
      }),
    );
    watch.rowsReturned = report.total.stored;
    status = 'done';
    return report;
  } catch (error) {
    if (error instanceof DaybookError && error.code === 'cancelled') status = 'cancelled';
    throw error;
  } finally {
    const folder = writer.folder;
    writer.close();
    await recordImport(folder, watch, status, parameters.paths.join(' '));
  }
}

/** Keeps what the import cost. Where that is impossible (a full disk), why it failed is what matters. */
async function recordImport(
  folder: string,
  watch: Stopwatch,
  status: string,
  text: string,
): Promise<void> {
  try {
    const session = CaseSession.open(folder, { memoryLimit: 1e8, threads: 1 });
    session.record(watch, status, text);
    await session.close();
  } catch {
    // Nothing was promised about it.
  }
}
