/**
 * Names of attributes and the stored columns that hold them.
 *
 * Names ignore case: `note` and `Note` are one attribute. A database keeps no two columns whose names
 * differ in case only, so the second of them in a segment is stored under another name (`Note_1`).
 *
 * Invariant: what is shown of an attribute is the name that its evidence has, never that of the column.
 */

export const ATTRIBUTE_PREFIX = 'a:';
/** In a relation of several segments the spellings of a name are the columns `a0:note`, `a1:Note`, …. */
const COLUMN = /^a(\d*):/;

export interface StoredAttribute {
  /** As it is stored, or as a relation of events has it. */
  readonly column: string;
  /** As its evidence has it. */
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

/** The columns of the attribute `name`, whatever the case of its letters. */
export function attributesNamed(columns: Columns, name: string): readonly StoredAttribute[] {
  return attributesOf(columns).get(name.toLowerCase()) ?? [];
}

export function isAttributeColumn(column: string): boolean {
  return COLUMN.test(column);
}

function readNames(columns: Columns): Map<string, StoredAttribute[]> {
  const names = new Map<string, string>();
  for (const column of columns) {
    const prefix = COLUMN.exec(column);
    if (prefix !== null) names.set(column, column.slice(prefix[0].length));
  }
  const byLower = new Map<string, string>();
  for (const [column, name] of names)
    if (column.startsWith(ATTRIBUTE_PREFIX)) byLower.set(name.toLowerCase(), name);
  const out = new Map<string, StoredAttribute[]>();
  for (const [column, stored] of names) {
    const name = column.startsWith(ATTRIBUTE_PREFIX) ? evidenceName(stored, byLower) : stored;
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

/** `Note` for `Note_1`, where another column is `note`: that is what made it another. */
function evidenceName(stored: string, byLower: ReadonlyMap<string, string>): string {
  const base = /^(.+)_\d+$/s.exec(stored)?.[1];
  if (base === undefined) return stored;
  const other = byLower.get(base.toLowerCase());
  if (other === undefined) return stored;
  // Beside `note` a column `note_1` is an attribute of that name.
  if (other === base && evidenceName(other, byLower) === other) return stored;
  return base;
}

/**
 * One column for each spelling of each attribute of several segments. Names of a relation's columns ignore
 * case, too: each spelling of a name has a prefix of its own.
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
  const name = alias.replace(COLUMN, '');
  return attributesNamed(columns, name).find((one) => one.name === name)?.column;
}
