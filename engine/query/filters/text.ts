/**
 * Words and phrases: consecutive tokens with the same text between them.
 *
 * A token is a maximal run of ASCII letters, digits, `_` or any non-ASCII character. Delimiters before the first
 * and after the last token of a phrase are ignored; those between tokens must match. In an unquoted word `*` and
 * `?` stand for any run of, or one, token character.
 */
import { RE2_DELIMITER, RE2_TOKEN_CHARACTER, tokensIn } from '../../util/tokens.ts';
import type { RowFilter } from '../batch/row-filter.ts';
import type { RowScope } from '../batch/row-scope.ts';
import {
  filterPlaces,
  patternTest,
  placesOfAll,
  placesOfRef,
} from '../batch/values/text-places.ts';
import { either as eitherSql, matches } from '../dialect/clickhouse.ts';
import type { ClickHouseScope } from '../dialect/clickhouse-scope.ts';
import { anyJsonValue, joinedTexts } from '../dialect/duckdb.ts';
import { type Ref, refName, refSql, refClickHouse } from '../names/fields.ts';
import type { CandidateRows, SegmentView } from '../plan/known-rows/index-view.ts';
import { printTest } from '../syntax/print.ts';
import { compilePattern } from '../re2/matcher.ts';
import { rowsOf } from '../plan/known-rows/rows.ts';
import { syntaxError, shown } from '../syntax/query-error.ts';
import {
  NO_COLUMN,
  type Predicate,
  type Scope,
  type Searchable,
  type SegmentInfo,
  hasMatch,
} from '../plan/scope.ts';
import { checkLength, escapeRe2, joinable } from './wildcard.ts';
import { someText } from './field-texts.ts';
import { either } from './logic.ts';
import type { FilterOperator } from './operator.ts';
import { MOST_CANDIDATES, searchAll, searchedColumn } from './searched.ts';

export interface PhraseToken {
  readonly text: string;
  /** Whether `*` and `?` in `text` are wildcards. */
  readonly wildcard: boolean;
}

export interface TextFilter {
  readonly filter: 'text';
  /** At least one, except for addresses. */
  readonly tokens: readonly PhraseToken[];
  /** The text after each token but the last. */
  readonly between: readonly string[];
  /** RE2 pattern of the tokens and the text between them, matched ignoring case. */
  readonly pattern: string;
  /** Whether the first token may begin, or the last end, inside a token: it has a `*` there. */
  readonly openStart: boolean;
  readonly openEnd: boolean;
  /** Undefined: every text that a word without a field is searched in (`SEARCHED_TEXTS`, attributes). */
  readonly ref: Ref | undefined;
  /** What a token index returns: matching rows (if omitted), candidates, or nothing. */
  readonly index?: 'candidates' | 'none';
}

/** From this number of a segment's attributes on, a word is searched in all of them at once. */
const MANY_ATTRIBUTES = 16;

/** Tokens in which `*` and `?` match characters of tokens. */
const TOKEN_WITH_WILDCARDS = /[\w*?\u0080-\u{10ffff}]+/gu;

/** Throws QueryError when `text` holds no token. */
export function textFilter(
  text: string,
  quoted: boolean,
  at: number,
  ref: Ref | undefined,
): TextFilter {
  checkLength(text, at);
  const tokens: PhraseToken[] = [];
  const between: string[] = [];
  let end = 0;
  const given = text.toWellFormed();
  for (const found of quoted ? tokensIn(given) : given.matchAll(TOKEN_WITH_WILDCARDS)) {
    if (tokens.length > 0) between.push(given.slice(end, found.index));
    const [token] = found;
    tokens.push({ text: token, wildcard: !quoted && /[*?]/.test(token) });
    end = found.index + token.length;
  }
  if (tokens.length === 0) {
    throw syntaxError(
      `${shown(text)} has no letter or digit to search for`,
      at,
      'search for such characters with a pattern: message:/…/',
    );
  }
  const last = tokens.length - 1;
  let pattern = '';
  tokens.forEach((token, i) => {
    pattern += tokenPattern(token, i === 0, i === last);
    if (i < between.length) pattern += escapeRe2(between[i]!);
  });
  const openStart = opens(tokens[0]!, /^\*/);
  const openEnd = opens(tokens.at(-1)!, /\*$/);
  return { filter: 'text', tokens, between, pattern, openStart, openEnd, ref };
}

/**
 * A `*` at the start of the first token, or at the end of the last, matches any token characters: neither it nor
 * the delimiter beyond needs a pattern, and RE2 is twice as fast without.
 */
function opens(token: PhraseToken, star: RegExp): boolean {
  return token.wildcard && star.test(token.text);
}

/** The pattern of whole tokens: delimiters, or an end of the text, on the sides that are not open. */
function whole(pattern: string, { openStart, openEnd }: TextFilter): string {
  return `${openStart ? '' : `(?:^|${RE2_DELIMITER})`}${pattern}${openEnd ? '' : `(?:${RE2_DELIMITER}|$)`}`;
}

/** RE2 pattern of a word or phrase with its required boundaries, matched ignoring case. */
export function wholePattern(filter: TextFilter): string {
  return whole(filter.pattern, filter);
}

function tokenPattern({ text, wildcard }: PhraseToken, first: boolean, last: boolean): string {
  if (!wildcard) return escapeRe2(text);
  // A token is never empty.
  if (/^\*+$/.test(text)) return first || last ? RE2_TOKEN_CHARACTER : `${RE2_TOKEN_CHARACTER}+`;
  let out = '';
  const kept = text.replace(first ? /^\*+/ : '', '').replace(last ? /\*+$/ : '', '');
  for (const char of kept) {
    if (char === '*') out += `${RE2_TOKEN_CHARACTER}*`;
    else if (char === '?') out += RE2_TOKEN_CHARACTER;
    else out += escapeRe2(char);
  }
  return out;
}

function textSql(filter: TextFilter, scope: Scope): Predicate {
  return anywhere(whole(filter.pattern, filter), filter.ref, scope);
}

function textClickHouse(filter: TextFilter, scope: ClickHouseScope): string {
  return matchClickHouse(wholePattern(filter), filter.ref, scope);
}

function matchClickHouse(pattern: string, ref: TextFilter['ref'], scope: ClickHouseScope): string {
  const texts =
    ref === undefined ? scope.texts() : [{ sql: refClickHouse(ref, scope), isList: false }];
  return someText(texts, (sql) => matches(sql, pattern, true));
}

/** Conditions that are searched in the same columns share a pattern. */
function joinedPatterns(
  filters: readonly TextFilter[],
): { pattern: string; ref: TextFilter['ref'] }[] {
  const groups = new Map<string, TextFilter[]>();
  for (const filter of filters) {
    const key = JSON.stringify([filter.ref, filter.openStart, filter.openEnd]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [filter]);
    else group.push(filter);
  }
  return [...groups.values()].flatMap((group) =>
    joinable(group, ({ pattern }) => pattern.length).map((together) => {
      const patterns = together.map(({ pattern }) => pattern);
      const joined = patterns.length === 1 ? patterns[0]! : `(?:${patterns.join('|')})`;
      return { pattern: whole(joined, together[0]!), ref: together[0]!.ref };
    }),
  );
}

/** Any of several. */
function textsSql(filters: readonly TextFilter[], scope: Scope): Predicate[] {
  return joinedPatterns(filters).map(({ pattern, ref }) => anywhere(pattern, ref, scope));
}

export function textsClickHouse(filters: readonly TextFilter[], scope: ClickHouseScope): string {
  const patterns = joinedPatterns(filters);
  return eitherSql(patterns.map(({ pattern, ref }) => matchClickHouse(pattern, ref, scope)));
}

function anywhere(re2: string, ref: Ref | undefined, scope: Scope): Predicate {
  if (ref !== undefined) {
    const sql = refSql(ref, scope);
    return sql === undefined ? NO_COLUMN : { sql: hasMatch(scope, sql, re2, true) };
  }
  const texts = scope.texts();
  if (texts.length === 0) return NO_COLUMN;
  const attributes = new Set(scope.attributes().map(({ sql }) => sql));
  // Otherwise each of hundreds of columns would have its own pattern. A NUL ends a word, and occurs in no phrase
  // without one.
  const mayJoin = attributes.size >= MANY_ATTRIBUTES && !re2.includes(escapeRe2('\0'));
  const isJoined = ({ sql, json }: Searchable) => mayJoin && !json && attributes.has(sql);
  const joined = texts.filter(isJoined).map(({ sql }) => sql);
  const others = texts.filter((text) => !isJoined(text));
  const tests = others.map(({ sql, json }) =>
    json
      ? anyJsonValue(sql, (value) => hasMatch(scope, value, re2, true))
      : hasMatch(scope, sql, re2, true),
  );
  if (joined.length > 0) tests.push(hasMatch(scope, joinedTexts(joined), re2, true));
  return either(tests.map((sql) => ({ sql })));
}

export function textRows(
  filter: TextFilter,
  segment: SegmentInfo,
  known: SegmentView,
): CandidateRows | undefined {
  if (filter.index === 'none') return undefined;
  const column = filter.ref === undefined ? undefined : searchedColumn(filter.ref);
  if (filter.ref !== undefined && column === undefined) return undefined;
  const found =
    column === undefined
      ? searchAll(filter, segment, known)
      : known.indexes.text?.search(filter, column);
  if (filter.index === undefined || found === undefined)
    return found && { rows: rowsOf(found.rows), exact: found.exact };
  if (found.rows.count > segment.rows * MOST_CANDIDATES) return undefined;
  return { rows: rowsOf(found.rows), exact: false };
}

function textColumns(filter: TextFilter, scope: RowScope): RowFilter {
  const { ref } = filter;
  const test = patternTest(wholePattern(filter), true);
  const places = ref === undefined ? placesOfAll(scope) : () => placesOfRef(scope, ref);
  places();
  return filterPlaces(places, test);
}

function phraseText({ tokens, between }: TextFilter): string {
  const text = tokens.map((token, i) => `${token.text}${between[i] ?? ''}`).join('');
  const isPlain = tokens.some(({ wildcard }) => wildcard);
  return printTest({ test: isPlain ? 'word' : 'quoted', text });
}

export const textOperator: FilterOperator<TextFilter> = {
  parse: ({ field, test, at }) =>
    field.type === 'text' &&
    field.name === 'message' &&
    (test.test === 'word' || test.test === 'quoted')
      ? textFilter(test.text, test.test === 'quoted', at, field.ref)
      : undefined,
  describe: (filter) => {
    // An address is a pattern without a known token.
    const text = filter.tokens.length === 0 ? `/${filter.pattern}/` : phraseText(filter);
    const { ref } = filter;
    if (ref === undefined) return text;
    return `${refName(ref)}:${text}`;
  },
  sql: textSql,
  clickhouse: textClickHouse,
  sqlOfAny: textsSql,
  clickhouseOfAny: textsClickHouse,
  sqlCost: 'high',
  rows: textRows,
  lookUpCost: ({ tokens }) => (tokens.some(({ wildcard }) => wildcard) ? 20 : 5 + tokens.length),
  columns: textColumns,
  record: (filter) => {
    const matcher = compilePattern(wholePattern(filter), true);
    return (bytes) => matcher.test(bytes, 0, bytes.length);
  },
};
