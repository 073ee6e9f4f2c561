/**
 * `message:/^sshd.*root$/i`: an RE2 pattern found anywhere in the text.
 *
 * Invariant: every pattern that `checkRe2` accepts compiles in RE2, within a bounded size.
 */
import type { RowFilter } from '../batch/row-filter.ts';
import type { RowScope } from '../batch/row-scope.ts';
import { filterPlaces, patternTest, placesOf, placesOfAll } from '../batch/values/text-places.ts';
import { matches } from '../dialect/clickhouse.ts';
import type { CandidateRows, SegmentView } from '../plan/known-rows/index-view.ts';
import { printTest } from '../syntax/print.ts';
import { checkRe2 } from '../re2/check.ts';
import { compilePattern } from '../re2/matcher.ts';
import { rowsOf } from '../plan/known-rows/rows.ts';
import { QueryError } from '../syntax/query-error.ts';
import { type Predicate, type Scope, type SegmentInfo, hasMatch } from '../plan/scope.ts';
import { nameText } from './describe.ts';
import {
  type ValueField,
  anySearchable,
  anyTextClickHouse,
  anyTextOf,
  isValueField,
  someText,
} from './field-texts.ts';
import type { FilterOperator } from './operator.ts';
import { requiredWords } from './required-words.ts';
import { MOST_CANDIDATES, searchAll, searchedColumn } from './searched.ts';
import { checkLength } from './wildcard.ts';

export interface RegexFilter {
  readonly filter: 'regex';
  /** Undefined: every text that a word without a field is searched in. */
  readonly field: ValueField | undefined;
  readonly pattern: string;
  readonly ignoreCase: boolean;
}

/** @throws QueryError where RE2 does not take the pattern */
export function regexFilter(
  field: ValueField | undefined,
  pattern: string,
  ignoreCase: boolean,
  at: number,
): RegexFilter {
  checkLength(pattern, at);
  const problem = checkRe2(pattern);
  if (problem !== undefined) {
    throw new QueryError(
      'query-syntax',
      `pattern: ${problem.message} at column ${at + problem.position + 1}`,
      at + problem.position,
      problem.hint,
    );
  }
  return { filter: 'regex', field, pattern: pattern.toWellFormed(), ignoreCase };
}

function regexSql({ field, pattern, ignoreCase }: RegexFilter, scope: Scope): Predicate {
  const condition = (sql: string): string => hasMatch(scope, sql, pattern, ignoreCase);
  if (field !== undefined) return anyTextOf(field, scope, condition);
  return anySearchable(scope.texts(), condition);
}

/** If most messages are decided by their shape, looking up candidates pays only for fewer of them. */
const MOST_OF_CUT = 1 / 256;

/** Rows whose text contains what every match of a pattern contains. */
function regexRows(
  filter: RegexFilter,
  segment: SegmentInfo,
  known: SegmentView,
): CandidateRows | undefined {
  const { field } = filter;
  const column = field?.type === 'text' ? searchedColumn(field.ref) : undefined;
  if (field !== undefined && column === undefined) return undefined;
  const query = requiredWords(filter);
  if (query === undefined) return undefined;
  const isCut = segment.cut === true && (column ?? 'message') === 'message';
  // To look for a part of a word in all words takes longer than to judge shapes.
  if (isCut && query.tokens.some(({ text }) => text.startsWith('*'))) return undefined;
  const found =
    column === undefined
      ? searchAll(query, segment, known)
      : known.indexes.text?.search(query, column);
  const most = segment.rows * (isCut ? MOST_OF_CUT : MOST_CANDIDATES);
  if (found === undefined || found.rows.count > most) return undefined;
  return { rows: rowsOf(found.rows), exact: false };
}

function regexColumns({ field, pattern, ignoreCase }: RegexFilter, scope: RowScope): RowFilter {
  const places = field === undefined ? placesOfAll(scope) : placesOf(field, scope);
  return filterPlaces(places, patternTest(pattern, ignoreCase));
}

export const regexOperator: FilterOperator<RegexFilter> = {
  parse: ({ field, test }) =>
    test.test === 'regex' && isValueField(field)
      ? regexFilter(field, test.pattern, test.ignoreCase, test.at)
      : undefined,
  describe: ({ field, pattern, ignoreCase }) => {
    const text = printTest({ test: 'regex', pattern, ignoreCase, at: 0 });
    return field === undefined ? text : `${nameText(field)}:${text}`;
  },
  sql: regexSql,
  clickhouse: ({ field, pattern, ignoreCase }, scope) => {
    const condition = (sql: string): string => matches(sql, pattern, ignoreCase);
    return field === undefined
      ? someText(scope.texts(), condition)
      : anyTextClickHouse(field, scope, condition);
  },
  sqlCost: 'high',
  rows: (filter, segment, known, isSelective) =>
    isSelective ? undefined : regexRows(filter, segment, known),
  lookUpCost: () => 30,
  columns: regexColumns,
  record: ({ pattern, ignoreCase }) => {
    const matcher = compilePattern(pattern, ignoreCase);
    return (bytes) => matcher.test(bytes, 0, bytes.length);
  },
};
