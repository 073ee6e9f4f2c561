/**
 * Parses filters: words, tests of fields, and the operators between them, including the spellings
 * of other tools' query languages.
 */
import type { Ast, CompareOp, Expression, ValueNode } from './ast.ts';
import {
  COMPARISON,
  EXPRESSION_AHEAD,
  isValueFunction,
  MAC,
  STAGE_COMPARISON,
  STEP_END,
  TEST_AHEAD,
  WORD_TEST,
} from './lexemes.ts';
import { parseAddress } from '../values/address.ts';
import { printFilter } from './print.ts';
import { QueryError, shown, syntaxError } from './query-error.ts';
import type { WordTest } from './spellings.ts';
import { TestParser, group, lastOf } from './test-parser.ts';

/** Queries within a query: each reads its segments by itself. */
export const MAX_UNIONS = 16;
/** Length at which a note on how a filter was read is truncated. */
const MAX_READING = 300;

/** Comparison operators. */
const VALUE_SIGN = /\s*(==|!=|>=|<=|=|>|<)/y;
/** Text that can be a term. */
const TERM_AHEAD = /[\s\u0000]*[^\s\u0000|)]/y;
/** Words that may have been meant as a pattern: the first begins with a slash, and the last ends with one. */
const BETWEEN_SLASHES = /\/(?!\s)[^/|"()]+(?<!\s)\/(?=[\s\u0000()|]|$)/y;

export abstract class FilterParser extends TestParser {
  protected unions = 0;
  /** Nesting depth of the sequence step that is being read. */
  protected stepDepth: number | undefined;
  /** Whether comparisons of other tools are read as plain words. */
  private plain = false;
  /** End of those words. */
  private plainEnd = 0;
  /** Lower-case operators that may have been meant as words, and words that may have been meant as operators. */
  private doubtful = new Set<string>();
  private readonly words = new Set<string>();
  /** Positions of words already found to be no expression: they are not tried again. */
  private readonly noExpressions = new Set<number>();
  readonly readings: string[] = [];

  /** A filter and its stages, up to the end or, when nested, up to a bracket. */
  protected abstract query(nested: boolean): Ast;

  protected sayHowRead(filter: Expression): void {
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

  // -- AND, OR, NOT ------------------------------------------------------------------------------

  /** `inStage`: the filter of `where`, in which free comparisons are known and nothing is an error. */
  protected filter(inStage: boolean): Expression {
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

  protected override condition(): Expression {
    const filter = this.or(true);
    this.sayHowRead(filter);
    return filter;
  }

  protected isSquareEnd(): boolean {
    return this.scan.inSquare && this.scan.peek() === ']';
  }

  protected or(inStage: boolean): Expression {
    const items = [this.and(inStage)];
    for (;;) {
      const sign = this.takeOperator('OR');
      if (sign === undefined) return group('or', items);
      const next = this.and(inStage);
      this.noteDoubt(sign, lastOf(items), next);
      items.push(next);
    }
  }

  /** Whether a step of a sequence ends here, with all its brackets closed. */
  protected isStepEnd(): boolean {
    return this.stepDepth === this.depth && STEP_END.test(this.scan.peekWord());
  }

  private and(inStage: boolean): Expression {
    const items = [this.not(inStage, true)];
    for (;;) {
      const sign = this.takeOperator('AND');
      if (sign !== undefined) {
        const next = this.not(inStage, true);
        this.noteDoubt(sign, lastOf(items), next);
        items.push(next);
        continue;
      }
      if (this.isFilterEnd() || this.isStepEnd()) break;
      if (this.operatorHere('OR') !== undefined) break;
      items.push(this.not(inStage, false));
    }
    return group('and', items);
  }

  private isFilterEnd(): boolean {
    const next = this.scan.peek();
    if (next === '' || next === ')' || next === '|') return true;
    return (this.scan.inCall && next === ',') || this.isSquareEnd();
  }

  /** Notes `and` between plain words, where it may have been meant as a word. */
  private noteDoubt(sign: string, before: Expression, behind: Expression): void {
    if (/^[a-z]/.test(sign) && this.isWord(before, 'last') && this.isWord(behind, 'first'))
      this.doubtful.add(sign);
  }

  private isWord(node: Expression, end: 'first' | 'last'): boolean {
    const isGroup = node.node === 'and' || node.node === 'or';
    // `(a) b` also begins with a bracket: that of its first item.
    const inBrackets = !isGroup || node.items[0]!.start !== node.start;
    if (inBrackets && this.scan.text[node.start] === '(') return false;
    if (isGroup) return this.isWord(end === 'first' ? node.items[0]! : lastOf(node.items), end);
    if (node.node === 'not') return this.isWord(node.item, end);
    return node.node === 'text' && !node.quoted;
  }

  /** @param first whether `not` is an operator here, not one of several words */
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
    const sign = this.notHere(first);
    scan.accept(sign?.length ?? 0, 'operator');
    return sign;
  }

  private notHere(first: boolean): string | undefined {
    const { scan } = this;
    const sign = scan.peek();
    const after = scan.text[scan.pos + 1];
    const glued = after !== undefined && !/[\s\u0000|)]/.test(after);
    if (sign === '-' && glued) return sign;
    if (sign === '!' && after !== '=' && after !== '~' && scan.matches(TERM_AHEAD, scan.pos + 1))
      return sign;
    const word = scan.peekWord();
    if (word !== 'not') return word === 'NOT' ? word : undefined;
    const ahead = scan.matches(TEST_AHEAD, scan.pos + word.length);
    return (first && this.hasOperand(word.length)) || ahead ? word : undefined;
  }

  // -- terms -------------------------------------------------------------------------------------

  private primary(inStage: boolean): Expression {
    const { scan } = this;
    scan.skipSpace();
    const start = scan.pos;
    const next = scan.peek();
    if (next === '(') return this.bracketed(inStage, start);
    if (this.isFilterEnd()) {
      throw syntaxError(`found ${scan.found()}, expected a word, a phrase or a field`, scan.pos);
    }
    this.countTerm(start);
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
        scan.retype('field');
        return this.fieldTest(text, start);
      }
      return { node: 'text', text, quoted: true, start, end: scan.pos };
    }
    return this.word(start);
  }

  private bracketed(inStage: boolean, start: number): Expression {
    const { scan } = this;
    this.enter();
    scan.take('(');
    if (scan.peek() === ')') throw syntaxError('empty ( )', start, 'write a filter between them');
    const inner = this.or(inStage);
    this.closeBracket(start);
    this.depth -= 1;
    return { ...inner, start, end: scan.pos };
  }

  /** A word, or the test of a field whose name is one. */
  private word(start: number): Expression {
    const { scan } = this;
    const whole = scan.peekWord();
    const word = this.plain ? whole.slice(0, this.plainEnd - start) : whole;
    const name = scan.peekField();
    if (name !== undefined && !this.plainWord(word, name)) {
      scan.accept(name.length, 'field');
      return this.fieldTest(name, start);
    }
    if (word === 'AND' || word === 'OR' || word === '&&') {
      throw syntaxError(
        `found ${word}, expected a word, a phrase or a field`,
        start,
        `put quotes around it to search for the word: "${word}"`,
      );
    }
    scan.acceptWord(word);
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

  // -- comparisons -------------------------------------------------------------------------------

  /** `dst_port=22`, `n > 5`, `host != "a b"`, `message =~ "^sshd"`; undefined: there is none. */
  private comparison(inStage: boolean): Expression | undefined {
    const { scan } = this;
    const start = scan.pos;
    const found = scan.takeMatch(inStage ? STAGE_COMPARISON : COMPARISON);
    if (found === undefined) return undefined;
    const sign = found[4]!;
    const next = scan.peek();
    const isUnfinished = next === '' || next === ')' || next === '|';
    // `abc=` is a text such as Base64, `abc =` is a comparison that is not finished.
    if (isUnfinished && !inStage && found[3] === '') {
      scan.rewind(start);
      return undefined;
    }
    this.markComparison(found, start);
    if (isUnfinished)
      throw syntaxError(`found ${scan.found()}, expected a value after ${sign}`, scan.pos);
    const negated = sign.startsWith('!');
    const item = this.compared(comparedName(found), sign, start);
    const node: Expression = negated ? { node: 'not', item, start, end: scan.pos } : item;
    return inStage ? node : this.orText(node, start);
  }

  /** The name and the sign of a comparison as tokens. */
  private markComparison(found: RegExpExecArray, start: number): void {
    const end = start + found[0].length;
    const sign = end - found[4]!.length;
    this.scan.mark('field', start, sign - found[3]!.length);
    this.scan.mark('compare', sign, end);
  }

  /** `len(message) > 100`, `bytes > 2 * packets`, `match(host, /^web/)`; undefined: there is none. */
  private expression(): Expression | undefined {
    const { scan } = this;
    const start = scan.pos;
    const found = scan.matchHere(EXPRESSION_AHEAD);
    if (found === undefined) return this.comparedWithExpression();
    if (found[1] !== undefined && !isValueFunction(found[1].toLowerCase())) return undefined;
    if (this.noExpressions.has(start)) return undefined;
    const { terms, depth } = this;
    const left = this.computedValue();
    const sign = scan.takeMatch(VALUE_SIGN)?.[1];
    if (sign !== undefined) {
      scan.mark('compare', scan.pos - sign.length);
      return this.comparedNode(left, sign, start);
    }
    if (left.value === 'call' && found[1] !== undefined)
      return {
        ...{ node: 'compared', left, op: undefined, right: undefined, start, end: left.end },
        written: scan.text.slice(start, left.end),
      };
    // These are words, and one of them is a sign.
    this.noExpressions.add(start);
    scan.rewind(start);
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
    scan.pos = at;
    this.markComparison(found, start);
    const end = at - sign.length - found[3]!.length;
    const name = comparedName(found);
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
        return this.testAfter(name, start, true);
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

  // -- tests by word -----------------------------------------------------------------------------

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
      scan.rewind(start);
      return undefined;
    }
    this.markWordTest(found, start);
    const isNegated = found[2] !== undefined;
    if (word === 'in' && next === '[') return this.within(name, isNegated, start);
    let item: Expression;
    const quoted = scan.atQuote() || next === '/';
    if (word === 'in')
      item = next === '{' ? this.setTest(name, start) : this.testAfter(name, start);
    else item = { node: 'field', name, test: this.patternTest(word), start, end: scan.pos };
    const node: Expression = isNegated ? { node: 'not', item, start, end: scan.pos } : item;
    return inStage ? node : this.orText(node, start, word !== 'in' && !quoted);
  }

  /** The name, `not` and the word of a test as tokens. */
  private markWordTest([whole, name, not, word]: RegExpExecArray, start: number): void {
    const { scan } = this;
    const end = start + name!.length;
    scan.mark('field', start, end);
    const sign = not?.trim() ?? '';
    const at = scan.text.indexOf(sign, end);
    scan.mark('operator', at, at + sign.length);
    const wordEnd = start + whole.trimEnd().length;
    scan.mark('operator', wordEnd - word!.length, wordEnd);
  }

  /** `name in [ query ]`, from the bracket on. */
  private within(name: string, negated: boolean, start: number): Expression {
    const { scan } = this;
    const open = scan.pos;
    scan.take('[');
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

  /** Adds to a test the reading of the same text as plain words, if there is one. */
  private orText(field: Expression, start: number, doubtful = false): Expression {
    const { scan } = this;
    const end = scan.pos;
    const { terms, depth } = this;
    this.plain = true;
    this.plainEnd = end;
    scan.pos = start;
    try {
      const text = scan.silently(() => this.plainWords(end));
      if (text === undefined) return field;
      return { node: 'field-or-text', field, text, doubtful, start, end };
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

  /** Undefined if a word would extend beyond `end`. */
  private plainWords(end: number): Expression | undefined {
    const { scan } = this;
    const items: Expression[] = [];
    while (scan.pos < end) {
      items.push(this.primary(false));
      if (scan.pos > end) return undefined;
      scan.skipSpace();
    }
    return group('and', items);
  }
}

function comparedName(found: RegExpExecArray): string {
  return found[1]?.replace(/\\(["\\])/g, '$1') ?? found[2]!;
}

/** A word that may have been meant as an operator or a pattern. */
function isDoubtfulWord(word: string): boolean {
  return /^(?:and|or|not)$/.test(word) || /[^&]&&[^&]/.test(word) || /^\/[^/]+\/$/.test(word);
}
