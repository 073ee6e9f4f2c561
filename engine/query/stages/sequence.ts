/**
 * `sequence by f, … within 5m: filter x10 then filter`: consecutive events of a pattern. In a group, in the order
 * of events: the required number of events that match the first filter, after them those that match the second, and
 * so on, the last within the allowed time after the first; other events may lie between.
 *
 * For each event that can end a match, the match that begins latest is taken; matches that share events become one
 * row. The answer is therefore unambiguous, and windows in SQL and one pass in memory give the same.
 */
import { type Name, type SequenceStep, type Stage, intervalMicros } from '../syntax/ast.ts';
import { ROW_BYTES } from '../batch/budget.ts';
import { Grouping } from '../batch/grouping.ts';
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
import { micros, nullOf, timeFromMicros } from '../dialect/duckdb.ts';
import { fieldValue } from '../expressions/analyse.ts';
import { onePart, valueClickHouse } from '../expressions/value.ts';
import { both } from '../filters/logic.ts';
import {
  type Input,
  type InputColumn,
  type OrderKey,
  type Table,
  inputColumns,
  valueShape,
} from '../statements/relation.ts';
import { TRUE } from '../plan/scope.ts';
import { type ValueShape, combine } from '../values/values.ts';
import { groupKeys, keyList, keyedColumns, keysClickHouse } from './group.ts';
import type { BatchContext, StageOperator } from './operator.ts';
import { checkEvents, partition, quotedAliases } from './session.ts';

type SequenceStage = Extract<Stage, { stage: 'sequence' }>;

const SECOND = 1e6;

/** A step's condition as a field: a number if it holds. */
function conditionOf({ filter, start, end }: SequenceStep): Name {
  const place = { start, end };
  return {
    ...{ name: `step at ${start}`, ...place },
    expression: {
      ...{ value: 'call', fn: 'if', ...place },
      args: [
        { value: 'condition', filter, ...place },
        { value: 'number', number: 1, ...place },
      ],
    },
  };
}

function eventShape(name: string): ValueShape {
  return {
    ...{ name, type: 'event-id' },
    parts: [
      { role: 'source', sqlType: 'UINTEGER' },
      { role: 'seq', sqlType: 'BIGINT' },
    ],
  };
}

function sequenceTable(stage: SequenceStage, input: Input): Table {
  const { by, steps, within, start } = stage;
  checkEvents('sequence', input, start);
  const keys = groupKeys(by, input);
  const list = keyList(keys);
  const keyed = list === '' ? '' : `${list}, `;
  const keyNames = quotedAliases(keys.columns);
  const { columns, added } = keyedColumns(keys, start, [
    valueShape('start', 'time', 'TIMESTAMP'),
    valueShape('end', 'time', 'TIMESTAMP'),
    valueShape('duration', 'real', 'DOUBLE'),
    valueShape('matches', 'integer', 'BIGINT'),
    eventShape('first'),
    eventShape('last'),
  ]);
  const conditions = steps.map((step) => fieldValue(input.resolve(conditionOf(step)), step.start));
  const flags = steps.map((_, i) => `f${i}`);
  const taken: InputColumn[] = [
    ...inputColumns(keys.columns),
    { alias: 't', sqlType: 'TIMESTAMP' },
    { alias: 'ns', sqlType: 'USMALLINT' },
    { alias: 'src', sqlType: 'UINTEGER' },
    { alias: 'seq', sqlType: 'BIGINT' },
    ...flags.map((alias) => ({ alias, sqlType: 'BOOLEAN' })),
  ];
  const rows = input.rows(taken, (scope) => {
    const parts = [
      scope.column('ts') ?? nullOf('TIMESTAMP'),
      scope.column('ts_ns') ?? nullOf('USMALLINT'),
      scope.column('source_id') ?? nullOf('UINTEGER'),
      scope.column('seq') ?? nullOf('BIGINT'),
      ...conditions.map((value) => `(${onePart(value, scope)}) IS NOT NULL`),
    ];
    return combine([keys.values(scope), [{ parts, also: TRUE }]]).map((row) => ({
      select: row.parts,
      also: both([row.also]),
    }));
  });
  const order = [...keyNames.map((one) => `${one} NULLS LAST`), 't, coalesce(ns, 0), src, seq'];
  const events = `SELECT ${keyed}${micros('t')} AS m, src, seq, ${flags.join(', ')}, row_number() OVER (ORDER BY ${order.join(', ')}) AS r FROM (${rows}) AS q WHERE t IS NOT NULL AND (${flags.join(' OR ')})`;
  // The latest start of a chain of the steps so far: at an event, and before it.
  let chains = 'SELECT * FROM e';
  for (const [i, { times }] of steps.entries()) {
    const before = i === 0 ? 'r' : 'before';
    const begun = `CASE WHEN f${i} THEN lag(${before}, ${times - 1}) OVER (${partition(list, `f${i}`)}ORDER BY r) END`;
    chains = `SELECT *, ${begun} AS begun${i} FROM (${chains}) AS q`;
    if (i < steps.length - 1)
      chains = `SELECT ${keyed}m, r, ${flags.join(', ')}, max(begun${i}) OVER (${partition(list)}ORDER BY r ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before FROM (${chains}) AS q`;
  }
  const begun = `begun${steps.length - 1}`;
  const limit =
    within === undefined
      ? ''
      : ` WHERE q.m - a.m <= ${input.params.bind(intervalMicros(within), 'BIGINT')}`;
  const matches = `SELECT q.* FROM (SELECT ${keyed}m, r, ${begun} AS s FROM (${chains}) AS c WHERE ${begun} IS NOT NULL) AS q JOIN e AS a ON a.r = q.s${limit}`;
  const apart = `SELECT *, CASE WHEN s <= lag(r) OVER (${partition(list)}ORDER BY r) THEN 0 ELSE 1 END AS b FROM (${matches}) AS q`;
  const numbered = `SELECT *, sum(b) OVER (${partition(list)}ORDER BY r) AS i FROM (${apart}) AS q`;
  const merged = `SELECT ${keyed}i, min(s) AS s, max(r) AS z, count(*) AS n FROM (${numbered}) AS q GROUP BY ${keyed}i`;
  const [first, last, duration, count, ...ids] = quotedAliases(added);
  const [firstSource, firstSeq, lastSource, lastSeq] = ids;
  const select = [
    ...keyNames.map((one) => `q.${one}`),
    `${timeFromMicros('a.m')} AS ${first}, ${timeFromMicros('z.m')} AS ${last}`,
    `CAST(z.m - a.m AS DOUBLE) / ${SECOND} AS ${duration}, q.n AS ${count}`,
    `a.src AS ${firstSource}, a.seq AS ${firstSeq}, z.src AS ${lastSource}, z.seq AS ${lastSeq}`,
  ].join(', ');
  return {
    columns,
    order: [first!, ...keyNames, ...ids].map((sql) => ({ sql, descending: false })),
    sql: `WITH e AS MATERIALIZED (${events}) SELECT ${select} FROM (${merged}) AS q JOIN e AS a ON a.r = q.s JOIN e AS z ON z.r = q.z`,
  };
}

// -- in ClickHouse ---------------------------------------------------------------------------------

/**
 * The same windows. An event is a tuple that starts with its row number: the latest start is the maximum, without a
 * look-up. (0, …) means none.
 */
function sequenceClickHouse(stage: SequenceStage, rows: ClickHouseRows): ClickHouseTable {
  const { by, steps, within, start } = stage;
  checkEvents('sequence', rows.scope, start);
  const keys = keysClickHouse(by, rows);
  const list = keys.columns.flatMap(({ aliases }) => aliases);
  const keyed = list.map((alias) => `${alias}, `).join('');
  const { columns, added } = keyedColumns(keys, start, [
    simpleShape('start', 'time'),
    simpleShape('end', 'time'),
    simpleShape('duration', 'real'),
    simpleShape('matches', 'integer'),
    simpleShape('first', 'event-id'),
    simpleShape('last', 'event-id'),
  ]);
  const flags = steps.map((_, i) => `f${i}`);
  const conditions = steps.map((step, i) => {
    const value = fieldValue(rows.resolve(conditionOf(step)), step.start);
    return `${valueClickHouse(value, rows.scope)} IS NOT NULL AS f${i}`;
  });
  const place = `tuple(${microsOf('ts')}, ifNull(ts_ns, 0), assumeNotNull(source_id), assumeNotNull(seq), assumeNotNull(event_id)) AS p`;
  const over = (order: string, ...more: string[]): string =>
    `OVER (${partition(...list, ...more)}ORDER BY ${order})`;
  const taken = selectOf([...keys.list, ...conditions, place].join(', '), datedEvents(rows));
  const among = `SELECT *\nFROM ${subquery(taken)}\nWHERE ${flags.join(' OR ')}`;
  let chains = `SELECT *, tuple(toUInt64(row_number() ${over('p')}), p.1, p.3, p.4, p.5) AS e\nFROM ${subquery(among)}`;
  for (const [i, { times }] of steps.entries()) {
    const before = i === 0 ? 'e' : `before${i}`;
    const back = times - 1;
    const first =
      back === 0
        ? before
        : `lagInFrame(${before}, ${back}) ${over(`e.1 ROWS BETWEEN ${back} PRECEDING AND CURRENT ROW`, `f${i}`)}`;
    // An event that does not match the step begins nothing.
    chains = `SELECT *, if(f${i}, ${first}, ${NO_EVENT}) AS begun${i}\nFROM ${subquery(chains)}`;
    if (i < steps.length - 1)
      chains = `SELECT *, max(begun${i}) ${over('e.1 ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING')} AS before${i + 1}\nFROM ${subquery(chains)}`;
  }
  const limit = within === undefined ? '' : ` AND e.2 - a.2 <= ${intervalMicros(within)}`;
  const matches = `SELECT ${keyed}a, e\nFROM ${subquery(`SELECT ${keyed}e, begun${steps.length - 1} AS a\nFROM ${subquery(chains)}`)}\nWHERE a.1 > 0${limit}`;
  const apart = `SELECT *, a.1 > lagInFrame(e.1) ${over('e.1 ROWS BETWEEN 1 PRECEDING AND CURRENT ROW')} AS b\nFROM ${subquery(matches)}`;
  const numbered = `SELECT *, sum(b) ${over('e.1')} AS i\nFROM ${subquery(apart)}`;
  const merged = `SELECT ${keyed}i, min(a) AS s, max(e) AS z, count() AS n\nFROM ${subquery(numbered)}\nGROUP BY ${keyed}i`;
  const [first, last, duration, count, firstId, lastId] = added.flatMap(({ aliases }) => aliases);
  const select = [
    ...list,
    `${timeOfMicros('s.2')} AS ${first}, ${timeOfMicros('z.2')} AS ${last}`,
    `toFloat64(z.2 - s.2) / ${SECOND} AS ${duration}, n AS ${count}`,
    `s.5 AS ${firstId}, z.5 AS ${lastId}`,
    's.3 AS i0, s.4 AS i1, z.3 AS i2, z.4 AS i3',
  ].join(', ');
  const plain = (sql: string): OrderKey => ({ sql, descending: false });
  return {
    columns,
    order: [plain(first!), ...byValues(keys.columns), ...['i0', 'i1', 'i2', 'i3'].map(plain)],
    sql: `SELECT ${select}\nFROM ${subquery(merged)}`,
  };
}

const NO_EVENT = `tuple(toUInt64(0), toInt64(0), toUInt32(0), toInt64(0), '')`;

// -- rows of batches -------------------------------------------------------------------------------

function sequenceBatches(stage: SequenceStage, context: BatchContext): BatchStage {
  const { by, steps, within } = stage;
  const { columns, budget } = context;
  const events = new TimedRows(
    budget,
    steps.map((step) => context.resolve(conditionOf(step))),
  );
  const grouping = new Grouping(context, {
    ...{ by, measures: [] },
    also: (scope) => events.scoped(scope),
  });
  const most = within === undefined ? Infinity : intervalMicros(within);
  return {
    scoped: (batch) => grouping.scoped(batch),
    finish: () => {
      const { times, sources, records, groups } = events;
      const rows = matchesOf(events, steps, most).map(({ first, last, n }): Row => {
        budget.take(ROW_BYTES);
        const values = by.length === 0 ? [] : grouping.values(groups[first]!);
        const [low, high] = [times[first]!, times[last]!];
        const ids = [sources[first], records[first], sources[last], records[last]];
        return [...values, low, high, (high - low) / SECOND, n, ...ids];
      });
      const added = columns.slice(by.length).flatMap(({ aliases }) => aliases);
      const keys = columns.slice(0, by.length).flatMap(({ aliases }) => aliases);
      const order = [added[0]!, ...keys, ...added.slice(4)].map((alias) => ({
        alias,
        descending: false,
      }));
      return { table: { columns, rows, order } };
    },
  };
}

/** Events, by their numbers, that a row begins and ends with. */
interface Match {
  readonly group: number;
  readonly first: number;
  last: number;
  /** The place of the last in the order. */
  end: number;
  n: number;
}

const NONE = -1;

function matchesOf(events: TimedRows, steps: readonly SequenceStep[], most: number): Match[] {
  const order = events.inOrder();
  const { groups, times, marks } = events;
  const out: Match[] = [];
  // For each step: the starts of chains of the previous steps, for the last events that matched it.
  const rings = steps.map(({ times: count }) => new Int32Array(count));
  const met = new Int32Array(steps.length);
  const begun = new Int32Array(steps.length);
  let group = NONE;
  for (let place = 0; place < order.length; place++) {
    const at = order[place]!;
    if (groups[at] !== group) {
      group = groups[at]!;
      met.fill(0);
      begun.fill(NONE);
    }
    // From the last step backwards, so that an event counts for one step only.
    for (let step = steps.length - 1; step >= 0; step--) {
      if ((marks[at]! & (1 << step)) === 0) continue;
      const ring = rings[step]!;
      ring[met[step]! % ring.length] = step === 0 ? place : begun[step - 1]!;
      met[step]! += 1;
      if (met[step]! < ring.length) continue;
      const start = ring[met[step]! % ring.length]!;
      if (start === NONE) continue;
      begun[step] = start;
      const first = order[start]!;
      if (step < steps.length - 1 || times[at]! - times[first]! > most) continue;
      const last = out.at(-1);
      if (last?.group === group && start <= last.end) {
        last.last = at;
        last.end = place;
        last.n += 1;
      } else out.push({ group, first, last: at, end: place, n: 1 });
    }
  }
  return out;
}

export const sequenceOperator: StageOperator<SequenceStage> = {
  shape: 'table',
  withFilters: (stage, change) => ({
    ...stage,
    steps: stage.steps.map((step) => ({ ...step, filter: change(step.filter) })),
  }),
  about: ({ steps, start, end }) =>
    steps.length === 1
      ? steps[0]!.filter
      : { node: 'or', items: steps.map(({ filter }) => filter), start, end },
  table: sequenceTable,
  clickhouse: sequenceClickHouse,
  batches: sequenceBatches,
};
