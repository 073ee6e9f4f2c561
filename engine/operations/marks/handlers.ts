/** Handlers for people's additions to a case: tags, notes, saved searches, deletions. */
import type { Request } from '../../contract/operations.ts';
import type { markOperations } from '../../contract/operations/marks.ts';
import type { Client, HandlersOf, Services } from '../handler.ts';
import { queryHistory } from '../case/history.ts';
import { withList } from '../query/kept-lists.ts';
import { listFindings, resetOrder, setFinding } from './findings.ts';
import { deleteEvents, tagEvents, type MarkTarget } from './mark.ts';
import { listNotes, setNote } from './notes.ts';
import { deleteSearch, listSearches, saveSearch } from './searches.ts';

export function markHandlers({
  cases,
}: Pick<Services, 'cases'>): HandlersOf<keyof typeof markOperations> {
  return {
    'tag.set': (request, { client, signal }) =>
      cases.use(request.case, async (session) => {
        const { name, remove } = request;
        const { matched, changed } = await tagEvents({
          ...{ session, signal },
          ...targetOf(request.target, client),
          ...{ name, remove },
        });
        return { matched, changed };
      }),
    'delete.run': (request, { client, signal }) =>
      cases.use(request.case, async (session) => {
        const { reason } = request;
        const { matched, changed } = await deleteEvents({
          ...{ session, signal },
          ...targetOf(request.target, client),
          reason,
        });
        return { matched, changed };
      }),
    'note.set': (request, { signal }) =>
      cases.use(request.case, async (session) => {
        await setNote(session, request.event, request.text, signal);
        return {};
      }),
    'note.list': (request) =>
      cases.use(request.case, async (session) => ({ notes: listNotes(session) })),
    'finding.list': (request, { signal }) =>
      cases.use(request.case, async (session) => ({
        findings: await listFindings(session, signal),
      })),
    'finding.set': ({ case: path, finding, ...change }, { signal }) =>
      cases.use(path, async (session) => {
        await setFinding(session, finding, change, signal);
        return {};
      }),
    'finding.reset-order': (request) =>
      cases.use(request.case, async (session) => {
        resetOrder(session);
        return {};
      }),
    'search.list': (request) =>
      cases.use(request.case, async (session) => ({ searches: listSearches(session) })),
    'search.save': (request) =>
      cases.use(request.case, async (session) => saveSearch(session, request)),
    'search.delete': (request) =>
      cases.use(request.case, async (session) => {
        deleteSearch(session, request.id);
        return {};
      }),
    'query.history': (request) =>
      cases.use(request.case, async (session) => ({
        queries: queryHistory(session, request.limit),
      })),
  };
}

function targetOf(target: Request<'tag.set'>['target'], client: Client): MarkTarget {
  if ('events' in target) return { events: target.events };
  const { query, from, to, list, zone } = withList(client, target.view);
  return { text: query, from, to, list, zone };
}
