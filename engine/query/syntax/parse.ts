/**
 * Query text to syntax tree, by recursive descent, and to the tokens that it is made of. The grammar
 * is docs/query-language.md; filters and expressions are read by the classes below this one.
 *
 * Invariants: on any text whatsoever `parseQuery` returns a tree or throws a QueryError of code
 * `query-syntax` or `limit-exceeded`, and `tokensOf` returns tokens; neither recurses deeper than
 * MAX_DEPTH.
 */
import {
  FUNCTIONS,
  type Ast,
  type Cut,
  type FunctionName,
  type Interval,
  type Measure,
  type Name,
  type SequenceStep,
  type Stage,
  type StageName,
  type ValueNode,
} from './ast.ts';
import { FilterParser, MAX_UNIONS } from './filter-parser.ts';
import { Lexer, MAX_QUERY_LENGTH, type Token } from './lex.ts';
import {
  FUNCTION_ALIASES,
  isValueFunction,
  PERCENTILE,
  SIGN_AHEAD,
  STAGE_ALIASES,
  STAGE_NAMES,
} from './lexemes.ts';
import { QueryError, didYouMean, shown, syntaxError } from './query-error.ts';
import { STAGE_HINTS } from './spellings.ts';
import { STAGE_GRAMMAR, type StageReader } from './stage-grammar.ts';
import { INTERVAL } from './value-parser.ts';

/** Stages of one query. */
const MAX_STAGES = 50;
/** Rows that `top`, `head`, `tail`, `talkers` and `patterns` can be asked for. */
const MAX_LIMIT = 1_000_000_000;
/** The most events that a step of a sequence can require. */
const MOST_TIMES = 10_000;
const TIMES = /^x(\d+)$/i;
/** KQL names a column in front: `n = count()`. */
const NAMED_MEASURE = /([A-Za-z_][\w.-]*)\s*(=)\s*(?=\w)/y;

/** Parses a query. Throws QueryError. */
export function parseQuery(text: string): Ast {
  if (text.length > MAX_QUERY_LENGTH) {
    throw new QueryError(
      'limit-exceeded',
      `the query has ${text.length} characters, more than ${MAX_QUERY_LENGTH}`,
      0,
    );
  }
  const parser = new Parser(new Lexer(text));
  const ast = parser.query(false);
  return { ...ast, text, readings: parser.readings };
}

/**
 * The tokens of a query, in order. After an error the parser continues. Only space
 * separates the tokens.
 */
export function tokensOf(text: string): readonly Token[] {
  // Too long to be a query; it is not read.
  if (text.length > MAX_QUERY_LENGTH) return [{ type: 'error', start: 0, end: text.length }];
  const lexer = new Lexer(text);
  for (let before = -1; ;) {
    try {
      new Parser(lexer).query(false);
      return lexer.tokens;
    } catch (error) {
      if (!(error instanceof QueryError)) throw error;
      lexer.skipError(error.position, lexer.tokens.length === before);
      before = lexer.tokens.length;
    }
  }
}

class Parser extends FilterParser {
  /** A filter and its stages, up to the end or, when nested, up to a bracket. */
  override query(nested: boolean): Ast {
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

  private stage(): Stage {
    const { scan } = this;
    const written = scan.peekIdentifier();
    const start = scan.pos;
    if (written === '')
      throw syntaxError(`found ${scan.found()}, expected a stage`, start, STAGE_HINT);
    const lower = written.toLowerCase();
    const name = STAGE_ALIASES.get(lower) ?? lower;
    if (!isStageName(name)) {
      throw syntaxError(
        `unknown stage ${shown(written)}`,
        start,
        STAGE_HINTS.get(name) ??
          didYouMean(name, [...STAGE_NAMES, ...STAGE_ALIASES.keys()]) ??
          STAGE_HINT,
      );
    }
    scan.accept(written.length, 'stage');
    const grammar = STAGE_GRAMMAR[name];
    const { form } = grammar;
    const body = grammar.parse(this.readerOf(form));
    const next = scan.peek();
    if (next !== '' && next !== '|' && !(next === ')' && this.depth > 0) && !this.isSquareEnd()) {
      throw syntaxError(
        `found ${scan.found()} in ${name}, expected | or the end`,
        scan.pos,
        `write: ${form}`,
      );
    }
    return { ...body, start, end: scan.pos };
  }

  /** The interface through which stages read the text. */
  private readerOf(form: string): StageReader {
    const { scan } = this;
    return {
      filter: () => {
        const filter = this.filter(true);
        this.sayHowRead(filter);
        return filter;
      },
      nested: () => this.nested(form),
      number: () => this.number(),
      name: () => this.name(form),
      names: () => this.names(form),
      column: () => this.column(form),
      columns: () => this.columns(form),
      path: () => this.path(form),
      value: () => this.computedValue(),
      templateOrPattern: () => this.templateOrPattern(form),
      take: (sign) => scan.take(sign),
      measure: () => this.measure(form),
      interval: () => this.interval(),
      neededInterval: (after) => this.neededInterval(form, after),
      step: () => this.step(form),
      word: (text) => this.wordIs(text),
      optionalBy: () => this.takeBy(),
      sign: () => {
        const sign = scan.peek();
        if (sign !== '-' && sign !== '+') return undefined;
        scan.accept(1, 'operator');
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

  /** The error for text that is not what a stage needs. */
  private expected(description: string, form: string, at?: number): QueryError {
    const found = this.scan.found();
    return syntaxError(
      `found ${found}, expected ${description}`,
      at ?? this.scan.pos,
      `write: ${form}`,
    );
  }

  private nested(form: string): Ast {
    const { scan } = this;
    scan.skipSpace();
    const open = scan.pos;
    if (!scan.take('(')) throw this.expected('(', form, open);
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

  private neededInterval(form: string, after?: string): Interval {
    const found = after === undefined ? this.interval() : undefined;
    if (found !== undefined) return found;
    throw this.expected(after === undefined ? 'an interval' : `${after} and an interval`, form);
  }

  private step(form: string): SequenceStep {
    const { scan } = this;
    scan.skipSpace();
    const start = scan.pos;
    const before = this.stepDepth;
    this.stepDepth = this.depth;
    try {
      if (scan.atEnd() || scan.peek() === '|' || this.isStepEnd())
        throw this.expected('a filter', form, start);
      const filter = this.condition();
      const written = TIMES.exec(scan.peekWord());
      const times = Number(written?.[1] ?? 1);
      if (times < 1 || times > MOST_TIMES)
        throw syntaxError(
          `found x${written?.[1]}, expected x1 to x${MOST_TIMES}`,
          scan.pos,
          `write: ${form}`,
        );
      scan.accept(written?.[0].length ?? 0, 'keyword');
      return { filter, times, start, end: scan.pos };
    } finally {
      this.stepDepth = before;
    }
  }

  /** `sort by f`, if `by` is not the field itself. */
  private takeBy(): void {
    const { scan } = this;
    const start = scan.pos;
    if (this.wordIs('by') && !/^[\w@"'\u0080-\uffff-]/.test(scan.peek())) scan.rewind(start);
    else if (/^(?:asc|desc)$/i.test(scan.peekIdentifier())) scan.rewind(start);
  }

  private measure(form: string): Measure {
    const { scan } = this;
    scan.skipSpace();
    const start = scan.pos;
    const named = this.measureName();
    const written = scan.peekIdentifier();
    const lower = written.toLowerCase();
    const fn = FUNCTION_ALIASES.get(lower) ?? lower;
    if (!isFunctionName(fn)) {
      if (written !== '') scan.rewind(start);
      throw syntaxError(
        `found ${scan.found()}, expected one of ${FUNCTIONS.join(', ')}`,
        start,
        (written === '' ? undefined : didYouMean(written, FUNCTIONS)) ?? `write: ${form}`,
      );
    }
    scan.accept(written.length, 'function');
    const of = this.measured(fn, form);
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
    const end = scan.pos;
    const as = this.measureAs() ?? named ?? (of === undefined ? fn : `${lower}(${of.name})`);
    return { fn, of, as, start, end };
  }

  private measureName(): string | undefined {
    const { scan } = this;
    const { pos: start } = scan;
    const found = scan.takeMatch(NAMED_MEASURE);
    const [whole = '', name] = found ?? [];
    if (name === undefined) return undefined;
    const sign = start + whole.lastIndexOf('=');
    scan.mark('field', start, start + name.length);
    scan.mark('punctuation', sign, sign + 1);
    return name;
  }

  /** The operand in the brackets of a measure. */
  private measured(fn: FunctionName, form: string): Name | undefined {
    const { scan } = this;
    const { pos: open } = scan;
    if (!scan.take('(')) {
      scan.pos = open;
      return undefined;
    }
    if (scan.take(')')) return undefined;
    const of = fn === 'countif' ? this.counted() : this.name(form);
    if (scan.take(')')) return of;
    if (scan.atEnd()) throw syntaxError('unclosed (', open, 'add a closing )');
    throw syntaxError(`found ${scan.found()}, expected )`, scan.pos);
  }

  /** `as name`. */
  private measureAs(): string | undefined {
    const { scan } = this;
    if (!this.wordIs('as')) return undefined;
    scan.skipSpace();
    const isQuoted = scan.atQuote();
    const name = isQuoted ? scan.quoted('field') : scan.peekIdentifier();
    if (name === '') {
      throw syntaxError(`found ${scan.found()}, expected a name after as`, scan.pos);
    }
    if (!isQuoted) scan.accept(name.length, 'field');
    return name;
  }

  private templateOrPattern(form: string): Cut {
    const { scan } = this;
    scan.skipSpace();
    const at = scan.pos;
    if (scan.atQuote()) return { form: 'template', template: scan.quoted(), at };
    if (scan.peek() === '/') return { form: 'pattern', ...scan.regexArgument(), at };
    throw this.expected('a text in quotes or a pattern', form);
  }

  private path(form: string): string {
    const { scan } = this;
    scan.skipSpace();
    const start = scan.pos;
    const isQuoted = scan.atQuote();
    const path = isQuoted ? scan.quoted() : (scan.wordHere() ?? '');
    if (!isQuoted) scan.acceptWord(path);
    if (path !== '' && !path.includes('\0')) return path;
    throw this.expected('the name of a file', form, start);
  }

  /** An expression where a name may stand, named as it is written. */
  private named(start: number): Name {
    const { scan } = this;
    const expression = this.computedValue();
    const name = scan.text.slice(start, expression.end).replace(/\s+/g, ' ');
    return { name, expression, start, end: expression.end };
  }

  /** The condition of `countif`, as a value that exists where the condition holds. */
  private counted(): Name {
    const { scan } = this;
    scan.skipSpace();
    const start = scan.pos;
    return this.inCall(() => {
      const condition = this.conditionValue();
      const place = { start, end: scan.pos };
      const one: ValueNode = { value: 'number', number: 1, ...place };
      const name = scan.text.slice(start, condition.end).replace(/\s+/g, ' ');
      const expression: ValueNode = { value: 'call', fn: 'if', args: [condition, one], ...place };
      return { name, expression, ...place };
    });
  }

  /** Consumes the keyword `word` of a stage, in any case. */
  private wordIs(word: string): boolean {
    const { scan } = this;
    if (scan.peekIdentifier().toLowerCase() !== word) return false;
    scan.accept(word.length, 'keyword');
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
    scan.accept(written.length, 'number');
    return value;
  }

  private names(form: string): Name[] {
    const out = [this.name(form)];
    while (this.scan.take(',')) out.push(this.name(form));
    return distinctNames(out);
  }

  private columns(form: string): Name[] {
    const out = [this.column(form)];
    while (this.scan.take(',')) out.push(this.column(form));
    return distinctNames(out);
  }

  /** A field or a column; an expression counts as one only by its name. */
  private column(form: string): Name {
    const { name, start, end } = this.name(form);
    return { name, start, end };
  }

  /** A field, a column computed before or an expression: `bytes`, `"Flow Bytes/s"`, `sum(bytes)`, `bin(ts, 5m)`. */
  private name(form: string): Name {
    const { scan } = this;
    scan.skipSpace();
    const start = scan.pos;
    if (scan.atQuote()) return { name: scan.quoted('field'), start, end: scan.pos };
    const name = scan.peekIdentifier();
    const end = start + name.length;
    if (name === '') throw this.expected('a field', form);
    const lower = name.toLowerCase();
    if (isValueFunction(lower) && scan.text[end] === '(') return this.named(start);
    if (isMeasureName(lower) && scan.matches(BRACKET_AHEAD, end))
      return this.measureColumn(name, start);
    if (scan.matches(SIGN_AHEAD, end)) return this.named(start);
    scan.accept(name.length, 'field');
    return { name, start, end };
  }

  /** `sum(bytes)` as the name of a column that has been computed. */
  private measureColumn(written: string, start: number): Name {
    const { scan } = this;
    scan.accept(written.length, 'function');
    const { pos: end } = scan;
    scan.take('(');
    const close = scan.text.indexOf(')', scan.pos);
    if (close < 0) throw syntaxError('unclosed (', end, 'add a closing )');
    const inner = scan.text.slice(scan.pos, close);
    const of = inner.trim();
    scan.pos += inner.length - inner.trimStart().length;
    scan.accept(of.length, 'field');
    scan.pos = close;
    scan.take(')');
    const lower = written.toLowerCase();
    return { name: of === '' ? lower : `${lower}(${of})`, start, end: scan.pos };
  }
}

function distinctNames(names: readonly Name[]): Name[] {
  const seen = new Set<string>();
  return names.filter(({ name }) => !seen.has(name) && seen.add(name));
}

const BRACKET_AHEAD = /[\s\u0000]*\(/y;
const STAGE_HINT = `stages are ${Object.keys(STAGE_GRAMMAR).join(', ')}`;
const STAGES: ReadonlySet<string> = new Set(STAGE_NAMES);
const MEASURES: ReadonlySet<string> = new Set(FUNCTIONS);

function isStageName(name: string): name is StageName {
  return STAGES.has(name);
}
function isFunctionName(name: string): name is FunctionName {
  return MEASURES.has(name) || PERCENTILE.test(name);
}
/** Whether a name can begin the column of a measure. */
function isMeasureName(name: string): boolean {
  return isFunctionName(name) || FUNCTION_ALIASES.has(name);
}
