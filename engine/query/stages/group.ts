/** Grouping by fields: the part that `top`, `stats`, `values` and `timeline` share. */
import type { Name } from '../syntax/ast.ts';
import type { Field } from '../names/fields.ts';
import { both } from '../filters/logic.ts';
import {
  type Branch,
  type Input,
  type TableColumn,
  inputColumns,
  nameColumns,
} from '../statements/relation.ts';
import type { Scope } from '../plan/scope.ts';
import { type ValueShape, type Variant, combine, shapeOf, variantsOf } from '../values/values.ts';
import { type ClickHouseRows, keyOf } from '../dialect/clickhouse-rows.ts';
import type { CompiledMeasure } from './measure.ts';

export interface Keys {
  readonly columns: readonly TableColumn[];
  values(scope: Scope): Variant[];
}

/** Throws QueryError if a name is unknown, not a value, or a duplicate. */
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

/** Keys in ClickHouse: their columns, and the SELECT list that computes them. */
export function keysClickHouse(
  names: readonly Name[],
  rows: ClickHouseRows,
): { readonly columns: readonly TableColumn[]; readonly list: readonly string[] } {
  const values = names.map((name) => keyOf(name, rows));
  const columns = nameColumns(
    values.map(({ shape }) => ({ name: shape.name, shape })),
    names[0]?.start ?? 0,
  );
  return { columns, list: values.map(({ sql }, i) => `${sql} AS ${columns[i]!.aliases[0]}`) };
}

/** The columns of a table: those of the keys, then its own. */
export function keyedColumns(
  keys: { readonly columns: readonly TableColumn[] },
  start: number,
  shapes: readonly ValueShape[],
): { readonly columns: readonly TableColumn[]; readonly added: readonly TableColumn[] } {
  const all = [...keys.columns.map(({ shape }) => shape), ...shapes];
  const columns = nameColumns(
    all.map((shape) => ({ name: shape.name, shape })),
    start,
  );
  return { columns, added: columns.slice(keys.columns.length) };
}

/** GROUP BY keys; empty if there are none. */
export function groupByClickHouse(columns: readonly TableColumn[]): string {
  const aliases = columns.flatMap((column) => column.aliases);
  return aliases.length === 0 ? '' : `GROUP BY ${aliases.join(', ')}`;
}
