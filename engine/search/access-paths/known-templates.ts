/**
 * Templates of a segment's messages that its text index knows: texts of one shape have one template, so
 * that the events of a template are counted without reading them.
 *
 * Rows whose message has no shape, being like no other, are left to be read.
 */
import { RowSet } from '../../util/row-set.ts';
import type { SegmentIndexes } from '../../index/segment-indexes.ts';
import type { Plan } from '../../query/plan/plan.ts';
import type { SegmentInfo } from '../../query/plan/scope.ts';
import { VARIABLE, templateOf } from '../../util/templates.ts';
import type { FoundRows, KnownTemplate } from '../../query/plan/found.ts';
import {
  type Rows,
  complement,
  countOf,
  endsOf,
  intersect,
  rowsOf,
} from '../../query/plan/rows.ts';

/** Fewer rows are read as fast as shapes are. */
const FEW_ROWS = 1000;
/** Where more of the rows must be read all the same, one statement over all of them is as good. */
const MOST_LEFT = 0.3;

/** Whether the plan's events are asked for by template, all that its filter takes. */
export function groupsByTemplate(plan: Plan): boolean {
  return plan.events.node === 'base' && plan.stages[0]?.stage === 'patterns';
}

/** The same rows, those known by template apart from those to be read; as given where none are. */
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
    const own = intersect(rowsOf(rows), found.rows);
    if (own === 'none') continue;
    rows.orInto(seen);
    counted += countOf(own, total);
    if (parts === undefined) left = own;
    else templates.push(knownTemplate(parts.map(templateOf).join(VARIABLE), own, total));
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
