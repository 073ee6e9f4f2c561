/** `values f`: the distinct values of a field with the number of events that have each. */
import type { Name } from '../ast.ts';
import { byValue, valueShape, type Input, type Table } from '../relation.ts';
import { groupKeys, keyList, keyedRows } from './group.ts';

export function valuesStage(field: Name, input: Input): Table {
  const keys = groupKeys([field], input);
  const list = keyList(keys);
  const rows = keyedRows(keys, [], input);
  const present = list
    .split(', ')
    .map((one) => `${one} IS NOT NULL`)
    .join(' OR ');
  return {
    columns: [
      ...keys.columns,
      { name: 'count', shape: valueShape('count', 'integer', 'BIGINT'), aliases: ['n'] },
    ],
    order: [{ sql: '"n"', descending: true }, ...byValue(keys.columns)],
    sql: `SELECT ${list}, count(*) AS n FROM (${rows}) AS r WHERE ${present} GROUP BY ${list}`,
  };
}
