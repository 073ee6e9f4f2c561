/** Runs a query once: plans it on the case's current state, then reads rows or an answer. */
import type { Timings } from '../measure/operation-log.ts';
import {
  type Answer,
  type AnswerStatement,
  type Ast,
  type MatchedRange,
  type Plan,
  type RawValue,
  type ShownRecord,
  compileRange,
  formatter,
  parseQuery,
  shapeAnswer,
} from '../query/index.ts';
import { segmentsRead } from '../query/plan/plan-reads.ts';
import { completeEvents } from '../query/statements/shown-events.ts';
import { Asker } from './asker.ts';
import { EventReader, type RowBatch } from './events/event-reader.ts';
import { explainPlan } from './explain-query.ts';
import { answerDirectly } from './groups/answer-directly.ts';
import { answerGroups, tableReader } from './groups/answer-groups.ts';
import { tableBatches } from './groups/answer-table.ts';
import type { Question } from './plan-context.ts';
import type { Snapshot } from './session/snapshot.ts';
import type { CaseSession } from './session/case-session.ts';

export type { Answer, ShownRecord, ShownValue } from '../query/index.ts';

export interface QueryParameters extends Question {
  limit?: number | undefined;
  /** Its name in the latency log; `query.run` if omitted. */
  operation?: string;
}

/** A table whose rows are streamed: read `records` once, to its end or until it is returned. */
export interface AnswerTable {
  readonly columns: readonly string[];
  readonly records: AsyncGenerator<readonly ShownRecord[]>;
}

/** Rows of a streamed answer, with the statement that returned them. */
interface AnswerBatch {
  readonly statement: AnswerStatement | undefined;
  readonly rows: readonly (readonly RawValue[])[];
}

/** A planned query that can be run once. */
export class RunningQuery {
  readonly plan: Plan;
  /** The case as the query was planned on it. */
  readonly snapshot: Snapshot;
  private readonly asker: Asker;
  private readonly limit: number | undefined;

  constructor(asker: Asker, limit: number | undefined) {
    this.asker = asker;
    this.limit = limit;
    this.plan = asker.plan;
    this.snapshot = asker.snapshot;
  }

  /** Events, for a plan of shape `rows`. */
  async *rows(): AsyncGenerator<RowBatch> {
    const release = this.asker.session.store.hold();
    try {
      yield* new EventReader(this.asker, this.limit).batches();
    } finally {
      release();
    }
  }

  /** The answer of every other shape. */
  async answer(): Promise<Answer> {
    let statement: AnswerStatement | undefined;
    const rows: (readonly RawValue[])[] = [];
    for await (const batch of this.answerBatches()) {
      ({ statement } = batch);
      for (const row of batch.rows) rows.push(row);
    }
    const { plan, snapshot, question } = this.asker;
    return shapeAnswer(plan, statement, rows, snapshot, question.zone);
  }

  /** The same, streamed, for an answer that is a table: it has as many rows as the case has groups. */
  async table(): Promise<AnswerTable> {
    const batches = this.answerBatches();
    const first = await batches.next();
    const columns = first.done === true ? [] : (first.value.statement?.columns ?? []);
    const { record } = formatter(this.asker.snapshot, this.asker.question.zone);
    async function* records(): AsyncGenerator<readonly ShownRecord[]> {
      try {
        for (let next = first; next.done !== true; next = await batches.next())
          if (next.value.rows.length > 0) yield next.value.rows.map((row) => record(columns, row));
      } finally {
        await batches.return(undefined);
      }
    }
    return { columns: columns.map(({ name }) => name), records: records() };
  }

  /** The plan in lines of text: what it would read, and why. */
  explain(): Promise<string[]> {
    return explainPlan(this.asker.plan, this.asker.asked().finder);
  }

  /** Notes on the answer for people; call it after the query has ended. */
  notes(): string[] {
    return this.asker.notes();
  }

  /** Call it after the query has ended. */
  timings(): Timings {
    return this.asker.timings();
  }

  /** The segments being read stay until the end. */
  private async *answerBatches(): AsyncGenerator<AnswerBatch> {
    const { asker } = this;
    const release = asker.session.store.hold();
    try {
      for (let given = 0; ;) {
        try {
          for await (const batch of this.computed()) {
            given += batch.rows.length;
            yield batch;
          }
          asker.watch.rowsReturned = given;
          asker.finish('done');
          return;
        } catch (error) {
          if (given > 0 || !asker.canRetry(error)) {
            asker.fail(error);
            throw error;
          }
          asker.replan();
        }
      }
    } finally {
      release();
    }
  }

  private async *computed(): AsyncGenerator<AnswerBatch> {
    const { plan, watch } = this.asker;
    if (plan.catalogCount !== undefined) {
      yield { statement: undefined, rows: [] };
      return;
    }
    const asked = this.asker.asked();
    const { finder } = asked;
    const known =
      finder &&
      (await watch.spanAsync(
        'index',
        async () =>
          (await answerDirectly(finder, plan)) ?? answerGroups(asked, this.limit ?? Infinity),
      ));
    if (known !== undefined) {
      known.cost.tell(watch);
      yield known;
      return;
    }
    const pruned = await asked.pruned();
    let matched: MatchedRange | undefined;
    if (plan.needsRange) {
      const [[low, high] = []] = await pruned.rows(
        compileRange(pruned.plan),
        segmentsRead(pruned.plan),
      );
      if (typeof low === 'number' && typeof high === 'number') matched = { low, high };
    }
    // A count is one row, which is shown whatever the limit.
    const limit = plan.shape === 'count' ? undefined : this.limit;
    yield* tableBatches({ ...tableReader(pruned), matched, limit });
  }
}

/**
 * @param ast of the text, with values in place of its inner queries (query-within.ts)
 * @throws DaybookError query-syntax, unknown-field
 */
export function startQuery(
  session: CaseSession,
  parameters: QueryParameters,
  ast?: Ast,
): RunningQuery {
  const { operation = 'query.run', limit, ...question } = parameters;
  const read = (text: string): Ast => ast ?? parseQuery(text);
  return new RunningQuery(new Asker(session, operation, question, 'now', read), limit);
}

/** The running query's rows in the form that people and scripts see. */
export async function* shownRows(
  running: RunningQuery,
  zone: string,
): AsyncGenerator<ShownRecord[]> {
  const { event } = formatter(running.snapshot, zone);
  for await (const batch of running.rows()) {
    const records = batch.rows.map((row) => event(batch.columns, row));
    completeEvents(records, running.plan);
    yield records;
  }
}
