/** Where the strings of a JSON text are: by plain steps, since patterns overflow the stack in strings of megabytes. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** Where the string that begins at the quote `start` ends: after its other quote. */
export function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; at += 1) {
    at = text.indexOf('"', at);
    if (at < 0) return text.length;
    let before = at - 1;
    while (text[before] === '\\' && before > start) before -= 1;
    // An even number of backslashes escapes none but themselves.
    if ((at - before) % 2 === 1) return at + 1;
  }
}

/** The strings with their quotes, from left to right; one that does not end goes to the end of the text. */
export function* jsonStrings(text: string): Generator<Span> {
  for (let start = text.indexOf('"'); start >= 0;) {
    const end = endOfString(text, start);
    yield { start, end };
    start = text.indexOf('"', end);
  }
}
