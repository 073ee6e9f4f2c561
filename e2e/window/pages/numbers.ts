/** Numbers as the window writes them: `1,234,567`. */

const plain = (text: string): number => Number(text.replace(/,/g, ''));

/** The number in the first group of a pattern. */
export function numberIn(text: string, pattern: RegExp): number | undefined {
  const found = pattern.exec(text)?.[1];
  return found === undefined ? undefined : plain(found);
}
