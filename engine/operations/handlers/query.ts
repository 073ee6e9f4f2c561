/** Handlers of operations that ask. */
import type { queryOperations } from '../../contract/operations/query.ts';
import { complete } from '../complete.ts';
import { conversations } from '../conversations.ts';
import { fieldList } from '../field-list.ts';
import { fieldValues } from '../field-values.ts';
import type { HandlersOf, Services } from '../handler.ts';
import { closeList, listPlace, listRows, openList } from '../open-results.ts';
import { takeApart } from '../parse-query.ts';
import { explainQuery, runQuery } from '../run-query.ts';
import { timeline } from '../timeline.ts';
import { top } from '../top.ts';
import { unmatchedLines } from '../unmatched-lines.ts';

export function queryHandlers({
  cases,
}: Pick<Services, 'cases'>): HandlersOf<keyof typeof queryOperations> {
  return {
    'query.parse': async ({ case: folder, query, zone }) =>
      folder === undefined
        ? takeApart(query, zone, undefined)
        : cases.use(folder, async (session) => takeApart(query, zone, session)),
    'query.complete': (request, { signal }) =>
      cases.use(request.case, (session) => complete(session, request, signal)),
    'query.run': (request, { signal }) =>
      cases.use(request.case, (session) => runQuery(session, request, signal)),
    'list.unmatched': (request, { signal }) =>
      cases.use(request.case, (session) => unmatchedLines(session, request, signal)),
    'query.explain': (request) =>
      cases.use(request.case, async (session) => ({ lines: await explainQuery(session, request) })),
    'result.open': (request, { client, signal, part }) =>
      cases.use(request.case, (session) =>
        openList(session, request.case, request, client, signal, (batch) => part({ batch })),
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
    'timeline.run': (request, { signal }) =>
      cases.use(request.case, (session) => timeline(session, request, signal)),
    'top.run': (request, { signal }) =>
      cases.use(request.case, (session) => top(session, request, signal)),
    'conversations.run': (request, { signal }) =>
      cases.use(request.case, (session) => conversations(session, request, signal)),
    'field.list': (request, { signal }) =>
      cases.use(request.case, (session) => fieldList(session, signal)),
    'field.values': (request, { signal }) =>
      cases.use(request.case, (session) => fieldValues(session, request, signal)),
  };
}
