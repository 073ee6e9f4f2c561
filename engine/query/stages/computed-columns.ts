/** Columns that a stage computes of each row of a table, in SQL and in memory. */
import { readsOf } from '../batch/values/field-values.ts';
import { withExpressions } from '../plan/analyse.ts';
import { type BatchTable, project, sorted, tableScopeOf } from '../batch/table.ts';
import { quoteIdentifier } from '../dialect/duckdb.ts';
import type { Name } from '../syntax/ast.ts';
import { type Resolve, chosenName } from '../names/fields.ts';
import type { Surroundings } from '../filters/surroundings.ts';
import { syntaxError } from '../syntax/query-error.ts';
import {
  type Relation,
  type Table,
  type TableColumn,
  TABLE_EXTENT,
  nameColumns,
  tableFields,
} from '../statements/relation.ts';
import { shapeOf, variantsOf } from '../values/values.ts';
import type { Computed } from './operator.ts';

/** The columns after it: one with the same name is replaced in place. */
function columnsAfter(
  before: readonly TableColumn[],
  { fields, hidden }: Computed,
): { readonly columns: readonly TableColumn[]; readonly added: readonly TableColumn[] } {
  const taken = new Set(before.flatMap(({ aliases }) => aliases));
  let next = 0;
  const alias = (): string => {
    while (taken.has(`x${next}`)) next += 1;
    taken.add(`x${next}`);
    return `x${next}`;
  };
  const added = fields.map(({ name, field }): TableColumn => {
    const shape = { ...shapeOf(field, 0, TABLE_EXTENT), name };
    return { name, shape, aliases: shape.parts.map(alias) };
  });
  const byName = new Map(added.map((column) => [column.name, column]));
  const columns = before
    .filter(({ name }) => !hidden.includes(name))
    .map((column) => {
      const other = byName.get(column.name);
      byName.delete(column.name);
      return other ?? column;
    });
  return { columns: [...columns, ...byName.values()], added };
}

export function extendedTable(table: Table, made: Computed, relation: Relation): Table {
  const { columns, added } = columnsAfter(table.columns, made);
  const { scope } = relation;
  const select = added.flatMap(({ aliases, shape }, i) => {
    const parts = variantsOf(made.fields[i]!.field, shape, scope, TABLE_EXTENT)[0]?.parts ?? [];
    return aliases.map((alias, part) => `${parts[part]} AS ${quoteIdentifier(alias)}`);
  });
  return {
    columns,
    order: table.order,
    sql: `SELECT *${select.map((one) => `, ${one}`).join('')} FROM (${table.sql}) AS t`,
  };
}

/** A table of the rows of a relation of events, in their order. */
export function tableOfRows(relation: Relation, names: readonly Name[]): Table {
  const { resolve, scope, extent, order } = relation;
  const fields = names.map((name) => {
    const field = resolve(name);
    const shape = shapeOf(field, name.start, extent);
    if (shape.type === 'tag')
      throw syntaxError('tags are of events', name.start, 'put tag:NAME in the filter');
    return { field, name: chosenName(field), shape };
  });
  const columns = nameColumns(fields, names[0]?.start ?? 0);
  const select = columns.flatMap(({ aliases, shape }, i) => {
    const parts = variantsOf(fields[i]!.field, shape, scope, extent)[0]?.parts ?? [];
    return aliases.map((alias, part) => `, ${parts[part]} AS ${quoteIdentifier(alias)}`);
  });
  return { columns, order, sql: `SELECT *${select.join('')} FROM (${relation.sql()}) AS r` };
}

export function extendedBatch(table: BatchTable, made: Computed): BatchTable {
  const { columns, added } = columnsAfter(table.columns, made);
  const scope = tableScopeOf(table);
  const reads = added.flatMap(({ shape }, i) => {
    const { field } = made.fields[i]!;
    const all = readsOf(field, scope);
    if (field.type !== 'address') return all.slice(0, shape.parts.length);
    return shape.parts.map(({ role }) => all[role === 'v4' ? 0 : 1]!);
  });
  const all = [...table.columns, ...added];
  const rows = table.rows.map((row, i) => [...row, ...reads.map((read) => read(i))]);
  const extended = { ...table, columns: all, rows };
  return columns.length === all.length ? extended : project(sorted(extended), columns);
}

/** The names of a table in memory, and expressions of them. */
export function batchResolve(table: BatchTable, around: Surroundings): Resolve {
  return withExpressions(tableFields(table.columns), around);
}
