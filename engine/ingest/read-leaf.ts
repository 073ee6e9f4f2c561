/**
 * The import worker's side: walks the items it is given, asks the coordinator about each source,
 * reads it through its importer and hands over chunks.
 */
import { createHash, type Hash } from 'node:crypto';
import { diskError } from '../base/files.ts';
import { CancelledError, DaybookError } from '../contract/errors.ts';
import type {
  Ignored,
  Importer,
  Leaf,
  ReadOptions,
  SniffResult,
  SourceInput,
} from '../contract/importer.ts';
import { ChunkWriter, type Chunk } from './chunk-writer.ts';
import type {
  BeginReply,
  BeginRequest,
  FromWorker,
  ImportOptions,
  NewerFile,
  ToWorker,
  WorkItem,
} from './protocol.ts';

/** Bytes an importer sees to judge a content. */
const SNIFF_BYTES = 64 * 1024;
/** Bytes whose hash finds earlier copies of a growing log. */
const HEAD_BYTES = 1024;
/** Errors that end one source but not the import. */
const ONE_SOURCE: ReadonlySet<string> = new Set([
  'unreadable',
  'not-found',
  'source-damaged',
  'limit-exceeded',
]);
const PROGRESS_MS = 150;
/** Files of a rotated set that were written less than this apart were copied, not rotated. */
const ROTATION_MS = 60_000;
/** Chunks that may wait for the coordinator before reading pauses. */
const MAX_OUTSTANDING = 1;

export interface WorkerTools {
  readonly importers: readonly Importer[];
  /** Finds the sources of a file: itself, or the members of an archive. */
  walk(path: string, name: string, temporary: string): AsyncIterable<Leaf | Ignored>;
}

export interface WorkerPort {
  post(message: FromWorker): void;
  onMessage(handler: (message: ToWorker) => void): void;
}

/** Runs an import worker on `port` until it is told to finish. */
export function runImportWorker(port: WorkerPort, tools: WorkerTools): void {
  let worker: ImportWorker | undefined;
  port.onMessage((message) => {
    switch (message.type) {
      case 'start':
        worker = new ImportWorker(port, tools, message);
        break;
      case 'item':
        void worker?.item(message.item);
        break;
      case 'finish':
        void worker?.finish();
        break;
      case 'reply':
        worker?.reply(message.id, message.reply);
        break;
      case 'committed':
        worker?.committed(message.id);
        break;
    }
  });
  port.post({ type: 'ready' });
}

class ImportWorker {
  private readonly port: WorkerPort;
  private readonly tools: WorkerTools;
  private readonly options: ImportOptions;
  private readonly staging: string;
  private readonly cancel: Int32Array;
  private readonly writer: ChunkWriter;
  private readonly replies = new Map<number, (reply: BeginReply) => void>();
  private readonly outstanding = new Set<number>();
  private wake: (() => void) | undefined;
  private nextId = 1;
  private lastProgress = 0;

  constructor(port: WorkerPort, tools: WorkerTools, start: Extract<ToWorker, { type: 'start' }>) {
    this.port = port;
    this.tools = tools;
    this.options = start.options;
    this.staging = start.staging;
    this.cancel = new Int32Array(start.cancel);
    this.writer = new ChunkWriter(start.staging, `part-${start.worker}`, {
      rows: start.chunkRows,
      bytes: start.chunkBytes,
      ms: start.chunkMs,
    });
  }

  reply(id: number, reply: BeginReply): void {
    this.replies.get(id)?.(reply);
    this.replies.delete(id);
  }

  committed(id: number): void {
    this.outstanding.delete(id);
    this.wake?.();
    this.wake = undefined;
  }

  async item(item: WorkItem): Promise<void> {
    try {
      for await (const found of this.tools.walk(item.path, item.name, this.staging)) {
        this.checkCancelled();
        if ('reason' in found) {
          this.port.post({
            type: 'ignored',
            item,
            name: found.name,
            reason: found.reason,
            failed: false,
          });
        } else {
          await this.leaf(item, found);
        }
      }
    } catch (error) {
      if (!this.report(item, item.name, error)) return;
    }
    this.port.post({ type: 'item-done', item });
  }

  /** Commits what is left. */
  async finish(): Promise<void> {
    try {
      await this.sendChunk(this.writer.cut());
      while (this.outstanding.size > 0) await this.nextCommit();
      this.port.post({ type: 'item-done', item: { ordinal: -1, path: '', name: '' } });
    } catch (error) {
      this.report({ ordinal: -1, path: '', name: '' }, '', error);
    }
  }

  /** Says what went wrong with one source; false when the import as a whole cannot go on. */
  private report(item: WorkItem, name: string, error: unknown): boolean {
    const known = error instanceof DaybookError ? error : diskError(error);
    const oneSource =
      known?.code === 'unreadable' ||
      known?.code === 'source-damaged' ||
      known?.code === 'limit-exceeded';
    if (known !== undefined && oneSource) {
      this.port.post({ type: 'ignored', item, name, reason: known.message, failed: true });
      return true;
    }
    this.writer.abandon();
    this.port.post({
      type: 'error',
      name,
      code: known?.code ?? 'internal',
      message: known?.message ?? (error instanceof Error ? error.message : String(error)),
      hint: known?.hint,
    });
    return false;
  }

  private checkCancelled(): void {
    if (Atomics.load(this.cancel, 0) !== 0) throw new CancelledError();
  }

  private async leaf(item: WorkItem, leaf: Leaf): Promise<void> {
    let head: Head;
    try {
      head = await readHead(leaf.input);
    } catch (error) {
      if (!this.report(item, leaf.name, error)) throw new CancelledError();
      return;
    }
    const chosen = choose(this.tools.importers, head, leaf, this.options.format);
    if (chosen === undefined) {
      const reason = head.bytes.length === 0 ? 'empty' : 'no importer recognises this content';
      this.port.post({ type: 'ignored', item, name: leaf.name, reason, failed: false });
      return;
    }
    const { importer, result } = chosen;
    const begin: BeginRequest = {
      item,
      name: leaf.name,
      location: leaf.location,
      rawSize: leaf.rawSize,
      modifiedMs: leaf.modifiedMs,
      importer: importer.id,
      importerVersion: importer.version,
      appendOnly: importer.appendOnly,
      format: result.format,
      headSize: Math.min(head.bytes.length, HEAD_BYTES),
      headSha256: createHash('sha256').update(head.bytes.subarray(0, HEAD_BYTES)).digest('hex'),
      rawSha256: undefined,
      checkpoints: {},
      prefixes: {},
    };
    // The bytes of a compressed source are few: they are hashed before it is read.
    if (!leaf.plain) begin.rawSha256 = (await hashAll(leaf.raw())).sha256;
    let reply = await this.ask(begin);
    while (reply.action === 'hash' || reply.action === 'flush') {
      if (reply.action === 'flush') {
        await this.sendChunk(this.writer.cut());
        while (this.outstanding.size > 0) await this.nextCommit();
        reply = await this.ask(begin);
        continue;
      }
      if (reply.raw) begin.rawSha256 = (await hashAll(leaf.raw())).sha256;
      begin.checkpoints = await hashPrefixes(leaf.raw(), reply.checkpoints);
      begin.prefixes = await hashPrefixes(leaf.input.blocks(), reply.prefixes);
      reply = await this.ask(begin);
    }
    if (reply.action === 'duplicate') return;
    await this.read(
      leaf,
      importer,
      result.format,
      begin,
      reply,
      await this.before(item, leaf, importer),
    );
  }

  /**
   * Where the next newer file of a rotated set begins, when the files' times do not tell: a set that
   * was copied without its times would otherwise have the year of the copy in every file.
   */
  private async before(
    item: WorkItem,
    leaf: Leaf,
    importer: Importer,
  ): Promise<ReadOptions['before']> {
    const { newer } = item;
    if (newer === undefined || leaf.location.members.length > 0) return undefined;
    if (importer.firstDate === undefined || this.options.year !== undefined) return undefined;
    return this.startOf(newer, leaf.modifiedMs, importer);
  }

  /** When `file` begins; undefined when it was written clearly later than `olderMs`. */
  private async startOf(
    file: NewerFile,
    olderMs: number | undefined,
    importer: Importer,
  ): Promise<ReadOptions['before']> {
    for await (const found of this.tools.walk(file.path, file.name, this.staging)) {
      if ('reason' in found || found.location.members.length > 0) return undefined;
      const { modifiedMs } = found;
      if (olderMs !== undefined && modifiedMs !== undefined && modifiedMs - olderMs > ROTATION_MS) {
        return undefined;
      }
      let start = this.starts.get(file.path);
      if (start === undefined) {
        const head = await readHead(found.input);
        const format = importer.sniff(head.bytes, {
          name: file.name,
          complete: head.complete,
        })?.format;
        if (format === undefined) return undefined;
        const before =
          file.newer === undefined
            ? undefined
            : await this.startOf(file.newer, modifiedMs, importer);
        start = {
          date: await importer.firstDate?.(found.input, { year: undefined, before, format }),
        };
        this.starts.set(file.path, start);
      }
      return start.date;
    }
    return undefined;
  }
  private readonly starts = new Map<string, { date: ReadOptions['before'] }>();

  private async read(
    leaf: Leaf,
    importer: Importer,
    format: string,
    begin: BeginRequest,
    reply: Extract<BeginReply, { action: 'read' }>,
    before: ReadOptions['before'],
  ): Promise<void> {
    const state = this.writer.begin(reply.sourceId, leaf.name, reply.skip);
    const content = new HashedInput(leaf.input);
    let consumed = 0;
    this.writer.onDrain = (at) => {
      const advanced = at - consumed;
      consumed = at;
      return this.drain(leaf.name, advanced, content, leaf.plain, state);
    };
    let error: string | undefined;
    try {
      await importer.read(content, this.writer, {
        timeZone: this.options.timeZone,
        year: this.options.year,
        format,
        packets: this.options.packets,
        flows: this.options.flows,
        mapping: this.options.mapping === undefined ? undefined : { fields: this.options.mapping },
        before,
      });
    } catch (caught) {
      const known = caught instanceof DaybookError ? caught : diskError(caught);
      if (known === undefined || !ONE_SOURCE.has(known.code)) throw caught;
      error = known.message;
      this.writer.note(known.message);
    }
    for (const note of leaf.input.notes ?? []) this.writer.note(note);
    this.writer.end();
    const contentSha256 = content.digest();
    state.done = {
      rawSize: leaf.plain ? content.hashed : (leaf.rawSize ?? 0),
      rawSha256:
        leaf.plain && error === undefined ? contentSha256 : (begin.rawSha256 ?? contentSha256),
      contentSize: content.hashed,
      contentSha256,
      wholeLines: content.lastByte === 10,
      error,
    };
    this.progress(leaf.name, content.hashed - consumed, true);
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
    if (!this.writer.due) return undefined;
    if (plain) {
      state.checkpointBytes = content.hashed;
      state.checkpointSha256 = content.digest();
    }
    return this.sendChunk(this.writer.cut());
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

  private async sendChunk(chunk: Chunk | undefined): Promise<void> {
    if (chunk === undefined) return;
    while (this.outstanding.size >= MAX_OUTSTANDING) await this.nextCommit();
    this.checkCancelled();
    const id = this.nextId++;
    this.outstanding.add(id);
    this.port.post({ type: 'chunk', id, ...structuredClone(chunk) });
  }

  private nextCommit(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }

  private ask(begin: BeginRequest): Promise<BeginReply> {
    const id = this.nextId++;
    return new Promise((resolve) => {
      this.replies.set(id, resolve);
      this.port.post({ type: 'request', id, begin: structuredClone(begin) });
    });
  }
}

interface Head {
  bytes: Uint8Array;
  complete: boolean;
}

/** The first bytes of a content. What cannot be read after the first block does not matter yet. */
async function readHead(input: SourceInput): Promise<Head> {
  const head = new Uint8Array(SNIFF_BYTES);
  let size = 0;
  try {
    for await (const block of input.blocks()) {
      const part = block.subarray(0, SNIFF_BYTES - size);
      head.set(part, size);
      size += part.length;
      if (size === SNIFF_BYTES) return { bytes: head, complete: false };
    }
  } catch (error) {
    if (size === 0) throw error;
  }
  return { bytes: head.subarray(0, size), complete: true };
}

function choose(
  importers: readonly Importer[],
  head: Head,
  leaf: Leaf,
  forced: string | undefined,
): { importer: Importer; result: SniffResult } | undefined {
  if (head.bytes.length === 0) return undefined;
  let best: { importer: Importer; result: SniffResult } | undefined;
  for (const importer of importers) {
    const result = importer.sniff(head.bytes, { name: leaf.name, complete: head.complete });
    if (forced !== undefined) {
      if (importer.id === forced)
        return { importer, result: result ?? { score: 1, format: importer.id } };
      if (importer.formats.includes(forced))
        return { importer, result: { score: 1, format: forced } };
      continue;
    }
    if (result !== undefined && result.score > 0 && result.score > (best?.result.score ?? 0)) {
      best = { importer, result };
    }
  }
  return best;
}

/** Hashes a content in the pass that the importer makes last; earlier passes are looks ahead. */
class HashedInput implements SourceInput {
  readonly name: string;
  readonly size: number | undefined;
  readonly modifiedMs: number | undefined;
  /** Bytes of the current pass so far. */
  hashed = 0;
  lastByte = -1;
  private readonly input: SourceInput;
  private hash: Hash = createHash('sha256');
  private passes = 0;

  constructor(input: SourceInput) {
    this.input = input;
    this.name = input.name;
    this.size = input.size;
    this.modifiedMs = input.modifiedMs;
  }

  async *blocks(): AsyncGenerator<Uint8Array> {
    const pass = ++this.passes;
    this.hash = createHash('sha256');
    this.hashed = 0;
    this.lastByte = -1;
    for await (const block of this.input.blocks()) {
      if (pass === this.passes && block.length > 0) {
        this.hash.update(block);
        this.hashed += block.length;
        this.lastByte = block[block.length - 1]!;
      }
      yield block;
    }
  }

  digest(): string {
    return this.hash.copy().digest('hex');
  }
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

/** Hashes of the first n bytes for each of `sizes`; a content that is shorter has no entry. */
async function hashPrefixes(
  blocks: AsyncIterable<Uint8Array>,
  sizes: readonly number[],
): Promise<Record<number, string>> {
  const out: Record<number, string> = {};
  const wanted = [...new Set(sizes)].sort((a, b) => a - b);
  if (wanted.length === 0) return out;
  const hash = createHash('sha256');
  let size = 0;
  let next = 0;
  for await (const block of blocks) {
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
