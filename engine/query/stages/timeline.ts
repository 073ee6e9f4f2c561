/**
 * `timeline [interval] [spread [x]] [by f]`: events per bucket, empty buckets included.
 *
 * Events without a time are in no bucket. `spread` shares a number (`bytes`) of each event over the
 * buckets its duration touches, in proportion; the event itself counts where it starts.
 */
import type { Stage } from '../ast.ts';
import { micros, nullOf, timeFromMicros } from '../dialect/duckdb.ts';
import { type Grid, bucketSql, startSql } from '../grid.ts';
import { QueryError } from '../query-error.ts';
import {
  byValue,
  emptyRows,
  inputColumns,
  type Input,
  type InputColumn,
  type Table,
  type TableColumn,
  valueShape,
} from '../relation.ts';
import type { Scope } from '../scope.ts';
import { TRUE } from '../scope.ts';
import { type Variant, combine, numberOf } from '../values.ts';
import { groupKeys, keyList } from './group.ts';

export type TimelineStage = Extract<Stage, { stage: 'timeline' }>;

export interface TimelineParts {
  /** Series, then `count`, then what is spread. */
  readonly columns: readonly TableColumn[];
  /** Buckets that are not empty: `i`, then the columns. */
  readonly sql: string;
}

const END_COLUMN: InputColumn = { alias: 'e', sqlType: 'TIMESTAMP' };

/** SQL of when an event ends: `ts` and its duration. */
function endSql(scope: Scope): string {
  const ts = scope.column('ts') ?? nullOf('TIMESTAMP');
  const duration = scope.column('duration');
  if (duration === undefined) return ts;
  // A year at most: an absurd duration in hostile input must not overflow a time.
  return `${ts} + to_microseconds(CAST(round(least(greatest(coalesce(${duration}, 0), 0), 31622400) * 1000000) AS BIGINT))`;
}

/** First and last time (as `low` and `high`, epoch microseconds) of what a timeline counts. */
export function timelineRange(stage: TimelineStage, input: Input): string {
  const columns = [{ alias: 't', sqlType: 'TIMESTAMP' }, END_COLUMN];
  const rows = input.rows(columns, (scope) => {
    const ts = scope.column('ts') ?? nullOf('TIMESTAMP');
    return [{ select: [ts, stage.spread === undefined ? ts : endSql(scope)], also: TRUE }];
  });
  return `SELECT ${micros('min(t)')} AS low, ${micros('max(e)')} AS high FROM (${rows}) AS r`;
}

/** @param grid undefined when no event has a time: then there are no buckets. */
export function timelineStage(
  stage: TimelineStage,
  input: Input,
  grid: Grid | undefined,
): TimelineParts {
  if (!input.events) {
    throw new QueryError(
      'query-syntax',
      `timeline needs events, not a table (column ${stage.start + 1})`,
      stage.start,
    );
  }
  const { params } = input;
  const keys = groupKeys(stage.by === undefined ? [] : [stage.by], input);
  const count: TableColumn = {
    name: 'count',
    shape: valueShape('count', 'integer', 'BIGINT'),
    aliases: ['n'],
  };
  const spread = stage.spread;
  const field = spread === undefined ? undefined : input.resolve(spread);
  const number = field === undefined ? undefined : numberOf(field);
  if (spread !== undefined && field !== undefined && number === undefined) {
    throw new QueryError(
      'query-syntax',
      `${field.name} is no number to spread (column ${spread.start + 1})`,
      spread.start,
    );
  }
  const columns: TableColumn[] = [...keys.columns, count];
  if (field !== undefined) {
    columns.push({
      name: field.name,
      shape: valueShape(field.name, 'real', 'DOUBLE'),
      aliases: ['v'],
    });
  }
  if (grid === undefined) {
    return {
      columns,
      sql: emptyRows([{ alias: 'i', sqlType: 'BIGINT' }, ...inputColumns(columns)]),
    };
  }
  const taken: InputColumn[] = [
    ...inputColumns(keys.columns),
    { alias: 't', sqlType: 'TIMESTAMP' },
  ];
  if (number !== undefined) taken.push(END_COLUMN, { alias: 'x', sqlType: number.sqlType });
  const rows = input.rows(taken, (scope) => {
    const own: Variant = {
      parts: [
        scope.column('ts') ?? nullOf('TIMESTAMP'),
        ...(number === undefined ? [] : [endSql(scope), number.sql(scope)]),
      ],
      also: TRUE,
    };
    return combine([keys.values(scope), [own]]).map(({ parts, also }) => ({ select: parts, also }));
  });
  const list = keyList(keys);
  const keyed = list === '' ? '' : `, ${list}`;
  if (number === undefined) {
    return {
      columns,
      sql: `SELECT ${bucketSql(grid, micros('t'), params)} AS i${keyed}, count(*) AS n FROM (${rows}) AS r WHERE t IS NOT NULL GROUP BY i${keyed}`,
    };
  }
  const end = params.bind(grid.to, 'BIGINT');
  const one = 'CAST(1 AS BIGINT)';
  const expanded = [
    `SELECT unnest(range(first, last + ${one})) AS i, first, a, z, x${keyed} FROM (`,
    `SELECT ${bucketSql(grid, 'a', params)} AS first, ${bucketSql(grid, `greatest(a, least(z, ${end}) - ${one})`, params)} AS last, a, z, x${keyed} FROM (`,
    `SELECT ${micros('t')} AS a, ${micros('e')} AS z, CAST(x AS DOUBLE) AS x${keyed} FROM (${rows}) AS r WHERE t IS NOT NULL) AS s) AS u`,
  ].join('');
  const overlap = `(least(z, ${startSql(grid, `(i + ${one})`, params)}) - greatest(a, ${startSql(grid, 'i', params)}))`;
  const share = `CASE WHEN z > a THEN x * ${overlap} / (z - a) ELSE x END`;
  return {
    columns,
    sql: `SELECT i${keyed}, count(*) FILTER (WHERE i = first) AS n, coalesce(sum(${share}), 0) AS v FROM (${expanded}) AS w GROUP BY i${keyed}`,
  };
}

/** A timeline as a table, for the stages after it: `start`, series, counts; empty buckets too. */
export function timelineTable(parts: TimelineParts, grid: Grid | undefined, input: Input): Table {
  const { params } = input;
  const start: TableColumn = {
    name: 'start',
    shape: valueShape('start', 'time', 'TIMESTAMP'),
    aliases: ['start'],
  };
  const columns = [start, ...parts.columns];
  const order = byValue([start, ...parts.columns]);
  if (grid === undefined) return { columns, order, sql: emptyRows(inputColumns(columns)) };
  const names = inputColumns(parts.columns).map(({ alias }) => alias);
  const counts = new Set(['n', 'v']);
  const list = names.map((name) => (counts.has(name) ? `coalesce(${name}, 0) AS ${name}` : name));
  const at = timeFromMicros(startSql(grid, 'b.i', params));
  // A series is not filled with empty buckets: there would be one for each of its values.
  const filled = names.every((name) => counts.has(name));
  const buckets = `(SELECT unnest(range(${params.bind(grid.buckets, 'BIGINT')})) AS i)`;
  const from = filled
    ? `${buckets} AS b LEFT JOIN (${parts.sql}) AS q ON b.i = q.i`
    : `(${parts.sql}) AS b`;
  return { columns, order, sql: `SELECT ${at} AS start, ${list.join(', ')} FROM ${from}` };
}
