/**
 * Schedules statements. A window asks several things about a view at once, and they share the same few threads: the
 * most visible goes first.
 *
 * Invariants: waiting statements are admitted by priority, then in order of arrival; every turn ends, whatever
 * happens.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { CancelledError } from '../../contract/errors.ts';

/**
 * `now`: a person is looking at an empty place, and few rows are read: never waits. `first`: the length of the
 * list, the timeline. `later`: everything around them.
 */
export type Priority = 'now' | 'first' | 'later';

/** Number of concurrent statements besides those of `now`: one uses every thread, but not all the time. */
const MOST = 2;
/** How many of them may be `later`. */
const MOST_LATER = 1;
/** Requests sent together arrive in any order: low-priority ones wait this long for the others. */
const LATER_MS = 12;

interface Waiting {
  readonly rank: 'first' | 'later';
  readonly go: () => void;
}

type Delay = (ms: number, signal: AbortSignal | undefined) => Promise<void>;

const byClock: Delay = (ms, signal) => pause(ms, undefined, { signal });

export class StatementScheduler {
  private readonly delay: Delay;
  private readonly running = { first: 0, later: 0 };
  private readonly waiting: Waiting[] = [];

  constructor(delay: Delay = byClock) {
    this.delay = delay;
  }

  /**
   * Resolves when it is the caller's turn; the returned function ends the turn and must be called once.
   * @throws CancelledError
   */
  async take(rank: Priority, signal?: AbortSignal): Promise<() => void> {
    if (rank === 'now') return () => undefined;
    if (rank === 'later') {
      await this.delay(LATER_MS, signal).catch(() => undefined);
    }
    if (signal?.aborted === true) throw new CancelledError();
    await new Promise<void>((resolve, reject) => {
      const cancel = (): void => {
        this.waiting.splice(this.waiting.indexOf(one), 1);
        reject(new CancelledError());
      };
      const one: Waiting = {
        rank,
        go: () => {
          signal?.removeEventListener('abort', cancel);
          resolve();
        },
      };
      signal?.addEventListener('abort', cancel, { once: true });
      this.waiting.push(one);
      this.letIn();
    });
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      this.running[rank] -= 1;
      this.letIn();
    };
  }

  private letIn(): void {
    for (;;) {
      const { first, later } = this.running;
      if (first + later >= MOST) return;
      let at = this.waiting.findIndex(({ rank }) => rank === 'first');
      if (at < 0 && later < MOST_LATER) at = this.waiting.findIndex(({ rank }) => rank === 'later');
      const [next] = at < 0 ? [] : this.waiting.splice(at, 1);
      if (next === undefined) return;
      this.running[next.rank] += 1;
      next.go();
    }
  }
}
