/**
 * `session by f, … gap 30m`: runs of events in close succession. An event more than the gap after the previous one
 * with the same values starts another. Undated events are in none.
 */
import { type Stage, intervalMicros } from '../syntax/ast.ts';
import { Grouping } from '../batch/grouping.ts';
import { ROW_BYTES } from '../batch/budget.ts';
import type { BatchStage } from '../batch/stage.ts';
import type { Row } from '../batch/table.ts';
import { TimedRows } from '../batch/timed-rows.ts';
import { microsOf, timeOfMicros } from '../dialect/clickhouse.ts';
import {
  type ClickHouseRows,
  type ClickHouseTable,
  datedEvents,
  selectOf,
  subquery,
} from '../dialect/clickhouse-rows.ts';
import { byValues, simpleShape } from '../dialect/clickhouse-values.ts';
import { micros, nullOf, quoteIdentifier, timeFromMicros } from '../dialect/duckdb.ts';
import { groupedRows } from '../statements/group-parts.ts';
import { both } from '../filters/logic.ts';
import { syntaxError } from '../syntax/query-error.ts';
import {
  type Input,
  type InputColumn,
  type Table,
  type TableColumn,
  inputColumns,
  valueShape,
} from '../statements/relation.ts';
import { TRUE } from '../plan/scope.ts';
import { combine } from '../values/values.ts';
import { groupKeys, keyList, keyedColumns, keysClickHouse } from './group.ts';
import type { BatchContext, StageOperator } from './operator.ts';

type SessionStage = Extract<Stage, { stage: 'session' }>;

const SECOND = 1e6;

/** `PARTITION BY` some values, if there are any. */
export function partition(...values: readonly string[]): string {
  const there = values.filter((one) => one !== '');
  return there.length === 0 ? '' : `PARTITION BY ${there.join(', ')} `;
}

/** @throws QueryError if the rows are a table */
export function checkEvents(
  stage: 'session' | 'sequence',
  { events }: { readonly events: boolean },
  start: number,
): void {
  if (!events)
    throw syntaxError(
      `${stage} needs events, not a table`,
      start,
      'put it before stages that count',
    );
}

function sessionTable({ by, gap, start }: SessionStage, input: Input): Table {
  checkEvents('session', input, start);
  const keys = groupKeys(by, input);
  const list = keyList(keys);
  const keyed = list === '' ? '' : `${list}, `;
  const { columns, added } = keyedColumns(keys, start, [
    valueShape('session', 'integer', 'BIGINT'),
    valueShape('start', 'time', 'TIMESTAMP'),
    valueShape('end', 'time', 'TIMESTAMP'),
    valueShape('duration', 'real', 'DOUBLE'),
    valueShape('count', 'integer', 'BIGINT'),
  ]);
  const taken: InputColumn[] = [
    ...inputColumns(keys.columns),
    { alias: 't', sqlType: 'TIMESTAMP' },
  ];
  const rows = input.rows(taken, (scope) =>
    combine([
      keys.values(scope),
      [{ parts: [scope.column('ts') ?? nullOf('TIMESTAMP')], also: TRUE }],
    ]).map(({ parts, also }) => ({ select: parts, also: both([also]) })),
  );
  const most = input.params.bind(intervalMicros(gap), 'BIGINT');
  const times = `SELECT ${keyed}${micros('t')} AS m FROM (${rows}) AS r WHERE t IS NOT NULL`;
  const begun = `SELECT ${keyed}m, CASE WHEN m - lag(m) OVER (${partition(list)}ORDER BY m) > ${most} THEN 1 ELSE 0 END AS b FROM (${times}) AS r`;
  // Events with the same time are in the same session: the frame includes all of them.
  const numbered = `SELECT ${keyed}m, 1 + sum(b) OVER (${partition(list)}ORDER BY m RANGE UNBOUNDED PRECEDING) AS s FROM (${begun}) AS r`;
  const runs = groupedRows(
    input,
    `${keyed}s, min(m) AS low, max(m) AS high, count(*) AS n`,
    numbered,
    `${keyed}s`,
  );
  const [session, first, last, duration, count] = quotedAliases(added);
  const select = [
    `CAST(s AS BIGINT) AS ${session}`,
    `${timeFromMicros('low')} AS ${first}, ${timeFromMicros('high')} AS ${last}`,
    `CAST(high - low AS DOUBLE) / ${SECOND} AS ${duration}, n AS ${count}`,
  ].join(', ');
  return {
    columns,
    order: [first!, ...quotedAliases(keys.columns), session!].map((sql) => ({
      sql,
      descending: false,
    })),
    sql: `SELECT ${keyed}${select} FROM (${runs}) AS r`,
  };
}

/** SQL names of columns. */
export function quotedAliases(columns: readonly TableColumn[]): string[] {
  return columns.flatMap(({ aliases }) => aliases.map((alias) => quoteIdentifier(alias)));
}

// -- in ClickHouse ---------------------------------------------------------------------------------

function sessionClickHouse(
  { by, gap, start }: SessionStage,
  rows: ClickHouseRows,
): ClickHouseTable {
  checkEvents('session', rows.scope, start);
  const keys = keysClickHouse(by, rows);
  const list = keys.columns.flatMap(({ aliases }) => aliases);
  const keyed = list.map((alias) => `${alias}, `).join('');
  const { columns, added } = keyedColumns(keys, start, [
    simpleShape('session', 'integer'),
    simpleShape('start', 'time'),
    simpleShape('end', 'time'),
    simpleShape('duration', 'real'),
    simpleShape('count', 'integer'),
  ]);
  const [session, first, last, duration, count] = added.flatMap(({ aliases }) => aliases);
  const within = partition(...list);
  const times = selectOf([...keys.list, `${microsOf('ts')} AS m`].join(', '), datedEvents(rows));
  const before = `lagInFrame(toNullable(m)) OVER (${within}ORDER BY m ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)`;
  const begun = `SELECT ${keyed}m, ifNull(m - ${before} > ${intervalMicros(gap)}, false) AS b\nFROM ${subquery(times)}`;
  // Events with the same time are in the same session: the frame includes all of them.
  const numbered = `SELECT ${keyed}m, toInt64(1 + sum(b) OVER (${within}ORDER BY m RANGE UNBOUNDED PRECEDING)) AS s\nFROM ${subquery(begun)}`;
  const runs = `SELECT ${keyed}s, min(m) AS low, max(m) AS high, count() AS n\nFROM ${subquery(numbered)}\nGROUP BY ${keyed}s`;
  const select = [
    ...list,
    `s AS ${session}`,
    `${timeOfMicros('low')} AS ${first}, ${timeOfMicros('high')} AS ${last}`,
    `toFloat64(high - low) / ${SECOND} AS ${duration}, n AS ${count}`,
  ].join(', ');
  return {
    columns,
    order: [
      { sql: first!, descending: false },
      ...byValues(keys.columns),
      { sql: session!, descending: false },
    ],
    sql: `SELECT ${select}\nFROM ${subquery(runs)}`,
  };
}

// -- rows of batches -------------------------------------------------------------------------------

function sessionBatches({ by, gap }: SessionStage, context: BatchContext): BatchStage {
  const { columns, budget } = context;
  const events = new TimedRows(budget);
  const grouping = new Grouping(context, {
    ...{ by, measures: [] },
    also: (scope) => events.scoped(scope),
  });
  return {
    scoped: (batch) => grouping.scoped(batch),
    finish: () => {
      const rows = sessions(events, intervalMicros(gap)).map(
        ({ group, number, low, high, n }): Row => {
          budget.take(ROW_BYTES);
          const values = by.length === 0 ? [] : grouping.values(group);
          return [...values, number, low, high, (high - low) / SECOND, n];
        },
      );
      const added = columns.slice(by.length).flatMap(({ aliases }) => aliases);
      const keys = columns.slice(0, by.length).flatMap(({ aliases }) => aliases);
      const order = [added[1]!, ...keys, added[0]!].map((alias) => ({ alias, descending: false }));
      return { table: { columns, rows, order } };
    },
  };
}

interface Session {
  readonly group: number;
  readonly number: number;
  readonly low: number;
  high: number;
  n: number;
}

function sessions(events: TimedRows, gap: number): Session[] {
  const out: Session[] = [];
  const { groups, times } = events;
  for (const at of events.inOrder()) {
    const [group, time] = [groups[at]!, times[at]!];
    const last = out.at(-1);
    const isSame = last?.group === group;
    if (last !== undefined && isSame && time - last.high <= gap) {
      last.high = time;
      last.n += 1;
    } else out.push({ group, number: isSame ? last.number + 1 : 1, low: time, high: time, n: 1 });
  }
  return out;
}

export const sessionOperator: StageOperator<SessionStage> = {
  shape: 'table',
  table: sessionTable,
  clickhouse: sessionClickHouse,
  batches: sessionBatches,
};
