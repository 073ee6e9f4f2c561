/**
 * A lock file: names the process that does work which only one may do at a time. It has the process's number,
 * and is touched as long as the work goes on, since another process may have that number later.
 */
import { mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { CancelledError } from '../engine/contract/errors.ts';

const BEAT_MS = 2_000;
/** A lock that was not touched for so long is nobody's. */
const STALE_MS = 60_000;
const LOOK_MS = 200;

/**
 * Waits until nobody else has the lock, and takes it; returns how to give it back.
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
    // It is gone: the next process does the work again.
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
    // Somebody else's process is one all the same.
    return codeOf(error) === 'ESRCH';
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
