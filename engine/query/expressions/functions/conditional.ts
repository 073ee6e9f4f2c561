/** Functions that choose among values. */
import {
  type Call,
  type FunctionOperator,
  type Made,
  NOTHING,
  common,
  valueAt,
} from '../operator.ts';
import { PART_TYPES, type Value, valueClickHouse, onePart } from '../value.ts';

/** The value of the first condition that holds, otherwise the last. */
function chosen(call: Call, conditions: readonly number[], results: readonly number[]): Made {
  const tests = conditions.map((at): Value => {
    const test = valueAt(call, at);
    return test.type === 'condition' ? test : call.wrong(at, 'takes a condition there');
  });
  const values = common(call, results);
  const { type } = values[0]!;
  const fallback = values.length > tests.length ? values.at(-1) : undefined;
  return {
    type,
    sql: (scope) => {
      const conditionsSql = tests.map((test) => onePart(test, scope));
      const all = values.map((value) => value.sql(scope));
      return PART_TYPES[type].map((_, part) => {
        const whens = conditionsSql.map((test, i) => `WHEN ${test} THEN ${all[i]![part]}`);
        const last = fallback === undefined ? NOTHING[type][part] : all.at(-1)![part];
        return `CASE ${whens.join(' ')} ELSE ${last} END`;
      });
    },
    clickhouse: (scope) => {
      const whens = tests.map(
        (test, i) => `${valueClickHouse(test, scope)}, ${valueClickHouse(values[i]!, scope)}`,
      );
      const last = fallback === undefined ? 'NULL' : valueClickHouse(fallback, scope);
      return `multiIf(${whens.join(', ')}, ${last})`;
    },
    reader: (scope) => {
      const isMet = tests.map((test) => test.reader(scope));
      const reads = values.map((value) => value.reader(scope));
      const last = fallback === undefined ? () => null : reads.at(-1)!;
      return (row) => {
        for (let i = 0; i < isMet.length; i++) if (isMet[i]!(row) === 1) return reads[i]!(row);
        return last(row);
      };
    },
  };
}

export const CONDITIONAL_FUNCTIONS: Readonly<Record<string, FunctionOperator>> = {
  if: {
    form: 'if(condition, value [, else])',
    gives: 'the first value if the condition holds, otherwise the second',
    ...{ least: 2, most: 3 },
    make: (call) => chosen(call, [0], call.args.length > 2 ? [1, 2] : [1]),
  },
  case: {
    form: 'case(condition, value, …, else)',
    gives: 'the value of the first condition that holds',
    ...{ least: 2, most: 65 },
    make: (call) => {
      const pairs = call.args.length >> 1;
      const conditions = Array.from({ length: pairs }, (_, i) => 2 * i);
      const results = conditions.map((at) => at + 1);
      if (call.args.length % 2 === 1) results.push(call.args.length - 1);
      return chosen(call, conditions, results);
    },
  },
  coalesce: {
    form: 'coalesce(value, …)',
    gives: 'the first value that is not missing',
    ...{ least: 1, most: 64 },
    make: (call) => {
      const values = common(
        call,
        call.args.map((_, i) => i),
      );
      const { type } = values[0]!;
      return {
        type,
        sql: (scope) => {
          const all = values.map((value) => value.sql(scope));
          if (type !== 'address') return [`coalesce(${all.map(([part]) => part).join(', ')})`];
          // Both parts are those of one value.
          return PART_TYPES[type].map((_, part) => {
            const whens = all.map(
              (parts) =>
                `WHEN ${parts.map((sql) => `${sql} IS NOT NULL`).join(' OR ')} THEN ${parts[part]}`,
            );
            return `CASE ${whens.join(' ')} END`;
          });
        },
        clickhouse: (scope) =>
          `coalesce(${values.map((value) => valueClickHouse(value, scope)).join(', ')})`,
        reader: (scope) => {
          const reads = values.map((value) => value.reader(scope));
          return (row) => {
            for (const read of reads) {
              const cell = read(row);
              if (cell !== null) return cell;
            }
            return null;
          };
        },
      };
    },
  },
  isnull: presence('isnull', 'whether the value is missing', true),
  isnotnull: presence('isnotnull', 'whether the value is present', false),
};

function presence(name: string, gives: string, missing: boolean): FunctionOperator {
  return {
    form: `${name}(value)`,
    gives,
    ...{ least: 1, most: 1 },
    make: (call) => {
      const value = valueAt(call, 0);
      return {
        type: 'condition',
        sql: (scope) => {
          const each = value.sql(scope).map((sql) => `${sql} IS NULL`);
          return [missing ? `(${each.join(' AND ')})` : `(NOT (${each.join(' AND ')}))`];
        },
        clickhouse: (scope) => `(${valueClickHouse(value, scope)} IS ${missing ? '' : 'NOT '}NULL)`,
        reader: (scope) => {
          const read = value.reader(scope);
          return (row) => ((read(row) === null) === missing ? 1 : 0);
        },
      };
    },
  };
}
