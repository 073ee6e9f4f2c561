/**
 * Rows in ClickHouse: the events that a query has found, or a table that a stage made, with what chooses and orders them,
 * until a statement is made of it; and fields as values of such rows.
 */
import { COLUMNS } from '../../contract/event.ts';
import type { Name } from '../ast.ts';
import type { Field, Ref, Resolve } from '../fields.ts';
import type { Surroundings } from '../filters/surroundings.ts';
import type { OrderKey, TableColumn } from '../relation.ts';
import { type OutputType, type ValueShape, shapeOf } from '../values.ts';
import { FALSE_SQL, TRUE_SQL, ip4, ip6, textAsNumber, untranslated } from './clickhouse.ts';
import { type ClickHouseScope, addressText, isNarrow } from './clickhouse-scope.ts';

export interface ClickHouseRows {
  /** What follows FROM. */
  readonly from: string;
  readonly where: string;
  readonly scope: ClickHouseScope;
  readonly resolve: Resolve;
  /** Undefined: rows are events. */
  readonly columns: readonly TableColumn[] | undefined;
  /** Total, as a relation's. */
  readonly order: readonly OrderKey[];
  readonly around: Surroundings;
  /** The time range that query and request name; either end may be open. */
  readonly range: TimeEnds;
  /** The first and the last time of the case. */
  readonly extent: TimeEnds;
}

interface TimeEnds {
  readonly from: number | undefined;
  readonly to: number | undefined;
}

/** A table that a stage makes; names and conditions of its columns are added to it. */
export interface ClickHouseTable {
  readonly columns: readonly TableColumn[];
  readonly order: readonly OrderKey[];
  readonly sql: string;
}

/** A SELECT of rows; `rest` is what follows WHERE. */
export function selectOf(
  list: string,
  { from, where }: Pick<ClickHouseRows, 'from' | 'where'>,
  rest = '',
): string {
  return [
    `SELECT ${list}`,
    `FROM ${from}`,
    ...(where === TRUE_SQL ? [] : [`WHERE ${unbracketed(where)}`]),
    ...(rest === '' ? [] : [rest]),
  ].join('\n');
}

/** A whole condition needs no brackets around it. */
function unbracketed(condition: string): string {
  if (!condition.startsWith('(')) return condition;
  let depth = 0;
  let inText = false;
  for (let at = 0; at < condition.length; at++) {
    const char = condition[at]!;
    if (inText) {
      if (char === '\\') at += 1;
      else if (char === "'") inText = false;
    } else if (char === "'") inText = true;
    else if (char === '`') return condition;
    else if (char === '(') depth += 1;
    else if (char === ')' && --depth === 0)
      return at === condition.length - 1 ? condition.slice(1, -1) : condition;
  }
  return condition;
}

export function subquery(sql: string): string {
  return `(\n${sql.replaceAll(/^/gm, '  ')}\n)`;
}

export function ordered(order: readonly OrderKey[], reversed = false): string {
  const keys = order.map(({ sql, descending }) =>
    reversed
      ? `${sql} ${descending ? 'ASC' : 'DESC'} NULLS FIRST`
      : `${sql} ${descending ? 'DESC' : 'ASC'} NULLS LAST`,
  );
  return `ORDER BY ${keys.join(', ')}`;
}

/** The same rows, chosen: nothing is added to their conditions any more. */
export function chosen(rows: ClickHouseRows, rest: string): ClickHouseRows {
  return { ...rows, from: subquery(selectOf('*', rows, rest)), where: TRUE_SQL };
}

// -- fields as values ------------------------------------------------------------------------------

/** Types of values here, as `ValueShape` has them: what is not named is a text. */
const SQL_TYPES: Readonly<Partial<Record<OutputType, string>>> = {
  integer: 'Int64',
  real: 'Float64',
  time: 'DateTime64(6)',
};

export interface ClickHouseValue {
  /** In one part, addresses too: they are texts. */
  readonly shape: ValueShape;
  readonly sql: string;
}

export function simpleShape(name: string, type: OutputType, sqlType = SQL_TYPES[type]): ValueShape {
  return {
    name,
    type,
    parts: [{ role: type === 'address' ? 'v4' : 'value', sqlType: sqlType ?? 'String' }],
  };
}

/** The value by which rows are grouped. A row with several is there once for each of them. */
export function keyOf(name: Name, rows: ClickHouseRows): ClickHouseValue {
  const field = rows.resolve(name);
  const several = valuesOf(field, name, rows);
  const [first, ...more] = several.sql;
  if (first === undefined) throw untranslated(`the field ${field.name}`);
  if (more.length === 0) return { shape: several.shape, sql: first };
  const there = presentValues(several.sql);
  return { shape: several.shape, sql: `arrayJoin(if(empty(${there}), [NULL], ${there}))` };
}

/** The values that there are of several, each once. */
export function presentValues(sql: readonly string[]): string {
  return `arrayDistinct(arrayFilter(x -> x IS NOT NULL, [${sql.join(', ')}]))`;
}

/** The first value of a field: what rows show and are ordered by. */
export function firstValue(name: Name, rows: ClickHouseRows): ClickHouseValue {
  const field = rows.resolve(name);
  const { shape, sql } = valuesOf(field, name, rows);
  if (sql[0] === undefined) throw untranslated(`the field ${field.name}`);
  return { shape, sql: sql[0] };
}

/** All values that an event may have of a field: both addresses of `ip`. Throws QueryError for what is no value. */
export function valuesOf(
  field: Field,
  name: Name,
  { scope }: ClickHouseRows,
): { readonly shape: ValueShape; readonly sql: readonly string[] } {
  const { type } = shapeOf(field, name.start, { columns: undefined, tagIds: [] });
  const shape = (sqlType?: string): ValueShape => simpleShape(field.name, type, sqlType);
  switch (field.type) {
    case 'number':
      return {
        shape: shape(numberType(field.refs[0]!)),
        sql: field.refs.map((ref) => scope.ref(ref)),
      };
    case 'text': {
      const own = scope.ref(field.ref);
      const other = field.attribute && scope.attribute(field.attribute.key);
      return { shape: shape(), sql: [other === undefined ? own : `coalesce(${own}, ${other})`] };
    }
    case 'attribute':
      return {
        shape: shape(),
        sql: [scope.attribute(field.key) ?? 'CAST(NULL AS Nullable(String))'],
      };
    case 'time':
      return { shape: shape(), sql: [scope.ref(field.ref)] };
    case 'address':
      return { shape: shape(), sql: field.sides.flatMap((side) => addressText(side, scope) ?? []) };
    case 'virtual':
      if (field.ref !== undefined) return { shape: shape('Int64'), sql: [scope.ref(field.ref)] };
      switch (field.name) {
        case 'kind':
        case 'day':
        case 'event_id':
          return { shape: shape(), sql: [field.name] };
        case 'source':
          throw untranslated('source as a value', 'take source_id: acme.sources has their names');
        default:
          throw untranslated(`${field.name} as a value`, 'as a condition it may be: tag:NAME');
      }
  }
}

/** `Narrow` where the sum of many is a number of 64 bits. */
function numberType(ref: Ref): string {
  if ('column' in ref)
    return COLUMNS[ref.column] === 'f64' ? 'Float64' : isNarrow(ref.column) ? 'Narrow' : 'Int64';
  return ref.sqlType;
}

/** A field as a number to compute with; undefined: it is none. */
export function numberOf(
  field: Field,
  name: Name,
  rows: ClickHouseRows,
): { readonly sql: string; readonly type: 'Narrow' | 'Int64' | 'Float64' } | undefined {
  if (field.type === 'attribute') {
    const sql = rows.scope.attribute(field.key);
    return {
      sql: sql === undefined ? 'CAST(NULL AS Nullable(Float64))' : textAsNumber(sql),
      type: 'Float64',
    };
  }
  if (field.type !== 'number' || field.refs.length !== 1) return undefined;
  const { sql, shape } = valuesOf(field, name, rows);
  const [part] = shape.parts;
  const type =
    part?.sqlType === 'Float64' || part?.sqlType === 'Narrow' ? part.sqlType : ('Int64' as const);
  return { sql: sql[0] ?? FALSE_SQL, type };
}

/** What a value of a shape is put in order by: addresses as numbers, IPv4 before IPv6. */
export function orderOf({ type }: ValueShape, sql: string, descending = false): OrderKey[] {
  const keys = type === 'address' ? [ip4(sql), ip6(sql)] : [sql];
  return keys.map((key) => ({ sql: key, descending }));
}

export function byValues(columns: readonly TableColumn[]): OrderKey[] {
  return columns.flatMap(({ shape, aliases }) => aliases.flatMap((sql) => orderOf(shape, sql)));
}
