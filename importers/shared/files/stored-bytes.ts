/**
 * Bytes that can be read more than once: a part of a file on disk, a buffer, or a copy in a
 * temporary file. Evidence is opened for reading only.
 */
import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { DaybookError, LimitError, SourceError } from '../../../engine/contract/errors.ts';

export const BLOCK_BYTES = 1024 * 1024;

/** How long bytes are readable: until their holder is released. */
export interface Life {
  ended: boolean;
}

export interface StoredBytes {
  readonly size: number | undefined;
  readonly life: Life;
  /** Their path on disk, if they are there. */
  readonly file?: { readonly path: string; readonly start: number; readonly end: number };
  readonly memory?: Buffer;
  /** From the first byte; blocks are valid until the next one. */
  blocks(): AsyncGenerator<Uint8Array>;
}

/** Translates a file system's error for people. */
export function fileProblem(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') {
    return error;
  }
  switch (error.code) {
    case 'ENOENT':
      return new DaybookError('not-found', `${path}: no such file or folder`, undefined, error);
    case 'EACCES':
    case 'EPERM':
      return new DaybookError(
        'unreadable',
        `${path}: permission denied`,
        'check who may read it',
        error,
      );
    case 'ENOSPC':
    case 'EDQUOT':
      return new DaybookError('disk-full', `no space left for ${path}`, 'free some space', error);
    default:
      return /^E[A-Z0-9]+$/.test(error.code)
        ? new DaybookError('unreadable', `${path}: ${error.message}`, undefined, error)
        : error;
  }
}

export function fileBytes(path: string, start: number, end: number, life: Life): StoredBytes {
  return {
    size: end - start,
    life,
    file: { path, start, end },
    blocks: () => fileBlocks(path, start, end),
  };
}

/**
 * The same for a file of one block at most: it is read once, however often it is requested, as long as it is
 * unchanged.
 */
export function smallFileBytes(path: string, end: number, life: Life): StoredBytes {
  let whole: { readonly block: Uint8Array; readonly state: string } | undefined;
  return {
    ...fileBytes(path, 0, end, life),
    async *blocks() {
      const state = stateOf(path);
      if (whole !== undefined && whole.state === state) {
        yield whole.block;
        return;
      }
      for await (const block of fileBlocks(path, 0, end)) {
        if (block.length === end) whole = { block, state };
        yield block;
      }
    },
  };
}

/** Differs if a file was written to, or replaced. */
function stateOf(path: string): string {
  try {
    const { dev, ino, size, mtimeNs } = statSync(path, { bigint: true });
    return `${dev}:${ino}:${size}:${mtimeNs}`;
  } catch {
    // Reading it reports the error.
    return '';
  }
}

/** Reads [start, end) of a file, one block ahead. Throws SourceError if the file is shorter. */
export async function* fileBlocks(
  path: string,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array> {
  if (start >= end) return;
  let handle: FileHandle;
  try {
    handle = await open(path, 'r');
  } catch (error) {
    throw fileProblem(error, path);
  }
  const size = Math.min(BLOCK_BYTES, end - start);
  let current = Buffer.allocUnsafe(size);
  let other = end - start > size ? Buffer.allocUnsafe(size) : current;
  let at = start;
  const read = (into: Buffer, from: number) => {
    const pending = handle.read(into, 0, Math.min(into.length, end - from), from);
    // It is awaited later; a failure meanwhile must not end the process.
    pending.catch(() => undefined);
    return pending;
  };
  let pending = read(current, at);
  try {
    for (;;) {
      const { bytesRead } = await pending;
      if (bytesRead === 0) {
        throw new SourceError(
          `the file ends at byte ${at - start} of ${end - start}`,
          at - start,
          undefined,
          { state: 'partial' },
        );
      }
      at += bytesRead;
      const block = current.subarray(0, bytesRead);
      if (at < end) {
        [current, other] = [other, current];
        pending = read(current, at);
      }
      yield block;
      if (at >= end) return;
    }
  } catch (error) {
    throw fileProblem(error, path);
  } finally {
    await pending.catch(() => undefined);
    await handle.close();
  }
}

function memoryBytes(bytes: Buffer, life: Life, damage?: unknown): StoredBytes {
  return {
    size: bytes.length,
    life,
    memory: bytes,
    async *blocks() {
      for (let at = 0; at < bytes.length; at += BLOCK_BYTES) {
        yield bytes.subarray(at, at + BLOCK_BYTES);
      }
      if (damage !== undefined) throw damage;
    },
  };
}

interface KeepOptions {
  readonly temporary: string;
  /** Bytes to keep in memory; more go to a temporary file. */
  readonly memoryBytes: number;
  /** Bytes one temporary file may have. */
  readonly spoolBytes: number;
}

export interface HeldBytes {
  readonly bytes: StoredBytes;
  /** The blocks' error, after which there is nothing more. */
  readonly damage: unknown;
  release(): Promise<void>;
}

/**
 * Stores blocks so that they can be read again. If they break off, earlier ones are kept, and reading them ends
 * with the same error.
 * @throws DaybookError limit-exceeded, disk-full
 */
export async function keep(
  blocks: AsyncIterable<Uint8Array>,
  options: KeepOptions,
  expected?: number,
): Promise<HeldBytes> {
  const life: Life = { ended: false };
  let damage: unknown;
  let size = 0;
  let buffer: Buffer<ArrayBufferLike> = Buffer.alloc(0);
  let spool: Spool | undefined;
  const iterator = blocks[Symbol.asyncIterator]();
  try {
    for (;;) {
      let next: IteratorResult<Uint8Array>;
      try {
        next = await iterator.next();
      } catch (error) {
        damage = error;
        break;
      }
      if (next.done === true) break;
      const block = next.value;
      if (spool === undefined && size + block.length > options.memoryBytes) {
        spool = await Spool.create(options.temporary, options.spoolBytes);
        await spool.write(buffer.subarray(0, size));
        buffer = Buffer.alloc(0);
      }
      if (spool !== undefined) {
        await spool.write(block);
      } else {
        if (size + block.length > buffer.length) {
          const wanted = Math.max(2 * size, size + block.length, Math.min(expected ?? 0, 1 << 20));
          const larger = Buffer.allocUnsafe(Math.min(wanted, options.memoryBytes));
          larger.set(buffer.subarray(0, size));
          buffer = larger;
        }
        buffer.set(block, size);
      }
      size += block.length;
    }
    await spool?.close();
  } catch (error) {
    await iterator.return?.();
    await spool?.remove();
    throw error;
  }
  if (spool === undefined) {
    const bytes = memoryBytes(buffer.subarray(0, size), life, damage);
    return {
      bytes,
      damage,
      release: async () => {
        life.ended = true;
      },
    };
  }
  const file = fileBytes(spool.path, 0, size, life);
  const problem = damage;
  return {
    bytes: {
      ...file,
      async *blocks() {
        yield* file.blocks();
        if (problem !== undefined) throw problem;
      },
    },
    damage,
    release: async () => {
      life.ended = true;
      await spool.remove();
    },
  };
}

/** A temporary file with a name of our own. */
export class Spool {
  readonly path: string;
  private readonly handle: FileHandle;
  private readonly limit: number;
  private size = 0;

  private constructor(path: string, handle: FileHandle, limit: number) {
    this.path = path;
    this.handle = handle;
    this.limit = limit;
  }

  static async create(folder: string, limit: number): Promise<Spool> {
    const path = join(folder, `spool-${randomUUID()}`);
    try {
      return new Spool(path, await open(path, 'wx', 0o600), limit);
    } catch (error) {
      throw fileProblem(error, path);
    }
  }

  async write(block: Uint8Array): Promise<void> {
    this.size += block.length;
    if (this.size > this.limit) {
      throw new LimitError(
        `more than ${this.limit} bytes would have to be kept in a temporary file (--max-bytes)`,
        '--max-bytes',
      );
    }
    try {
      for (let at = 0; at < block.length;) {
        at += (await this.handle.write(block, at, block.length - at)).bytesWritten;
      }
    } catch (error) {
      throw fileProblem(error, this.path);
    }
  }

  async close(): Promise<void> {
    await this.handle.close();
  }

  async remove(): Promise<void> {
    await this.handle.close().catch(() => undefined);
    await rm(this.path, { force: true });
  }
}
