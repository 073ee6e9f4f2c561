/**
 * JSON objects as flat lists of names and values: nested objects by names with dots, arrays as JSON
 * text. Held always: bounded depth (what lies deeper is JSON text) and no exception for any value
 * that `JSON.parse` returns, but for text nested too deeply to be written again (RangeError).
 */
const MAX_DEPTH = 8;

export type Scalar = string | number | boolean;

export interface Flat {
  readonly keys: string[];
  readonly values: Scalar[];
}

/** Adds the members of `value` to `into`; false if it is no object. Nulls are left out. */
export function flatten(value: unknown, into: Flat): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  add(value, '', into, 0);
  return true;
}

function add(value: object, prefix: string, into: Flat, depth: number): void {
  for (const [name, member] of Object.entries(value) as [string, unknown][]) {
    if (member === null || member === undefined) continue;
    const key = prefix === '' ? name : `${prefix}.${name}`;
    if (typeof member === 'string' || typeof member === 'number' || typeof member === 'boolean') {
      into.keys.push(key);
      into.values.push(member);
    } else if (Array.isArray(member) || depth + 1 >= MAX_DEPTH) {
      into.keys.push(key);
      into.values.push(JSON.stringify(member));
    } else if (typeof member === 'object') {
      add(member, key, into, depth + 1);
    }
  }
}
