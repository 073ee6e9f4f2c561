/** Statements that find the lines of a list which a plan's events match. */
import { blockOfIp4, eachOf, listTable, Params, quoteIdentifier } from '../dialect/duckdb.ts';
import { LINE_COLUMN, eachText, keyColumn, writtenNumbers } from '../filters/list.ts';
import type { EventsNode } from '../plan/events-node.ts';
import { type Plan, limited } from '../plan/plan.ts';
import { eventContext, relationOf } from '../plan/plan-tables.ts';
import type { Relation } from '../statements/relation.ts';
import type { SegmentInfo } from '../plan/scope.ts';
import type { Statement } from '../statements/statements.ts';
import type { ListGroup, ListText } from './match-list.ts';

/** One column: the lines of a group of the plan's list that some event matches, each once. */
export function compileMatchedLines(plan: Plan, group: ListGroup): Statement {
  const params = new Params();
  const [only] = group.keys;
  if (only?.key.key === 'written4') return writtenLines(plan, group, only.key.prefix, params);
  const relation = eventsOf(plan, plan.segmentsUsed, params);
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

function eventsOf(plan: Plan, segments: readonly SegmentInfo[], params: Params): Relation {
  return relationOf(limited(plan).events, eventContext(plan, segments, params), new Set());
}

/**
 * The lines whose address some event's text contains: each address in the text is looked up once. For unfiltered
 * events each segment is read with its own columns: together they may have thousands, whose texts take minutes to
 * plan.
 */
function writtenLines(plan: Plan, { table }: ListGroup, prefix: number, params: Params): Statement {
  const apart = choosesAmong(plan) ? [plan.segmentsUsed] : plan.segmentsUsed.map((one) => [one]);
  const line = quoteIdentifier(LINE_COLUMN);
  const each = apart.map((segments) => {
    const { scope, sql } = eventsOf(plan, segments, params);
    const texts = scope.texts();
    const numbers = texts.length === 0 ? 'CAST([] AS UINTEGER[])' : writtenNumbers(texts);
    return `SELECT ${eachOf(numbers)} AS a FROM (${sql()}) AS r`;
  });
  const written = `SELECT DISTINCT ${blockOfIp4('a', prefix)} AS a FROM (${each.join(' UNION ALL ')}) AS t`;
  const found = `SELECT DISTINCT l.${line} FROM ${listTable(table)} AS l JOIN (${written}) AS w ON l.${quoteIdentifier(keyColumn(0))} = w.a`;
  return { ...params.finish(found), columns: [] };
}

/** A row if some event of the plan has the text. */
export function compileMatchedText(plan: Plan, { filter }: ListText): Statement {
  return someEvent(plan, { node: 'where', of: limited(plan).events, filter });
}

/** A row if the plan has an event. */
export function compileSomeEvent(plan: Plan): Statement {
  return someEvent(plan, plan.events);
}

function someEvent(plan: Plan, events: EventsNode): Statement {
  const params = new Params();
  const context = eventContext(plan, plan.segmentsUsed, params);
  const relation = relationOf(events, context, new Set());
  return { ...params.finish(`SELECT 1 FROM (${relation.sql()}) AS r LIMIT 1`), columns: [] };
}

/** Whether anything but filters selects the events of a plan. */
export function choosesAmong({ events, limit }: Plan): boolean {
  return events.node !== 'base' || limit !== undefined;
}
