/** `field.values`: the most frequent values of a field among the events of a view. */
import {
  type Names,
  type OutputColumn,
  type RawValue,
  type Stage,
  compileExtent,
  countOf,
  formatter,
  hasSeveralValues,
  isAlwaysThere,
} from '../../query/index.ts';
import type { Kind } from '../../contract/event.ts';
import { askView } from '../ask-view.ts';
import { type View, type ViewScope } from '../asker.ts';
import type { AskedView } from '../asked-view.ts';
import { groupsOf } from './answer-groups.ts';
import type { CaseSession } from '../session/case-session.ts';
import { SearchCost } from '../search-cost.ts';

export interface FieldValues {
  values: { value: string | number | null; count: number; share: number }[];
  distinct: number;
  present: number;
}

/** @throws DaybookError query-syntax, unknown-field, cancelled */
export function fieldValues(
  session: CaseSession,
  parameters: View & { field: string; limit: number },
  signal: AbortSignal,
  operation = 'field.values',
  more: readonly Stage[] = [],
): Promise<FieldValues & ViewScope> {
  const { field, limit } = parameters;
  return askView(
    session,
    operation,
    parameters,
    signal,
    async (asked) => {
      const { plan, snapshot } = asked;
      const kinds = more.length === 0 ? await kindCounts(asked, field) : undefined;
      if (kinds !== undefined) return kindValues(kinds, limit);
      const { statement, rows: found } = await groupsOf(asked);
      // An event with two values counts for both, but is one event.
      let events: number | undefined;
      if (found.length > 0 && hasSeveralValues(plan, field)) {
        const [[all] = []] = await asked.rows(compileExtent(plan));
        events = Number(all ?? 0);
      }
      return valuesOf(statement.columns, found, snapshot, events);
    },
    valueStages(field, limit, more),
  );
}

/** Stages whose groups are the values of a field. */
export function valueStages(field: string, limit: number, more: readonly Stage[] = []): Stage[] {
  const place = { start: 0, end: 0 };
  // Fields that every event has need no test, and a test of `kind` would add packets.
  const present: Stage[] = isAlwaysThere(field)
    ? []
    : [
        {
          stage: 'where',
          filter: { node: 'field', name: field, test: { test: 'present' }, ...place },
          ...place,
        },
      ];
  const top: Stage = {
    ...{ stage: 'top', limit, fields: [{ name: field, ...place }], ...place },
    by: { fn: 'count', of: undefined, as: COUNT, ...place },
  };
  return [...present, ...more, top];
}

/** @param events number of events that have the field, if they may have several values of it */
export function valuesOf(
  columns: readonly OutputColumn[],
  found: readonly (readonly RawValue[])[],
  names: Names,
  events: number | undefined,
): FieldValues {
  const { value } = formatter(names);
  const [column] = columns;
  const parts = columns.reduce((n, one) => n + one.parts.length, 0);
  const there = events ?? Number(found[0]?.[parts] ?? 0);
  return {
    values: found.map((row) => {
      const shown = column === undefined ? null : value(column, row);
      const count = Number(row[parts + 3] ?? 0);
      return {
        value: typeof shown === 'object' && shown !== null ? JSON.stringify(shown) : shown,
        count,
        share: there === 0 ? 0 : count / there,
      };
    }),
    distinct: Number(found[0]?.[parts + 2] ?? 0),
    present: there,
  };
}

/**
 * Events by kind, if the matching rows are known: all rows of a segment are of one kind. Undefined for another
 * field.
 */
async function kindCounts(
  { finder, plan, watch }: AskedView,
  field: string,
): Promise<ReadonlyMap<Kind, number> | undefined> {
  const found = plan.resolve({ name: field, start: 0, end: 0 });
  const isKind = found.type === 'virtual' && found.name === 'kind' && found.ref === undefined;
  if (!isKind || finder === undefined || plan.events.node !== 'base') return undefined;
  const { filter } = plan.events;
  const before = await finder.findAll(filter, plan.segmentsUsed);
  // The timeline of the same view needs them as well.
  const rows = await finder.exact(filter, plan.segmentsUsed);
  const cost = new SearchCost('catalog');
  const counts = new Map<Kind, number>();
  for (const segment of plan.segmentsUsed) {
    cost.add(segment, before.get(segment.id));
    const n = countOf(rows.get(segment.id)?.rows ?? 'none', segment.rows);
    if (n > 0) counts.set(segment.kind, (counts.get(segment.kind) ?? 0) + n);
  }
  cost.tell(watch);
  return counts;
}

function kindValues(counts: ReadonlyMap<Kind, number>, limit: number): FieldValues {
  const present = [...counts.values()].reduce((sum, n) => sum + n, 0);
  const values = [...counts]
    .map(([value, count]) => ({ value, count, share: count / present }))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
    .slice(0, limit);
  return { values, distinct: counts.size, present };
}

/** A name that no field has. */
const COUNT = '\u0000count';
