/** `union (query)`: the events of both, each once. */
import type { Stage } from '../syntax/ast.ts';
import { TIME_ORDER } from '../statements/events.ts';
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

/** A union is a node of a plan's events, with a query on either side. */
export const unionOperator: StageOperator<UnionStage> = {
  form: 'union (query)',
  does: 'the events of another query, too',
  parse: (reader) => ({ stage: 'union', query: reader.nested() }),
  withQuery: (stage, change) => ({ ...stage, query: change(stage.query) }),
};
