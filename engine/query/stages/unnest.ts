/**
 * `unnest field`: a row for each member of a list, the text of a JSON array. No row is lost: a value that is not a
 * list stays unchanged, and an empty list becomes a missing value. Nested objects and lists become their JSON.
 */
import type { Stage } from '../syntax/ast.ts';
import { computedValue } from '../plan/analyse.ts';
import { TRUE_SQL } from '../dialect/clickhouse.ts';
import { jsonMembers as membersClickHouse } from '../dialect/clickhouse-json.ts';
import { type ClickHouseRows, selectOf, subquery } from '../dialect/clickhouse-rows.ts';
import { quoteIdentifier } from '../dialect/duckdb.ts';
import { eachMember, jsonMembers } from '../dialect/json-sql.ts';
import { converted } from '../expressions/operator.ts';
import { partAlias } from '../expressions/previous.ts';
import { type Value, onePart, valueClickHouse } from '../expressions/value.ts';
import type { Resolve } from '../names/fields.ts';
import type { Surroundings } from '../filters/surroundings.ts';
import { syntaxError } from '../syntax/query-error.ts';
import type { Relation } from '../statements/relation.ts';
import type { StageOperator } from './operator.ts';

type UnnestStage = Extract<Stage, { stage: 'unnest' }>;

function listOf({ field }: UnnestStage, resolve: Resolve, around: Surroundings): Value {
  const value = computedValue({ value: 'field', ...field }, resolve, around);
  const text = value.type === 'text' ? converted(value, 'text') : undefined;
  if (text !== undefined) return text;
  throw syntaxError(`${field.name} is not text that could be a list`, field.start);
}

/** SQL names of the list, of a member, and of its position. */
function names({ start }: UnnestStage): [string, string, string] {
  const alias = (part: number): string => partAlias(`u${start}`, part);
  return [alias(0), alias(1), alias(2)];
}

function unnested(stage: UnnestStage, relation: Relation, around: Surroundings): Relation {
  const { scope, resolve, order } = relation;
  const members = jsonMembers(onePart(listOf(stage, resolve, around), scope));
  const [list, member, place] = names(stage).map((name) => quoteIdentifier(name));
  return {
    ...relation,
    order: [...order, { sql: place!, descending: false }],
    sql: () =>
      `SELECT *, ${eachMember(list!, member!, place!)} FROM (SELECT *, ${members} AS ${list} FROM (${relation.sql()}) AS r) AS q`,
  };
}

function unnestedClickHouse(stage: UnnestStage, rows: ClickHouseRows): ClickHouseRows {
  const { resolve, around, scope, order } = rows;
  const members = membersClickHouse(valueClickHouse(listOf(stage, resolve, around), scope));
  const [list, member, place] = names(stage);
  const inner = selectOf(`*, ${members} AS ${list}`, rows);
  const pairs = `*, arrayJoin(arrayZip(${list}, arrayEnumerate(${list}))) AS ${list}_each`;
  const each = { from: subquery(inner), where: TRUE_SQL };
  const paired = { from: subquery(selectOf(pairs, each)), where: TRUE_SQL };
  const sql = selectOf(`*, ${list}_each.1 AS ${member}, ${list}_each.2 AS ${place}`, paired);
  return {
    ...{ ...rows, from: subquery(sql), where: TRUE_SQL },
    order: [...order, { sql: place, descending: false }],
  };
}

export const unnestOperator: StageOperator<UnnestStage> = {
  computes: (stage, resolve, around) => {
    listOf(stage, resolve, around);
    const { name } = stage.field;
    const [, computed] = names(stage);
    return {
      fields: [{ name, field: { type: 'text', name, ref: { computed, sqlType: 'VARCHAR' } } }],
      hidden: [],
    };
  },
  derives: () => true,
  relation: unnested,
  clickhouse: unnestedClickHouse,
  needsAllEvents: () => 'unnest',
};
