/** The first or the last rows, in the order so far. */
import { type Relation, orderBy } from '../statements/relation.ts';

export function limited(relation: Relation, limit: number, reversed: boolean): Relation {
  const { order, scope } = relation;
  const most = scope.params.bind(limit, 'BIGINT');
  return {
    ...relation,
    sql: () =>
      `SELECT * FROM (${relation.sql()}) AS r ORDER BY ${orderBy(order, reversed)} LIMIT ${most}`,
  };
}
