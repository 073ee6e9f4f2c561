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
  formatter,
  lookupFiles,
  notesOfTotals,
  parseQuery,
  planQuery,
  shapeAnswer,
} from '../../query/index.ts';
import { bucketStart, type Grid } from '../../query/time/grid.ts';
import type { OutputColumn } from '../../query/statements/outputs.ts';
import { gridOf } from '../../query/plan/plan-tables.ts';
import { timelineOf } from '../../query/plan/plan.ts';
import { completeEvents } from '../../query/statements/shown-events.ts';
import type { AnswerTable, QueryParameters } from '../../search/index.ts';
import { namesOfTotals, notesOf, withinAnswered } from '../../search/index.ts';
import type { Cluster } from './cluster.ts';
import { shownColumns, statementRows } from './cluster-rows.ts';
import { type ClusterContext, clusterContext } from './cluster-context.ts';

/** Parameters of a query besides its text. */
type ClusterQuestion = Omit<QueryParameters, 'path' | 'only' | 'arrived' | 'signal'>;

/** @throws DaybookError query-syntax, unknown-field, usage for what has no exact translation; not-found, unreadable */
export async function askCluster(
  cluster: Cluster,
  question: ClusterQuestion,
  known?: ClusterContext,
): Promise<ClusterQuery> {
  const watch = new Stopwatch(question.operation ?? 'query.run');
  const context = known ?? (await watch.spanAsync('catalog', () => clusterContext(cluster)));
  const parsed = watch.span('parse', () => parseQuery(question.text));
  const ast = await answeredWithin(cluster, parsed, context, question, watch);
  const plan = watch.span('plan', () => planOn(ast, context, question));
  return new ClusterQuery(cluster, plan, question, watch, context);
}

/**
 * The tree of a query after answering its inner queries.
 * @throws DaybookError as `askCluster`
 */
export function answeredWithin(
  cluster: Cluster,
  ast: Ast,
  context: ClusterContext,
  { zone, lookups }: Pick<ClusterQuestion, 'zone' | 'lookups'>,
  watch: Stopwatch,
): Promise<Ast> {
  return withinAnswered(ast, (inner, text) => {
    // It sees the whole case: neither the time range nor the list of the outer query applies to it.
    const question = { text, zone, lookups };
    const plan = planOn(inner, context, question);
    const asked = new ClusterQuery(cluster, plan, question, watch, context);
    return { shape: plan.shape, table: () => asked.table() };
  });
}

/** @throws DaybookError query-syntax, unknown-field, usage */
export function planOn(
  ast: Ast,
  context: ClusterContext,
  question: Omit<ClusterQuestion, 'text'>,
): Plan {
  const { zone, from, to, list, exclude, lookups } = question;
  const { lists, segments } = context;
  return planQuery(ast, {
    ...context,
    ...{ zone, from, to },
    list: list && lists.read(list, segments),
    exclude: exclude && lists.read(exclude, segments),
    lookups: lookups && lookupFiles(lookups),
  });
}

/** A planned query that can be run once. */
export class ClusterQuery {
  readonly plan: Plan;
  private readonly cluster: Cluster;
  private readonly question: Omit<ClusterQuestion, 'text'>;
  readonly watch: Stopwatch;
  private readonly statement: ClickHouseStatement;
  private readonly sources: ClusterContext['sources'];

  constructor(
    cluster: Cluster,
    plan: Plan,
    question: Omit<ClusterQuestion, 'text'>,
    watch: Stopwatch,
    { materialised, sources }: Pick<ClusterContext, 'materialised' | 'sources'>,
  ) {
    this.cluster = cluster;
    this.plan = plan;
    this.question = question;
    this.watch = watch;
    this.sources = sources;
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
    for await (const rows of this.rows(columns)) {
      const records = rows.map((row) => event(columns, row));
      completeEvents(records, plan);
      yield records;
    }
  }

  /** The answer of every other shape. */
  async answer(): Promise<Answer> {
    const columns = this.columns();
    const rows: (readonly RawValue[])[] = [];
    for await (const batch of this.rows(columns)) for (const row of batch) rows.push(row);
    const { plan } = this;
    const [shown, at] =
      plan.shape === 'timeline' ? bucketed(plan, columns, rows) : [rows, undefined];
    const statement = {
      grid: at,
      columns: plan.shape === 'timeline' ? columns.slice(1) : columns,
    };
    const answered = { ...plan, catalogCount: undefined };
    return shapeAnswer(answered, statement, shown, plan.context, this.question.zone);
  }

  /** The same, streamed, for an answer that is a table. */
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

  /** Notes on the answer, for people. */
  notes(): string[] {
    const { stages, segmentsUsed } = this.plan;
    const totals = () => namesOfTotals(this.sources(), segmentsUsed);
    return [...notesOf(this.plan), ...notesOfTotals(stages, totals)];
  }

  timings(): Timings {
    return this.watch.timings();
  }

  private formatter() {
    return formatter(this.plan.context, this.question.zone);
  }

  /** Of the rows returned by `rows`. */
  columns(): OutputColumn[] {
    return shownColumns(this.statement);
  }

  async *rows(columns: readonly OutputColumn[] = this.columns()): AsyncGenerator<RawValue[][]> {
    const { watch, cluster, statement } = this;
    const from = performance.now();
    yield* statementRows(
      cluster,
      statement,
      columns.map(({ type }) => type),
    );
    watch.add('execute', performance.now() - from);
  }
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
