/** Small file operations that must not be half done. */
import { DaybookError, messageOfError } from '../contract/errors.ts';
import { open } from 'node:fs/promises';
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  realpathSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * Makes a folder, and those above it that are missing; one that is there stays as it is. Node's own way (`recursive`)
 * never ends where a folder can hold none, as in /proc.
 * @throws Error of the system
 */
export function makeFolder(path: string, mode: number): void {
  const isThere = (): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isThere()) return;
  if (dirname(path) !== path) makeFolder(dirname(path), mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Somebody else may have made it meanwhile.
    if (!isThere()) throw error;
  }
}

/** Where an absolute path leads, links to it resolved; what is not there yet is named below what is. */
export function placeOf(path: string): string {
  if (dirname(path) === path || statSync(path, { throwIfNoEntry: false }) !== undefined)
    return realpathSync(path);
  return join(placeOf(dirname(path)), basename(path));
}

/** Writes all of `bytes`, however many calls that takes. */
export function writeAll(fd: number, bytes: Uint8Array): void {
  let at = 0;
  while (at < bytes.length) at += writeSync(fd, bytes, at, bytes.length - at);
}

/** Makes what was written to a file durable, as far as its folder is. */
export function syncFile(path: string): void {
  const fd = openSync(path, 'r+');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Makes what was renamed into `folder` durable. Windows has no such call for folders. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Files and folders that are waited for at a time: the disk does for some what it does for one. */
const AT_A_TIME = 8;

/** `syncFile` and `syncFolder` of many, while this thread does something else. */
export async function syncAll(files: readonly string[], folders: readonly string[]): Promise<void> {
  const paths = [...files, ...(process.platform === 'win32' ? [] : folders)];
  let next = 0;
  const lane = async () => {
    while (next < paths.length) {
      const at = next++;
      const handle = await open(paths[at]!, at < files.length ? 'r+' : 'r');
      try {
        await handle.sync();
      } finally {
        await handle.close();
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_A_TIME, paths.length) }, lane));
}

/** Error codes of a full disk, of the system and of SQLite; the last is its shared memory file that cannot grow. */
const FULL: ReadonlySet<unknown> = new Set([
  'ENOSPC',
  'EDQUOT',
  'SQLITE_FULL',
  'SQLITE_IOERR_SHMSIZE',
]);

/** A full disk, in words for people; undefined for other errors. */
export function diskError(error: unknown): DaybookError | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return FULL.has(code) ? diskFull(error) : undefined;
}

export function diskFull(cause: unknown): DaybookError {
  return new DaybookError(
    'disk-full',
    'the disk is full',
    'free some space and do the same again: an import continues where it stopped',
    cause,
  );
}

/** A file or folder that may not be changed, in words for people; undefined for other errors. */
export function accessError(error: unknown): DaybookError | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const path = error instanceof Error && 'path' in error ? String(error.path) : 'the case';
  if (
    (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EEXIST') &&
    /\bmkdir\b/.test(messageOfError(error))
  )
    return new DaybookError(
      'unreadable',
      `${path} cannot be made a folder: ${code}`,
      'choose a place in a folder where you may write',
      error,
    );
  if (code !== 'EACCES' && code !== 'EPERM' && code !== 'EROFS') return undefined;
  return new DaybookError(
    'unreadable',
    code === 'EROFS' ? `${path}: the file system is read-only` : `${path}: no permission`,
    'check who may write to the case folder',
    error,
  );
}
