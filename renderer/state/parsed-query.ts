/** A query taken apart by the engine: its terms, stages and the shape of its answer. */
import type { Result } from '../../engine/contract/operations.ts';
import { useAnswer } from './answer.ts';
import { useSession } from './context.ts';

export type ParsedQuery = Result<'query.parse'>;

/** Of the query before, while the engine looks at this one. */
export function useParsedQuery(query: string): ParsedQuery | undefined {
  const path = useSession((session) => session.openCase?.case);
  const zone = useSession((session) => session.zone);
  return useAnswer('query.parse', { case: path, query, zone }, { live: false }).data;
}
