/** Queries of events by their ids, a bounded number in each statement. */
import { type CaseSession, type RunningQuery, startQuery } from '../../search/index.ts';

/** Each id is a term of the filter. */
const IDS_PER_QUERY = 100;

/**
 * Queries whose rows are the visible events: neither deleted nor left out. Read each before starting the next.
 * @param fields as the stage `fields` names them
 */
export function* queriesOfEvents(
  session: CaseSession,
  events: readonly string[],
  fields: string,
  how: { zone: string; operation: string; signal: AbortSignal | undefined },
): Generator<RunningQuery> {
  for (let at = 0; at < events.length; at += IDS_PER_QUERY) {
    const ids = events.slice(at, at + IDS_PER_QUERY).join(' OR ');
    yield startQuery(session, { text: `kind:* event_id:(${ids}) | fields ${fields}`, ...how });
  }
}
