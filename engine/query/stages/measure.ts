/** `count`, `sum(x)`, `avg`, `min`, `max`, `distinct`, `p50`, `p95`, `p99`: computed columns. */
import type { Measure, Name } from '../ast.ts';
import { distinctOfBoth, quantile, quoteIdentifier } from '../dialect/duckdb.ts';
import type { Field } from '../fields.ts';
import { QueryError } from '../query-error.ts';
import { type Input, type InputColumn, valueShape } from '../relation.ts';
import type { Scope } from '../scope.ts';
import {
  type ValueShape,
  type Variant,
  combine,
  numberOf,
  shapeOf,
  variantsOf,
} from '../values.ts';

const QUANTILES: Readonly<Record<string, number>> = { p50: 0.5, p95: 0.95, p99: 0.99 };

/** What a measure needs of each row, and the aggregate over it. */
export interface CompiledMeasure {
  readonly name: string;
  readonly shape: ValueShape;
  readonly columns: readonly InputColumn[];
  values(scope: Scope): Variant[];
  readonly aggregate: string;
}

/**
 * @param prefix of the SQL names of its inputs.
 * Throws QueryError when the field cannot be measured so.
 */
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
    const sqlType = kept ? number.sqlType : integer ? 'HUGEINT' : 'DOUBLE';
    const shape = valueShape(as, integer ? 'integer' : 'real', sqlType);
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
    field.type === 'number' ? 'use src_port or dst_port' : `try distinct(${field.name})`,
  );
}

function aggregateOf(fn: string, sql: string): string {
  const fraction = QUANTILES[fn];
  return fraction === undefined ? `${fn}(${sql})` : quantile(sql, fraction);
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
