/**
 * Files that lie in memory while DuckDB makes them. It waits for the disk four times for each database that it
 * makes, and nothing of one is of use before it is whole: copied to the disk then, one waits for it once.
 *
 * Holds always: a file has no name any more before an event is written to it, so none is left behind, however the
 * process ends; of one that is killed a name of something without events may be, which a later process removes. Linux
 * only; elsewhere, or where there is no room, whoever asks makes the file on the disk.
 */
import {
  closeSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statfsSync,
  unlinkSync,
} from 'node:fs';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
/** Room that is left to others. */
const LEAST_FREE_BYTES = 32 << 20;

/**
 * The folder in memory of whoever runs this, which nobody else may read; undefined where there is none. It stays when
 * the process ends, empty: another may be about to use it. Where the system has removed it, it is made again.
 * @param within the folder of all who keep files in memory
 */
export function memoryFolder(within = MEMORY): string | undefined {
  const uid = process.platform === 'linux' ? process.geteuid?.() : undefined;
  if (uid === undefined) return undefined;
  const folder = join(within, `daybook-${uid}`);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch {
    // It is there, or cannot be made.
  }
  try {
    const found = lstatSync(folder);
    const isOwn = found.isDirectory() && found.uid === uid && (found.mode & 0o077) === 0;
    return isOwn ? folder : undefined;
  } catch {
    // There is none, or it may not be looked at, as where applications are confined.
    return undefined;
  }
}

/** Names are there for moments: those that are older were left by processes that were killed. */
const OLD_MS = 3_600_000;

/** Removes from a folder in memory what processes that were killed have left there. */
export function removeOld(folder: string): void {
  try {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      const found = lstatSync(path, { throwIfNoEntry: false });
      if (found !== undefined && Date.now() - found.mtimeMs > OLD_MS) rmSync(path, { force: true });
    }
  } catch {
    // They take next to nothing.
  }
}

/** Whether a file of so many bytes may be made in `folder`. */
export function hasRoom(folder: string, bytes: number): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= bytes + LEAST_FREE_BYTES;
  } catch {
    return false;
  }
}

/** A file that somebody else has open: takes its name away, and reads it when it is whole. */
export class NamelessFile {
  private readonly fd: number;

  constructor(path: string) {
    this.fd = openSync(path, 'r');
    unlinkSync(path);
  }

  /** All of its bytes. */
  read(): Buffer {
    const bytes = Buffer.allocUnsafe(fstatSync(this.fd).size);
    let at = 0;
    while (at < bytes.length) {
      const n = readSync(this.fd, bytes, at, bytes.length - at, at);
      if (n === 0) throw new Error('a file in memory became shorter');
      at += n;
    }
    return bytes;
  }

  close(): void {
    closeSync(this.fd);
  }
}
