/** Which lines of a list the events of a plan match, as statements. */
import { blockOfIp4, eachOf, listTable, Params, quoteIdentifier } from '../dialect/duckdb.ts';
import { LINE_COLUMN, eachText, keyColumn, writtenNumbers } from '../filters/list.ts';
import { type Plan, eventContext, limited, relationOf } from '../plan.ts';
import type { Relation } from '../relation.ts';
import type { Statement } from '../statements.ts';
import type { ListGroup, ListText } from './match-list.ts';

/** One column: the lines of a group of the plan's list that some event matches, each once. */
export function compileMatchedLines(plan: Plan, group: ListGroup): Statement {
  const params = new Params();
  const relation = relationOf(
    limited(plan).events,
    eventContext(plan, plan.segmentsUsed, params),
    new Set(),
  );
  const [only] = group.keys;
  if (only?.key.key === 'written4') return writtenLines(relation, group, only.key.prefix, params);
  const { condition, lists } = eachText(group, relation.scope);
  const line = quoteIdentifier(LINE_COLUMN);
  const met = 'sql' in condition ? condition.sql : condition.value ? 'TRUE' : 'FALSE';
  const rows = lists.reduce(
    (from, { alias, sql }) => `SELECT *, ${eachOf(sql)} AS ${alias} FROM (${from}) AS r`,
    relation.sql(),
  );
  const sql = `SELECT DISTINCT l.${line} FROM ${listTable(group.table)} AS l WHERE EXISTS (SELECT 1 FROM (${rows}) AS r WHERE ${met})`;
  return { ...params.finish(sql), columns: [] };
}

/** The lines whose address is written in the text of some event: each address of the text is looked up once. */
function writtenLines(
  { scope, sql }: Relation,
  { table }: ListGroup,
  prefix: number,
  params: Params,
): Statement {
  const line = quoteIdentifier(LINE_COLUMN);
  const texts = scope.texts();
  const numbers = texts.length === 0 ? 'CAST([] AS UINTEGER[])' : writtenNumbers(texts);
  const written = `SELECT DISTINCT ${blockOfIp4('a', prefix)} AS a FROM (SELECT ${eachOf(numbers)} AS a FROM (${sql()}) AS r)`;
  const found = `SELECT DISTINCT l.${line} FROM ${listTable(table)} AS l JOIN (${written}) AS w ON l.${quoteIdentifier(keyColumn(0))} = w.a`;
  return { ...params.finish(found), columns: [] };
}

/** A row if some event of the plan has the text. */
export function compileMatchedText(plan: Plan, { filter }: ListText): Statement {
  const params = new Params();
  const relation = relationOf(
    { node: 'where', of: limited(plan).events, filter },
    eventContext(plan, plan.segmentsUsed, params),
    new Set(),
  );
  return { ...params.finish(`SELECT 1 FROM (${relation.sql()}) AS r LIMIT 1`), columns: [] };
}

/** Whether something beside filters chooses among the events of a plan. */
export function choosesAmong({ events, limit }: Plan): boolean {
  return events.node !== 'base' || limit !== undefined;
}
