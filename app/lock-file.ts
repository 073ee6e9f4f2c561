/**
 * A lock file: names the process doing work that only one may do at a time. It contains the process number, and is
 * touched while the work goes on, since another process may get that number later.
 */
import { mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { CancelledError } from '../engine/contract/errors.ts';

const BEAT_MS = 2_000;
/** A lock that was not touched for this long is abandoned. */
const STALE_MS = 60_000;
const LOOK_MS = 200;

/**
 * Waits until the lock is free, and takes it; returns a function that releases it.
 * @throws CancelledError
 */
export async function takeLock(file: string, signal?: AbortSignal): Promise<() => void> {
  mkdirSync(dirname(file), { recursive: true });
  for (;;) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx' });
      const beat = setInterval(() => touch(file), BEAT_MS).unref();
      return () => {
        clearInterval(beat);
        rmSync(file, { force: true });
      };
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
    if (isLeft(file)) rmSync(file, { force: true });
    await setTimeout(LOOK_MS);
    if (signal?.aborted === true) throw new CancelledError();
  }
}

function touch(file: string): void {
  try {
    const now = new Date();
    utimesSync(file, now, now);
  } catch {
    // It is gone: the next process repeats the work.
  }
}

/**
 * Whether the lock is abandoned. False for a file that is just being written, and for one that was released
 * meanwhile: another process may hold it by now.
 */
function isLeft(file: string): boolean {
  try {
    if (Date.now() - statSync(file).mtimeMs > STALE_MS) return true;
    const pid = Number(readFileSync(file, 'utf8'));
    if (pid > 0) process.kill(pid, 0);
    return false;
  } catch (error) {
    // Another user's process counts as well.
    return codeOf(error) === 'ESRCH';
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
