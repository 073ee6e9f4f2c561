/** Looking at evidence before it is imported: previews as they come, again when a decision changes. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { useWorkspace } from '../../panel-api.ts';
import { OperationError } from '../../../engine/contract/client.ts';
import type { ErrorInfo } from '../../../engine/contract/frame.ts';
import type { Result } from '../../../engine/contract/operations.ts';
import {
  groupsOf,
  replacePreviews,
  type Decision,
  type OwnDecisions,
  type Preview,
} from './decisions.ts';

export interface Previews {
  readonly list: readonly Preview[];
  /** Undefined until all was looked at. */
  readonly end: Result<'evidence.preview'> | undefined;
  readonly error: ErrorInfo | undefined;
  /** Files that are being looked at again. */
  readonly busy: ReadonlySet<string>;
  readonly shared: Decision;
  readonly own: OwnDecisions;
  /** Looks at everything again. */
  refresh(): void;
  /** Decides for all that ask. */
  decideAll(decision: Decision): void;
  /** Decides for one file; undefined values go back to what holds for all. */
  decide(path: string, decision: Decision): void;
}

const infoOf = (error: unknown): ErrorInfo =>
  error instanceof OperationError ? error.info : { code: 'internal', message: String(error) };

export function usePreviews(path: string, paths: readonly string[]): Previews {
  const { connection } = useWorkspace();
  const [list, setList] = useState<readonly Preview[]>([]);
  const [end, setEnd] = useState<Result<'evidence.preview'>>();
  const [error, setError] = useState<ErrorInfo>();
  const [busy, setBusy] = useState<ReadonlySet<string>>(new Set());
  const [shared, setShared] = useState<Decision>({});
  const [own, setOwn] = useState<OwnDecisions>({});
  /** The newest look at each file; older ones are dropped. */
  const looks = useRef(new Map<string, AbortController>());
  const key = JSON.stringify(paths);
  const [round, setRound] = useState(0);

  useEffect(() => {
    const controller = new AbortController();
    const running = looks.current;
    let waiting: Preview[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const flush = (): void => {
      timer = undefined;
      const some = waiting;
      waiting = [];
      if (!controller.signal.aborted) setList((before) => [...before, ...some]);
    };
    setList([]);
    setEnd(undefined);
    setError(undefined);
    connection
      .call(
        'evidence.preview',
        { case: path, paths: JSON.parse(key) as string[] },
        {
          signal: controller.signal,
          onPart: ({ preview }) => {
            waiting.push(preview);
            // Many small files come at once: one rendering does for some.
            timer ??= setTimeout(flush, 80);
          },
        },
      )
      .then(
        (result) => {
          clearTimeout(timer);
          flush();
          if (!controller.signal.aborted) setEnd(result);
        },
        (failure: unknown) => {
          if (!controller.signal.aborted) setError(infoOf(failure));
        },
      );
    return () => {
      controller.abort();
      clearTimeout(timer);
      for (const one of running.values()) one.abort();
      running.clear();
    };
  }, [connection, path, key, round]);

  const lookAgain = useCallback(
    (files: readonly string[], nextShared: Decision, nextOwn: OwnDecisions): void => {
      for (const group of groupsOf(files, nextShared, nextOwn)) {
        const controller = new AbortController();
        for (const file of group.paths) {
          looks.current.get(file)?.abort();
          looks.current.set(file, controller);
        }
        setBusy((before) => new Set([...before, ...group.paths]));
        const fresh = new Map<string, Preview[]>(group.paths.map((file) => [file, []]));
        connection
          .call(
            'evidence.preview',
            { case: path, paths: group.paths, ...group.options },
            { onPart: ({ preview }) => fresh.get(preview.path)?.push(preview) },
          )
          .then(
            () => {
              setError(undefined);
              setList((before) => {
                let after = before;
                for (const [file, previews] of fresh) {
                  if (looks.current.get(file) === controller && previews.length > 0) {
                    after = replacePreviews(after, file, previews);
                  }
                }
                return after;
              });
            },
            (failure: unknown) => {
              const info = infoOf(failure);
              if (info.code !== 'cancelled') setError(info);
            },
          )
          .finally(() => {
            const done = group.paths.filter((file) => looks.current.get(file) === controller);
            setBusy((before) => new Set([...before].filter((file) => !done.includes(file))));
          });
      }
    },
    [connection, path],
  );

  return {
    ...{ list, end, error, busy, shared, own },
    refresh: () => setRound((before) => before + 1),
    decideAll(decision) {
      const next = { ...shared, ...decision };
      setShared(next);
      const asking = new Set(
        list
          .filter(
            (one) =>
              (one.asks.zone && 'tz' in decision && own[one.path]?.tz === undefined) ||
              (one.asks.year && 'year' in decision && own[one.path]?.year === undefined) ||
              ('clock' in decision && own[one.path]?.clock === undefined) ||
              (one.asks.dateOrder &&
                'dateOrder' in decision &&
                own[one.path]?.dateOrder === undefined),
          )
          .map((one) => one.path),
      );
      lookAgain([...asking], next, own);
    },
    decide(file, decision) {
      const next = { ...own, [file]: { ...own[file], ...decision } };
      setOwn(next);
      lookAgain([file], shared, next);
    },
  };
}
