/**
 * Conditions on the messages of a segment that stores them as shapes and variables. For most shapes it is known
 * what a pattern finds in their messages, whatever their variables are: only the others are assembled.
 *
 * Invariant: a condition is true for exactly the rows for which it would be true with whole messages.
 */
import { LruCache } from '../../util/lru-cache.ts';
import { matches, storedTable, type Params } from '../dialect/duckdb.ts';
import { type Matcher, type Outcome, type TextPart, compilePattern } from '../re2/matcher.ts';
import { type Scope, type SegmentInfo, segmentScope } from '../plan/scope.ts';

/** A text that many messages share, and the variables between its pieces. */
export interface StoredShape {
  /** One more than there are variables. */
  readonly constants: readonly string[];
  /** Digits of a variable that is a number, at most; `token` of one that is any token. */
  readonly variables: readonly (number | 'token')[];
}

/** How a segment stores its messages. SQL refers to its table of stored columns. */
export interface StoredMessages {
  /** Shapes that are equal in several segments should be one object: it is evaluated once. */
  readonly shapes: readonly StoredShape[];
  /** SQL of the number of a row's shape, from 1; NULL where its message is whole. */
  readonly number: string;
  /** SQL of a whole message. */
  readonly whole: string;
  /** SQL of any row's message. */
  readonly message: string;
  /** SQL of the message of a row with one of these shapes; arbitrary for other rows. */
  messageOf(numbers: ReadonlySet<number>): string;
}

/** Name of the table of stored columns, and the segment's scope in it. */
export function storedScope(
  segment: SegmentInfo,
  messages: StoredMessages,
  params: Params,
): { readonly table: string; readonly scope: Scope } {
  const stored = segmentScope(segment, params);
  const message = `(${messages.message})`;
  return {
    table: storedTable(segment.id),
    scope: {
      ...stored,
      column: (name) => (name === 'message' ? stored.column(name) && message : stored.column(name)),
      texts: () =>
        stored.texts().map((text) => (text.sql === '"message"' ? { ...text, sql: message } : text)),
      matching: (sql, pattern, ignoreCase) =>
        sql === message ? messageMatches(messages, pattern, ignoreCase, params) : undefined,
    },
  };
}

/** Whether a row's message matches. */
function messageMatches(
  messages: StoredMessages,
  pattern: string,
  ignoreCase: boolean,
  params: Params,
): string {
  const judge = judgeOf(pattern, ignoreCase);
  const always: number[] = [];
  const maybe: number[] = [];
  messages.shapes.forEach((shape, i) => {
    const outcome = judge(shape);
    if (outcome === 'always') always.push(i + 1);
    else if (outcome === 'maybe') maybe.push(i + 1);
  });
  const { number, whole } = messages;
  const bound = params.text(pattern);
  const cases = [`WHEN ${number} IS NULL THEN ${matches(whole, bound, ignoreCase)}`];
  if (maybe.length > 0) {
    const message = messages.messageOf(new Set(maybe));
    cases.push(`WHEN ${isOne(number, maybe)} THEN ${matches(message, bound, ignoreCase)}`);
  }
  const condition = `CASE ${cases.join(' ')} ELSE ${isOne(number, always)} END`;
  if (always.length + maybe.length === messages.shapes.length) return condition;
  // Rows without a shape that may match are excluded before anything else is evaluated.
  return `(coalesce(${number}, 0) IN (${[0, ...always, ...maybe].join(', ')}) AND ${condition})`;
}

function isOne(sql: string, numbers: readonly number[]): string {
  return numbers.length === 0 ? 'FALSE' : `${sql} IN (${numbers.join(', ')})`;
}

const DIGITS = [0x30, 0x39];
const TOKEN_BYTES = [0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a, 0x80, 0xff];

function partsOf({ constants, variables }: StoredShape): TextPart[] {
  const utf8 = new TextEncoder();
  return constants.flatMap((text, i): TextPart[] => {
    const variable = variables[i];
    const constant = utf8.encode(text);
    if (variable === undefined) return [constant];
    if (variable === 'token') return [constant, { bytes: TOKEN_BYTES, most: Infinity }];
    return [constant, { bytes: DIGITS, most: variable }];
  });
}

type Judge = (shape: StoredShape) => Outcome;

/** Judgements of the patterns that were used last. */
const judges = new LruCache<string, Judge>(16);

function judgeOf(pattern: string, ignoreCase: boolean): Judge {
  const key = `${ignoreCase ? 'i' : 'c'}${pattern}`;
  return judges.take(key, () => newJudge(pattern, ignoreCase));
}

/** RE2 and the runtime differ in which characters beyond ASCII are in a class. */
const CLASSES = /\\[pP]/;
const BEYOND_ASCII = /[^\0-\x7f]/;

function isBeyondAscii({ constants, variables }: StoredShape): boolean {
  return variables.includes('token') || constants.some((text) => BEYOND_ASCII.test(text));
}

function newJudge(pattern: string, ignoreCase: boolean): Judge {
  const hasClasses = CLASSES.test(pattern);
  const known = new WeakMap<StoredShape, Outcome>();
  let matcher: Matcher | undefined;
  return (shape) => {
    if (hasClasses && isBeyondAscii(shape)) return 'maybe';
    let outcome = known.get(shape);
    if (outcome === undefined) {
      matcher ??= compilePattern(pattern, ignoreCase);
      outcome = matcher.outcome(partsOf(shape));
      known.set(shape, outcome);
    }
    return outcome;
  };
}
