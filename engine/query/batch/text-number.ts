/**
 * Attributes as numbers: what DuckDB's cast of a text to a real number takes for one, so that a scan
 * and a query of the same evidence find the same.
 */
const NUMBER =
  /^[\t\n\v\f\r ]*\+?-?(?:\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+(?:_\d+)*)(?:e[+-]?\d+(?:_\d+)*)?[\t\n\v\f\r ]*$/i;
const INFINITE = /^[\t\n\v\f\r ]*\+?(-?)inf(?:inity)?[\t\n\v\f\r ]*$/i;

/** Undefined when `text` is no number; NaN is none, for nothing compares with it. */
export function textNumber(text: string): number | undefined {
  // One that is too large is infinite.
  if (NUMBER.test(text)) return Number(text.replace('+-', '-').replaceAll('_', ''));
  const infinite = INFINITE.exec(text);
  if (infinite === null) return undefined;
  return infinite[1] === '-' ? -Infinity : Infinity;
}
