/** Past queries of a case, from the log of what operations took. */
import type { CaseSession } from '../../search/index.ts';

/** Operations by which a person asks a query; the others repeat it or ask for themselves. */
const ASKING = ['query.run', 'query.count', 'query.top', 'query.timeline', 'result.open'] as const;

/** Queries that were run, the last first, each once, with how often. Failed ones are left out. */
export function queryHistory(
  session: CaseSession,
  limit: number,
): { query: string; at: string; count: number }[] {
  session.writeRecords();
  return session.catalog.operations
    .texts(ASKING, limit)
    .map(({ text, at, count }) => ({ query: text, at, count }));
}
