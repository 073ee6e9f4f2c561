/**
 * Words with `*` (any run) and `?` (one character), as RE2 and as JavaScript patterns.
 *
 * Case is ignored by Unicode simple folding in both: RE2's `i` and JavaScript's `iu` agree on that.
 */
import { QueryError } from '../syntax/query-error.ts';

/** The longest single word, phrase or pattern. */
const MAX_PATTERN_LENGTH = 2000;

export function checkLength(text: string, at: number): void {
  if (text.length <= MAX_PATTERN_LENGTH) return;
  throw new QueryError(
    'limit-exceeded',
    `a word or pattern of ${text.length} characters at column ${at + 1}, more than ${MAX_PATTERN_LENGTH}`,
    at,
  );
}

/** An RE2 pattern that matches exactly `text`. */
export function escapeRe2(text: string): string {
  let out = '';
  for (const char of text.toWellFormed()) {
    out += /[A-Za-z0-9_]/.test(char) ? char : `\\x{${char.codePointAt(0)!.toString(16)}}`;
  }
  return out;
}

/** An RE2 pattern of a whole value; wildcards match any characters. */
export function valuePattern(text: string, wildcards: boolean): string {
  let out = '';
  for (const char of text.toWellFormed()) {
    if (wildcards && char === '*') out += '[\\x{0}-\\x{10ffff}]*';
    else if (wildcards && char === '?') out += '[\\x{0}-\\x{10ffff}]';
    else out += escapeRe2(char);
  }
  return `^${out}$`;
}

export function hasWildcard(text: string): boolean {
  return /[*?]/.test(text);
}

/**
 * Matches whole names in JavaScript, as `valuePattern` does in SQL. The text between two `*` is matched at its
 * first occurrence, so a long name is read once, however many `*` there are.
 */
export function wildcardMatcher(text: string, wildcards: boolean): (name: string) => boolean {
  const given = text.toWellFormed();
  const pieces = wildcards ? given.split(/\*+/) : [given];
  if (pieces.length === 1) {
    const whole = new RegExp(`^${jsPattern(given, wildcards)}$`, 'iu');
    return (name) => whole.test(name);
  }
  const first = new RegExp(`^${jsPattern(pieces[0]!, true)}`, 'iu');
  const last = new RegExp(`${jsPattern(pieces.at(-1)!, true)}$`, 'giu');
  const between = pieces.slice(1, -1).map((piece) => new RegExp(jsPattern(piece, true), 'giu'));
  return (name) => {
    const start = first.exec(name);
    if (start === null) return false;
    let at = start[0].length;
    for (const piece of [...between, last]) {
      piece.lastIndex = at;
      const found = piece.exec(name);
      if (found === null) return false;
      at = found.index + found[0].length;
    }
    return true;
  };
}

function jsPattern(text: string, wildcards: boolean): string {
  let out = '';
  for (const char of text) {
    out += wildcards && char === '?' ? '[^]' : `\\u{${char.codePointAt(0)!.toString(16)}}`;
  }
  return out;
}

/** Patterns longer than this together are not joined: RE2 bounds a pattern's size. */
const MAX_JOINED_LENGTH = 16_000;

/** Groups of items whose patterns, each of `length`, may be joined into one. */
export function joinable<T>(items: readonly T[], length: (item: T) => number): T[][] {
  const out: T[][] = [];
  let size = Infinity;
  for (const item of items) {
    const itemLength = length(item);
    if (size + itemLength > MAX_JOINED_LENGTH) {
      out.push([]);
      size = 0;
    }
    out.at(-1)!.push(item);
    size += itemLength;
  }
  return out;
}
