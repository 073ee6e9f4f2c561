/**
 * Rows of some segments that are being found, for whoever waits for them.
 *
 * Holds always: the work goes on while somebody waits, whoever began it; when all who waited have been
 * cancelled it is stopped, and the last of them leaves when it has ended.
 */
import { CancelledError } from '../../contract/errors.ts';
import type { FoundRows } from '../../query/index.ts';

type BySegment = ReadonlyMap<number, FoundRows>;

export class InFlightLookup {
  private readonly found: Promise<BySegment>;
  private readonly stop = new AbortController();
  private waiting = 0;

  /** @param work ends soon once its signal is aborted */
  constructor(work: (stop: AbortSignal) => Promise<BySegment>) {
    // Starts in a microtask, so that the caller holds the lookup first.
    this.found = Promise.resolve().then(() => work(this.stop.signal));
    // An error is reported to the callers that wait, of which there may be none.
    this.found.catch(() => undefined);
  }

  /** Nobody waits for it any more: it will find nothing. */
  get abandoned(): boolean {
    return this.stop.signal.aborted;
  }

  /** @throws CancelledError, and what the work throws */
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
        // What a statement reads must not be closed before it has ended.
        await this.found.catch(() => undefined);
      }
    }
  }
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted ?? false;
}
