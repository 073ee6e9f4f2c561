/**
 * `ts:[2026-11-01 TO 2026-11-02]`, `ts:2026-11`, `ts:>=…`, `last:24h` and the time range of a request: half-open
 * spans. Segments outside a span are skipped, segments inside it need no condition. An event without a time is in
 * no span.
 */
import type { EpochMicros } from '../../contract/event.ts';
import { RowSet } from '../../util/row-set.ts';
import type { Test } from '../syntax/ast.ts';
import type { RowFilter } from '../batch/row-filter.ts';
import type { RowScope } from '../batch/row-scope.ts';
import { both, FALSE_SQL, time } from '../dialect/clickhouse.ts';
import { type Ref, type TimeField, refSql, refClickHouse } from '../names/fields.ts';
import type { CandidateRows, SegmentView } from '../plan/known-rows/index-view.ts';
import { shown, syntaxError } from '../syntax/query-error.ts';
import { rowsOf } from '../plan/known-rows/rows.ts';
import type { Predicate, Scope, SegmentInfo } from '../plan/scope.ts';
import { type TimeSpan, formatMicros, parseDuration, parseTime } from '../time/time.ts';
import type { FilterOperator } from './operator.ts';
import type { Surroundings } from './surroundings.ts';

export interface TimeFilter {
  readonly filter: 'time';
  readonly ref: Ref;
  /** Inclusive; undefined: open. */
  readonly from: EpochMicros | undefined;
  /** Up to here, not included. */
  readonly to: EpochMicros | undefined;
}

/** @param filter of any kind, identified by its name */
export function isTime<F extends { readonly filter: string }>(filter: F): filter is F & TimeFilter {
  return filter.filter === 'time';
}

const TIME_HINT = 'write 2026-11-21, 2026-11-21T12:00 or 2026-11-21T12:00:00+01:00';

function timeFilter(field: TimeField, test: Test, at: number, around: Surroundings): TimeFilter {
  const read = (text: string): TimeSpan => {
    const span = parseTime(text, around.zone, around.zoneOffset);
    if (span === undefined) throw syntaxError(`${shown(text)} is not a time`, at, TIME_HINT);
    return span;
  };
  const { ref } = field;
  switch (test.test) {
    case 'word':
    case 'quoted':
      return { filter: 'time', ref, ...read(test.text) };
    case 'compare': {
      const { from, to } = read(test.value);
      switch (test.op) {
        case '=':
          return { filter: 'time', ref, from, to };
        case '>':
          return { filter: 'time', ref, from: to, to: undefined };
        case '>=':
          return { filter: 'time', ref, from, to: undefined };
        case '<':
          return { filter: 'time', ref, from: undefined, to: from };
        case '<=':
          return { filter: 'time', ref, from: undefined, to };
      }
    }
    // Falls to no other case: every operator returns.
    case 'range': {
      // Time ranges are half-open whatever the closing bracket.
      const low = test.low === undefined ? undefined : read(test.low);
      return {
        filter: 'time',
        ref,
        from: low === undefined ? undefined : test.lowIncluded ? low.from : low.from + 1,
        to: test.high === undefined ? undefined : read(test.high).from,
      };
    }
    default:
      throw syntaxError(`${field.name} is a time and takes no pattern`, at, TIME_HINT);
  }
}

function lastFilter(test: Test, at: number, around: Surroundings): TimeFilter {
  const span =
    test.test === 'word' || test.test === 'quoted' ? parseDuration(test.text) : undefined;
  if (span === undefined || span === 0) {
    throw syntaxError('last takes a duration', at, 'write last:24h, last:30m or last:7d');
  }
  const { newestTs } = around;
  const ref = { column: 'ts' } as const;
  if (newestTs === undefined) return { filter: 'time', ref, from: 0, to: 0 };
  return { filter: 'time', ref, from: newestTs - span, to: newestTs + 1 };
}

function timeSql(filter: TimeFilter, scope: Scope): Predicate {
  const { ref, from, to } = filter;
  const { segment } = scope;
  if (segment !== undefined && 'column' in ref) {
    const { minTs, maxTs, day } = segment;
    if (minTs === undefined || maxTs === undefined) {
      if (day === 'undated' || !segment.columns.has('ts')) return { value: false, reason: 'time' };
    } else {
      if ((from !== undefined && maxTs < from) || (to !== undefined && minTs >= to)) {
        return { value: false, reason: 'time' };
      }
      const inside = (from === undefined || minTs >= from) && (to === undefined || maxTs < to);
      if (inside && day !== 'undated') return { value: true, reason: 'time' };
    }
  }
  const sql = refSql(ref, scope);
  if (sql === undefined) return { value: false, reason: 'time' };
  if (from !== undefined && to !== undefined && from >= to) return { value: false, reason: 'time' };
  const parts: string[] = [];
  if (from !== undefined) parts.push(`${sql} >= ${scope.params.time(from)}`);
  if (to !== undefined) parts.push(`${sql} < ${scope.params.time(to)}`);
  if (parts.length === 0) parts.push(`${sql} IS NOT NULL`);
  return { sql: parts.length === 1 ? parts[0]! : `(${parts.join(' AND ')})` };
}

function timeRows(
  { ref, from, to }: TimeFilter,
  { rows: total }: SegmentInfo,
  { indexes }: SegmentView,
): CandidateRows | undefined {
  if (!('column' in ref) || ref.column !== 'ts' || indexes.time === undefined) return undefined;
  const low = from === undefined ? 0 : indexes.time.rowAt(from);
  const high = indexes.time.rowAt(to ?? Infinity);
  return { rows: low < high ? rowsOf(RowSet.range(total, low, high)) : 'none', exact: true };
}

function timeColumns({ ref, from, to }: TimeFilter, scope: RowScope): RowFilter {
  const column = scope.column(ref);
  if (column === undefined || column.type === 'text' || column.type === 'ip6') return () => 0;
  const { values, present } = column;
  const low = from ?? -Infinity;
  const high = to ?? Infinity;
  return (rows, n) => {
    let kept = 0;
    for (let i = 0; i < n; i++) {
      const row = rows[i]!;
      if (present[row] === 1 && values[row]! >= low && values[row]! < high) rows[kept++] = row;
    }
    return kept;
  };
}

export const timeOperator: FilterOperator<TimeFilter> = {
  parse: ({ field, test, at, around }) => {
    if (field.type === 'time') return timeFilter(field, test, at, around);
    return field.type === 'virtual' && field.name === 'last'
      ? lastFilter(test, at, around)
      : undefined;
  },
  describe: ({ from, to }) => {
    const shownTime = (ts: number | undefined) => (ts === undefined ? '*' : formatMicros(ts));
    return `ts:[${shownTime(from)} TO ${shownTime(to)}]`;
  },
  sql: timeSql,
  clickhouse: ({ ref, from, to }, scope) => {
    const sql = refClickHouse(ref, scope);
    if (from !== undefined && to !== undefined && from >= to) return FALSE_SQL;
    if (from === undefined && to === undefined) return `${sql} IS NOT NULL`;
    return both([
      ...(from === undefined ? [] : [`${sql} >= ${time(from)}`]),
      ...(to === undefined ? [] : [`${sql} < ${time(to)}`]),
    ]);
  },
  sqlCost: 'low',
  rows: timeRows,
  lookUpCost: () => 1,
  columns: timeColumns,
};
