/**
 * The import coordinator: hands items to workers, decides for each source whether it is new, known
 * or interrupted, turns parts into segments and commits chunk by chunk.
 *
 * Holds always: a chunk's segments, its sources' positions and its counts become visible in one
 * catalog transaction; chunks are committed in the order in which they arrive.
 */
import { createHash } from 'node:crypto';
import { statSync, rmSync } from 'node:fs';
import type { Broken, SourceRow } from '../../catalog/tables/sources.ts';
import type { SegmentRow } from '../../catalog/tables/segments.ts';
import {
  archiveOf,
  locationOf,
  sameArchive,
  samePlace,
  type ArchiveFile,
} from '../../catalog/source-place.ts';
import { diskError } from '../../util/files.ts';
import { type DayCount, daysOf, daysOfAll } from '../../util/segment-days.ts';
import { CancelledError, DaybookError, type ErrorCode } from '../../contract/errors.ts';
import type { Ignored } from '../../contract/importer.ts';
import type { Decisions } from '../../contract/decisions.ts';
import type { Kind } from '../../contract/event.ts';
import {
  identifier,
  literal,
  type BuildOptions,
  type BuiltSegment,
  type KnownRows,
} from '../../store/segment-builder.ts';
import type { CaseWriter } from '../case/case-writer.ts';
import { indexRows } from '../case/segment-rewriter.ts';
import { compactSmall } from '../compaction/compact.ts';
import { workerMemory, workersWithin } from '../import-memory.ts';
import { EarlyNodes, mergeAfterImport } from '../compaction/merge-rollups.ts';
import type { BuiltIndex } from '../indexing/index-protocol.ts';
import { OverlapFinder } from '../overlap/find-overlaps.ts';
import { setLeftOut } from '../overlap/left-out.ts';
import { SourceOrder } from './source-order.ts';
import type { ThreadHandle } from './warm-threads.ts';
import type {
  BeginReply,
  BeginRequest,
  EqualStart,
  FromWorker,
  PartInfo,
  SkipPlan,
  SourceEnd,
  SourceState,
  ToWorker,
  WorkItem,
} from '../worker/protocol.ts';
import { relativeTimesNote } from './relative-times.ts';

/** A running import worker, in whatever way it was started. */
export type WorkerHandle = ThreadHandle<ToWorker, FromWorker>;

export interface ImportRequest {
  /** In the order of the ledger. */
  items: readonly WorkItem[];
  /** Met while listing the items. */
  ignored: readonly Ignored[];
  workers: number;
  startWorker: () => WorkerHandle;
  /** What the audit log and the imports table keep of the command. */
  description: Record<string, unknown>;
  signal: AbortSignal | undefined;
  onProgress: ((progress: ImportProgress) => void) | undefined;
  onSource: ((report: SourceReport) => void) | undefined;
  /** Whether events are hidden that another source has, too. */
  leaveOutOverlap?: boolean;
  /** Workers give way to other work. */
  background?: boolean;
  /**
   * Little is read, and somebody waits for it: indexes that small segments do without, and the merging of
   * segments and rollups, are left to who asks (engine/operations/evidence/upkeep.ts).
   */
  brief?: boolean;
  /** Overrides for tests. */
  chunk?: {
    rows?: number;
    ms?: number;
  };
}

export interface ImportProgress {
  bytes: number;
  totalBytes: number;
  rows: number;
  source: string;
  phase: 'reading' | 'compacting';
}

export interface SourceReport {
  source: string;
  sourceId: number | undefined;
  sha256: string | undefined;
  /** The importer that read it, and the dialect it found. */
  format: string | undefined;
  dialect: string | undefined;
  bytes: number;
  read: number;
  stored: number;
  duplicate: number;
  quarantined: number;
  skipped: number;
  skippedReasons: Record<string, number>;
  byKind: Partial<Record<Kind, number>>;
  first: number | undefined;
  last: number | undefined;
  decisions: Decisions;
  notes: string[];
  elapsedMs: number;
  /** `partial`, `damaged`: not read to its end; `broken` says where. */
  status: 'complete' | 'partial' | 'damaged' | 'duplicate' | 'failed' | 'ignored';
  message: string | undefined;
  broken: Broken | undefined;
}

export interface ImportReport {
  importId: number;
  sources: SourceReport[];
  total: {
    sources: number;
    bytes: number;
    read: number;
    stored: number;
    duplicate: number;
    quarantined: number;
    skipped: number;
    byKind: Partial<Record<Kind, number>>;
  };
  elapsedMs: number;
  peakRssBytes: number;
  /** Small segments of one day and kind that are to be merged before imports have ended; 0: none need be. */
  leftSmall: number;
  /** Stretches of lines that its sources share with others. */
  overlaps: number;
}

const CHUNK_MS = 5_000;
/** A commit of an import waits for the disk when none has for so long; what ends the import always does. */
const SYNC_MS = 1_000;

/** A worker and what it does. Those that wait leave their place to others. */
interface WorkerSlot {
  readonly worker: WorkerHandle;
  doing: 'starting' | 'idle' | 'busy' | 'waiting' | 'ending' | 'ended';
  /** The item it walks. */
  ordinal: number | undefined;
  /** Bytes of what it reads, and how many of them are read. */
  size: number;
  bytes: number;
  rows: number;
}

type ChunkMessage = Extract<FromWorker, { type: 'chunk' }>;

interface InFlight {
  sourceId: number;
  begin: BeginRequest;
  committed: Promise<void>;
  commit: () => void;
  ordinal: number;
}

/**
 * Runs one import to its end.
 * @throws DaybookError disk-full, cancelled (what was committed stays; the same call goes on)
 */
export async function runImport(writer: CaseWriter, request: ImportRequest): Promise<ImportReport> {
  return new ImportRun(writer, request).run();
}

class ImportRun {
  private readonly writer: CaseWriter;
  private readonly request: ImportRequest;
  private readonly importId: number;
  private readonly cancel = new SharedArrayBuffer(4);
  private readonly startedAt = performance.now();
  private readonly reports: SourceReport[] = [];
  private readonly inFlight = new Map<number, InFlight>();
  /** Sources of this import, as they are in the catalog. */
  private readonly sources = new Map<number, SourceRow>();
  private readonly totalBytes: number;
  private readonly workers: number;
  /** Rows that workers have read which are gone. */
  private rows = 0;
  private readonly memberCounts = new Map<number, number>();
  private readonly indexes = new Map<string, PromiseWithResolvers<BuiltIndex | undefined>>();
  private quarantineSize = 0;
  private readonly quarantineHash = createHash('sha256');
  private bytesRead = 0;
  private next = 0;
  private nextWorker = 0;
  private readonly slots = new Set<WorkerSlot>();
  private readonly over = Promise.withResolvers<void>();
  private readonly order: SourceOrder;
  private commits: Promise<void> = Promise.resolve();
  /** Of one item only: those that are read beside each other come in no order of time. */
  private readonly earlyNodes: EarlyNodes | undefined;
  private failure: unknown;

  constructor(writer: CaseWriter, request: ImportRequest) {
    this.writer = writer;
    this.request = request;
    this.workers = workersWithin(writer.builder.memoryLimit, request.workers);
    this.importId = writer.catalog.unhurried(() =>
      writer.catalog.imports.begin(request.description),
    );
    if (request.items.length === 1 && request.brief !== true)
      this.earlyNodes = new EarlyNodes(writer);
    this.totalBytes = bytesOf(request.items.map(({ path }) => path));
    this.overlaps = new OverlapFinder(writer.catalog);
    this.order = new SourceOrder(
      request.items.map(({ ordinal }) => ordinal),
      writer.catalog.sources.lastId() + 1,
    );
  }

  async run(): Promise<ImportReport> {
    const { catalog } = this.writer;
    const onAbort = () => this.fail(new CancelledError());
    this.request.signal?.addEventListener('abort', onAbort);
    if (this.request.signal?.aborted === true) onAbort();
    try {
      for (const ignored of this.request.ignored) {
        this.addIgnored(-1, ignored.name, ignored.reason, false);
      }
      const count = Math.max(1, Math.min(this.workers, this.request.items.length));
      if (this.request.items.length > 0 && this.failure === undefined) {
        for (let i = 0; i < count; i++) this.startWorker(count);
        this.deal();
        await this.over.promise;
      }
      await this.commits;
      if (this.failure !== undefined) throw this.failure;
      this.applyDoubts();
      this.keepArchives();
      for (const id of this.leaveOut) await setLeftOut(this.writer, id, true);
      this.progress('', 'compacting');
      await this.tidy();
    } catch (error) {
      const cancelled = error instanceof DaybookError && error.code === 'cancelled';
      try {
        const status = cancelled ? 'cancelled' : 'failed';
        const reason = error instanceof Error ? error.message : String(error);
        catalog.transaction(() => {
          catalog.imports.finish(this.importId, status);
          catalog.audit.add('import', {
            ...{ import: this.importId, status, ...(cancelled ? {} : { reason }) },
            ...this.request.description,
          });
        });
      } catch {
        // A full disk has no room for this either; the next writer closes the import.
      }
      throw diskError(error) ?? error;
    } finally {
      this.request.signal?.removeEventListener('abort', onAbort);
    }
    const report = this.report();
    catalog.transaction(() => {
      catalog.imports.finish(this.importId, 'complete');
      catalog.audit.add('import', {
        import: this.importId,
        ...this.request.description,
        total: report.total,
      });
    });
    return report;
  }

  private leftSmall = 0;
  private overlapCount = 0;

  /** Merges what has become many. */
  private async tidy(): Promise<void> {
    const { brief = false } = this.request;
    const { left } = await compactSmall(this.writer, this.importId, brief);
    this.leftSmall = left;
    if (!brief) await mergeAfterImport(this.writer, () => this.progress('', 'compacting'));
  }

  /**
   * A transaction within the import. Its last one makes all of them durable before it is said to be done, and
   * while that is long to come one of them does now and then.
   */
  private transact<T>(work: () => T): T {
    const { catalog } = this.writer;
    if (performance.now() - this.syncedAt < SYNC_MS)
      return catalog.unhurried(() => catalog.transaction(work));
    this.syncedAt = performance.now();
    return catalog.transaction(work);
  }
  private syncedAt = this.startedAt;

  /** Ends the import: workers are stopped where they are; what was committed stays. */
  private fail(error: unknown): void {
    this.failure ??= error;
    for (const index of this.indexes.values()) index.resolve(undefined);
    this.order.hurry();
    Atomics.store(new Int32Array(this.cancel), 0, 1);
    for (const { worker } of this.slots) worker.stop();
  }

  // -- workers ---------------------------------------------------------------------------------

  /** @param others that are being started, this one included */
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
        this.heard(slot, message);
      } catch (failure) {
        this.fail(failure);
      }
    });
    if (worker.isWarm === true) this.ready(slot, others);
    else worker.post({ type: 'hello' });
  }

  /** Tells a worker how it is to work. */
  private ready(slot: WorkerSlot, others: number): void {
    // For each worker: as many threads beside it as cores are left by all.
    const memory = workerMemory(this.writer.builder.memoryLimit);
    const spare = Math.floor(this.workers / (2 * others));
    slot.worker.post({
      type: 'start',
      staging: this.writer.staging,
      worker: this.nextWorker++,
      cancel: this.cancel,
      chunkMs: this.request.chunk?.ms ?? CHUNK_MS,
      memory: { ...memory, chunkRows: this.request.chunk?.rows ?? memory.chunkRows },
      indexRows: indexRows(this.request.brief),
      sources: this.request.items.length,
      background: this.request.background ?? false,
      indexers: Math.max(1, spare),
    });
    slot.doing = 'idle';
  }

  /** Gives what is to be read to workers that have nothing to do, and starts such while there is more. */
  private deal(): void {
    while (this.failure === undefined && this.running() < this.workers) {
      // Each that waits keeps its thread: while many wait for one slow source, no more begin.
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

  /** Items that no worker has begun. */
  private unread(): number {
    return this.request.items.length - this.next;
  }

  /** Workers that need a core. */
  private running(): number {
    return this.count('starting') + this.count('busy');
  }

  private count(doing: WorkerSlot['doing']): number {
    let n = 0;
    for (const slot of this.slots) if (slot.doing === doing) n += 1;
    return n;
  }

  /** Waits; another worker may read meanwhile. */
  private async resting<T>(slot: WorkerSlot, until: Promise<T>): Promise<T> {
    slot.doing = 'waiting';
    this.deal();
    const result = await until;
    slot.doing = 'busy';
    return result;
  }

  /** Counts content as bytes of the file it is in, which may be compressed. */
  private advance(slot: WorkerSlot, to: number): void {
    const next = Math.min(to, slot.size);
    this.bytesRead += next - slot.bytes;
    slot.bytes = next;
  }

  private heard(slot: WorkerSlot, message: FromWorker): void {
    const { worker } = slot;
    switch (message.type) {
      case 'ready':
        this.ready(slot, this.slots.size);
        this.deal();
        break;
      case 'request':
        void this.begin(message.begin, slot).then(
          (reply) => worker.post({ type: 'reply', id: message.id, reply }),
          (error: unknown) => this.fail(error),
        );
        break;
      case 'ignored':
        this.addIgnored(message.ordinal, message.name, message.reason, message.failed);
        if (message.checked !== undefined)
          this.doubts.push({
            item: message.ordinal,
            checked: message.checked,
            reason: message.reason,
          });
        break;
      case 'progress':
        this.advance(slot, slot.bytes + message.bytes);
        slot.rows = message.rows;
        this.progress(message.name, 'reading');
        break;
      case 'chunk':
        void this.commitNext(message).then(() =>
          worker.post({ type: 'committed', id: message.id }),
        );
        break;
      case 'indexed':
        this.indexOf(message.part).resolve(message.index);
        break;
      case 'archive':
        this.archives.set(message.ordinal, message.archive);
        break;
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
        this.fail(
          message.code === 'cancelled'
            ? new CancelledError()
            : new DaybookError(
                message.code as ErrorCode,
                message.name === '' ? message.message : `${message.name}: ${message.message}`,
                message.hint,
              ),
        );
        slot.doing = 'ended';
        worker.stop();
        break;
    }
  }

  /** Commits a chunk behind those that came before it. */
  private commitNext(chunk: ChunkMessage): Promise<void> {
    this.commits = this.commits.then(async () => {
      if (this.failure !== undefined) return;
      try {
        await this.commit(chunk);
      } catch (error) {
        this.fail(error);
      }
    });
    return this.commits;
  }

  private progress(source: string, phase: ImportProgress['phase']): void {
    let { rows } = this;
    for (const slot of this.slots) rows += slot.rows;
    this.request.onProgress?.({
      bytes: this.bytesRead,
      totalBytes: this.totalBytes,
      rows,
      source,
      phase,
    });
  }

  // -- deciding --------------------------------------------------------------------------------

  private async begin(request: BeginRequest, slot: WorkerSlot): Promise<BeginReply> {
    const { ordinal } = request.item;
    const turn = this.order.turn(ordinal);
    if (turn !== undefined) {
      // Who waits for a commit may wait for what this worker has.
      const flush = this.waitingForCommits > 0 && !this.flushed.has(`turn ${ordinal}`);
      const answer = flush ? 'flush' : await this.resting(slot, turn);
      if (answer === 'flush') {
        this.flushed.add(`turn ${ordinal}`);
        return { action: 'flush' };
      }
    }
    this.flushed.delete(`turn ${ordinal}`);
    const reply = await this.decide(request, slot);
    if (reply.action === 'read' || reply.action === 'duplicate') this.order.settled(ordinal);
    return reply;
  }
  private waitingForCommits = 0;

  private async decide(request: BeginRequest, slot: WorkerSlot): Promise<BeginReply> {
    const { catalog } = this.writer;
    // What came through a pipe lies in the staging folder only while it is read.
    const spooled = request.location.path.startsWith(this.writer.staging);
    const begin = spooled
      ? { ...request, location: { ...request.location, path: '(standard input)' } }
      : request;
    // Several arguments may have files of one name.
    const which = `${begin.item.ordinal} ${begin.name}`;
    for (const other of this.inFlight.values()) {
      // Equal contents begin alike; only then is it worth waiting for what the other one is.
      const sameHead = other.begin.headSha256 === begin.headSha256;
      const sameBytes = sameHead && other.begin.rawSize === begin.rawSize;
      // Of two that are compressed otherwise, the contents may be equal.
      const otherwise = (begin.rawSha256 === undefined) !== (other.begin.rawSha256 === undefined);
      if (!sameBytes && !(sameHead && (begin.appendOnly || otherwise))) continue;
      if (this.flushed.has(which)) {
        this.waitingForCommits += 1;
        this.order.hurry();
        await this.resting(slot, other.committed);
        this.waitingForCommits -= 1;
      } else {
        this.flushed.add(which);
        return { action: 'flush' };
      }
    }
    this.flushed.delete(which);

    if (begin.rawSha256 === undefined && begin.rawSize !== undefined) {
      const alike = (source: SourceRow) =>
        source.status === 'complete' && source.headSha256 === begin.headSha256;
      if (catalog.sources.byRawSize(begin.rawSize).some(alike)) {
        return { action: 'hash', raw: true, content: false, checkpoints: [], prefixes: [] };
      }
    }
    if (begin.rawSha256 !== undefined) {
      const same = catalog.sources.byHash(begin.rawSha256);
      const known = same.find(({ broken }) => broken === undefined) ?? same.at(-1);
      if (known !== undefined && !mayGoOn(known, begin)) {
        this.addDuplicate(begin, known);
        return { action: 'duplicate' };
      }
    }
    // The same content in another compression, or none.
    const alike = catalog.sources
      .byHead(begin.headSha256)
      .filter(
        (source) =>
          source.broken === undefined &&
          source.headSize === begin.headSize &&
          source.importer === begin.importer &&
          (begin.rawSha256 !== undefined || source.contentSize === begin.rawSize),
      );
    if (alike.length > 0) {
      if (begin.content === undefined && !this.contentAsked.has(which)) {
        this.contentAsked.add(which);
        return { action: 'hash', raw: false, content: true, checkpoints: [], prefixes: [] };
      }
      this.contentAsked.delete(which);
      const { content } = begin;
      const same = alike.find(
        (source) =>
          source.contentSize === content?.size && source.contentSha256 === content?.sha256,
      );
      if (same !== undefined) {
        this.addDuplicate(begin, same);
        return { action: 'duplicate' };
      }
    }

    const optionsText = JSON.stringify(begin.item.options);
    const interrupted = catalog.sources
      .partial(begin.location.path)
      .filter(
        (source) =>
          samePlace(locationOf(source), begin.location) &&
          source.rawSize === begin.rawSize &&
          source.modifiedMs === begin.modifiedMs &&
          source.importer === begin.importer &&
          source.importerVersion === begin.importerVersion &&
          source.format === begin.format &&
          JSON.stringify(source.options) === optionsText &&
          (source.rawSha256 === undefined || source.rawSha256 === begin.rawSha256),
      )
      .at(-1);
    if (interrupted !== undefined && !this.sources.has(interrupted.id)) {
      const at = interrupted.checkpointBytes;
      if (at > 0 && begin.checkpoints[at] === undefined && begin.rawSha256 === undefined) {
        return { action: 'hash', raw: false, content: false, checkpoints: [at], prefixes: [] };
      }
      if (
        at === 0 ||
        interrupted.checkpointSha256 === undefined ||
        begin.checkpoints[at] === interrupted.checkpointSha256
      ) {
        const {
          '#quarantined': quarantined = 0,
          '#keyDuplicates': _,
          ...rows
        } = interrupted.emitted;
        return this.read(begin, interrupted, {
          resume: { rows, quarantined },
          duplicate: interrupted.metadata['duplicateOf'] as SkipPlan['duplicate'],
        });
      }
    }

    let duplicate: SkipPlan['duplicate'];
    if (begin.appendOnly) {
      const earlier = catalog.sources
        .byHead(begin.headSha256)
        .filter(
          (source) =>
            source.wholeLines &&
            (source.error === undefined || source.broken !== undefined) &&
            source.importer === begin.importer &&
            source.importerVersion === begin.importerVersion &&
            source.format === begin.format &&
            JSON.stringify(source.options) === optionsText &&
            source.headSize === begin.headSize,
        );
      const sizes = earlier.map((source) => source.contentSize!);
      if (
        sizes.length > 0 &&
        Object.keys(begin.prefixes).length === 0 &&
        !this.prefixed.has(which)
      ) {
        this.prefixed.add(which);
        return { action: 'hash', raw: false, content: false, checkpoints: [], prefixes: sizes };
      }
      // Members of an archive may have one name as well.
      this.prefixed.delete(which);
      const found = earlier.find(
        (source) => begin.prefixes[source.contentSize!] === source.contentSha256,
      );
      if (found !== undefined) {
        const { '#quarantined': quarantined = 0, '#keyDuplicates': _, ...rows } = found.emitted;
        duplicate = {
          rows,
          quarantined,
          extent: found.contentSize!,
          sourceId: found.id,
          ...this.timesOf(found),
        };
      }
    }
    const cut = begin.appendOnly
      ? []
      : catalog.sources
          .byHead(begin.headSha256)
          .filter(
            (source) =>
              source.broken !== undefined &&
              source.headSize === begin.headSize &&
              source.importer === begin.importer &&
              (source.contentSize ?? 0) > 0,
          );
    if (cut.length > 0 && Object.keys(begin.prefixes).length === 0 && !this.prefixed.has(which)) {
      this.prefixed.add(which);
      const prefixes = cut.map((source) => source.contentSize!);
      return { action: 'hash', raw: false, content: false, checkpoints: [], prefixes };
    }
    this.prefixed.delete(which);
    const superseded = cut.filter(
      (source) => begin.prefixes[source.contentSize!] === source.contentSha256,
    );
    const isMember = begin.location.members.length > 0;
    const row = this.transact(() => {
      const id = catalog.sources.add({
        id: this.order.number(begin.item.ordinal, isMember),
        name: begin.name,
        path: begin.location.path,
        location: begin.location,
        rawSize: begin.rawSize,
        modifiedMs: begin.modifiedMs,
        headSha256: begin.headSha256,
        headSize: begin.headSize,
        importer: begin.importer,
        importerVersion: begin.importerVersion,
        format: begin.format,
        options: { ...begin.item.options },
        importId: this.importId,
      });
      const added = catalog.sources.get(id)!;
      if (begin.rawSha256 !== undefined) added.rawSha256 = begin.rawSha256;
      if (duplicate !== undefined) added.metadata['duplicateOf'] = duplicate;
      catalog.sources.update(added);
      return added;
    });
    if (superseded.length > 0) this.superseded.set(row.id, superseded);
    return this.read(
      begin,
      row,
      duplicate === undefined ? undefined : { resume: undefined, duplicate },
    );
  }
  private readonly flushed = new Set<string>();
  private readonly prefixed = new Set<string>();
  private readonly contentAsked = new Set<string>();

  /**
   * First and last time of all records of a source: its own times are those of what was stored for
   * it, and the records before may be stored for earlier copies.
   */
  private timesOf(source: SourceRow): Pick<EqualStart, 'firstTs' | 'lastTs'> {
    let first = Infinity;
    let last = -Infinity;
    for (let copy: SourceRow | undefined = source; copy !== undefined;) {
      first = Math.min(first, copy.firstTs ?? Infinity);
      last = Math.max(last, copy.lastTs ?? -Infinity);
      const before = copy.metadata['duplicateOf'] as SkipPlan['duplicate'];
      // An earlier copy has a lower number, so this ends.
      copy =
        before !== undefined && before.sourceId < copy.id
          ? this.writer.catalog.sources.get(before.sourceId)
          : undefined;
    }
    if (first > last) return { firstTs: undefined, lastTs: undefined };
    return { firstTs: first, lastTs: last };
  }

  private read(begin: BeginRequest, row: SourceRow, skip: SkipPlan | undefined): BeginReply {
    let commit: () => void = () => undefined;
    const committed = new Promise<void>((resolve) => {
      commit = resolve;
    });
    this.sources.set(row.id, row);
    if (begin.location.members.length > 0)
      this.members.push({ item: begin.item.ordinal, sourceId: row.id });
    const ordinal = this.ordinal(begin.item.ordinal);
    this.inFlight.set(row.id, { sourceId: row.id, begin, committed, commit, ordinal });
    if (begin.archiveEnd !== undefined) {
      const ends = this.archiveEnds.get(begin.item.ordinal) ?? new Map<number, number>();
      this.archiveEnds.set(begin.item.ordinal, ends.set(row.id, begin.archiveEnd));
      this.ordinals.set(row.id, ordinal);
    }
    return { action: 'read', sourceId: row.id, skip };
  }

  // -- committing ------------------------------------------------------------------------------

  private async commit(chunk: ChunkMessage): Promise<void> {
    const { catalog } = this.writer;
    const placed: SegmentRow[] = [];
    const builds: { select: string; options: BuildOptions }[] = [];
    const days: (readonly DayCount[])[] = [];
    for (const part of chunk.parts) {
      const selected = await this.selectPart(part);
      days.push(selected.days);
      const { sorted, bytes: inputBytes, messages, constants } = part;
      const known = knownOf(part);
      builds.push({
        select: selected.select,
        options: { sorted, inputBytes, constants, messages, known },
      });
    }
    const built = await this.writer.builder.buildAll(builds);
    for (const [at, part] of chunk.parts.entries()) {
      rmSync(part.path, { force: true });
      const segment = await this.placePart(part, days[at]!, built[at]!);
      if (segment !== undefined) placed.push(segment);
    }
    await this.writer.places.settle();
    const quarantineSize = this.writer.appendQuarantine(
      this.importId,
      this.quarantineSize,
      chunk.quarantine,
    );
    const finished: SourceReport[] = [];
    this.transact(() => {
      for (const segment of placed) catalog.segments.add(segment);
      for (const state of chunk.sources) this.applyState(state);
      for (const state of chunk.sources) {
        const row = this.sources.get(state.sourceId)!;
        catalog.sources.update(row);
        if (state.done === undefined) continue;
        this.compare(row, state.done);
        const report = reportOf(
          row,
          row.broken?.state ?? 'complete',
          row.broken?.reason ?? row.error,
        );
        finished.push(report);
        this.addLedger(this.inFlight.get(row.id)!.ordinal, report);
      }
      if (quarantineSize > this.quarantineSize) {
        this.quarantineHash.update(chunk.quarantine);
        catalog.imports.setQuarantine(
          this.importId,
          quarantineSize,
          this.quarantineHash.copy().digest('hex'),
        );
      }
      catalog.changes.add('import', {
        import: this.importId,
        sources: [...new Set(placed.flatMap((segment) => segment.sources))],
        days: daysOfAll(placed),
        kinds: [...new Set(placed.map((segment) => segment.kind))],
        rows: placed.reduce((sum, segment) => sum + segment.rows, 0),
        segments: placed.map((segment) => segment.id),
      });
    });
    this.quarantineSize = quarantineSize;
    await this.earlyNodes?.take(placed);
    for (const report of finished) {
      this.reports.push(report);
      this.request.onSource?.(report);
      this.inFlight.get(report.sourceId!)?.commit();
      this.inFlight.delete(report.sourceId!);
    }
  }

  /** Says what a source that was read has in common with others. */
  private compare(row: SourceRow, { lines }: SourceEnd): void {
    const { catalog } = this.writer;
    const superseded = this.superseded.get(row.id);
    const equal = row.metadata['duplicateOf'] as SkipPlan['duplicate'];
    const found = lines === undefined ? [] : this.overlaps.take(row, lines, equal?.extent ?? 0);
    for (const old of superseded ?? []) {
      this.leaveOut.push(
        catalog.overlaps.add({
          sourceId: old.id,
          from: 0,
          to: old.contentSize ?? 0,
          otherId: row.id,
          records: old.read,
          superseded: true,
        }),
      );
      row.notes = [
        ...row.notes,
        `source ${old.id} (${old.name}) was not read to its end; all of it is in this one, too: its events are left out and can be shown again`,
      ];
    }
    this.overlapCount += (superseded?.length ?? 0) + found.length;
    const others = (superseded ?? []).map(({ id }) => id);
    const own = found.filter(({ otherId }) => !others.includes(otherId));
    for (const overlap of own) {
      const id = catalog.overlaps.add(overlap);
      if (this.request.leaveOutOverlap === true) this.leaveOut.push(id);
    }
    for (const [id, runs] of Map.groupBy(own, ({ otherId }) => otherId)) {
      const records = runs.reduce((sum, run) => sum + run.records, 0);
      const name = catalog.sources.get(id)?.name ?? '';
      const what =
        this.request.leaveOutOverlap === true
          ? 'they are left out here'
          : 'they are stored and counted twice unless they are left out';
      row.notes = [
        ...row.notes,
        `${records.toLocaleString('en-US')} of its lines are in source ${id} (${name}), too: ${what}`,
      ];
    }
    if (superseded !== undefined || own.length > 0) catalog.sources.update(row);
  }
  private readonly overlaps: OverlapFinder;
  /** Sources not read to their end of which a source that is read now has all, by that source. */
  private readonly superseded = new Map<number, SourceRow[]>();
  /** Overlaps whose events are to be left out. */
  private readonly leaveOut: number[] = [];

  /** The rows of a part that are to be stored, and their days; counts them for their sources. */
  private async selectPart(part: PartInfo): Promise<{ select: string; days: readonly DayCount[] }> {
    let select = `SELECT * FROM read_parquet(${literal(part.path)})`;
    let countBySource = part.sources;
    let { days } = part;
    if (part.columns.includes('record_key')) {
      select = await this.withoutDuplicates(part, select);
      const day = days.length === 1 ? literal(days[0]!.day) : `strftime(ts, '%Y-%m-%d')`;
      const left = await this.writer.builder.rows(
        `SELECT source_id, ${day} AS day, count(*)::DOUBLE FROM (${select}) GROUP BY ALL ORDER BY day`,
      );
      const remaining = new Map<number, number>();
      const rowsOfDay = new Map<string, number>();
      for (const [source, name, n] of left) {
        const [id, of, rows] = [Number(source), String(name), Number(n)];
        remaining.set(id, (remaining.get(id) ?? 0) + rows);
        rowsOfDay.set(of, (rowsOfDay.get(of) ?? 0) + rows);
      }
      days = Array.from(rowsOfDay, ([name, rows]) => ({ day: name, rows }));
      countBySource = [];
      for (const [id, rows] of part.sources) {
        const row = this.sources.get(id)!;
        const stored = remaining.get(id) ?? 0;
        row.emitted['#keyDuplicates'] = (row.emitted['#keyDuplicates'] ?? 0) + rows - stored;
        countBySource.push([id, stored]);
      }
    }
    this.countRows(part.kind, countBySource);
    return { select, days };
  }

  private countRows(kind: Kind, bySource: readonly [number, number][]): void {
    for (const [id, rows] of bySource) {
      const row = this.sources.get(id)!;
      if (rows > 0) row.byKind[kind] = (row.byKind[kind] ?? 0) + rows;
    }
  }

  private async placePart(
    part: PartInfo,
    days: readonly DayCount[],
    built: BuiltSegment,
  ): Promise<SegmentRow | undefined> {
    let index = part.indexed ? await this.indexOf(part.path).promise : undefined;
    this.indexes.delete(part.path);
    // Duplicates were left out since: the rows have other numbers.
    if (index !== undefined && built.rows !== part.rows) {
      rmSync(index.path, { force: true });
      index = built.rows === 0 ? undefined : await this.writer.indexOf(built, part.kind);
    }
    if (built.rows === 0) {
      rmSync(built.path, { force: true });
      return undefined;
    }
    const { kind, unflowedPackets } = part;
    const rows = days.reduce((sum, one) => sum + one.rows, 0);
    if (rows !== built.rows)
      throw new DaybookError('internal', `${rows} events of ${days[0]!.day} became ${built.rows}`);
    return this.writer.places.place(built, days, kind, unflowedPackets, this.importId, index);
  }

  /** What became of the side file of a part, once its worker has said so. */
  private indexOf(part: string): PromiseWithResolvers<BuiltIndex | undefined> {
    let known = this.indexes.get(part);
    if (known === undefined) {
      known = Promise.withResolvers();
      this.indexes.set(part, known);
      // A worker that was stopped says nothing any more.
      if (this.failure !== undefined) known.resolve(undefined);
    }
    return known;
  }

  /**
   * Leaves out records that state their own identity and are in the case, or in the part, already:
   * same time, same kind, same 53-bit hash of the whole record.
   */
  private async withoutDuplicates(part: PartInfo, select: string): Promise<string> {
    const days = new Set(part.days.map(({ day }) => day));
    const existing = this.writer.catalog.segments
      .all()
      .filter(
        (segment) =>
          daysOf(segment).some(({ day }) => days.has(day)) &&
          segment.kind === part.kind &&
          segment.columns.includes('record_key'),
      );
    // Segments of events without a time have no column for it.
    const time = (columns: readonly string[]) =>
      columns.includes('ts') ? 'ts' : 'NULL::TIMESTAMP AS ts';
    const filters = [
      `record_key IS NULL OR row_number() OVER (PARTITION BY record_key${part.columns.includes('ts') ? ', ts' : ''} ORDER BY source_id, seq) = 1`,
    ];
    const known: string[] = [];
    for (const segment of existing) {
      const name = await this.writer.attach(segment);
      known.push(
        `SELECT record_key, ${time(segment.columns)} FROM ${identifier(name)}.events WHERE record_key IS NOT NULL`,
      );
    }
    if (known.length > 0) {
      filters.push(
        `record_key IS NULL OR NOT EXISTS (FROM (${known.join(' UNION ALL ')}) k WHERE k.record_key = p.record_key AND k.ts IS NOT DISTINCT FROM ${part.columns.includes('ts') ? 'p.ts' : 'NULL'})`,
      );
    }
    const kept = `SELECT * FROM (${select}) p QUALIFY ${filters[0]!}`;
    return filters.length === 1 ? kept : `SELECT * FROM (${kept}) p WHERE ${filters[1]!}`;
  }

  private applyState(state: SourceState): void {
    const row = this.sources.get(state.sourceId)!;
    const keyDuplicates = row.emitted['#keyDuplicates'] ?? 0;
    const counted = countedOf(row, state);
    row.read = counted.read;
    row.stored = counted.stored - keyDuplicates;
    row.duplicate = counted.duplicate + keyDuplicates;
    row.quarantined = counted.quarantined;
    row.skippedReasons = counted.skippedReasons;
    row.skipped = Object.values(counted.skippedReasons).reduce((sum, n) => sum + n, 0);
    row.emitted = {
      ...counted.emitted,
      '#quarantined': counted.quarantineMet,
      '#keyDuplicates': keyDuplicates,
    };
    row.checkpointBytes = state.checkpointBytes;
    row.checkpointSha256 = state.checkpointSha256;
    if (state.firstTs !== undefined) row.firstTs = Math.min(state.firstTs, row.firstTs ?? Infinity);
    if (state.lastTs !== undefined) row.lastTs = Math.max(state.lastTs, row.lastTs ?? -Infinity);
    row.decisions = state.decisions;
    row.metadata = { ...row.metadata, ...state.metadata };
    row.notes = state.notes;
    row.elapsedMs = Math.round(state.elapsedMs);
    if (state.done === undefined) return;
    const relative = relativeTimesNote(row.firstTs, row.lastTs);
    if (relative !== undefined) row.notes = [...row.notes, relative];
    row.status = 'complete';
    row.rawSize = state.done.rawSize;
    row.rawSha256 = state.done.rawSha256;
    row.contentSize = state.done.contentSize;
    row.contentSha256 = state.done.contentSha256;
    row.wholeLines = state.done.wholeLines;
    row.error = state.done.error;
    row.broken = state.done.broken ?? state.broken;
  }

  // -- the ledger ------------------------------------------------------------------------------

  /** Place in the ledger of the next source of an item; -1 for what was met while listing. */
  private ordinal(item: number): number {
    const member = this.memberCounts.get(item) ?? 0;
    this.memberCounts.set(item, member + 1);
    return (item + 1) * 1_000_000 + member;
  }

  private addLedger(ordinal: number, report: SourceReport): void {
    this.writer.catalog.ledger.add({
      importId: this.importId,
      ordinal,
      name: report.source,
      sourceId: report.sourceId,
      status: report.status,
      message: report.message,
      read: report.read,
      stored: report.stored,
      duplicate: report.duplicate,
      quarantined: report.quarantined,
      skipped: report.skipped,
    });
  }

  private addDuplicate(begin: BeginRequest, same: SourceRow): void {
    if (samePlace(locationOf(same), begin.location) && begin.location.members.length > 0)
      this.members.push({ item: begin.item.ordinal, sourceId: same.id });
    const otherwise = JSON.stringify(same.options) !== JSON.stringify(begin.item.options);
    const report: SourceReport = {
      ...reportOf(
        same,
        'duplicate',
        `identical to source ${same.id} (${same.name}), nothing stored` +
          (same.broken === undefined
            ? ''
            : `; that one was not read to its end: ${same.broken.reason}`) +
          (otherwise ? '; it was read with other options, which stay' : ''),
      ),
      source: begin.name,
      // The bytes may differ: the same content in another compression. What is not compressed has the hash of
      // its content.
      sha256: begin.rawSha256 ?? begin.content?.sha256 ?? same.rawSha256,
      bytes: begin.rawSize ?? same.rawSize ?? 0,
      stored: 0,
      // What an importer leaves out is no event, the second time neither.
      duplicate: same.read - same.skipped,
      quarantined: 0,
      byKind: {},
      elapsedMs: 0,
    };
    this.transact(() => this.addLedger(this.ordinal(begin.item.ordinal), report));
    this.reports.push(report);
    this.request.onSource?.(report);
  }

  /** Archives whose own checksum failed once their members were read: what these gave was not checked. */
  private readonly doubts: { item: number; checked: number; reason: string }[] = [];

  /** Members of such archives are damaged, whatever was said of them when they were read. */
  private applyDoubts(): void {
    for (const { item, checked, reason } of this.doubts) {
      for (const [id, end] of this.archiveEnds.get(item) ?? []) {
        const row = this.sources.get(id);
        if (row === undefined || end <= checked || row.broken !== undefined) continue;
        row.broken = {
          state: 'damaged',
          reason: `read without a check, since the archive it is in is damaged: ${reason}`,
          offset: row.contentSize ?? 0,
          checked: 0,
        };
        const report = reportOf(row, 'damaged', row.broken.reason);
        this.transact(() => {
          this.writer.catalog.sources.update(row);
          this.addLedger(this.ordinals.get(id)!, report);
        });
        const at = this.reports.findIndex(({ sourceId }) => sourceId === id);
        if (at >= 0) this.reports[at] = report;
        this.request.onSource?.(report);
      }
    }
  }
  /** Keeps with each member which file it was read from; with members that were in the case already, too. */
  private keepArchives(): void {
    if (this.archives.size === 0) return;
    const { catalog } = this.writer;
    this.transact(() => {
      for (const { item, sourceId } of this.members) {
        const archive = this.archives.get(item);
        const source = catalog.sources.get(sourceId);
        if (archive === undefined || source === undefined) continue;
        if (sameArchive(archiveOf(source), archive)) continue;
        const { path, members } = locationOf(source);
        catalog.sources.place(sourceId, path, { path, members, archive });
      }
    });
  }
  private readonly archives = new Map<number, ArchiveFile>();
  private readonly members: { item: number; sourceId: number }[] = [];

  /** Where in the content of its archive each member ends, by item and source. */
  private readonly archiveEnds = new Map<number, Map<number, number>>();
  private readonly ordinals = new Map<number, number>();

  private addIgnored(item: number, name: string, reason: string, failed: boolean): void {
    const report: SourceReport = {
      source: name,
      sourceId: undefined,
      sha256: undefined,
      format: undefined,
      dialect: undefined,
      bytes: 0,
      read: 0,
      stored: 0,
      duplicate: 0,
      quarantined: 0,
      skipped: 0,
      skippedReasons: {},
      byKind: {},
      first: undefined,
      last: undefined,
      decisions: {},
      notes: [],
      elapsedMs: 0,
      status: failed ? 'failed' : 'ignored',
      message: reason,
      broken: undefined,
    };
    this.transact(() => this.addLedger(this.ordinal(item), report));
    this.reports.push(report);
    this.request.onSource?.(report);
  }

  private report(): ImportReport {
    const total: ImportReport['total'] = {
      sources: 0,
      bytes: 0,
      read: 0,
      stored: 0,
      duplicate: 0,
      quarantined: 0,
      skipped: 0,
      byKind: {},
    };
    for (const report of this.reports) {
      if (report.status !== 'failed' && report.status !== 'ignored') total.sources += 1;
      total.bytes += report.bytes;
      total.read += report.read;
      total.stored += report.stored;
      total.duplicate += report.duplicate;
      total.quarantined += report.quarantined;
      total.skipped += report.skipped;
      for (const [kind, n] of Object.entries(report.byKind) as [Kind, number][])
        total.byKind[kind] = (total.byKind[kind] ?? 0) + n;
    }
    return {
      importId: this.importId,
      sources: this.reports,
      total,
      elapsedMs: Math.round(performance.now() - this.startedAt),
      peakRssBytes: process.resourceUsage().maxRSS * 1024,
      leftSmall: this.leftSmall,
      overlaps: this.overlapCount,
    };
  }
}

type Counted = Pick<
  SourceState,
  'read' | 'stored' | 'duplicate' | 'quarantined' | 'skippedReasons' | 'emitted' | 'quarantineMet'
>;

/**
 * What was read of a source, in all. A file that became shorter between its reading in pieces and the one
 * after it has fewer records than are in the case: these are what counts, and what is new in its rest.
 */
function countedOf(row: SourceRow, state: SourceState): Counted {
  if (state.read >= row.read) return state;
  const { '#quarantined': met = 0, '#keyDuplicates': keyDuplicates = 0, ...rows } = row.emitted;
  const emitted = { ...rows };
  for (const [kind, n] of Object.entries(state.emitted))
    emitted[kind] = Math.max(n, emitted[kind] ?? 0);
  const more = Math.max(0, state.quarantineMet - met);
  return {
    read: row.read + more,
    stored: row.stored + keyDuplicates,
    duplicate: row.duplicate - keyDuplicates,
    quarantined: row.quarantined + more,
    skippedReasons: row.skippedReasons,
    emitted,
    quarantineMet: met + more,
  };
}

/** Whether reading a source again, of which the case has the same bytes, can give more of it. */
function mayGoOn({ broken }: SourceRow, { item: { limits } }: BeginRequest): boolean {
  if (broken === undefined) return false;
  if (broken.limit !== undefined) {
    const option = broken.limit.replace(/^--max-/, '');
    const raised = {
      ratio: limits.maxRatio,
      bytes: limits.maxBytes,
      depth: limits.maxDepth,
      members: limits.maxMembers,
    };
    return option in raised && raised[option as keyof typeof raised] !== undefined;
  }
  return limits.unchecked === true && broken.state === 'damaged';
}

function reportOf(
  row: SourceRow,
  status: SourceReport['status'],
  message: string | undefined,
): SourceReport {
  return {
    source: row.name,
    sourceId: row.id,
    sha256: row.rawSha256,
    format: row.importer,
    dialect: row.format,
    bytes: row.rawSize ?? 0,
    read: row.read,
    stored: row.stored,
    duplicate: row.duplicate,
    quarantined: row.quarantined,
    skipped: row.skipped,
    skippedReasons: row.skippedReasons,
    byKind: row.byKind,
    first: row.firstTs,
    last: row.lastTs,
    decisions: row.decisions,
    notes: row.notes,
    elapsedMs: row.elapsedMs,
    status,
    message,
    broken: row.broken,
  };
}

/** What is known of the rows of a part; undefined: some may be left out. */
function knownOf(part: PartInfo): KnownRows | undefined {
  const { selected, columns, counts, timeUnit, rareMessages, rows, minTs, maxTs } = part;
  if (selected === undefined || columns.includes('record_key')) return undefined;
  const sources = part.sources.map(([id]) => id).sort((a, b) => a - b);
  return { selected, counts, timeUnit, rareMessages, rows, minTs, maxTs, sources };
}

/** Of all these files; one that cannot be looked at counts for none, which whoever reads it says. */
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
