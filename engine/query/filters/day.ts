/** `day:2026-11-21`, `day:2026-11-*`, `day:>=2026-11-01`, `day:undated`: whole UTC days. */
import { RowSet } from '../../util/row-set.ts';
import { daysOf } from '../../util/segment-days.ts';
import type { Test } from '../syntax/ast.ts';
import { type RowFilter, each } from '../batch/row-filter.ts';
import { type RowScope, dayText, numberAt, textOf } from '../batch/row-scope.ts';
import { both as bothSql, matches as matchesSql, text } from '../dialect/clickhouse.ts';
import type { ClickHouseScope } from '../dialect/clickhouse-scope.ts';
import { matches } from '../dialect/duckdb.ts';
import { type Ref, refSql, refClickHouse } from '../names/fields.ts';
import { printTest } from '../syntax/print.ts';
import { syntaxError } from '../syntax/query-error.ts';
import type { CandidateRows } from '../plan/known-rows/index-view.ts';
import { type Rows, rowsOf, unite } from '../plan/known-rows/rows.ts';
import type { Predicate, Scope, SegmentInfo } from '../plan/scope.ts';
import { valuePattern, wildcardMatcher } from './wildcard.ts';
import { both } from './logic.ts';
import type { FilterOperator } from './operator.ts';

export interface DayFilter {
  readonly filter: 'day';
  readonly test: Test;
  readonly ref: Ref | undefined;
}

function dayFilter(test: Test, at: number, ref: Ref | undefined): DayFilter {
  const written =
    test.test === 'word' || test.test === 'quoted'
      ? [test.text]
      : test.test === 'compare'
        ? [test.value]
        : test.test === 'range'
          ? [test.low, test.high]
          : [];
  if (test.test === 'regex') throw syntaxError('day takes no pattern', at, 'write day:2026-11-21');
  const wild = test.test === 'word';
  for (const text of written) {
    if (text === undefined) continue;
    const known = wild
      ? /^(?:[\d*?]+(?:-[\d*?]+){0,2}|undated|un[a-z*?]*)$/i
      : /^(?:\d{4}-\d{2}-\d{2}|undated)$/i;
    if (!known.test(text)) {
      throw syntaxError(
        'day takes a day',
        at,
        'write day:2026-11-21, day:2026-11-* or day:undated',
      );
    }
  }
  return { filter: 'day', test, ref };
}

function daySql(filter: DayFilter, scope: Scope): Predicate {
  const { test, ref } = filter;
  if (ref === undefined && scope.segment !== undefined) {
    const days = daysOf(scope.segment);
    const matching = days.filter(({ day }) => dayMatches(test, day)).length;
    if (matching === 0 || matching === days.length) return { value: matching > 0, reason: 'time' };
  }
  const sql = ref === undefined ? scope.day() : refSql(ref, scope)!;
  const bind = (text: string) => scope.params.text(text.toLowerCase());
  const dated = { sql: `${sql} <> ${bind('undated')}` };
  switch (test.test) {
    case 'word':
    case 'quoted': {
      const pattern = scope.params.text(valuePattern(test.text, test.test === 'word'));
      return { sql: matches(sql, pattern, true) };
    }
    case 'compare':
      return test.op === '='
        ? { sql: `${sql} = ${bind(test.value)}` }
        : both([dated, { sql: `${sql} ${test.op} ${bind(test.value)}` }]);
    case 'range': {
      const parts: Predicate[] = [dated];
      const { low, high } = test;
      if (low !== undefined) {
        parts.push({ sql: `${sql} ${test.lowIncluded ? '>=' : '>'} ${bind(low)}` });
      }
      if (high !== undefined) {
        parts.push({ sql: `${sql} ${test.highIncluded ? '<=' : '<'} ${bind(high)}` });
      }
      return both(parts);
    }
    default:
      return { sql: `${sql} IS NOT NULL` };
  }
}

function dayClickHouse({ test, ref }: DayFilter, scope: ClickHouseScope): string {
  const sql = ref === undefined ? 'day' : refClickHouse(ref, scope);
  const literal = (day: string): string => text(day.toLowerCase());
  const dated = `${sql} != 'undated'`;
  switch (test.test) {
    case 'word':
    case 'quoted':
      return /^[\d-]+$/.test(test.text)
        ? `${sql} = ${literal(test.text)}`
        : matchesSql(sql, valuePattern(test.text, test.test === 'word'), true);
    case 'compare':
      return test.op === '='
        ? `${sql} = ${literal(test.value)}`
        : bothSql([dated, `${sql} ${test.op} ${literal(test.value)}`]);
    case 'range': {
      const { low, high, lowIncluded, highIncluded } = test;
      return bothSql([
        dated,
        ...(low === undefined ? [] : [`${sql} ${lowIncluded ? '>=' : '>'} ${literal(low)}`]),
        ...(high === undefined ? [] : [`${sql} ${highIncluded ? '<=' : '<'} ${literal(high)}`]),
      ]);
    }
    default:
      return `${sql} IS NOT NULL`;
  }
}

/** The same in JavaScript, for a segment's day. Comparisons never hold for `undated`. */
function dayMatches(test: Test, day: string): boolean {
  switch (test.test) {
    case 'word':
    case 'quoted':
      return wildcardMatcher(test.text, test.test === 'word')(day);
    case 'compare': {
      const value = test.value.toLowerCase();
      if (test.op === '=') return day === value;
      if (day === 'undated') return false;
      if (test.op === '>') return day > value;
      if (test.op === '>=') return day >= value;
      return test.op === '<' ? day < value : day <= value;
    }
    case 'range': {
      if (day === 'undated') return false;
      const low = test.low?.toLowerCase();
      const high = test.high?.toLowerCase();
      return (
        (low === undefined || (test.lowIncluded ? day >= low : day > low)) &&
        (high === undefined || (test.highIncluded ? day <= high : day < high))
      );
    }
    default:
      return true;
  }
}

/** Each day is a run of rows. */
function dayRows({ test, ref }: DayFilter, segment: SegmentInfo): CandidateRows | undefined {
  if (ref !== undefined) return undefined;
  let found: Rows = 'none';
  let from = 0;
  for (const { day, rows } of daysOf(segment)) {
    if (dayMatches(test, day))
      found = unite(found, rowsOf(RowSet.range(segment.rows, from, from + rows)));
    from += rows;
  }
  return { rows: found, exact: true };
}

function dayColumns({ test, ref }: DayFilter, scope: RowScope): RowFilter {
  const known = new Map<string, boolean>();
  const matches = (day: string): boolean => {
    let found = known.get(day);
    if (found === undefined) known.set(day, (found = dayMatches(test, day)));
    return found;
  };
  return each(() => {
    const column = scope.column(ref ?? { column: 'ts' });
    if (column?.type === 'text') {
      return (row) => {
        const text = textOf(column, row);
        return text !== undefined && matches(text);
      };
    }
    let last = -1;
    let lastMatches = false;
    return (row) => {
      const ts = numberAt(column, row);
      const day = ts === undefined ? NaN : Math.floor(ts / 86_400e6);
      if (day !== last) {
        last = day;
        lastMatches = matches(dayText(ts));
      }
      return lastMatches;
    };
  });
}

export const dayOperator: FilterOperator<DayFilter> = {
  parse: ({ field, test, at }) =>
    field.type === 'virtual' && field.name === 'day' ? dayFilter(test, at, field.ref) : undefined,
  describe: ({ test }) => `day:${printTest(test)}`,
  sql: daySql,
  clickhouse: dayClickHouse,
  sqlCost: 'low',
  rows: dayRows,
  lookUpCost: () => 0,
  columns: dayColumns,
};
