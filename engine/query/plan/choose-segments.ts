/** Chooses the segments that a plan reads, by what is known about their rows without reading them. */
import { dayEnd, daysOfAll, dayStart } from '../../util/segment-days.ts';
import type { Params } from '../dialect/duckdb.ts';
import { allOf, conjuncts, type Filter } from '../filters/filter.ts';
import { either } from '../filters/logic.ts';
import { isUnflowed } from '../filters/unflowed.ts';
import { judge } from '../statements/events.ts';
import type { Plan, PrunedSegment } from './plan.ts';
import { columnSets, type Predicate, type SegmentInfo } from './scope.ts';

interface ChosenSegments {
  readonly used: readonly SegmentInfo[];
  readonly pruned: readonly PrunedSegment[];
  /** Whether all events of those that are used match. */
  readonly whole: boolean;
  /** One of each sort of those that are used. */
  readonly samples: readonly SegmentInfo[];
}

/** Segments that may have an event matching one of the filters, in order of time. */
export function chooseSegments(
  filters: readonly Filter[],
  segments: readonly SegmentInfo[],
  params: Params,
): ChosenSegments {
  const used: SegmentInfo[] = [];
  const pruned: PrunedSegment[] = [];
  let whole = true;
  const samples = new Alike();
  for (const segment of inOrder(segments)) {
    const verdict = either(filters.map((filter) => judge(filter, segment, params)));
    if ('sql' in verdict) whole = false;
    else if (!verdict.value) {
      pruned.push({ segment, reason: verdict.reason });
      continue;
    }
    if (segment.hasDeletes) whole = false;
    used.push(segment);
    samples.add(segment, verdict);
  }
  return { used, pruned, whole, samples: samples.segments };
}

/** Without columns that SQL cannot name. */
export function usable(segments: readonly SegmentInfo[]): readonly SegmentInfo[] {
  const isUsable = (name: string) => !name.includes('\0');
  if (columnSets(segments).every((columns) => [...columns].every(isUsable))) return segments;
  return segments.map((segment) => ({
    ...segment,
    columns: new Set([...segment.columns].filter(isUsable)),
  }));
}

function inOrder(segments: readonly SegmentInfo[]): SegmentInfo[] {
  return [...segments].sort((a, b) => compareDays(a.day, b.day) || a.id - b.id);
}

/** `undated` sorts after every day, as text does. */
function compareDays(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Number of days on which these segments have events, within a range. */
export function daysWithin(segments: readonly SegmentInfo[], { from, to }: Plan['range']): number {
  const days = daysOfAll(segments);
  if (from === undefined && to === undefined) return days.length;
  return days.filter(
    (day) =>
      day === 'undated' ||
      ((from === undefined || dayEnd(day) > from) && (to === undefined || dayStart(day) < to)),
  ).length;
}

/** Rows of a segment that a filter takes wholly. */
export function wholeRows(segment: SegmentInfo, filters: readonly Filter[]): number {
  if (segment.kind !== 'packet' || !filters.some(leavesOutPackets)) return segment.rows;
  return segment.columns.has('flow_id') ? segment.unflowedPackets : segment.rows;
}

function leavesOutPackets(filter: Filter): boolean {
  return conjuncts(filter).some(isUnflowed);
}

/** Packets of flows that the query omits, in segments that the rest of the filter reads. */
export function packetsBeneath(
  filters: readonly Filter[],
  segments: readonly SegmentInfo[],
  params: Params,
): Plan['packetsBeneath'] {
  let packets = 0;
  let exact = true;
  for (const filter of filters) {
    if (!leavesOutPackets(filter)) continue;
    const rest = allOf(conjuncts(filter).filter((item) => !isUnflowed(item)));
    for (const segment of segments) {
      const beneath = segment.rows - segment.unflowedPackets;
      if (segment.kind !== 'packet' || !segment.columns.has('flow_id') || beneath === 0) continue;
      const verdict = judge(rest, segment, params);
      if ('sql' in verdict) exact = false;
      else if (!verdict.value) continue;
      if (segment.hasDeletes) exact = false;
      packets += beneath;
    }
    break;
  }
  return packets === 0 ? undefined : { packets, exact };
}

/** A representative of segments for which the same columns are requested. */
class Alike {
  readonly segments: SegmentInfo[] = [];
  private readonly met = new Map<ReadonlySet<string>, Set<string>>();

  /** @param verdict of the plan's filters */
  add(segment: SegmentInfo, verdict: Predicate): void {
    const { columns, kind, hasDeletes } = segment;
    const key = `${kind} ${hasDeletes} ${'sql' in verdict ? verdict.sql : ''}`;
    const same = this.met.get(columns) ?? new Set();
    this.met.set(columns, same);
    if (same.has(key)) return;
    same.add(key);
    this.segments.push(segment);
  }
}
