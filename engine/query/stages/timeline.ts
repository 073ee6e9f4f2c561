/**
 * `timeline [interval] [measure] [spread [x]] [by f]`: events per bucket, empty buckets included.
 *
 * Events without a time are in no bucket. `spread` shares a number (`bytes`) of each event over the
 * buckets its duration touches, in proportion; the event itself counts where it starts.
 */
import { type Measure, type Name, type Stage, intervalMicros } from '../syntax/ast.ts';
import {
  type Params,
  eachOf,
  micros,
  nullOf,
  numbersBelow,
  numbersBetween,
  plusSeconds,
  timeFromMicros,
} from '../dialect/duckdb.ts';
import { type Grid, bucketSql, startSql, bucketStart, FIRST_MONDAY } from '../time/grid.ts';
import type { Field } from '../names/fields.ts';
import { QueryError } from '../syntax/query-error.ts';
import {
  byValue,
  emptyRows,
  inputColumns,
  type Input,
  type InputColumn,
  type Table,
  type TableColumn,
  valueShape,
} from '../statements/relation.ts';
import { type Scope, TRUE } from '../plan/scope.ts';
import { type Variant, combine, numberOf } from '../values/values.ts';
import { microsOf, real as realHere, timeOfMicros, untranslated } from '../dialect/clickhouse.ts';
import {
  type ClickHouseBuckets,
  bucketsClickHouse,
  evenClickHouse,
} from '../dialect/clickhouse-buckets.ts';
import {
  type ClickHouseRows,
  type ClickHouseTable,
  datedEvents,
  selectOf,
  subquery,
} from '../dialect/clickhouse-rows.ts';
import { byValues, numberOf as numberInRows, simpleShape } from '../dialect/clickhouse-values.ts';
import { onceClickHouse } from '../dialect/once.ts';
import { keysClickHouse, groupKeys, keyList } from './group.ts';
import { measureClickHouse, compileMeasure } from './measure.ts';
import type { EventBatch } from '../../columns/event-batch.ts';
import type { RawValue } from '../values/raw-value.ts';
import { ROW_BYTES } from '../batch/budget.ts';
import { Grouping } from '../batch/grouping.ts';
import type { RowScope } from '../batch/row-scope.ts';
import { byAll, rowOrder } from '../batch/table.ts';
import type { BatchStage, StageResult } from '../batch/stage.ts';
import type { BatchContext, StageOperator } from './operator.ts';

export type TimelineStage = Extract<Stage, { stage: 'timeline' }>;

interface TimelineParts {
  /** Series, then `count`, then the spread or measured value. */
  readonly columns: readonly TableColumn[];
  /** Buckets that are not empty: `i`, then the columns. */
  readonly sql: string;
}

/** Maximum duration of an event, in seconds: an absurd one in hostile input must not overflow a time. */
const LONGEST = 31_622_400;
/** SQL name of the measured value. */
const MEASURED = 'w';
const END_COLUMN: InputColumn = { alias: 'e', sqlType: 'TIMESTAMP' };

/** SQL of when an event ends: `ts` and its duration. */
function endSql(scope: Scope): string {
  const ts = scope.column('ts') ?? nullOf('TIMESTAMP');
  const duration = scope.column('duration');
  if (duration === undefined) return ts;
  return plusSeconds(ts, `least(greatest(coalesce(${duration}, 0), 0), ${LONGEST})`);
}

/** First and last time (as `low` and `high`, epoch microseconds) of the events that a timeline counts. */
export function timelineRange(stage: TimelineStage, input: Input): string {
  const columns = [{ alias: 't', sqlType: 'TIMESTAMP' }, END_COLUMN];
  const rows = input.rows(columns, (scope) => {
    const ts = scope.column('ts') ?? nullOf('TIMESTAMP');
    return [{ select: [ts, stage.spread === undefined ? ts : endSql(scope)], also: TRUE }];
  });
  return `SELECT ${micros('min(t)')} AS low, ${micros('max(e)')} AS high FROM (${rows}) AS r`;
}

/** @param grid undefined if no event has a time: then there are no buckets */
export function timelineParts(
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
  const keys = groupKeys(stage.by === undefined ? [] : [stage.by], input);
  const count: TableColumn = {
    name: 'count',
    shape: valueShape('count', 'integer', 'BIGINT'),
    aliases: ['n'],
  };
  const spread = stage.spread && spreadOf(stage.spread, input);
  const columns: TableColumn[] = [...keys.columns, count];
  const measure = stage.measure && compileMeasure(stage.measure, input, 'm');
  if (measure !== undefined)
    columns.push({ name: measure.name, shape: measure.shape, aliases: [MEASURED] });
  if (spread !== undefined) {
    const { name } = spread.field;
    columns.push({ name, shape: valueShape(name, 'real', 'DOUBLE'), aliases: ['v'] });
  }
  if (grid === undefined) {
    return {
      columns,
      sql: emptyRows([{ alias: 'i', sqlType: 'BIGINT' }, ...inputColumns(columns)]),
    };
  }
  const number = spread?.number;
  const taken: InputColumn[] = [
    ...inputColumns(keys.columns),
    { alias: 't', sqlType: 'TIMESTAMP' },
  ];
  if (number !== undefined) taken.push(END_COLUMN, { alias: 'x', sqlType: number.sqlType });
  if (measure !== undefined) taken.push(...measure.columns);
  const rows = input.rows(taken, (scope) => {
    const time: Variant = {
      parts: [
        scope.column('ts') ?? nullOf('TIMESTAMP'),
        ...(number === undefined ? [] : [endSql(scope), number.sql(scope)]),
      ],
      also: TRUE,
    };
    const measured = measure === undefined ? [] : [measure.values(scope)];
    return combine([keys.values(scope), [time], ...measured]).map(({ parts, also }) => ({
      select: parts,
      also,
    }));
  });
  const list = keyList(keys);
  const keyed = list === '' ? '' : `, ${list}`;
  if (number !== undefined) return { columns, sql: spreadSql(rows, keyed, grid, input.params) };
  const computed = measure === undefined ? '' : `, ${measure.aggregate} AS ${MEASURED}`;
  return {
    columns,
    sql: `SELECT ${bucketSql(grid, micros('t'), input.params)} AS i${keyed}, count(*) AS n${computed} FROM (${rows}) AS r WHERE t IS NOT NULL GROUP BY i${keyed}`,
  };
}

type FieldNumber = NonNullable<ReturnType<typeof numberOf>>;

/** @throws QueryError if the field is not a number */
function spreadOf(name: Name, input: Input): { field: Field; number: FieldNumber } {
  const field = input.resolve(name);
  const number = numberOf(field);
  if (number === undefined) {
    throw new QueryError(
      'query-syntax',
      `${field.name} is not a number to spread (column ${name.start + 1})`,
      name.start,
    );
  }
  return { field, number };
}

/**
 * Spreads each row's number over the buckets between its times, in proportion to the time in each.
 * @param rows with time `t`, end `e` and number `x` @param keyed the keys after a comma
 */
function spreadSql(rows: string, keyed: string, grid: Grid, params: Params): string {
  const end = params.bind(grid.to, 'BIGINT');
  const one = 'CAST(1 AS BIGINT)';
  const expanded = [
    `SELECT ${eachOf(numbersBetween('first', `last + ${one}`))} AS i, first, a, z, x${keyed} FROM (`,
    `SELECT ${bucketSql(grid, 'a', params)} AS first, ${bucketSql(grid, `greatest(a, least(z, ${end}) - ${one})`, params)} AS last, a, z, x${keyed} FROM (`,
    `SELECT ${micros('t')} AS a, ${micros('e')} AS z, CAST(x AS DOUBLE) AS x${keyed} FROM (${rows}) AS r WHERE t IS NOT NULL) AS s) AS u`,
  ].join('');
  const overlap = `(least(z, ${startSql(grid, `(i + ${one})`, params)}) - greatest(a, ${startSql(grid, 'i', params)}))`;
  const share = `CASE WHEN z > a THEN x * ${overlap} / (z - a) ELSE x END`;
  return `SELECT i${keyed}, count(*) FILTER (WHERE i = first) AS n, coalesce(sum(${share}), 0) AS v FROM (${expanded}) AS w GROUP BY i${keyed}`;
}

/** A timeline as a table, for the stages after it: `start`, series, counts; empty buckets too. */
function timelineTable(parts: TimelineParts, grid: Grid | undefined, input: Input): Table {
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
  // A series is not filled with empty buckets: that would add them for each of its values.
  const filled = names.every((name) => counts.has(name) || name === MEASURED);
  const buckets = `(SELECT ${eachOf(numbersBelow(params.bind(grid.buckets, 'BIGINT')))} AS i)`;
  const from = filled
    ? `${buckets} AS b LEFT JOIN (${parts.sql}) AS q ON b.i = q.i`
    : `(${parts.sql}) AS b`;
  return { columns, order, sql: `SELECT ${at} AS start, ${list.join(', ')} FROM ${from}` };
}

/** Beside even buckets in ClickHouse: start, end and number of all of them. */
const SPAN_TOTALS: readonly string[] = ['span_from', 'span_to', 'span_buckets'];

// -- in ClickHouse ---------------------------------------------------------------------------------

function timelineClickHouse(stage: TimelineStage, rows: ClickHouseRows): ClickHouseTable {
  const { interval, by, measure } = stage;
  if (!rows.scope.events)
    throw new QueryError(
      'query-syntax',
      `timeline needs events, not a table (column ${stage.start + 1})`,
      stage.start,
    );
  const keys = keysClickHouse(by === undefined ? [] : [by], rows);
  const measured = measure && measureClickHouse(measure, rows);
  const dated = datedEvents(rows);
  const columns: TableColumn[] = [
    { name: 'start', shape: simpleShape('start', 'time'), aliases: ['start'] },
    ...keys.columns,
    { name: 'count', shape: valueShape('count', 'integer', 'UInt64'), aliases: ['n'] },
  ];
  if (measured !== undefined)
    columns.push({ name: measured.shape.name, shape: measured.shape, aliases: [MEASURED] });
  // An empty bucket has no measure.
  const computed = measured === undefined ? [] : [`toNullable(${measured.sql}) AS ${MEASURED}`];
  const grouped = ['GROUP BY b', ...keys.columns.flatMap(({ aliases }) => aliases)].join(', ');
  const countedBy = ({ of }: ClickHouseBuckets): string =>
    selectOf(
      [`${of(microsOf('ts'))} AS b`, ...keys.list, 'count() AS n', ...computed].join(', '),
      dated,
      grouped,
    );
  const spread = stage.spread && spreadClickHouse(stage.spread, keys, dated);
  if (spread !== undefined)
    columns.push({ name: spread.name, shape: simpleShape(spread.name, 'real'), aliases: ['v'] });
  const counts = spread?.counts ?? countedBy;
  const list = columns.slice(1).flatMap(({ aliases }) => aliases);
  const tableOf = (start: string, from: string): ClickHouseTable => ({
    ...{ columns, order: byValues(columns) },
    sql: `SELECT ${[`${timeOfMicros(start)} AS start`, ...list].join(', ')}\nFROM ${from}`,
  });
  if (interval === undefined) {
    const { span, buckets } = evenClickHouse(dated, spread?.end ?? microsOf('ts'));
    const totals = rows.isShown ? SPAN_TOTALS : [];
    list.push(...totals.map((name, i) => `span.${i + 1} AS ${name}`));
    const counted = subquery(counts(buckets));
    const all = `${subquery('SELECT toInt64(arrayJoin(range(toUInt64(span.3)))) AS b')} AS e`;
    const from = by === undefined ? `${all}\nLEFT JOIN ${counted} AS q USING (b)` : counted;
    const made = tableOf(buckets.start('b'), from);
    return { ...made, totals, sql: `WITH ${span} AS span\n${made.sql}` };
  }
  const { fill, ...buckets } = bucketsClickHouse(
    interval,
    rows,
    by === undefined,
    spread && LONGEST * SECOND,
  );
  const counted = counts(buckets);
  // Empty buckets between the first and the last event, or the given ends. A series is not filled.
  const { from = -Infinity, to = Infinity } = rows.range;
  const filled = by === undefined && from < to ? `${counted}\n${fill}` : counted;
  return tableOf(buckets.start('b'), subquery(filled));
}

interface ClickHouseSpread {
  readonly name: string;
  /** End of an event, in microseconds. */
  readonly end: string;
  /** Buckets with their counts and shares. */
  counts(buckets: ClickHouseBuckets): string;
}

/** Spreads a number of each event over the buckets that it spans. */
function spreadClickHouse(
  spread: Name,
  keys: ReturnType<typeof keysClickHouse>,
  dated: ClickHouseRows,
): ClickHouseSpread {
  const field = dated.resolve(spread);
  const number = numberInRows(field, spread.start, dated.scope);
  if (number === undefined) throw untranslated(`timeline that spreads ${field.name}`);
  const us = microsOf('ts');
  // Like `endSql`; halves are rounded up.
  const whole = (y: string): string => `toInt64(trunc(${y}) + (${y} - trunc(${y}) >= 0.5))`;
  const lasts = `least(greatest(ifNull(duration, 0), 0), ${LONGEST}) * 1000000`;
  const end = `${us} + ${onceClickHouse(lasts, whole, 'y')}`;
  const list = keys.columns.flatMap(({ aliases }) => `, ${aliases.join(', ')}`).join('');
  const inner = [`${us} AS a`, `${end} AS z`, `${realHere(number.sql)} AS x`, ...keys.list].join(
    ', ',
  );
  return {
    ...{ name: field.name, end },
    counts: ({ of, start, step, last }) => {
      const touched = `SELECT *, ${of('a')} AS f, ${last('a', 'z')} AS l\nFROM ${subquery(selectOf(inner, dated))}`;
      const each = `SELECT *, arrayJoin(arrayMap(k -> toInt64(f + k * ${step}), range(toUInt64(intDiv(l - f, ${step}) + 1)))) AS b\nFROM ${subquery(touched)}`;
      const overlap = `(least(z, ${start(`(b + ${step})`)}) - greatest(a, ${start('b')}))`;
      const share = `if(z > a, x * ${overlap} / (z - a), x)`;
      return `SELECT b${list}, countIf(b = f) AS n, ifNull(sum(${share}), 0) AS v\nFROM ${subquery(each)}\nGROUP BY b${list}`;
    },
  };
}

// -- rows of batches -------------------------------------------------------------------------------

// The first and last event are known only at the end, so events are counted by units of time that no bucket
// divides: a whole interval if those begin at known times, otherwise microseconds, which become milliseconds and
// seconds as the range grows.

const MILLISECOND = 1e3;
const SECOND = 1e6;
/** Equal buckets begin at whole units if the range is this many of them (engine/query/plan/plan.ts). */
const RANGE_UNITS = 60 * 30;

const pair = new Int32Array(2);
const real = new Float64Array(pair.buffer);

class TimelineBatches implements BatchStage {
  private readonly context: BatchContext;
  private readonly grouping: Grouping;
  private readonly origin: number;
  private unit: number;
  private readonly growing: boolean;
  private low = Infinity;
  private high = -Infinity;

  constructor(stage: TimelineStage, context: BatchContext) {
    this.context = context;
    const { range, zone } = context;
    const { interval, start, end, by } = stage;
    this.growing = interval === undefined;
    if (interval === undefined) {
      this.unit = 1;
      this.origin = range.from ?? range.to ?? 0;
    } else {
      const step = intervalMicros(interval);
      const whole = zone === 'UTC' || zone === 'Z';
      // Otherwise a bucket begins at a whole second of UTC, or finer.
      this.unit = whole ? step : step % SECOND === 0 ? SECOND : MILLISECOND;
      this.origin = whole && interval.unit === 'w' ? FIRST_MONDAY : 0;
    }
    const count: Measure = { fn: 'count', of: undefined, as: 'count', start, end };
    this.grouping = new Grouping(context, {
      by: by === undefined ? [] : [by],
      measures: [count],
      before: { words: 2, scoped: (scope) => this.units(scope) },
    });
  }

  scoped(batch: EventBatch) {
    const take = this.grouping.scoped(batch);
    return (rows: Int32Array, n: number) => {
      take(rows, n);
      if (this.growing) this.coarsen();
    };
  }

  /** Computes the unit of each row; rows without a time are skipped. */
  private units(scope: RowScope) {
    const column = scope.column({ column: 'ts' });
    if (column === undefined || column.type === 'text' || column.type === 'ip6') return () => 0;
    const { values, present } = column;
    return (rows: Int32Array, n: number, words: readonly Int32Array[]): number => {
      const [first, second] = [words[0]!, words[1]!];
      const { unit, origin } = this;
      let { low, high } = this;
      let k = 0;
      let start = NaN;
      for (let i = 0; i < n; i++) {
        const row = rows[i]!;
        if (present[row] !== 1) continue;
        const ts = values[row]!;
        if (ts < low) low = ts;
        if (ts > high) high = ts;
        const passed = ts - start;
        if (!(passed >= 0 && passed < unit)) {
          const index = Math.floor((ts - origin) / unit);
          start = origin + index * unit;
          real[0] = index + 0;
        }
        first[k] = pair[0]!;
        second[k] = pair[1]!;
        rows[k++] = row;
      }
      this.low = low;
      this.high = high;
      return k;
    };
  }

  private coarsen(): void {
    const range = this.high - this.low;
    this.coarsenTo(
      range >= RANGE_UNITS * SECOND ? SECOND : range >= RANGE_UNITS * MILLISECOND ? MILLISECOND : 1,
    );
  }

  private coarsenTo(unit: number): void {
    if (unit <= this.unit) return;
    this.grouping.rekey(coarser(unit / this.unit));
    this.unit = unit;
  }

  finish(): StageResult {
    const { grouping, unit, origin } = this;
    const { columns, budget } = this.context;
    const found = this.high >= this.low;
    const grid = this.context.grid({
      low: found ? this.low : undefined,
      high: found ? this.high : undefined,
    });
    const order = byAll(columns);
    if (grid === undefined) return { table: { columns, rows: [], order }, raw: [] };
    const starts = Float64Array.from({ length: grid.buckets }, (_, i) => bucketStart(grid, i));
    // Groups of units become groups of buckets.
    const series = new Map<string, RawValue[]>();
    for (let group = 0; group < grouping.size; group++) {
      pair[0] = grouping.word(group, 0);
      pair[1] = grouping.word(group, 1);
      const bucket = lastBelow(starts, origin + real[0]! * unit);
      const values = grouping.values(group);
      const key = JSON.stringify([bucket, ...values]);
      const count = Number(grouping.measures[0]!.value(group));
      const row = series.get(key);
      if (row === undefined) {
        budget.take(2 * ROW_BYTES);
        series.set(key, [bucket, ...values, count]);
      } else row[row.length - 1] = Number(row.at(-1)) + count;
    }
    const counted = columns.slice(1);
    const byValues = rowOrder(counted, byAll(counted.slice(0, -1)));
    const raw = [...series.values()].sort(
      (a, b) => Number(a[0]) - Number(b[0]) || byValues(a.slice(1), b.slice(1)),
    );
    // Without series, empty buckets are rows as well.
    const filled =
      counted.length > 1
        ? raw
        : Array.from(starts, (_, bucket) => [bucket, series.get(`[${bucket}]`)?.[1] ?? 0]);
    const rows = filled.map(([bucket, ...rest]) => [starts[Number(bucket)], ...rest]);
    return { table: { columns, rows, order }, raw, grid };
  }
}

/** Numbers of units to those of units that are `factor` times as long. */
function coarser(factor: number): (words: readonly Int32Array[], n: number) => void {
  return (words, n) => {
    const [first, second] = [words[0]!, words[1]!];
    for (let i = 0; i < n; i++) {
      pair[0] = first[i]!;
      pair[1] = second[i]!;
      real[0] = Math.floor(real[0]! / factor) + 0;
      first[i] = pair[0]!;
      second[i] = pair[1]!;
    }
  };
}

/** The last of ascending `starts` that is not above `at`; 0 if all are. */
function lastBelow(starts: Float64Array, at: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (starts[middle]! <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}

export const timelineOperator: StageOperator<TimelineStage> = {
  shape: 'timeline',
  table: (stage, input, grid) => timelineTable(timelineParts(stage, input, grid), grid, input),
  clickhouse: timelineClickHouse,
  batches: (stage, context) => new TimelineBatches(stage, context),
  fieldsTaken: ({ by, measure }) => [by, measure?.of].flatMap((name) => name ?? []),
  refusesBatches: ({ spread, measure }) =>
    spread !== undefined
      ? 'timeline that spreads'
      : measure === undefined
        ? undefined
        : 'timeline of a measure',
};
