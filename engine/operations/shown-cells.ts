/** Shown records as the cells of a table. */
import type { ShownRecord, ShownValue } from '../query/index.ts';
import type { Cell } from './csv.ts';

/** Attributes have a column each, `attrs.NAME`; those that have none are in `attrs` as JSON. */
export function csvCells(record: ShownRecord, names: readonly string[]): Cell[] {
  const attributes = record['attrs'];
  return names.map((name) => {
    if (name !== 'attrs' || !isRecord(attributes)) return cell(valueOf(record, name));
    const rest = Object.entries(attributes).filter(([key]) => !names.includes(`attrs.${key}`));
    return rest.length === 0 ? undefined : JSON.stringify(Object.fromEntries(rest));
  });
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

/** What has no place in one cell, as JSON. */
export function cell(value: ShownValue | undefined): Cell {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}
