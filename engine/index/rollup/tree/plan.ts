/** Chooses nodes that replace segments, and plans which nodes to build. */
import { TOP } from './node-file.ts';

/** Numbers of the segments that a node has the groups of. */
export interface Covering {
  readonly level: number;
  readonly segments: readonly number[];
}

/** Nodes that stand for segments, and the segments that remain. */
export interface Cover<N> {
  readonly nodes: readonly N[];
  readonly rest: ReadonlySet<number>;
}

/**
 * As many of `segments` as can be by few nodes: the largest first that have nothing else.
 * @param nodes those of the most segments first
 * @param isOfUse asked of a node that would be chosen
 */
export function coverBy<N extends Covering>(
  segments: Iterable<number>,
  nodes: readonly N[],
  isOfUse: (node: N) => boolean = () => true,
): Cover<N> {
  const rest = new Set(segments);
  const chosen: N[] = [];
  for (const node of nodes) {
    if (rest.size === 0) break;
    if (node.segments.length > rest.size || !node.segments.every((id) => rest.has(id))) continue;
    if (!isOfUse(node)) continue;
    for (const id of node.segments) rest.delete(id);
    chosen.push(node);
  }
  return { nodes: chosen, rest };
}

/** Those of the most segments first. */
export function largestFirst<N extends Covering>(nodes: Iterable<N>): N[] {
  return [...nodes].sort((a, b) => b.segments.length - a.segments.length || a.level - b.level);
}

/**
 * The nodes that segments should have: runs of `fanOut` that follow each other, runs of those, and the
 * top. Nodes that are there and fit stay as they are; what no node has yet is put together.
 * @param segments in the order of time
 * @param there nodes of these segments
 */
export function plannedNodes(
  segments: readonly number[],
  there: readonly Covering[],
  fanOut: number,
): Covering[] {
  const place = new Map(segments.map((id, at) => [id, at]));
  const planned: Covering[] = [];
  let parts: (readonly number[])[] = segments.map((id) => [id]);
  for (let level = 1; parts.length > 0; level++) {
    const taken = new Set<number>();
    const nodes: Covering[] = [];
    for (const node of there) {
      if (node.level !== level || node.segments.some((id) => taken.has(id) || !place.has(id)))
        continue;
      for (const id of node.segments) taken.add(id);
      nodes.push(node);
    }
    const free = parts.filter((part) => !part.some((id) => taken.has(id)));
    for (let at = 0; at + fanOut <= free.length; at += fanOut)
      nodes.push({ level, segments: free.slice(at, at + fanOut).flat() });
    planned.push(...nodes);
    const first = (node: readonly number[]): number => place.get(node[0]!) ?? 0;
    parts = nodes.map((node) => node.segments).sort((a, b) => first(a) - first(b));
  }
  if (segments.length > 1) planned.push({ level: TOP, segments });
  return planned;
}
