/** The context for planning: segments, sources and tags of a snapshot, and the question. */
import type { SegmentRow } from '../catalog/tables/segments.ts';
import type { EpochMicros } from '../contract/event.ts';
import type { CompileContext, SegmentInfo } from '../query/index.ts';
import { type GivenFile, lookupFiles } from '../query/lookups/lookup-file.ts';
import type { GivenList } from './lists/case-lists.ts';
import type { CaseSession } from './session/case-session.ts';
import type { Snapshot } from './session/snapshot.ts';

/** A query, and the events of the case that it concerns. */
export interface Question {
  text: string;
  from?: EpochMicros | undefined;
  to?: EpochMicros | undefined;
  /** Events must also match one of its rows. */
  list?: GivenList | undefined;
  /** Events must match none of its rows. */
  exclude?: GivenList | undefined;
  /** The files for `lookup`, by their names in the query. */
  lookups?: ReadonlyMap<string, GivenFile> | undefined;
  /** For times without a zone in the query, and for times shown. */
  zone: string;
  /** Only these segments. */
  only?: ReadonlySet<number>;
  /** Only events that arrived between two states of the case. */
  arrived?: CompileContext['arrived'];
  /** `scan`: reads the rows of every segment that may have matching ones, ignoring indexes. */
  path?: 'scan' | undefined;
  signal?: AbortSignal | undefined;
}

/** The context for planning on the case in the state of `snapshot`. */
export function contextOf(
  snapshot: Snapshot,
  question: Question,
  { lists }: Pick<CaseSession, 'lists'>,
  notBefore?: EpochMicros,
): CompileContext {
  const { only } = question;
  const all = infosOf(snapshot);
  const segments = only === undefined ? all : all.filter(({ id }) => only.has(id));
  let newestTs: number | undefined;
  for (const { maxTs } of snapshot.segments) {
    if (maxTs !== undefined && (newestTs === undefined || maxTs > newestTs)) newestTs = maxTs;
  }
  return {
    segments,
    sources: snapshot.sources,
    tags: snapshot.tags,
    newestTs,
    zone: question.zone,
    from: question.from,
    to: question.to,
    list: question.list && lists.read(question.list, segments),
    exclude: question.exclude && lists.read(question.exclude, segments),
    lookups: question.lookups && lookupFiles(question.lookups),
    arrived: question.arrived,
    notBefore,
  };
}

const infos = new WeakMap<Snapshot, readonly SegmentInfo[]>();

/** Segments as plans need them; those with equal columns share one set. */
function infosOf(snapshot: Snapshot): readonly SegmentInfo[] {
  let known = infos.get(snapshot);
  if (known === undefined) {
    const sets = new Map<string, ReadonlySet<string>>();
    known = snapshot.segments.map((segment) => {
      const key = JSON.stringify(segment.columns);
      const columns = sets.get(key) ?? new Set(segment.columns);
      sets.set(key, columns);
      return infoOf(segment, columns, snapshot);
    });
    infos.set(snapshot, known);
  }
  return known;
}

function infoOf(
  segment: SegmentRow,
  columns: ReadonlySet<string>,
  snapshot: Snapshot,
): SegmentInfo {
  const marks = snapshot.marks.get(segment.id);
  return {
    id: segment.id,
    kind: segment.kind,
    day: segment.day,
    days: segment.days,
    rows: segment.rows,
    minTs: segment.minTs,
    maxTs: segment.maxTs,
    columns,
    cut: segment.shapes > 0,
    numberForm: segment.numberForm,
    hasDeletes: marks?.has(0) ?? false,
    tags: new Set([...(marks ?? [])].filter((tag) => tag !== 0)),
    unflowedPackets: segment.unflowedPackets,
    sources: new Set(segment.sources),
  };
}
