/**
 * Query text cut into what a reader sees: fields, operators, strings, stages. For highlighting and for
 * finding a query's parts in the window; what a query means is decided by the engine alone.
 * The language: docs/query-language.md.
 *
 * Holds always: any text gives tokens, in order, without overlap; only space lies between them; for a
 * text that the engine's parser accepts, its filter and stages are found where the parser finds them.
 */
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
  /** Round brackets around it; a bracket has the depth of what it stands in. */
  readonly depth: number;
  /** Which item of its outermost filter it belongs to, with its NOT; counted from 1. */
  readonly item: number;
}

export const STAGES: readonly string[] = [
  'count',
  'top',
  'timeline',
  'stats',
  'values',
  'talkers',
  'patterns',
  'where',
  'fields',
  'sort',
  'head',
  'tail',
  'dedup',
  'union',
];
const FUNCTIONS: ReadonlySet<string> = new Set([
  ...['count', 'sum', 'avg', 'min', 'max', 'distinct', 'p50', 'p95', 'p99'],
]);
const KEYWORDS: ReadonlySet<string> = new Set(['by', 'as', 'asc', 'desc', 'spread']);

const SPACE = /[\s\u0000]+/y;
const WORD = /[^\s\u0000()|"]+/y;
const LIST_WORD = /[^\s\u0000()|",]+/y;
const RANGE_WORD = /[^\s\u0000()|"\]}]+/y;
const FIELD = /([A-Za-z_@\u0080-\uffff][\w.@\-\u0080-\uffff]*):/y;
const IDENTIFIER = /[\w@\u0080-\uffff][\w.@\-\u0080-\uffff]*/y;
const COMPARE = />=|<=|>|<|=/y;
const FREE_COMPARISON =
  /("(?:[^"\\]|\\.)*"|[A-Za-z_@\u0080-\uffff][\w.@\-\u0080-\uffff]*(?:\([\w.@\- \u0080-\uffff]*\))?)\s*(>=|<=|!=|==|>|<|=)\s*/y;
const REGEX_END = /\/i?(?=[\s\u0000()|]|$)/y;
const NUMBER = /^[-+]?(?:0x[0-9a-f]+|\d+(?:\.\d+)?(?:e[-+]?\d+)?)(?:ms|s|m|h|d|w)?$/i;
const MAC = /^(?:[0-9a-f]{2}:){5}[0-9a-f]{2}$/i;
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

/** All tokens of a query, whatever is wrong with it. Linear in the text's length. */
export function tokensOf(text: string): Token[] {
  return new Tokenizer(text).all();
}

class Tokenizer {
  private readonly text: string;
  private readonly out: Token[] = [];
  private readonly open: { readonly mode: Mode; readonly stage: string }[] = [];
  private mode: Mode = 'filter';
  /** The stage that is being read. */
  private stage = '';
  private pos = 0;
  private item = 0;
  /** Whether a NOT was read whose operand comes next. */
  private prefixed = false;

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
      this.put('pipe', 1);
      this.mode = 'stage';
      return;
    }
    if (c === ')') {
      const before = this.open.pop();
      if (before !== undefined) ({ mode: this.mode, stage: this.stage } = before);
      this.put('bracket', 1);
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
    const word = this.peek(WORD);
    const c = this.text[this.pos];
    const after = this.text[this.pos + 1];
    const isMinus = c === '-' && after !== undefined && !/[\s|)]/.test(after);
    if (word === 'AND' || word === 'OR') {
      this.put('operator', word.length);
      return;
    }
    if (this.open.length === 0 && !this.prefixed) this.item += 1;
    if (isMinus || word === 'NOT') {
      this.prefixed = true;
      this.put('operator', isMinus ? 1 : 3);
      return;
    }
    this.prefixed = false;
    if (c === '(') {
      this.bracket(this.mode);
      return;
    }
    if (this.mode === 'where' && this.freeComparison()) return;
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

  private freeComparison(): boolean {
    const found = this.match(FREE_COMPARISON);
    const name = found?.[1];
    const sign = found?.[2];
    if (found === null || name === undefined || sign === undefined) return false;
    this.put('field', name.length);
    this.space();
    this.put('compare', sign.length);
    this.space();
    this.compared();
    return true;
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
    const word = this.peek(inList ? LIST_WORD : WORD);
    if (word === undefined) this.put('punctuation', 1);
    else this.word(word);
  }

  private compared(): void {
    const c = this.text[this.pos];
    if (c === '"' || c === "'") this.put('string', this.quoteEnd() - this.pos);
    else {
      const word = this.peek(WORD);
      if (word !== undefined) this.word(word);
    }
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
    const word = this.peek(WORD);
    if (word === 'AND' || word === 'OR' || word === 'NOT') this.put('operator', word.length);
    else if (c === ',') this.put('punctuation', 1);
    else if (c === '(') this.bracket('list');
    else this.value(true, false);
  }

  // -- stages ------------------------------------------------------------------------------------

  private stageName(): void {
    const word = this.peek(IDENTIFIER);
    this.stage = word?.toLowerCase() ?? '';
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
    if (c === '"' || c === "'") {
      this.put('field', this.quoteEnd() - this.pos);
      return;
    }
    const word = this.peek(IDENTIFIER);
    if (word === undefined) {
      this.put(c === '-' ? 'operator' : 'punctuation', 1);
      return;
    }
    const lower = word.toLowerCase();
    const last = this.out[this.out.length - 1];
    const isFunction =
      FUNCTIONS.has(lower) &&
      (/^\s*\(/.test(this.text.slice(this.pos + word.length, this.pos + word.length + 8)) ||
        this.stage === 'stats' ||
        (last?.type === 'keyword' && this.stage === 'top'));
    if (isFunction) this.put('function', word.length);
    else if (KEYWORDS.has(lower)) this.put('keyword', word.length);
    else this.put(NUMBER.test(word) ? 'number' : 'field', word.length);
  }

  // -- pieces ------------------------------------------------------------------------------------

  private put(type: TokenType, length: number): void {
    const end = Math.min(this.text.length, this.pos + Math.max(1, length));
    this.out.push({ type, start: this.pos, end, depth: this.open.length, item: this.item });
    this.pos = end;
  }

  /** An opening bracket; inside of it goes on in `mode`. */
  private bracket(mode: Mode): void {
    this.put('bracket', 1);
    this.open.push({ mode: this.mode, stage: this.stage });
    this.mode = mode;
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
  private regexEnd(): number | undefined {
    let inClass = false;
    for (let at = this.pos + 1; at < this.text.length; at++) {
      const c = this.text[at];
      if (c === '\\') at += 1;
      else if (c === '[') inClass = true;
      else if (c === ']') inClass = false;
      else if (c === '/' && !inClass) {
        REGEX_END.lastIndex = at;
        const end = REGEX_END.exec(this.text);
        return end === null || at === this.pos + 1 ? undefined : at + end[0].length;
      }
    }
    return undefined;
  }
}
