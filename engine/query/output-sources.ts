/**
 * What the result columns of a statement are, where each is no more than a column of its events: then known rows
 * can be read from segments' files instead (engine/operations/rows-from-files.ts).
 *
 * Invariant: an expression counts as known only where it is, letter by letter, what such a column is written as.
 */
import { IP6_TYPE, ip6Text, micros, nullOf, quoteIdentifier, SQL_TYPES } from './dialect/duckdb.ts';
import { physicalName, typeOf } from './events.ts';
import { hasPart, partType } from './message-parts.ts';
import type { SegmentInfo } from './scope.ts';
import type { Outputs } from './statements.ts';

export type OutputSource =
  /** `most`: characters of a text that are shown. */
  | { readonly column: string; readonly most?: number | undefined }
  | { readonly of: 'segment' | 'row' | 'kind' | 'day' }
  | { readonly value: 0 | null };

const DERIVED: Readonly<Record<string, OutputSource>> = {
  segment: { of: 'segment' },
  row_id: { of: 'row' },
  kind: { of: 'kind' },
  day: { of: 'day' },
};

/** Undefined where a result column is anything else. */
export function outputSources(
  { sql, most }: Pick<Outputs, 'sql' | 'most'>,
  needed: ReadonlySet<string>,
): OutputSource[] | undefined {
  const known = new Map<string, OutputSource>([['CAST(0 AS USMALLINT)', { value: 0 }]]);
  const add = (own: string, type: string, source: OutputSource): void => {
    known.set(own, source);
    if (type === 'TIMESTAMP') known.set(micros(own), source);
    if (type === IP6_TYPE) known.set(ip6Text(own), source);
    if (type === 'VARCHAR' && most !== undefined)
      known.set(`left(${own}, ${most})`, 'column' in source ? { ...source, most } : source);
  };
  for (const type of Object.values(SQL_TYPES)) add(nullOf(type), type, { value: null });
  for (const name of needed) {
    const derived = Object.hasOwn(DERIVED, name) ? DERIVED[name] : undefined;
    add(quoteIdentifier(name), typeOf(name), derived ?? { column: name });
  }
  const sources = sql.map((one) => known.get(one));
  return sources.every((one) => one !== undefined) ? sources : undefined;
}

/** What a segment calls a column of its events; undefined where it has none. */
export function columnIn(segment: SegmentInfo, name: string): string | undefined {
  if (partType(name) !== undefined) return hasPart(segment, name) ? name : undefined;
  return physicalName(segment, name);
}
