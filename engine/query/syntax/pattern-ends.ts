/**
 * Where a pattern between slashes would end, for each place of a text. One pass from the end: brackets protect
 * slashes, so a search that began at each slash would read the same text again and again.
 */
export interface PatternEnds {
  /** From each place on, the first slash that neither a backslash nor square brackets protect. */
  readonly slash: Int32Array;
  /** From each place on, the first `|` after a space: it begins a stage. */
  readonly pipe: Int32Array;
}

/** Where there is none, the length of the text. */
export function patternEnds(text: string): PatternEnds {
  const { length } = text;
  // A backslash skips a character, and so perhaps the end.
  const column = () => new Int32Array(length + 2).fill(length);
  const slash = column();
  const pipe = column();
  /** The same as `slash` for a place within brackets. */
  const bracketed = column();
  for (let at = length - 1; at >= 0; at--) {
    const c = text[at]!;
    const next = c === '\\' ? at + 2 : at + 1;
    slash[at] = c === '/' ? at : (c === '[' ? bracketed : slash)[next]!;
    bracketed[at] = (c === ']' ? slash : bracketed)[next]!;
    pipe[at] = text[at + 1] === '|' && /\s/.test(c) ? at + 1 : pipe[at + 1]!;
  }
  return { slash, pipe };
}
