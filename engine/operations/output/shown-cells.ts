/** Shown records as the cells of a table, and as JSON. */
import { knownField, type ShownRecord, type ShownValue } from '../../query/index.ts';
import type { Cell } from './csv.ts';

/** Attributes that have a column each in CSV: every row has a comma for each, and spreadsheets take 16,384. */
const MOST_ATTRIBUTE_COLUMNS = 500;

/** The columns of a CSV file of events: if there are very many attributes, none has its own. */
export function csvNames(names: readonly string[]): readonly string[] {
  const others = names.filter((name) => name !== 'attrs' && !name.startsWith('attrs.'));
  return names.length - others.length > MOST_ATTRIBUTE_COLUMNS ? [...others, 'attrs'] : names;
}

/**
 * Makes the cells of an event. Attributes have a column each, `attrs.NAME`; those without one are in `attrs` as
 * JSON.
 */
export function csvCells(names: readonly string[]): (record: ShownRecord) => Cell[] {
  const columns = new Set(names);
  return (record) => {
    const attributes = record['attrs'];
    return names.map((name) => {
      if (name !== 'attrs' || !isRecord(attributes)) return cell(valueOf(record, name));
      const rest = Object.entries(attributes).filter(([key]) => !columns.has(`attrs.${key}`));
      return rest.length === 0 ? undefined : JSON.stringify(Object.fromEntries(rest));
    });
  };
}

export function isRecord(value: ShownValue | undefined): value is ShownRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A field by its name; `attrs.NAME` is an attribute. */
export function valueOf(record: ShownRecord, name: string): ShownValue | undefined {
  if (name in record) return record[name];
  if (!name.startsWith('attrs.')) return undefined;
  const attributes = record['attrs'];
  return isRecord(attributes) ? attributes[name.slice(6)] : undefined;
}

/** A value as one cell: objects and lists as JSON. */
export function cell(value: ShownValue | undefined): Cell {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}

/**
 * A record for JSON. Attributes are stored as text: one that equals the JSON spelling of a number, a truth value,
 * an array or an object is written as that, so that `String(value)`, or the array's JSON, is the stored text.
 * Columns keep their own types.
 */
export function jsonRecord(record: ShownRecord): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(record)) {
    if (name === 'attrs' && isRecord(value)) setValue(out, name, typedAttributes(value));
    else if (typeof value !== 'string' || knownField(name) !== undefined)
      setValue(out, name, value);
    else setValue(out, name, typed(value));
  }
  return out;
}

function typedAttributes(attributes: ShownRecord): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(attributes))
    setValue(out, name, typeof value === 'string' ? typed(value) : value);
  return out;
}

/** Names come from evidence: `__proto__` must be treated like any other. */
function setValue(out: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') {
    out[name] = value;
    return;
  }
  Object.defineProperty(out, name, {
    value,
    ...{ enumerable: true, configurable: true, writable: true },
  });
}

function typed(text: string): unknown {
  if (!/^(?:-?\d|\[|\{|true$|false$)/.test(text)) return text;
  if (text[0] === '[' || text[0] === '{') {
    try {
      const value: unknown = JSON.parse(text);
      return JSON.stringify(value) === text ? value : text;
    } catch {
      // Text that only begins like JSON.
      return text;
    }
  }
  if (text === 'true' || text === 'false') return text === 'true';
  const number = Number(text);
  return String(number) === text && Number.isFinite(number) ? number : text;
}
