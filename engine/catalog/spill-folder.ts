/**
 * Folders in a case's `staging` into which readers spill, or in which they make a file that is sent elsewhere, one
 * for each process. A lock in it tells writers that it is in use: the system releases the lock when the process
 * ends, however it ends. Process numbers would not do: containers that share a case can have the same ones.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  casePath,
  listCaseFolder,
  makeCaseFolder,
  removeFromCase,
} from '../util/files/case-files.ts';
import { takeLock } from './file-lock.ts';

/** Prefix of their names. */
export const SPILL_FOLDER = 'spill-';
const LOCK = 'lock';

export interface SpillFolder {
  readonly path: string;
  /** Removes it. */
  release(): void;
}

/** @throws the system's error if the case may not be written */
export function makeSpillFolder(caseFolder: string): SpillFolder {
  for (;;) {
    const folder = `staging/${SPILL_FOLDER}${randomBytes(6).toString('hex')}`;
    const path = makeCaseFolder(caseFolder, folder);
    const lock = takeLock(join(path, LOCK));
    // A writer may have removed it before it was locked.
    if (lock !== undefined && existsSync(join(path, LOCK)))
      return {
        path,
        release: () => {
          removeFromCase(caseFolder, folder);
          lock.close();
        },
      };
    lock?.close();
  }
}

/** Removes the spill folders of processes that ended without doing so. */
export function removeLeftSpill(caseFolder: string): void {
  for (const entry of listCaseFolder(caseFolder, 'staging'))
    if (entry.isDirectory() && entry.name.startsWith(SPILL_FOLDER))
      removeSpillFolder(caseFolder, entry.name);
}

/** Removes a spill folder unless a reader uses it; returns whether it is gone. */
export function removeSpillFolder(caseFolder: string, name: string): boolean {
  const path = casePath(caseFolder, `staging/${name}/${LOCK}`);
  const lock = existsSync(path) ? takeLock(path) : undefined;
  if (lock === undefined && existsSync(path)) return false;
  removeFromCase(caseFolder, `staging/${name}`);
  lock?.close();
  return true;
}
