/** Grouping by fields: the part that `top`, `stats`, `values` and `timeline` share. */
import type { Name } from '../ast.ts';
import type { Field } from '../fields.ts';
import { both } from '../filters/logic.ts';
import {
  type Branch,
  type Input,
  type TableColumn,
  inputColumns,
  nameColumns,
} from '../relation.ts';
import type { Scope } from '../scope.ts';
import { type ValueShape, type Variant, combine, shapeOf, variantsOf } from '../values.ts';
import type { CompiledMeasure } from './measure.ts';

export interface Keys {
  readonly columns: readonly TableColumn[];
  values(scope: Scope): Variant[];
}

/** Throws QueryError when a name is unknown, no value, or there twice. */
export function groupKeys(names: readonly Name[], input: Input): Keys {
  const fields: { field: Field; shape: ValueShape }[] = names.map((name) => {
    const field = input.resolve(name);
    return { field, shape: shapeOf(field, name.start, input.extent) };
  });
  const columns = nameColumns(
    fields.map(({ shape }) => ({ name: shape.name, shape })),
    names[0]?.start ?? 0,
  );
  return {
    columns,
    values: (scope) =>
      combine(fields.map(({ field, shape }) => variantsOf(field, shape, scope, input.extent))),
  };
}

/** Rows with the keys and everything the measures need. */
export function keyedRows(keys: Keys, measures: readonly CompiledMeasure[], input: Input): string {
  const columns = [
    ...inputColumns(keys.columns),
    ...measures.flatMap((measure) => measure.columns),
  ];
  return input.rows(columns, (scope): Branch[] =>
    combine([keys.values(scope), ...measures.map((measure) => measure.values(scope))]).map(
      ({ parts, also }) => ({ select: parts, also: both([also]) }),
    ),
  );
}

/** `"c0", "c1"`: every SQL column of the keys. */
export function keyList(keys: Keys): string {
  return keys.columns.flatMap(({ aliases }) => aliases.map((alias) => `"${alias}"`)).join(', ');
}
