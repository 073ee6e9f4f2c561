/**
 * How an operation asks about a view: the query is taken apart and planned on what the case holds now,
 * the work is done on segments that stay, and what it cost is kept and told.
 */
import type { SegmentRow } from '../catalog/tables/segments.ts';
import type { EpochMicros } from '../contract/event.ts';
import { DaybookError } from '../contract/errors.ts';
import { IndexDamaged } from '../index/segment-indexes.ts';
import { Stopwatch, type Timings } from '../measure/operation-log.ts';
import {
  type Ast,
  type Plan,
  type RawValue,
  eventsAst,
  parseQuery,
  planQuery,
} from '../query/index.ts';
import { segmentsRead } from '../query/plan-reads.ts';
import { damageNotes, notesOf } from './answer-notes.ts';
import type { AskedView } from './asked-view.ts';
import type { GivenList } from './lists/case-lists.ts';
import type { CaseSession } from './session/case-session.ts';
import type { Snapshot } from './session/snapshot.ts';
import { contextOf, isGone, noteRead, raw } from './query.ts';
import { finderOf } from './rows/row-finder.ts';
import type { Priority } from './session/statement-scheduler.ts';
import { statementRows } from './rows/whole-messages.ts';

export interface View {
  query: string;
  from?: EpochMicros | undefined;
  to?: EpochMicros | undefined;
  /** Events must also meet one of its rows. */
  list?: GivenList | undefined;
  /** For times in the query that state none. */
  zone: string;
  /** `scan`: no index is used. */
  path?: 'scan' | undefined;
}

/** What every answer about a view says of it. */
export interface ViewScope {
  timings: Timings;
  days: { used: number; all: number };
  packetsBeneath?: { packets: number; exact: boolean };
  notes: string[];
}

/** What an operation's statements wait for; `later` when it is not here. */
const RANKS: Readonly<Record<string, Priority>> = {
  'result.rows': 'now',
  'result.locate': 'now',
  'result.open': 'first',
  'result.reopen': 'first',
  'timeline.run': 'first',
};

/** The same, but its statements do not wait: for few rows that somebody looks for. */
export function atOnce(asked: AskedView): AskedView {
  return { ...asked, rows: (statement, segments) => asked.rows(statement, segments, 'now') };
}

/** How often work is begun anew because a compaction took segments away meanwhile. */
const MAX_TRIES = 3;

/**
 * Does `work` on the events of a view: the part of its query that gives events, and `stages` behind.
 * @param narrows false: `work` asks the finder itself
 * @throws DaybookError query-syntax, unknown-field, cancelled, and what `work` throws
 */
export async function askView<T extends object>(
  session: CaseSession,
  operation: string,
  view: View,
  signal: AbortSignal | undefined,
  work: (asked: AskedView) => Promise<T>,
  stages: Ast['stages'] = [],
  narrows = true,
): Promise<T & ViewScope> {
  const watch = new Stopwatch(operation);
  const release = session.store.hold();
  try {
    const whole = watch.span('parse', () => eventsAst(parseQuery(view.query)));
    const ast = { ...whole, stages: [...whole.stages, ...stages] };
    for (let gone = 0; ;) {
      const snapshot = session.snapshot();
      const plan = watch.span('plan', () =>
        planQuery(ast, contextOf(snapshot, { ...view, text: view.query }, session)),
      );
      watch.path = plan.path;
      watch.days = plan.days.used;
      watch.segments = plan.segmentsUsed.length;
      watch.rowsExamined = plan.rowsExamined;
      const asked = onPlan(session, snapshot, plan, watch, signal, view.path === 'scan');
      try {
        const result = await work(narrows ? await narrowedView(asked) : asked);
        session.record(watch, 'done', view.query);
        const notes = [...asked.notes, ...damageNotes(session, snapshot, plan)];
        return { ...result, ...scopeOf(plan, watch.timings(), notes) };
      } catch (error) {
        if (!(error instanceof IndexDamaged) && (!isGone(error) || ++gone === MAX_TRIES))
          throw error;
      }
    }
  } catch (error) {
    const cancelled = error instanceof DaybookError && error.code === 'cancelled';
    session.record(watch, cancelled ? 'cancelled' : 'failed', view.query);
    throw error;
  } finally {
    release();
  }
}

/** The same, held to what is known of the plan's events. */
export async function narrowedView(asked: AskedView): Promise<AskedView> {
  const { finder, plan, watch } = asked;
  if (finder === undefined || plan.segmentsUsed.length === 0) return asked;
  const own = await watch.spanAsync('index', () => finder.narrow(plan));
  if (plan.path !== 'catalog') noteRead(watch, own);
  return onPlanOf(asked, own);
}

/** The same on another plan. */
export function onPlanOf(asked: AskedView, plan: Plan): AskedView {
  const { session, snapshot, watch, signal, finder, notes } = asked;
  return { ...onPlan(session, snapshot, plan, watch, signal), finder, notes };
}

/** Statements on a plan that is there, whose segments are prepared as they are needed. */
export function onPlan(
  session: CaseSession,
  snapshot: Snapshot,
  plan: Plan,
  watch: Stopwatch,
  signal: AbortSignal | undefined,
  scans = false,
): AskedView {
  const byId = new Map<number, SegmentRow>(snapshot.segments.map((one) => [one.id, one]));
  const usual = RANKS[watch.operation] ?? 'later';
  const turn = (rank: Priority, stop = signal) =>
    watch.spanAsync('wait', () => session.turns.take(rank, stop));
  const asked: AskedView = {
    ...{ session, snapshot, plan, watch, signal },
    finder: scans
      ? undefined
      : finderOf(session, snapshot, signal, (statement, segments, stop) =>
          // Another operation may wait for it that goes before this one.
          asked.rows(statement, segments, 'first', stop),
        ),
    notes: notesOf(plan),
    rows: async (statement, segments = segmentsRead(plan), rank = usual, stop = signal) => {
      const wanted = segments.flatMap(({ id }) => byId.get(id) ?? []);
      await watch.spanAsync('attach', () =>
        session.prepare(wanted, snapshot, statement.sql, plan.context.list),
      );
      const end = await turn(rank, stop);
      try {
        const found = await watch.spanAsync('execute', () =>
          statementRows(session, statement, wanted, stop),
        );
        return found.map((row) => row.map(raw));
      } finally {
        end();
      }
    },
    async *stream(statement) {
      const wanted = segmentsRead(plan).flatMap(({ id }) => byId.get(id) ?? []);
      await watch.spanAsync('attach', () =>
        session.prepare(wanted, snapshot, statement.sql, plan.context.list),
      );
      const end = await turn(usual);
      const from = performance.now();
      try {
        const batches = session.store.query(statement.sql, statement.params, signal);
        for await (const { columns, rows } of batches) {
          const out: RawValue[][] = [];
          for (let row = 0; row < rows; row++) out.push(columns.map((column) => raw(column[row]!)));
          yield out;
        }
        watch.add('execute', performance.now() - from);
      } finally {
        end();
      }
    },
  };
  return asked;
}

export function scopeOf(plan: Plan, timings: Timings, notes: readonly string[]): ViewScope {
  const beneath = plan.packetsBeneath;
  return {
    timings,
    days: { used: plan.days.used, all: plan.days.total },
    ...(beneath === undefined || beneath.packets === 0 ? {} : { packetsBeneath: beneath }),
    notes: [...notes],
  };
}
