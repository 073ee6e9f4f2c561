/** Converts expressions to values: resolves names and checks types, so that the result is always valid. */
import type { Expression, ValueNode } from '../syntax/ast.ts';
import { readsOf } from '../batch/values/field-values.ts';
import type { RowScope } from '../batch/row-scope.ts';
import type { Field, Ref, Resolve } from '../names/fields.ts';
import { number as numberSql, real, text as textSql } from '../dialect/clickhouse.ts';
import { valuesOf } from '../dialect/clickhouse-values.ts';
import { nullOf, realNumber } from '../dialect/duckdb.ts';
import {
  type Filter,
  filterClickHouse,
  compileFilter,
  describeFilter,
  filterColumns,
} from '../filters/filter.ts';
import { checkRe2 } from '../re2/check.ts';
import { QueryError, didYouMean, shown, syntaxError } from '../syntax/query-error.ts';
import type { Scope } from '../plan/scope.ts';
import { type Extent, shapeOf, variantsOf } from '../values/values.ts';
import { ZoneClock } from '../time/zone-clock.ts';
import { VALUE_FUNCTION_NAMES } from '../syntax/lexemes.ts';
import { VALUE_FUNCTIONS } from './functions.ts';
import { type Argument, type Call, NOTHING, converted } from './operator.ts';
import {
  type Cell,
  type CellReader,
  PART_TYPES,
  type Value,
  type ValueType,
  valueClickHouse,
} from './value.ts';

export interface ValueContext {
  readonly resolve: Resolve;
  readonly zone: string;
  condition(filter: Expression): Filter;
}

const EVERYTHING: Extent = { columns: undefined, tagIds: [] };

/** @throws QueryError */
export function valueOf(node: ValueNode, context: ValueContext): Value {
  switch (node.value) {
    case 'number': {
      const { number } = node;
      return constant('number', number, String(number), () => realNumber(number));
    }
    case 'text': {
      const text = node.text.toWellFormed();
      return constant('text', text, JSON.stringify(text), (scope) => scope.params.text(text));
    }
    case 'nothing':
      return {
        type: 'text',
        text: 'null',
        sql: () => NOTHING.text,
        clickhouse: () => 'CAST(NULL AS Nullable(String))',
        reader: () => () => null,
        literal: null,
      };
    case 'field':
      return fieldValue(context.resolve(node), node.start);
    case 'interval': {
      const { count, unit } = node.interval;
      const seconds = (count * SECONDS[unit]) / 1000;
      return constant('number', seconds, `${count}${unit}`, () => realNumber(seconds));
    }
    case 'condition':
      return conditionValue(context.condition(node.filter));
    case 'pattern':
      throw syntaxError(
        'found a pattern',
        node.start,
        'patterns are of match(text, /…/) and replace(text, /…/, "…")',
      );
    case 'call':
      return called(node, context);
  }
}

const SECONDS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

function constant(
  type: ValueType,
  literal: string | number,
  text: string,
  sql: (scope: Scope) => string,
): Value {
  return {
    ...{ type, text, literal, sql: (scope) => [sql(scope)], reader: () => () => literal },
    clickhouse: () => (typeof literal === 'number' ? real(numberSql(literal)) : textSql(literal)),
  };
}

function called(node: Extract<ValueNode, { value: 'call' }>, context: ValueContext): Value {
  const { fn, args: nodes, start, end, written } = node;
  // A stage before has computed it.
  if (written !== undefined && context.resolve.columns?.has(written) === true)
    return fieldValue(context.resolve({ name: written, start, end }), start);
  const operator = VALUE_FUNCTIONS.get(fn);
  if (operator === undefined)
    throw syntaxError(
      `there is no function ${shown(fn)}`,
      start,
      didYouMean(fn, VALUE_FUNCTION_NAMES) ?? `functions are ${VALUE_FUNCTION_NAMES.join(', ')}`,
    );
  const wrong = (at: number, problem: string, hint?: string): never => {
    throw syntaxError(
      `${fn} ${problem}`,
      (nodes[at] ?? node).start,
      hint ?? `write: ${operator.form}`,
    );
  };
  if (nodes.length < operator.least || nodes.length > operator.most)
    return wrong(nodes.length, `has ${nodes.length} arguments`);
  const args = nodes.map((one) => argument(one, context));
  const call: Call = { args, clock: () => new ZoneClock(context.zone), wrong };
  const texts = args.map((arg, i) => ('text' in arg ? arg.text : argumentText(nodes[i]!)));
  return { ...operator.make(call), text: `${fn}(${texts.join(', ')})${zoned(fn, context.zone)}` };
}

/** The clock time depends on the zone. */
function zoned(fn: string, zone: string): string {
  return /^(?:hour|minute|monthday|month|year|weekday|date|bin)$/.test(fn) ? `@${zone}` : '';
}

function argument(node: ValueNode, context: ValueContext): Argument {
  if (node.value === 'interval')
    return { type: 'interval', interval: node.interval, seconds: valueOf(node, context) };
  if (node.value !== 'pattern') return valueOf(node, context);
  const { pattern, ignoreCase, start } = node;
  const problem = checkRe2(pattern);
  if (problem !== undefined)
    throw new QueryError(
      'query-syntax',
      `pattern: ${problem.message} at column ${start + problem.position + 2}`,
      start + problem.position + 1,
      problem.hint,
    );
  return { type: 'pattern', pattern: pattern.toWellFormed(), ignoreCase };
}

function argumentText(node: ValueNode): string {
  if (node.value === 'pattern') return `/${node.pattern}/${node.ignoreCase ? 'i' : ''}`;
  return node.value === 'interval' ? `${node.interval.count}${node.interval.unit}` : '';
}

function conditionValue(filter: Filter): Value {
  return {
    type: 'condition',
    text: `[${JSON.stringify(filter, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))}]${describeFilter(filter)}`,
    sql: (scope) => {
      const predicate = compileFilter(filter, scope);
      return [
        'sql' in predicate
          ? `coalesce(${predicate.sql}, FALSE)`
          : predicate.value
            ? 'TRUE'
            : 'FALSE',
      ];
    },
    clickhouse: (scope) => `ifNull(${filterClickHouse(filter, scope)}, false)`,
    reader: (scope) => {
      const keep = filterColumns(filter, scope);
      const marks = new Uint8Array(scope.capacity);
      const rows = new Int32Array(scope.capacity);
      let isAsked = false;
      return (row) => {
        // Computes all rows when the first is read: rows that are not filled have no values.
        if (!isAsked) {
          isAsked = true;
          for (let i = 0; i < rows.length; i++) rows[i] = i;
          const n = keep(rows, rows.length);
          for (let i = 0; i < n; i++) marks[rows[i]!] = 1;
        }
        return marks[row]!;
      };
    },
  };
}

// -- fields ----------------------------------------------------------------------------------------

function typeOf(field: Field, at: number): ValueType {
  const { type } = shapeOf(field, at, EVERYTHING);
  switch (type) {
    case 'integer':
    case 'real':
    case 'proto':
    case 'severity':
    case 'facility':
    case 'weekday':
      return 'number';
    case 'text':
    case 'ports':
      return 'text';
    case 'time':
    case 'address':
      return type;
    default:
      throw syntaxError(
        `${field.name} cannot be computed with`,
        at,
        `as a condition it can: if(${field.name}:…, 1, 0)`,
      );
  }
}

/** A field's value. Throws QueryError for a field with several values, or none. */
export function fieldValue(field: Field, at: number): Value {
  const several =
    field.type === 'number'
      ? field.refs.length > 1
      : field.type === 'address' && field.sides.length > 1;
  if (several)
    throw syntaxError(
      `${field.name} has two values in an event`,
      at,
      `use src_${field.name} or dst_${field.name}`,
    );
  const type = typeOf(field, at);
  const shape = shapeOf(field, at, EVERYTHING);
  return {
    type,
    text: fieldText(field),
    sql: (scope) => {
      const parts = variantsOf(field, shape, scope, EVERYTHING)[0]?.parts ?? [];
      if (type === 'address')
        return (['v4', 'v6'] as const).map((role, i) => {
          const part = shape.parts.findIndex((one) => one.role === role);
          return part < 0 ? nullOf(PART_TYPES.address[i]!) : parts[part]!;
        });
      return type === 'number' ? [`CAST(${parts[0]} AS DOUBLE)`] : [parts[0]!];
    },
    reader: (scope) => cellReader(field, type, scope),
    clickhouse: (scope) => {
      const [sql] = valuesOf(field, at, scope).sql;
      return type === 'number' ? real(sql!) : sql!;
    },
  };
}

function cellReader(field: Field, type: ValueType, scope: RowScope): CellReader {
  const [first, second] = readsOf(field, scope);
  const cell = (value: unknown): Cell =>
    typeof value === 'string' || typeof value === 'number' ? value : null;
  if (first === undefined) return () => null;
  if (type === 'address') return (row) => cell(first(row)) ?? cell(second?.(row));
  return (row) => cell(first(row));
}

function fieldText(field: Field): string {
  const of = (ref: Ref | undefined): string =>
    ref === undefined
      ? '-'
      : 'column' in ref
        ? ref.column
        : 'computed' in ref
          ? `#${ref.computed}`
          : ref.computation.text;
  switch (field.type) {
    case 'number':
      return of(field.refs[0]);
    case 'time':
      return of(field.ref);
    case 'text':
      return field.attribute === undefined
        ? of(field.ref)
        : `${of(field.ref)}|${field.attribute.key}`;
    case 'address':
      return `${of(field.sides[0]?.v4)}|${of(field.sides[0]?.v6)}`;
    case 'attribute':
      return `attrs.${field.key}`;
    case 'virtual':
      return field.name;
  }
}

/** A computed value as a field. */
export function fieldOf(name: string, given: Value): Field {
  const value = given.type === 'condition' ? converted(given, 'text')! : given;
  const { type } = value;
  const ref = (part: number): Ref => ({
    sqlType: PART_TYPES[type][part]!,
    computation: {
      text: `${type}${part}:${given.text}`,
      sql: (scope) => value.sql(scope)[part]!,
      clickhouse: value.clickhouse && ((scope) => valueClickHouse(value, scope)),
      reader: (scope) => {
        const read = value.reader(scope);
        if (type !== 'address') return read;
        const kept = part === 0 ? 'number' : 'string';
        return (row) => {
          const cell = read(row);
          return typeof cell === kept ? cell : null;
        };
      },
    },
  });
  switch (type) {
    case 'number':
      return { type: 'number', name, refs: [ref(0)], names: undefined };
    case 'time':
      return { type: 'time', name, ref: ref(0) };
    case 'address':
      return { type: 'address', name, sides: [{ v4: ref(0), v6: ref(1) }] };
    default:
      return { type: 'text', name, ref: ref(0) };
  }
}
