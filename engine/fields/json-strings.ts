/** Where the strings of a JSON text are: by plain steps, since patterns overflow the stack in strings of megabytes. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** The strings with their quotes, from left to right; one that does not end goes to the end of the text. */
export function* jsonStrings(text: string): Generator<Span> {
  for (let start = text.indexOf('"'); start >= 0;) {
    let at = start + 1;
    while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
    const end = Math.min(at + 1, text.length);
    yield { start, end };
    start = text.indexOf('"', end);
  }
}
