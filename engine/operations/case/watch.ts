/** `case.watch`: reports changes of a case and their authors to all subscribers, also across processes. */
import { WriterLock, type ChangeRow } from '../../catalog/index.ts';
import type { CaseSession } from '../../search/index.ts';
import { otherWriter } from './case-info.ts';

/**
 * Interval at which the catalog is asked for its last change, which takes microseconds. SQLite's data version would
 * miss commits through the session's own connection.
 */
const POLL_MS = 50;

/** Yields the changes that are committed after the call, within POLL_MS, until `signal` aborts. */
export async function* watchCase(
  session: CaseSession,
  signal: AbortSignal,
  // At the time of the call, not of the first request for a change.
  last = session.catalog.changes.last(),
): AsyncGenerator<ChangeRow> {
  while (!signal.aborted) {
    if (session.catalog.changes.last() !== last) {
      for (const change of session.catalog.changes.after(last)) {
        last = change.id;
        yield change;
      }
    }
    await pause(POLL_MS, signal);
  }
}

/** Interval at which to check whether another process has begun or ended writing. */
const WRITER_POLL_MS = 250;

/** Yields at first where another process writes to a case, and whenever one begins or ends, until `signal` aborts. */
export async function* watchWriter(folder: string, signal: AbortSignal): AsyncGenerator<void> {
  let known: string | undefined;
  let looked: bigint | undefined;
  while (!signal.aborted) {
    // A killed writer changes nothing: while one is known, it is checked for.
    const changed = WriterLock.lastChange(folder);
    if (changed !== looked || known !== undefined) {
      looked = changed;
      const writer = otherWriter(folder);
      const now = writer === undefined ? undefined : JSON.stringify(writer);
      if (now !== known) {
        known = now;
        yield;
      }
    }
    await pause(WRITER_POLL_MS, signal);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });
}
