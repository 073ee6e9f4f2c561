/** Conditions in words of the query language, for `--explain`. */

/** Values that are shown of a list. */
const MOST_VALUES = 3;

/** A field and any of some values: `port:(22 OR 80 OR … 5 more)`. */
export function describeAny(name: string, values: readonly string[]): string {
  const shown = values.slice(0, MOST_VALUES);
  const left = values.length - shown.length;
  const [only] = shown;
  if (only !== undefined && values.length === 1) return `${name}:${only}`;
  return `${name}:(${[...shown, ...(left > 0 ? [`… ${left} more`] : [])].join(' OR ')})`;
}
