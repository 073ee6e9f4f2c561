/** `union (query)`: the events of both, each once. */
import type { Stage } from '../syntax/ast.ts';
import { TIME_ORDER } from '../statements/events.ts';
import { syntaxError } from '../syntax/query-error.ts';
import type { Relation } from '../statements/relation.ts';
import type { StageOperator } from './operator.ts';

type UnionStage = Extract<Stage, { stage: 'union' }>;

/**
 * In order of time, whatever the order of a side. Both sides must share the set of needed columns, so that their
 * SQL has the same columns.
 */
export function unionRelation(left: Relation, right: Relation): Relation {
  return {
    ...left,
    order: TIME_ORDER,
    sql: () => `SELECT * FROM (${left.sql()}) AS a UNION SELECT * FROM (${right.sql()}) AS b`,
  };
}

export const unionOperator: StageOperator<UnionStage> = {
  events: ({ query, start }, before, { isTable, eventsOf }) => {
    if (isTable)
      throw syntaxError(
        'union takes events, not a table',
        start,
        'put union before the stage that makes a table of them',
      );
    const left = before.events;
    const right = eventsOf(query);
    const isFilter = left.node === 'base' && right.node === 'base';
    return {
      ...before,
      events: isFilter
        ? { node: 'base', filter: { filter: 'or', items: [left.filter, right.filter] } }
        : { node: 'union', left, right },
    };
  },
  withQuery: (stage, change) => ({ ...stage, query: change(stage.query) }),
};
