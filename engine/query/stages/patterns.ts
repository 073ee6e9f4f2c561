/**
 * `patterns [N] [desc]`: events by the template of their message, the rarest first.
 *
 * Order: by number of events, then the one seen last first, then by template. Events without a message have no template: they are a
 * group of their own, last, that is not one of the N. `event_id` is the first event of its group.
 */
import type { Stage } from '../ast.ts';
import { micros, nullOf, segmentTable } from '../dialect/duckdb.ts';
import { QueryError } from '../query-error.ts';
import {
  type Input,
  type InputColumn,
  type OrderKey,
  type Table,
  type TableColumn,
  orderBy,
  valueShape,
} from '../relation.ts';
import { type Scope, TRUE, segmentScope } from '../scope.ts';
import { templateSql } from './template.ts';
import { TOP_TOTALS } from './top.ts';

export type PatternsStage = Extract<Stage, { stage: 'patterns' }>;

/** Templates that are shown when no number is written. */
export const PATTERNS_SHOWN = 100;

const COLUMNS: readonly InputColumn[] = [
  { alias: 'template', sqlType: 'VARCHAR' },
  { alias: 't', sqlType: 'TIMESTAMP' },
  { alias: 'ns', sqlType: 'USMALLINT' },
  { alias: 'source', sqlType: 'UINTEGER' },
  { alias: 'seq', sqlType: 'BIGINT' },
];

export function patternsStage(stage: PatternsStage, input: Input): Table {
  if (!input.events) {
    throw new QueryError(
      'query-syntax',
      `patterns needs events, not a table (column ${stage.start + 1})`,
      stage.start,
      'put it before the stage that counts',
    );
  }
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
  // As events are ordered; those without a time are last.
  const place = `{'t': coalesce(${micros('t')}, 9223372036854775807), 'ns': coalesce(ns, 0), 'source': source, 'seq': seq}`;
  const { count, measure, groups } = TOP_TOTALS;
  const sql = [
    `WITH g AS MATERIALIZED (SELECT template, CAST(sum(w) AS BIGINT) AS n, min(t) AS first, max(t) AS last, min(${place}) AS place FROM (${all}) AS r GROUP BY template)`,
    `SELECT template, n, CAST(n AS DOUBLE) / nullif(CAST(${count} AS DOUBLE), 0) AS share, first, last,`,
    `place['source'] AS source, place['seq'] AS seq, ${count}, ${nullOf('HUGEINT')} AS ${measure}, ${groups} FROM g,`,
    `(SELECT sum(n) AS ${count}, count(*) AS ${groups} FROM g) AS t`,
    `QUALIFY template IS NULL OR row_number() OVER (ORDER BY ${orderBy(order)}) <= ${params.bind(stage.limit, 'BIGINT')}`,
  ].join('\n');
  const plain = (name: string, alias: string, type: 'real' | 'text' | 'time', sqlType: string) => ({
    name,
    shape: valueShape(name, type, sqlType),
    aliases: [alias],
  });
  const columns: TableColumn[] = [
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
      aliases: ['source', 'seq'],
    },
    plain('template', 'template', 'text', 'VARCHAR'),
  ];
  return { columns, order, sql };
}

/**
 * What is known by template, as rows of `COLUMNS` with a weight: the first event of each stands for all
 * of them, the last says when that was.
 */
function knownRows({ templates: known = [], params }: Input): string[] {
  const numbers = new Map<string | undefined, number>();
  const numberOf = (template: string | undefined): number => {
    const number = numbers.get(template) ?? numbers.size;
    numbers.set(template, number);
    return number;
  };
  const list = (values: readonly number[]) =>
    `unnest(CAST(string_split(${params.text(values.join(','))}, ',') AS BIGINT[]))`;
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
    return `SELECT number, ${values}, w FROM (${bound}) AS b JOIN ${segmentTable(segment, values)} AS e ON e.rowid = b.row`;
  });
  if (parts.length === 0) return [];
  const texts = params.text(JSON.stringify([...numbers.keys()].map((text) => text ?? null)));
  const names = `SELECT unnest(CAST(from_json(${texts}, '["VARCHAR"]') AS VARCHAR[])) AS template, unnest(range(${params.bind(numbers.size, 'BIGINT')})) AS number`;
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
