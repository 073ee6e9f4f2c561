/**
 * Query text to syntax tree, by recursive descent. The grammar is docs/query-language.md.
 *
 * Invariant: on any text whatsoever it returns a tree or throws a QueryError of code `query-syntax`
 * or `limit-exceeded`; it never recurses deeper than MAX_DEPTH.
 */
import {
  COMPARISON,
  EXPRESSION_AHEAD,
  FUNCTION_ALIASES,
  GLUED_AND,
  MAC,
  PERCENTILE,
  RANGE,
  SIGN_AHEAD,
  STAGE_ALIASES,
  STAGE_COMPARISON,
  STEP_END,
  TEST_AHEAD,
  WORD_TEST,
} from '../../contract/query-spelling.ts';
import {
  FUNCTIONS,
  INTERVAL_UNITS,
  type Ast,
  type CompareOp,
  type Cut,
  type Expression,
  type FunctionName,
  type Interval,
  type IntervalUnit,
  type Measure,
  type Name,
  type SequenceStep,
  type Stage,
  type StageName,
  type Test,
  type ValueNode,
} from './ast.ts';
import { isValueFunction } from '../expressions/functions.ts';
import { parseNumber } from '../filters/number-range.ts';
import { parseAddress } from '../values/address.ts';
import { intervalMicros } from '../time/grid.ts';
import { MAX_QUERY_LENGTH, Scanner } from './lex.ts';
import type { StageReader } from '../stages/operator.ts';
import { STAGE_OPERATORS } from '../stages/stages.ts';
import { printFilter } from './print.ts';
import { QueryError, didYouMean, shown, syntaxError } from './query-error.ts';
import { STAGE_HINTS, type WordTest, wordPattern } from './spellings.ts';

/** Brackets, NOTs and unions inside each other. */
export const MAX_DEPTH = 200;
/** Words, phrases and field tests of one query. */
export const MAX_TERMS = 4096;
/** Stages of one query. */
const MAX_STAGES = 50;
/** 100 years, in microseconds. */
const MAX_INTERVAL = 36_525 * 86_400e6;
/** Unions of one query: each reads its segments by itself. */
export const MAX_UNIONS = 16;
/** Rows that `top`, `head`, `tail`, `talkers` and `patterns` can be asked for. */
const MAX_LIMIT = 1_000_000_000;

const COMPARE_OPS = ['>=', '<=', '>', '<', '='] as const;
/** A number is read as far as it goes: `5-a` is a difference. */
const NUMBER_WORD = /\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w.])|\d[\w.]*/iy;
/** Comparison operators. */
const VALUE_SIGN = /\s*(==|!=|>=|<=|=|>|<)/y;
const TIMES = /^x(\d+)$/i;
/** Events of a step at most. */
const MOST_TIMES = 10_000;
const INTERVAL = /^(\d{1,9})(ms|s|m|h|d|w)$/;

/** Parses a query. Throws QueryError. */
export function parseQuery(text: string): Ast {
  if (text.length > MAX_QUERY_LENGTH) {
    throw new QueryError(
      'limit-exceeded',
      `the query has ${text.length} characters, more than ${MAX_QUERY_LENGTH}`,
      0,
    );
  }
  const parser = new Parser(text);
  const ast = parser.query(false);
  return { ...ast, text, readings: parser.readings };
}

type Operator = 'AND' | 'OR' | 'NOT';
/** Characters of a filter that a reading shows. */
const MAX_READING = 300;

class Parser {
  private readonly scan: Scanner;
  private depth = 0;
  private terms = 0;
  private unions = 0;
  /** How deep the step of a sequence is that is being read. */
  private stepDepth: number | undefined;
  /** Whether other tools' comparisons are read as the words they are made of. */
  private plain = false;
  /** Where those words end. */
  private plainEnd = 0;
  /** Operators in lower case that may have been meant as words, and words as operators. */
  private doubtful = new Set<string>();
  private readonly words = new Set<string>();
  readonly readings: string[] = [];

  constructor(text: string) {
    this.scan = new Scanner(text);
  }

  /** A filter and its stages, up to the end or, when nested, up to `)`. */
  query(nested: boolean): Ast {
    const { scan } = this;
    const start = scan.pos;
    const filter = this.filter(false);
    this.sayHowRead(filter);
    const stages: Stage[] = [];
    while (scan.take('|')) {
      if (stages.length === MAX_STAGES) {
        throw new QueryError('limit-exceeded', `more than ${MAX_STAGES} stages`, scan.pos);
      }
      stages.push(this.stage());
    }
    if (!nested && !scan.atEnd()) {
      if (scan.peek() === ')') throw syntaxError('found ")" without "("', scan.pos);
      throw syntaxError(`found ${scan.found()}, expected | or the end`, scan.pos);
    }
    return { text: scan.text.slice(start, scan.pos), filter, stages, readings: [] };
  }

  private sayHowRead(filter: Expression): void {
    const { doubtful, words } = this;
    if (doubtful.size > 0) {
      const text = printFilter(filter, this.scan.text);
      const short = text.length > MAX_READING ? `${text.slice(0, MAX_READING)}…` : text;
      const quoted = [...doubtful].map((word) => `"${word}"`).join(', ');
      this.readings.push(
        `read as: ${short}; to search for the words, put them in quotes: ${quoted}`,
      );
    }
    for (const word of words) {
      const other = word.toUpperCase();
      this.readings.push(
        word.includes('&&')
          ? `${shown(word)} was searched for as text; for both write spaces around &&`
          : word.startsWith('/')
            ? `${shown(word)} was searched for as ${/\s/.test(word) ? 'words' : 'text'}; as a pattern it is message:${shown(word).slice(1, -1)}`
            : `"${word}" was searched for as a word; the operator is ${other}`,
      );
    }
    doubtful.clear();
    words.clear();
  }

  // -- filters -----------------------------------------------------------------------------------

  /** `inStage`: the filter of `where`, in which free comparisons are known and nothing is an error. */
  private filter(inStage: boolean): Expression {
    const { scan } = this;
    scan.skipSpace();
    const start = scan.pos;
    const isNestedEnd = this.depth > 0 && (scan.peek() === ')' || this.isSquareEnd());
    if (scan.atEnd() || scan.peek() === '|' || isNestedEnd) {
      if (inStage) {
        throw syntaxError(`found ${scan.found()}, expected a filter after where`, scan.pos);
      }
      return { node: 'all', start, end: start };
    }
    return this.or(inStage);
  }

  private isSquareEnd(): boolean {
    return this.scan.inSquare && this.scan.peek() === ']';
  }

  private enter(): void {
    this.depth += 1;
    if (this.depth > MAX_DEPTH) {
      throw syntaxError(`nested more than ${MAX_DEPTH} deep`, this.scan.pos);
    }
  }

  private or(inStage: boolean): Expression {
    const items = [this.and(inStage)];
    for (;;) {
      const sign = this.takeOperator('OR');
      if (sign === undefined) return group('or', items);
      const next = this.and(inStage);
      this.noteDoubt(sign, items.at(-1)!, next);
      items.push(next);
    }
  }

  /** Whether a step of a sequence ends here: brackets that begin in it are closed. */
  private isStepEnd(): boolean {
    return this.stepDepth === this.depth && STEP_END.test(this.scan.peekWord());
  }

  private and(inStage: boolean): Expression {
    const { scan } = this;
    const items = [this.not(inStage, true)];
    for (;;) {
      const sign = this.takeOperator('AND');
      if (sign !== undefined) {
        const next = this.not(inStage, true);
        this.noteDoubt(sign, items.at(-1)!, next);
        items.push(next);
        continue;
      }
      const next = scan.peek();
      if (next === '' || next === ')' || next === '|' || (scan.inCall && next === ',')) break;
      if (this.isSquareEnd() || this.isStepEnd()) break;
      if (this.operatorHere('OR') !== undefined) break;
      items.push(this.not(inStage, false));
    }
    return group('and', items);
  }

  /** `a and b`: had the word been meant, it would stand between plain words. */
  private noteDoubt(sign: string, before: Expression, behind: Expression): void {
    if (/^[a-z]/.test(sign) && this.isWord(before, 'last') && this.isWord(behind, 'first'))
      this.doubtful.add(sign);
  }

  private isWord(node: Expression, end: 'first' | 'last'): boolean {
    const isGroup = node.node === 'and' || node.node === 'or';
    // `(a) b` begins with a bracket as well, which is that of its first item.
    const inBrackets = !isGroup || node.items[0]!.start !== node.start;
    if (inBrackets && this.scan.text[node.start] === '(') return false;
    if (isGroup) return this.isWord(node.items.at(end === 'first' ? 0 : -1)!, end);
    if (node.node === 'not') return this.isWord(node.item, end);
    return node.node === 'text' && !node.quoted;
  }

  /** The operator that stands here as it is written: `AND`, `and`, `&&`; undefined: there is none. */
  private operatorHere(name: Operator): string | undefined {
    const { scan } = this;
    if (name === 'OR' && scan.peek() === '|')
      return scan.text.startsWith('||', scan.pos) ? '||' : undefined;
    const word = scan.peekWord();
    if (word === name) return word;
    if (name === 'AND' && word.startsWith('&&')) return '&&';
    // Without an operand a word in lower case is one.
    return word === name.toLowerCase() && this.hasOperand(word.length) ? word : undefined;
  }

  private hasOperand(length: number): boolean {
    return this.scan.matches(/[\s\u0000]+[^\s\u0000|)]|["'(]/y, this.scan.pos + length);
  }

  private takeOperator(name: Operator): string | undefined {
    const found = this.operatorHere(name);
    this.scan.pos += found?.length ?? 0;
    return found;
  }

  private keyword(word: Operator): boolean {
    return this.takeOperator(word) !== undefined;
  }

  /** @param first whether it stands where `not` is an operator, not one word of several */
  private not(inStage: boolean, first: boolean): Expression {
    const { scan } = this;
    scan.skipSpace();
    const start = scan.pos;
    const sign = this.takeNot(first);
    if (sign !== undefined) {
      this.enter();
      const item = this.not(inStage, true);
      this.depth -= 1;
      if (sign === 'not' && this.isWord(item, 'first')) this.doubtful.add(sign);
      return { node: 'not', item, start, end: item.end };
    }
    return this.primary(inStage);
  }

  /** Consumes `NOT`, `-`, `!` or `not`. */
  private takeNot(first: boolean): string | undefined {
    const { scan } = this;
    const sign = scan.peek();
    const after = scan.text[scan.pos + 1];
    const glued = after !== undefined && !/[\s\u0000|)]/.test(after);
    if (
      (sign === '-' && glued) ||
      (sign === '!' && after !== '=' && after !== '~' && this.hasNext(scan.pos + 1))
    ) {
      scan.pos += 1;
      return sign;
    }
    const word = scan.peekWord();
    if (word !== 'NOT' && word !== 'not') return undefined;
    if (word === 'not') {
      const ahead = scan.matches(TEST_AHEAD, scan.pos + word.length);
      if (!(first && this.hasOperand(word.length)) && !ahead) return undefined;
    }
    scan.pos += word.length;
    return word;
  }

  /** Whether something stands after a place that can be a term. */
  private hasNext(at: number): boolean {
    return this.scan.matches(/[\s\u0000]*[^\s\u0000|)]/y, at);
  }

  private primary(inStage: boolean): Expression {
    const { scan } = this;
    scan.skipSpace();
    const start = scan.pos;
    const next = scan.peek();
    if (next === '(') {
      this.enter();
      scan.pos += 1;
      if (scan.peek() === ')') throw syntaxError('empty ( )', start, 'write a filter between them');
      const inner = this.or(inStage);
      this.closeBracket(start);
      this.depth -= 1;
      return { ...inner, start, end: scan.pos };
    }
    if (next === '' || next === ')' || next === '|' || (scan.inCall && next === ',')) {
      throw syntaxError(`found ${scan.found()}, expected a word, a phrase or a field`, scan.pos);
    }
    this.terms += 1;
    if (this.terms > MAX_TERMS) {
      throw new QueryError('limit-exceeded', `more than ${MAX_TERMS} words in one query`, start);
    }
    if (!this.plain) {
      const comparison =
        (inStage ? this.expression() : undefined) ??
        this.comparison(inStage) ??
        this.wordTest(inStage);
      if (comparison !== undefined) return comparison;
      if (next === '/') {
        const regex = scan.regex(true);
        if (regex !== undefined) {
          const test = { test: 'regex', ...regex, at: start + 1 } as const;
          return { node: 'pattern', test, start, end: scan.pos };
        }
        const [words] = scan.matchHere(BETWEEN_SLASHES) ?? [];
        if (words !== undefined && /\s/.test(words)) this.words.add(words);
      }
    }
    if (scan.atQuote()) {
      const text = scan.quoted();
      if (scan.text[scan.pos] === ':' && !/[\s|)]|^$/.test(scan.text[scan.pos + 1] ?? '')) {
        scan.pos += 1;
        return this.fieldTest(text, start);
      }
      return { node: 'text', text, quoted: true, start, end: scan.pos };
    }
    const whole = scan.peekWord();
    const word = this.plain ? whole.slice(0, this.plainEnd - start) : whole;
    const name = scan.peekField();
    if (name !== undefined && !this.plainWord(word, name)) {
      scan.pos += name.length + 1;
      return this.fieldTest(name, start);
    }
    if (word === 'AND' || word === 'OR' || word === '&&') {
      throw syntaxError(
        `found ${word}, expected a word, a phrase or a field`,
        start,
        `put quotes around it to search for the word: "${word}"`,
      );
    }
    scan.pos += word.length;
    if (/^\*+$/.test(word)) return { node: 'all', start, end: scan.pos };
    if (!this.plain && isDoubtfulWord(word)) this.words.add(word);
    return { node: 'text', text: word, quoted: false, start, end: scan.pos };
  }

  /** Words with a colon that are no field tests: addresses, URLs, drive letters. */
  private plainWord(word: string, name: string): boolean {
    const rest = word.slice(name.length + 1);
    return (
      parseAddress(word) !== undefined ||
      MAC.test(word) ||
      rest.startsWith('//') ||
      (name.length === 1 && rest.startsWith('\\'))
    );
  }

  /** `dst_port=22`, `n > 5`, `host != "a b"`, `message =~ "^sshd"`; undefined: there is none. */
  private comparison(inStage: boolean): Expression | undefined {
    const { scan } = this;
    const start = scan.pos;
    const found = scan.takeMatch(inStage ? STAGE_COMPARISON : COMPARISON);
    if (found === undefined) return undefined;
    const name = found[1]?.replace(/\\(["\\])/g, '$1') ?? found[2]!;
    const sign = found[4]!;
    const next = scan.peek();
    if (next === '' || next === ')' || next === '|') {
      // `abc=` is a text such as Base64, `abc =` is a comparison that is not finished.
      if (!inStage && found[3] === '') {
        scan.pos = start;
        return undefined;
      }
      throw syntaxError(`found ${scan.found()}, expected a value after ${sign}`, scan.pos);
    }
    const negated = sign.startsWith('!');
    const item = this.compared(name, sign, start);
    const node: Expression = negated ? { node: 'not', item, start, end: scan.pos } : item;
    return inStage ? node : this.orText(node, start);
  }

  /** `len(message) > 100`, `bytes > 2 * packets`, `match(host, /^web/)`; undefined: there is none. */
  private expression(): Expression | undefined {
    const { scan } = this;
    const start = scan.pos;
    const found = scan.matchHere(EXPRESSION_AHEAD);
    if (found === undefined) return this.comparedWithExpression();
    if (found[1] !== undefined && !isValueFunction(found[1].toLowerCase())) return undefined;
    const { terms, depth } = this;
    const left = this.computedValue();
    const sign = scan.takeMatch(VALUE_SIGN)?.[1];
    if (sign !== undefined) return this.comparedNode(left, sign, start);
    if (left.value === 'call' && found[1] !== undefined)
      return {
        ...{ node: 'compared', left, op: undefined, right: undefined, start, end: left.end },
        written: scan.text.slice(start, left.end),
      };
    // Words, one of which is a sign.
    scan.pos = start;
    this.terms = terms;
    this.depth = depth;
    return undefined;
  }

  /** `bytes > 2 * packets`: a name, a sign and an expression that is more than a value. */
  private comparedWithExpression(): Expression | undefined {
    const { scan } = this;
    const start = scan.pos;
    const found = scan.matchHere(STAGE_COMPARISON);
    const sign = found?.[4];
    if (found === undefined || sign === undefined || sign.includes('~')) return undefined;
    const at = start + found[0].length;
    const space = scan.matchHere(/\s*/y, at)?.[0].length ?? 0;
    const ahead = scan.matchHere(EXPRESSION_AHEAD, at + space);
    if (ahead === undefined) return undefined;
    if (ahead[1] !== undefined && !isValueFunction(ahead[1].toLowerCase())) return undefined;
    const name = found[1]?.replace(/\\(["\\])/g, '$1') ?? found[2]!;
    scan.pos = at;
    const end = start + found[0].length - sign.length - found[3]!.length;
    return this.comparedNode({ value: 'field', name, start, end }, sign, start);
  }

  private comparedNode(left: ValueNode, sign: string, start: number): Expression {
    const { scan } = this;
    const right = this.computedValue();
    const op = sign === '==' || sign === '!=' ? '=' : (sign as CompareOp);
    const { end } = right;
    const written = scan.text.slice(start, end);
    const item: Expression = { node: 'compared', left, op, right, written, start, end };
    return sign === '!=' ? { node: 'not', item, start, end } : item;
  }

  private compared(name: string, sign: string, start: number): Expression {
    const { scan } = this;
    const at = scan.pos + (scan.matchHere(/\s*/y)?.[0].length ?? 0);
    const node = this.comparedTest(name, sign, start);
    // Unquoted, it may be the name of another field.
    const text = scan.text.slice(at, scan.pos);
    const isName = /^[A-Za-z_@\u0080-\uffff][\w.@\-\u0080-\uffff]*$/.test(text);
    return isName && node.node === 'field' && node.test.test !== 'regex'
      ? { ...node, against: { name: text, start: at, end: scan.pos } }
      : node;
  }

  private comparedTest(name: string, sign: string, start: number): Expression {
    const { scan } = this;
    switch (sign) {
      case '=':
      case '==':
      case '!=':
        return this.fieldTest(name, start, true);
      case '=~':
      case '!~': {
        const test = this.patternTest('matches');
        return { node: 'field', name, test, start, end: scan.pos };
      }
      default: {
        const value = this.comparedValue(sign);
        const test = { test: 'compare', op: sign as CompareOp, value } as const;
        return { node: 'field', name, test, start, end: scan.pos };
      }
    }
  }

  /** `dst_port in (22, 23)`, `message contains "x"`, `host not like "web%"`; undefined: there is none. */
  private wordTest(inStage: boolean): Expression | undefined {
    const { scan } = this;
    const start = scan.pos;
    const found = scan.takeMatch(WORD_TEST);
    if (found === undefined) return undefined;
    const name = found[1]!;
    const word = found[3]!.toLowerCase().replace(/\s.*/s, '') as WordTest;
    const next = scan.peek();
    if (next === '' || next === ')' || next === '|') {
      scan.pos = start;
      return undefined;
    }
    if (word === 'in' && next === '[') return this.within(name, found[2] !== undefined, start);
    let item: Expression;
    const quoted = scan.atQuote() || next === '/';
    if (word === 'in')
      item = next === '{' ? this.setTest(name, start) : this.fieldTest(name, start);
    else item = { node: 'field', name, test: this.patternTest(word), start, end: scan.pos };
    const node: Expression =
      found[2] === undefined ? item : { node: 'not', item, start, end: scan.pos };
    return inStage ? node : this.orText(node, start, word !== 'in' && !quoted);
  }

  /** `name in [ query ]`, from the bracket on. */
  private within(name: string, negated: boolean, start: number): Expression {
    const { scan } = this;
    const open = scan.pos;
    scan.pos += 1;
    this.enter();
    this.unions += 1;
    if (this.unions > MAX_UNIONS)
      throw new QueryError('limit-exceeded', `more than ${MAX_UNIONS} queries within`, open);
    const { inSquare, inCall } = scan;
    scan.inSquare = true;
    scan.inCall = false;
    const query = this.query(true);
    scan.inSquare = inSquare;
    scan.inCall = inCall;
    if (!scan.take(']')) {
      if (scan.atEnd()) throw syntaxError('unclosed [', open, 'add a closing ]');
      throw syntaxError(`found ${scan.found()}, expected | or ]`, scan.pos);
    }
    this.depth -= 1;
    const { pos: end } = scan;
    const item: Expression = { node: 'within', name, query, start, end };
    return negated ? { node: 'not', item, start, end } : item;
  }

  /** A pattern in quotes, between slashes or as a word. */
  private patternTest(word: Exclude<WordTest, 'in'>): Extract<Test, { test: 'regex' }> {
    const { scan } = this;
    scan.skipSpace();
    const at = scan.pos + 1;
    const regex = scan.text[scan.pos] === '/' ? scan.regex() : undefined;
    if (regex !== undefined) return { test: 'regex', ...regex, at };
    const text = this.comparedValue(word);
    const pattern = wordPattern(word, text);
    if (pattern === '') throw syntaxError(`found an empty text after ${word}`, at - 1);
    return { test: 'regex', pattern, ignoreCase: word !== 'matches', at };
  }

  /** What is read from `start` on as a test, with what the same text is as words, if it can be that. */
  private orText(field: Expression, start: number, doubtful = false): Expression {
    const { scan } = this;
    const end = scan.pos;
    const { terms, depth } = this;
    this.plain = true;
    this.plainEnd = end;
    scan.pos = start;
    try {
      const items: Expression[] = [];
      while (scan.pos < end) {
        items.push(this.primary(false));
        if (scan.pos > end) return field;
        scan.skipSpace();
      }
      return { node: 'field-or-text', field, text: group('and', items), doubtful, start, end };
    } catch (error) {
      if (error instanceof QueryError) return field;
      throw error;
    } finally {
      this.plain = false;
      scan.pos = end;
      this.terms = terms;
      this.depth = depth;
    }
  }

  private comparedValue(op: string): string {
    const { scan } = this;
    scan.skipSpace();
    if (scan.atQuote()) return scan.quoted();
    const word = this.ungluedWord();
    if (word === undefined) {
      throw syntaxError(`found ${scan.found()}, expected a value after ${op}`, scan.pos);
    }
    return word;
  }

  /** A word up to an `&&` that begins another test. */
  private ungluedWord(): string | undefined {
    const { scan } = this;
    const start = scan.pos;
    const word = scan.word();
    const at = word?.search(GLUED_AND) ?? -1;
    if (word === undefined || at <= 0) return word;
    scan.pos = start + at;
    return word.slice(0, at);
  }

  private closeBracket(open: number): void {
    if (this.scan.take(')')) return;
    if (this.scan.atEnd()) throw syntaxError('unclosed (', open, 'add a closing )');
    throw syntaxError(`found ${this.scan.found()}, expected )`, this.scan.pos);
  }

  /**
   * What follows `name:`, or `name =`.
   * @param compared after a sign of other tools, after which a text may begin with `[`
   */
  private fieldTest(name: string, start: number, compared = false): Expression {
    const { scan } = this;
    const next = scan.text[scan.pos] ?? '';
    if (next === '(') {
      const open = scan.pos;
      this.enter();
      scan.pos += 1;
      if (scan.peek() === ')') throw syntaxError('empty ( )', open, `write values: (a OR b)`);
      const inner = this.valueList(name);
      this.closeBracket(open);
      this.depth -= 1;
      return { ...inner, start, end: scan.pos };
    }
    if (compared && (next === '[' || next === '{') && !scan.matches(RANGE)) {
      const text = this.ungluedWord() ?? '';
      return { node: 'field', name, test: { test: 'word', text }, start, end: scan.pos };
    }
    const test = this.value(name);
    return { node: 'field', name, test, start, end: scan.pos };
  }

  /** `tcp.dstport in {80, 443}` or `{80 443}`. */
  private setTest(name: string, start: number): Expression {
    const { scan } = this;
    const open = scan.pos;
    scan.pos += 1;
    const items: Expression[] = [];
    while (scan.peek() !== '}') {
      const at = scan.pos;
      const quoted = scan.atQuote();
      const text = quoted ? scan.quoted() : scan.takeMatch(/[^\s\u0000()|"},]+/y)?.[0];
      if (text === undefined) {
        if (scan.atEnd()) throw syntaxError('unclosed {', open, 'add a closing }');
        throw syntaxError(`found ${scan.found()}, expected a value`, at);
      }
      const test = { test: quoted ? 'quoted' : 'word', text } as const;
      items.push({ node: 'field', name, test, start: at, end: scan.pos });
      scan.take(',');
    }
    scan.pos += 1;
    if (items.length === 0) throw syntaxError('empty { }', open, 'write values: {80, 443}');
    return { ...group('or', items), start, end: scan.pos };
  }

  /** `a OR b`, `a, b`, also with AND, NOT and brackets. */
  private valueList(name: string): Expression {
    const { scan } = this;
    const alternatives: Expression[] = [];
    do {
      const all = [this.listItem(name)];
      while (this.keyword('AND')) all.push(this.listItem(name));
      alternatives.push(group('and', all));
    } while (this.keyword('OR') || scan.take(','));
    const next = scan.peek();
    if (next !== ')' && next !== '') {
      throw syntaxError(`found ${scan.found()}, expected OR, AND or )`, scan.pos);
    }
    return group('or', alternatives);
  }

  private listItem(name: string): Expression {
    const { scan } = this;
    scan.skipSpace();
    const start = scan.pos;
    if (this.keyword('NOT')) {
      this.enter();
      const item = this.listItem(name);
      this.depth -= 1;
      return { node: 'not', item, start, end: scan.pos };
    }
    if (scan.peek() === '(') {
      this.enter();
      scan.pos += 1;
      const inner = this.valueList(name);
      this.closeBracket(start);
      this.depth -= 1;
      return inner;
    }
    this.terms += 1;
    if (this.terms > MAX_TERMS) {
      throw new QueryError('limit-exceeded', `more than ${MAX_TERMS} words in one query`, start);
    }
    const test = this.value(name, true);
    return { node: 'field', name, test, start, end: scan.pos };
  }

  private value(name: string, inList = false): Test {
    const { scan } = this;
    const start = scan.pos;
    const missing = () =>
      syntaxError(
        `found ${scan.found()}, expected a value after ${shown(`${name}:`).slice(1, -1)}`,
        start,
        `put the text in quotes to search for it: "${name}:"`,
      );
    if (scan.atQuote()) return { test: 'quoted', text: scan.quoted() };
    const next = scan.text[scan.pos] ?? '';
    if (next === '/') {
      const regex = scan.regex();
      if (regex !== undefined) return { test: 'regex', ...regex, at: start + 1 };
    }
    const isFlow = name.toLowerCase() === 'flow';
    if ((next === '[' || next === '{') && !isFlow) return this.range(next);
    for (const op of COMPARE_OPS) {
      if (!scan.text.startsWith(op, scan.pos)) continue;
      scan.pos += op.length;
      return { test: 'compare', op, value: this.comparedValue(op) };
    }
    let word = this.ungluedWord();
    if (word === undefined) throw missing();
    if (inList) {
      if (word === 'OR' || word === 'AND') {
        scan.pos = start;
        throw syntaxError(`found ${word}, expected a value`, start, `put it in quotes: "${word}"`);
      }
      const comma = word.indexOf(',');
      if (comma > 0) {
        word = word.slice(0, comma);
        scan.pos = start + comma;
      } else if (comma === 0) throw missing();
    }
    if (/^\*+$/.test(word)) return { test: 'present' };
    return { test: 'word', text: word };
  }

  private range(open: string): Test {
    const { scan } = this;
    const start = scan.pos;
    scan.pos += 1;
    const end = (): number | undefined => {
      const value = scan.rangeValue();
      if (value === undefined) {
        if (scan.atEnd()) throw syntaxError(`unclosed ${open}`, start, 'write [1 TO 9]');
        throw syntaxError(`found ${scan.found()}, expected a value`, scan.pos, 'write [1 TO 9]');
      }
      values.push(!value.quoted && value.text === '*' ? undefined : value.text);
      return values.length;
    };
    const values: (string | undefined)[] = [];
    end();
    scan.skipSpace();
    const at = scan.pos;
    if (scan.atEnd()) throw syntaxError(`unclosed ${open}`, start, 'write [1 TO 9]');
    const to = scan.rangeValue();
    if (to === undefined || to.quoted || to.text.toUpperCase() !== 'TO') {
      scan.pos = at;
      throw syntaxError(`found ${scan.found()}, expected TO`, at, 'write [1 TO 9]');
    }
    end();
    const close = scan.peek();
    if (close !== ']' && close !== '}') {
      if (close === '') throw syntaxError(`unclosed ${open}`, start, 'add a closing ] or }');
      throw syntaxError(`found ${scan.found()}, expected ] or }`, scan.pos);
    }
    scan.pos += 1;
    return {
      test: 'range',
      low: values[0],
      high: values[1],
      lowIncluded: open === '[',
      highIncluded: close === ']',
    };
  }

  // -- stages ------------------------------------------------------------------------------------

  private stage(): Stage {
    const { scan } = this;
    scan.skipSpace();
    const start = scan.pos;
    const written = scan.identifier();
    if (written === undefined) {
      throw syntaxError(`found ${scan.found()}, expected a stage`, start, STAGE_HINT);
    }
    const lower = written.toLowerCase();
    const name = Object.hasOwn(STAGE_ALIASES, lower) ? STAGE_ALIASES[lower]! : lower;
    if (!isStageName(name)) {
      throw syntaxError(
        `unknown stage ${shown(written)}`,
        start,
        (Object.hasOwn(STAGE_HINTS, name) ? STAGE_HINTS[name] : undefined) ??
          didYouMean(name, [...STAGE_NAMES, ...Object.keys(STAGE_ALIASES)]) ??
          STAGE_HINT,
      );
    }
    const body = STAGE_OPERATORS[name].parse(this.readerOf(name));
    const next = scan.peek();
    if (next !== '' && next !== '|' && !(next === ')' && this.depth > 0) && !this.isSquareEnd()) {
      throw syntaxError(
        `found ${scan.found()} in ${name}, expected | or the end`,
        scan.pos,
        `write: ${STAGE_OPERATORS[name].form}`,
      );
    }
    return { ...body, start, end: scan.pos };
  }

  /** The interface through which stages read the text. */
  private readerOf(stage: StageName): StageReader {
    const { scan } = this;
    return {
      filter: () => {
        const filter = this.filter(true);
        this.sayHowRead(filter);
        return filter;
      },
      nested: () => this.nested(),
      number: () => this.number(),
      name: () => this.name(stage),
      names: () => this.names(stage),
      column: () => this.column(stage),
      columns: () => this.columns(stage),
      path: () => this.path(stage),
      value: () => this.computedValue(),
      templateOrPattern: () => this.templateOrPattern(stage),
      take: (sign) => scan.take(sign),
      measure: () => this.measure(stage),
      interval: () => this.interval(),
      neededInterval: (after) => this.neededInterval(stage, after),
      step: () => this.step(),
      word: (text) => this.wordIs(text),
      optionalBy: () => this.takeBy(),
      sign: () => {
        const sign = scan.peek();
        if (sign !== '-' && sign !== '+') return undefined;
        scan.pos += 1;
        return sign;
      },
      comma: () => scan.take(','),
      isName: (...words) => {
        const next = scan.peekIdentifier().toLowerCase();
        return next !== '' && !words.includes(next) && !INTERVAL.test(next);
      },
      get at() {
        return scan.pos;
      },
    };
  }

  private nested(): Ast {
    const { scan } = this;
    scan.skipSpace();
    const open = scan.pos;
    if (!scan.take('(')) {
      throw syntaxError(
        `found ${scan.found()}, expected (`,
        open,
        `write: ${STAGE_OPERATORS.union.form}`,
      );
    }
    this.enter();
    this.unions += 1;
    if (this.unions > MAX_UNIONS) {
      throw new QueryError('limit-exceeded', `more than ${MAX_UNIONS} unions`, open);
    }
    const query = this.query(true);
    this.closeBracket(open);
    this.depth -= 1;
    return query;
  }

  private interval(): Interval | undefined {
    const { scan } = this;
    const before = scan.pos;
    if (!/^\d/.test(scan.peekIdentifier())) {
      scan.pos = before;
      return undefined;
    }
    const start = scan.pos;
    const written = scan.identifier() ?? '';
    const found = INTERVAL.exec(written);
    const count = Number(found?.[1] ?? 0);
    if (found === null || count === 0) {
      throw syntaxError(
        `found ${shown(written)}, expected an interval`,
        start,
        `write a number and one of ${INTERVAL_UNITS.join(', ')}: 5m`,
      );
    }
    const interval = { count, unit: found[2] as IntervalUnit, start, end: scan.pos };
    if (intervalMicros(interval) > MAX_INTERVAL) {
      throw syntaxError(`found ${shown(written)}, expected at most 100 years`, start);
    }
    return interval;
  }

  private neededInterval(stage: StageName, after?: string): Interval {
    const { scan } = this;
    const found = after === undefined ? this.interval() : undefined;
    if (found !== undefined) return found;
    throw syntaxError(
      `found ${scan.found()}, expected ${after === undefined ? 'an interval' : `${after} and an interval`}`,
      scan.pos,
      `write: ${STAGE_OPERATORS[stage].form}`,
    );
  }

  private step(): SequenceStep {
    const { scan } = this;
    scan.skipSpace();
    const start = scan.pos;
    const before = this.stepDepth;
    this.stepDepth = this.depth;
    try {
      if (scan.atEnd() || scan.peek() === '|' || this.isStepEnd())
        throw syntaxError(
          `found ${scan.found()}, expected a filter`,
          start,
          `write: ${STAGE_OPERATORS.sequence.form}`,
        );
      const filter = this.or(true);
      this.sayHowRead(filter);
      const written = TIMES.exec(scan.peekWord())?.[1];
      const times = Number(written ?? 1);
      if (times < 1 || times > MOST_TIMES)
        throw syntaxError(
          `found x${written}, expected x1 to x${MOST_TIMES}`,
          scan.pos,
          `write: ${STAGE_OPERATORS.sequence.form}`,
        );
      scan.pos += written === undefined ? 0 : written.length + 1;
      return { filter, times, start, end: scan.pos };
    } finally {
      this.stepDepth = before;
    }
  }

  /** `sort by f`, if `by` is not the field itself. */
  private takeBy(): void {
    const { scan } = this;
    const start = scan.pos;
    if (this.wordIs('by') && !/^[\w@"'\u0080-\uffff-]/.test(scan.peek())) scan.pos = start;
    else if (/^(?:asc|desc)$/i.test(scan.peekIdentifier())) scan.pos = start;
  }

  private measure(stage: StageName): Measure {
    const { scan } = this;
    scan.skipSpace();
    const start = scan.pos;
    // KQL names a column in front: `n = count()`.
    const named = scan.takeMatch(/([A-Za-z_][\w.-]*)\s*=\s*(?=\w)/y)?.[1];
    const written = scan.identifier();
    const lower = written?.toLowerCase();
    const fn =
      lower !== undefined && Object.hasOwn(FUNCTION_ALIASES, lower)
        ? FUNCTION_ALIASES[lower]
        : lower;
    if (written === undefined || fn === undefined || !isFunctionName(fn)) {
      if (written !== undefined) scan.pos = start;
      throw syntaxError(
        `found ${scan.found()}, expected one of ${FUNCTIONS.join(', ')}`,
        start,
        (written === undefined ? undefined : didYouMean(written, FUNCTIONS)) ??
          `write: ${STAGE_OPERATORS[stage].form}`,
      );
    }
    let of: Name | undefined;
    const beforeBracket = scan.pos;
    if (scan.take('(')) {
      if (scan.peek() !== ')') of = fn === 'countif' ? this.counted() : this.name(stage);
      if (!scan.take(')')) {
        if (scan.atEnd()) throw syntaxError('unclosed (', beforeBracket, 'add a closing )');
        throw syntaxError(`found ${scan.found()}, expected )`, scan.pos);
      }
    } else scan.pos = beforeBracket;
    if (fn === 'count' && of !== undefined) {
      throw syntaxError(
        'count() takes no field',
        of.start,
        `distinct(${of.name}) counts its values; where ${of.name}:* leaves only events that have it`,
      );
    }
    if (fn !== 'count' && of === undefined) {
      const example = fn === 'countif' ? 'bytes > 1000' : 'bytes';
      throw syntaxError(
        `${fn} needs a ${fn === 'countif' ? 'condition' : 'field'}`,
        start,
        `write ${fn}(${example})`,
      );
    }
    let as = named ?? (of === undefined ? fn : `${lower}(${of.name})`);
    const end = scan.pos;
    if (this.wordIs('as')) {
      scan.skipSpace();
      const name = scan.atQuote() ? scan.quoted() : scan.identifier();
      if (name === undefined || name === '') {
        throw syntaxError(`found ${scan.found()}, expected a name after as`, scan.pos);
      }
      as = name;
    }
    return { fn, of, as, start, end };
  }

  private templateOrPattern(stage: StageName): Cut {
    const { scan } = this;
    scan.skipSpace();
    const at = scan.pos;
    if (scan.atQuote()) return { form: 'template', template: scan.quoted(), at };
    if (scan.peek() === '/') return { form: 'pattern', ...scan.regexArgument(), at };
    throw syntaxError(
      `found ${scan.found()}, expected a text in quotes or a pattern`,
      at,
      `write: ${STAGE_OPERATORS[stage].form}`,
    );
  }

  private path(stage: StageName): string {
    const { scan } = this;
    scan.skipSpace();
    const start = scan.pos;
    const path = scan.atQuote() ? scan.quoted() : scan.word();
    if (path !== undefined && path !== '' && !path.includes('\0')) return path;
    throw syntaxError(
      `found ${scan.found()}, expected the name of a file`,
      start,
      `write: ${STAGE_OPERATORS[stage].form}`,
    );
  }

  // -- expressions -------------------------------------------------------------------------------

  /** A value that is computed: sums and differences of products. */
  private computedValue(): ValueNode {
    this.enter();
    const { scan } = this;
    let left = this.product();
    for (;;) {
      const fn = scan.peek();
      if (fn !== '+' && fn !== '-') break;
      scan.pos += 1;
      left = this.binary(fn, left, this.product());
    }
    this.depth -= 1;
    return left;
  }

  private product(): ValueNode {
    const { scan } = this;
    let left = this.operand();
    for (;;) {
      const fn = scan.peek();
      if (fn !== '*' && fn !== '/' && fn !== '%') break;
      scan.pos += 1;
      left = this.binary(fn, left, this.operand());
    }
    return left;
  }

  private binary(fn: string, left: ValueNode, right: ValueNode): ValueNode {
    return { value: 'call', fn, args: [left, right], start: left.start, end: right.end };
  }

  private operand(): ValueNode {
    const { scan } = this;
    const next = scan.peek();
    const start = scan.pos;
    this.terms += 1;
    if (this.terms > MAX_TERMS)
      throw new QueryError('limit-exceeded', `more than ${MAX_TERMS} words in one query`, start);
    if (next === '(') {
      scan.pos += 1;
      const inner = this.computedValue();
      this.closeBracket(start);
      return { ...inner, start, end: scan.pos };
    }
    if (next === '-') {
      scan.pos += 1;
      this.enter();
      const item = this.operand();
      this.depth -= 1;
      if (item.value === 'number') return { ...item, number: -item.number, start };
      return { value: 'call', fn: 'negate', args: [item], start, end: item.end };
    }
    if (scan.atQuote()) return { value: 'text', text: scan.quoted(), start, end: scan.pos };
    const written = scan.takeMatch(NUMBER_WORD)?.[0] ?? scan.identifier();
    if (written === undefined)
      throw syntaxError(
        `found ${scan.found()}, expected a value`,
        start,
        'write a field, a number, a text in quotes or a function',
      );
    if (/^\d/.test(written)) return this.numberOperand(written, start);
    const { pos: end } = scan;
    if (scan.text[end] === '(') return this.call(written, start);
    if (written.toLowerCase() === 'null') return { value: 'nothing', start, end };
    return { value: 'field', name: written, start, end };
  }

  private numberOperand(written: string, start: number): ValueNode {
    const { scan } = this;
    if (INTERVAL.test(written)) {
      scan.pos = start;
      const interval = this.interval();
      if (interval !== undefined) return { value: 'interval', interval, start, end: scan.pos };
    }
    const number = parseNumber(written);
    if (number === undefined)
      throw syntaxError(
        `found ${shown(written)}, expected a number`,
        start,
        'write 1000, 1.5 or 5m',
      );
    return { value: 'number', number, start, end: scan.pos };
  }

  /** `name(argument, …)`; the bracket is next. */
  private call(written: string, start: number): ValueNode {
    const { scan } = this;
    const fn = written.toLowerCase();
    const open = scan.pos;
    scan.pos += 1;
    const before = scan.inCall;
    scan.inCall = true;
    try {
      if (fn === 'field') {
        scan.skipSpace();
        const name = scan.atQuote() ? scan.quoted() : '';
        if (name === '')
          throw syntaxError(`found ${scan.found()}, expected a name in quotes`, scan.pos);
        this.closeBracket(open);
        return { value: 'field', name, start, end: scan.pos };
      }
      const args: ValueNode[] = [];
      while (scan.peek() !== ')') {
        if (args.length > 0 && !scan.take(',')) {
          if (scan.atEnd()) throw syntaxError('unclosed (', open, 'add a closing )');
          throw syntaxError(`found ${scan.found()}, expected , or )`, scan.pos);
        }
        args.push(this.argument(fn, args.length));
      }
      scan.pos += 1;
      const text = scan.text.slice(start, scan.pos).replace(/\s+/g, ' ');
      return { value: 'call', fn, args, written: text, start, end: scan.pos };
    } finally {
      scan.inCall = before;
    }
  }

  /** An argument: of `if` and `case` some are conditions. */
  private argument(fn: string, at: number): ValueNode {
    const { scan } = this;
    const next = scan.peek();
    if (next === '')
      throw syntaxError('found the end, expected a value', scan.pos, 'add a closing )');
    const start = scan.pos;
    const isCondition = (fn === 'if' && at === 0) || (fn === 'case' && at % 2 === 0);
    if (isCondition && !(fn === 'case' && this.isLastArgument())) return this.condition();
    if (next !== '/') return this.computedValue();
    const regex = scan.regexArgument();
    return { value: 'pattern', ...regex, start, end: scan.pos };
  }

  /** Whether the argument that begins here is a value, with which the brackets close. */
  private isLastArgument(): boolean {
    const { scan } = this;
    const { pos } = scan;
    const { terms, depth } = this;
    try {
      this.computedValue();
      return scan.peek() === ')';
    } catch (error) {
      if (error instanceof QueryError) return false;
      throw error;
    } finally {
      scan.pos = pos;
      this.terms = terms;
      this.depth = depth;
    }
  }

  /** A filter as `where` has it, up to a comma or a bracket. */
  private condition(): ValueNode {
    const { scan } = this;
    scan.skipSpace();
    const start = scan.pos;
    this.enter();
    const filter = this.or(true);
    this.depth -= 1;
    this.sayHowRead(filter);
    return { value: 'condition', filter, start, end: scan.pos };
  }

  /** An expression where a name may stand, named as it is written. */
  private named(start: number): Name {
    const { scan } = this;
    scan.pos = start;
    const expression = this.computedValue();
    const name = scan.text.slice(start, expression.end).replace(/\s+/g, ' ');
    return { name, expression, start, end: expression.end };
  }

  /** The condition of `countif`, as what there is where it holds. */
  private counted(): Name {
    const { scan } = this;
    scan.skipSpace();
    const start = scan.pos;
    const before = scan.inCall;
    scan.inCall = true;
    try {
      const condition = this.condition();
      const place = { start, end: scan.pos };
      const one: ValueNode = { value: 'number', number: 1, ...place };
      const name = scan.text.slice(start, condition.end).replace(/\s+/g, ' ');
      const expression: ValueNode = { value: 'call', fn: 'if', args: [condition, one], ...place };
      return { name, expression, ...place };
    } finally {
      scan.inCall = before;
    }
  }

  /** Consumes the keyword `word` of a stage, in any case. */
  private wordIs(word: string): boolean {
    const { scan } = this;
    if (scan.peekIdentifier().toLowerCase() !== word) return false;
    scan.pos += word.length;
    return true;
  }

  private number(): number | undefined {
    const { scan } = this;
    const written = scan.peekIdentifier();
    if (!/^\d+$/.test(written)) {
      if (/^\d/.test(written) || scan.peek() === '-') {
        throw syntaxError(`found ${scan.found()}, expected a number`, scan.pos);
      }
      return undefined;
    }
    const value = Number(written);
    if (value > MAX_LIMIT) {
      throw syntaxError(`found ${shown(written)}, expected at most ${MAX_LIMIT}`, scan.pos);
    }
    scan.pos += written.length;
    return value;
  }

  private names(stage: StageName): Name[] {
    const out = [this.name(stage)];
    while (this.scan.take(',')) out.push(this.name(stage));
    return distinctNames(out);
  }

  private columns(stage: StageName): Name[] {
    const out = [this.column(stage)];
    while (this.scan.take(',')) out.push(this.column(stage));
    return distinctNames(out);
  }

  /** A field or a column, which an expression is only by its name. */
  private column(stage: StageName): Name {
    const { name, start, end } = this.name(stage);
    return { name, start, end };
  }

  /** A field, a column computed before or an expression: `bytes`, `"Flow Bytes/s"`, `sum(bytes)`, `bin(ts, 5m)`. */
  private name(stage: StageName): Name {
    const { scan } = this;
    scan.skipSpace();
    const start = scan.pos;
    if (scan.atQuote()) {
      const name = scan.quoted();
      return { name, start, end: scan.pos };
    }
    const name = scan.identifier();
    if (name === undefined || name === '-') {
      throw syntaxError(
        `found ${scan.found()}, expected a field`,
        start,
        `write: ${STAGE_OPERATORS[stage].form}`,
      );
    }
    const end = scan.pos;
    const lower = name.toLowerCase();
    if (isValueFunction(lower) && scan.text[end] === '(') return this.named(start);
    if (isMeasureName(lower) && scan.take('(')) {
      const close = scan.text.indexOf(')', scan.pos);
      if (close < 0) throw syntaxError('unclosed (', end, 'add a closing )');
      const of = scan.text.slice(scan.pos, close).trim();
      scan.pos = close + 1;
      return { name: of === '' ? lower : `${lower}(${of})`, start, end: scan.pos };
    }
    scan.pos = end;
    if (scan.matches(SIGN_AHEAD)) return this.named(start);
    return { name, start, end };
  }
}

function distinctNames(names: readonly Name[]): Name[] {
  const seen = new Set<string>();
  return names.filter(({ name }) => !seen.has(name) && seen.add(name));
}

/** Words that may have been meant as a pattern: the first begins with a slash, and the last ends with one. */
const BETWEEN_SLASHES = /\/(?!\s)[^/|"()]+(?<!\s)\/(?=[\s\u0000()|]|$)/y;

/** A word that may have been meant as an operator or a pattern. */
function isDoubtfulWord(word: string): boolean {
  return /^(?:and|or|not)$/.test(word) || /[^&]&&[^&]/.test(word) || /^\/[^/]+\/$/.test(word);
}

function group(node: 'and' | 'or', items: Expression[]): Expression {
  const first = items[0]!;
  if (items.length === 1) return first;
  return { node, items, start: first.start, end: items.at(-1)!.end };
}

const STAGE_NAMES = Object.keys(STAGE_OPERATORS);
const STAGE_HINT = `stages are ${STAGE_NAMES.join(', ')}`;

function isStageName(name: string): name is StageName {
  return Object.hasOwn(STAGE_OPERATORS, name);
}
function isFunctionName(name: string): name is FunctionName {
  return FUNCTIONS.some((fn) => fn === name) || PERCENTILE.test(name);
}
/** What the column of a measure may begin with. */
function isMeasureName(name: string): boolean {
  return isFunctionName(name) || Object.hasOwn(FUNCTION_ALIASES, name);
}
