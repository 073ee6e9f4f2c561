/** The values that rows in memory have of a field. */
import type { Column } from '../../../columns/columns.ts';
import { eventIdRefs, type Field, type Ref } from '../../names/fields.ts';
import type { RawValue } from '../../values/raw-value.ts';
import { communityReader } from './community.ts';
import {
  type RowScope,
  attributeReader,
  dayText,
  ip6At,
  numberAt,
  textOf,
  uuidOf,
} from '../row-scope.ts';

export type Read = (row: number) => RawValue;

export function numberRead(column: Column | undefined): Read {
  return (row) => numberAt(column, row) ?? null;
}

export function textRead(column: Column | undefined): Read {
  return (row) => (column?.type === 'text' ? (textOf(column, row) ?? null) : null);
}

function uuidRead(column: Column | undefined): Read {
  return (row) => {
    const bytes = ip6At(column, row);
    return bytes === undefined ? null : uuidOf(bytes);
  };
}

/** The parts of a field's first value; for an address, version 4 and then 6. Call it once per batch. */
export function readsOf(field: Field, scope: RowScope): Read[] {
  const of = (ref: Ref | undefined): Column | undefined =>
    ref === undefined ? undefined : scope.column(ref);
  switch (field.type) {
    case 'number':
      return [numberRead(of(field.refs[0]))];
    case 'time':
      return [numberRead(of(field.ref))];
    case 'text':
      return [sharedRead(textRead(of(field.ref)), field.attribute?.key, scope)];
    case 'address':
      return [numberRead(of(field.sides[0]?.v4)), uuidRead(of(field.sides[0]?.v6))];
    case 'attribute':
      return [attributeRead(scope, field.key)];
    case 'virtual':
      if (field.name === 'event_id') return eventIdRefs(field).map((ref) => numberRead(of(ref)));
      if (field.ref !== undefined) return [numberRead(of(field.ref))];
      switch (field.name) {
        case 'kind':
          return [() => scope.kind];
        case 'day': {
          const ts = scope.column({ column: 'ts' });
          return [(row) => dayText(numberAt(ts, row))];
        }
        case 'community_id': {
          const read = communityReader(scope);
          return [(row) => read(row) ?? null];
        }
        case 'source':
          return [numberRead(scope.column({ column: 'source_id' }))];
        default:
          return [() => null];
      }
  }
}

function attributeRead(scope: RowScope, key: string): Read {
  const read = attributeReader(scope, key);
  return (row) => read(row) ?? null;
}

/** A column's text, or that of the attribute with its name. */
function sharedRead(column: Read, attribute: string | undefined, scope: RowScope): Read {
  if (attribute === undefined) return column;
  const other = attributeRead(scope, attribute);
  return (row) => column(row) ?? other(row);
}
