/** Small file operations that must not be half done. */
import { DaybookError, messageOfError } from '../../contract/errors.ts';
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
 * Makes a folder and missing parents; an existing one stays as it is. Node's `recursive` never returns if a folder
 * cannot have any children, as in /proc.
 * @throws the system's error
 */
export function makeFolder(path: string, mode: number): void {
  const isThere = (): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isThere()) return;
  if (dirname(path) !== path) makeFolder(dirname(path), mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!isThere()) throw error;
  }
}

/** The target of an absolute path, with links resolved; missing parts are appended to the existing ones. */
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

/** Makes a written file durable, including its entry in the folder. */
export function syncFile(path: string): void {
  const fd = openSync(path, 'r+');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Makes renames into `folder` durable. Windows has no such call for folders. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Number of concurrent syncs: the disk does several in the time of one. */
const AT_A_TIME = 8;

/** `syncFile` and `syncFolder` for many, without blocking this thread. */
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
    'free some space and try again: an import continues where it stopped',
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
      `the folder ${path} cannot be created: ${code}`,
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
