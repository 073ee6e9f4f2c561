/**
 * Names of the stored columns that hold attributes.
 *
 * A database cannot have two columns whose names differ only in case. The first spelling of a name in a segment is
 * the column `a:note`, others are `a1:Note`, `a2:NOTE`, …. Segments of earlier versions have `a:Note_1` instead,
 * since DuckDB numbers such columns; an attribute named `Note_1` is `a1:Note_1` if that would be ambiguous.
 *
 * Invariant: a column states the name of its attribute in the evidence.
 */
export const ATTRIBUTE_PREFIX = 'a:';
const COLUMN = /^a(\d*):/;
/** Names differ in the case of their letters in fewer ways than this. */
const MOST_SPELLINGS = 10_000;

export function isAttributeColumn(column: string): boolean {
  return COLUMN.test(column);
}

/** A column's name without the prefix. */
export function withoutPrefix(column: string): string {
  return column.replace(COLUMN, '');
}

/** Names of the attribute columns among some, and the names that their evidence has. */
export function evidenceNames(columns: Iterable<string>): Map<string, string> {
  const out = new Map<string, string>();
  for (const column of columns)
    if (isAttributeColumn(column)) out.set(column, withoutPrefix(column));
  const byLower = firstSpellings(out.keys());
  for (const [column, stored] of out)
    if (column.startsWith(ATTRIBUTE_PREFIX)) out.set(column, evidenceName(stored, byLower));
  return out;
}

/** The names of numberless columns, by the same in lower case. */
function firstSpellings(columns: Iterable<string>): Map<string, string> {
  const byLower = new Map<string, string>();
  for (const column of columns) {
    const name = withoutPrefix(column);
    if (column.startsWith(ATTRIBUTE_PREFIX)) byLower.set(name.toLowerCase(), name);
  }
  return byLower;
}

/** `Note` for `Note_1` if another column is `note`, which is the reason for the number. */
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
 * New names for attribute columns of several tables in one table of all their rows: for each table, the columns
 * whose names would belong to another attribute there.
 * @param tables for each its attribute columns, with the attributes' names
 */
export function renamedTogether(
  tables: readonly ReadonlyMap<string, string>[],
): Map<string, string>[] {
  const first = new Map<string, string>();
  for (const table of tables)
    for (const column of table.keys()) {
      const lower = column.toLowerCase();
      if (!first.has(lower)) first.set(lower, column);
    }
  // A column without a number means its name's only column there.
  const unnumbered = new Map<string, string>();
  for (const [column, name] of evidenceNames(first.values()))
    if (column.startsWith(ATTRIBUTE_PREFIX) && !unnumbered.has(name)) unnumbered.set(name, column);
  const spellings = new Map<string, Set<string>>();
  for (const table of tables)
    for (const name of table.values()) {
      if (unnumbered.has(name)) continue;
      const lower = name.toLowerCase();
      const names = spellings.get(lower) ?? new Set();
      spellings.set(lower, names.add(name));
    }
  const together = (name: string): string => {
    const number = [...(spellings.get(name.toLowerCase()) ?? [])].sort().indexOf(name) + 1;
    return unnumbered.get(name) ?? `a${number}:${name}`;
  };
  return tables.map((table) => {
    const renamed = new Map<string, string>();
    const used = new Set<string>();
    for (const [column, name] of table) {
      let target = together(name);
      // DuckDB may have numbered a name twice.
      for (let n = MOST_SPELLINGS; used.has(target); n++) target = `a${n}:${name}`;
      used.add(target);
      if (target !== column) renamed.set(column, target);
    }
    return renamed;
  });
}
