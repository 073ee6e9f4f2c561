/**
 * What parts of the window are asking of the engine about the view, so that a person can stop all of
 * it at once, and what stands around it waits for what is looked at.
 */
import type { ErrorInfo } from '../../engine/contract/wire/frame.ts';

export interface Asking {
  /**
   * `stop` is called when a person has had enough. Returns what to call when the question has ended.
   * @param around it is not what the view is looked at for, and nobody waits for it
   */
  begin(stop: () => void, around?: boolean): () => void;
  /** Whether anything is being asked. */
  running(): boolean;
  stop(): void;
  /** Done once nothing is asked but what stands around, but after `mostMs` at the latest. */
  settled(mostMs: number): Promise<void>;
}

/** What a part that was stopped says in place of an answer. */
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
