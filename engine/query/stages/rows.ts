/** `where`, `sort`, `head`, `tail`, `dedup`: stages that choose and order rows, of events or tables. */
import type { Name, SortKey } from '../ast.ts';
import { quoteIdentifier } from '../dialect/duckdb.ts';
import { type Filter, compileFilter } from '../filters/filter.ts';
import { type OrderKey, type Relation, orderBy } from '../relation.ts';
import { combine, shapeOf, variantsOf } from '../values.ts';

export function whereStage(relation: Relation, filter: Filter): Relation {
  const condition = compileFilter(filter, relation.scope);
  if (!('sql' in condition) && condition.value) return relation;
  const sql = 'sql' in condition ? condition.sql : 'FALSE';
  return { ...relation, sql: () => `SELECT * FROM (${relation.sql()}) AS r WHERE ${sql}` };
}

export function sortStage(relation: Relation, keys: readonly SortKey[]): Relation {
  const order: OrderKey[] = [];
  for (const { by, descending } of keys) {
    const parts = valueParts(relation, by);
    for (const sql of parts) order.push({ sql, descending });
  }
  const known = new Set(order.map(({ sql }) => sql));
  return { ...relation, order: [...order, ...relation.order.filter(({ sql }) => !known.has(sql))] };
}

export function headStage(relation: Relation, limit: number): Relation {
  return limited(relation, limit, false);
}

export function tailStage(relation: Relation, limit: number): Relation {
  return limited(relation, limit, true);
}

function limited(relation: Relation, limit: number, reversed: boolean): Relation {
  const { order, scope } = relation;
  const most = scope.params.bind(limit, 'BIGINT');
  return {
    ...relation,
    sql: () =>
      `SELECT * FROM (${relation.sql()}) AS r ORDER BY ${orderBy(order, reversed)} LIMIT ${most}`,
  };
}

/** Keeps the first row, in the order so far, of each combination of values. */
export function dedupStage(relation: Relation, fields: readonly Name[]): Relation {
  const keys = fields.flatMap((field) => valueParts(relation, field));
  const { order } = relation;
  return {
    ...relation,
    sql: () =>
      `SELECT * FROM (${relation.sql()}) AS r QUALIFY row_number() OVER (PARTITION BY ${keys.join(', ')} ORDER BY ${orderBy(order)}) = 1`,
  };
}

/** The parts of a field's value; of a field with several values, the first. */
function valueParts(relation: Relation, name: Name): readonly string[] {
  const { scope, extent } = relation;
  const field = relation.resolve(name);
  const shape = shapeOf(field, name.start, extent);
  return combine([variantsOf(field, shape, scope, extent)])[0]?.parts ?? [quoteIdentifier('ts')];
}
