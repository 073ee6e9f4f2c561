/** Contents of the case on a cluster, its days, and changes to it. */
import { setTimeout } from 'node:timers/promises';
import { tagColor } from '../../contract/findings.ts';
import { CancelledError, hasCode } from '../../contract/errors.ts';
import type { Part, Result } from '../../contract/operations.ts';
import { daysOfAll } from '../../util/segment-days.ts';
import { text } from '../../query/dialect/clickhouse.ts';
import { caseName, type CaseInfo } from '../case/case-info.ts';
import { tagColorsOn } from './marks/findings.ts';
import { REFUSED } from './refusals.ts';
import type { CaseOnCluster, ClusterSession } from './session.ts';

/** @throws DaybookError unreadable, cancelled */
export async function clusterInfo(session: ClusterSession): Promise<CaseInfo> {
  const { cluster, context, attached } = session;
  const { segments, sources, tags } = context;
  const { database, name } = cluster.address;
  const [[bytes] = []] = await cluster.rows(
    `SELECT sum(bytes_on_disk) FROM system.parts WHERE database = ${text(database)} AND active`,
  );
  const counts = new Map(
    (
      await cluster.rows(
        `SELECT tag, uniqExact(event_id) FROM \`${database}\`.tags GROUP BY tag ORDER BY tag`,
      )
    ).map(([tag, count]) => [String(tag), Number(count)]),
  );
  const colors = await tagColorsOn(cluster);
  const byKind: CaseInfo['byKind'] = {};
  let first: number | undefined;
  let last: number | undefined;
  for (const { kind, rows, minTs, maxTs } of segments) {
    byKind[kind] = (byKind[kind] ?? 0) + rows;
    if (minTs !== undefined) first = Math.min(first ?? Infinity, minTs);
    if (maxTs !== undefined) last = Math.max(last ?? -Infinity, maxTs);
  }
  return {
    case: name,
    name: caseName(attached.name),
    readOnly: false,
    events: segments.reduce((sum, { rows }) => sum + rows, 0),
    byKind,
    days: daysOfAll(segments).filter((day) => day !== 'undated').length,
    ...{ first, last, sources: sources().length, segments: segments.length },
    bytes: Number(bytes ?? 0),
    tags: tags.map(({ id, name: tag }) => ({
      ...{ id, name: tag, count: counts.get(tag) ?? 0, color: tagColor(id, colors.get(tag)) },
    })),
    recovered: [],
    refused: { ...REFUSED },
  };
}

/** Days in order of time, `undated` last. */
export function clusterDays({ context }: ClusterSession): Result<'case.days'>['days'] {
  const days = new Map<string, Result<'case.days'>['days'][number]>();
  for (const { day: name, kind, rows } of context.segments) {
    const day = days.get(name) ?? { day: name, events: 0, byKind: {} };
    day.events += rows;
    day.byKind[kind] = (day.byKind[kind] ?? 0) + rows;
    days.set(name, day);
  }
  return [...days.values()].sort((a, b) => (a.day < b.day ? -1 : 1));
}

/** Interval at which the cluster is asked for changes. */
const WATCH_MS = 5000;

/** Reports each change until cancelled. */
export async function watchCluster(
  place: CaseOnCluster,
  signal: AbortSignal,
  tell: (part: Part<'case.watch'>) => Promise<void>,
): Promise<never> {
  let known: string | undefined;
  for (let id = 1; ;) {
    // Read before looking, so that changes made meanwhile are not missed.
    const { changed } = place;
    try {
      await place.use(signal, async (session) => {
        const now = JSON.stringify(session.attached);
        if (known !== undefined && known !== now) {
          const change = { id, at: new Date().toISOString(), operation: 'cluster', detail: {} };
          await tell({ change, info: await clusterInfo(session) });
          id += 1;
        }
        // What is unknown now is looked up again next time.
        known = now;
      });
    } catch (error) {
      // A server may answer again, and a recreated database may exist, at the next request.
      if (signal.aborted || !hasCode(error, 'unreadable', 'not-found')) throw error;
    }
    try {
      await setTimeout(WATCH_MS, undefined, { signal: AbortSignal.any([signal, changed]) });
    } catch {
      if (signal.aborted) throw new CancelledError();
    }
  }
}
