/** ClickHouse statements that find the lines of a list which a plan's events match. */
import { both, either } from '../dialect/clickhouse.ts';
import { type ClickHouseRows, selectOf, subquery } from '../dialect/clickhouse-rows.ts';
import {
  type ClickHouseEvents,
  type ClickHouseOptions,
  type ClickHouseStatement,
  eventsClickHouse,
  statementOf,
} from './statement.ts';
import { filterClickHouse } from '../filters/filter.ts';
import { writtenFilter } from '../filters/list-text.ts';
import { comparedGroup, type ComparedGroup } from '../filters/listed-clickhouse.ts';
import { isWritten, type ListGroup, type MatchList } from '../lists/match-list.ts';
import type { Plan } from '../plan/plan.ts';
import type { NamedText } from '../plan/scope.ts';

/** A line as a condition. */
interface LineCondition {
  readonly line: number;
  readonly condition: string;
}

/** Limits of one statement: each reads the events once for all of its conditions. */
const MOST = { conditions: 100, bytes: 100_000 };

/**
 * Each returns one column: numbers of lines that some event matches. Together they return all of them, some several
 * times.
 */
export function* clickhouseMatchedLines(
  plan: Plan,
  list: MatchList,
  options: ClickHouseOptions,
): Generator<ClickHouseStatement> {
  const { scope } = eventsClickHouse(plan, options).events;
  const alone: LineCondition[] = list.texts.map(({ line, filter }) => ({
    ...{ line, condition: filterClickHouse(filter, scope) },
  }));
  for (const group of list.groups.filter(isWritten))
    alone.push(...writtenLines(group, (filter) => filterClickHouse(filter, scope)));
  for (const group of list.columnGroups) {
    const compared = comparedGroup(group, scope);
    if (compared.rows.length > 0)
      yield linesAmong(compared, group.lines, eventsClickHouse(plan, options));
    else alone.push(...group.lines.map((line) => ({ line, condition: both(compared.conditions) })));
  }
  for (const portion of inParts(alone)) yield linesMet(portion, eventsClickHouse(plan, options));
}

function writtenLines(
  { keys: [only], lines }: ListGroup,
  conditionOf: (filter: ReturnType<typeof writtenFilter>) => string,
): LineCondition[] {
  if (only?.key.key !== 'written4') return [];
  const { prefix } = only.key;
  return lines.map((line, row) => ({
    ...{ line, condition: conditionOf(writtenFilter(Number(only.values[row]), prefix)) },
  }));
}

/** Lines of a table of the list whose values some event has. */
function linesAmong(
  { conditions, types, rows, choices }: ComparedGroup,
  lines: readonly number[],
  { events, given }: ClickHouseEvents,
): ClickHouseStatement {
  const numbered = rows.map((values, row) => [...values, String(lines[row])]);
  const table = given.lists.add([...types, 'UInt32'], numbered, Infinity);
  const names = types.map((_, at) => `k${at}`).join(', ');
  const where = both([events.where, ...conditions]);
  const met = choices.map(
    (choice) => `(${names}) IN ${subquery(valuesOf(choice, { ...events, where }))}`,
  );
  const sql = `SELECT DISTINCT k${types.length} AS line\nFROM ${table}\nWHERE ${either(met)}`;
  return statementOf({ sql, columns: undefined }, given);
}

/** The values that events have of keys, each choice of several a row. */
function valuesOf(choice: readonly NamedText[], events: ClickHouseRows): string {
  const each = choice.map(
    ({ sql, isList }, at) => `${isList ? `arrayJoin(${sql})` : sql} AS v${at}`,
  );
  const names = choice.map((_, at) => `v${at}`);
  const there = names.map((name) => `${name} IS NOT NULL`).join(' AND ');
  return `SELECT DISTINCT ${names.map((name) => `assumeNotNull(${name})`).join(', ')}\nFROM ${subquery(selectOf(each.join(', '), events))}\nWHERE ${there}`;
}

function linesMet(
  conditions: readonly LineCondition[],
  { events, given }: ClickHouseEvents,
): ClickHouseStatement {
  const lines = conditions.map(({ line }) => line).join(', ');
  const counts = conditions.map(({ condition }) => `countIf(${condition})`).join(', ');
  const sql = selectOf(
    `arrayJoin(arrayFilter((line, n) -> n > 0, [${lines}], [${counts}])) AS line`,
    events,
  );
  return statementOf({ sql, columns: undefined }, given);
}

function* inParts(all: readonly LineCondition[]): Generator<LineCondition[]> {
  let part: LineCondition[] = [];
  let bytes = 0;
  for (const one of all) {
    if (part.length === MOST.conditions || (part.length > 0 && bytes > MOST.bytes)) {
      yield part;
      [part, bytes] = [[], 0];
    }
    part.push(one);
    bytes += one.condition.length;
  }
  if (part.length > 0) yield part;
}
