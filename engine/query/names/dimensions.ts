/** Dimensions of rollups: that of a field, and a range of addresses among its values. */
import { ATTRIBUTE_PREFIX } from './attribute-names.ts';
import type { Field, Ref } from './fields.ts';

const DIMENSIONS = {
  src_port: 'src_port',
  dst_port: 'dst_port',
  proto: 'proto',
  source_id: 'source_id',
  facility: 'facility',
  severity: 'severity',
  host: 'host',
  program: 'program',
  event_type: 'event_type',
  service: 'service',
  conn_state: 'conn_state',
} as const;

export type Dimension = 'src_ip' | 'dst_ip' | keyof typeof DIMENSIONS | `a:${string}`;

const BY_COLUMN: ReadonlyMap<string, Dimension> = new Map(Object.entries(DIMENSIONS));

function sideOf(ref: Ref | undefined): Dimension | undefined {
  if (ref === undefined || !('column' in ref)) return undefined;
  return ref.column === 'src_ip4' ? 'src_ip' : ref.column === 'dst_ip4' ? 'dst_ip' : undefined;
}

/** A field's dimension; for an attribute, its name as requested. */
export function dimensionOf(field: Field): Dimension | undefined {
  switch (field.type) {
    case 'address':
      return field.sides.length === 1 ? sideOf(field.sides[0]?.v4) : undefined;
    case 'text':
      return 'column' in field.ref ? BY_COLUMN.get(field.ref.column) : undefined;
    case 'number': {
      const [ref] = field.refs;
      if (field.refs.length !== 1 || ref === undefined || !('column' in ref)) return undefined;
      return BY_COLUMN.get(ref.column);
    }
    case 'attribute':
      return `${ATTRIBUTE_PREFIX}${field.key}`;
    case 'virtual':
      return field.name === 'source' && field.ref === undefined ? 'source_id' : undefined;
    default:
      return undefined;
  }
}
