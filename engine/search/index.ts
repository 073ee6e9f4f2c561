/**
 * Questions about a case: everything that answers one. What others may use of it.
 */
export { rowFieldNames } from '../query/shown-events.ts';
export type { AskedView } from './asked-view.ts';
export { askView } from './ask-view.ts';
export { type View, type ViewScope, scopeOf } from './asker.ts';
export { SUMMARY, summaryOf } from './events/event-summary.ts';
export { fieldsToRead, listBatch } from './events/list-batch.ts';
export {
  type ResultSet,
  type SendFirst,
  type Sort,
  askResult,
  goneResult,
  locate,
  openResult,
  readRows,
} from './events/result-set.ts';
export { conversations } from './groups/conversations.ts';
export { fieldValues } from './groups/field-values.ts';
export { sourcesOfTotals } from './groups/flow-totals.ts';
export { timeline } from './groups/timeline.ts';
export { top } from './groups/top.ts';
export { type GivenList, sha256Of, textOf } from './lists/case-lists.ts';
export { unmatchedLines } from './lists/unmatched-lines.ts';
export {
  type Answer,
  type AnswerTable,
  type QueryParameters,
  type RunningQuery,
  type ShownRecord,
  type ShownValue,
  shownRows,
  startQuery,
} from './query.ts';
export { contextOf } from './plan-context.ts';
export { askQuery, withinAnswered } from './query-within.ts';
export { eventIdOf, eventKey, locateEvents, noSuchEvent } from './rows/event-rows.ts';
export { SearchCost } from './search-cost.ts';
export { isSame, reachedBy } from './session/arrivals.ts';
export { CasePool } from './session/case-pool.ts';
export { CaseSession, type SourceRow, statusOf, type UnreadFile } from './session/case-session.ts';
export { type Snapshot, isGone } from './session/snapshot.ts';
export {
  type GivenFile,
  LOOKUP_LIMITS,
  formatTime,
  lookupNames,
  parseQuery,
} from '../query/index.ts';
