/** Handlers of operations that ask. */
import type { queryOperations } from '../../contract/operations/query.ts';
import { complete, completionsOf } from './complete.ts';
import { conversations, fieldValues, timeline, top } from '../../search/index.ts';
import { fieldList } from '../case/fields/field-list.ts';
import type { HandlersOf, Services } from '../handler.ts';
import { asksCase, hostNames, hosts } from './hosts/hosts.ts';
import { keepList, withList } from './kept-lists.ts';
import { previewList } from './list-preview.ts';
import { closeList, listPlace, listRows, openList } from './open-results.ts';
import { takeApart } from './parse-query.ts';
import { explainQuery, runQuery } from './run-query.ts';
import { unmatched } from './unmatched.ts';
import { unsearched } from './not-searched.ts';

export function queryHandlers({
  cases,
}: Pick<Services, 'cases'>): HandlersOf<keyof typeof queryOperations> {
  return {
    'query.parse': async ({ case: folder, query, zone }) =>
      folder === undefined
        ? takeApart(query, zone, undefined)
        : cases.use(folder, async (session) => takeApart(query, zone, session)),
    'query.complete': (request, { client, signal }) =>
      cases.use(request.case, (session) =>
        complete(completionsOf(session), withList(client, request), signal),
      ),
    'query.run': (request, { client, signal }) =>
      cases.use(request.case, (session) => runQuery(session, withList(client, request), signal)),
    'list.keep': async ({ bytes }, { client }) => ({ id: keepList(client, bytes) }),
    'list.preview': (request, { client }) =>
      cases.use(request.case, async (session) =>
        previewList(session, withList(client, request).list),
      ),
    'list.unmatched': (request, { client, signal }) =>
      cases.use(request.case, (session) => unmatched(session, withList(client, request), signal)),
    'query.unsearched': (request, { client, signal }) =>
      cases.use(request.case, (session) => unsearched(session, withList(client, request), signal)),
    'query.explain': (request, { client }) =>
      cases.use(request.case, async (session) => ({
        lines: await explainQuery(session, withList(client, request)),
      })),
    'result.open': (request, { client, signal, part }) =>
      cases.use(request.case, (session) =>
        openList(session, request.case, withList(client, request), client, signal, (batch) =>
          part({ batch }),
        ),
      ),
    'result.rows': (request, { client, signal }) =>
      cases.use(request.case, (session) =>
        listRows(session, request.result, request, client, signal),
      ),
    'result.locate': (request, { client, signal }) =>
      cases.use(request.case, (session) =>
        listPlace(session, request.result, request.ts, client, signal),
      ),
    'result.close': async ({ result }, { client }) => {
      closeList(client, result);
      return {};
    },
    'timeline.run': (request, { client, signal }) =>
      cases.use(request.case, (session) => timeline(session, withList(client, request), signal)),
    'top.run': (request, { client, signal }) =>
      cases.use(request.case, (session) => top(session, withList(client, request), signal)),
    'conversations.run': (request, { client, signal }) =>
      cases.use(request.case, (session) =>
        conversations(session, withList(client, request), signal),
      ),
    'hosts.names': (request, { signal }) =>
      cases.use(request.case, (session) => hostNames(asksCase(session), request.addresses, signal)),
    'hosts.run': (request, { client, signal }) =>
      cases.use(request.case, (session) =>
        hosts(asksCase(session), withList(client, request), signal),
      ),
    'field.list': (request, { signal }) =>
      cases.use(request.case, (session) => fieldList(session, signal)),
    'field.values': (request, { client, signal }) =>
      cases.use(request.case, (session) => fieldValues(session, withList(client, request), signal)),
  };
}
