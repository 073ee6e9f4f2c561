/** A number with its noun, for people: `1 row`, `1,234 rows`. */

const grouped = new Intl.NumberFormat('en-US');

/** The form of a noun that goes with a number. `many` is needed if the plural is not the noun plus s. */
export function nounOf(n: number, one: string, many = `${one}s`): string {
  return n === 1 ? one : many;
}

/** A number with its noun: `1 row`, `1,234 rows`. */
export function counted(n: number, one: string, many?: string): string {
  return `${grouped.format(n)} ${nounOf(n, one, many)}`;
}
