/** Matches in payloads, as a window asks for them. */
import type { Part, Request, Result } from '../../contract/operations.ts';
import type { CaseSession, GivenList } from '../../search/index.ts';
import type { EvidenceReader } from '../event/evidence-reader.ts';
import { searchPayloads } from './search-payloads.ts';

/** @throws DaybookError as `searchPayloads` does */
export async function payloadMatches(
  session: CaseSession,
  evidence: EvidenceReader,
  request: Omit<Request<'payload.search'>, 'list'> & { readonly list?: GivenList | undefined },
  tell: (part: Part<'payload.search'>) => Promise<void>,
  signal: AbortSignal | undefined,
): Promise<Result<'payload.search'>> {
  const { pattern, query, from, to, list, zone, limit } = request;
  const found: Result<'payload.search'>['matches'] = [];
  const search = await searchPayloads(session, evidence, {
    ...{ pattern, from, to, list, zone, limit, signal },
    query: query.trim() === '' ? undefined : query,
    report: (progress) => tell({ ...progress, matches: found.length }),
  });
  for await (const matches of search.matches())
    for (const { time: _, ...match } of matches) found.push(match);
  const { matches: _, ...report } = search.report;
  return { matches: found, ...report };
}
