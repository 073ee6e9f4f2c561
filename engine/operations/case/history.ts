/** Past queries of a case, from its latency log. */
import type { CaseSession } from '../../search/index.ts';

/** Operations by which a person asks a query; the others repeat it or ask for themselves. */
const ASKING = ['query.run', 'query.count', 'query.top', 'query.timeline', 'result.open'] as const;

/** Queries that were run, most recent first, each once with its number of runs. Failed ones are omitted. */
export function queryHistory(
  session: CaseSession,
  limit: number,
): { query: string; at: string; count: number }[] {
  session.writeRecords();
  return session.catalog.operations
    .texts(ASKING, limit)
    .map(({ text, at, count }) => ({ query: text, at, count }));
}
