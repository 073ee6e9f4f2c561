/**
 * Fields as values, which stages group, sort, measure and show.
 *
 * A value may need more than one SQL column (an address of either version, an event's id) and a field may have more
 * than one value per event (`ip`, `port`, `tag`): an event then appears once per different value.
 */
import { IP6_TYPE, nullOf, textAsNumber } from '../dialect/duckdb.ts';
import {
  eventIdRefs,
  fieldName,
  type AddressSide,
  type Field,
  type Ref,
  type TextField,
  refSql,
  refType,
} from '../names/fields.ts';
import { communitySql } from '../filters/community-id.ts';
import { both, negate } from '../filters/logic.ts';
import { QueryError } from '../syntax/query-error.ts';
import { TRUE, type Predicate, type Scope } from '../plan/scope.ts';

export type OutputType =
  | 'integer'
  | 'real'
  | 'text'
  | 'time'
  | 'address'
  | 'proto'
  | 'severity'
  | 'facility'
  | 'weekday'
  | 'source'
  | 'tag'
  | 'event-id'
  | 'ports';

/** A value's type and the SQL types of its parts. */
export interface ValueShape {
  readonly name: string;
  readonly type: OutputType;
  /** `address`: `v4` and `v6` say which parts there are. */
  readonly parts: readonly Part[];
}
export interface Part {
  readonly role: 'value' | 'v4' | 'v6' | 'source' | 'seq';
  readonly sqlType: string;
}

/** One value per event; `also` is the condition on the events. */
export interface Variant {
  readonly parts: readonly string[];
  readonly also: Predicate;
}

/** Facts about all rows from which values come. */
export interface Extent {
  /** Physical columns that any of them has; undefined: a table, whose fields are all there. */
  readonly columns: ReadonlySet<string> | undefined;
  readonly tagIds: readonly number[];
}

/** Throws QueryError if a field is not a value. */
export function shapeOf(field: Field, at: number, extent: Extent): ValueShape {
  const name = fieldName(field);
  const one = (type: OutputType, sqlType: string): ValueShape => ({
    name,
    type,
    parts: [{ role: 'value', sqlType }],
  });
  switch (field.type) {
    case 'number': {
      const sqlType = refType(field.refs[0]!);
      return one(field.names ?? (sqlType === 'DOUBLE' ? 'real' : 'integer'), sqlType);
    }
    case 'text':
      return one('text', 'VARCHAR');
    case 'attribute':
      return one('text', 'VARCHAR');
    case 'time':
      return one('time', 'TIMESTAMP');
    case 'address': {
      const has = (ref: Ref | undefined): boolean =>
        ref !== undefined &&
        (extent.columns === undefined || !('column' in ref) || extent.columns.has(ref.column));
      const v6 = field.sides.some((side) => has(side.v6));
      const v4 = field.sides.some((side) => has(side.v4)) || !v6;
      return {
        name,
        type: 'address',
        parts: [
          ...(v4 ? [{ role: 'v4', sqlType: 'UINTEGER' } as const] : []),
          ...(v6 ? [{ role: 'v6', sqlType: IP6_TYPE } as const] : []),
        ],
      };
    }
    case 'virtual':
      switch (field.name) {
        case 'kind':
        case 'day':
        case 'community_id':
          return one('text', 'VARCHAR');
        case 'source':
          return one('source', 'UINTEGER');
        case 'tag':
          return one('tag', 'INTEGER');
        case 'event_id':
          return {
            name,
            type: 'event-id',
            parts: [
              { role: 'source', sqlType: 'UINTEGER' },
              { role: 'seq', sqlType: 'BIGINT' },
            ],
          };
        default:
          throw new QueryError(
            'query-syntax',
            `${field.name} cannot be used as a value (column ${at + 1})`,
            at,
            field.name === 'flow' ? 'use src_ip, src_port, dst_ip, dst_port, proto' : undefined,
          );
      }
  }
}

/** SQL of a field's values in one scope, in the parts of `shape`. */
export function variantsOf(
  field: Field,
  shape: ValueShape,
  scope: Scope,
  extent: Extent,
): Variant[] {
  const single = (sql: string | undefined): Variant[] => [
    { parts: [sql ?? nullOf(shape.parts[0]!.sqlType)], also: TRUE },
  ];
  switch (field.type) {
    case 'number':
      return eitherOf(field.refs.map((ref) => [refSql(ref, scope) ?? nullOf(refType(ref))]));
    case 'text':
      return single(textOf(field, scope));
    case 'time':
      return single(refSql(field.ref, scope));
    case 'attribute':
      return single(scope.attribute(field.key));
    case 'address':
      return eitherOf(field.sides.map((side) => addressParts(side, shape, scope)));
    case 'virtual':
      if (field.name === 'event_id')
        return [
          {
            parts: eventIdRefs(field).map(
              (ref, i) => refSql(ref, scope) ?? nullOf(shape.parts[i]!.sqlType),
            ),
            also: TRUE,
          },
        ];
      if (field.ref !== undefined) return single(refSql(field.ref, scope));
      switch (field.name) {
        case 'kind':
          return single(scope.kind());
        case 'day':
          return single(scope.day());
        case 'community_id':
          return single(communitySql(scope));
        case 'source':
          return single(scope.column('source_id'));
        case 'tag': {
          const ids = extent.tagIds.filter((id) => scope.segment?.tags.has(id) ?? true);
          return [
            { parts: [nullOf('INTEGER')], also: negate(scope.tagged(ids)) },
            ...ids.map((id) => ({
              parts: [scope.params.bind(id, 'INTEGER')],
              also: scope.tagged([id]),
            })),
          ];
        }
        default:
          return single(undefined);
      }
  }
}

/** The column's text, or that of the attribute with its name if an event has none. */
function textOf({ ref, attribute }: TextField, scope: Scope): string | undefined {
  const column = refSql(ref, scope);
  const other = attribute === undefined ? undefined : scope.attribute(attribute.key);
  return column === undefined || other === undefined
    ? (column ?? other)
    : `coalesce(${column}, ${other})`;
}

function addressParts(side: AddressSide, shape: ValueShape, scope: Scope): string[] {
  return shape.parts.map(({ role, sqlType }) => {
    const ref = role === 'v4' ? side.v4 : side.v6;
    return (ref === undefined ? undefined : refSql(ref, scope)) ?? nullOf(sqlType);
  });
}

/** The first value, and the second if it differs: an event with none appears once, as NULL. */
function eitherOf(values: readonly (readonly string[])[]): Variant[] {
  const [first, second] = values;
  if (first === undefined) return [];
  if (second === undefined) return [{ parts: first, also: TRUE }];
  const missing = (parts: readonly string[]) => parts.map((sql) => `${sql} IS NULL`).join(' AND ');
  const differs = first.map((sql, i) => `${sql} IS DISTINCT FROM ${second[i]}`).join(' OR ');
  return [
    { parts: first, also: { sql: `(NOT (${missing(first)}) OR (${missing(second)}))` } },
    { parts: second, also: { sql: `(NOT (${missing(second)}) AND (${differs}))` } },
  ];
}

/** All combinations of several fields' values. */
export function combine(fields: readonly Variant[][]): Variant[] {
  let out: Variant[] = [{ parts: [], also: TRUE }];
  for (const variants of fields) {
    out = out.flatMap((left) =>
      variants.map((right) => ({
        parts: [...left.parts, ...right.parts],
        also: both([left.also, right.also]),
      })),
    );
  }
  return out;
}

/** A field as a number for computation: SQL in a scope and its type; undefined if it is not one. */
export function numberOf(
  field: Field,
): { sqlType: string; type: OutputType; sql(scope: Scope): string } | undefined {
  if (field.type === 'attribute') {
    return {
      sqlType: 'DOUBLE',
      type: 'real',
      sql: (scope) => {
        const text = scope.attribute(field.key);
        return text === undefined ? nullOf('DOUBLE') : textAsNumber(text);
      },
    };
  }
  if (field.type !== 'number' || field.refs.length !== 1) return undefined;
  const [ref] = field.refs;
  if (ref === undefined) return undefined;
  const sqlType = refType(ref);
  return {
    sqlType,
    type: sqlType === 'DOUBLE' ? 'real' : 'integer',
    sql: (scope) => refSql(ref, scope) ?? nullOf(sqlType),
  };
}
