/** State of a file that the engine writes: running, cancelled, written; one at a time per dialog. */
import { useEffect, useRef, useState } from 'react';
import { errorInfoOf } from '../../../engine/contract/wire/client.ts';
import type { ErrorInfo } from '../../../engine/contract/wire/frame.ts';

export interface WrittenFile {
  readonly bytes: number;
  readonly sha256: string;
  readonly path?: string | undefined;
  readonly rows?: number | undefined;
  /** Further facts: names and texts. */
  readonly facts?: readonly (readonly [name: string, text: string])[] | undefined;
}

export interface Writing {
  readonly running: boolean;
  /** Rows or pieces done, of how many if that is known. */
  readonly done: { readonly done: number; readonly of?: number | undefined } | undefined;
  readonly written: WrittenFile | undefined;
  readonly error: ErrorInfo | undefined;
  readonly cancelled: boolean;
  /** Does nothing while a file is being made. */
  start(
    make: (signal: AbortSignal, onDone: (part: object) => void) => Promise<WrittenFile | undefined>,
  ): void;
  cancel(): void;
}

const IDLE = {
  ...{ running: false, done: undefined, written: undefined, error: undefined, cancelled: false },
} as const;

/** A dialog that is closed while it writes cancels that. */
export function useWriting(): Writing {
  const [state, setState] = useState<Omit<Writing, 'start' | 'cancel'>>(IDLE);
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  return {
    ...state,
    start(make) {
      if (state.running) return;
      const controller = new AbortController();
      running.current = controller;
      setState({ ...IDLE, running: true });
      make(controller.signal, (part) => {
        if ('done' in part && typeof part.done === 'number') {
          const of = 'of' in part && typeof part.of === 'number' ? part.of : undefined;
          const done = part.done;
          setState((before) => ({ ...before, done: { done, of } }));
        }
      }).then(
        (written) => setState({ ...IDLE, written }),
        (error: unknown) => {
          const info = errorInfoOf(error);
          setState(
            info.code === 'cancelled' ? { ...IDLE, cancelled: true } : { ...IDLE, error: info },
          );
        },
      );
    },
    cancel: () => running.current?.abort(),
  };
}
