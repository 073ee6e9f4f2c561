/**
 * What parts of the window are asking of the engine about the view, so that a person can stop all of
 * it at once.
 */
import type { ErrorInfo } from '../../engine/contract/frame.ts';

export interface Asking {
  /** `stop` is called when a person has had enough. Returns what to call when the question has ended. */
  begin(stop: () => void): () => void;
  /** Whether anything is being asked. */
  running(): boolean;
  stop(): void;
}

/** What a part that was stopped says in place of an answer. */
export const STOPPED: ErrorInfo = {
  code: 'cancelled',
  message: 'The search was stopped; Enter runs it again.',
};

export function createAsking(): Asking {
  const stops = new Set<() => void>();
  return {
    begin(stop) {
      // Its own: the same function may be given twice.
      const one = (): void => stop();
      stops.add(one);
      return () => stops.delete(one);
    },
    running: () => stops.size > 0,
    stop() {
      const all = [...stops];
      stops.clear();
      for (const stop of all) stop();
    },
  };
}
