/** The operations of the contract that the case on a cluster answers. Those that are not here it refuses (refusals.ts). */
import type { ClusterAddress } from '../../contract/cluster-address.ts';
import { clusterAddress } from '../../contract/cluster-address.ts';
import { DaybookError } from '../../contract/errors.ts';
import { summarise } from '../../measure/operation-log.ts';
import { fieldListOf } from '../case/fields/field-list.ts';
import type { Handlers } from '../handler.ts';
import { complete } from '../query/complete.ts';
import { hostNames, hosts } from '../query/hosts/hosts.ts';
import { withList } from '../query/kept-lists.ts';
import { previewIn } from '../query/list-preview.ts';
import { takeApartIn } from '../query/parse-query.ts';
import { answerOf } from '../query/run-query.ts';
import { asksCluster } from './asks-cluster.ts';
import { clusterDays, clusterInfo, watchCluster } from './case-info.ts';
import { clusterSources, sourceListOf } from './cluster-case.ts';
import { askCluster } from './cluster-query.ts';
import { eventContextOn, eventOn } from './events/event.ts';
import { closeListOn, listPlaceOn, listRowsOn, openListOn } from './events/event-list.ts';
import { conversationsOn, timelineOn, topOn, valuesOn } from './groups.ts';
import { exportRowsOn } from './events/export.ts';
import { findingsOn, resetOrderOn, setFindingOn } from './marks/findings.ts';
import { listNotesOn, setNoteOn, tagOn } from './marks/marks.ts';
import { deleteSearchOn, saveSearchOn, searchesOn } from './marks/searches.ts';
import { CaseOnCluster, type ClusterSession, type Measured, statusOfError } from './session.ts';
import { unmatchedOn, unsearchedOn } from './unsearched.ts';

/** @param addresses of the clusters that may be contacted */
export function clusterHandlers(addresses: readonly ClusterAddress[]): Partial<Handlers> {
  const cases = new CasesOnClusters(addresses);
  return {
    ...caseHandlers(cases),
    ...markHandlers(cases),
    ...queryHandlers(cases),
    ...viewHandlers(cases),
  };
}

interface AboutCase {
  /** Its address. */
  readonly case: string;
}

type Work<T> = (session: ClusterSession) => Promise<T>;

class CasesOnClusters {
  private readonly places: ReadonlyMap<string, CaseOnCluster>;

  constructor(addresses: readonly ClusterAddress[]) {
    this.places = new Map(addresses.map((one) => [one.name, new CaseOnCluster(one)]));
  }

  /** @throws DaybookError usage for a cluster that may not be contacted */
  of({ case: address }: AboutCase): CaseOnCluster {
    const { name } = clusterAddress(address);
    const place = this.places.get(name);
    if (place !== undefined) return place;
    // A link to a window must not make it contact arbitrary servers.
    throw new DaybookError(
      'usage',
      `this window was not started for ${name}, and contacts no other server`,
      `start one for it: daybook serve ${name}`,
    );
  }

  use<T>(request: AboutCase, signal: AbortSignal, work: Work<T>): Promise<T> {
    return this.of(request).use(signal, work);
  }

  /** Windows are notified of changes immediately. */
  async change<T>(request: AboutCase, signal: AbortSignal, work: Work<T>): Promise<T> {
    const done = await this.use(request, signal, work);
    this.of(request).wake();
    return done;
  }
}

/** Operations on the case as a whole. */
function caseHandlers(cases: CasesOnClusters): Partial<Handlers> {
  return {
    'case.open': (request, { signal }) => cases.use(request, signal, clusterInfo),
    'case.watch': (request, { signal, part }) => watchCluster(cases.of(request), signal, part),
    'case.days': (request, { signal }) =>
      cases.use(request, signal, async (session) => ({ days: clusterDays(session) })),
    'case.sources': (request, { signal }) =>
      cases.use(request, signal, async ({ cluster }) => ({
        sources: sourceListOf(await clusterSources(cluster)),
        unread: [],
      })),
    'case.latency': async ({ recent, ...request }) => {
      const { measured } = cases.of(request);
      return { summary: summarise(measured), recent: recent === 0 ? [] : measured.slice(-recent) };
    },
    'import.follow': async (request) => {
      cases.of(request);
      return null;
    },
    'field.list': (request, { signal }) =>
      cases.use(request, signal, async (session) =>
        fieldListOf(await cases.of(request).fieldsOf(session), session.context.segments),
      ),
  };
}

/** Operations by which people add to the case. */
function markHandlers(cases: CasesOnClusters): Partial<Handlers> {
  return {
    'note.list': (request, { signal }) =>
      cases.use(request, signal, ({ cluster }) => listNotesOn(cluster)),
    'note.set': (request, { signal }) =>
      cases.change(request, signal, async ({ cluster }) => {
        await setNoteOn(cluster, request.event, request.text);
        return {};
      }),
    'tag.set': ({ name, remove, target, ...request }, { client, signal }) =>
      cases.change(request, signal, async (session) => {
        const { matched, changed } = await tagOn(session, {
          ...{ name, remove },
          target: 'events' in target ? target : { view: withList(client, target.view) },
        });
        return { matched, changed };
      }),
    'search.list': (request, { signal }) =>
      cases.use(request, signal, async ({ cluster }) => ({ searches: await searchesOn(cluster) })),
    'search.save': (request, { signal }) =>
      cases.change(request, signal, ({ cluster }) => saveSearchOn(cluster, request)),
    'search.delete': (request, { signal }) =>
      cases.change(request, signal, async ({ cluster }) => {
        await deleteSearchOn(cluster, request.id);
        return {};
      }),
    'finding.list': (request, { signal }) =>
      cases.use(request, signal, async (session) => ({ findings: await findingsOn(session) })),
    'finding.set': ({ finding, case: address, ...given }, { signal }) =>
      cases.change({ case: address }, signal, async (session) => {
        await setFindingOn(session, finding, given);
        return {};
      }),
    'finding.reset-order': (request, { signal }) =>
      cases.change(request, signal, async (session) => {
        await resetOrderOn(session);
        return {};
      }),
  };
}

/** Operations on query texts and complete answers. */
function queryHandlers(cases: CasesOnClusters): Partial<Handlers> {
  return {
    'query.history': async (request) => ({
      queries: pastQueries(cases.of(request).measured, request.limit),
    }),
    'query.parse': ({ case: address, query, zone }, { signal }) =>
      cases.use({ case: address ?? '' }, signal, async ({ context }) =>
        takeApartIn(query, { ...context, zone }),
      ),
    'query.complete': (request, { client, signal }) =>
      cases.use(request, signal, (session) => {
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
      cases.use(request, signal, async (session) => {
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
      cases.use(request, signal, async (session) => {
        const { query: text, from, to, list, zone } = withList(client, request);
        const running = await asked(session, { text, from, to, list, zone });
        return { lines: await running.explain() };
      }),
    'query.unsearched': (request, { client, signal }) =>
      cases.use(request, signal, (session) => unsearchedOn(session, withList(client, request))),
    'list.unmatched': (request, { client, signal }) =>
      cases.use(request, signal, (session) => unmatchedOn(session, withList(client, request))),
    'list.preview': (request, { client, signal }) =>
      cases.use(request, signal, async ({ context: { lists, segments } }) =>
        previewIn(withList(client, request).list, segments, (given) => lists.read(given, segments)),
      ),
    'export.rows': (request, { client, signal, part }) =>
      cases.use(request, signal, (session) =>
        exportRowsOn(
          session,
          withList(client, request),
          // The dialog in which the path was chosen asked before replacing a file.
          { path: request.path, overwrite: true, send: (bytes) => part({ bytes }), signal },
          (done) => part({ done }),
        ),
      ),
  };
}

/** Operations for the panels of a window. */
function viewHandlers(cases: CasesOnClusters): Partial<Handlers> {
  return {
    'result.open': (request, { client, signal, part }) =>
      cases.use(request, signal, (session) =>
        openListOn(session, withList(client, request), client, (batch) => part({ batch })),
      ),
    'result.rows': (request, { client, signal }) =>
      cases.use(request, signal, (session) => listRowsOn(session, request.result, request, client)),
    'result.locate': (request, { client, signal }) =>
      cases.use(request, signal, (session) =>
        listPlaceOn(session, request.result, request.ts, client),
      ),
    'result.close': async ({ result }, { client }) => {
      closeListOn(client, result);
      return {};
    },
    'timeline.run': (request, { client, signal }) =>
      cases.use(request, signal, (session) => timelineOn(session, withList(client, request))),
    'top.run': (request, { client, signal }) =>
      cases.use(request, signal, (session) => topOn(session, withList(client, request))),
    'field.values': (request, { client, signal }) =>
      cases.use(request, signal, (session) => valuesOn(session, withList(client, request))),
    'conversations.run': (request, { client, signal }) =>
      cases.use(request, signal, (session) => conversationsOn(session, withList(client, request))),
    'hosts.run': (request, { client, signal }) =>
      cases.use(request, signal, (session) =>
        hosts(asksCluster(session.cluster, session.context), withList(client, request), signal),
      ),
    'hosts.names': (request, { signal }) =>
      cases.use(request, signal, (session) =>
        hostNames(asksCluster(session.cluster, session.context), request.addresses, signal),
      ),
    'event.get': (request, { signal }) =>
      cases.use(request, signal, (session) => eventOn(session, request.event)),
    'event.context': (request, { signal }) =>
      cases.use(request, signal, (session) => eventContextOn(session, request, signal)),
  };
}

async function asked(session: ClusterSession, question: Parameters<typeof askCluster>[1]) {
  return askCluster(session.cluster, question, session.context);
}

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
