/**
 * A query on a case that was attached to a cluster: planned here, answered there, shown as that of a case. What ClickHouse
 * cannot answer exactly is refused by its name.
 */
import { DaybookError } from '../../contract/errors.ts';
import { Stopwatch, type Timings } from '../../measure/operation-log.ts';
import {
  type Answer,
  type Ast,
  type ClickHouseStatement,
  type Plan,
  type RawValue,
  type ShownRecord,
  clickhouseStatement,
  eventFields,
  formatter,
  notesOfTotals,
  parseQuery,
  planQuery,
  readList,
  shapeAnswer,
} from '../../query/index.ts';
import { bucketStart, type Grid } from '../../query/grid.ts';
import { otherNames } from '../../query/default-columns.ts';
import type { OutputColumn } from '../../query/outputs.ts';
import { gridOf, timelineOf } from '../../query/plan.ts';
import { addCommunityId } from '../../query/shown-events.ts';
import type { AnswerTable, GivenList, QueryParameters } from '../../search/index.ts';
import { sha256Of, textOf, withinAnswered } from '../../search/index.ts';
import { cellText, type Cluster, type ClusterRow } from './cluster.ts';
import { type ClusterContext, clusterContext } from './cluster-context.ts';

type ClusterQuestion = Omit<QueryParameters, 'path' | 'lookups' | 'only' | 'arrived' | 'signal'>;

/** @throws DaybookError query-syntax, unknown-field, usage for what has no exact translation; not-found, unreadable */
export async function askCluster(
  cluster: Cluster,
  question: ClusterQuestion,
): Promise<ClusterQuery> {
  const watch = new Stopwatch('cluster.query');
  const context = await watch.spanAsync('catalog', () => clusterContext(cluster));
  // A query within another sees the whole case: neither the time range nor the list of the one around it.
  const within = { text: '', zone: question.zone };
  const parsed = watch.span('parse', () => parseQuery(question.text));
  const ast = await withinAnswered(parsed, (inner, text) => {
    const plan = planOf(inner, context, { ...within, text });
    const { materialised } = context;
    const asked = new ClusterQuery(cluster, plan, { ...within, text }, watch, materialised);
    return { shape: plan.shape, table: () => asked.table() };
  });
  const plan = watch.span('plan', () => planOf(ast, context, question));
  return new ClusterQuery(cluster, plan, question, watch, context.materialised);
}

function planOf(ast: Ast, context: ClusterContext, question: ClusterQuestion): Plan {
  const { zone, from, to, list, exclude } = question;
  const read = (given: GivenList | undefined) =>
    given && listOf(given, eventFields(context.segments));
  return planQuery(ast, {
    ...context,
    ...{ zone, from, to, list: read(list), exclude: read(exclude) },
  });
}

function listOf(given: GivenList, resolve: ReturnType<typeof eventFields>) {
  const { bytes, fields, header, directed } = given;
  return readList({
    ...{ text: textOf(bytes), digest: sha256Of(bytes), fields, columns: undefined },
    ...{ header, directed, resolve },
  });
}

/** A query that is planned and may be run, once. */
class ClusterQuery {
  readonly plan: Plan;
  private readonly cluster: Cluster;
  private readonly question: ClusterQuestion;
  private readonly watch: Stopwatch;
  private readonly statement: ClickHouseStatement;

  constructor(
    cluster: Cluster,
    plan: Plan,
    question: ClusterQuestion,
    watch: Stopwatch,
    materialised: ReadonlySet<string>,
  ) {
    this.cluster = cluster;
    this.plan = plan;
    this.question = question;
    this.watch = watch;
    const isCut = plan.shape !== 'count' && plan.shape !== 'top' && plan.shape !== 'timeline';
    this.statement = clickhouseStatement(plan, {
      ...{ database: cluster.address.database, isShown: true, materialised },
      limit: isCut ? question.limit : undefined,
    });
  }

  /** Events as people and scripts see them, for a plan of shape `rows`. */
  async *shownRows(): AsyncGenerator<ShownRecord[]> {
    const { plan } = this;
    const columns = this.columns();
    const { event } = this.formatter();
    const others = otherNames(plan);
    for await (const rows of this.rows(columns)) {
      const records = rows.map((row) => event(columns, row));
      if (plan.projection === undefined) {
        for (const record of records) {
          addCommunityId(record);
          leaveOut(record, others);
        }
      }
      yield records;
    }
  }

  /** The answer of every other shape. */
  async answer(): Promise<Answer> {
    const columns = this.columns();
    const rows: (readonly RawValue[])[] = [];
    for await (const some of this.rows(columns)) for (const row of some) rows.push(row);
    const { plan } = this;
    const [shown, at] =
      plan.shape === 'timeline' ? bucketed(plan, columns, rows) : [rows, undefined];
    const statement = {
      ...{ sql: this.statement.sql, params: [], grid: at },
      columns: plan.shape === 'timeline' ? columns.slice(1) : columns,
    };
    return shapeAnswer({ ...plan, catalogCount: undefined }, statement, shown, this.shownAs());
  }

  /** The same as it comes, for an answer that is a table. */
  async table(): Promise<AnswerTable> {
    const columns = this.columns();
    const { record } = this.formatter();
    const batches = this.rows(columns);
    async function* records(): AsyncGenerator<readonly ShownRecord[]> {
      for await (const rows of batches) yield rows.map((row) => record(columns, row));
    }
    return { columns: columns.map(({ name }) => name), records: records() };
  }

  /** The statement, and how the server would run it. */
  async explain(): Promise<string[]> {
    const { before, sql } = this.statement;
    for (const one of before) await this.cluster.run(one);
    const lines = await this.cluster.rows(`EXPLAIN indexes = 1 ${sql}`);
    return [
      ...(before.length === 0 ? [] : [`statements before it, for lists: ${before.length}`]),
      ...sql.split('\n'),
      '',
      ...lines.map(([line]) => String(line)),
    ];
  }

  /** What a person should know of the answer. */
  notes(): string[] {
    const { readings, stages } = this.plan;
    // What is handed over does not say it of sources.
    return [...readings, ...notesOfTotals(stages, undefined)];
  }

  timings(): Timings {
    return this.watch.timings();
  }

  private shownAs() {
    const { sources, tags } = this.plan.context;
    return { sources, tags, zone: this.question.zone };
  }

  private formatter() {
    return formatter(this.shownAs());
  }

  private columns(): OutputColumn[] {
    const { columns } = this.statement;
    if (columns === undefined) throw new TypeError('the columns of a shown query are known');
    const nanos = columns.length;
    return columns.map(({ name, type }, at) => ({
      name,
      // Addresses and ids are texts there.
      type: type === 'address' || type === 'event-id' ? 'text' : type,
      parts: [
        { role: 'value', at },
        ...(type === 'instant'
          ? [
              { role: 'nanos' as const, at: nanos },
              { role: 'digits' as const, at: nanos + 1 },
            ]
          : []),
      ],
    }));
  }

  private async *rows(columns: readonly OutputColumn[]): AsyncGenerator<RawValue[][]> {
    const { watch, cluster, statement } = this;
    const from = performance.now();
    for (const one of statement.before) await cluster.run(one);
    const types = columns.map(({ type }) => type);
    for await (const rows of cluster.batches(statement.sql))
      yield rows.map((row) => rawRow(row, types));
    watch.add('execute', performance.now() - from);
  }
}

/** Attributes that a stage hid or computed another of. */
function leaveOut({ attrs }: ShownRecord, others: ReadonlySet<string>): void {
  if (others.size === 0 || typeof attrs !== 'object' || attrs === null || Array.isArray(attrs))
    return;
  const map = attrs as Record<string, unknown>;
  for (const name of Object.keys(map)) if (others.has(name.toLowerCase())) delete map[name];
}

/** Values as DuckDB would give them. Numbers after the columns are totals. */
function rawRow(row: ClusterRow, types: readonly OutputColumn['type'][]): RawValue[] {
  return row.map((value, i) => rawValue(value, types[i] ?? 'integer'));
}

const BEYOND: Readonly<Record<string, number>> = {
  inf: Infinity,
  '-inf': -Infinity,
  nan: NaN,
  '-nan': NaN,
};

function rawValue(value: unknown, type: OutputColumn['type']): RawValue {
  if (value === null || value === undefined) return null;
  switch (type) {
    case 'overflow':
      return JSON.stringify(withoutNulls(value));
    case 'time':
    case 'instant':
      return microsOf(cellText(value));
    case 'real':
      return BEYOND[cellText(value)] ?? Number(value);
    case 'text':
    case 'ports':
      return typeof value === 'string' ? value : JSON.stringify(value);
    default: {
      const shown = cellText(value);
      if (BEYOND[shown] !== undefined) return BEYOND[shown];
      return /^-?\d{16,}$/.test(shown) ? BigInt(shown) : Number(shown);
    }
  }
}

function withoutNulls(map: unknown): Record<string, unknown> {
  if (typeof map !== 'object' || map === null) return {};
  return Object.fromEntries(Object.entries(map).filter(([, value]) => value !== null));
}

/** Epoch microseconds of a time in UTC as ClickHouse writes it. */
function microsOf(text: string): number {
  const [, whole, fraction = ''] = /^([\d-]+ [\d:]+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === undefined)
    throw new DaybookError('internal', `${JSON.stringify(text)} is no time of ClickHouse`);
  return (
    Date.parse(`${whole.replace(' ', 'T')}Z`) * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6))
  );
}

/** Rows of a timeline by the numbers of their buckets, and the buckets. */
function bucketed(
  plan: Plan,
  columns: readonly OutputColumn[],
  rows: readonly (readonly RawValue[])[],
): [RawValue[][], Grid | undefined] {
  const starts = rows.map(([start]) => Number(start));
  const grid = gridAround(plan, rows[0]?.slice(columns.length), starts);
  const bucketOf = new Map<number, number>();
  if (grid !== undefined)
    for (let i = 0; i < grid.buckets; i++) bucketOf.set(bucketStart(grid, i), i);
  const numbered = rows.map(([, ...rest], i) => {
    const bucket = bucketOf.get(starts[i]!);
    if (bucket === undefined)
      throw new DaybookError('internal', `ClickHouse made a bucket that begins at ${starts[i]}`);
    return [bucket, ...rest];
  });
  return [numbered, grid];
}

function gridAround(
  plan: Plan,
  totals: readonly RawValue[] | undefined,
  starts: readonly number[],
): Grid | undefined {
  const [from, to, buckets] = (totals ?? []).map(Number);
  if (timelineOf(plan)?.interval === undefined && buckets !== undefined)
    return { type: 'even', from: from!, to: to!, buckets };
  let [low, high] = [starts[0], starts[0]];
  for (const start of starts) {
    if (start < low!) low = start;
    if (start > high!) high = start;
  }
  return gridOf(plan, { low, high });
}
