/**
 * Asking the engine from a component: the answer to the parameters it has now. When they change, the
 * running call is cancelled and the last answer stays until the new one is there. A person may stop it.
 */
import { useEffect, useMemo, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { errorInfoOf } from '../../engine/contract/wire/client.ts';
import type { ErrorInfo } from '../../engine/contract/wire/frame.ts';
import type { OperationName, Params, Part, Result } from '../../engine/contract/operations.ts';
import { STOPPED } from './asking.ts';
import { useSession, useWorkspace } from './context.ts';

interface Answered<N extends OperationName> {
  /** The last answer; of other parameters while `stale`. */
  readonly data: Result<N> | undefined;
  readonly error: ErrorInfo | undefined;
  readonly loading: boolean;
  /** Whether `data` answers other parameters: not while it is only brought up to date with the case. */
  readonly stale: boolean;
  /** From the request to the answer, as measured in this window. */
  readonly elapsedMs: number | undefined;
}

interface AnswerOptions<N extends OperationName> {
  readonly onPart?: (part: Part<N>) => void;
  /** Whether a change of the case repeats the request; true by default. After an error it always does. */
  readonly live?: boolean;
}

/** Kept between renders: `key` identifies the parameters that `data` answers. */
type Held<N extends OperationName> = Omit<Answered<N>, 'stale'> & {
  readonly key: string | undefined;
};

const EMPTY = {
  data: undefined,
  key: undefined,
  error: undefined,
  loading: false,
  elapsedMs: undefined,
} as const;

/** `params` undefined: nothing is requested. They are compared by value. */
export function useAnswer<N extends OperationName>(
  operation: N,
  params: Params<N> | undefined,
  options: AnswerOptions<N> = {},
): Answered<N> {
  const workspace = useWorkspace();
  const revision = useSession((session) => session.revision);
  const runs = useStore(workspace.views.store, (state) => state.runs);
  const [answered, setAnswered] = useState<Held<N>>({ ...EMPTY, loading: params !== undefined });
  const { onPart, live = true } = options;
  const part = useRef(onPart);
  part.current = onPart;
  const key = params === undefined ? undefined : JSON.stringify(params);
  const [failures, setFailures] = useState(0);
  const again = live ? `${revision}/${runs}` : failures;
  const asked = useMemo(
    () => (key === undefined ? undefined : (JSON.parse(key) as Params<N>)),
    [key],
  );

  const failed = useRef(false);
  failed.current = answered.error !== undefined;
  // A failed answer may succeed now, for instance because evidence was located.
  useEffect(() => {
    if (failed.current) setFailures((before) => before + 1);
  }, [revision]);

  useEffect(() => {
    if (asked === undefined) {
      setAnswered(EMPTY);
      return undefined;
    }
    const controller = new AbortController();
    const started = performance.now();
    setAnswered((before) => ({ ...before, loading: true }));
    const ended = workspace.asking.begin(() => {
      controller.abort();
      setAnswered(({ data, key: of }) => ({ ...EMPTY, data, key: of, error: STOPPED }));
    });
    workspace.connection
      .call(operation, asked, {
        signal: controller.signal,
        onPart: (one) => part.current?.(one),
      })
      .then(
        (data) => {
          if (controller.signal.aborted) return;
          setAnswered({
            data,
            key,
            error: undefined,
            loading: false,
            elapsedMs: performance.now() - started,
          });
        },
        (error: unknown) => {
          if (controller.signal.aborted) return;
          const info = errorInfoOf(error);
          // The engine will come back and the request will be repeated; the last answer stays meanwhile.
          if (info.code === 'engine-down') return;
          setAnswered((before) => ({
            data: before.data,
            key: before.key,
            error: info,
            loading: false,
            elapsedMs: performance.now() - started,
          }));
        },
      )
      .finally(ended);
    return () => controller.abort();
  }, [workspace, operation, asked, key, again]);
  return { ...answered, stale: answered.data !== undefined && answered.key !== key };
}
