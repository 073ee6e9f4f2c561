/** `union (query)`: the events of both, each once. */
import type { Relation } from '../relation.ts';

/** Both sides must share the set of needed columns, so that their SQL has the same columns. */
export function unionStage(left: Relation, right: Relation): Relation {
  return {
    ...left,
    sql: () => `SELECT * FROM (${left.sql()}) AS a UNION SELECT * FROM (${right.sql()}) AS b`,
  };
}
