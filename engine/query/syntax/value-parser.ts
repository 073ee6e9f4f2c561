/**
 * Parses expressions: `len(message) > 100`, `bytes / 2`, `if(a, b, c)`. The base of all levels of the
 * parser.
 */
import {
  INTERVAL_UNITS,
  intervalMicros,
  type Expression,
  type Interval,
  type IntervalUnit,
  type ValueNode,
} from './ast.ts';
import { parseNumber } from '../filters/number-range.ts';
import type { Lexer } from './lex.ts';
import { QueryError, shown, syntaxError } from './query-error.ts';

/** Brackets, NOTs and unions inside each other. */
export const MAX_DEPTH = 200;
/** Words, phrases and field tests of one query. */
export const MAX_TERMS = 4096;
/** 100 years, in microseconds. */
const MAX_INTERVAL = 36_525 * 86_400e6;

/** A number is read as far as it goes: `5-a` is a difference. */
const NUMBER_WORD = /\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w.])|\d[\w.]*/iy;
export const INTERVAL = /^(\d{1,9})(ms|s|m|h|d|w)$/;

export abstract class ValueParser {
  protected readonly scan: Lexer;
  protected depth = 0;
  protected terms = 0;
  /** Answers of `isLastArgument` by place: without them each level of brackets would double the time. */
  private readonly lastArguments = new Map<number, boolean>();

  constructor(scan: Lexer) {
    this.scan = scan;
  }

  /** A filter as in `where`, with notes on how it was read. */
  protected abstract condition(): Expression;

  // -- limits and brackets -----------------------------------------------------------------------

  protected enter(): void {
    this.depth += 1;
    if (this.depth > MAX_DEPTH) {
      throw syntaxError(`nested more than ${MAX_DEPTH} deep`, this.scan.pos);
    }
  }

  protected countTerm(start: number): void {
    this.terms += 1;
    if (this.terms > MAX_TERMS) {
      throw new QueryError('limit-exceeded', `more than ${MAX_TERMS} words in one query`, start);
    }
  }

  protected closeBracket(open: number): void {
    if (this.scan.take(')')) return;
    if (this.scan.atEnd()) throw syntaxError('unclosed (', open, 'add a closing )');
    throw syntaxError(`found ${this.scan.found()}, expected )`, this.scan.pos);
  }

  // -- values ------------------------------------------------------------------------------------

  /** A value that is computed: sums and differences of products. */
  protected computedValue(): ValueNode {
    this.enter();
    const { scan } = this;
    let left = this.product();
    for (;;) {
      const fn = scan.peek();
      if (fn !== '+' && fn !== '-') break;
      scan.accept(1, 'operator');
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
      scan.accept(1, 'operator');
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
    this.countTerm(start);
    if (scan.take('(')) {
      const inner = this.computedValue();
      this.closeBracket(start);
      return { ...inner, start, end: scan.pos };
    }
    if (next === '-') {
      scan.accept(1, 'operator');
      this.enter();
      const item = this.operand();
      this.depth -= 1;
      if (item.value === 'number') return { ...item, number: -item.number, start };
      return { value: 'call', fn: 'negate', args: [item], start, end: item.end };
    }
    if (scan.atQuote()) return { value: 'text', text: scan.quoted(), start, end: scan.pos };
    const written = scan.matchHere(NUMBER_WORD)?.[0] ?? scan.peekIdentifier();
    if (written === '')
      throw syntaxError(
        `found ${scan.found()}, expected a value`,
        start,
        'write a field, a number, a text in quotes or a function',
      );
    if (/^\d/.test(written)) return this.numberOperand(written, start);
    const end = start + written.length;
    if (scan.text[end] === '(') return this.call(written, start);
    const isNothing = written.toLowerCase() === 'null';
    scan.accept(written.length, isNothing ? 'keyword' : 'field');
    if (isNothing) return { value: 'nothing', start, end };
    return { value: 'field', name: written, start, end };
  }

  private numberOperand(written: string, start: number): ValueNode {
    const { scan } = this;
    if (INTERVAL.test(written)) {
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
    scan.accept(written.length, 'number');
    return { value: 'number', number, start, end: scan.pos };
  }

  protected interval(): Interval | undefined {
    const { scan } = this;
    const { pos: before } = scan;
    const written = scan.peekIdentifier();
    if (!/^\d/.test(written)) {
      scan.pos = before;
      return undefined;
    }
    const start = scan.pos;
    const found = INTERVAL.exec(written);
    const count = Number(found?.[1] ?? 0);
    if (found === null || count === 0) {
      throw syntaxError(
        `found ${shown(written)}, expected an interval`,
        start,
        `write a number and one of ${Object.keys(INTERVAL_UNITS).join(', ')}: 5m`,
      );
    }
    const end = start + written.length;
    const interval = { count, unit: found[2] as IntervalUnit, start, end };
    if (intervalMicros(interval) > MAX_INTERVAL) {
      throw syntaxError(`found ${shown(written)}, expected at most 100 years`, start);
    }
    scan.accept(written.length, 'number');
    return interval;
  }

  // -- functions ---------------------------------------------------------------------------------

  /** `name(argument, …)` whose name was already peeked at. */
  private call(written: string, start: number): ValueNode {
    const { scan } = this;
    const fn = written.toLowerCase();
    scan.accept(written.length, 'function');
    const open = scan.pos;
    scan.take('(');
    return this.inCall<ValueNode>(() => {
      if (fn === 'field') return this.namedField(open, start);
      const args: ValueNode[] = [];
      while (!scan.take(')')) {
        if (args.length > 0 && !scan.take(',')) {
          if (scan.atEnd()) throw syntaxError('unclosed (', open, 'add a closing )');
          throw syntaxError(`found ${scan.found()}, expected , or )`, scan.pos);
        }
        args.push(this.argument(fn, args.length));
      }
      const text = scan.text.slice(start, scan.pos).replace(/\s+/g, ' ');
      return { value: 'call', fn, args, written: text, start, end: scan.pos };
    });
  }

  /** Reads within the brackets of a function. */
  protected inCall<T>(read: () => T): T {
    const { scan } = this;
    const before = scan.inCall;
    scan.inCall = true;
    try {
      return read();
    } finally {
      scan.inCall = before;
    }
  }

  /** `field("a name")`, from the name on. */
  private namedField(open: number, start: number): ValueNode {
    const { scan } = this;
    scan.skipSpace();
    const name = scan.atQuote() ? scan.quoted('field') : '';
    if (name === '')
      throw syntaxError(`found ${scan.found()}, expected a name in quotes`, scan.pos);
    this.closeBracket(open);
    return { value: 'field', name, start, end: scan.pos };
  }

  /** An argument: of `if` and `case` some are conditions. */
  private argument(fn: string, at: number): ValueNode {
    const { scan } = this;
    const next = scan.peek();
    if (next === '')
      throw syntaxError('found the end, expected a value', scan.pos, 'add a closing )');
    const start = scan.pos;
    const isCondition = (fn === 'if' && at === 0) || (fn === 'case' && at % 2 === 0);
    if (isCondition && !(fn === 'case' && this.isLastArgument())) return this.conditionValue();
    if (next !== '/') return this.computedValue();
    const regex = scan.regexArgument();
    return { value: 'pattern', ...regex, start, end: scan.pos };
  }

  /** Whether the argument that begins here is a value, with which the brackets close. */
  private isLastArgument(): boolean {
    const { pos } = this.scan;
    const known = this.lastArguments.get(pos) ?? this.isValueBeforeEnd();
    this.lastArguments.set(pos, known);
    return known;
  }

  private isValueBeforeEnd(): boolean {
    const { scan } = this;
    const { pos } = scan;
    const { terms, depth } = this;
    try {
      return scan.silently(() => {
        this.computedValue();
        return scan.peek() === ')';
      });
    } catch (error) {
      if (error instanceof QueryError) return false;
      throw error;
    } finally {
      scan.pos = pos;
      this.terms = terms;
      this.depth = depth;
    }
  }

  /** A condition up to a comma or a bracket. */
  protected conditionValue(): Extract<ValueNode, { value: 'condition' }> {
    const { scan } = this;
    scan.skipSpace();
    const start = scan.pos;
    this.enter();
    const filter = this.condition();
    this.depth -= 1;
    return { value: 'condition', filter, start, end: scan.pos };
  }
}
