/** The public interface of engine/search, which answers questions about a case. */
export { rowFieldNames } from '../query/statements/shown-events.ts';
export { notesOf } from './answer-notes.ts';
export type { AskedView } from './asked-view.ts';
export { askView } from './ask-view.ts';
export { type View, type ViewScope, scopeOf } from './asker.ts';
export { SUMMARY, summaryOf } from './events/event-summary.ts';
export { fieldsToRead, listBatch, listed } from './events/list-batch.ts';
export {
  type ResultSet,
  type SendFirst,
  type Sort,
  askResult,
  goneResult,
  isByTime,
  MOST_KEPT,
  replanned,
  locate,
  openResult,
  ranges,
  readRows,
} from './events/result-set.ts';
export {
  type ConversationParameters,
  NO_FLOWS,
  conversationList,
  conversations,
  onlyOf,
} from './groups/conversations.ts';
export { type FieldValues, fieldValues, valueStages, valuesOf } from './groups/field-values.ts';
export { type FlowSource, namesOfTotals, sourcesOfTotals } from './groups/flow-totals.ts';
export {
  type Timeline,
  type TimelineParameters,
  countedRows,
  coveredSpan,
  emptied,
  fitted,
  timeline,
} from './groups/timeline.ts';
export { type Top, type TopParameters, linesOf, top, topOf, topStage } from './groups/top.ts';
export { CaseLists, type GivenList, sha256Of, textOf } from './lists/case-lists.ts';
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
