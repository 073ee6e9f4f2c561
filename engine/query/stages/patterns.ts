/**
 * `patterns [N] [desc]`: events by the template of their message, the rarest first.
 *
 * Order: by number of events, then the one seen last first, then by template. Events without a message have no
 * template: they form a separate last group that does not count among the N. `event_id` is the first event of its
 * group.
 */
import type { Stage } from '../syntax/ast.ts';
import {
  boundList,
  boundNumbers,
  eachOf,
  firstRanked,
  micros,
  nullOf,
  numbersBelow,
  type Params,
  record,
  recordPart,
  replaceAll,
  rowNumberOf,
  segmentTable,
} from '../dialect/duckdb.ts';
import { replacedAll } from '../dialect/clickhouse.ts';
import {
  type ClickHouseRows,
  type ClickHouseTable,
  ordered,
  selectOf,
  subquery,
} from '../dialect/clickhouse-rows.ts';
import { groupedRows, keptGroups } from '../statements/group-parts.ts';
import { QueryError } from '../syntax/query-error.ts';
import {
  type Input,
  type InputColumn,
  type OrderKey,
  type Table,
  type TableColumn,
  orderBy,
  valueShape,
} from '../statements/relation.ts';
import { type Scope, TRUE, segmentScope } from '../plan/scope.ts';
import { TOP_TOTALS } from './top.ts';
import type { EventBatch } from '../../columns/event-batch.ts';
import type { TextColumn } from '../../columns/columns.ts';
import type { RawValue } from '../values/raw-value.ts';
import { TEMPLATE_RE2, TemplateCutter, VARIABLE } from '../../util/templates.ts';
import { type Budget, growingWithin } from '../batch/budget.ts';
import { ByteDictionary } from '../../util/hash-table/byte-dictionary.ts';
import { firstOf } from '../batch/first-of.ts';
import { Doubles } from '../batch/measures.ts';
import { type Wanted, batchScope } from '../batch/batch-scope.ts';
import { numberAt, textEnd, textStart } from '../batch/row-scope.ts';
import { compareValues } from '../batch/table.ts';
import type { BatchStage } from '../batch/stage.ts';
import type { BatchContext, StageOperator } from './operator.ts';

type PatternsStage = Extract<Stage, { stage: 'patterns' }>;

/** SQL of the template of a text; NULL of NULL. */
export function templateSql(text: string, params: Params): string {
  return replaceAll(text, params.text(TEMPLATE_RE2), params.text(VARIABLE));
}

const COLUMNS: readonly InputColumn[] = [
  { alias: 'template', sqlType: 'VARCHAR' },
  { alias: 't', sqlType: 'TIMESTAMP' },
  { alias: 'ns', sqlType: 'USMALLINT' },
  { alias: 'source', sqlType: 'UINTEGER' },
  { alias: 'seq', sqlType: 'BIGINT' },
];

function checkEvents(stage: PatternsStage, { events }: { readonly events: boolean }): void {
  if (events) return;
  throw new QueryError(
    'query-syntax',
    `patterns needs events, not a table (column ${stage.start + 1})`,
    stage.start,
    'put it before the stage that counts',
  );
}

function patternsTable(stage: PatternsStage, input: Input): Table {
  checkEvents(stage, input);
  const { params } = input;
  const rows = input.rows(COLUMNS, (scope) => {
    const message = scope.column('message');
    const template = message === undefined ? nullOf('VARCHAR') : templateSql(message, params);
    const select = [template, ...placeColumns(scope)];
    return [{ select, also: TRUE }];
  });
  const all = [`SELECT *, 1 AS w FROM (${rows}) AS r`, ...knownRows(input)].join('\nUNION ALL\n');
  const order: OrderKey[] = [
    { sql: '("template" IS NULL)', descending: false },
    { sql: '"n"', descending: stage.descending },
    { sql: '"last"', descending: true },
    { sql: '"template"', descending: false },
  ];
  // In the order of events; undated ones last.
  const place = record([
    ['t', `coalesce(${micros('t')}, 9223372036854775807)`],
    ['ns', 'coalesce(ns, 0)'],
    ['source', 'source'],
    ['seq', 'seq'],
  ]);
  const grouped = groupedRows(
    input,
    `template, CAST(sum(w) AS BIGINT) AS n, min(t) AS first, max(t) AS last, min(${place}) AS place`,
    all,
    'template',
  );
  const { count, measure, groups } = TOP_TOTALS;
  const sql = [
    `WITH g AS ${keptGroups(input)} (${grouped})`,
    `SELECT template, n, CAST(n AS DOUBLE) / nullif(CAST(${count} AS DOUBLE), 0) AS share, first, last,`,
    `${recordPart('place', 'source')} AS source, ${recordPart('place', 'seq')} AS seq, ${count}, ${nullOf('HUGEINT')} AS ${measure}, ${groups} FROM g,`,
    `(SELECT sum(n) AS ${count}, count(*) AS ${groups} FROM g) AS t`,
    firstRanked(orderBy(order), params.bind(stage.limit, 'BIGINT'), { also: 'template IS NULL' }),
  ].join('\n');
  return { columns: columnsOf(['source', 'seq']), order, sql };
}

/** @param id the names of an event's id, which is in two parts or one */
function columnsOf(id: readonly string[]): TableColumn[] {
  const plain = (name: string, alias: string, type: 'real' | 'text' | 'time', sqlType: string) => ({
    name,
    shape: valueShape(name, type, sqlType),
    aliases: [alias],
  });
  return [
    { name: 'count', shape: valueShape('count', 'integer', 'BIGINT'), aliases: ['n'] },
    plain('share', 'share', 'real', 'DOUBLE'),
    plain('first', 'first', 'time', 'TIMESTAMP'),
    plain('last', 'last', 'time', 'TIMESTAMP'),
    {
      name: 'event_id',
      shape: {
        name: 'event_id',
        type: 'event-id',
        parts: [
          { role: 'source', sqlType: 'UINTEGER' },
          { role: 'seq', sqlType: 'BIGINT' },
        ],
      },
      aliases: id,
    },
    plain('template', 'template', 'text', 'VARCHAR'),
  ];
}

/**
 * What is known by template, as rows of `COLUMNS` with a weight: the first event of each represents all, and the
 * last provides the latest time.
 */
function knownRows({ templates: known = [], params }: Input): string[] {
  const numbers = new Map<string | undefined, number>();
  const numberOf = (template: string | undefined): number => {
    const number = numbers.get(template) ?? numbers.size;
    numbers.set(template, number);
    return number;
  };
  const list = (values: readonly number[]) => eachOf(boundNumbers(values, params));
  const parts = known.flatMap(({ segment, templates }) => {
    if (templates.length === 0) return [];
    const rows: { row: number; number: number; weight: number }[] = [];
    for (const { template, first, last, count } of templates) {
      const number = numberOf(template);
      rows.push({ row: first, number, weight: count });
      if (last !== first) rows.push({ row: last, number, weight: 0 });
    }
    const bound = [
      `SELECT ${list(rows.map(({ row }) => row))} AS row`,
      `${list(rows.map(({ number }) => number))} AS number`,
      `${list(rows.map(({ weight }) => weight))} AS w`,
    ].join(', ');
    const values = placeColumns(segmentScope(segment, params))
      .map((sql, i) => `${sql} AS ${COLUMNS[i + 1]!.alias}`)
      .join(', ');
    return `SELECT number, ${values}, w FROM (${bound}) AS b JOIN ${segmentTable(segment, values)} AS e ON ${rowNumberOf('e')} = b.row`;
  });
  if (parts.length === 0) return [];
  const texts = boundList(
    [...numbers.keys()].map((text) => text ?? null),
    'VARCHAR',
    params,
  );
  const names = `SELECT ${eachOf(texts)} AS template, ${eachOf(numbersBelow(params.bind(numbers.size, 'BIGINT')))} AS number`;
  const columns = COLUMNS.map(({ alias }) => alias).join(', ');
  return [
    `SELECT ${columns}, w FROM (${parts.join('\nUNION ALL\n')}) AS k JOIN (${names}) AS p ON k.number = p.number`,
  ];
}

/** All of `COLUMNS` but the template. */
function placeColumns(scope: Scope): string[] {
  return [
    scope.column('ts') ?? nullOf('TIMESTAMP'),
    scope.column('ts_ns') ?? nullOf('USMALLINT'),
    scope.column('source_id') ?? nullOf('UINTEGER'),
    scope.column('seq') ?? nullOf('BIGINT'),
  ];
}

// -- in ClickHouse ---------------------------------------------------------------------------------

function patternsClickHouse(stage: PatternsStage, rows: ClickHouseRows): ClickHouseTable {
  checkEvents(stage, rows.scope);
  const { count, measure, groups, groupCount } = TOP_TOTALS;
  // In the order of events; undated ones last.
  const place =
    '(ts IS NULL, ifNull(toUnixTimestamp64Micro(ts), 0), ifNull(ts_ns, 0), source_id, seq)';
  const counted = selectOf(
    [
      `${replacedAll('message', TEMPLATE_RE2, VARIABLE)} AS template, count() AS n, min(ts) AS first, max(ts) AS last`,
      `argMin(event_id, ${place}) AS id`,
    ].join(', '),
    rows,
    'GROUP BY template',
  );
  const beside = [
    'toFloat64(n) / nullIf(toFloat64(sum(n) OVER ()), 0) AS share',
    'template IS NULL AS none',
    ...(rows.isShown
      ? [`sum(n) OVER () AS ${count}, NULL AS ${measure}, count() OVER () AS ${groups}`]
      : []),
    ...(rows.isShown ? [`n AS ${groupCount}`] : []),
  ];
  const order: OrderKey[] = [
    { sql: 'none', descending: false },
    { sql: 'n', descending: stage.descending },
    { sql: 'last', descending: true },
    { sql: 'template', descending: false },
  ];
  // The group without a template is not among the first ones.
  const numbered = `SELECT *, ${beside.join(', ')}, row_number() OVER (${ordered(order)}) AS place`;
  const sql = `${numbered}\nFROM ${subquery(counted)}`;
  return {
    columns: columnsOf(['id']),
    order,
    sql: `SELECT *\nFROM ${subquery(sql)}\nWHERE none OR place <= ${stage.limit}`,
    totals: rows.isShown ? [count, measure, groups, groupCount] : [],
  };
}

// -- rows of batches -------------------------------------------------------------------------------

// Templates are cut from the bytes of messages; distinct ones are kept.

function patternsBatches(stage: PatternsStage, context: BatchContext): BatchStage {
  const { columns, budget, wanted } = context;
  const templates = new Templates(budget);
  return {
    scoped: (batch) => templates.scoped(batch, wanted),
    finish: () => {
      const chosen = templates.first(stage.limit, stage.descending);
      const total = templates.total();
      const rows = chosen.map((group) => templates.row(group, total));
      const totals = [BigInt(total), null, BigInt(templates.groups().length)];
      return {
        table: { columns, rows, order: [] },
        raw: rows.map((row) => [...row, ...totals, row[0]]),
      };
    },
  };
}

const text = new TextDecoder('utf-8', { ignoreBOM: true });
/** The group of events without a message; template n is group n + 1. */
const NO_MESSAGE = 0;

class Templates {
  private readonly texts: ByteDictionary;
  private readonly cutter = new TemplateCutter();
  private readonly counts: Doubles;
  private readonly earliest: Doubles;
  private readonly latest: Doubles;
  /** Of the first event: its time, nanoseconds beyond it, source and record. */
  private readonly place: readonly [Doubles, Doubles, Doubles, Doubles];

  constructor(budget: Budget) {
    this.texts = new ByteDictionary(growingWithin(budget));
    this.counts = new Doubles(budget, 0);
    this.earliest = new Doubles(budget, Infinity);
    this.latest = new Doubles(budget, -Infinity);
    this.place = [
      new Doubles(budget, Infinity),
      new Doubles(budget, Infinity),
      new Doubles(budget, Infinity),
      new Doubles(budget, Infinity),
    ];
  }

  scoped(batch: EventBatch, wanted: Wanted): (rows: Int32Array, n: number) => void {
    const scope = batchScope(batch, wanted);
    const message = scope.column({ column: 'message' });
    const [ts, ns, source, seq] = (['ts', 'ts_ns', 'source_id', 'seq'] as const).map((column) =>
      scope.column({ column }),
    );
    return (rows, n) => {
      for (let i = 0; i < n; i++) {
        const row = rows[i]!;
        const group = message?.type === 'text' ? this.groupOf(message, row) : NO_MESSAGE;
        this.counts.reach(group)[group]! += 1;
        const time = numberAt(ts, row);
        if (time !== undefined) {
          const first = this.earliest.reach(group);
          const last = this.latest.reach(group);
          if (time < first[group]!) first[group] = time;
          if (time > last[group]!) last[group] = time;
        }
        // Undated events come last.
        this.placeAt(
          group,
          time ?? Number.MAX_VALUE,
          numberAt(ns, row) ?? 0,
          numberAt(source, row) ?? 0,
          numberAt(seq, row) ?? 0,
        );
      }
    };
  }

  private groupOf(message: TextColumn, row: number): number {
    if (message.present[row] !== 1) return NO_MESSAGE;
    const { cutter } = this;
    const length = cutter.cut(message.data, textStart(message, row), textEnd(message, row));
    return this.texts.idOf(cutter.bytes, 0, length) + 1;
  }

  private placeAt(group: number, ts: number, ns: number, source: number, seq: number): void {
    const [times, nanos, sources, records] = this.place;
    const before = times.reach(group)[group]!;
    if (ts > before) return;
    const [n, s, r] = [nanos.reach(group), sources.reach(group), records.reach(group)];
    if (ts === before) {
      const order = ns - n[group]! || source - s[group]! || seq - r[group]!;
      if (order >= 0) return;
    }
    times.values[group] = ts;
    n[group] = ns;
    s[group] = source;
    r[group] = seq;
  }

  groups(): number[] {
    const { values } = this.counts;
    return Array.from({ length: this.texts.size + 1 }, (_, group) => group).filter(
      (group) => (values[group] ?? 0) > 0,
    );
  }

  total(): number {
    return this.groups().reduce((sum, group) => sum + this.counts.values[group]!, 0);
  }

  /** The first `limit` groups with a template, in order, then the one without. */
  first(limit: number, descending: boolean): number[] {
    const all = this.groups();
    const { values } = this.counts;
    const compare = (a: number, b: number): number =>
      compareValues(values[a], values[b], descending) ||
      compareValues(this.last(a), this.last(b), true) ||
      Buffer.compare(this.texts.bytesOf(a - 1), this.texts.bytesOf(b - 1));
    const chosen = firstOf(
      all.filter((group) => group !== NO_MESSAGE),
      limit,
      compare,
    );
    return all[0] === NO_MESSAGE ? [...chosen, NO_MESSAGE] : chosen;
  }

  private last(group: number): number | null {
    const last = this.latest.values[group] ?? -Infinity;
    return last === -Infinity ? null : last;
  }

  /** Values of the stage's columns. */
  row(group: number, total: number): RawValue[] {
    const count = this.counts.values[group]!;
    const first = this.earliest.values[group] ?? Infinity;
    const [, , source, seq] = this.place.map(({ values }) => values[group]!);
    return [
      count,
      count / total,
      first === Infinity ? null : first,
      this.last(group),
      source,
      seq,
      group === NO_MESSAGE ? null : text.decode(this.texts.bytesOf(group - 1)),
    ];
  }
}

export const patternsOperator: StageOperator<PatternsStage> = {
  byTemplate: true,
  shape: 'top',
  table: patternsTable,
  clickhouse: patternsClickHouse,
  batches: patternsBatches,
};
