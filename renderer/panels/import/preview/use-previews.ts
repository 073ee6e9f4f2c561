/** Previews evidence before it is imported: previews arrive one by one, and again when a decision changes. */
import {
  useCallback,
  useEffect,
  useRef,
  useState,
  type Dispatch,
  type SetStateAction,
} from 'react';
import { useWorkspace } from '../../../panel-api.ts';
import { errorInfoOf, type Engine } from '../../../../engine/contract/wire/client.ts';
import type { ErrorInfo } from '../../../../engine/contract/wire/frame.ts';
import type { Params, Result } from '../../../../engine/contract/operations.ts';
import {
  groupsOf,
  replacePreviews,
  undecidedFiles,
  type Decision,
  type OwnDecisions,
  type Preview,
} from '../decisions.ts';

export interface Previews {
  readonly list: readonly Preview[];
  /** Undefined until everything was previewed. */
  readonly end: Result<'evidence.preview'> | undefined;
  readonly error: ErrorInfo | undefined;
  /** Files that are being previewed again. */
  readonly busy: ReadonlySet<string>;
  readonly shared: Decision;
  readonly perFile: OwnDecisions;
  /** Looks at everything again. */
  refresh(): void;
  /** Decides for all that ask. */
  decideAll(decision: Decision): void;
  /** Decides for one file; undefined values restore the decision for all. */
  decide(path: string, decision: Decision): void;
}

export function usePreviews(path: string, paths: readonly string[]): Previews {
  const { connection } = useWorkspace();
  const [list, setList] = useState<readonly Preview[]>([]);
  const [end, setEnd] = useState<Result<'evidence.preview'>>();
  const [error, setError] = useState<ErrorInfo>();
  const [shared, setShared] = useState<Decision>({});
  const [perFile, setOwn] = useState<OwnDecisions>({});
  /** The current decisions: rows that were not rendered again must use them, too. */
  const decided = useRef({ shared, perFile });
  const { busy, lookAgain, stop } = useLooks(path, setList, setError);
  const key = JSON.stringify(paths);
  const [round, setRound] = useState(0);

  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    setList([]);
    setEnd(undefined);
    setError(undefined);
    previewAll(connection, { case: path, paths: JSON.parse(key) as string[] }, signal, (batch) =>
      setList((before) => [...before, ...batch]),
    ).then(
      (result) => !signal.aborted && setEnd(result),
      (failure: unknown) => !signal.aborted && setError(errorInfoOf(failure)),
    );
    return () => {
      controller.abort();
      stop();
    };
  }, [connection, path, key, round, stop]);

  return {
    ...{ list, end, error, busy, shared, perFile },
    refresh: () => setRound((before) => before + 1),
    decideAll(decision) {
      const now = decided.current;
      const next = { ...now.shared, ...decision };
      decided.current = { ...now, shared: next };
      setShared(next);
      lookAgain(undecidedFiles(list, now.perFile, decision), next, now.perFile);
    },
    decide(file, decision) {
      const now = decided.current;
      const next = { ...now.perFile, [file]: { ...now.perFile[file], ...decision } };
      decided.current = { ...now, perFile: next };
      setOwn(next);
      lookAgain([file], now.shared, next);
    },
  };
}

/** Previews files again, each with its decisions. */
function useLooks(
  path: string,
  setList: Dispatch<SetStateAction<readonly Preview[]>>,
  setError: (error: ErrorInfo | undefined) => void,
) {
  const { connection } = useWorkspace();
  const [busy, setBusy] = useState<ReadonlySet<string>>(new Set());
  /** The newest preview of each file; older ones are dropped. */
  const looks = useRef(new Map<string, AbortController>());
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
              const info = errorInfoOf(failure);
              if (info.code !== 'cancelled') setError(info);
            },
          )
          .finally(() => {
            const done = group.paths.filter((file) => looks.current.get(file) === controller);
            setBusy((before) => new Set([...before].filter((file) => !done.includes(file))));
          });
      }
    },
    [connection, path, setList, setError],
  );
  const stop = useCallback(() => {
    for (const one of looks.current.values()) one.abort();
    looks.current.clear();
  }, []);
  return { busy, lookAgain, stop };
}

/** Many small files arrive at once: one render covers several. */
const GATHER_MS = 80;

/** Previews everything. @param onPreviews gets those of a moment; not called any more once `signal` aborts */
async function previewAll(
  connection: Engine,
  params: Params<'evidence.preview'>,
  signal: AbortSignal,
  onPreviews: (previews: readonly Preview[]) => void,
): Promise<Result<'evidence.preview'>> {
  let waiting: Preview[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const batch = waiting;
    waiting = [];
    if (!signal.aborted) onPreviews(batch);
  };
  try {
    return await connection.call('evidence.preview', params, {
      signal,
      onPart: ({ preview }) => {
        waiting.push(preview);
        timer ??= setTimeout(flush, GATHER_MS);
      },
    });
  } finally {
    flush();
  }
}
