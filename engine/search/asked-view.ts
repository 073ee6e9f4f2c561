/** What the answer to a view is found with. */
import type { Stopwatch } from '../measure/operation-log.ts';
import type { MessageParts, Plan, RawValue, SegmentInfo } from '../query/index.ts';
import type { CaseSession } from './session/case-session.ts';
import type { RowFinder } from './rows/row-finder.ts';
import type { Snapshot } from './session/snapshot.ts';
import type { Priority } from './session/statement-scheduler.ts';

/** What an operation works with. */
export interface AskedView {
  readonly session: CaseSession;
  readonly snapshot: Snapshot;
  readonly plan: Plan;
  /** What finds the plan's rows without reading all of them; undefined: it must not. */
  readonly finder: RowFinder | undefined;
  readonly watch: Stopwatch;
  /** What a person should know about the answer. */
  readonly notes: string[];
  readonly signal: AbortSignal | undefined;
  /** All rows of a statement on the plan's segments, or some of them; in its operation's turn.
   * @param stop stands for the operation's signal */
  rows(
    statement: BoundStatement,
    segments?: readonly SegmentInfo[],
    rank?: Priority,
    stop?: AbortSignal,
  ): Promise<RawValue[][]>;
  /** The same as they come. */
  stream(statement: BoundStatement): AsyncGenerator<RawValue[][]>;
}

export interface BoundStatement {
  readonly sql: string;
  readonly params: readonly (string | number)[];
  readonly messages?: MessageParts | undefined;
}
