/**
 * Query text cut into what a reader sees: fields, operators, strings, stages. For highlighting and for
 * finding a query's parts in the window; what a query means is decided by the engine alone.
 * The language: docs/query-language.md.
 *
 * Holds always: any text gives tokens, in order, without overlap; only space lies between them; for a
 * text that the engine's parser accepts, its filter and stages are found where the parser finds them.
 */
import {
  COMPARISON,
  FIELD,
  FUNCTIONS,
  FUNCTION_ALIASES,
  GLUED_AND,
  IDENTIFIER,
  MAC,
  RANGE,
  RANGE_WORD,
  REGEX_END,
  STAGE_ALIASES,
  STAGE_COMPARISON,
  STAGE_NAMES,
  STEP_END,
  TEST_AHEAD,
  WORD,
  WORD_IN_QUERY,
  WORD_TEST,
  isBarePattern,
} from '../../engine/contract/query-spelling.ts';

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
  | 'word';

export interface Token {
  readonly type: TokenType;
  readonly start: number;
  readonly end: number;
  /** Round brackets around it; a bracket has the depth of what is around it. */
  readonly depth: number;
  /** Which item of its outermost filter it belongs to, with its NOT; counted from 1. */
  readonly item: number;
}

const STAGES: readonly string[] = STAGE_NAMES;
const FUNCTION_NAMES: ReadonlySet<string> = new Set([
  ...FUNCTIONS,
  ...Object.keys(FUNCTION_ALIASES),
]);
const KEYWORDS: ReadonlySet<string> = new Set(['by', 'as', 'asc', 'desc', 'spread', 'from']);

/** Of these stages alone: elsewhere it may be a field. */
const STAGE_KEYWORDS: Readonly<Record<string, string>> = { session: 'gap', sequence: 'within' };

const SPACE = /[\s\u0000]+/y;
const LIST_WORD = /[^\s\u0000()|",]+/y;
const COMPARE = />=|<=|>|<|=/y;
/** What may stand after an operator in lower case. */
const OPERAND = /[\s\u0000]+[^\s\u0000|)]|["'(]/y;
const SET_WORD = /[^\s\u0000()|"},]+/y;
const NUMBER = /^[-+]?(?:0x[0-9a-f]+|\d+(?:\.\d+)?(?:e[-+]?\d+)?)(?:ms|s|m|h|d|w)?$/i;
const ADDRESS = /^(?=[^:]*:[^:]*:)[0-9a-f:]+(?:\d{1,3}(?:\.\d{1,3}){3})?(?:\/\d{1,3})?$/i;

/** Words with a colon that are no field tests: addresses, URLs, drive letters. */
export function isPlainWord(name: string, rest: string): boolean {
  const word = `${name}:${rest}`;
  return (
    ADDRESS.test(word) ||
    MAC.test(word) ||
    rest.startsWith('//') ||
    (name.length === 1 && rest.startsWith('\\'))
  );
}

type Mode = 'filter' | 'where' | 'list' | 'stage' | 'body';

/** A map: names of objects' own properties are no stages, and an older Chromium has no `Object.hasOwn`. */
const ALIASES: ReadonlyMap<string, string> = new Map(Object.entries(STAGE_ALIASES));

/** All tokens of a query, whatever is wrong with it. Linear in the text's length. */
export function tokensOf(text: string): Token[] {
  return new Tokenizer(text).all();
}

class Tokenizer {
  private readonly text: string;
  private readonly out: Token[] = [];
  private readonly open: {
    readonly mode: Mode;
    readonly stage: string;
    readonly square: boolean;
  }[] = [];
  private mode: Mode = 'filter';
  /** The stage that is being read. */
  private stage = '';
  private pos = 0;
  private item = 0;
  /** Whether a NOT was read whose operand comes next. */
  private prefixed = false;
  /** Whether an operand stands before: what comes next may be an operator. */
  private operand = false;

  constructor(text: string) {
    this.text = text;
  }

  all(): Token[] {
    for (;;) {
      this.space();
      if (this.pos >= this.text.length) return this.out;
      this.one();
    }
  }

  private one(): void {
    const c = this.text[this.pos];
    if (c === '|') {
      const isOr = this.text[this.pos + 1] === '|' && /^(?:filter|where|list)$/.test(this.mode);
      this.operand = false;
      if (isOr) this.put('operator', 2);
      else {
        this.put('pipe', 1);
        this.mode = 'stage';
      }
      return;
    }
    if (c === ')' || (c === ']' && this.isInSquare())) {
      const before = this.open.pop();
      if (before !== undefined) ({ mode: this.mode, stage: this.stage } = before);
      this.put('bracket', 1);
      this.operand = true;
      return;
    }
    switch (this.mode) {
      case 'filter':
      case 'where':
        this.filter();
        break;
      case 'list':
        this.listItem();
        break;
      case 'stage':
        this.stageName();
        break;
      case 'body':
        this.body();
        break;
    }
  }

  // -- filters -----------------------------------------------------------------------------------

  private filter(): void {
    const word = this.peek(this.wordPattern);
    const c = this.text[this.pos];
    if (this.stage === 'sequence' && this.open.length === 0 && STEP_END.test(word ?? '')) {
      this.put('keyword', word?.length ?? 1);
      this.operand = false;
      return;
    }
    const infix = this.infix(word);
    if (infix > 0) {
      this.put('operator', infix);
      this.operand = false;
      return;
    }
    if (this.open.length === 0 && !this.prefixed) this.item += 1;
    const prefix = this.prefix(word);
    if (prefix > 0) {
      this.prefixed = true;
      this.operand = false;
      this.put('operator', prefix);
      return;
    }
    this.prefixed = false;
    if (c === '(') {
      this.bracket(this.mode);
      return;
    }
    this.operand = true;
    if (this.comparison() || this.wordTest()) return;
    if (c === '/') {
      const end = this.regexEnd(true);
      if (end !== undefined) {
        this.put('regex', end - this.pos);
        return;
      }
    }
    if (c === '"' || c === "'") {
      const end = this.quoteEnd();
      const next = this.text[end + 1];
      const isName = this.text[end] === ':' && next !== undefined && !/[\s|)]/.test(next);
      this.put(isName ? 'field' : 'string', end - this.pos);
      if (isName) this.test(false);
      return;
    }
    const name = this.match(FIELD)?.[1];
    if (name !== undefined && word !== undefined) {
      if (!isPlainWord(name, word.slice(name.length + 1))) {
        this.put('field', name.length);
        this.test(name.toLowerCase() === 'flow');
        return;
      }
    }
    this.word(word ?? c ?? '');
  }

  /** The length of an operator between two operands that stands here; 0: there is none. */
  private infix(word: string | undefined): number {
    if (word === undefined) return 0;
    if (word === 'AND' || word === 'OR') return word.length;
    if (!this.operand) return 0;
    if (word.startsWith('&&')) return 2;
    return (word === 'and' || word === 'or') && this.matches(OPERAND, word.length)
      ? word.length
      : 0;
  }

  /** The length of a NOT that stands here; 0: there is none. */
  private prefix(word: string | undefined): number {
    const c = this.text[this.pos];
    const after = this.text[this.pos + 1];
    if (c === '-' && after !== undefined && !/[\s\u0000|)]/.test(after)) return 1;
    if (c === '!' && after !== '=' && after !== '~' && this.matches(/[\s\u0000]*[^\s\u0000|)]/y, 1))
      return 1;
    if (word === 'NOT') return 3;
    if (word !== 'not') return 0;
    const isFirst = !this.operand && this.matches(OPERAND, 3);
    return isFirst || this.matches(TEST_AHEAD, 3) ? 3 : 0;
  }

  private comparison(): boolean {
    const found = this.match(this.mode === 'where' ? STAGE_COMPARISON : COMPARISON);
    const sign = found?.[4];
    if (found === null || sign === undefined) return false;
    const end = this.pos + found[0].length;
    const hasValue = /[^\s\u0000]/.exec(this.text.slice(end, end + 1000))?.[0] ?? '|';
    if (/[)|]/.test(hasValue) && found[3] === '' && this.mode !== 'where') return false;
    this.put('field', found[0].length - sign.length - found[3]!.length);
    this.space();
    this.put('compare', sign.length);
    this.space();
    const c = this.text[this.pos];
    if (sign.endsWith('~')) this.pattern();
    else if (sign.includes('>') || sign.includes('<')) this.compared();
    else if (c === '(') this.bracket('list');
    else if ((c === '[' || c === '{') && !this.matches(RANGE, 0)) this.unglued(this.wordPattern);
    else this.value(false, false);
    return true;
  }

  private wordTest(): boolean {
    const found = this.match(WORD_TEST);
    const [whole, name, not, word] = found ?? [];
    if (whole === undefined || name === undefined || word === undefined) return false;
    const next = this.text[this.pos + whole.length];
    if (next === undefined || next === ')' || next === '|') return false;
    this.put('field', name.length);
    this.space();
    if (not !== undefined) {
      this.put('operator', not.trimEnd().length);
      this.space();
    }
    this.put('operator', word.length);
    this.space();
    if (next === '(' && word.toLowerCase() === 'in') this.bracket('list');
    else if (next === '[' && word.toLowerCase() === 'in') this.bracket('filter');
    else if (next === '{' && word.toLowerCase() === 'in') this.set();
    else this.pattern();
    return true;
  }

  /** `{80, 443}`, of Wireshark. */
  private set(): void {
    this.put('bracket', 1);
    for (;;) {
      this.space();
      const c = this.text[this.pos];
      const word = this.peek(SET_WORD);
      if (c === ',') this.put('punctuation', 1);
      else if (c === '"' || c === "'") this.put('string', this.quoteEnd() - this.pos);
      else if (word !== undefined) this.word(word);
      else break;
    }
    if (this.text[this.pos] === '}') this.put('bracket', 1);
  }

  /** A pattern in quotes, between slashes or as a word. */
  private pattern(): void {
    const end = this.text[this.pos] === '/' ? this.regexEnd() : undefined;
    if (end !== undefined) this.put('regex', end - this.pos);
    else this.compared();
  }

  /** From the colon after a field's name. */
  private test(isFlow: boolean): void {
    this.put('punctuation', 1);
    if (this.text[this.pos] === '(') this.bracket('list');
    else this.value(false, isFlow);
  }

  private value(inList: boolean, isFlow: boolean): void {
    const c = this.text[this.pos];
    if (c === undefined || /[\s\u0000)|(]/.test(c)) return;
    if (c === '"' || c === "'") {
      this.put('string', this.quoteEnd() - this.pos);
      return;
    }
    if (c === '/') {
      const end = this.regexEnd();
      if (end !== undefined) {
        this.put('regex', end - this.pos);
        return;
      }
    }
    if ((c === '[' || c === '{') && !isFlow) {
      this.range();
      return;
    }
    const sign = this.peek(COMPARE);
    if (sign !== undefined) {
      this.put('compare', sign.length);
      this.space();
      this.compared();
      return;
    }
    this.unglued(inList ? LIST_WORD : this.wordPattern);
  }

  /** A word up to an `&&` that begins another test. */
  private unglued(pattern: RegExp): void {
    const word = this.peek(pattern);
    if (word === undefined) {
      this.put('punctuation', 1);
      return;
    }
    const at = word.search(GLUED_AND);
    this.word(at > 0 ? word.slice(0, at) : word);
  }

  private compared(): void {
    const c = this.text[this.pos];
    if (c === '"' || c === "'") this.put('string', this.quoteEnd() - this.pos);
    else if (this.peek(this.wordPattern) !== undefined) this.unglued(this.wordPattern);
  }

  private range(): void {
    this.put('bracket', 1);
    for (let part = 0; part < 3; part++) {
      this.space();
      const c = this.text[this.pos];
      if (c === '"' || c === "'") {
        this.put('string', this.quoteEnd() - this.pos);
        continue;
      }
      const word = this.peek(RANGE_WORD);
      if (word === undefined) break;
      if (part === 1 && word.toUpperCase() === 'TO') this.put('operator', word.length);
      else this.word(word);
    }
    this.space();
    if (/[\]}]/.test(this.text[this.pos] ?? '')) this.put('bracket', 1);
  }

  private listItem(): void {
    const c = this.text[this.pos];
    const word = this.peek(this.wordPattern);
    const infix = this.infix(word);
    const isNot = word === 'NOT' || (word === 'not' && !this.operand && this.matches(OPERAND, 3));
    const isComma = c === ',';
    if (infix > 0 || isNot) this.put('operator', infix > 0 ? infix : 3);
    else if (isComma) this.put('punctuation', 1);
    else if (c === '(') {
      this.bracket('list');
      return;
    } else this.value(true, false);
    this.operand = infix === 0 && !isNot && !isComma;
  }

  // -- stages ------------------------------------------------------------------------------------

  private stageName(): void {
    const word = this.peek(IDENTIFIER);
    const lower = word?.toLowerCase() ?? '';
    this.stage = ALIASES.get(lower) ?? lower;
    this.operand = false;
    if (word === undefined) this.put('punctuation', 1);
    else this.put(STAGES.includes(this.stage) ? 'stage' : 'word', word.length);
    this.mode = this.stage === 'where' ? 'where' : 'body';
  }

  private body(): void {
    const c = this.text[this.pos];
    if (c === '(') {
      this.bracket(this.stage === 'union' ? 'filter' : 'body');
      return;
    }
    if (c === ':' && this.stage === 'sequence') {
      this.put('punctuation', 1);
      this.mode = 'where';
      return;
    }
    const last = this.out[this.out.length - 1];
    const isComputing = this.stage === 'eval' || this.stage === 'extract';
    if (c === '"' || c === "'") {
      this.put(isComputing ? 'string' : 'field', this.quoteEnd() - this.pos);
      return;
    }
    if (c === '/' && (this.stage === 'extract' || this.isArgument())) {
      this.put('regex', this.argumentEnd() - this.pos);
      return;
    }
    const word = this.peek(IDENTIFIER);
    if (word === undefined) {
      this.put(c === '-' ? 'operator' : 'punctuation', 1);
      return;
    }
    const lower = word.toLowerCase();
    const isFunction =
      (isComputing && this.text[this.pos + word.length] === '(') ||
      (FUNCTION_NAMES.has(lower) &&
        (/^\s*\(/.test(this.text.slice(this.pos + word.length, this.pos + word.length + 8)) ||
          this.stage === 'stats' ||
          (last?.type === 'keyword' && this.stage === 'top')));
    if (isFunction) this.put('function', word.length);
    else if (KEYWORDS.has(lower) || STAGE_KEYWORDS[this.stage] === lower)
      this.put('keyword', word.length);
    else this.put(NUMBER.test(word) ? 'number' : 'field', word.length);
  }

  private get wordPattern(): RegExp {
    return this.open.some(({ square }) => square) ? WORD_IN_QUERY : WORD;
  }

  /** Whether a square bracket is the last that was opened: it holds a query. */
  private isInSquare(): boolean {
    return this.open[this.open.length - 1]?.square === true;
  }

  /** Whether an argument of a function begins here. */
  private isArgument(): boolean {
    const last = this.out[this.out.length - 1];
    const before = last === undefined ? '' : this.text.slice(last.start, last.end);
    return this.open.length > 0 && (before === '(' || before === ',');
  }

  /** After a pattern that is an argument: it begins with a slash and can be nothing else. */
  private argumentEnd(): number {
    let inClass = false;
    for (let at = this.pos + 1; at < this.text.length; at++) {
      const c = this.text[at];
      if (c === '\\') at += 1;
      else if (c === '[') inClass = true;
      else if (c === ']') inClass = false;
      else if (c === '/' && !inClass) return at + (this.text[at + 1] === 'i' ? 2 : 1);
    }
    return this.text.length;
  }

  // -- pieces ------------------------------------------------------------------------------------

  private put(type: TokenType, length: number): void {
    const end = Math.min(this.text.length, this.pos + Math.max(1, length));
    this.out.push({ type, start: this.pos, end, depth: this.open.length, item: this.item });
    this.pos = end;
  }

  /** An opening bracket; inside of it goes on in `mode`. */
  private bracket(mode: Mode): void {
    const square = this.text[this.pos] === '[';
    this.put('bracket', 1);
    this.open.push({ mode: this.mode, stage: this.stage, square });
    this.mode = mode;
    this.operand = false;
  }

  private word(word: string): void {
    const type = NUMBER.test(word) ? 'number' : /[*?]/.test(word) ? 'wildcard' : 'word';
    this.put(type, word.length);
  }

  private space(): void {
    const found = this.match(SPACE);
    if (found !== null) this.pos += found[0].length;
  }

  private match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.pos;
    return pattern.exec(this.text);
  }

  /** Whether a pattern matches that many characters from here. */
  private matches(pattern: RegExp, offset: number): boolean {
    pattern.lastIndex = this.pos + offset;
    return pattern.test(this.text);
  }

  private peek(pattern: RegExp): string | undefined {
    return this.match(pattern)?.[0];
  }

  /** After the closing quote; the text's end where there is none. */
  private quoteEnd(): number {
    const quote = this.text[this.pos];
    let at = this.pos + 1;
    while (at < this.text.length && this.text[at] !== quote) {
      const next = this.text[at + 1];
      at += this.text[at] === '\\' && (next === quote || next === '\\') ? 2 : 1;
    }
    return Math.min(this.text.length, at + 1);
  }

  /** After the pattern that begins here; undefined when this is a path. */
  private regexEnd(bare = false): number | undefined {
    let inClass = false;
    for (let at = this.pos + 1; at < this.text.length; at++) {
      const c = this.text[at];
      if (c === '\\') at += 1;
      else if (c === '[') inClass = true;
      else if (c === ']') inClass = false;
      else if (c === '/' && !inClass) {
        REGEX_END.lastIndex = at;
        const end = REGEX_END.exec(this.text);
        if (end === null || at === this.pos + 1) return undefined;
        const between = this.text.slice(this.pos + 1, at);
        if (bare && !isBarePattern(between, end[1] === 'i')) return undefined;
        return at + end[0].length;
      }
    }
    return undefined;
  }
}
