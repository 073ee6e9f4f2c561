/**
 * Plans to one statement of ClickHouse, over the tables that docs/team.md makes of a hand-over. The plan was made of the
 * case: names, tags, sources and `last:` mean what they mean there.
 *
 * Invariant: the statement answers what the case would answer, or there is none: every operator that has no `clickhouse`
 * face is refused by its name.
 */
import type { Ast, Name, Stage } from './ast.ts';
import {
  ordered,
  selectOf,
  subquery,
  type ClickHouseRows,
  chosen,
  firstValue,
} from './dialect/clickhouse-rows.ts';
import {
  both,
  EXACT_NUMBERS,
  identifier,
  needsExactNumbers,
  TRUE_SQL,
  untranslated,
} from './dialect/clickhouse.ts';
import { type HandedOver, eventsScope, tableName, tableScope } from './dialect/clickhouse-scope.ts';
import { withExpressions } from './analyse.ts';
import { EXPANDED, chosenName } from './fields.ts';
import { clickhouseFilter } from './filters/filter.ts';
import type { Surroundings } from './filters/surroundings.ts';
import { type EventsNode, type Plan } from './plan.ts';
import { type OrderKey, type TableColumn, tableFields } from './relation.ts';
import { columnSets } from './scope.ts';
import { stageOperatorOf } from './stages/stages.ts';
import { zoneOffset } from './zone.ts';

export interface ClickHouseStatement {
  /** Without a semicolon. */
  readonly sql: string;
  /** The names of its columns; undefined: all that the table of events has. */
  readonly columns: readonly string[] | undefined;
}

const EVENT_ORDER: readonly OrderKey[] = [
  { sql: 'ts', descending: false },
  { sql: 'ifNull(ts_ns, 0)', descending: false },
  { sql: 'source_id', descending: false },
  { sql: 'seq', descending: false },
];

/** Throws DaybookError `usage` for what has no exact translation. */
export function clickhouseStatement(plan: Plan, database?: string): ClickHouseStatement {
  const { context, ast } = plan;
  checkStages(ast);
  if (context.list !== undefined || context.exclude !== undefined) throw untranslated('a list');
  const given: HandedOver = {
    database,
    tags: context.tags,
    columnSets: columnSets(context.segments),
  };
  const around: Surroundings = {
    ...context,
    zoneOffset: context.zoneOffset ?? zoneOffset,
    readings: plan.readings,
    unlisted: new Set(),
  };
  const times = context.segments.flatMap(({ minTs, maxTs }) => [minTs ?? [], maxTs ?? []].flat());
  const base: ClickHouseRows = {
    ...{ from: tableName(given, 'events'), where: TRUE_SQL, scope: eventsScope(given) },
    ...{ resolve: plan.resolve, columns: undefined, order: EVENT_ORDER, around },
    range: plan.range,
    extent: {
      from: times.reduce<number | undefined>((a, b) => Math.min(a ?? b, b), undefined),
      to: times.reduce<number | undefined>((a, b) => Math.max(a ?? b, b), undefined),
    },
  };
  let rows = eventsOf(plan.events, base);
  if (plan.limit !== undefined) rows = chosen(rows, `${ordered(rows.order)}\nLIMIT ${plan.limit}`);
  rows = { ...rows, resolve: plan.resolve };
  for (const stage of plan.stages) rows = after(stage, rows);
  const made = finished(rows, plan, given);
  return needsExactNumbers(made.sql)
    ? { ...made, sql: `${made.sql}\nSETTINGS ${EXACT_NUMBERS}` }
    : made;
}

function checkStages({ stages }: Ast): void {
  for (const stage of stages) {
    if (stage.stage === 'union') checkStages(stage.query);
    else if (stageOperatorOf(stage).clickhouse === undefined)
      throw untranslated(`the stage ${stage.stage} (column ${stage.start + 1})`);
  }
}

function eventsOf(node: EventsNode, base: ClickHouseRows): ClickHouseRows {
  switch (node.node) {
    case 'base':
      return { ...base, where: clickhouseFilter(node.filter, base.scope) };
    case 'where': {
      const rows = eventsOf(node.of, base);
      return { ...rows, where: both([rows.where, clickhouseFilter(node.filter, rows.scope)]) };
    }
    case 'stage':
      return after(node.stage, { ...eventsOf(node.of, base), resolve: node.resolve });
    case 'union':
      throw untranslated('union of events that were chosen', 'put the choice after the union');
  }
}

function after(stage: Stage, rows: ClickHouseRows): ClickHouseRows {
  const made = stageOperatorOf(stage).clickhouse?.(stage, rows);
  if (made === undefined) throw untranslated(`the stage ${stage.stage}`);
  if (!('sql' in made)) return made;
  const { columns, order, sql } = made;
  return {
    ...rows,
    ...{ from: subquery(sql), where: TRUE_SQL, columns, order },
    scope: tableScope(textsOf(columns), rows.scope),
    resolve: withExpressions(tableFields(columns), rows.around),
  };
}

function textsOf(columns: readonly TableColumn[]): string[] {
  return columns.flatMap(({ shape, aliases }) => (shape.type === 'text' ? aliases : []));
}

// -- what is shown ---------------------------------------------------------------------------------

function finished(rows: ClickHouseRows, plan: Plan, given: HandedOver): ClickHouseStatement {
  if (rows.columns !== undefined) return shownTable(rows, rows.columns, given);
  if (plan.hidden.size > 0) throw untranslated('fields without some', 'name those to be shown');
  if (plan.projection === undefined)
    return { sql: selectOf('*', rows, ordered(rows.order)), columns: undefined };
  const shown = plan.projection.flatMap((name) => shownFields(name, rows));
  const names = [...new Set(shown.map(([name]) => name))];
  const list = names.map((name) => {
    const [, sql] = shown.find(([one]) => one === name)!;
    return sql === identifier(name) ? sql : `${sql} AS ${identifier(name)}`;
  });
  // A name after AS means nothing in the conditions: those are of a query within.
  const inner = rows.where === TRUE_SQL ? rows : chosen(rows, '');
  const keys = rows.order.map(({ sql, descending }, i) => ({
    key: { sql: `k${i}`, descending },
    sql: `${sql} AS k${i}`,
  }));
  const order = ordered(keys.map(({ key }) => key));
  const within = selectOf(['*', ...keys.map(({ sql }) => sql)].join(', '), inner);
  return {
    sql: `SELECT ${list.join(', ')}\nFROM ${subquery(within)}\n${order}`,
    columns: names,
  };
}

/** Fields of events as they are shown, and their SQL. */
function shownFields(name: Name, rows: ClickHouseRows): (readonly [string, string])[] {
  const field = rows.resolve(name);
  if (field.type === 'virtual' && field.name === 'attributes')
    return [['attributes', 'attributes']];
  const expanded = field.type === 'attribute' ? undefined : EXPANDED[field.name];
  if (expanded !== undefined)
    return expanded.flatMap((one) => shownFields({ ...name, name: one }, rows));
  return [[chosenName(field), firstValue(name, rows).sql]];
}

function shownTable(
  rows: ClickHouseRows,
  columns: readonly TableColumn[],
  given: HandedOver,
): ClickHouseStatement {
  const inner = rows.where === TRUE_SQL ? rows : chosen(rows, '');
  const joins: string[] = [];
  const list = columns.map(({ name, shape, aliases }, i) => {
    const column = `t.${aliases[0]!}`;
    if (shape.type !== 'source') return `${column} AS ${identifier(name)}`;
    const source = `s${i}`;
    joins.push(
      `LEFT JOIN ${tableName(given, 'sources')} AS ${source} ON ${source}.source_id = ${column}`,
    );
    return `${source}.name AS ${identifier(name)}`;
  });
  const order = rows.order.map(({ sql, descending }) => ({
    sql: sql.replace(/^(toIPv[46]OrNull\()?(\w+)/, '$1t.$2'),
    descending,
  }));
  const names = columns.map(({ name }) => name);
  const sql = [
    `SELECT ${list.join(', ')}`,
    `FROM ${inner.from} AS t`,
    ...joins,
    ordered(order),
  ].join('\n');
  return { sql, columns: names };
}
