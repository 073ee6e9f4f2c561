/**
 * For tests: an import with the real importers, the real catalog and the real DuckDB, whose workers
 * run in this process instead of in threads, so that hundreds of sources cost little.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { importers } from '../../../importers/registry.ts';
import type { ReadLimits } from '../../contract/left-out.ts';
import { listFiles } from '../../../importers/shared/files/list-files.ts';
import { walkFile, type FoundItem } from '../../../importers/shared/archives/walk.ts';
import { CaseWriter } from '../case/case-writer.ts';
import type { IndexerHandle } from '../indexing/index-feed.ts';
import type { FromIndexer, ToIndexer } from '../indexing/index-protocol.ts';
import { runIndexer } from '../indexing/index-thread.ts';
import type { FromWorker, ImportOptions, ToWorker } from '../worker/protocol.ts';
import { runImportWorker } from '../worker/import-worker.ts';
import type { ImportReport, ImportRequest, WorkerHandle } from '../coordinator/import-report.ts';
import { runImport } from '../coordinator/run-import.ts';
import type { ThreadHandle } from '../coordinator/warm-threads.ts';

/** The importers that threads of the product have. */
export const WORKER_TOOLS = { importers, walk: walkFile };
export const BUILDER = { memoryLimit: 5e8, threads: 2 };
const OPTIONS: ImportOptions = {
  format: undefined,
  timeZone: undefined,
  year: 2026,
  dateOrder: undefined,
  clock: undefined,
  packets: true,
  flows: true,
  protocols: true,
  mapping: undefined,
};

/** Time for a cancelled worker to close its files: no thread ends here. */
const CLOSING_MS = 20;
/**
 * Numbers the workers of all imports. On a busy machine, a cancelled worker may run longer than that: its parts
 * must not have the same names as those of the resumed import.
 */
let workers = 0;

export interface InProcessOptions {
  limits?: ReadLimits;
  leaveOutOverlap?: boolean;
  recursive?: boolean;
  options?: Partial<ImportOptions>;
  workers?: number;
  adaptiveWorkers?: boolean;
  chunk?: ImportRequest['chunk'];
  signal?: AbortSignal;
  onSource?: (name: string) => void;
  startWorker?: () => WorkerHandle;
  lowLatency?: boolean;
  inUse?: ReadonlySet<string>;
  /** Bytes for DuckDB. */
  memoryLimit?: number;
}

/**
 * A walk that delivers content in blocks of at most `size` bytes: importers offer a commit once per block, and
 * small evidence then has many.
 */
export function inBlocks(size: number): typeof walkFile {
  async function* cut(blocks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const block of blocks)
      if (block.length <= size) yield block;
      else for (let at = 0; at < block.length; at += size) yield block.subarray(at, at + size);
  }
  const smaller = (input: FoundItem['input']): FoundItem['input'] => ({
    ...{ name: input.name, size: input.size, modifiedMs: input.modifiedMs, notes: input.notes },
    blocks: () => cut(input.blocks()),
    pieces: input.pieces && (() => cut(input.pieces!())),
  });
  return async function* (...file) {
    for await (const found of walkFile(...file))
      yield 'input' in found ? { ...found, input: smaller(found.input) } : found;
  };
}

/** A worker in this process; messages are copied and arrive later, as between threads. */
export function startInProcess(
  startIndexer = startIndexerInProcess,
  walk = walkFile,
): WorkerHandle {
  let toWorker: (message: ToWorker) => void = () => undefined;
  let toCoordinator: (message: FromWorker) => void = () => undefined;
  let exited: (error: Error | undefined) => void = () => undefined;
  let gone = false;
  const later = (work: () => void): void => {
    setImmediate(() => {
      if (!gone) work();
    });
  };
  later(() =>
    runImportWorker(
      {
        post: (message) => {
          const copy = structuredClone(message);
          later(() => toCoordinator(copy));
        },
        onMessage: (handler) => {
          toWorker = handler;
        },
      },
      { ...WORKER_TOOLS, walk, startIndexer, lowerPriority: () => undefined },
    ),
  );
  const stop = () => {
    if (gone) return;
    gone = true;
    setTimeout(() => exited(undefined), CLOSING_MS);
  };
  return {
    // Messages are delivered to the end: a cancelled worker closes its files on the next commit message.
    post: (message) => {
      const sent = message.type === 'start' ? { ...message, worker: ++workers } : message;
      setImmediate(() => toWorker(sent));
    },
    onMessage: (handler) => {
      toCoordinator = handler;
    },
    onExit: (handler) => {
      exited = handler;
    },
    stop,
    release: stop,
  };
}

/** An indexing thread in this process; its messages are copied as well. */
function startIndexerInProcess(): IndexerHandle {
  return threadInProcess<ToIndexer, FromIndexer>(runIndexer);
}

/** Runs in this process what a thread of the product runs: no thread loads its modules. */
export function threadInProcess<To, From>(
  run: (port: {
    post(message: From): void;
    onMessage(handler: (message: To) => void): void;
  }) => void,
): ThreadHandle<To, From> {
  let handlerOfThread: (message: To) => void = () => undefined;
  let handlerOfOwner: (message: From) => void = () => undefined;
  let gone = false;
  const later = (work: () => void): void => {
    setImmediate(() => {
      if (!gone) work();
    });
  };
  let exited: () => void = () => undefined;
  const stop = () => {
    if (gone) return;
    gone = true;
    setImmediate(() => exited());
  };
  run({
    post: (message) => later(() => handlerOfOwner(message)),
    onMessage: (handler) => {
      handlerOfThread = handler;
    },
  });
  return {
    post: (message) => {
      const sent = structuredClone(message);
      later(() => handlerOfThread(sent));
    },
    onMessage: (handler) => {
      handlerOfOwner = handler;
    },
    onExit: (handler) => {
      exited = () => handler(undefined);
    },
    stop,
    release: stop,
  };
}

/** Imports `paths` into the case in `folder`, which is created if there is none. */
export async function importInProcess(
  folder: string,
  paths: readonly string[],
  how: InProcessOptions = {},
): Promise<ImportReport> {
  const { inUse, memoryLimit = BUILDER.memoryLimit } = how;
  const builder = { ...BUILDER, memoryLimit, inUse };
  const writer = await CaseWriter.open(folder, 'import', builder, true);
  try {
    const { items, ignored } = await listFiles(paths, how.recursive ?? true, writer.staging);
    return await runImport(writer, {
      items: items.map((item) => ({
        ...item,
        options: { ...OPTIONS, ...how.options },
        limits: how.limits ?? {},
      })),
      ignored,
      workers: how.workers ?? 1,
      adaptiveWorkers: how.adaptiveWorkers ?? false,
      startWorker: how.startWorker ?? (() => startInProcess()),
      description: { paths },
      signal: how.signal,
      onProgress: undefined,
      onSource: (report) => how.onSource?.(report.source),
      leaveOutOverlap: how.leaveOutOverlap ?? false,
      lowLatency: how.lowLatency ?? false,
      ...(how.chunk === undefined ? {} : { chunk: how.chunk }),
    });
  } finally {
    writer.close();
  }
}

interface Quarantined {
  source: string;
  sourceId: number;
  offset: number;
  line?: number;
  reason: string;
  length: number;
  raw: string;
}

/** Every quarantined record of a case. */
export function quarantined(folder: string): Quarantined[] {
  return readdirSync(join(folder, 'quarantine'))
    .sort()
    .flatMap((name) => readFileSync(join(folder, 'quarantine', name), 'utf8').split('\n'))
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Quarantined);
}

/** Rows of a case, by SQL over all its segments as `events`. */
export async function rowsOf(folder: string, sql: string): Promise<unknown[][]> {
  const writer = await CaseWriter.open(folder, 'test', BUILDER);
  try {
    const parts: string[] = [];
    for (const segment of writer.catalog.segments.all()) {
      // Without row numbers, and columns from which others are computed.
      const columns = `COLUMNS(name -> name <> 'rowid' AND NOT name LIKE 'ts:%'), '${segment.kind}' AS kind`;
      parts.push(`SELECT ${columns} FROM ${await writer.attach(segment)}.events`);
    }
    if (parts.length === 0) return [];
    return await writer.builder.rows(
      `WITH events AS (${parts.join(' UNION ALL BY NAME ')}) ${sql}`,
    );
  } finally {
    writer.close();
  }
}
