/**
 * Names of attributes and the columns that hold them (engine/util/attribute-columns.ts). Names ignore case: `note`
 * and `Note` are one attribute. In a relation of several segments the spellings of a name are the columns
 * `a0:note`, `a1:Note`, ….
 *
 * Invariant: the displayed name of an attribute is the one in its evidence, never that of the column.
 */
import { evidenceNames, withoutPrefix } from '../../util/attribute-columns.ts';

export { ATTRIBUTE_PREFIX, isAttributeColumn } from '../../util/attribute-columns.ts';

interface StoredAttribute {
  /** The column as stored, or in a relation of events. */
  readonly column: string;
  /** As in its evidence. */
  readonly name: string;
}

type Columns = ReadonlySet<string>;

const known = new WeakMap<Columns, ReadonlyMap<string, readonly StoredAttribute[]>>();

/** The attributes among `columns` by their names in lower case, each name's spellings in one order. */
export function attributesOf(columns: Columns): ReadonlyMap<string, readonly StoredAttribute[]> {
  let found = known.get(columns);
  if (found === undefined) known.set(columns, (found = readNames(columns)));
  return found;
}

/** The columns of the attribute `name`, in any case. */
export function attributesNamed(columns: Columns, name: string): readonly StoredAttribute[] {
  return attributesOf(columns).get(name.toLowerCase()) ?? [];
}

function readNames(columns: Columns): Map<string, StoredAttribute[]> {
  const out = new Map<string, StoredAttribute[]>();
  for (const [column, name] of evidenceNames(columns)) {
    const lower = name.toLowerCase();
    const same = out.get(lower);
    if (same === undefined) out.set(lower, [{ column, name }]);
    else same.push({ column, name });
  }
  for (const same of out.values()) same.sort((a, b) => compare(a.name, b.name));
  return out;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * One column for each spelling of each attribute of several segments. Names of a relation's columns ignore case,
 * too: each spelling of a name gets its own prefix.
 */
export function attributeAliases(sets: Iterable<Columns>): string[] {
  const spellings = new Map<string, Set<string>>();
  for (const columns of sets) {
    for (const [lower, stored] of attributesOf(columns)) {
      const names = spellings.get(lower) ?? new Set();
      spellings.set(lower, names);
      for (const { name } of stored) names.add(name);
    }
  }
  return [...spellings.values()].flatMap((names) =>
    [...names].sort(compare).map((name, i) => `a${i}:${name}`),
  );
}

/** The column of `columns` that a relation of several segments calls `alias`. */
export function columnOfAlias(columns: Columns, alias: string): string | undefined {
  const name = withoutPrefix(alias);
  return attributesNamed(columns, name).find((one) => one.name === name)?.column;
}
