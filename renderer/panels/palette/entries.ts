/** Entries of the palette: commands, past queries and fields, by the words that are typed. */

export interface Entry {
  readonly id: string;
  readonly group: string;
  readonly title: string;
  /** Words that find it, too. */
  readonly also?: string;
  readonly hotkey?: string | undefined;
  readonly disabled?: string | undefined;
  readonly detail?: string | undefined;
  readonly isQuery?: boolean;
  /** Not listed until something is searched. */
  readonly onSearch?: boolean;
  run(): void;
}

const GROUPS = ['Query', 'View', 'Events', 'Case', 'Daybook', 'Help'];
const LAST = ['Past queries', 'Fields'];
const MOST_OF_GROUP = 30;

const rank = (group: string): number => {
  const last = LAST.indexOf(group);
  if (last >= 0) return 1000 + last;
  const known = GROUPS.indexOf(group);
  return known < 0 ? GROUPS.length : known;
};

/** Entries that contain every word of the search, by group; those whose title starts with it come first. */
export function findEntries(
  entries: readonly Entry[],
  search: string,
): { readonly group: string; readonly entries: readonly Entry[] }[] {
  const wanted = search.trim().toLowerCase();
  const words = wanted.split(/\s+/).filter((word) => word !== '');
  const groups = new Map<string, Entry[]>();
  const seen = new Set<string>();
  for (const entry of entries) {
    // A later command overrides an earlier one with the same ID.
    if (seen.has(entry.id)) continue;
    seen.add(entry.id);
    if (wanted === '' && entry.onSearch === true) continue;
    const text = `${entry.title} ${entry.group} ${entry.also ?? ''}`.toLowerCase();
    if (!words.every((word) => text.includes(word))) continue;
    const group = groups.get(entry.group) ?? [];
    group.push(entry);
    groups.set(entry.group, group);
  }
  const score = ({ title }: Entry): number => {
    const text = title.toLowerCase();
    if (wanted === '' || text.startsWith(wanted)) return 0;
    return words.some((word) => text.includes(` ${word}`)) ? 1 : 2;
  };
  const best = (list: readonly Entry[]): number => Math.min(...list.map(score));
  return [...groups]
    .map(([group, list]) => ({
      group,
      entries: list
        .map((entry, at) => ({ entry, at }))
        .sort((a, b) => score(a.entry) - score(b.entry) || a.at - b.at)
        .slice(0, MOST_OF_GROUP)
        .map(({ entry }) => entry),
    }))
    .sort((a, b) => best(a.entries) - best(b.entries) || rank(a.group) - rank(b.group));
}
