/**
 * Single flight: rows of some segments that are being found, shared by all callers that wait for them.
 *
 * Invariant: the work continues while any caller waits, whoever started it; when all waiting callers are cancelled
 * it is stopped, and the last one returns when it has ended.
 */
import { CancelledError } from '../../contract/errors.ts';
import type { FoundRows } from '../../query/index.ts';

type BySegment = ReadonlyMap<number, FoundRows>;

export class InFlightLookup {
  private readonly found: Promise<BySegment>;
  private readonly stop = new AbortController();
  private waiting = 0;

  /** @param work ends soon after its signal is aborted */
  constructor(work: (stop: AbortSignal) => Promise<BySegment>) {
    // Starts in a microtask, so that the caller stores the look-up first.
    this.found = Promise.resolve().then(() => work(this.stop.signal));
    // Errors are reported to waiting callers, of which there may be none.
    this.found.catch(() => undefined);
  }

  /** No caller waits any more: it will return nothing. */
  get abandoned(): boolean {
    return this.stop.signal.aborted;
  }

  /** @throws CancelledError, and whatever the work throws */
  async wait(signal: AbortSignal | undefined): Promise<BySegment> {
    this.waiting += 1;
    const cancelled = Promise.withResolvers<never>();
    const cancel = (): void => cancelled.reject(new CancelledError());
    if (isAborted(signal)) cancel();
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      return await Promise.race([cancelled.promise, this.found]);
    } finally {
      signal?.removeEventListener('abort', cancel);
      this.waiting -= 1;
      if (this.waiting === 0 && isAborted(signal)) {
        this.stop.abort();
        // Files that a statement reads must not be closed before it has ended.
        await this.found.catch(() => undefined);
      }
    }
  }
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted ?? false;
}
