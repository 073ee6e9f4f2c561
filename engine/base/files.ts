/** Small file operations that must not be half done. */
import { DaybookError } from '../contract/errors.ts';
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';

/** Writes all of `bytes`, however many calls that takes. */
export function writeAll(fd: number, bytes: Uint8Array): void {
  let at = 0;
  while (at < bytes.length) at += writeSync(fd, bytes, at, bytes.length - at);
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

/** A full disk, in words for people; undefined for other errors. */
export function diskError(error: unknown): DaybookError | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return undefined;
  return diskFull(error);
}

export function diskFull(cause: unknown): DaybookError {
  return new DaybookError(
    'disk-full',
    'the disk is full',
    'free some space and run the same command again: it continues',
    cause,
  );
}
