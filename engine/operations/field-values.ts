/** `field.values`: the most frequent values of a field among the events of a view. */
import {
  type Stage,
  compileExtent,
  formatter,
  hasSeveralValues,
  isAlwaysThere,
} from '../query/index.ts';
import { askView, type View, type ViewScope } from './ask-view.ts';
import { groupsOf } from './answer-groups.ts';
import type { CaseSession } from './case-session.ts';

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
  const place = { start: 0, end: 0 };
  // Fields that every event has need no test, and one of `kind` would bring packets in.
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
  return askView(
    session,
    operation,
    parameters,
    signal,
    async (asked) => {
      const { plan, snapshot } = asked;
      const { statement, rows: found } = await groupsOf(asked);
      const { value } = formatter({ sources: snapshot.sources, tags: snapshot.tags });
      const [column] = statement.columns;
      const parts = statement.columns.reduce((n, one) => n + one.parts.length, 0);
      let there = Number(found[0]?.[parts] ?? 0);
      // An event with two values counts for both, but is one event.
      if (found.length > 0 && hasSeveralValues(plan, field)) {
        const [[events] = []] = await asked.rows(compileExtent(plan));
        there = Number(events ?? 0);
      }
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
    },
    [...present, ...more, top],
  );
}

/** A name that no field has. */
const COUNT = '\u0000count';
