/** Conditions in words of the query language, for `--explain`. */
import { type Field, chosenName } from '../names/fields.ts';
import { printName } from '../syntax/print.ts';

/** Values that are shown of a list. */
const MOST_VALUES = 3;

/** The name of a field as written before a colon. */
export function nameText(field: Field): string {
  return printName(chosenName(field));
}

/** A field and any of some values: `port:(22 OR 80 OR … 5 more)`. */
export function describeAny(name: string, values: readonly string[]): string {
  const shown = values.slice(0, MOST_VALUES);
  const left = values.length - shown.length;
  const [only] = shown;
  if (only !== undefined && values.length === 1) return `${name}:${only}`;
  return `${name}:(${[...shown, ...(left > 0 ? [`… ${left} more`] : [])].join(' OR ')})`;
}
