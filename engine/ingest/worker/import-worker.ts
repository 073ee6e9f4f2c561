/**
 * The import worker: walks its items, asks the coordinator about each source, reads it through its importer and
 * hands over chunks.
 */
import { nounOf } from '../../contract/words/counted.ts';
import { createHash } from 'node:crypto';
import { statSync, type Stats } from 'node:fs';
import { diskError } from '../../util/files/files.ts';
import { hashHandle, openRegular } from '../../util/files/regular-file.ts';
import {
  CancelledError,
  DaybookError,
  LimitError,
  SourceError,
  messageOfError,
} from '../../contract/errors.ts';
import type { Importer, EvidenceItem, ReadOptions } from '../../evidence/importer.ts';
import type { SourceLocation } from '../../contract/source-location.ts';
import type { Broken } from '../../catalog/tables/sources.ts';
import { cutterWith } from '../../fields/cutting/own-extractors.ts';
import { ChunkWriter, type Chunk } from './chunk-writer.ts';
import { DayParts } from './day-parts.ts';
import { HashedInput } from './hashed-input.ts';
import { IndexFeed, type IndexerHandle } from '../indexing/index-feed.ts';
import type {
  BeginReply,
  BeginRequest,
  FromWorker,
  ImportOptions,
  SkipPlan,
  ToWorker,
  WorkItem,
} from './protocol.ts';
import { manifestFormat, readManifest, type ManifestFormat } from '../manifests/read-manifest.ts';
import { hashFiles } from './hash-files.ts';
import { headHash, readHead, recognise, unknownReason } from './recognise.ts';
import { HASH_LIST } from '../../contract/left-out.ts';
import { RotatedStarts, type Walk } from './rotated-start.ts';

/** Errors that end one source but not the import. */
const ONE_SOURCE: ReadonlySet<string> = new Set([
  'unreadable',
  'not-found',
  'source-damaged',
  'limit-exceeded',
]);
const PROGRESS_MS = 150;
/** Chunks that may wait for the coordinator before reading pauses. */
const MAX_OUTSTANDING = 2;

export interface WorkerTools {
  readonly importers: readonly Importer[];
  /** Finds the sources of a file: itself, or the members of an archive. */
  readonly walk: Walk;
}

interface ImportTools extends WorkerTools {
  /** @param background whether it yields to other work */
  readonly startIndexer: (background: boolean) => IndexerHandle;
  /** Gives the calling thread a lower priority. */
  readonly lowerPriority: () => void;
}

interface WorkerPort {
  post(message: FromWorker): void;
  onMessage(handler: (message: ToWorker) => void): void;
}

/** Runs an import worker on `port`: for one import after the other, each from `start` to `finished`. */
export function runImportWorker(port: WorkerPort, tools: ImportTools): void {
  let worker: ImportWorker | undefined;
  port.onMessage((message) => {
    switch (message.type) {
      case 'hello':
        port.post({ type: 'ready' });
        break;
      case 'start':
        worker = new ImportWorker(port, tools, message);
        break;
      case 'item':
        void worker?.item(message.item, message.isLast);
        break;
      case 'flush':
        void worker?.flush();
        break;
      case 'finish':
        void worker?.finish().then(() => {
          // No state is carried over to the next import.
          worker = undefined;
        });
        break;
      case 'hash':
        void hashFiles(tools.walk, message.request).then(
          (files) => port.post({ type: 'hashed', files }),
          (error: unknown) => port.post(failure(message.request.path, error)),
        );
        break;
      case 'reply':
        worker?.reply(message.id, message.reply);
        break;
      case 'committed':
        worker?.committed(message.id);
        break;
    }
  });
}

class ImportWorker {
  private readonly port: WorkerPort;
  private readonly tools: ImportTools;
  private readonly staging: string;
  private readonly rotated: RotatedStarts;
  private readonly cancel: Int32Array;
  private readonly feed: IndexFeed;
  private readonly writer: ChunkWriter;
  private readonly replies = new Map<number, (reply: BeginReply) => void>();
  private readonly outstanding = new Set<number>();
  private readonly wakes: (() => void)[] = [];
  private nextId = 1;
  private lastProgress = 0;

  constructor(port: WorkerPort, tools: ImportTools, start: Extract<ToWorker, { type: 'start' }>) {
    this.port = port;
    this.tools = tools;
    this.staging = start.staging;
    this.rotated = new RotatedStarts(tools.walk, start.staging);
    this.cancel = new Int32Array(start.cancel);
    if (start.background) tools.lowerPriority();
    this.feed = new IndexFeed(
      () => tools.startIndexer(start.background),
      start.indexers,
      start.indexRows,
      (part, index) => port.post({ type: 'indexed', part, index }),
      start.memory.waitingBytes,
    );
    const parts = new DayParts(start.staging, `part-${start.worker}`, start.indexRows, this.feed);
    const { batchRows, batchBytes, chunkRows, chunkBytes, chunkTextBytes } = start.memory;
    this.writer = new ChunkWriter(
      {
        ...{ rows: chunkRows, ms: start.chunkMs },
        ...{ bytes: chunkBytes, textBytes: chunkTextBytes },
      },
      parts,
      { rows: batchRows, bytes: batchBytes },
      cutterWith(start.extractors),
    );
  }

  /** Undefined while there is room for more rows; otherwise resolves once there is. */
  private room(): Promise<void> | undefined {
    return this.feed.room();
  }

  reply(id: number, reply: BeginReply): void {
    this.replies.get(id)?.(reply);
    this.replies.delete(id);
  }

  committed(id: number): void {
    this.outstanding.delete(id);
    for (const wake of this.wakes.splice(0)) wake();
  }

  async item(item: WorkItem, isLast: boolean): Promise<void> {
    try {
      const before = statSync(item.path, { throwIfNoEntry: false });
      let isArchive = false;
      for await (const found of this.tools.walk(item.path, item.name, this.staging, item.limits)) {
        this.checkCancelled();
        isArchive ||= !('reason' in found) && found.location.members.length > 0;
        if ('reason' in found) {
          this.port.post({
            type: 'ignored',
            ordinal: item.ordinal,
            name: found.name,
            reason: found.reason,
            failed: found.failed ?? false,
          });
        } else {
          await this.readItem(item, found);
        }
      }
      if (isLast) await this.sendChunk(this.writer.cut());
      if (isArchive && before !== undefined) await this.archive(item, before);
    } catch (error) {
      if (!this.report(item.ordinal, item.name, error)) return;
    }
    this.port.post({ type: 'item-done' });
  }

  /** Hashes the archive whose members were read, unless it has changed since it was opened. */
  private async archive(item: WorkItem, before: Stats): Promise<void> {
    const handle = await openRegular(item.path);
    try {
      const { bytes, sha256 } = await hashHandle(handle, {
        onBytes: () => this.checkCancelled(),
      });
      const after = await handle.stat();
      if (after.size !== before.size || after.mtimeMs !== before.mtimeMs) return;
      this.port.post({ type: 'archive', ordinal: item.ordinal, archive: { bytes, sha256 } });
    } finally {
      await handle.close();
    }
  }

  /** Hands over what is left while there is nothing to read. */
  async flush(): Promise<void> {
    try {
      await this.sendChunk(this.writer.cut());
    } catch (error) {
      this.report(-1, '', error);
    }
  }

  /** Commits what is left. */
  async finish(): Promise<void> {
    try {
      await this.sendChunk(this.writer.cut());
      while (this.outstanding.size > 0) await this.nextCommit();
      await this.feed.release();
      this.port.post({ type: 'finished' });
    } catch (error) {
      this.report(-1, '', error);
    }
  }

  /** Reports an error of one source; false if the import as a whole cannot continue. */
  private report(
    ordinal: number,
    name: string,
    error: unknown,
    location?: SourceLocation,
  ): boolean {
    const known = error instanceof DaybookError ? error : diskError(error);
    const oneSource =
      known?.code === 'unreadable' ||
      known?.code === 'source-damaged' ||
      known?.code === 'limit-exceeded';
    if (known !== undefined && oneSource) {
      const checked =
        known instanceof SourceError && known.state === 'damaged' ? known.place.checked : undefined;
      const reason = known.message;
      this.port.post({ type: 'ignored', ordinal, name, reason, failed: true, checked, location });
      return true;
    }
    this.writer.abandon();
    this.port.post(failure(name, error));
    return false;
  }

  private checkCancelled(): void {
    if (Atomics.load(this.cancel, 0) !== 0) throw new CancelledError();
  }

  private async readItem(item: WorkItem, evidence: EvidenceItem): Promise<void> {
    const { ordinal, options } = item;
    let head: Awaited<ReturnType<typeof readHead>>;
    try {
      head = await readHead(evidence.input);
    } catch (error) {
      if (!this.report(ordinal, evidence.name, error, evidence.location))
        throw new CancelledError();
      return;
    }
    const lists = head.lost === undefined ? manifestFormat(head.bytes, evidence.name) : undefined;
    if (lists !== undefined && !(await this.manifest(ordinal, evidence, lists))) return;
    const isTable = lists === 'table' || lists === 'json lines';
    const chosen =
      lists === undefined || isTable || options.format !== undefined
        ? recognise(this.tools.importers, head, evidence.name, options.format)
        : undefined;
    if (chosen === undefined) {
      const { name, location } = evidence;
      const reason = lists === undefined || isTable ? unknownReason(head) : HASH_LIST;
      const failed = head.lost !== undefined;
      this.port.post({ type: 'ignored', ordinal, name, reason, failed, location });
      return;
    }
    const { importer, result } = chosen;
    const begin: BeginRequest = {
      item,
      name: evidence.name,
      location: evidence.location,
      rawSize: evidence.rawSize,
      modifiedMs: evidence.modifiedMs,
      importer: importer.id,
      importerVersion: importer.version,
      appendOnly: importer.appendOnly,
      archiveEnd: evidence.archiveEnd,
      format: result.format,
      ...headHash(head),
      rawSha256: undefined,
      content: undefined,
      checkpoints: {},
      prefixes: {},
    };
    // The bytes of a compressed source are few: they are hashed before it is read.
    if (!evidence.plain) begin.rawSha256 = (await hashAll(evidence.raw())).sha256;
    let reply = await this.ask(begin);
    while (reply.action === 'hash' || reply.action === 'flush') {
      if (reply.action === 'flush') {
        await this.sendChunk(this.writer.cut());
        while (this.outstanding.size > 0) await this.nextCommit();
        reply = await this.ask(begin);
        continue;
      }
      if (reply.raw) begin.rawSha256 = (await hashAll(evidence.raw())).sha256;
      if (reply.content) begin.content = await hashContent(evidence);
      begin.checkpoints = await hashPrefixes({ blocks: () => evidence.raw() }, reply.checkpoints);
      begin.prefixes = await hashPrefixes(evidence.input, reply.prefixes);
      reply = await this.ask(begin);
    }
    if (reply.action === 'duplicate') return;
    const decided = decidedBefore(options, reply.skip);
    const reading = readOptions(
      decided,
      result.format,
      await this.rotated.before(item, evidence, importer, options.year),
    );
    await this.read(evidence, importer, reading, begin, reply, decided);
  }

  /** Reads the hash manifest of an item; false if it cannot be read, which is reported. */
  private async manifest(
    ordinal: number,
    { name, location, input }: EvidenceItem,
    format: ManifestFormat,
  ): Promise<boolean> {
    try {
      const manifest = await readManifest(input.blocks(), format, name);
      this.port.post({ type: 'manifest', ordinal, name, location, manifest });
      return true;
    } catch (error) {
      if (!this.report(ordinal, name, error, location)) throw new CancelledError();
      return false;
    }
  }

  private async read(
    evidence: EvidenceItem,
    importer: Importer,
    options: ReadOptions,
    begin: BeginRequest,
    reply: Extract<BeginReply, { action: 'read' }>,
    { clock, note }: Decided,
  ): Promise<void> {
    const state = this.writer.begin(
      reply.sourceId,
      evidence.name,
      reply.skip,
      evidence.input.size,
      clock,
    );
    if (note !== undefined) this.writer.note(note);
    const content = new HashedInput(evidence.input, importer.byLines === true);
    let consumed = 0;
    this.writer.onDrain = (at) => {
      const advanced = at - consumed;
      consumed = at;
      return this.drain(evidence.name, advanced, content, evidence.plain, state);
    };
    let error: string | undefined;
    let broken: Broken | undefined;
    try {
      await importer.read(content, this.writer, options);
    } catch (caught) {
      const known = caught instanceof DaybookError ? caught : diskError(caught);
      if (known === undefined || !ONE_SOURCE.has(known.code)) throw caught;
      error = known.message;
      this.writer.note(known.message);
      broken = brokenBy(known, content);
    }
    for (const note of evidence.input.notes ?? []) this.writer.note(note);
    // Rows and records of the last batches are counted when they are flushed.
    if (error === undefined && state.read === 0 && content.hashed > 0) {
      const text = `no record was found in its ${content.hashed} ${nounOf(content.hashed, 'byte')}`;
      if (importer.byLines !== true || content.lastByte === 10) this.writer.note(text);
      else {
        this.writer.note(`${text}: it seems to be cut off within its header`);
        this.writer.broken('partial', content.hashed, 'the content ends within its header');
      }
    }
    this.writer.end();
    const contentSha256 = content.digest();
    state.done = {
      rawSize: evidence.plain ? content.hashed : (evidence.rawSize ?? 0),
      rawSha256:
        evidence.plain && error === undefined ? contentSha256 : (begin.rawSha256 ?? contentSha256),
      contentSize: content.hashed,
      contentSha256,
      wholeLines: content.lastByte === 10,
      error,
      broken,
      lines: content.lines(),
    };
    this.progress(evidence.name, content.hashed - consumed, true);
    if (this.writer.due) await this.sendChunk(this.writer.cut());
  }

  private drain(
    name: string,
    bytes: number,
    content: HashedInput,
    plain: boolean,
    state: { checkpointBytes: number; checkpointSha256: string | undefined },
  ): Promise<void> | undefined {
    this.progress(name, bytes, false);
    this.checkCancelled();
    if (!this.writer.due) return this.room();
    if (plain) {
      state.checkpointBytes = content.hashed;
      state.checkpointSha256 = content.digest();
    }
    return this.sendChunk(this.writer.cut(true));
  }

  private pendingBytes = 0;
  private progress(name: string, bytes: number, force: boolean): void {
    this.pendingBytes += bytes;
    const now = performance.now();
    if (!force && now - this.lastProgress < PROGRESS_MS) return;
    this.lastProgress = now;
    this.port.post({
      type: 'progress',
      bytes: this.pendingBytes,
      rows: this.writer.totalRows,
      name,
    });
    this.pendingBytes = 0;
  }

  /** Resolves once the coordinator had room for the chunk and was sent it. */
  private async sendChunk(chunk: Chunk | undefined): Promise<void> {
    if (chunk === undefined) return;
    while (this.outstanding.size >= MAX_OUTSTANDING) await this.nextCommit();
    this.checkCancelled();
    const id = this.nextId++;
    this.outstanding.add(id);
    this.port.post({ type: 'chunk', id, ...chunk });
  }

  private nextCommit(): Promise<void> {
    return new Promise((resolve) => {
      this.wakes.push(resolve);
    });
  }

  private ask(begin: BeginRequest): Promise<BeginReply> {
    const id = this.nextId++;
    return new Promise((resolve) => {
      this.replies.set(id, resolve);
      this.port.post({ type: 'request', id, begin });
    });
  }
}

/** The message for an error that ends an import. */
function failure(name: string, error: unknown): Extract<FromWorker, { type: 'error' }> {
  const known = error instanceof DaybookError ? error : diskError(error);
  return {
    type: 'error',
    name,
    code: known?.code ?? 'internal',
    message: known?.message ?? messageOfError(error),
    hint: known?.hint,
  };
}

/** The record of an error that ended the reading of a content. */
function brokenBy(error: DaybookError, content: HashedInput): Broken {
  const isKnown = error instanceof SourceError || error instanceof LimitError;
  const place = isKnown ? error.place : undefined;
  return {
    state: error instanceof SourceError ? error.state : 'partial',
    reason:
      content.leftOver === 0
        ? error.message
        : `${error.message}; the incomplete last line (${content.leftOver} ${nounOf(content.leftOver, 'byte')}) was left out`,
    offset: content.hashed,
    ...(place?.checked === undefined ? {} : { checked: Math.min(place.checked, content.hashed) }),
    ...(place?.fileOffset === undefined ? {} : { fileOffset: place.fileOffset }),
    ...(place?.lost === undefined ? {} : { lost: place.lost }),
    ...(error instanceof LimitError ? { limit: error.option } : {}),
  };
}

interface Decided extends ImportOptions {
  readonly note: string | undefined;
}

/** The options, with later decisions about the source that this one begins with. */
function decidedBefore(options: ImportOptions, skip: SkipPlan | undefined): Decided {
  const { decided = {}, sourceId } = skip?.duplicate ?? {};
  const all = { ...options, ...decided };
  const isOther = Object.keys(decided).some(
    (name) => all[name as keyof typeof decided] !== options[name as keyof typeof decided],
  );
  const note = isOther
    ? `it begins with the content of source ${sourceId}: its times are read as decided for that source`
    : undefined;
  return { ...all, note };
}

/** Size and hash of a content; undefined if it cannot be read to its end. */
async function hashContent(evidence: EvidenceItem): Promise<BeginRequest['content']> {
  try {
    return await hashAll(evidence.input.blocks());
  } catch (error) {
    if (error instanceof DaybookError && ONE_SOURCE.has(error.code)) return undefined;
    throw error;
  }
}

/** A person's decisions in the form that importers take. */
export function readOptions(
  options: ImportOptions,
  format: string,
  before: ReadOptions['before'],
): ReadOptions {
  return {
    timeZone: options.timeZone,
    year: options.year,
    dateOrder: options.dateOrder,
    format,
    packets: options.packets,
    flows: options.flows,
    protocols: options.protocols,
    mapping: options.mapping === undefined ? undefined : { fields: options.mapping },
    before,
  };
}

async function hashAll(
  blocks: AsyncIterable<Uint8Array>,
): Promise<{ sha256: string; size: number }> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const block of blocks) {
    hash.update(block);
    size += block.length;
  }
  return { sha256: hash.digest('hex'), size };
}

/** Blocks up to where the content can be read: reading it later reports the error. */
async function* readable(blocks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* blocks;
  } catch (error) {
    if (!(error instanceof DaybookError && ONE_SOURCE.has(error.code))) throw error;
  }
}

/** Hashes of the first n bytes for each of `sizes`; no entry if the content is shorter. */
async function hashPrefixes(
  content: { blocks(): AsyncIterable<Uint8Array> },
  sizes: readonly number[],
): Promise<Record<number, string>> {
  const out: Record<number, string> = {};
  const wanted = [...new Set(sizes)].sort((a, b) => a - b);
  if (wanted.length === 0) return out;
  const hash = createHash('sha256');
  let size = 0;
  let next = 0;
  for await (const block of readable(content.blocks())) {
    let from = 0;
    while (next < wanted.length && size + (block.length - from) >= wanted[next]!) {
      const end = from + (wanted[next]! - size);
      hash.update(block.subarray(from, end));
      size += end - from;
      from = end;
      out[wanted[next]!] = hash.copy().digest('hex');
      next += 1;
    }
    if (next === wanted.length) break;
    hash.update(block.subarray(from));
    size += block.length - from;
  }
  return out;
}
