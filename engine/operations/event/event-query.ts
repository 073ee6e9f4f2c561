/**
 * Query texts that Daybook writes itself. Whatever a value contains, the text is valid and the value is read as a
 * value only.
 */
import { quoted, type ShownRecord } from '../../query/index.ts';

/** The longest value that a query can test a text field for. */
const MAX_VALUE = 2000;

/** A field's name where a name is expected: `attrs.NAME` for attributes, quoted if necessary. */
export function fieldName(name: string): string {
  return /^[A-Za-z_][\w.]*$/.test(name) ? name : quoted(name);
}

/** `field:"text"`, or undefined if the text is too long for a query. */
export function equals(field: string, text: string): string | undefined {
  return text.length > MAX_VALUE ? undefined : `${field}:${quoted(text)}`;
}

/** The events of the same five-tuple, either way; undefined for events without both addresses. */
export function fiveTupleQuery(record: ShownRecord): string | undefined {
  const from = end(record['src_ip'], record['src_port']);
  const to = end(record['dst_ip'], record['dst_port']);
  if (from === undefined || to === undefined) return undefined;
  const { proto } = record;
  const protocol = typeof proto === 'string' || typeof proto === 'number' ? `/${proto}` : '';
  return `flow:${from}-${to}${protocol}`;
}

function end(address: unknown, port: unknown): string | undefined {
  if (typeof address !== 'string') return undefined;
  const host = address.includes(':') ? `[${address}]` : address;
  return typeof port === 'number' ? `${host}:${port}` : host;
}

/** The packets of a flow that was derived from them. */
export function packetsQuery(sourceId: number, flow: number): string {
  return `kind:packet source_id:${sourceId} flow_id:${flow}`;
}
