/** Matches in payloads, as a window asks for them. */
import type { Part, Request, Result } from '../../contract/operations.ts';
import { type CaseSession, type GivenList, eventIdOf } from '../../search/index.ts';
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
  const { matches: _, ...report } = await searchPayloads(session, evidence, {
    ...{
      pattern,
      query: query.trim() === '' ? undefined : query,
      from,
      to,
      list,
      zone,
      limit,
      signal,
    },
    found: ({ sourceId, flow, time: _time, ...match }) =>
      found.push({ event: eventIdOf({ sourceId, seq: -flow }), ...match }),
    report: (progress) => tell({ ...progress, matches: found.length }),
  });
  return { matches: found, ...report };
}
