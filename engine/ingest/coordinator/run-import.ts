/**
 * The import coordinator: gives items to workers, has sources admitted and chunks committed, one after the other.
 *
 * Invariant: a chunk's segments, its sources' positions and its counts become visible in one catalog transaction;
 * chunks are committed in the order of arrival.
 */
import { statSync } from 'node:fs';
import {
  CancelledError,
  DaybookError,
  type ErrorCode,
  hasCode,
  messageOfError,
} from '../../contract/errors.ts';
import { diskError } from '../../util/files/files.ts';
import type { CaseWriter } from '../case/case-writer.ts';
import { indexRows } from '../case/segment-rewriter.ts';
import { compactSmall } from '../compaction/compact.ts';
import { mergeAfterImport } from '../compaction/merge-rollups.ts';
import { isSmallImport } from '../compaction/policy.ts';
import { workerMemory, workersWithin } from '../import-memory.ts';
import type { FromWorker, WorkItem } from '../worker/protocol.ts';
import { Admission } from './admission.ts';
import { ChunkCommits, type ChunkMessage } from './commit.ts';
import { ImportContext } from './import-context.ts';
import { ImportLedger } from './import-ledger.ts';
import { auditedManifest, ManifestChecks } from './manifest-checks.ts';
import type { ImportProgress, ImportReport, ImportRequest, WorkerHandle } from './import-report.ts';
import { SourceOrder } from './source-order.ts';
import { SourceOverlaps } from './source-overlaps.ts';

const CHUNK_MS = 5_000;
/**
 * In a small import, other workers start after this many rows: the evidence may be compressed. A worker takes 0.9 s
 * of processor time before it reads anything: 61,594 records in 8 files of 14 MB took 3.0 s with one worker and 4.2
 * s with two.
 */
const FEW_ROWS = 100_000;
/**
 * A worker that waits for so long leaves its place to one that is started for it. Of many small sources each waits for
 * its turn, which comes in a moment: of 500 sources four workers with their indexing threads took a third more
 * processor time than two.
 */
const LONG_WAIT_MS = 250;

/** A worker and its activity. A waiting worker gives up its slot. */
interface WorkerSlot {
  readonly worker: WorkerHandle;
  doing: 'starting' | 'idle' | 'busy' | 'waiting' | 'ending' | 'ended';
  /** The item that it reads. */
  ordinal: number | undefined;
  /** Size of the file it reads, and the bytes read of it. */
  size: number;
  bytes: number;
  rows: number;
}

/**
 * Runs one import to its end.
 * @throws DaybookError disk-full, cancelled (committed chunks stay; the same call resumes it)
 */
export async function runImport(writer: CaseWriter, request: ImportRequest): Promise<ImportReport> {
  return new ImportRun(writer, request).run();
}

class ImportRun {
  private readonly context: ImportContext;
  private readonly request: ImportRequest;
  private readonly ledger: ImportLedger;
  private readonly overlaps: SourceOverlaps;
  private readonly manifests: ManifestChecks;
  private readonly admission: Admission;
  private readonly committer: ChunkCommits;
  private readonly cancel = new SharedArrayBuffer(4);
  private readonly totalBytes: number;
  /** Maximum number of workers. */
  private readonly workers: number;
  /** Rows read by workers that have exited. */
  private rows = 0;
  private bytesRead = 0;
  private next = 0;
  private nextWorker = 0;
  private readonly slots = new Set<WorkerSlot>();
  private readonly over = Promise.withResolvers<void>();
  private readonly order: SourceOrder;
  private commits: Promise<void> = Promise.resolve();
  private failure: unknown;

  constructor(writer: CaseWriter, request: ImportRequest) {
    this.context = new ImportContext(writer, request);
    this.request = request;
    this.workers = workersWithin(writer.builder.memoryLimit, request.workers);
    this.totalBytes = bytesOf(request.items.map(({ path }) => path));
    this.order = new SourceOrder(
      request.items.map(({ ordinal }) => ordinal),
      writer.catalog.sources.lastId() + 1,
    );
    this.manifests = new ManifestChecks(this.context, this.cancel);
    this.ledger = new ImportLedger(this.context, this.manifests);
    this.overlaps = new SourceOverlaps(this.context);
    this.admission = new Admission(this.context, this.ledger, this.overlaps, this.order);
    this.committer = new ChunkCommits(this.context, this.ledger, this.overlaps);
  }

  async run(): Promise<ImportReport> {
    const { catalog } = this.context.writer;
    const { importId } = this.context;
    const onAbort = () => this.fail(new CancelledError());
    this.request.signal?.addEventListener('abort', onAbort);
    if (this.request.signal?.aborted === true) onAbort();
    let smallSegmentsLeft: number;
    try {
      await this.readAll();
      this.ledger.applyDoubts();
      this.ledger.keepArchives();
      await this.overlaps.apply();
      await this.manifests.check((name) => this.progress(name, 'reading'));
      this.progress('', 'compacting');
      smallSegmentsLeft = await this.compactAfterwards();
    } catch (error) {
      this.recordFailure(error);
      throw diskError(error) ?? error;
    } finally {
      this.request.signal?.removeEventListener('abort', onAbort);
    }
    const report = this.ledger.report(smallSegmentsLeft, this.overlaps.count);
    const manifests = report.manifests.map(auditedManifest);
    catalog.transaction(() => {
      catalog.imports.finish(importId, 'complete');
      catalog.audit.add('import', {
        import: importId,
        ...this.request.description,
        total: report.total,
        ...(manifests.length === 0 ? {} : { manifests }),
      });
    });
    return report;
  }

  private async readAll(): Promise<void> {
    for (const { name, reason } of this.request.ignored)
      this.ledger.addIgnored(-1, name, reason, false);
    const count = Math.max(1, Math.min(this.wanted(), this.request.items.length));
    if (this.request.items.length > 0 && this.failure === undefined) {
      for (let i = 0; i < count; i++) this.startWorker(count);
      this.deal();
      await this.over.promise;
    }
    await this.commits;
    if (this.failure !== undefined) throw this.failure;
  }

  private recordFailure(error: unknown): void {
    const { catalog } = this.context.writer;
    const { importId } = this.context;
    const cancelled = hasCode(error, 'cancelled');
    try {
      const status = cancelled ? 'cancelled' : 'failed';
      const reason = messageOfError(error);
      catalog.transaction(() => {
        catalog.imports.finish(importId, status);
        catalog.audit.add('import', {
          ...{ import: importId, status, ...(cancelled ? {} : { reason }) },
          ...this.request.description,
        });
      });
    } catch {
      // A full disk has no room for this either; the next writer closes the import.
    }
  }

  /** Merges segments of which there are too many; returns the number of small segments left to merge. */
  private async compactAfterwards(): Promise<number> {
    const { writer, importId } = this.context;
    const { lowLatency = false } = this.request;
    const { left } = await compactSmall(writer, importId, lowLatency);
    if (!lowLatency) await mergeAfterImport(writer, () => this.progress('', 'compacting'));
    return left;
  }

  /** Ends the import: workers are stopped immediately; committed chunks stay. */
  private fail(error: unknown): void {
    this.failure ??= error;
    this.committer.stop();
    this.order.hurry();
    Atomics.store(new Int32Array(this.cancel), 0, 1);
    for (const { worker } of this.slots) worker.stop();
  }

  /** @param others number of workers being started, this one included */
  private startWorker(others = this.slots.size + 1): void {
    const worker = this.request.startWorker();
    const slot: WorkerSlot = {
      worker,
      doing: 'starting',
      size: 0,
      bytes: 0,
      rows: 0,
      ordinal: undefined,
    };
    this.slots.add(slot);
    worker.onExit((error) => {
      this.slots.delete(slot);
      this.rows += slot.rows;
      if (slot.doing !== 'ended' && this.failure === undefined) {
        this.fail(error ?? new DaybookError('internal', 'an import worker ended unexpectedly'));
      }
      if (this.slots.size === 0) this.over.resolve();
    });
    worker.onMessage((message) => {
      try {
        this.onMessage(slot, message);
      } catch (failure) {
        this.fail(failure);
      }
    });
    if (worker.isWarm === true) this.ready(slot, others);
    else worker.post({ type: 'hello' });
  }

  /** Sends a worker its settings. */
  private ready(slot: WorkerSlot, others: number): void {
    // Each worker gets as many threads as all workers leave cores free.
    const memory = workerMemory(this.context.writer.builder.memoryLimit);
    const isAlone = this.wanted() < this.workers;
    const all = isAlone ? Math.min(this.workers, this.request.items.length) : others;
    const spare = Math.floor(this.workers / (2 * all));
    slot.worker.post({
      type: 'start',
      staging: this.context.writer.staging,
      worker: this.nextWorker++,
      cancel: this.cancel,
      chunkMs: this.request.chunk?.ms ?? CHUNK_MS,
      memory: { ...memory, chunkRows: this.request.chunk?.rows ?? memory.chunkRows },
      indexRows: indexRows(this.request.lowLatency),
      sources: this.request.items.length,
      background: this.request.background ?? false,
      indexers: Math.max(1, spare),
      extractors: this.context.writer.catalog.extractors.all().map(({ document }) => document),
    });
    slot.doing = 'idle';
  }

  /** Gives items to idle workers, and starts workers while there are more items. */
  private deal(): void {
    while (this.failure === undefined && this.running() < this.wanted()) {
      // A waiting worker keeps its thread: while many wait for one slow source, no more start.
      const mayBegin = this.count('waiting') <= this.workers;
      const item = mayBegin ? this.request.items[this.next] : undefined;
      if (item === undefined) break;
      const slot = [...this.slots].find(({ doing }) => doing === 'idle');
      if (slot === undefined) {
        if (this.count('starting') >= this.unread()) return;
        this.startWorker();
        continue;
      }
      this.giveItem(slot, item);
    }
    if (this.failure === undefined && this.unread() > 0) return;
    for (const slot of this.slots) {
      if (slot.doing !== 'idle') continue;
      slot.doing = 'ending';
      slot.worker.post({ type: 'finish' });
    }
  }

  private giveItem(slot: WorkerSlot, item: WorkItem): void {
    this.next += 1;
    slot.doing = 'busy';
    slot.ordinal = item.ordinal;
    slot.bytes = 0;
    slot.size = sizeOf(item.path);
    const isLast = this.next === this.request.items.length;
    slot.worker.post({ type: 'item', item, isLast });
  }

  /**
   * Number of workers that should read at once. Little evidence is read before another worker has loaded its
   * modules.
   */
  private wanted(): number {
    const isLittle = isSmallImport(this.totalBytes) && this.rowsRead() < FEW_ROWS;
    return this.request.adaptiveWorkers === true && isLittle ? 1 : this.workers;
  }

  private rowsRead(): number {
    let { rows } = this;
    for (const slot of this.slots) rows += slot.rows;
    return rows;
  }

  /** Number of items that no worker has started. */
  private unread(): number {
    return this.request.items.length - this.next;
  }

  /** Number of workers that need a core. */
  private running(): number {
    return this.count('starting') + this.count('busy');
  }

  private count(doing: WorkerSlot['doing']): number {
    let n = 0;
    for (const slot of this.slots) if (slot.doing === doing) n += 1;
    return n;
  }

  /** Waits; where that takes long, another worker reads meanwhile. */
  private async resting<T>(slot: WorkerSlot, until: Promise<T>): Promise<T> {
    const long = setTimeout(() => {
      slot.doing = 'waiting';
      this.deal();
    }, LONG_WAIT_MS);
    try {
      return await until;
    } finally {
      clearTimeout(long);
      slot.doing = 'busy';
    }
  }

  /** Converts content bytes to bytes of the file, which may be compressed. */
  private advance(slot: WorkerSlot, to: number): void {
    const next = Math.min(to, slot.size);
    this.bytesRead += next - slot.bytes;
    slot.bytes = next;
  }

  private onMessage(slot: WorkerSlot, message: FromWorker): void {
    const { worker } = slot;
    switch (message.type) {
      case 'ready':
        this.ready(slot, this.slots.size);
        this.deal();
        break;
      case 'request':
        void this.admission
          .begin(message.begin, (until) => this.resting(slot, until))
          .then(
            (reply) => worker.post({ type: 'reply', id: message.id, reply }),
            (error: unknown) => this.fail(error),
          );
        break;
      case 'ignored':
        this.ledger.addIgnored(message.ordinal, message.name, message.reason, message.failed);
        if (message.location !== undefined)
          this.manifests.unread(message.location, message.name, message.reason);
        if (message.checked !== undefined)
          this.ledger.doubt({
            item: message.ordinal,
            checked: message.checked,
            reason: message.reason,
          });
        break;
      case 'progress':
        this.advance(slot, slot.bytes + message.bytes);
        slot.rows = message.rows;
        this.progress(message.name, 'reading');
        this.deal();
        break;
      case 'chunk':
        void this.commitNext(message).then(() =>
          worker.post({ type: 'committed', id: message.id }),
        );
        break;
      case 'indexed':
        this.committer.indexed(message.part, message.index);
        break;
      case 'archive':
        this.ledger.archive(message.ordinal, message.archive);
        this.manifests.archive(message.ordinal, message.archive);
        break;
      case 'manifest':
        this.manifests.add(message.ordinal, message);
        break;
      case 'hashed':
        break; // Asked for by ManifestChecks, of a worker of its own.
      case 'item-done':
        this.advance(slot, slot.size);
        slot.doing = 'idle';
        if (slot.ordinal !== undefined) this.order.settled(slot.ordinal);
        this.deal();
        if (slot.doing === 'idle') worker.post({ type: 'flush' });
        break;
      case 'finished':
        slot.doing = 'ended';
        worker.release();
        break;
      case 'error':
        this.fail(errorOf(message));
        slot.doing = 'ended';
        worker.stop();
        break;
    }
  }

  /** Commits a chunk after earlier ones. */
  private commitNext(chunk: ChunkMessage): Promise<void> {
    this.commits = this.commits.then(async () => {
      if (this.failure !== undefined) return;
      try {
        await this.committer.commit(chunk);
      } catch (error) {
        this.fail(error);
      }
    });
    return this.commits;
  }

  private progress(source: string, phase: ImportProgress['phase']): void {
    this.request.onProgress?.({
      bytes: this.bytesRead,
      totalBytes: this.totalBytes,
      rows: this.rowsRead(),
      source,
      phase,
    });
  }
}

function errorOf(message: Extract<FromWorker, { type: 'error' }>): Error {
  if (message.code === 'cancelled') return new CancelledError();
  return new DaybookError(
    message.code as ErrorCode,
    message.name === '' ? message.message : `${message.name}: ${message.message}`,
    message.hint,
  );
}

/** Total size of these files; a file without a known size counts as 0, and reading it reports the error. */
export function bytesOf(paths: readonly string[]): number {
  return paths.reduce((sum, path) => sum + sizeOf(path), 0);
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}
