/**
 * The asker: every question about a case, from the command line or the window, goes through it. It parses a query,
 * plans it on the case's current state, plans again if a compaction removed segments meanwhile, and records the
 * cost of the answer.
 */
import { hasCode } from '../contract/errors.ts';
import type { EpochMicros } from '../contract/event.ts';
import { IndexDamaged } from '../index/segment-indexes.ts';
import { Stopwatch, type Timings } from '../measure/operation-log.ts';
import { type Ast, type Plan, notesOfTotals, parseQuery, planQuery } from '../query/index.ts';
import { damageNotes, notesOf } from './answer-notes.ts';
import { namesOfTotals } from './groups/flow-totals.ts';
import type { GivenFile } from '../query/lookups/lookup-file.ts';
import { AskedView } from './asked-view.ts';
import type { GivenList } from './lists/case-lists.ts';
import { type Question, contextOf } from './plan-context.ts';
import { notePlan } from './search-cost.ts';
import type { CaseSession } from './session/case-session.ts';
import { type Snapshot, isGone } from './session/snapshot.ts';
import type { Priority } from './session/statement-scheduler.ts';

export interface View {
  query: string;
  from?: EpochMicros | undefined;
  to?: EpochMicros | undefined;
  /** Events must also match one of its rows. */
  list?: GivenList | undefined;
  /** Events must match none of its rows. */
  exclude?: GivenList | undefined;
  /** The files for `lookup`, by their names in the query. */
  lookups?: ReadonlyMap<string, GivenFile> | undefined;
  /** For times in the query that state no zone. */
  zone: string;
  /** `scan`: no index is used. */
  path?: 'scan' | undefined;
}

/** Common part of every answer about a view. */
export interface ViewScope {
  timings: Timings;
  days: { used: number; all: number };
  packetsBeneath?: { packets: number; exact: boolean };
  notes: string[];
}

/** Priority of each operation's statements; `later` for operations not listed. */
const PRIORITIES: Readonly<Record<string, Priority>> = {
  'result.rows': 'now',
  'result.locate': 'now',
  'result.open': 'first',
  'result.reopen': 'first',
  'timeline.run': 'first',
};

export function priorityOf(operation: string): Priority {
  return PRIORITIES[operation] ?? 'later';
}

/** How often a query is planned again after a compaction removed segments. */
const MAX_RETRIES = 3;

export class Asker {
  readonly session: CaseSession;
  readonly question: Question;
  readonly watch: Stopwatch;
  private readonly priority: Priority;
  private readonly ast: Ast;
  private lastChange: number;
  private current: { readonly snapshot: Snapshot; readonly plan: Plan };
  private retries = 0;
  private remarks: string[] = [];
  private measured: Timings | undefined;

  /**
   * @param read parses the question's text
   * @throws DaybookError query-syntax, unknown-field
   */
  constructor(
    session: CaseSession,
    operation: string,
    question: Question,
    priority: Priority,
    read: (text: string) => Ast = parseQuery,
  ) {
    this.session = session;
    this.question = question;
    this.priority = priority;
    this.watch = new Stopwatch(operation);
    try {
      this.ast = this.watch.span('parse', () => read(question.text));
      // Read first, so that a change between the two reads is not missed.
      this.lastChange = session.catalog.changes.last();
      this.current = this.planned(undefined);
    } catch (error) {
      this.fail(error);
      throw error;
    }
  }

  get plan(): Plan {
    return this.current.plan;
  }

  get snapshot(): Snapshot {
    return this.current.snapshot;
  }

  /** The view that answers the current plan. */
  asked(): AskedView {
    const { session, watch, priority, question } = this;
    const { snapshot, plan } = this.current;
    const { signal, path } = question;
    const notes = (this.remarks = []);
    return AskedView.on(
      { session, snapshot, watch, signal, priority, notes },
      plan,
      path === 'scan',
    );
  }

  /** Plans again on the case's current state. */
  replan(notBefore?: EpochMicros): void {
    this.lastChange = this.session.catalog.changes.last();
    this.current = this.planned(notBefore);
  }

  private planned(notBefore: EpochMicros | undefined): Asker['current'] {
    const { session, question, watch } = this;
    const snapshot = session.snapshot();
    const plan = watch.span('plan', () =>
      planQuery(this.ast, contextOf(snapshot, question, session, notBefore)),
    );
    notePlan(watch, plan);
    return { snapshot, plan };
  }

  /** Whether no change was announced since the plan was made. */
  isUnchanged(): boolean {
    return this.session.catalog.changes.last() === this.lastChange;
  }

  /** Whether another plan may succeed: a damaged side file is detected once, a missing segment was merged. */
  canRetry(error: unknown): boolean {
    return error instanceof IndexDamaged || (isGone(error) && this.retries++ < MAX_RETRIES);
  }

  /** A part of the answer was delivered: later failures get the full number of retries again. */
  progressed(): void {
    this.retries = 0;
  }

  finish(status: 'done' | 'cancelled' | 'failed'): void {
    this.measured = this.watch.timings();
    this.session.record(this.watch, status, this.question.text);
  }

  fail(error: unknown): void {
    this.finish(hasCode(error, 'cancelled') ? 'cancelled' : 'failed');
  }

  /** Notes on the answer, for people. */
  notes(): string[] {
    const { session, snapshot, plan } = this;
    return [
      ...notesOf(plan),
      ...notesOfTotals(plan.stages, () => namesOfTotals(snapshot.sources(), plan.segmentsUsed)),
      ...this.remarks,
      ...damageNotes(session, snapshot, plan),
    ];
  }

  timings(): Timings {
    return this.measured ?? this.watch.timings();
  }

  scope(): ViewScope {
    return scopeOf(this.plan, this.timings(), this.notes());
  }
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
