/** `case.watch`: what changes in a case, told to whoever asks, also across processes. */
import type { ChangeRow } from '../../catalog/tables/changes.ts';
import type { CaseSession } from '../../search/index.ts';

/**
 * How often the catalog is asked for its last change, which takes microseconds. SQLite's data version
 * would miss what is committed through the session's own connection.
 */
const POLL_MS = 50;

/** Yields the changes that are committed after the call, within POLL_MS, until `signal` aborts. */
export async function* watchCase(
  session: CaseSession,
  signal: AbortSignal,
  // Of the moment of the call, not of the first question for a change.
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
