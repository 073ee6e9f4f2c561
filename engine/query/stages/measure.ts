/** `count`, `sum(x)`, `avg`, `min`, `max`, `distinct`, `p95` and the like: computed columns. */
import { PERCENTILE } from '../syntax/lexemes.ts';
import type { FunctionName, Measure, Name } from '../syntax/ast.ts';
import {
  distinctOfBoth,
  firstInOrder,
  nullOf,
  quantile,
  quoteIdentifier,
  standardDeviation,
  valuesAsText as namedValues,
} from '../dialect/duckdb.ts';
import { untranslated } from '../dialect/clickhouse.ts';
import { type ClickHouseRows } from '../dialect/clickhouse-rows.ts';
import { valuesAsText } from '../dialect/clickhouse-texts.ts';
import {
  type ClickHouseValue,
  numberOf as numberInRows,
  presentValues,
  simpleShape,
  valuesOf,
} from '../dialect/clickhouse-values.ts';
import { fieldValue } from '../expressions/analyse.ts';
import { converted } from '../expressions/operator.ts';
import { analyse } from '../plan/analyse.ts';
import { filterClickHouse } from '../filters/filter.ts';
import { PART_TYPES, onePart, valueClickHouse } from '../expressions/value.ts';
import type { Field } from '../names/fields.ts';
import { QueryError } from '../syntax/query-error.ts';
import { type Input, type InputColumn, valueShape } from '../statements/relation.ts';
import type { Scope } from '../plan/scope.ts';
import {
  type ValueShape,
  type Variant,
  combine,
  numberOf,
  shapeOf,
  variantsOf,
} from '../values/values.ts';

/** The fraction of a percentile; undefined if it is not one. */
export function fractionOf(fn: FunctionName): number | undefined {
  if (fn === 'median') return 0.5;
  const found = PERCENTILE.exec(fn)?.[1];
  // Hundredths are not exact, thousandths of the written number are.
  return found === undefined ? undefined : Math.round(Number(found) * 1000) / 100_000;
}

/** Functions that need all values of a group at once. */
export function keepsAllValues({ fn }: Measure): boolean {
  return fractionOf(fn) !== undefined || ['distinct', 'first', 'last', 'values'].includes(fn);
}

/** Values that `values(x)` names at most. */
export const MOST_VALUES_NAMED = 100;

/** The values that a measure needs of each row, and the aggregate over them. */
export interface CompiledMeasure {
  readonly name: string;
  readonly shape: ValueShape;
  readonly columns: readonly InputColumn[];
  values(scope: Scope): Variant[];
  readonly aggregate: string;
}

/** @param prefix of the SQL names of its inputs. Throws QueryError if the field cannot be measured so. */
export function compileMeasure(measure: Measure, input: Input, prefix: string): CompiledMeasure {
  const { fn, of, as } = measure;
  if (fn === 'count' || of === undefined) {
    return {
      name: as,
      shape: valueShape(as, 'integer', 'BIGINT'),
      columns: [],
      values: () => [{ parts: [], also: { value: true, reason: 'filter' } }],
      aggregate: 'count(*)',
    };
  }
  const field = input.resolve(of);
  const alias = `${prefix}0`;
  if (fn === 'distinct') return distinct(field, of, as, input, prefix);
  if (fn === 'first' || fn === 'last' || fn === 'values')
    return chosenValues(measure, field, of, input, prefix);
  const single = (sqlType: string, shape: ValueShape, sql: (scope: Scope) => string) => ({
    name: as,
    shape,
    columns: [{ alias, sqlType }],
    values: (scope: Scope) => [
      { parts: [sql(scope)], also: { value: true, reason: 'filter' } as const },
    ],
    aggregate: aggregateOf(fn, quoteIdentifier(alias)),
  });
  const number = numberOf(field);
  if (number !== undefined) {
    const kept = fn === 'min' || fn === 'max';
    const integer = number.type === 'integer' && (kept || fn === 'sum');
    const counts = fn === 'countif';
    const sqlType = kept ? number.sqlType : integer ? 'HUGEINT' : counts ? 'BIGINT' : 'DOUBLE';
    const shape = valueShape(as, integer || counts ? 'integer' : 'real', sqlType);
    return single(number.sqlType, shape, (scope) => number.sql(scope));
  }
  if ((fn === 'min' || fn === 'max') && (field.type === 'time' || field.type === 'text')) {
    const shape = shapeOf(field, of.start, input.extent);
    return single(
      shape.parts[0]!.sqlType,
      { ...shape, name: as },
      (scope) => variantsOf(field, shape, scope, input.extent)[0]!.parts[0]!,
    );
  }
  throw new QueryError(
    'query-syntax',
    `${fn} cannot be computed of ${field.name} (column ${of.start + 1})`,
    of.start,
    field.type === 'number'
      ? 'use src_port or dst_port'
      : `try distinct(${field.name}), values(${field.name}) or first(${field.name})`,
  );
}

function aggregateOf(fn: FunctionName, sql: string): string {
  const fraction = fractionOf(fn);
  if (fraction !== undefined) return quantile(sql, fraction);
  if (fn === 'countif') return `count(${sql})`;
  return fn === 'stddev' ? standardDeviation(sql) : `${fn}(${sql})`;
}

/** The order of events by which `first` and `last` choose: undated ones only if there are no others. */
const ORDER = [
  ['ts', 'TIMESTAMP'],
  ['ts_ns', 'USMALLINT'],
  ['source_id', 'UINTEGER'],
  ['seq', 'BIGINT'],
] as const;

/** The first or the last value in the order of events, or all values there are. Addresses are texts here. */
function chosenValues(
  { fn, as }: Measure,
  field: Field,
  of: Name,
  input: Input,
  prefix: string,
): CompiledMeasure {
  const given = fieldValue(field, of.start);
  const keeps = fn !== 'values' && (given.type === 'number' || given.type === 'time');
  const value = keeps ? given : converted(given, 'text')!;
  const sqlType = PART_TYPES[value.type][0]!;
  const alias = `${prefix}0`;
  const name = quoteIdentifier(alias);
  const type = keeps ? (given.type === 'time' ? 'time' : 'real') : 'text';
  const shape = valueShape(as, type, sqlType);
  const also = { value: true, reason: 'filter' } as const;
  if (fn === 'values') {
    return {
      ...{ name: as, shape, columns: [{ alias, sqlType }] },
      values: (scope) => [{ parts: [onePart(value, scope)], also }],
      aggregate: namedValues(name, MOST_VALUES_NAMED),
    };
  }
  if (!input.events)
    throw new QueryError(
      'query-syntax',
      `${fn} is chosen among events, not of a table (column ${of.start + 1})`,
      of.start,
      `try min(${field.name}) or max(${field.name})`,
    );
  const order = ORDER.map(([column, sqlType], i) => ({ column, alias: `${prefix}o${i}`, sqlType }));
  return {
    ...{ name: as, shape, columns: [{ alias, sqlType }, ...order] },
    values: (scope) => [
      {
        parts: [
          onePart(value, scope),
          ...order.map(({ column, sqlType }) => {
            const sql = scope.column(column) ?? nullOf(sqlType);
            return column === 'ts_ns' ? `coalesce(${sql}, CAST(0 AS USMALLINT))` : sql;
          }),
        ],
        also,
      },
    ],
    aggregate: firstInOrder(
      name,
      order.map((one) => quoteIdentifier(one.alias)),
      fn === 'last',
    ),
  };
}

/**
 * Distinct values. Of a field with two values per event (`ip`, `port`) those of both, without
 * seeing an event twice: other measures of the same rows must not notice.
 */
function distinct(
  field: Field,
  of: Name,
  as: string,
  input: Input,
  prefix: string,
): CompiledMeasure {
  if (field.type === 'virtual' && field.name === 'tag' && field.ref === undefined) {
    throw new QueryError(
      'query-syntax',
      `distinct cannot be computed of tag (column ${of.start + 1})`,
      of.start,
      'values tag lists the tags with their counts',
    );
  }
  const shape = shapeOf(field, of.start, input.extent);
  const sides: Field[] =
    field.type === 'address'
      ? field.sides.map((side) => ({ ...field, sides: [side] }))
      : field.type === 'number'
        ? field.refs.map((ref) => ({ ...field, refs: [ref] }))
        : [field];
  const columns = sides.flatMap((_, side) =>
    shape.parts.map(({ sqlType }, i) => ({ alias: `${prefix}${side}_${i}`, sqlType })),
  );
  const name = (side: number, part: number) => quoteIdentifier(`${prefix}${side}_${part}`);
  const counts = shape.parts.map((_, part) =>
    sides.length === 1
      ? `count(DISTINCT ${name(0, part)})`
      : distinctOfBoth(name(0, part), name(1, part)),
  );
  // The parts of an address exclude each other; those of other values belong together.
  const together = shape.parts.map((_, part) => name(0, part)).join(', ');
  const aggregate =
    shape.type === 'address' || counts.length === 1
      ? counts.join(' + ')
      : `count(DISTINCT (${together}))`;
  return {
    name: as,
    shape: valueShape(as, 'integer', 'BIGINT'),
    columns,
    values: (scope) => combine(sides.map((side) => variantsOf(side, shape, scope, input.extent))),
    aggregate,
  };
}

// -- in ClickHouse ---------------------------------------------------------------------------------

/** The aggregate and its result type. Throws QueryError like `compileMeasure`, and DaybookError `usage`. */
export function measureClickHouse(measure: Measure, rows: ClickHouseRows): ClickHouseValue {
  const { fn, of, as } = measure;
  const counted = simpleShape(as, 'integer');
  if (fn === 'count' || of === undefined) return { shape: counted, sql: 'count()' };
  if (fn === 'countif') return { shape: counted, sql: `countIf(${conditionOf(of, rows)})` };
  const field = rows.resolve(of);
  if (fn === 'distinct') {
    const { sql, shape } = valuesOf(field, of.start, rows.scope);
    const [first, ...more] = sql;
    if (first === undefined) throw untranslated(`distinct(${of.name})`);
    if (shape.type === 'event-id') return { shape: counted, sql: `uniqExact(${first})` };
    return {
      shape: counted,
      sql: more.length === 0 ? `uniqExact(${first})` : `uniqExactArray(${presentValues(sql)})`,
    };
  }
  if (fn === 'values') {
    const value = converted(fieldValue(field, of.start), 'text')!;
    const sql = valuesAsText(valueClickHouse(value, rows.scope), MOST_VALUES_NAMED);
    return { shape: simpleShape(as, 'text'), sql };
  }
  const number = numberInRows(field, of.start, rows.scope);
  if (fn === 'first' || fn === 'last') {
    const { sql, shape } = valuesOf(field, of.start, rows.scope);
    if (
      !rows.scope.events ||
      sql.length !== 1 ||
      !/^(?:real|time|text|integer|address|proto|severity|facility)$/.test(shape.type)
    )
      throw untranslated(`${fn}(${of.name})`);
    const value = sql[0]!;
    return {
      shape: { ...shape, name: as },
      sql: `${fn === 'first' ? 'argMinIf' : 'argMaxIf'}(${value}, ${placeInTime(fn)}, ${value} IS NOT NULL)`,
    };
  }
  if (number !== undefined) {
    const { sql, type } = number;
    // There is none for zero rows, although a table's columns may be non-nullable.
    const orNull = rows.scope.events ? '' : 'OrNull';
    if (fn === 'min' || fn === 'max')
      return {
        shape: simpleShape(as, type === 'Float64' ? 'real' : 'integer', type),
        sql: `${fn}${orNull}(${sql})`,
      };
    if (fn === 'sum')
      return {
        shape: simpleShape(as, type === 'Float64' ? 'real' : 'integer'),
        sql: `sum${orNull}(${type === 'Int64' ? `toInt128(${sql})` : sql})`,
      };
    const real = simpleShape(as, 'real');
    const fraction = fractionOf(fn);
    if (fraction !== undefined)
      return { shape: real, sql: `quantileExactInclusive${orNull}(${fraction})(${sql})` };
    if (fn === 'stddev')
      return { shape: real, sql: `if(count(${sql}) > 1, stddevSampStable(${sql}), NULL)` };
    return { shape: real, sql: `avg${orNull}(toFloat64(${sql}))` };
  }
  if ((fn === 'min' || fn === 'max') && (field.type === 'time' || field.type === 'text')) {
    const { sql, shape } = valuesOf(field, of.start, rows.scope);
    const orNull = rows.scope.events ? '' : 'OrNull';
    return { shape: { ...shape, name: as }, sql: `${fn}${orNull}(${sql[0]!})` };
  }
  throw untranslated(`${fn}(${of.name})`);
}

/** The order of events as a value; undated ones count if there are no others. */
function placeInTime(fn: 'first' | 'last'): string {
  const undated = fn === 'first' ? 'ts IS NULL' : 'ts IS NOT NULL';
  return `(${undated}, ifNull(toUnixTimestamp64Micro(ts), 0), ifNull(ts_ns, 0), ifNull(source_id, 0), ifNull(seq, 0))`;
}

/** The condition of `countif`, which is written as a value: `if(condition, 1)`. */
function conditionOf(of: Name, rows: ClickHouseRows): string {
  const { expression } = of;
  const condition = expression?.value === 'call' ? expression.args[0] : undefined;
  if (condition?.value !== 'condition') throw untranslated(`countif(${of.name})`);
  const filter = analyse(condition.filter, rows.resolve, rows.around);
  return `ifNull(${filterClickHouse(filter, rows.scope)}, false)`;
}
