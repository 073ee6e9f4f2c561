/**
 * Compiles plans to one ClickHouse statement over the tables that docs/team.md makes of a hand-over. The plan was
 * made on the case: names, tags, sources and `last:` have the same meaning as there.
 *
 * Invariant: the statement returns the same answer as the case, or there is none: an operator without a
 * `clickhouse` face is refused by its name.
 */
import { COLUMNS } from '../../contract/event.ts';
import type { Ast, Name, Stage } from '../syntax/ast.ts';
import {
  ordered,
  selectOf,
  subquery,
  type ClickHouseRows,
  type ClickHouseTable,
  chosen,
  firstRows,
  firstValue,
} from '../dialect/clickhouse-rows.ts';
import {
  both,
  either,
  EXACT_NUMBERS,
  identifier,
  lowerCased,
  mapped,
  needsExactNumbers,
  text,
  TRUE_SQL,
  untranslated,
} from '../dialect/clickhouse.ts';
import {
  type ClickHouseScope,
  type HandedOver,
  ListTables,
  eventsScope,
  tableName,
  tableScope,
} from '../dialect/clickhouse-scope.ts';
import {
  type ClickHouseValue,
  simpleShape,
  tagList,
  valuesOf,
} from '../dialect/clickhouse-values.ts';
import { withExpressions } from '../plan/analyse.ts';
import { defaultColumns } from '../names/default-columns.ts';
import { chosenName, expandedNames } from '../names/fields.ts';
import { filterClickHouse } from '../filters/filter.ts';
import type { Surroundings } from '../filters/surroundings.ts';
import type { EventsNode } from '../plan/events-node.ts';
import type { Plan } from '../plan/plan.ts';
import type { OutputColumn } from '../statements/outputs.ts';
import { type OrderKey, type TableColumn, tableFields } from '../statements/relation.ts';
import { columnSets } from '../plan/scope.ts';
import type { ValueShape } from '../values/values.ts';
import { queriesIn, stageOperatorOf } from '../stages/stages.ts';
import { zoneOffset } from '../time/zone.ts';

export interface ClickHouseStatement {
  /** Tables of long lists are made by these, before it. */
  readonly before: readonly string[];
  /** Without a semicolon. */
  readonly sql: string;
  /** Undefined: all that the table of events has. */
  readonly columns: readonly ClickHouseColumn[] | undefined;
}

export interface ClickHouseColumn {
  readonly name: string;
  /**
   * `instant`: nanoseconds and digits of times are columns after all others; `overflow`: a map of texts; `tags`:
   * comma-separated numbers for Daybook to show, otherwise names.
   */
  readonly type: OutputColumn['type'];
}

export interface ClickHouseOptions {
  /** Database of the tables; undefined: the default of the connection. */
  readonly database?: string | undefined;
  /** For Daybook to show: columns of events one by one, and totals of answers in addition to their rows. */
  readonly isShown?: boolean;
  /** Rows at most. */
  readonly limit?: number | undefined;
  /** Columns of attributes that the table of events has (`a:NAME`). */
  readonly materialised?: ReadonlySet<string>;
}

/** The map of all attributes, a column of the table of events. */
const ATTRIBUTES = 'attributes';

/** The default of `max_query_size`, minus what is appended. */
const MOST_BYTES = 262_000;

const EVENT_ORDER: readonly OrderKey[] = [
  { sql: 'ts', descending: false },
  { sql: 'ifNull(ts_ns, 0)', descending: false },
  { sql: 'source_id', descending: false },
  { sql: 'seq', descending: false },
];

/** Throws DaybookError `usage` for what has no exact translation. */
export function clickhouseStatement(
  plan: Plan,
  options: ClickHouseOptions = {},
): ClickHouseStatement {
  const { events, given } = eventsClickHouse(plan, options);
  let rows = events;
  for (const stage of plan.stages) rows = after(stage, rows);
  const cut = options.limit === undefined ? '' : `LIMIT ${options.limit}`;
  return statementOf(finished(rows, plan, given), given, cut);
}

export interface ClickHouseEvents {
  readonly events: ClickHouseRows;
  readonly given: HandedOver;
}

/** The events of a plan, before any stage that counts. Throws DaybookError `usage`, as `clickhouseStatement`. */
export function eventsClickHouse(
  plan: Plan,
  { database, isShown = false, materialised = new Set() }: ClickHouseOptions,
): ClickHouseEvents {
  const { context, ast } = plan;
  checkStages(ast);
  const given: HandedOver = {
    database,
    ...{ tags: context.tags, materialised },
    columnSets: columnSets(context.segments),
    times: timesOf(context),
    lists: new ListTables(),
  };
  const around: Surroundings = {
    ...context,
    zoneOffset: context.zoneOffset ?? zoneOffset,
    readings: plan.readings,
    unlisted: new Set(),
  };
  const base: ClickHouseRows = {
    ...{ from: tableName(given, 'events'), where: TRUE_SQL, scope: eventsScope(given) },
    ...{ resolve: plan.resolve, columns: undefined, order: EVENT_ORDER, around },
    ...{ range: plan.range, isShown, totals: [] },
  };
  let events = eventsOf(plan.events, base);
  if (plan.limit !== undefined) events = chosen(events, firstRows(events.order, plan.limit));
  return { events: { ...events, resolve: plan.resolve }, given };
}

/**
 * @param rest appended to the statement
 * @throws DaybookError usage if it is longer than a server accepts
 */
export function statementOf(made: Finished, given: HandedOver, rest = ''): ClickHouseStatement {
  const size = Buffer.byteLength(made.sql);
  if (size > MOST_BYTES)
    throw untranslated(
      `a query that makes ${size} bytes of SQL`,
      `ClickHouse takes ${MOST_BYTES} unless max_query_size says otherwise: ask less at once, or use --tz UTC`,
    );
  const exact = needsExactNumbers(made.sql) ? `SETTINGS ${EXACT_NUMBERS}` : '';
  const sql = [made.sql, rest, exact].filter((part) => part !== '').join('\n');
  return { ...made, before: given.lists.statements, sql };
}

function timesOf({ segments }: Plan['context']): HandedOver['times'] {
  const times = segments.flatMap(({ minTs, maxTs }) => [minTs ?? [], maxTs ?? []].flat());
  return {
    minTs: times.reduce<number | undefined>((a, b) => Math.min(a ?? b, b), undefined),
    maxTs: times.reduce<number | undefined>((a, b) => Math.max(a ?? b, b), undefined),
  };
}

function checkStages({ stages }: Ast): void {
  for (const stage of stages) {
    const queries = queriesIn(stage);
    queries.forEach(checkStages);
    const { clickhouse } = stageOperatorOf(stage);
    if (clickhouse === undefined && queries.length === 0 && !isComputed(stage))
      throw untranslated(`the stage ${stage.stage} (column ${stage.start + 1})`);
  }
}

/** Whether a stage only adds fields to rows. */
function isComputed(stage: Stage): boolean {
  const { computes, derives } = stageOperatorOf(stage);
  return computes !== undefined && derives?.(stage) !== true;
}

function eventsOf(node: EventsNode, base: ClickHouseRows): ClickHouseRows {
  switch (node.node) {
    case 'base':
      return { ...base, where: filterClickHouse(node.filter, base.scope) };
    case 'where': {
      const rows = eventsOf(node.of, base);
      return { ...rows, where: both([rows.where, filterClickHouse(node.filter, rows.scope)]) };
    }
    case 'stage':
      return after(node.stage, { ...eventsOf(node.of, base), resolve: node.resolve });
    case 'union':
      return unionOf(eventsOf(node.left, base), eventsOf(node.right, base), base);
  }
}

/** The events of both, each once. What stages compute is of every event. */
function unionOf(
  left: ClickHouseRows,
  right: ClickHouseRows,
  base: ClickHouseRows,
): ClickHouseRows {
  const sides = [left, right].map((side) => {
    if (side.columns !== undefined) throw untranslated('union of tables');
    return side.from === base.from
      ? side.where
      : `(source_id, seq) IN ${subquery(selectOf('source_id, seq', side))}`;
  });
  return { ...base, where: either(sides) };
}

export function after(stage: Stage, rows: ClickHouseRows): ClickHouseRows {
  const { clickhouse, computes } = stageOperatorOf(stage);
  const made = clickhouse === undefined && isComputed(stage) ? rows : clickhouse?.(stage, rows);
  if (made === undefined) throw untranslated(`the stage ${stage.stage}`);
  // A name after AS would also hide the column of that name in the input table.
  if ('sql' in made && rows.columns !== undefined && clickhouse !== undefined) {
    const next = clickhouse(stage, renamed(rows, rows.columns));
    if ('sql' in next) return tableOf(next, rows);
  }
  if (!('sql' in made))
    return made.columns === undefined || computes === undefined
      ? made
      : extended(stage, made, made.columns);
  return tableOf(made, rows);
}

function tableOf(
  { columns, order, sql, totals = [] }: ClickHouseTable,
  rows: ClickHouseRows,
): ClickHouseRows {
  return {
    ...rows,
    ...{ from: subquery(sql), where: TRUE_SQL, columns, order, totals },
    scope: tableScope(textsOf(columns), rows.scope),
    resolve: withExpressions(tableFields(columns), rows.around),
  };
}

/** A table whose columns have other names in SQL than those of the table computed from it. */
function renamed(rows: ClickHouseRows, before: readonly TableColumn[]): ClickHouseRows {
  const other = (alias: string): string => `${alias}_in`;
  const aliases = [...new Set(before.flatMap((column) => column.aliases))];
  const columns = before.map((column) => ({ ...column, aliases: column.aliases.map(other) }));
  const list = aliases.map((alias) => `${alias} AS ${other(alias)}`).join(', ');
  const aliasPattern = aliasIn(before);
  const from = subquery(selectOf(`* EXCEPT (${aliases.join(', ')}), ${list}`, rows));
  return {
    ...rows,
    ...{ from, where: TRUE_SQL, columns },
    order: rows.order.map((key) => ({ ...key, sql: key.sql.replace(aliasPattern, other) })),
    scope: tableScope(textsOf(columns), rows.scope),
    resolve: withExpressions(tableFields(columns), rows.around),
  };
}

/** The SQL name of a table's column. */
function aliasIn(columns: readonly TableColumn[]): RegExp {
  const aliases = columns.flatMap((column) => column.aliases);
  return new RegExp(`(?<![\\w.'])(?:${aliases.join('|')})(?![\\w('])`, 'g');
}

/** A table with the columns that a stage computes of each row. */
function extended(
  stage: Stage,
  rows: ClickHouseRows,
  before: readonly TableColumn[],
): ClickHouseRows {
  const made = stageOperatorOf(stage).computes?.(stage, rows.resolve, rows.around);
  if (made === undefined || made.any !== undefined) throw untranslated(`the stage ${stage.stage}`);
  const values = made.fields.map(({ name, field }, i) => {
    const { shape, sql } = valuesOf(field, stage.start, rows.scope);
    const alias = `x${stage.start}_${i}`;
    return { column: { name, shape: { ...shape, name }, aliases: [alias] }, sql: sql[0]!, alias };
  });
  const others = new Map(values.map(({ column }) => [column.name, column]));
  const columns = before
    .filter(({ name }) => !made.hidden.includes(name))
    .map((column) => {
      const other = others.get(column.name);
      others.delete(column.name);
      return other ?? column;
    });
  columns.push(...others.values());
  const list = ['*', ...values.map(({ sql, alias }) => `${sql} AS ${alias}`)].join(', ');
  return {
    ...rows,
    ...{ from: subquery(selectOf(list, rows)), where: TRUE_SQL, columns },
    scope: tableScope(textsOf(columns), rows.scope),
    resolve: withExpressions(tableFields(columns), rows.around),
  };
}

function textsOf(columns: readonly TableColumn[]): string[] {
  return columns.flatMap(({ shape, aliases }) => (shape.type === 'text' ? aliases : []));
}

// -- what is shown ---------------------------------------------------------------------------------

export type Finished = Omit<ClickHouseStatement, 'before'>;

function finished(rows: ClickHouseRows, plan: Plan, given: HandedOver): Finished {
  if (rows.columns !== undefined) return shownTable(rows, rows.columns, given);
  const computed = plan.computed.flatMap((name) => shownFields(name, rows));
  const byDefault = rows.isShown ? wholeEvents(plan) : undefined;
  const chosenFields = plan.rowColumns ?? plan.projection ?? byDefault;
  const areChosen = chosenFields !== byDefault;
  const shown =
    chosenFields
      ?.flatMap((name) => shownFields(name, rows, areChosen))
      .map((one) =>
        one.type === 'overflow' ? { ...one, sql: attributesShown(plan, rows.scope) } : one,
      ) ?? computed;
  const whole = chosenFields === undefined ? wholeEvent(plan, computed, rows.scope) : undefined;
  if (whole !== undefined && shown.length === 0)
    return { sql: selectOf(columnsOf('', whole), rows, ordered(rows.order)), columns: undefined };
  return shownEvents(rows, shown, given, whole);
}

/**
 * Events with the values to show, in order.
 * @param whole other columns of the table of events to show before these
 */
export function shownEvents(
  rows: ClickHouseRows,
  shown: readonly Shown[],
  given: HandedOver,
  whole?: WholeEvent,
): Finished {
  const values = [...new Map(shown.map((one) => [one.name, one])).values()];
  const names = values.map(columnOf);
  if (rows.isShown && names.some(({ type }) => type === 'instant'))
    for (const sql of ['ts_ns', 'ts_digits'])
      values.push({
        ...{ name: values.some(({ name }) => name === sql) ? `${sql}_of_ts` : sql, sql },
        shape: simpleShape(sql, 'integer'),
      });
  const isPlain = values.every(
    ({ name, shape, sql }) => sql === identifier(name) && shape.type !== 'source',
  );
  if (whole === undefined && isPlain)
    return {
      sql: selectOf(values.map(({ sql }) => sql).join(', '), rows, ordered(rows.order)),
      columns: names,
    };
  // A name after AS replaces a column everywhere in a SELECT: values get unique names first.
  const keys = rows.order.map(({ sql, descending }, i) => ({ sql, descending, alias: `k${i}` }));
  const inner = [
    '*',
    ...values.map(({ sql }, i) => `${sql} AS o${i}`),
    ...keys.map(({ sql, alias }) => `${sql} AS ${alias}`),
  ].join(', ');
  const joins = new SourceNames(given);
  const list = values.map(({ name, shape }, i) => joins.shown(`t.o${i}`, shape, name));
  const hidden = [...values.map((_, i) => `o${i}`), ...keys.map(({ alias }) => alias)];
  const before =
    whole === undefined ? [] : [columnsOf('t.', { ...whole, left: [...whole.left, ...hidden] })];
  const order = keys.map(({ alias, descending }) => ({ sql: `t.${alias}`, descending }));
  const base = rows.where === TRUE_SQL ? rows : chosen(rows, '');
  return {
    sql: [
      `SELECT ${[...before, ...list].join(', ')}`,
      `FROM ${subquery(selectOf(inner, base))} AS t`,
      ...joins.sql,
      ordered(order),
    ].join('\n'),
    columns: whole === undefined ? names : undefined,
  };
}

/** Names of sources and tags by number. */
class SourceNames {
  readonly sql: string[] = [];
  private readonly given: HandedOver;

  constructor(given: HandedOver) {
    this.given = given;
  }

  /** A column in the form in which it is shown. */
  shown(column: string, { type }: ValueShape, name: string): string {
    if (type === 'tag') return `${tagName(column, this.given)} AS ${identifier(name)}`;
    if (type !== 'source') return `${column} AS ${identifier(name)}`;
    const source = `s${this.sql.length}`;
    const table = tableName(this.given, 'sources');
    this.sql.push(`LEFT JOIN ${table} AS ${source} ON ${source}.source_id = ${column}`);
    return `${source}.name AS ${identifier(name)}`;
  }
}

/** The name of a tag that is there by its number. */
function tagName(column: string, { tags }: HandedOver): string {
  if (tags.length === 0) return 'CAST(NULL AS Nullable(String))';
  return mapped(
    column,
    tags.map(({ id }) => String(id)),
    tags.map(({ name }) => text(name)),
  );
}

/** All columns of events, except those that a stage hid or replaced. */
interface WholeEvent {
  readonly left: readonly string[];
  /** SQL of the map of attributes. */
  readonly attributes: string;
}

function wholeEvent(plan: Plan, computed: readonly Shown[], scope: ClickHouseScope): WholeEvent {
  const columns = new Set(TYPED_NAMES);
  const replaced = computed.map(({ name }) => name).filter((name) => columns.has(name));
  const left = new Set(replaced);
  for (const name of plan.hidden) {
    if (name === 'source') left.add('source_id');
    else if (columns.has(name)) left.add(name);
  }
  return { left: [...left], attributes: attributesShown(plan, scope) };
}

/** SQL of the map of attributes, without those that a stage hid. */
function attributesShown({ hidden }: Plan, scope: ClickHouseScope): string {
  const names = [...hidden]
    .map((name) => name.replace(/^attrs[.]/, ''))
    .filter((name) => scope.attributesNamed(name).length > 0);
  if (names.length === 0) return ATTRIBUTES;
  return `mapFilter((k, v) -> ${lowerCased('k')} NOT IN (${names.map(text).join(', ')}), ${ATTRIBUTES})`;
}

/** As a list of columns. */
function columnsOf(prefix: string, { left, attributes }: WholeEvent): string {
  const isReplaced = attributes !== ATTRIBUTES && !left.includes(ATTRIBUTES);
  return [
    `${prefix}*`,
    ...(left.length === 0 ? [] : [`EXCEPT (${left.map(identifier).join(', ')})`]),
    ...(isReplaced ? [`REPLACE (${attributes} AS ${ATTRIBUTES})`] : []),
  ].join(' ');
}

/** The columns of events in a hand-over. */
const TYPED_NAMES: readonly string[] = [
  ...['kind', 'day', 'event_id', 'attributes'],
  ...Object.keys(COLUMNS).map((name) => name.replace(/_ip[46]$/, '_ip')),
];

export interface Shown extends ClickHouseValue {
  readonly name: string;
  readonly type?: 'instant' | 'overflow' | 'tags';
}

function columnOf({ name, shape, type }: Pick<Shown, 'name' | 'shape' | 'type'>): ClickHouseColumn {
  // The names of sources and tags are in the place of their numbers.
  return {
    name,
    type: type ?? (shape.type === 'source' || shape.type === 'tag' ? 'text' : shape.type),
  };
}

/** The columns that events show by default, one by one. */
function wholeEvents(plan: Plan): Name[] {
  const names = [...defaultColumns(plan), ...plan.computed.map(({ name }) => name), 'attributes'];
  return names.map((name) => ({ name, start: 0, end: 0 }));
}

/**
 * Fields of events as shown.
 * @param areChosen otherwise a text is that of its column alone: all attributes are shown next to it
 */
export function shownFields(name: Name, rows: ClickHouseRows, areChosen = true): Shown[] {
  const field = rows.resolve(name);
  if (!areChosen && field.type === 'text' && 'column' in field.ref)
    return [
      {
        ...{ name: chosenName(field), sql: rows.scope.column(field.ref.column) },
        shape: simpleShape(field.name, 'text'),
      },
    ];
  if (field.type === 'virtual' && field.name === 'attributes')
    return [
      {
        ...{ name: ATTRIBUTES, sql: ATTRIBUTES, type: 'overflow' },
        shape: simpleShape(ATTRIBUTES, 'text'),
      },
    ];
  if (field.type === 'virtual' && field.name === 'tag' && field.ref === undefined)
    return [
      {
        ...{ name: 'tag', sql: tagList(rows.scope, rows.isShown), type: 'tags' },
        shape: simpleShape('tag', 'text'),
      },
    ];
  const expanded = expandedNames(field);
  if (expanded !== undefined)
    return expanded.flatMap((one) => shownFields({ ...name, name: one }, rows, areChosen));
  const isInstant = field.type === 'time' && field.name === 'ts';
  return [
    {
      ...{ name: chosenName(field), ...firstValue(name, rows) },
      ...(isInstant ? { type: 'instant' } : {}),
    },
  ];
}

function shownTable(
  rows: ClickHouseRows,
  columns: readonly TableColumn[],
  given: HandedOver,
): Finished {
  const inner = rows.where === TRUE_SQL ? rows : chosen(rows, '');
  const joins = new SourceNames(given);
  const list = [
    ...columns.map(({ name, shape, aliases }) => joins.shown(`t.${aliases[0]!}`, shape, name)),
    ...rows.totals.map((alias) => `t.${alias} AS ${alias}`),
  ];
  const aliasPattern = aliasIn(columns);
  const order = rows.order.map(({ sql, descending }) => ({
    sql: /^\w+$/.test(sql) ? `t.${sql}` : sql.replace(aliasPattern, 't.$&'),
    descending,
  }));
  const names = columns.map(({ name, shape }) => columnOf({ name, shape }));
  const sql = [`SELECT ${list.join(', ')}`, `FROM ${inner.from} AS t`, ...joins.sql, ordered(order)]
    .filter((part) => part !== '')
    .join('\n');
  return { sql, columns: names };
}
