/** Work on the events of a view of the case on a cluster, as `askView` does it on a case of this machine. */
import { Stopwatch } from '../../measure/operation-log.ts';
import {
  type Ast,
  type ClickHouseStatement,
  eventsAst,
  notesOfTotals,
  type OutputColumn,
  parseQuery,
  type Plan,
  type RawValue,
} from '../../query/index.ts';
import { namesOfTotals, notesOf, scopeOf, type View, type ViewScope } from '../../search/index.ts';
import { answeredWithin, ClusterQuery, planOn } from './cluster-query.ts';
import { statementRows } from './cluster-rows.ts';
import { type ClusterSession, statusOfError } from './session.ts';

/** A planned view with all that answering it needs. */
export class ClusterView {
  readonly session: ClusterSession;
  readonly plan: Plan;
  readonly view: View;
  readonly watch: Stopwatch;
  /** Notes of this operation, in addition to those of the plan. */
  readonly notes: string[] = [];

  constructor(session: ClusterSession, plan: Plan, view: View, watch: Stopwatch) {
    this.session = session;
    this.plan = plan;
    this.view = view;
    this.watch = watch;
  }

  /** Options of its statements. */
  get options() {
    const { cluster, context } = this.session;
    return { database: cluster.address.database, materialised: context.materialised };
  }

  /** The same for another plan. */
  on(plan: Plan): ClusterView {
    return new ClusterView(this.session, plan, this.view, this.watch);
  }

  /** @param types of its columns; the following ones are whole numbers */
  async rows(
    statement: ClickHouseStatement,
    types: readonly OutputColumn['type'][] = [],
  ): Promise<RawValue[][]> {
    const out: RawValue[][] = [];
    const { cluster } = this.session;
    await this.watch.spanAsync('execute', async () => {
      for await (const rows of statementRows(cluster, statement, types))
        for (const row of rows) out.push(row);
    });
    return out;
  }

  /** The plan with its stages, to be answered whole. */
  query(): ClusterQuery {
    const { session, plan, view, watch } = this;
    return new ClusterQuery(session.cluster, plan, view, watch, session.context);
  }
}

/**
 * Runs `work` on the events of a view: the part of its query that yields events, followed by `stages`.
 * @throws DaybookError query-syntax, unknown-field, usage for what has no exact translation, cancelled
 */
export async function askOnCluster<T extends object>(
  session: ClusterSession,
  operation: string,
  view: View,
  work: (asked: ClusterView) => Promise<T>,
  stages: Ast['stages'] = [],
): Promise<T & ViewScope> {
  const watch = new Stopwatch(operation);
  watch.path = 'cluster';
  try {
    const { cluster, context } = session;
    const events = watch.span('parse', () => eventsAst(parseQuery(view.query)));
    const asked = await answeredWithin(cluster, events, context, view, watch);
    const whole = { ...asked, stages: [...asked.stages, ...stages] };
    const plan = watch.span('plan', () => planOn(whole, context, view));
    const one = new ClusterView(session, plan, view, watch);
    const result = await work(one);
    const timings = watch.timings();
    session.record(watch, 'done', view.query);
    const totals = () => namesOfTotals(context.sources(), plan.segmentsUsed);
    const notes = [...notesOf(plan), ...notesOfTotals(plan.stages, totals), ...one.notes];
    return { ...result, ...scopeOf(plan, timings, notes) };
  } catch (error) {
    session.record(watch, statusOfError(error), view.query);
    throw error;
  }
}
