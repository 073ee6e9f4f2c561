/**
 * Parses the test of a field, after its name (a word, a quoted text, a pattern, a comparison, a range
 * or a list), and the operators between tests.
 */
import type { Expression, Test } from './ast.ts';
import { GLUED_AND, RANGE } from './lexemes.ts';
import { shown, syntaxError } from './query-error.ts';
import { type WordTest, wordPattern } from './spellings.ts';
import { ValueParser } from './value-parser.ts';

const COMPARE_OPS = ['>=', '<=', '>', '<', '='] as const;
/** A value in the braces of Wireshark: `{80, 443}`. */
const SET_WORD = /[^\s\u0000()|"},]+/y;
/** An operand: a lower-case word is an operator only before one. */
const OPERAND = /[\s\u0000]+[^\s\u0000|)]|["'(]/y;

type Operator = 'AND' | 'OR' | 'NOT';

export abstract class TestParser extends ValueParser {
  // -- operators ---------------------------------------------------------------------------------

  /** The operator at this position as written (`AND`, `and`, `&&`), or undefined. */
  protected operatorHere(name: Operator): string | undefined {
    const { scan } = this;
    if (name === 'OR' && scan.peek() === '|')
      return scan.text.startsWith('||', scan.pos) ? '||' : undefined;
    const word = scan.peekWord();
    if (word === name) return word;
    if (name === 'AND' && word.startsWith('&&')) return '&&';
    // Without an operand a word in lower case is one.
    return word === name.toLowerCase() && this.hasOperand(word.length) ? word : undefined;
  }

  protected hasOperand(length: number): boolean {
    return this.scan.matches(OPERAND, this.scan.pos + length);
  }

  protected takeOperator(name: Operator): string | undefined {
    const found = this.operatorHere(name);
    this.scan.accept(found?.length ?? 0, 'operator');
    return found;
  }

  // -- tests of a field --------------------------------------------------------------------------

  /** `:value`, after a name. */
  protected fieldTest(name: string, start: number): Expression {
    this.scan.accept(1, 'punctuation');
    return this.testAfter(name, start);
  }

  /**
   * The test after `name:` or `name =`.
   * @param compared after a comparison sign, where a text may begin with `[`
   */
  protected testAfter(name: string, start: number, compared = false): Expression {
    const { scan } = this;
    const next = scan.text[scan.pos] ?? '';
    if (next === '(') {
      const open = scan.pos;
      this.enter();
      scan.take('(');
      if (scan.peek() === ')') throw syntaxError('empty ( )', open, `write values: (a OR b)`);
      const inner = this.valueList(name);
      this.closeBracket(open);
      this.depth -= 1;
      return { ...inner, start, end: scan.pos };
    }
    if (compared && (next === '[' || next === '{') && !scan.matches(RANGE)) {
      const text = this.ungluedWord() ?? '';
      scan.acceptWord(text);
      return { node: 'field', name, test: { test: 'word', text }, start, end: scan.pos };
    }
    const test = this.value(name);
    return { node: 'field', name, test, start, end: scan.pos };
  }

  /** `a OR b`, `a, b`, also with AND, NOT and brackets. */
  private valueList(name: string): Expression {
    const { scan } = this;
    const alternatives: Expression[] = [];
    do {
      const all = [this.listItem(name)];
      while (this.takeOperator('AND') !== undefined) all.push(this.listItem(name));
      alternatives.push(group('and', all));
    } while (this.takeOperator('OR') !== undefined || scan.take(','));
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
    if (this.takeOperator('NOT') !== undefined) {
      this.enter();
      const item = this.listItem(name);
      this.depth -= 1;
      return { node: 'not', item, start, end: scan.pos };
    }
    if (scan.peek() === '(') {
      this.enter();
      scan.take('(');
      const inner = this.valueList(name);
      this.closeBracket(start);
      this.depth -= 1;
      return inner;
    }
    this.countTerm(start);
    const test = this.value(name, true);
    return { node: 'field', name, test, start, end: scan.pos };
  }

  private value(name: string, inList = false): Test {
    const { scan } = this;
    const start = scan.pos;
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
      scan.accept(op.length, 'compare');
      return { test: 'compare', op, value: this.comparedValue(op) };
    }
    const text = this.valueWord(name, inList);
    scan.acceptWord(text);
    return /^\*+$/.test(text) ? { test: 'present' } : { test: 'word', text };
  }

  private valueWord(name: string, inList: boolean): string {
    const { scan } = this;
    const { pos: start } = scan;
    const word = this.ungluedWord();
    if (inList && (word === 'OR' || word === 'AND'))
      throw syntaxError(`found ${word}, expected a value`, start, `put it in quotes: "${word}"`);
    const comma = inList ? (word?.indexOf(',') ?? -1) : -1;
    const text = comma < 0 ? word : word?.slice(0, comma);
    if (text !== undefined && text !== '') return text;
    throw syntaxError(
      `found ${scan.found()}, expected a value after ${shown(`${name}:`).slice(1, -1)}`,
      start,
      `put the text in quotes to search for it: "${name}:"`,
    );
  }

  private range(open: '[' | '{'): Test {
    const { scan } = this;
    const start = scan.pos;
    scan.take(open);
    const end = (): string | undefined => {
      const value = scan.rangeValue();
      if (value === undefined) {
        if (scan.atEnd()) throw syntaxError(`unclosed ${open}`, start, 'write [1 TO 9]');
        throw syntaxError(`found ${scan.found()}, expected a value`, scan.pos, 'write [1 TO 9]');
      }
      return !value.quoted && value.text === '*' ? undefined : value.text;
    };
    const low = end();
    scan.skipSpace();
    const at = scan.pos;
    if (scan.atEnd()) throw syntaxError(`unclosed ${open}`, start, 'write [1 TO 9]');
    const to = scan.rangeValue();
    if (to === undefined || to.quoted || to.text.toUpperCase() !== 'TO') {
      scan.rewind(at);
      throw syntaxError(`found ${scan.found()}, expected TO`, at, 'write [1 TO 9]');
    }
    scan.retype('operator');
    const high = end();
    const close = scan.peek();
    if (!scan.take(']') && !scan.take('}')) {
      if (close === '') throw syntaxError(`unclosed ${open}`, start, 'add a closing ] or }');
      throw syntaxError(`found ${scan.found()}, expected ] or }`, scan.pos);
    }
    const [lowIncluded, highIncluded] = [open === '[', close === ']'];
    return { test: 'range', low, high, lowIncluded, highIncluded };
  }

  protected comparedValue(op: string): string {
    const { scan } = this;
    scan.skipSpace();
    if (scan.atQuote()) return scan.quoted();
    const word = this.ungluedWord();
    if (word === undefined) {
      throw syntaxError(`found ${scan.found()}, expected a value after ${op}`, scan.pos);
    }
    scan.acceptWord(word);
    return word;
  }

  /** The word here, up to an `&&` that begins another test; nothing is consumed. */
  private ungluedWord(): string | undefined {
    const word = this.scan.wordHere();
    const at = word?.search(GLUED_AND) ?? -1;
    return at > 0 ? word?.slice(0, at) : word;
  }

  /** `tcp.dstport in {80, 443}` or `{80 443}`. */
  protected setTest(name: string, start: number): Expression {
    const { scan } = this;
    const open = scan.pos;
    scan.take('{');
    const items: Expression[] = [];
    while (!scan.take('}')) {
      const at = scan.pos;
      const quoted = scan.atQuote();
      const text = quoted ? scan.quoted() : scan.matchHere(SET_WORD)?.[0];
      if (text === undefined) {
        if (scan.atEnd()) throw syntaxError('unclosed {', open, 'add a closing }');
        throw syntaxError(`found ${scan.found()}, expected a value`, at);
      }
      if (!quoted) scan.acceptWord(text);
      const test = { test: quoted ? 'quoted' : 'word', text } as const;
      items.push({ node: 'field', name, test, start: at, end: scan.pos });
      scan.take(',');
    }
    if (items.length === 0) throw syntaxError('empty { }', open, 'write values: {80, 443}');
    return { ...group('or', items), start, end: scan.pos };
  }

  /** A pattern in quotes, between slashes or as a word. */
  protected patternTest(word: Exclude<WordTest, 'in'>): Extract<Test, { test: 'regex' }> {
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
}

// An older Chromium, which may show the window, has no `Array.prototype.at`.
export function lastOf(items: readonly Expression[]): Expression {
  return items[items.length - 1]!;
}

export function group(node: 'and' | 'or', items: readonly Expression[]): Expression {
  const first = items[0]!;
  if (items.length === 1) return first;
  return { node, items, start: first.start, end: lastOf(items).end };
}
