/**
 * Requests about the view in progress, so that the user can stop all of them at once, and secondary ones wait for
 * the main ones.
 */
import type { ErrorInfo } from '../../engine/contract/wire/frame.ts';

export interface Asking {
  /**
   * `stop` is called when the user stops the requests. Returns a function to call when the request has ended.
   * @param around it is secondary: nobody waits for it
   */
  begin(stop: () => void, around?: boolean): () => void;
  /** Whether any request is in progress. */
  running(): boolean;
  stop(): void;
  /** Resolves once only secondary requests are in progress, but after `mostMs` at the latest. */
  settled(mostMs: number): Promise<void>;
}

/** Shown by a stopped part instead of an answer. */
export const STOPPED: ErrorInfo = {
  code: 'cancelled',
  message: 'The search was stopped; Enter runs it again.',
};

export function createAsking(): Asking {
  const running = new Set<{ readonly stop: () => void; readonly around: boolean }>();
  let waiting: (() => void)[] = [];
  const isSettled = (): boolean => [...running].every(({ around }) => around);
  const tell = (): void => {
    if (!isSettled()) return;
    const all = waiting;
    waiting = [];
    for (const one of all) one();
  };
  return {
    begin(stop, around = false) {
      const one = { stop, around };
      running.add(one);
      return () => {
        if (running.delete(one)) tell();
      };
    },
    running: () => running.size > 0,
    stop() {
      const all = [...running];
      running.clear();
      for (const { stop } of all) stop();
      tell();
    },
    async settled(mostMs) {
      // Other calls of the same moment may not have been made yet.
      await Promise.resolve();
      if (isSettled()) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, mostMs);
        waiting.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    },
  };
}
