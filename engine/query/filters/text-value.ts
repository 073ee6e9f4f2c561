/**
 * `host:web01`, `user:adm*`, `"Flow ID":"a b"`: the whole value of a text field, case ignored.
 * Wildcards match any characters; in quotes nothing is a wildcard.
 */
import { hasToken, tokensIn } from '../../util/tokens.ts';
import { attributesNamed, isAttributeColumn } from '../names/attribute-names.ts';
import type { RowFilter } from '../batch/row-filter.ts';
import type { RowScope } from '../batch/row-scope.ts';
import { equals, filterPlaces, patternTest, placesOf } from '../batch/values/text-places.ts';
import { either, matches, text as literal } from '../dialect/clickhouse.ts';
import type { ClickHouseScope } from '../dialect/clickhouse-scope.ts';
import { dimensionOf } from '../names/dimensions.ts';
import type { CandidateRows, SegmentView } from '../plan/known-rows/index-view.ts';
import { printTest } from '../syntax/print.ts';
import { compilePattern } from '../re2/matcher.ts';
import { type Rows, intersect, rowsOf } from '../plan/known-rows/rows.ts';
import {
  OVERFLOW_COLUMN,
  type Predicate,
  type Scope,
  type SegmentInfo,
  hasMatch,
} from '../plan/scope.ts';
import { nameText } from './describe.ts';
import { type ValueField, anyTextClickHouse, anyTextOf, isValueField } from './field-texts.ts';
import { keyFlags } from './key-flags.ts';
import { arrayPattern, isArrayText, memberPattern, memberTest, valueTest } from './members.ts';
import { namedTextRows } from './named-texts.ts';
import type { FilterOperator, KeyCondition, RecordTest } from './operator.ts';
import { searchedColumn } from './searched.ts';
import { type PhraseToken, textFilter, wholePattern } from './text.ts';
import { checkLength, hasWildcard, joinable, valuePattern, wildcardMatcher } from './wildcard.ts';

export interface TextValueFilter {
  readonly filter: 'text-value';
  readonly field: ValueField;
  readonly text: string;
  readonly wildcard: boolean;
}

/** Text that case folding does not change: no letters, and nothing beyond ASCII. */
const UNCASED = /^[\x01-@[-`{-\x7f]*$/;

function textValueFilter(
  field: ValueField,
  text: string,
  quoted: boolean,
  at: number,
): TextValueFilter {
  checkLength(text, at);
  return {
    filter: 'text-value',
    field,
    text: text.toWellFormed(),
    wildcard: !quoted && hasWildcard(text),
  };
}

function textValueSql(filter: TextValueFilter, scope: Scope): Predicate {
  return anyValue(filter.field, [filter], scope);
}

/** Any of several: those of one field share a list or a pattern. */
function textValuesSql(filters: readonly TextValueFilter[], scope: Scope): Predicate[] {
  const groups = new Map<string, TextValueFilter[]>();
  for (const filter of filters) {
    const key = JSON.stringify(filter.field);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [filter]);
    else group.push(filter);
  }
  return [...groups.values()].flatMap((group) =>
    joinable(group, ({ text }) => text.length * 24 + 60).map((together) =>
      anyValue(together[0]!.field, together, scope),
    ),
  );
}

function anyValue(field: ValueField, filters: readonly TextValueFilter[], scope: Scope): Predicate {
  const plain: string[] = [];
  const patterns: string[] = [];
  for (const { text, wildcard } of filters) {
    if (!wildcard && UNCASED.test(text)) plain.push(scope.params.text(text));
    else patterns.push(valuePattern(text, wildcard));
  }
  const pattern = patterns.length === 0 ? undefined : patterns.join('|');
  // Columns hold no lists.
  const members =
    field.type === 'text'
      ? undefined
      : arrayPattern(filters.map(({ text, wildcard }) => memberPattern(text, wildcard)));
  const condition = (sql: string): string => {
    const parts: string[] = [];
    if (plain.length === 1) parts.push(`${sql} = ${plain[0]}`);
    else if (plain.length > 1) parts.push(`${sql} IN (${plain.join(', ')})`);
    if (pattern !== undefined) parts.push(hasMatch(scope, sql, pattern, true));
    if (members !== undefined)
      parts.push(`(${isArrayText(sql)} AND ${hasMatch(scope, sql, members, true)})`);
    return parts.length === 1 ? parts[0]! : `(${parts.join(' OR ')})`;
  };
  return anyTextOf(field, scope, condition);
}

function textValueClickHouse(filter: TextValueFilter, scope: ClickHouseScope): string {
  const { field, text, wildcard } = filter;
  return anyTextClickHouse(field, scope, (sql) => {
    const whole =
      !wildcard && UNCASED.test(text)
        ? `${sql} = ${literal(text)}`
        : matches(sql, valuePattern(text, wildcard), true);
    if (field.type === 'text') return whole;
    const member = matches(sql, arrayPattern([memberPattern(text, wildcard)]), true);
    return either([whole, `(startsWith(${sql}, '[') AND ${member})`]);
  });
}

function textValueRows(
  filter: TextValueFilter,
  segment: SegmentInfo,
  known: SegmentView,
  isSelective: boolean,
): CandidateRows | undefined {
  const { field, text, wildcard } = filter;
  const whole =
    field.type === 'text'
      ? namedTextRows(field.ref, known, wildcardMatcher(text, wildcard))
      : undefined;
  return whole !== undefined || isSelective ? whole : valueCandidates(filter, segment, known);
}

/**
 * A whole value contains all its tokens; whether it consists of exactly these must be read. A token next to a
 * wildcard may be part of a longer one.
 */
function valueCandidates(
  { field, text, wildcard }: TextValueFilter,
  segment: SegmentInfo,
  { indexes }: SegmentView,
): CandidateRows | undefined {
  const lookup = indexes.text;
  if (lookup === undefined) return undefined;
  let column: string | undefined;
  if (field.type === 'text') {
    column = searchedColumn(field.ref);
    if (column === undefined) return undefined;
  } else if (field.type === 'attribute') {
    // With several spellings, or in the overflow column, it may be in any text.
    const [only, other] = attributesNamed(segment.columns, field.key);
    if (only !== undefined && other === undefined && !segment.columns.has(OVERFLOW_COLUMN))
      column = only.column;
  } else if (![...segment.columns].some((name) => isAttribute(name))) return undefined;
  let rows: Rows = 'all';
  for (const token of wordsOf(text, wildcard, field.type !== 'text')) {
    const found = lookup.search({ tokens: [token], between: [] }, column);
    if (found === undefined) continue;
    rows = intersect(rows, rowsOf(found.rows));
    if (rows === 'none') break;
  }
  return rows === 'all' ? undefined : { rows, exact: false };
}

function isAttribute(column: string): boolean {
  return isAttributeColumn(column) || column === OVERFLOW_COLUMN;
}

const UNPRINTABLE = /[\0-\x1f]/;
const BEYOND_ASCII = /[^\0-\x7f]/;

/** Words that every text which matches `text` wholly, or has it as a member, must have. */
function wordsOf(text: string, wildcard: boolean, isAttribute: boolean): PhraseToken[] {
  const pieces = wildcard ? text.split(/[*?]+/) : [text];
  return pieces.flatMap((piece, i) => {
    const found = [...tokensIn(piece)];
    return found.flatMap((match, at): PhraseToken[] => {
      // In a list a character beyond ASCII, or a control character before a word, may be escaped.
      if (isAttribute && (UNPRINTABLE.test(text) || BEYOND_ASCII.test(match[0]))) return [];
      // If the first and the last piece are not empty, the value begins and ends with them.
      const starts = i > 0 && match.index === 0;
      const behind = match.index + match[0].length;
      const ends = i < pieces.length - 1 && at === found.length - 1 && behind === piece.length;
      const word = `${starts ? '*' : ''}${match[0]}${ends ? '*' : ''}`;
      return [{ text: word, wildcard: starts || ends }];
    });
  });
}

function textValueColumns(filter: TextValueFilter, scope: RowScope): RowFilter {
  const { text, wildcard } = filter;
  const whole =
    !wildcard && UNCASED.test(text)
      ? equals(text)
      : patternTest(valuePattern(text, wildcard), true);
  if (filter.field.type === 'text') return filterPlaces(placesOf(filter.field, scope), whole);
  const member = memberTest([memberPattern(text, wildcard)]);
  return filterPlaces(
    placesOf(filter.field, scope),
    (bytes, start, end) => whole(bytes, start, end) || member(bytes, start, end),
  );
}

function textValueCondition({ field, text, wildcard }: TextValueFilter): KeyCondition | undefined {
  const dim = dimensionOf(field);
  if (field.type === 'virtual' || dim === undefined) return undefined;
  const matches =
    field.type === 'attribute' ? valueTest(text, wildcard) : wildcardMatcher(text, wildcard);
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return {
    dim,
    flags: ({ texts }, size) =>
      keyFlags(size, (place) => place < size && matches(decoder.decode(texts[place]))),
  };
}

/** A value in its spelling within a record. */
function textValueRecord({ text, wildcard }: TextValueFilter): RecordTest {
  if (!hasToken(text)) return () => undefined;
  const matcher = compilePattern(wholePattern(textFilter(text, !wildcard, 0, undefined)), true);
  return (bytes) => matcher.test(bytes, 0, bytes.length);
}

export const textValueOperator: FilterOperator<TextValueFilter> = {
  parse: ({ field, test, at }) => {
    if (!isValueField(field)) return undefined;
    if (test.test === 'word' || test.test === 'quoted')
      return textValueFilter(field, test.text, test.test === 'quoted', at);
    return test.test === 'compare' && test.op === '=' && field.type !== 'virtual'
      ? textValueFilter(field, test.value, true, at)
      : undefined;
  },
  describe: ({ field, text, wildcard }) =>
    `${nameText(field)}:${printTest({ test: wildcard ? 'word' : 'quoted', text })}`,
  sql: textValueSql,
  clickhouse: textValueClickHouse,
  sqlOfAny: textValuesSql,
  sqlCost: 'medium',
  rows: textValueRows,
  lookUpCost: ({ wildcard }) => (wildcard ? 20 : 8),
  groups: textValueCondition,
  columns: textValueColumns,
  record: textValueRecord,
};
