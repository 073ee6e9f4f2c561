/** Natural order of names: numbers in them compare by value, so that `10` comes after `2`. */

const PARTS = /\d+|\D+/g;

/** Compares texts, but runs of digits by value; different names never compare as equal. */
export function compareNaturally(a: string, b: string): number {
  const [left, right] = [a.match(PARTS) ?? [], b.match(PARTS) ?? []];
  for (let at = 0; at < Math.min(left.length, right.length); at++) {
    const order = compareParts(left[at]!, right[at]!);
    if (order !== 0) return order;
  }
  return left.length - right.length || compareTexts(a, b);
}

function compareParts(a: string, b: string): number {
  if (!/^\d/.test(a) || !/^\d/.test(b)) return compareTexts(a, b);
  const [left, right] = [a.replace(/^0+(?=\d)/, ''), b.replace(/^0+(?=\d)/, '')];
  // With equally many digits, the greater text is the greater number, whatever its length.
  return left.length - right.length || compareTexts(left, right);
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
