/** A query taken apart by the engine: its terms, stages and the shape of its answer. */
import { useEffect, useReducer, useRef } from 'react';
import { useSession, useWorkspace } from './context.ts';
import type { ParsedQuery } from './parsed-queries.ts';

export type { ParsedQuery };

/** Of the query before, while the engine looks at this one. */
export function useParsedQuery(query: string): ParsedQuery | undefined {
  const { parsed } = useWorkspace();
  const path = useSession((session) => session.openCase?.case);
  const zone = useSession((session) => session.zone);
  const revision = useSession((session) => session.revision);
  const [, showAgain] = useReducer((n: number) => n + 1, 0);
  const last = useRef<ParsedQuery>(undefined);
  const known = parsed.known({ case: path, query, zone });
  if (known !== undefined) last.current = known;
  // A new revision comes with a new engine as well, which is asked what the one before did not say.
  useEffect(() => {
    const text = { case: path, query, zone };
    if (parsed.known(text) !== undefined) return undefined;
    let left = false;
    parsed.ask(text).then(
      () => {
        if (!left) showAgain();
      },
      // What is shown stays.
      () => undefined,
    );
    return () => {
      left = true;
    };
  }, [parsed, path, query, zone, revision]);
  return known ?? last.current;
}
