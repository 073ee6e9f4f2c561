/**
 * JSON objects as flat lists of names and values: nested objects by names with dots, arrays as JSON text.
 * Invariants: bounded depth (deeper values are JSON text), and no exception for any value that `JSON.parse`
 * returns, except for text nested too deeply to be serialised again (RangeError).
 */
import { numberText } from './parse-json.ts';
import { parseWithRepeatedNames } from './repeated-names.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });
const windows1252 = new TextDecoder('windows-1252');
const MAX_DEPTH = 8;
/** Any output of an Azure container, except in audit log records of Kubernetes. */
const AZURE_LOG = 'properties.log';

/**
 * Members and columns whose text is the record itself as JSON, in an export that wraps it: Microsoft 365's audit
 * log, Splunk, containers, Azure's Kubernetes, FireEye, and log shippers.
 */
const WRAPPED: ReadonlySet<string> = new Set([
  'AuditData',
  '_raw',
  'result._raw',
  'rawmsg',
  'log',
  AZURE_LOG,
  'message',
  'event.original',
]);
const OPEN = 123;

export type Scalar = string | number | boolean;

export interface Flat {
  readonly keys: string[];
  readonly values: Scalar[];
  /** Numbers as the record writes them, by index, where JavaScript writes them in another way: `2.10`, `1e5`. */
  written?: (string | undefined)[];
}

/** The text of a member as written. */
export function writtenText({ values, written }: Readonly<Flat>, i: number): string {
  return written?.[i] ?? String(values[i]!);
}

/** Whether a text is a record that its member or column wraps. */
export function isWrapped(name: string, text: Scalar): text is string {
  return typeof text === 'string' && text.charCodeAt(0) === OPEN && WRAPPED.has(name);
}

function isKubernetesAudit({ keys, values }: Flat): boolean {
  return String(values[keys.indexOf('category')] ?? '').startsWith('kube-audit');
}

/**
 * Unwraps the records within members: their content gets its own names, or, if such a name also exists outside,
 * names prefixed by the wrapping member's name and a dot. A text that is not an object stays unchanged.
 * @returns whether such a record states a name more than once
 */
export function unwrap(flat: Flat): boolean {
  const { keys, values } = flat;
  for (let i = 0; i < keys.length; i++) {
    const name = keys[i]!;
    const text = values[i]!;
    if (!isWrapped(name, text) || (name === AZURE_LOG && !isKubernetesAudit(flat))) continue;
    const inner: Flat = { keys: [], values: [] };
    const isRepeated = flattenText(text, inner);
    if (isRepeated === undefined) continue;
    const outside = new Set(keys);
    keys.splice(i, 1);
    values.splice(i, 1);
    flat.written?.splice(i, 1);
    // A message that is a record with a message: the inner one has the name.
    if (name === 'message') outside.delete(name);
    for (const [at, key] of inner.keys.entries()) {
      const unwrapped = outside.has(key) ? `${name}.${key}` : key;
      addMember(flat, unwrapped, inner.values[at]!, inner.written?.[at]);
    }
    return isRepeated;
  }
  return false;
}

/** @returns whether the object states a name more than once; undefined for a text that is not an object */
function flattenText(text: string, into: Flat): boolean | undefined {
  try {
    const { value, isRepeated } = parseWithRepeatedNames(text);
    return flatten(value, into) ? isRepeated : undefined;
  } catch (error) {
    // No JSON, or nested too deeply.
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Adds the members of `value` to `into`; false if it is not an object. Nulls are omitted. */
export function flatten(value: unknown, into: Flat): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  add(JOURNAL in value ? textsOfEntry(value) : value, '', into, 0);
  return true;
}

/** The members of several objects; where names are the same, all of them, the first object's first. */
export function joined(parts: readonly Flat[]): Flat {
  const all: Flat = { keys: [], values: [] };
  for (const part of parts)
    for (const [i, key] of part.keys.entries())
      addMember(all, key, part.values[i]!, part.written?.[i]);
  return all;
}

/** A member of every entry of systemd's journal. */
const JOURNAL = '__REALTIME_TIMESTAMP';

/**
 * The entry with its texts: `journalctl -o json` writes a text of bytes that are not UTF-8, or that do not print, as
 * a list of them, and any number as a text. https://systemd.io/JOURNAL_EXPORT_FORMATS/#journal-json-format
 */
function textsOfEntry(entry: object): object {
  const members = Object.entries(entry) as [string, unknown][];
  return Object.fromEntries(members.map(([name, member]) => [name, textOfBytes(member)]));
}

/** Of a field that an entry has several times, a list of each. */
function textOfBytes(value: unknown): unknown {
  if (!Array.isArray(value) || value.length === 0) return value;
  const list: readonly unknown[] = value;
  if (list.every(isByte)) return decoded(Uint8Array.from(list));
  return list.some(Array.isArray) ? list.map(textOfBytes) : value;
}

function decoded(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return windows1252.decode(bytes);
  }
}

function isByte(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 256;
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
      const text = numberText(member);
      if (text === undefined) add(member, key, into, depth + 1);
      else {
        const number = Number(text);
        // Digits that a double cannot hold are those of an identifier.
        const isHeld = Number.isFinite(number) && !isUnsafe(number);
        if (isHeld) addMember(into, key, number, text);
        else addMember(into, key, text);
      }
    }
  }
}

function isUnsafe(number: number): boolean {
  return Number.isInteger(number) && !Number.isSafeInteger(number);
}

/** @param written the number as the record writes it, if JavaScript writes it in another way */
export function addMember(into: Flat, key: string, value: Scalar, written?: string): void {
  if (written !== undefined) (into.written ??= [])[into.keys.length] = written;
  into.keys.push(key);
  into.values.push(value);
}
