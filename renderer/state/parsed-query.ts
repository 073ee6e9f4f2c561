/** A query parsed by the engine: its terms, stages and the shape of its answer. */
import { useEffect, useReducer, useRef } from 'react';
import { useSession, useWorkspace } from './context.ts';
import type { ParsedQuery } from './parsed-queries.ts';

export type { ParsedQuery };

/** That of the previous query, while the engine parses this one. */
export function useParsedQuery(query: string): ParsedQuery | undefined {
  const { parsed } = useWorkspace();
  const path = useSession((session) => session.openCase?.case);
  const zone = useSession((session) => session.zone);
  const revision = useSession((session) => session.revision);
  const [, showAgain] = useReducer((n: number) => n + 1, 0);
  const last = useRef<ParsedQuery>(undefined);
  const known = parsed.known({ case: path, query, zone });
  if (known !== undefined) last.current = known;
  // A new revision also comes with a new engine, which is sent requests that the previous one did not answer.
  useEffect(() => {
    const text = { case: path, query, zone };
    if (parsed.known(text) !== undefined) return undefined;
    let left = false;
    parsed.ask(text).then(
      () => {
        if (!left) showAgain();
      },
      // The current state stays.
      () => undefined,
    );
    return () => {
      left = true;
    };
  }, [parsed, path, query, zone, revision]);
  return known ?? last.current;
}
