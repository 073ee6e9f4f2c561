/** `count`: one number. */
import { type Input, type Table, valueShape } from '../relation.ts';
import { TRUE } from '../scope.ts';

export function countStage(input: Input): Table {
  const rows = input.rows([], () => [{ select: [], also: TRUE }]);
  return {
    columns: [{ name: 'count', shape: valueShape('count', 'integer', 'BIGINT'), aliases: ['n'] }],
    order: [{ sql: '"n"', descending: false }],
    sql: `SELECT count(*) AS n FROM (${rows}) AS r`,
  };
}
