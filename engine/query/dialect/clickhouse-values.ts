/**
 * Fields as values in ClickHouse: rows are grouped, measured and ordered by them, and show them. A value has one
 * part there, addresses included: they are texts.
 */
import { COLUMNS, PROTOCOL_SEQ } from '../../contract/event.ts';
import {
  type Field,
  type Ref,
  addressTextClickHouse,
  fieldName,
  refClickHouse,
} from '../names/fields.ts';
import type { OrderKey, TableColumn } from '../statements/relation.ts';
import { type OutputType, type ValueShape, shapeOf } from '../values/values.ts';
import { ip4, ip6, mapped, oneOf, text, textAsNumber, untranslated } from './clickhouse.ts';
import { communityClickHouse } from './clickhouse-community.ts';
import { type ClickHouseScope, isNarrow } from './clickhouse-scope.ts';

/** ClickHouse types of values, by the types of `ValueShape`; others are texts. */
const SQL_TYPES: Readonly<Partial<Record<OutputType, string>>> = {
  integer: 'Int64',
  real: 'Float64',
  time: 'DateTime64(6)',
  tag: 'Int64',
};

export interface ClickHouseValue {
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

/** The values that there are of several, each once. */
export function presentValues(sql: readonly string[]): string {
  return `arrayDistinct(arrayFilter(x -> x IS NOT NULL, [${sql.join(', ')}]))`;
}

/**
 * All values that an event may have for a field: both addresses for `ip`. Throws QueryError for fields that are not
 * values.
 */
export function valuesOf(
  field: Field,
  at: number,
  scope: ClickHouseScope,
): { readonly shape: ValueShape; readonly sql: readonly string[] } {
  const { type } = shapeOf(field, at, { columns: undefined, tagIds: [] });
  const shape = (sqlType?: string): ValueShape => simpleShape(field.name, type, sqlType);
  switch (field.type) {
    case 'number':
      return {
        shape: shape(numberType(field.refs[0]!)),
        sql: field.refs.map((ref) => refClickHouse(ref, scope)),
      };
    case 'text': {
      const first = refClickHouse(field.ref, scope);
      const other = field.attribute && scope.attribute(field.attribute.key);
      return {
        shape: shape(),
        sql: [other === undefined ? first : `coalesce(${first}, ${other})`],
      };
    }
    case 'attribute':
      return {
        shape: shape(),
        sql: [scope.attribute(field.key) ?? 'CAST(NULL AS Nullable(String))'],
      };
    case 'time':
      return { shape: shape(), sql: [refClickHouse(field.ref, scope)] };
    case 'address':
      return {
        shape: shape(),
        sql: field.sides.flatMap((side) => addressTextClickHouse(side, scope) ?? []),
      };
    case 'virtual':
      if (field.ref !== undefined) {
        const isNumber = field.name === 'source' || field.name === 'tag';
        return {
          shape: { ...shape(isNumber ? 'Int64' : undefined), name: fieldName(field) },
          sql: [refClickHouse(field.ref, scope)],
        };
      }
      switch (field.name) {
        case 'kind':
        case 'day':
        case 'event_id':
          return { shape: shape(), sql: [field.name] };
        case 'source':
          return { shape: shape('Int64'), sql: ['source_id'] };
        case 'community_id':
          return { shape: shape(), sql: [communityClickHouse(scope)] };
        default:
          throw untranslated(`${field.name} as a value`);
      }
  }
}

/** `Narrow` if the sum of many fits in 64 bits. */
function numberType(ref: Ref): string {
  if ('column' in ref)
    return COLUMNS[ref.column] === 'f64' ? 'Float64' : isNarrow(ref.column) ? 'Narrow' : 'Int64';
  return ref.sqlType === 'DOUBLE' ? 'Float64' : ref.sqlType;
}

/** The tags of an event by number; only NULL if it has none. */
export function tagsOf(scope: ClickHouseScope): string {
  const tags = scope.allTags();
  if (tags.length === 0 || !scope.events) return '[CAST(NULL AS Nullable(Int64))]';
  const names = tags.map(({ name }) => text(name));
  const number = `transform(tag, [${names.join(', ')}], [${tags.map(({ id }) => id).join(', ')}], 0)`;
  // A constant of two lists, which is looked up by hash.
  const tagged = `SELECT event_id, arrayStringConcat(groupUniqArray(${number}), ',') AS of FROM ${scope.table('tags')} WHERE ${oneOf('tag', names)} GROUP BY event_id`;
  const list = (column: string): string =>
    `(SELECT groupArray(${column}) FROM (${tagged} ORDER BY event_id))`;
  const found = `transform(event_id, arrayPushBack(${list('event_id')}, ''), arrayPushBack(${list('of')}, ''), '')`;
  return `arrayMap(t -> toInt64OrNull(t), splitByChar(',', ${found}))`;
}

/**
 * The tags of an event in the order of their numbers: their names, or for Daybook the numbers they have in a case.
 */
export function tagList(scope: ClickHouseScope, isShown: boolean): string {
  const tags = scope.allTags();
  const numbers = `arraySort(arrayFilter(t -> t IS NOT NULL, ${tagsOf(scope)}))`;
  if (isShown) return `nullIf(arrayStringConcat(arrayMap(t -> toString(t), ${numbers}), ','), '')`;
  if (tags.length === 0) return `CAST([] AS Array(String))`;
  const name = mapped(
    't',
    tags.map(({ id }) => String(id)),
    tags.map((tag) => text(tag.name)),
  );
  return `arrayMap(t -> assumeNotNull(${name}), ${numbers})`;
}

/** The number of an event's source, and its own number in it. */
function eventPlace(sql: string): string[] {
  const [source, place] = [1, 2].map((part) => `splitByChar(':', ifNull(${sql}, ''))[${part}]`);
  const number = `toInt64OrNull(replaceRegexpOne(${place}, '^[fp]', ''))`;
  const seq = `multiIf(startsWith(${place}, 'p'), -${PROTOCOL_SEQ} - ${number}, startsWith(${place}, 'f'), -${number}, ${number})`;
  return [`toUInt32OrNull(${source})`, seq];
}

/** The sort key of a value: addresses as numbers, IPv4 before IPv6. */
export function orderOf({ type }: ValueShape, sql: string, descending = false): OrderKey[] {
  const keys =
    type === 'address' ? [ip4(sql), ip6(sql)] : type === 'event-id' ? eventPlace(sql) : [sql];
  return keys.map((key) => ({ sql: key, descending }));
}

export function byValues(columns: readonly TableColumn[]): OrderKey[] {
  return columns.flatMap(({ shape, aliases }) => aliases.flatMap((sql) => orderOf(shape, sql)));
}

/** A field as a number for computation; undefined if it is not one. */
export function numberOf(
  field: Field,
  at: number,
  scope: ClickHouseScope,
): { readonly sql: string; readonly type: 'Narrow' | 'Int64' | 'Float64' } | undefined {
  if (field.type === 'attribute') {
    const sql = scope.attribute(field.key);
    return {
      sql: sql === undefined ? 'CAST(NULL AS Nullable(Float64))' : textAsNumber(sql),
      type: 'Float64',
    };
  }
  if (field.type !== 'number' || field.refs.length !== 1) return undefined;
  const { sql, shape } = valuesOf(field, at, scope);
  const [part] = shape.parts;
  const type =
    part?.sqlType === 'Float64' || part?.sqlType === 'Narrow' ? part.sqlType : ('Int64' as const);
  return { sql: sql[0]!, type };
}
