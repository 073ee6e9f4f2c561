/**
 * Positions of the strings in a JSON text, found by a plain scan: patterns overflow the stack on strings of
 * megabytes.
 */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** The end of the string that begins at the quote `start`: after its closing quote. */
export function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; at += 1) {
    at = text.indexOf('"', at);
    if (at < 0) return text.length;
    let before = at - 1;
    while (text[before] === '\\' && before > start) before -= 1;
    // An even number of backslashes escapes only itself.
    if ((at - before) % 2 === 1) return at + 1;
  }
}

/** The strings with their quotes, from left to right; an unterminated one extends to the end of the text. */
export function* jsonStrings(text: string): Generator<Span> {
  for (let start = text.indexOf('"'); start >= 0;) {
    const end = endOfString(text, start);
    yield { start, end };
    start = text.indexOf('"', end);
  }
}
