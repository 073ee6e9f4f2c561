/**
 * Chooses the merged rollups that replace single segments: those whose segments all lie completely within the
 * query, have no deleted events, and have only conditions that a rollup can meet.
 */
import type { Restriction, RollupGroups } from '../../index/rollup/rollup-groups.ts';
import { coverBy } from '../../index/rollup/tree/plan.ts';
import type { LargestGroups, RollupNode } from '../../index/rollup/tree/rollup-nodes.ts';
import type { Filter } from '../../query/filters/filter.ts';
import type { SegmentInfo } from '../../query/plan/scope.ts';
import type { Dimension } from '../../query/names/dimensions.ts';
import type { GroupQuestion } from './group-question.ts';
import { type Conditions, conditionsOf, withValue } from './group-sources.ts';
import { amongValues, isAddress } from './restrictions.ts';

export interface NodeGroups {
  readonly groups: readonly RollupGroups[];
  /** Number of nodes used. */
  readonly nodes: number;
  /** Segments that they cover. */
  readonly segments: readonly SegmentInfo[];
  /** Segments that are not covered. */
  readonly rest: readonly SegmentInfo[];
  /** The total of all groups, if only the largest are given; `rest` is then empty. */
  readonly total: LargestGroups['total'] | undefined;
}

/**
 * @param nodes those with the most segments first
 * @throws IndexDamaged
 */
export function nodeGroups(
  question: GroupQuestion,
  filter: Filter,
  segments: readonly SegmentInfo[],
  nodes: readonly RollupNode[],
): NodeGroups {
  const whole = wholeSegments(question, filter, segments);
  const largest = largestOf(question, segments, nodes, whole);
  if (largest !== undefined)
    return { groups: [largest.groups], nodes: 1, segments, rest: [], total: largest.total };
  const asked = new Map<RollupNode, readonly RollupGroups[]>();
  const cover = coverBy(whole.keys(), nodes, (node) =>
    node.covers(askOf(question, conditionsOfAll(node, whole))),
  );
  for (const node of cover.nodes) {
    const conditions = conditionsOfAll(node, whole);
    const groups = node.groups(askOf(question, conditions));
    // Undefined for a node that was removed meanwhile.
    if (groups !== undefined)
      asked.set(
        node,
        groups.map((one) => conditions.present.reduce(withValue, one)),
      );
  }
  const answered = new Set([...asked.keys()].flatMap((node) => node.segments));
  return {
    groups: [...asked.values()].flat(),
    nodes: asked.size,
    segments: segments.filter(({ id }) => answered.has(id)),
    rest: segments.filter(({ id }) => !answered.has(id)),
    total: undefined,
  };
}

/** Segments that match completely, except for events that rollups leave out. */
function wholeSegments(
  question: GroupQuestion,
  filter: Filter,
  segments: readonly SegmentInfo[],
): Map<number, Conditions> {
  const whole = new Map<number, Conditions>();
  for (const segment of segments) {
    if (segment.hasDeletes) continue;
    const conditions = conditionsOf(question, filter, segment);
    if (conditions !== undefined && conditions !== 'none') whole.set(segment.id, conditions);
  }
  return whole;
}

/**
 * The conditions for a node: those of all its segments together. A segment that does not need a condition meets it
 * with all of its events, so adding it changes nothing.
 */
function conditionsOfAll(
  node: RollupNode,
  whole: ReadonlyMap<number, Conditions>,
): { unflowed: boolean; present: readonly Dimension[]; where: readonly Restriction[] } {
  const covered = node.segments.map((id) => whole.get(id)).filter((one) => one !== undefined);
  return {
    unflowed: covered.some(({ unflowed }) => unflowed),
    present: [...new Set(covered.flatMap(({ present }) => present))],
    where: [...new Set(covered.flatMap(({ chosen }) => chosen))].map((one) =>
      isAddress(one) ? amongValues(one) : one,
    ),
  };
}

function askOf(
  { dims, sums }: GroupQuestion,
  { unflowed, where }: { unflowed: boolean; where: readonly Restriction[] },
): Parameters<RollupNode['groups']>[0] {
  return { dims, measures: sums, unflowed, where };
}

/** The largest groups of the whole question, from one node. */
function largestOf(
  question: GroupQuestion,
  segments: readonly SegmentInfo[],
  nodes: readonly RollupNode[],
  whole: ReadonlyMap<number, Conditions>,
): LargestGroups | undefined {
  const { stage, shown, limit } = question;
  if (stage !== 'top' || shown[0] !== 'count' || whole.size < segments.length) return undefined;
  for (const node of nodes) {
    if (node.segments.length < segments.length) break;
    if (!node.segments.every((id) => whole.has(id))) continue;
    const conditions = conditionsOfAll(node, whole);
    const found = node.largest(askOf(question, conditions), limit);
    if (found !== undefined && conditions.present.length + conditions.where.length === 0)
      return found;
  }
  return undefined;
}
