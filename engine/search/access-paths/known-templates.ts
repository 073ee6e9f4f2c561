/**
 * Templates of messages that a segment's text index knows: all texts of one shape have the same template, so that a
 * template's events are counted without being read.
 *
 * Rows with a unique message have no shape and must be read.
 */
import { RowSet } from '../../util/row-set.ts';
import type { SegmentIndexes } from '../../index/segment-indexes.ts';
import type { Plan } from '../../query/plan/plan.ts';
import { stageOperatorOf } from '../../query/stages/stages.ts';
import type { SegmentInfo } from '../../query/plan/scope.ts';
import { VARIABLE, templateOf } from '../../util/templates.ts';
import type { FoundRows, KnownTemplate } from '../../query/plan/known-rows/found.ts';
import {
  type Rows,
  complement,
  countOf,
  endsOf,
  intersect,
  rowsOf,
} from '../../query/plan/known-rows/rows.ts';

/** Below this number of rows, reading them is as fast as reading shapes. */
const FEW_ROWS = 1000;
/** If a larger part of the rows must be read anyway, one statement over all of them is as fast. */
const MOST_LEFT = 0.3;

/** Whether the plan groups all events of its filter by template. */
export function groupsByTemplate(plan: Plan): boolean {
  const [first] = plan.stages;
  return (
    plan.events.node === 'base' && first !== undefined && stageOperatorOf(first).byTemplate === true
  );
}

/**
 * Splits the rows into those with a known template and those to be read; returns them unchanged if none is known.
 */
export function withTemplates(
  found: FoundRows,
  segment: SegmentInfo,
  indexes: SegmentIndexes,
): FoundRows {
  const total = segment.rows;
  const count = countOf(found.rows, total);
  if (!found.exact || count === 0) return found;
  const known = (templates: KnownTemplate[], rows: Rows): FoundRows => ({
    ...found,
    rows,
    asFilter: undefined,
    by: 'index',
    templates,
  });
  if (!segment.columns.has('message'))
    return known([knownTemplate(undefined, found.rows, total)], 'none');
  if (count < FEW_ROWS) return found;
  const patterns = indexes.text?.patterns('message');
  if (patterns === undefined) return found;
  const templates: KnownTemplate[] = [];
  const seen = new Uint32Array((total + 31) >>> 5);
  let left: Rows = 'none';
  let counted = 0;
  for (const { parts, rows } of patterns) {
    const matching = intersect(rowsOf(rows), found.rows);
    if (matching === 'none') continue;
    rows.orInto(seen);
    counted += countOf(matching, total);
    if (parts === undefined) left = matching;
    else templates.push(knownTemplate(parts.map(templateOf).join(VARIABLE), matching, total));
  }
  if (countOf(left, total) > count * MOST_LEFT) return found;
  if (counted < count) {
    const without = intersect(complement(rowsOf(RowSet.ofWords(seen, total))), found.rows);
    templates.push(knownTemplate(undefined, without, total));
  }
  return known(templates, left);
}

function knownTemplate(template: string | undefined, rows: Rows, total: number): KnownTemplate {
  const { first, last } = endsOf(rows, total) ?? { first: 0, last: 0 };
  return { template, first, last, count: countOf(rows, total) };
}
