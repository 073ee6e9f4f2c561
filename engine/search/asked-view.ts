/**
 * Runs the statements of a plan: attaches segments as needed, schedules statements, and assembles messages that
 * were read in parts.
 */
import type { SegmentRow } from '../catalog/tables/segments.ts';
import type { Stopwatch } from '../measure/operation-log.ts';
import type { MessageParts, Plan, RawValue, SegmentInfo } from '../query/index.ts';
import { segmentsRead } from '../query/plan/plan-reads.ts';
import { returnMemoryAbove } from '../store/return-memory.ts';
import type { Bound, Plain } from '../store/reading/segment-store.ts';
import { finderOf, type RowFinder } from './rows/row-finder.ts';
import { cutSegments, putTogether } from './rows/whole-messages.ts';
import { noteRead } from './search-cost.ts';
import type { CaseSession } from './session/case-session.ts';
import type { Snapshot } from './session/snapshot.ts';
import type { Priority } from './session/statement-scheduler.ts';

interface BoundStatement {
  readonly sql: string;
  readonly params: readonly Bound[];
  readonly messages?: MessageParts | undefined;
}

interface AskedFor {
  readonly session: CaseSession;
  readonly snapshot: Snapshot;
  readonly watch: Stopwatch;
  readonly signal: AbortSignal | undefined;
  /** Priority of its statements. */
  readonly priority: Priority;
  /** Notes of this operation, in addition to those of the plan. */
  readonly notes: string[];
}

/** A planned view with everything that answering it needs. */
export class AskedView implements AskedFor {
  readonly session: CaseSession;
  readonly snapshot: Snapshot;
  readonly watch: Stopwatch;
  readonly signal: AbortSignal | undefined;
  readonly priority: Priority;
  readonly notes: string[];
  readonly plan: Plan;
  /** Finds the plan's rows without reading all of them; undefined: every row must be read. */
  readonly finder: RowFinder | undefined;

  private constructor(
    { session, snapshot, watch, signal, priority, notes }: AskedFor,
    plan: Plan,
    finder: RowFinder | undefined,
  ) {
    this.session = session;
    this.snapshot = snapshot;
    this.watch = watch;
    this.signal = signal;
    this.priority = priority;
    this.notes = notes;
    this.plan = plan;
    this.finder = finder;
  }

  static on(asked: AskedFor, plan: Plan, scans = false): AskedView {
    const { session, snapshot, signal, priority } = asked;
    const bare = new AskedView(asked, plan, undefined);
    if (scans) return bare;
    // An operation with a higher priority may be waiting for the result.
    const rank = priority === 'now' ? 'now' : 'first';
    const finder = finderOf(session, snapshot, signal, (statement, segments, stop) =>
      bare.rows(statement, segments, rank, stop),
    );
    return new AskedView(asked, plan, finder);
  }

  /** The same for another plan. */
  on(plan: Plan): AskedView {
    return new AskedView(this, plan, this.finder);
  }

  /** The same, but its statements do not wait: for a few rows that a person is looking for. */
  atOnce(): AskedView {
    return new AskedView({ ...this, priority: 'now' }, this.plan, this.finder);
  }

  /** The same, restricted to the rows that the indexes leave possible. */
  async pruned(): Promise<AskedView> {
    const { finder, plan, watch } = this;
    if (finder === undefined || plan.segmentsUsed.length === 0) return this;
    const prunedPlan = await watch.spanAsync('index', () => finder.prune(plan));
    if (plan.path !== 'catalog') noteRead(watch, prunedPlan);
    return this.on(prunedPlan);
  }

  /**
   * All rows of a statement on the plan's segments, or on some of them.
   * @param stop replaces the operation's signal
   */
  async rows(
    statement: BoundStatement,
    segments: readonly SegmentInfo[] = segmentsRead(this.plan),
    priority = this.priority,
    stop = this.signal,
  ): Promise<RawValue[][]> {
    const out: RawValue[][] = [];
    for await (const rows of this.plainRows(statement, segments, priority, stop)) {
      await this.assemble(rows, statement, segments);
      for (const row of rows) out.push(row.map(toRawValue));
    }
    return out;
  }

  /** The same, streamed. */
  async *stream(
    statement: BoundStatement,
    segments: readonly SegmentInfo[] = segmentsRead(this.plan),
  ): AsyncGenerator<RawValue[][]> {
    for await (const rows of this.plainRows(statement, segments)) {
      await this.assemble(rows, statement, segments);
      yield rows.map((row) => row.map(toRawValue));
    }
  }

  /** Rows as stored: messages are in parts if the statement selects parts. */
  async *plainRows(
    statement: BoundStatement,
    segments: readonly SegmentInfo[] = segmentsRead(this.plan),
    priority = this.priority,
    stop = this.signal,
  ): AsyncGenerator<Plain[][]> {
    const { session, snapshot, watch, plan } = this;
    await returnMemoryAbove(session.processMemory);
    await watch.spanAsync('attach', () =>
      session.prepare(this.rowsOf(segments), snapshot, statement.sql, [
        plan.context.list,
        plan.context.exclude,
      ]),
    );
    const end =
      priority === 'now'
        ? undefined
        : await watch.spanAsync('wait', () => session.scheduler.take(priority, stop));
    try {
      let span = 'execute';
      let from = performance.now();
      for await (const batch of session.store.query(statement.sql, statement.params, stop)) {
        watch.add(span, performance.now() - from);
        span = 'fetch';
        const rows: Plain[][] = [];
        for (let row = 0; row < batch.rows; row++)
          rows.push(batch.columns.map((column) => column[row]!));
        yield rows;
        from = performance.now();
      }
      watch.add(span, performance.now() - from);
    } finally {
      end?.();
    }
  }

  /** Assembles messages that are in parts. */
  async assemble(
    rows: readonly Plain[][],
    { messages }: BoundStatement,
    segments: readonly SegmentInfo[],
  ): Promise<void> {
    if (messages === undefined) return;
    const shapes = await this.session.store.messageShapes(cutSegments(this.rowsOf(segments)));
    for (const row of rows) putTogether(row, messages, shapes);
  }

  private rowsOf(segments: readonly SegmentInfo[]): SegmentRow[] {
    const wanted = new Set(segments.map(({ id }) => id));
    return this.snapshot.segments.filter(({ id }) => wanted.has(id));
  }
}

/** A stored value in the form that formatters take. */
export function toRawValue(value: Plain): RawValue {
  return Array.isArray(value) ? JSON.stringify(value) : value;
}
