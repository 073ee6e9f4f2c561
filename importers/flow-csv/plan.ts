/**
 * The meaning of a table's columns, from a dialect, a mapping and their names. Invariant: a typed column is claimed
 * once, by the first column with that meaning; later ones stay attributes. Only alternatives, of which a record has
 * one (`tcp.srcport`, `udp.srcport`), share it.
 */
import type { ColumnMapping } from '../../engine/evidence/importer.ts';
import type { Dialect } from './dialects/dialect.ts';
import { inStatedZone, isSetter, numberOf, simplify, type Setter } from './fields.ts';
import type { RowPlan } from './row-writer.ts';

const encoder = new TextEncoder();

/** Distinct names for all columns: empty ones get a number, repeated ones `.1`, `.2`, …. */
export function uniqueNames(header: readonly string[]): string[] {
  return numbered(header, (name) => name);
}

/**
 * The same for attributes, whose names ignore case, and in which NUL is written as `EventBatch.attributeColumn`
 * does: no two of them may be one column.
 */
function attributeNames(names: readonly string[]): string[] {
  const stored = names.map((name) => name.replaceAll('\0', '\ufffd'));
  return numbered(stored, (name) => name.toLowerCase());
}

/** @param keyOf what must be distinct */
function numbered(names: readonly string[], keyOf: (name: string) => string): string[] {
  const seen = new Set<string>();
  const again = new Map<string, number>();
  return names.map((cell, i) => {
    const base = cell.trim() === '' ? `column${i + 1}` : cell.trim();
    let name = base;
    let n = again.get(keyOf(base)) ?? 0;
    while (seen.has(keyOf(name))) {
      n += 1;
      name = `${base}.${n}`;
    }
    again.set(keyOf(base), n);
    seen.add(keyOf(name));
    return name;
  });
}

/** Inverts a mapping: from a column (by its name, or its simplified name) to its meaning. */
class ColumnMeanings {
  private readonly exact = new Map<string, string>();
  private readonly loose = new Map<string, string>();

  constructor(mapping: ColumnMapping | undefined) {
    for (const [field, column] of Object.entries(mapping?.fields ?? {})) {
      if (!this.exact.has(column)) this.exact.set(column, field);
      const simple = simplify(column);
      if (simple !== '' && !this.loose.has(simple)) this.loose.set(simple, field);
    }
  }

  of(name: string): string | undefined {
    return this.exact.get(name) ?? this.loose.get(simplify(name));
  }
}

export class SetterChooser {
  private readonly meanings: ColumnMeanings;
  private readonly dialect: Dialect | undefined;

  constructor(dialect: Dialect | undefined, mapping: ColumnMapping | undefined) {
    this.dialect = dialect;
    this.meanings = new ColumnMeanings(mapping);
  }

  /** The setter of a column and the name its attribute has. */
  choose(name: string): { readonly setter: Setter; readonly name: string } {
    const field = this.meanings.of(name);
    if (field !== undefined) {
      if (field.startsWith('attrs.') && field.length > 6) {
        return { setter: 'attr', name: field.slice(6) };
      }
      if (isSetter(field)) return { setter: field, name };
    }
    const simple = simplify(name);
    const columns = this.dialect?.columns;
    if (columns !== undefined && Object.hasOwn(columns, simple)) {
      return { setter: columns[simple]!, name };
    }
    return { setter: 'attr', name };
  }
}

/**
 * Simplified names for the same field of different protocols, of which a packet has one; and of Zeek's notices, which
 * may be about an address, not a connection.
 */
const ALTERNATIVES: readonly ReadonlySet<string>[] = [
  new Set(['ipsrc', 'ipv6src']),
  new Set(['ipdst', 'ipv6dst']),
  new Set(['ipproto', 'ipv6nxt']),
  new Set(['tcpsrcport', 'udpsrcport', 'sctpsrcport', 'dccpsrcport']),
  new Set(['tcpdstport', 'udpdstport', 'sctpdstport', 'dccpdstport']),
  new Set(['idorigh', 'src']),
  new Set(['idresph', 'dst']),
];

/** Fields that several columns give, each with the names of these columns. */
export function sharedFields(
  columns: readonly string[],
  chooser: SetterChooser,
): ReadonlyMap<Setter, readonly string[]> {
  const shared = new Map<Setter, readonly string[]>();
  for (const names of ALTERNATIVES) {
    const same = columns.filter((column) => names.has(simplify(column)));
    const setter = same
      .map((column) => chooser.choose(column).setter)
      .find((one) => one !== 'attr');
    // A column keeps the other meaning that a mapping gives it.
    const sameSetter = same.filter((column) => {
      const choice = chooser.choose(column);
      return choice.setter === setter || (choice.setter === 'attr' && choice.name === column);
    });
    if (setter !== undefined && sameSetter.length > 1) shared.set(setter, sameSetter);
  }
  return shared;
}

/** Setters that several columns may have. */
const SHARED: ReadonlySet<Setter> = new Set([
  ...(['attr', 'key', 'ts_end', 'src_word', 'dst_word'] as const),
  'windows_level',
]);

/** The plan for a table with these columns (with distinct names). */
export function planRow(
  columns: readonly string[],
  dialect: Dialect | undefined,
  mapping: ColumnMapping | undefined,
  unset: readonly string[] = dialect?.unset ?? [],
  eventType?: string,
): RowPlan {
  const chooser = new SetterChooser(dialect, mapping);
  const setters = new Uint8Array(columns.length);
  const alternative = new Uint8Array(columns.length);
  const claimed = new Set<Setter>();
  for (const [setter, same] of sharedFields(columns, chooser)) {
    claimed.add(setter);
    for (const column of same) {
      setters[columns.indexOf(column)] = numberOf(setter);
      alternative[columns.indexOf(column)] = 1;
    }
  }
  const names = columns.map((column, i) => {
    const choice = chooser.choose(column);
    if (alternative[i] === 1) return choice.name;
    if (SHARED.has(choice.setter) || !claimed.has(choice.setter)) {
      setters[i] = inStatedZone(numberOf(choice.setter), column);
      claimed.add(choice.setter);
    }
    return choice.name;
  });
  return {
    names: attributeNames(names),
    setters,
    alternative,
    icmp: dialect?.icmp ?? 'plain',
    unset: unset.map((mark) => encoder.encode(mark)),
    payloadAsBytes: dialect?.payloadAsBytes ?? false,
    eventType,
    keyed: dialect?.keyed ?? false,
  };
}
