/** The parts of values by which rows are ordered and distinguished, in SQL and for a table in memory. */
import type { Name } from '../syntax/ast.ts';
import { checkNoTags, fieldName } from '../names/fields.ts';
import { quoteIdentifier } from '../dialect/duckdb.ts';
import { type Relation, type TableColumn, tableFields } from '../statements/relation.ts';
import { combine, shapeOf, variantsOf } from '../values/values.ts';

/**
 * The parts of a field's value; of a field with several values, the first.
 * @throws QueryError of tags, which have no order
 */
export function valueParts(relation: Relation, name: Name): readonly string[] {
  const { scope, extent } = relation;
  const field = relation.resolve(name);
  checkNoTags(field, name);
  const shape = shapeOf(field, name.start, extent);
  return combine([variantsOf(field, shape, scope, extent)])[0]?.parts ?? [quoteIdentifier('ts')];
}

/** The columns of a table that are named, in that order. */
export function namedColumns(
  names: readonly Name[],
  columns: readonly TableColumn[],
): TableColumn[] {
  const resolve = tableFields(columns);
  return names.flatMap((name) => {
    const called = fieldName(resolve(name));
    return columns.find((column) => column.name === called) ?? [];
  });
}
