/** Work that a form or a button starts: whether it is running, and its error. */
import { useRef, useState } from 'react';
import { errorInfoOf } from '../../engine/contract/wire/client.ts';
import type { ErrorInfo } from '../../engine/contract/wire/frame.ts';
import { notifyError } from './notify.ts';

interface Submit<A extends unknown[]> {
  readonly busy: boolean;
  /** The error of the last run, if no title was given. */
  readonly error: ErrorInfo | undefined;
  /** Does nothing while the work runs already. */
  run(...args: A): void;
}

const IDLE = { busy: false, error: undefined } as const;

/** @param failed title of the message in the corner, for forms without a place for an error */
export function useSubmit<A extends unknown[]>(
  work: (...args: A) => Promise<unknown>,
  failed?: string,
): Submit<A> {
  const [state, setState] = useState<Omit<Submit<A>, 'run'>>(IDLE);
  const running = useRef(false);
  const run = async (...args: A): Promise<void> => {
    if (running.current) return;
    running.current = true;
    setState({ busy: true, error: undefined });
    try {
      await work(...args);
      setState(IDLE);
    } catch (error) {
      setState(failed === undefined ? { busy: false, error: errorInfoOf(error) } : IDLE);
      if (failed !== undefined) notifyError(error, failed);
    } finally {
      running.current = false;
    }
  };
  return { ...state, run: (...args) => void run(...args) };
}
