/**
 * The input of stages: a relation of events or a table, as SQL that is assembled once everything requested of it is
 * known.
 *
 * Two views of the same: a `Relation` is one subquery with an order, for stages that select rows; an `Input`
 * provides chosen columns of it, segment by segment where possible, for stages that aggregate.
 */
import type { Name } from '../syntax/ast.ts';
import { type Params, nullOf, quoteIdentifier } from '../dialect/duckdb.ts';
import type { Field, Resolve } from '../names/fields.ts';
import { both } from '../filters/logic.ts';
import type { GroupParts } from './group-parts.ts';
import type { KnownTemplate } from '../plan/known-rows/found.ts';
import { QueryError, didYouMean, shown } from '../syntax/query-error.ts';
import { type Predicate, type Scope, type SegmentInfo, tableScope } from '../plan/scope.ts';
import type { Extent, Part, ValueShape } from '../values/values.ts';

export interface OrderKey {
  readonly sql: string;
  readonly descending: boolean;
}

export interface Relation {
  readonly resolve: Resolve;
  readonly extent: Extent;
  readonly scope: Scope;
  /** Total: no two rows are equal in it, unless they are equal in everything. */
  readonly order: readonly OrderKey[];
  /** Call it last: it includes what was requested of `scope` before. */
  sql(): string;
}

export interface InputColumn {
  readonly alias: string;
  readonly sqlType: string;
}
/** Values of the columns of an `Input` in one scope, for the rows that `also` holds for. */
export interface Branch {
  readonly select: readonly string[];
  readonly also: Predicate;
}
/** Of one segment. */
interface KnownTemplates {
  readonly segment: SegmentInfo;
  readonly templates: readonly KnownTemplate[];
}
export interface Input {
  readonly resolve: Resolve;
  readonly extent: Extent;
  readonly params: Params;
  /** Whether rows are events. */
  readonly events: boolean;
  /** Events that `rows` leaves out: they are known by their template. */
  readonly templates?: readonly KnownTemplates[];
  /** Whether groups are computed in parts; undefined: at once. */
  readonly parts?: GroupParts | undefined;
  rows(columns: readonly InputColumn[], make: (scope: Scope) => readonly Branch[]): string;
}

export function orderBy(order: readonly OrderKey[], reversed = false): string {
  return order
    .map(({ sql, descending }) => {
      if (!reversed) return `${sql} ${descending ? 'DESC' : 'ASC'} NULLS LAST`;
      return `${sql} ${descending ? 'ASC' : 'DESC'} NULLS FIRST`;
    })
    .join(', ');
}

/** A value whose byte order is this order. */
export function sortKey(order: readonly OrderKey[]): string {
  const keys = order.map(
    ({ sql, descending }) => `${sql}, '${descending ? 'DESC' : 'ASC'} NULLS LAST'`,
  );
  return `create_sort_key(${keys.join(', ')})`;
}

export function selectBranch(
  columns: readonly InputColumn[],
  branch: Branch,
  from: string | ((columns: string) => string),
  where: readonly Predicate[],
): string | undefined {
  const condition = both([...where, branch.also]);
  if (!('sql' in condition) && !condition.value) return undefined;
  const list = columns.map(({ alias }, i) => `${branch.select[i]} AS ${quoteIdentifier(alias)}`);
  const selected = list.length === 0 ? '1 AS one' : list.join(', ');
  const suffix = 'sql' in condition ? ` WHERE ${condition.sql}` : '';
  const source = typeof from === 'string' ? from : from(selected + suffix);
  return `SELECT ${selected} FROM ${source}${suffix}`;
}

/** No rows, but the right columns. */
export function emptyRows(columns: readonly InputColumn[]): string {
  const list = columns.map(
    ({ alias, sqlType }) => `${nullOf(sqlType)} AS ${quoteIdentifier(alias)}`,
  );
  return `SELECT ${list.length === 0 ? '1 AS one' : list.join(', ')} WHERE FALSE`;
}

export function unionAll(parts: readonly string[], columns: readonly InputColumn[]): string {
  return parts.length === 0 ? emptyRows(columns) : parts.join('\nUNION ALL\n');
}

/** The input of an aggregating stage that works on a subquery. */
export function relationInput(relation: Relation, events: boolean): Input {
  const { scope, resolve, extent } = relation;
  return {
    resolve,
    extent,
    params: scope.params,
    events,
    rows: (columns, make) => {
      const branches = make(scope);
      const sql = relation.sql();
      return unionAll(
        branches.flatMap((branch) => selectBranch(columns, branch, `(${sql}) AS r`, []) ?? []),
        columns,
      );
    },
  };
}

// -- tables --------------------------------------------------------------------------------------

export interface TableColumn {
  readonly name: string;
  readonly shape: ValueShape;
  /** SQL names of the parts of its value. */
  readonly aliases: readonly string[];
}

export interface Table {
  readonly columns: readonly TableColumn[];
  readonly order: readonly OrderKey[];
  readonly sql: string;
}

/** Columns with SQL names of their own, in order: `c0`, `c1`, …. Throws on a name used twice. */
export function nameColumns(
  shapes: readonly { readonly name: string; readonly shape: ValueShape }[],
  at: number,
): TableColumn[] {
  const names = new Set<string>();
  let next = 0;
  return shapes.map(({ name, shape }) => {
    if (names.has(name)) {
      throw new QueryError(
        'query-syntax',
        `a second column named ${shown(name)} (column ${at + 1})`,
        at,
        'name one with `as`',
      );
    }
    names.add(name);
    return { name, shape, aliases: shape.parts.map(() => `c${next++}`) };
  });
}

export function inputColumns(columns: readonly TableColumn[]): InputColumn[] {
  return columns.flatMap(({ aliases, shape }) =>
    aliases.map((alias, i) => ({ alias, sqlType: shape.parts[i]!.sqlType })),
  );
}

/** Ascending by all values, which makes an order total. */
export function byValue(columns: readonly TableColumn[]): OrderKey[] {
  return columns.flatMap(({ aliases }) =>
    aliases.map((alias) => ({ sql: quoteIdentifier(alias), descending: false })),
  );
}

export function valueShape(name: string, type: ValueShape['type'], sqlType: string): ValueShape {
  const part: Part = { role: 'value', sqlType };
  return { name, type, parts: [part] };
}

/** A computed column as a field of the stages after it. */
function computedField({ name, shape, aliases }: TableColumn): Field {
  const ref = (i: number) => ({ computed: aliases[i]!, sqlType: shape.parts[i]!.sqlType });
  switch (shape.type) {
    case 'integer':
    case 'real':
      return { type: 'number', name, refs: [ref(0)], names: undefined };
    case 'proto':
    case 'severity':
    case 'facility':
    case 'weekday':
      return { type: 'number', name, refs: [ref(0)], names: shape.type };
    case 'time':
      return { type: 'time', name, ref: ref(0) };
    case 'address': {
      const v4 = shape.parts.findIndex(({ role }) => role === 'v4');
      const v6 = shape.parts.findIndex(({ role }) => role === 'v6');
      return {
        type: 'address',
        name,
        sides: [{ v4: v4 < 0 ? undefined : ref(v4), v6: v6 < 0 ? undefined : ref(v6) }],
      };
    }
    case 'source':
    case 'tag':
      return { type: 'virtual', name: shape.type, ref: ref(0), column: name };
    case 'event-id':
      return {
        ...{ type: 'virtual', name: 'event_id', ref: ref(0), column: name },
        // In ClickHouse it is one text.
        seq: aliases.length > 1 ? ref(1) : undefined,
      };
    default:
      return { type: 'text', name, ref: ref(0) };
  }
}

export function tableFields(columns: readonly TableColumn[]): Resolve {
  const byName = new Map(columns.map((column) => [column.name, computedField(column)]));
  const byLower = new Map([...byName].map(([name, field]) => [name.toLowerCase(), field]));
  const resolve = ({ name, start }: Name): Field => {
    const field = byName.get(name) ?? byLower.get(name.toLowerCase());
    if (field !== undefined) return field;
    const names = columns.map((column) => column.name);
    throw new QueryError(
      'unknown-field',
      `the stage before gives no column ${shown(name)} (column ${start + 1})`,
      start,
      didYouMean(name, names) ?? `its columns are ${names.join(', ')}`,
    );
  };
  return Object.assign(resolve, { columns: new Set(byName.keys()) });
}

export const TABLE_EXTENT: Extent = { columns: undefined, tagIds: [] };

export function tableRelation(table: Table, params: Params): Relation {
  const texts = table.columns.flatMap(({ shape, aliases }) =>
    shape.type === 'text' ? aliases : [],
  );
  return {
    resolve: tableFields(table.columns),
    extent: TABLE_EXTENT,
    scope: tableScope(texts, params),
    order: table.order,
    sql: () => table.sql,
  };
}
