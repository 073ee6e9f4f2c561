/**
 * Reads the words, quotes, numbers and signs of a query, one at a time, as the parser asks for them:
 * what a character means depends on where it stands (`/` opens a pattern only after `field:`, a
 * comma parts names only in stages).
 *
 * Invariant: every method either moves forward or throws a QueryError, and none reads a character
 * more often than a fixed number of times.
 */
import {
  isBarePattern,
  FIELD,
  IDENTIFIER,
  RANGE_WORD,
  REGEX_END,
  WORD,
  WORD_IN_CALL,
  WORD_IN_QUERY,
} from '../../contract/query-spelling.ts';
import { shown, syntaxError } from './query-error.ts';

/** The longest query text, in UTF-16 units. */
export const MAX_QUERY_LENGTH = 65_536;

const SPACE = /[\s\u0000]/;
export class Scanner {
  readonly text: string;
  pos = 0;
  /** Whether it reads within the brackets of a function, where a comma ends a word. */
  inCall = false;
  /** Whether it reads a query within square brackets. */
  inSquare = false;

  constructor(text: string) {
    this.text = text;
  }

  skipSpace(): void {
    while (this.pos < this.text.length && SPACE.test(this.text[this.pos]!)) this.pos += 1;
  }

  /** Whether nothing but space is left. */
  atEnd(): boolean {
    this.skipSpace();
    return this.pos >= this.text.length;
  }

  /** The next character after space, or '' at the end. */
  peek(): string {
    this.skipSpace();
    return this.text[this.pos] ?? '';
  }

  /** Consumes `sign` if it comes next (after space). */
  take(sign: string): boolean {
    this.skipSpace();
    if (!this.text.startsWith(sign, this.pos)) return false;
    this.pos += sign.length;
    return true;
  }

  private match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.pos;
    return pattern.exec(this.text) ?? undefined;
  }

  /** A word of a filter from here (no space is skipped), or undefined. */
  word(): string | undefined {
    const found = this.match(this.wordPattern);
    if (found === undefined) return undefined;
    this.pos += found[0].length;
    return found[0];
  }

  peekWord(): string {
    this.skipSpace();
    return this.match(this.wordPattern)?.[0] ?? '';
  }

  private get wordPattern(): RegExp {
    if (this.inCall) return WORD_IN_CALL;
    return this.inSquare ? WORD_IN_QUERY : WORD;
  }

  /** Consumes `pattern`, which is sticky, if it matches here (no space is skipped). */
  takeMatch(pattern: RegExp): RegExpExecArray | undefined {
    const found = this.match(pattern);
    if (found !== undefined) this.pos += found[0].length;
    return found;
  }

  /** What `pattern`, which is sticky, matches at a place; nothing is consumed. */
  matchHere(pattern: RegExp, at = this.pos): RegExpExecArray | undefined {
    pattern.lastIndex = at;
    return pattern.exec(this.text) ?? undefined;
  }

  /** Whether `pattern`, which is sticky, matches at a place. */
  matches(pattern: RegExp, at = this.pos): boolean {
    pattern.lastIndex = at;
    return pattern.test(this.text);
  }

  /** A value inside `[ ]` or `{ }`: a word or a quoted text. */
  rangeValue(): { text: string; quoted: boolean } | undefined {
    this.skipSpace();
    if (this.atQuote()) return { text: this.quoted(), quoted: true };
    const found = this.match(RANGE_WORD);
    if (found === undefined) return undefined;
    this.pos += found[0].length;
    return { text: found[0], quoted: false };
  }

  /** The name of `name:` if that stands here; nothing is consumed. */
  peekField(): string | undefined {
    return this.match(FIELD)?.[1];
  }

  atQuote(): boolean {
    const c = this.text[this.pos];
    return c === '"' || c === "'";
  }

  /** Text in single or double quotes; a backslash keeps the quote or backslash after it. */
  quoted(): string {
    const open = this.pos;
    const quote = this.text[open]!;
    let out = '';
    let at = open + 1;
    let from = at;
    for (; at < this.text.length; at++) {
      const c = this.text[at];
      if (c === quote) {
        this.pos = at + 1;
        return out + this.text.slice(from, at);
      }
      if (c === '\\') {
        const next = this.text[at + 1];
        if (next === quote || next === '\\') {
          out += this.text.slice(from, at);
          from = at + 1;
          at += 1;
        }
      }
    }
    throw syntaxError(`unclosed ${quote}`, open, `add a closing ${quote}`);
  }

  /**
   * A pattern between slashes, with its flags. Undefined when what stands here is a path rather than
   * a pattern: then nothing is consumed. The first slash that no backslash or brackets protect ends
   * it, and only `i`, space, a bracket, `|` or the end may follow that.
   * @param bare without a field before it: a path is likelier, and nothing is an error
   */
  regex(bare = false): { pattern: string; ignoreCase: boolean } | undefined {
    if (this.text[this.pos] !== '/') return undefined;
    const open = this.pos;
    let inClass = false;
    for (let at = open + 1; at < this.text.length; at++) {
      const c = this.text[at];
      if (c === '\\') at += 1;
      else if (c === '[') inClass = true;
      else if (c === ']') inClass = false;
      else if (c === '/' && !inClass) {
        REGEX_END.lastIndex = at;
        const end = this.inCall ? regexEndInCall(this.text, at) : REGEX_END.exec(this.text);
        if (end === null || at === open + 1) return undefined;
        if (bare && !isBarePattern(this.text.slice(open + 1, at), end[1] === 'i')) return undefined;
        this.pos = at + end[0].length;
        return {
          pattern: this.text.slice(open + 1, at).replaceAll('\\/', '/'),
          ignoreCase: end[1] === 'i',
        };
      }
    }
    if (bare) return undefined;
    const word = this.match(WORD)?.[0] ?? '/';
    if (/[\^$\\+[\]{}]/.test(word)) {
      throw syntaxError('unclosed /', open, 'add a closing /, or put a path in quotes');
    }
    return undefined;
  }

  /** The same as an argument: what stands here begins with a slash and can be nothing else. */
  regexArgument(): { pattern: string; ignoreCase: boolean } {
    const open = this.pos;
    const found = this.regex();
    if (found !== undefined) return found;
    throw syntaxError('unclosed /', open, 'add a closing /');
  }

  /** An identifier of a stage (its name, a keyword, a field, a number with a unit), or undefined. */
  identifier(): string | undefined {
    this.skipSpace();
    const found = this.match(IDENTIFIER);
    if (found === undefined) return undefined;
    this.pos += found[0].length;
    return found[0];
  }

  peekIdentifier(): string {
    this.skipSpace();
    return this.match(IDENTIFIER)?.[0] ?? '';
  }

  /** The text at this place, for an error. */
  found(): string {
    this.skipSpace();
    if (this.pos >= this.text.length) return 'the end';
    return shown(this.match(WORD)?.[0] ?? this.text[this.pos]!);
  }
}

/** Where a pattern ends within the brackets of a function: a comma may follow. */
function regexEndInCall(text: string, at: number): RegExpExecArray | null {
  REGEX_END_IN_CALL.lastIndex = at;
  return REGEX_END_IN_CALL.exec(text);
}

const REGEX_END_IN_CALL = /\/(i?)(?=[\s\u0000()|,]|$)/y;
