/** The operations of the contract that the case on a cluster answers. Those that are not here it refuses (refusals.ts). */
import type { ClusterAddress } from '../../contract/cluster-address.ts';
import { clusterAddress } from '../../contract/cluster-address.ts';
import { DaybookError } from '../../contract/errors.ts';
import { summarise } from '../../measure/operation-log.ts';
import { fieldListOf } from '../case/field-list.ts';
import type { Handlers } from '../handler.ts';
import { complete } from '../query/complete.ts';
import { hintsWhenEmpty } from '../query/empty-hints.ts';
import { hostNames, hosts } from '../query/hosts.ts';
import { withList } from '../query/kept-lists.ts';
import { previewIn } from '../query/list-preview.ts';
import { notSearchedText } from '../query/not-searched.ts';
import { takeApartIn } from '../query/parse-query.ts';
import { answerOf } from '../query/run-query.ts';
import { asksCluster } from './asks-cluster.ts';
import { clusterDays, clusterInfo, watchCluster } from './case-info.ts';
import { clusterSources, sourceListOf } from './cluster-case.ts';
import { askCluster } from './cluster-query.ts';
import { eventContextOn, eventOn } from './event.ts';
import { closeListOn, listPlaceOn, listRowsOn, openListOn } from './event-list.ts';
import { conversationsOn, timelineOn, topOn, valuesOn } from './groups.ts';
import { findingsOn, listNotesOn, setNoteOn, tagOn } from './marks.ts';
import { CaseOnCluster, type ClusterSession, type Measured, statusOfError } from './session.ts';
import { askOnCluster } from './view.ts';

/** @param addresses of the clusters that may be contacted */
export function clusterHandlers(addresses: readonly ClusterAddress[]): Partial<Handlers> {
  const places = new Map(addresses.map((one) => [one.name, new CaseOnCluster(one)]));
  const placeOf = (address: string): CaseOnCluster => {
    const { name } = clusterAddress(address);
    const place = places.get(name);
    if (place !== undefined) return place;
    // A link to a window must not make it contact anybody.
    throw new DaybookError(
      ...([
        'usage',
        `this window was not started for ${name}, and contacts no other server`,
      ] as const),
      `start one for it: daybook serve ${name}`,
    );
  };
  const use = <T>(
    { case: address }: { readonly case: string },
    signal: AbortSignal,
    work: (session: ClusterSession) => Promise<T>,
  ): Promise<T> => placeOf(address).use(signal, work);
  return {
    'case.open': (request, { signal }) => use(request, signal, clusterInfo),
    'case.watch': (request, { signal, part }) => watchCluster(placeOf(request.case), signal, part),
    'case.days': (request, { signal }) =>
      use(request, signal, async (session) => ({ days: clusterDays(session) })),
    'case.sources': (request, { signal }) =>
      use(request, signal, async ({ cluster }) => ({
        sources: sourceListOf(await clusterSources(cluster)),
        unread: [],
      })),
    'case.latency': async ({ case: address, recent }) => {
      const { measured } = placeOf(address);
      return {
        summary: summarise(measured),
        recent: recent === 0 ? [] : measured.slice(-recent),
      };
    },
    'import.follow': async (request) => {
      placeOf(request.case);
      return null;
    },
    'note.list': (request, { signal }) =>
      use(request, signal, ({ cluster }) => listNotesOn(cluster)),
    'note.set': (request, { signal }) =>
      use(request, signal, async ({ cluster }) => {
        await setNoteOn(cluster, request.event, request.text);
        placeOf(request.case).wake();
        return {};
      }),
    'tag.set': ({ name, remove, target, ...request }, { client, signal }) =>
      use(request, signal, async (session) => {
        const { matched, changed } = await tagOn(session, {
          ...{ name, remove },
          target: 'events' in target ? target : { view: withList(client, target.view) },
        });
        placeOf(request.case).wake();
        return { matched, changed };
      }),
    'search.list': async (request) => {
      placeOf(request.case);
      return { searches: [] };
    },
    'finding.list': (request, { signal }) =>
      use(request, signal, async (session) => ({ findings: await findingsOn(session) })),
    'query.history': async ({ case: address, limit }) => ({
      queries: pastQueries(placeOf(address).measured, limit),
    }),
    'query.parse': ({ case: address, query, zone }, { signal }) =>
      use({ case: address ?? '' }, signal, async ({ context }) =>
        takeApartIn(query, { ...context, zone }),
      ),
    'query.complete': (request, { client, signal }) =>
      use(request, signal, (session) => {
        const { context } = session;
        const from = {
          ...context,
          values: (view: Parameters<typeof valuesOn>[1], more: Parameters<typeof valuesOn>[3]) =>
            valuesOn(session, view, 'query.complete', more),
          // Each is counted over all events: names are enough.
          fields: async () => undefined,
        };
        return complete(from, withList(client, request), signal);
      }),
    'query.run': (request, { client, signal }) =>
      use(request, signal, async (session) => {
        const { query: text, from, to, list, zone, limit, aside } = withList(client, request);
        const operation = aside === true ? 'query.aside' : 'query.run';
        const question = { text, from, to, list, zone, limit: limit + 1, operation };
        const running = await asked(session, question);
        try {
          const answer = await answerOf(running, running.shownRows(), limit);
          session.record(running.watch, 'done', text);
          return answer;
        } catch (error) {
          session.record(running.watch, statusOfError(error), text);
          throw error;
        }
      }),
    'query.explain': (request, { client, signal }) =>
      use(request, signal, async (session) => {
        const { query: text, from, to, list, zone } = withList(client, request);
        const running = await asked(session, { text, from, to, list, zone });
        return { lines: await running.explain() };
      }),
    'query.unsearched': (request, { client, signal }) =>
      use(request, signal, (session) => unsearchedOn(session, withList(client, request))),
    'list.preview': (request, { client, signal }) =>
      use(request, signal, async ({ context: { lists, segments } }) =>
        previewIn(withList(client, request).list, segments, (given) => lists.read(given, segments)),
      ),
    'result.open': (request, { client, signal, part }) =>
      use(request, signal, (session) =>
        openListOn(session, withList(client, request), client, (batch) => part({ batch })),
      ),
    'result.rows': (request, { client, signal }) =>
      use(request, signal, (session) => listRowsOn(session, request.result, request, client)),
    'result.locate': (request, { client, signal }) =>
      use(request, signal, (session) => listPlaceOn(session, request.result, request.ts, client)),
    'result.close': async ({ result }, { client }) => {
      closeListOn(client, result);
      return {};
    },
    'timeline.run': (request, { client, signal }) =>
      use(request, signal, (session) => timelineOn(session, withList(client, request))),
    'top.run': (request, { client, signal }) =>
      use(request, signal, (session) => topOn(session, withList(client, request))),
    'field.values': (request, { client, signal }) =>
      use(request, signal, (session) => valuesOn(session, withList(client, request))),
    'field.list': (request, { signal }) =>
      use(request, signal, async (session) =>
        fieldListOf(await placeOf(request.case).fieldsOf(session), session.context.segments),
      ),
    'conversations.run': (request, { client, signal }) =>
      use(request, signal, (session) => conversationsOn(session, withList(client, request))),
    'hosts.run': (request, { client, signal }) =>
      use(request, signal, (session) =>
        hosts(asksCluster(session.cluster, session.context), withList(client, request), signal),
      ),
    'hosts.names': (request, { signal }) =>
      use(request, signal, (session) =>
        hostNames(asksCluster(session.cluster, session.context), request.addresses, signal),
      ),
    'event.get': (request, { signal }) =>
      use(request, signal, (session) => eventOn(session, request.event)),
    'event.context': (request, { signal }) =>
      use(request, signal, (session) => eventContextOn(session, request, signal)),
  };
}

async function asked(session: ClusterSession, question: Parameters<typeof askCluster>[1]) {
  return askCluster(session.cluster, question, session.context);
}

/** What a view without events does not search. The cluster has no quarantined records, and no files. */
function unsearchedOn(session: ClusterSession, view: Parameters<typeof askOnCluster>[2]) {
  return askOnCluster(session, 'query.unsearched', view, async ({ plan }) => {
    const nothing = { count: 0, matching: 0, looked: 0 };
    const isRanged = plan.range.from !== undefined || plan.range.to !== undefined;
    const undated = session.context.segments.filter(({ day }) => day === 'undated');
    const left = {
      ...{ quarantined: nothing, unread: nothing },
      undated: isRanged ? undated.reduce((sum, { rows }) => sum + rows, 0) : 0,
      packetsBeneath: plan.packetsBeneath,
    };
    return {
      ...{ quarantined: nothing, unread: nothing, undated: left.undated },
      lines: [...notSearchedText(left), ONLY_THERE],
      hints: hintsWhenEmpty(plan),
    };
  });
}

const ONLY_THERE =
  'quarantined records and files that were not read are in the case only, and are not searched';

/** Operations by which a person asks a query. */
const ASKING: ReadonlySet<string> = new Set(['query.run', 'result.open']);

function pastQueries(measured: readonly Measured[], limit: number) {
  const found = new Map<string, { query: string; at: string; count: number }>();
  for (const { operation, text, at, status } of measured.toReversed()) {
    if (text === undefined || status !== 'done' || !ASKING.has(operation)) continue;
    const known = found.get(text) ?? { query: text, at, count: 0 };
    found.set(text, { ...known, count: known.count + 1 });
  }
  return [...found.values()].slice(0, limit);
}
