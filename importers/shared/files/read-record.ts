/**
 * Reads single records back from the evidence: bytes at an offset of a source's content, as stated in its events.
 * Plain files are read at the record's position; in compressed files and archive members everything before it is
 * read as well. Nothing is written except temporary copies of archive members, which are removed again.
 */
import { nounOf } from '../../../engine/contract/words/counted.ts';
import { open, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename } from 'node:path';
import { CancelledError, DaybookError, hasCode } from '../../../engine/contract/errors.ts';
import type { ByteOffset } from '../../../engine/contract/event.ts';
import type { SourceLocation } from '../../../engine/contract/source-location.ts';
import { ByteSource } from '../byte-source.ts';
import { fileProblem } from './stored-bytes.ts';
import { openItem, REREAD, type OpenedItem } from '../archives/walk.ts';

/** Bytes that `readRecord` reads at most. */
export const MAX_RECORD_BYTES = 1024 * 1024;

const MOVED = 'put the evidence back where it was when it was imported';
const CHANGED = 'daybook verify says which evidence is missing or changed';

/**
 * The content of one source. Reads are cheapest in ascending order: a compressed content is decompressed from the
 * start again for a read before the previous one. Close it when done.
 */
export interface ContentReader {
  /**
   * The `length` bytes at `offset`, as a copy.
   * @throws DaybookError source-damaged if the content ends before; unreadable, cancelled
   */
  read(offset: ByteOffset, length: number, signal?: AbortSignal): Promise<Uint8Array>;
  /** Like `read`, but returns fewer bytes at the end of the content, and none after it. */
  readUpTo(offset: ByteOffset, length: number, signal?: AbortSignal): Promise<Uint8Array>;
  close(): Promise<void>;
}

/**
 * Opens the content of a source.
 * @param temporary folder for copies of members of compressed archives
 * @throws DaybookError not-found if the file or the member no longer exists; unreadable
 */
export async function openContentReader(
  location: SourceLocation,
  temporary = tmpdir(),
): Promise<ContentReader> {
  const name = [basename(location.path), ...location.members].join('!');
  const opened = await openItem(location, { temporary, ...REREAD }).catch((error: unknown) => {
    throw withHint(error);
  });
  if (opened.evidence.plain && location.members.length === 0) {
    await opened.close();
    const handle = await open(location.path, 'r').catch((error: unknown) => {
      throw withHint(fileProblem(error, location.path));
    });
    return new FileReader(name, location.path, handle);
  }
  return new StreamReader(name, opened);
}

/**
 * The bytes of one record. For several records of one source, open a reader.
 * @param offset of the record in the source's content, as in its event
 * @param length at most 1 MiB (`MAX_RECORD_BYTES`): read a longer record in parts
 * @param temporary folder for copies of members of compressed archives
 * @throws DaybookError not-found if the evidence no longer exists, source-damaged if it ends before the record
 * does, usage for more than 1 MiB; unreadable, cancelled
 */
export async function readRecord(
  location: SourceLocation,
  offset: ByteOffset,
  length: number,
  signal?: AbortSignal,
  temporary?: string,
): Promise<Uint8Array> {
  if (length > MAX_RECORD_BYTES) {
    throw new DaybookError(
      'usage',
      `${length} bytes are more than one read gives (${MAX_RECORD_BYTES})`,
      'read them in parts',
    );
  }
  throwIfAborted(signal);
  const content = await openContentReader(location, temporary);
  try {
    return await content.read(offset, length, signal);
  } finally {
    await content.close();
  }
}

function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new CancelledError();
}

function withHint(error: unknown): unknown {
  return hasCode(error, 'not-found') && error.hint === undefined
    ? new DaybookError('not-found', error.message, MOVED, error)
    : error;
}

function endsBefore(name: string, size: number, offset: number, length: number): DaybookError {
  return new DaybookError(
    'source-damaged',
    `${name} ends at byte ${size}, before the end of the record of ${length} ${nounOf(length, 'byte')} at ${offset}`,
    CHANGED,
  );
}

class FileReader implements ContentReader {
  private readonly name: string;
  private readonly path: string;
  private readonly handle: FileHandle;

  constructor(name: string, path: string, handle: FileHandle) {
    this.name = name;
    this.path = path;
    this.handle = handle;
  }

  async read(offset: ByteOffset, length: number, signal?: AbortSignal): Promise<Uint8Array> {
    const bytes = await this.readUpTo(offset, length, signal);
    if (bytes.length === length) return bytes;
    const { size } = await this.handle.stat();
    throw endsBefore(this.name, size, offset, length);
  }

  async readUpTo(offset: ByteOffset, length: number, signal?: AbortSignal): Promise<Uint8Array> {
    const bytes = new Uint8Array(length);
    let filled = 0;
    while (filled < length) {
      throwIfAborted(signal);
      const { bytesRead } = await this.handle
        .read(bytes, filled, length - filled, offset + filled)
        .catch((error: unknown) => {
          throw fileProblem(error, this.path);
        });
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return bytes.subarray(0, filled);
  }

  async close(): Promise<void> {
    await this.handle.close();
  }
}

/** Records after damage have offsets among the intact bytes. */
function piecesSource({ evidence: { input } }: OpenedItem): ByteSource {
  return new ByteSource(input.pieces?.() ?? input.blocks());
}

class StreamReader implements ContentReader {
  private readonly name: string;
  private readonly opened: OpenedItem;
  private source: ByteSource;

  constructor(name: string, opened: OpenedItem) {
    this.name = name;
    this.opened = opened;
    this.source = piecesSource(opened);
  }

  async read(offset: ByteOffset, length: number, signal?: AbortSignal): Promise<Uint8Array> {
    const bytes = await this.readUpTo(offset, length, signal);
    if (bytes.length === length) return bytes;
    const [failure] = this.source.failure;
    if (failure instanceof DaybookError) throw failure;
    if (failure !== undefined) throw fileProblem(failure, this.name);
    throw endsBefore(this.name, this.source.position + this.source.available, offset, length);
  }

  async readUpTo(offset: ByteOffset, length: number, signal?: AbortSignal): Promise<Uint8Array> {
    throwIfAborted(signal);
    if (offset < this.source.position) {
      await this.source.close();
      this.source = piecesSource(this.opened);
    }
    const source = this.source;
    while (source.position < offset) {
      const step = Math.min(offset - source.position, source.available);
      source.at += step;
      if (step > 0) continue;
      throwIfAborted(signal);
      if (!(await source.more())) break;
    }
    // The bytes stay unread in the source, so that the next read may overlap them.
    while (source.available < length) {
      throwIfAborted(signal);
      if (!(await source.more())) break;
    }
    const end = source.position < offset ? source.at : Math.min(source.end, source.at + length);
    return new Uint8Array(source.buffer.subarray(source.at, end));
  }

  async close(): Promise<void> {
    await this.source.close();
    await this.opened.close();
  }
}
