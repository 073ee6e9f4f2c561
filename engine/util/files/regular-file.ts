/**
 * Reads files that somebody else may have put there: regular files only. Opening a FIFO or reading a device can
 * block forever, and a file may be replaced between checking and opening it, so the open file is checked.
 */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { CancelledError, messageOfError } from '../../contract/errors.ts';

const BLOCK_BYTES = 1 << 20;
// Not on Windows, which has no FIFOs among its files.
const NONBLOCK: number = constants.O_NONBLOCK ?? 0;

type FileProblemKind = 'missing' | 'not-regular' | 'unreadable';

/** Why a file cannot be read. */
export class FileProblem extends Error {
  readonly kind: FileProblemKind;
  constructor(kind: FileProblemKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

/**
 * Opens a regular file for reading, following links.
 * @throws FileProblem
 */
export async function openRegular(path: string): Promise<FileHandle> {
  let handle: FileHandle;
  try {
    // Not opened if it obviously is something else: opening a device may have an effect.
    checkRegular(await stat(path));
    handle = await open(path, constants.O_RDONLY | NONBLOCK);
  } catch (error) {
    throw fileProblem(error);
  }
  try {
    checkRegular(await handle.stat());
    return handle;
  } catch (error) {
    await handle.close();
    throw fileProblem(error);
  }
}

export interface HashedFile {
  readonly bytes: number;
  readonly sha256: string;
  /** Hash of the first n bytes for each n of `prefixes` that the file has. */
  readonly prefixes: ReadonlyMap<number, string>;
}

interface HashOptions {
  readonly prefixes?: readonly number[];
  readonly signal?: AbortSignal | undefined;
  readonly onBytes?: ((bytes: number) => void) | undefined;
}

/**
 * SHA-256 of a file from its first byte to its last.
 * @throws FileProblem; DaybookError cancelled
 */
export async function hashHandle(
  handle: FileHandle,
  { prefixes = [], signal, onBytes }: HashOptions = {},
): Promise<HashedFile> {
  try {
    const hash = createHash('sha256');
    const found = new Map<number, string>();
    const wanted = [...new Set(prefixes)].sort((a, b) => a - b);
    const block = Buffer.allocUnsafe(BLOCK_BYTES);
    let bytes = 0;
    for (;;) {
      if (signal?.aborted === true) throw new CancelledError();
      while (wanted[0] === bytes) found.set(wanted.shift()!, hash.copy().digest('hex'));
      const most = Math.min(BLOCK_BYTES, (wanted[0] ?? Infinity) - bytes);
      const { bytesRead } = await handle.read(block, 0, most, bytes);
      if (bytesRead === 0) break;
      hash.update(block.subarray(0, bytesRead));
      bytes += bytesRead;
      onBytes?.(bytesRead);
    }
    return { bytes, sha256: hash.digest('hex'), prefixes: found };
  } catch (error) {
    if (error instanceof CancelledError) throw error;
    throw fileProblem(error);
  }
}

function checkRegular(info: Kinds): void {
  if (!info.isFile()) throw new FileProblem('not-regular', `is ${kindOf(info)}, not a file`);
}

/** The reason why a file cannot be read, in words. */
export function fileProblem(error: unknown): FileProblem {
  if (error instanceof FileProblem) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return new FileProblem('missing', 'is not there');
    case 'ELOOP':
      return new FileProblem('not-regular', 'is a link that leads to itself');
    case 'ENXIO':
      return new FileProblem('not-regular', 'is not a file');
    case 'EACCES':
    case 'EPERM':
      return new FileProblem('unreadable', 'may not be read (no permission)');
    default:
      return new FileProblem('unreadable', `cannot be read (${messageOfError(error)})`);
  }
}

interface Kinds {
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
  isFIFO(): boolean;
  isSocket(): boolean;
}

function kindOf(info: Kinds): string {
  if (info.isDirectory()) return 'a folder';
  if (info.isSymbolicLink()) return 'a link';
  if (info.isFIFO()) return 'a FIFO';
  if (info.isSocket()) return 'a socket';
  return 'a device';
}
