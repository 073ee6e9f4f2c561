/**
 * Attributes as numbers: accepts what DuckDB's cast of a text to a real number accepts, so that a scan and a query
 * of the same evidence agree.
 */
const NUMBER =
  /^[\t\n\v\f\r ]*\+?-?(?:\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+(?:_\d+)*)(?:e[+-]?\d+(?:_\d+)*)?[\t\n\v\f\r ]*$/i;
const INFINITE = /^[\t\n\v\f\r ]*\+?(-?)inf(?:inity)?[\t\n\v\f\r ]*$/i;

/** Undefined if `text` is not a number; NaN is not, because it compares with nothing. */
export function textNumber(text: string): number | undefined {
  // One that is too large is infinite.
  if (NUMBER.test(text)) return Number(text.replace('+-', '-').replaceAll('_', ''));
  const infinite = INFINITE.exec(text);
  if (infinite === null) return undefined;
  return infinite[1] === '-' ? -Infinity : Infinity;
}
