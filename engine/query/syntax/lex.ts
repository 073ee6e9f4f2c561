/**
 * Reads the words, quotes, numbers and signs of a query, one at a time, as the parser asks for them:
 * the meaning of a character depends on its context (`/` opens a pattern only after `field:`, a
 * comma separates names only in stages). Everything that was read is kept as tokens. The window
 * colours queries by them, so its colours always agree with the parser.
 *
 * Invariants: every method either moves forward or throws a QueryError, and reads each character a
 * bounded number of times. Tokens are in order and do not overlap; once the parser has decided how
 * to read a text, only space separates the tokens before `pos`.
 */
import {
  isBarePattern,
  FIELD,
  IDENTIFIER,
  NUMBER,
  RANGE_WORD,
  REGEX_END,
  REGEX_END_IN_CALL,
  WORD,
  WORD_IN_CALL,
  WORD_IN_QUERY,
} from './lexemes.ts';
import { type PatternEnds, patternEnds } from './pattern-ends.ts';
import { errorEnd, shown, syntaxError } from './query-error.ts';

/** The longest query text, in UTF-16 units. */
export const MAX_QUERY_LENGTH = 65_536;

export type TokenType =
  | 'field'
  | 'operator'
  | 'compare'
  | 'keyword'
  | 'stage'
  | 'function'
  | 'string'
  | 'regex'
  | 'wildcard'
  | 'number'
  | 'bracket'
  | 'punctuation'
  | 'pipe'
  | 'word'
  /** Text that the parser rejected. */
  | 'error';

export interface Token {
  readonly type: TokenType;
  readonly start: number;
  readonly end: number;
}

const SPACE = /[\s\u0000]/;
const SIGNS = {
  ...{ '|': 'pipe', ',': 'punctuation', ':': 'punctuation', '=': 'punctuation' },
  ...{ '(': 'bracket', ')': 'bracket', '[': 'bracket', ']': 'bracket' },
  ...{ '{': 'bracket', '}': 'bracket' },
} as const satisfies Readonly<Record<string, TokenType>>;

export class Lexer {
  readonly text: string;
  readonly tokens: Token[] = [];
  pos = 0;
  /** Inside the brackets of a function, where a comma ends a word. */
  inCall = false;
  /** Inside a query in square brackets. */
  inSquare = false;
  private isSilent = false;
  private patternEnds: PatternEnds | undefined;

  constructor(text: string) {
    this.text = text;
  }

  // -- looking -----------------------------------------------------------------------------------

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

  /** The word of a filter that begins here, or ''. */
  peekWord(): string {
    this.skipSpace();
    return this.wordHere() ?? '';
  }

  /** The word of a filter from here (no space is skipped), or undefined. */
  wordHere(): string | undefined {
    const pattern = this.inCall ? WORD_IN_CALL : this.inSquare ? WORD_IN_QUERY : WORD;
    return this.matchHere(pattern)?.[0];
  }

  /** The identifier of a stage (its name, a keyword, a field, a number with a unit), or ''. */
  peekIdentifier(): string {
    this.skipSpace();
    return this.matchHere(IDENTIFIER)?.[0] ?? '';
  }

  /** The name of a `name:` at this position. */
  peekField(): string | undefined {
    return this.matchHere(FIELD)?.[1];
  }

  atQuote(): boolean {
    const c = this.text[this.pos];
    return c === '"' || c === "'";
  }

  /** Matches the sticky `pattern` at a position without consuming anything. */
  matchHere(pattern: RegExp, at = this.pos): RegExpExecArray | undefined {
    pattern.lastIndex = at;
    return pattern.exec(this.text) ?? undefined;
  }

  /** Whether the sticky `pattern` matches at a position. */
  matches(pattern: RegExp, at = this.pos): boolean {
    pattern.lastIndex = at;
    return pattern.test(this.text);
  }

  /** The text at this position, for an error message. */
  found(): string {
    this.skipSpace();
    if (this.pos >= this.text.length) return 'the end';
    return shown(this.matchHere(WORD)?.[0] ?? this.text[this.pos]!);
  }

  // -- tokens ------------------------------------------------------------------------------------

  /** Records the text from `start` on as a token. */
  mark(type: TokenType, start: number, end = this.pos): void {
    if (!this.isSilent && end > start) this.tokens.push({ type, start, end });
  }

  /** Changes the type of the last token. */
  retype(type: TokenType): void {
    const last = this.isSilent ? undefined : this.tokens.pop();
    if (last !== undefined) this.tokens.push({ ...last, type });
  }

  /** Moves back to `pos` and drops the tokens after it. */
  rewind(pos: number): void {
    this.pos = pos;
    if (this.isSilent) return;
    while ((this.tokens[this.tokens.length - 1]?.start ?? -1) >= pos) this.tokens.pop();
  }

  /** Runs `read` without recording tokens, to look ahead or to read a text a second time. */
  silently<T>(read: () => T): T {
    const before = this.isSilent;
    this.isSilent = true;
    try {
      return read();
    } finally {
      this.isSilent = before;
    }
  }

  /** Consumes the next `length` characters as one token. */
  accept(length: number, type: TokenType): void {
    const start = this.pos;
    this.pos += length;
    this.mark(type, start);
  }

  /** Consumes a word that `peekWord` returned. */
  acceptWord(word: string): void {
    this.accept(word.length, wordType(word));
  }

  /** Consumes `sign` if it comes next (after space). */
  take(sign: keyof typeof SIGNS): boolean {
    this.skipSpace();
    if (!this.text.startsWith(sign, this.pos)) return false;
    this.accept(sign.length, SIGNS[sign]);
    return true;
  }

  /** Consumes the sticky `pattern` if it matches here (no space is skipped); records no token. */
  takeMatch(pattern: RegExp): RegExpExecArray | undefined {
    const found = this.matchHere(pattern);
    if (found !== undefined) this.pos += found[0].length;
    return found;
  }

  /** A value inside `[ ]` or `{ }`: a word or a quoted text. */
  rangeValue(): { text: string; quoted: boolean } | undefined {
    this.skipSpace();
    if (this.atQuote()) return { text: this.quoted(), quoted: true };
    const text = this.matchHere(RANGE_WORD)?.[0];
    if (text === undefined) return undefined;
    this.acceptWord(text);
    return { text, quoted: false };
  }

  /** Text in single or double quotes; a backslash keeps the quote or backslash after it. */
  quoted(type: TokenType = 'string'): string {
    const open = this.pos;
    const quote = this.text[open]!;
    let out = '';
    let at = open + 1;
    let from = at;
    for (; at < this.text.length; at++) {
      const c = this.text[at];
      if (c === quote) {
        this.accept(at + 1 - open, type);
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
   * A pattern between slashes, with its flags. Undefined, with nothing consumed, if the text is a path
   * rather than a pattern. The first slash that neither a backslash nor brackets protect ends the
   * pattern; only `i`, space, a bracket, `|` or the end may follow it.
   * @param bare without a field before it: then a path is more likely, and nothing is an error
   */
  regex(bare = false): { pattern: string; ignoreCase: boolean } | undefined {
    if (this.text[this.pos] !== '/') return undefined;
    const open = this.pos;
    this.patternEnds ??= patternEnds(this.text);
    const at = this.patternEnds.slash[open + 1]!;
    if (at < this.text.length) {
      const end = this.matchHere(this.inCall ? REGEX_END_IN_CALL : REGEX_END, at);
      if (end === undefined || at === open + 1) return undefined;
      const ignoreCase = end[1] === 'i';
      if (bare && this.patternEnds.pipe[open + 1]! < at) return undefined;
      const pattern = this.text.slice(open + 1, at);
      if (bare && !isBarePattern(pattern, ignoreCase)) return undefined;
      this.accept(at + end[0].length - open, 'regex');
      return { pattern: pattern.replace(/\\\//g, '/'), ignoreCase };
    }
    if (bare) return undefined;
    const word = this.matchHere(WORD)?.[0] ?? '/';
    if (/[\^$\\+[\]{}]/.test(word)) {
      throw syntaxError('unclosed /', open, 'add a closing /, or put a path in quotes');
    }
    return undefined;
  }

  /** The same for an argument that begins with a slash and can only be a pattern. */
  regexArgument(): { pattern: string; ignoreCase: boolean } {
    const open = this.pos;
    const found = this.regex();
    if (found !== undefined) return found;
    throw syntaxError('unclosed /', open, 'add a closing /');
  }

  // -- what is wrong -----------------------------------------------------------------------------

  /**
   * Continues after an error: after the last token, or after the rejected word at `position`, which
   * becomes a token of type `error`. A `|` always begins a stage.
   * @param isStuck nothing was read since the previous error
   */
  skipError(position: number, isStuck: boolean): void {
    const last = this.tokens[this.tokens.length - 1];
    this.pos = last?.end ?? 0;
    if (this.atEnd()) return;
    if ((position !== this.pos && !isStuck) || this.text[this.pos] === '|') return;
    const end = errorEnd(this.text, this.pos);
    // An unclosed quote is a text that is still being typed.
    this.accept(end - this.pos, this.atQuote() ? 'string' : 'error');
  }
}

function wordType(word: string): TokenType {
  return NUMBER.test(word) ? 'number' : /[*?]/.test(word) ? 'wildcard' : 'word';
}
