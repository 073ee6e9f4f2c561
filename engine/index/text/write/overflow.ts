/** The values of the attributes that have no column: a JSON object of strings in each row. */
import type { TextRows } from '../../rows.ts';

const utf8 = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Values as UTF-8, as returned by SQL's json_extract_string. */
export function overflowValues(column: TextRows, row: number): Uint8Array[] {
  const start = column.starts[row]!;
  const view = new DataView(column.data.buffer, column.data.byteOffset + start, 4);
  const text = column.data.subarray(start + 4, start + 4 + view.getUint32(0, true));
  let parsed: unknown;
  try {
    parsed = JSON.parse(decoder.decode(text));
  } catch {
    return [text];
  }
  if (typeof parsed !== 'object' || parsed === null) return [];
  return Object.values(parsed)
    .filter((value) => value !== null)
    .map((value) => utf8.encode(typeof value === 'string' ? value : JSON.stringify(value)));
}
