/** Segments and rows that the statements of a plan read. */
import type { Found, FoundRows, Path } from './known-rows/found.ts';
import type { EventsNode } from './events-node.ts';
import type { Plan } from './plan.ts';
import { countOf } from './known-rows/rows.ts';
import type { SegmentInfo } from './scope.ts';

/** What is known about a segment's events, on each side of a union; undefined if nothing is. */
export function foundOf(node: EventsNode, segment: SegmentInfo): (FoundRows | undefined)[] {
  switch (node.node) {
    case 'base':
      return [node.found?.get(segment.id)];
    case 'union':
      return [...foundOf(node.left, segment), ...foundOf(node.right, segment)];
    default:
      return foundOf(node.of, segment);
  }
}

/** Segments whose rows a statement of the plan reads. */
export function segmentsRead(plan: Plan): SegmentInfo[] {
  return plan.segmentsUsed.filter((segment) =>
    foundOf(plan.events, segment).some(
      (found) => found?.rows !== 'none' || found.templates !== undefined,
    ),
  );
}

const WEIGHT: readonly Path[] = ['catalog', 'rollup', 'index', 'scan'];

export function heavier(a: Path, b: Path): Path {
  return WEIGHT.indexOf(a) < WEIGHT.indexOf(b) ? b : a;
}

/** How a statement of the plan accesses its rows: by number, or by reading all. */
export function pathOf(plan: Plan): Path {
  let path: Path = 'catalog';
  for (const segment of plan.segmentsUsed) {
    for (const found of foundOf(plan.events, segment)) {
      if (found === undefined || found.asFilter === true || found.rows === 'all') return 'scan';
      // Found by reading all rows.
      if (found.by === 'scan') return 'scan';
      if (found.rows !== 'none') path = 'index';
      else if (found.by !== 'catalog') path = heavier(path, 'index');
    }
  }
  return path;
}

/** Number of rows that a statement of the plan reads. */
export function rowsRead(plan: Plan): number {
  return plan.segmentsUsed.reduce(
    (sum, segment) =>
      sum +
      foundOf(plan.events, segment).reduce(
        (most, found) =>
          Math.max(
            most,
            countOf(found === undefined || readsAll(found) ? 'all' : found.rows, segment.rows) +
              2 * (found?.templates?.length ?? 0),
          ),
        0,
      ),
    0,
  );
}

/** What is known about the events of a plan that consists of a filter only. */
export function foundByFilter(plan: Plan): Found | undefined {
  return plan.events.node === 'base' ? plan.events.found : undefined;
}

/** Whether all rows are read: that costs less than skipping a few, such as deleted ones. */
export function readsAll(found: FoundRows): boolean {
  return found.asFilter === true || found.by === 'scan';
}
