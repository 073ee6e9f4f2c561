/**
 * The query language: text → syntax tree → plan → SQL and bound values. Pure: no database.
 *
 * `planQuery(text, context)` reports every error of a query. Then call, for `rows`, `compileRows` (day by day if
 * the plan is `streaming`); for other shapes `compileRange` if the plan `needsRange`, `compileAnswer`, and
 * `shapeAnswer` on the result. The language: docs/query-language.md.
 */
export type { Ast, Expression, Stage, WithinNode } from './syntax/ast.ts';
export { walk } from './syntax/ast.ts';
export { type GivenFile, LOOKUP_LIMITS, lookupFiles } from './lookups/lookup-file.ts';
export { lookupNames } from './lookups/lookup-names.ts';
export { FUNCTIONS, STAGE_NAMES } from './syntax/lexemes.ts';
export { parseQuery } from './syntax/parse.ts';
export { quoted, quoteValue } from './syntax/print.ts';
export { QueryError } from './syntax/query-error.ts';
export type { SegmentInfo } from './plan/scope.ts';
export { OVERFLOW_COLUMN } from './plan/scope.ts';
export { type Filter, listOf } from './filters/filter.ts';
export { type CompileContext, type Plan, limited } from './plan/plan.ts';
export { planQuery } from './plan/plan-query.ts';
export { shapeOfAnswer } from './plan/plan-tables.ts';
export { filtersOf } from './plan/events-node.ts';
export type { MatchedRange } from './time/grid.ts';
export { endsEvents, notesOfTotals } from './stages/stages.ts';
export {
  ROW_IDENTITY,
  type AnswerOptions,
  type AnswerStatement,
  type RowsOptions,
  type Statement,
  compileAnswer,
  compileGroupEstimate,
  compileKeys,
  compileRange,
  compileKnownRows,
  compileOrderedOf,
  compileOrderPlaces,
  compileOrderSize,
  compileOrderSlice,
  compileOrderTable,
  compilePlacedRows,
  compileSpill,
  compileSpilled,
  compileRows,
  compileTableSize,
  outputsOf,
} from './statements/statements.ts';
export { type ClickHouseStatement, clickhouseStatement } from './clickhouse/statement.ts';
export {
  type ListPart,
  clickhouseEventIds,
  clickhouseExtent,
  clickhouseHistogram,
  clickhouseList,
  clickhousePlace,
  clickhouseSparklines,
  clickhouseStackedTimeline,
} from './clickhouse/list.ts';
export { clickhouseMatchedLines } from './clickhouse/matched-lines.ts';
export {
  clickhouseConversationDetails,
  clickhouseConversations,
} from './clickhouse/conversations.ts';
export { type Answer, countAnswer, shapeAnswer } from './answers/answer.ts';
export type { RawValue } from './values/raw-value.ts';
export type { Names } from './filters/surroundings.ts';
export { type ShownRecord, type ShownValue, formatTime, formatter } from './answers/format.ts';
export type { FoundRows, Path } from './plan/known-rows/found.ts';
export type { CandidateRows } from './plan/known-rows/index-view.ts';
export type { StoredMessages, StoredShape } from './statements/stored-messages.ts';
export { type JoinColumn, type JoinKey, JoinTable, hashRows, joinKeys } from './lists/list-join.ts';
export {
  type Rows,
  countOf,
  firstOf,
  intersect,
  rankOf,
  rowsOf,
  sliceOf,
} from './plan/known-rows/rows.ts';
export { type Explained, explain, listText } from './plan/explain.ts';
export { type Outline, errorSpan, eventsAst, outlineOf } from './plan/outline.ts';
export { type Place, placeAt } from './syntax/place-at.ts';
export {
  type ConversationOrder,
  DETAILS,
  NUMBERS,
  TOTALS,
  compileConversationDetails,
  compileConversations,
} from './statements/conversations.ts';
export { compileGroups, compileSparklines, compileTimeSpan } from './statements/groups.ts';
export {
  DAY,
  type EvenGrid,
  afterColumns,
  compileStackedTimeline,
  evenGrid,
} from './statements/stacked-timeline.ts';
export {
  columnNames,
  compileByNumber,
  compileExtent,
  compileNumbered,
  compileOrder,
  hasSeveralValues,
  isAlwaysThere,
  takesAll,
  withoutLastSort,
} from './statements/event-list.ts';
export type { MessageParts } from './statements/message-parts.ts';
export { formatEventId, parseEventId } from './filters/event-id.ts';
export { ALIASES } from '../fields/registry/registry.ts';
export { VIRTUAL as VIRTUAL_NAMES, knownField, knownNames } from './names/fields.ts';
export { NAMED, WEEKDAYS, protocolName } from './filters/names.ts';
export { formatIp4, formatIp6 } from './values/address.ts';
export { recordTest } from './filters/record-test.ts';
export { LINE_COLUMN, keyColumn, listRows } from './filters/list.ts';
export {
  choosesAmong,
  compileMatchedLines,
  compileMatchedText,
  compileSomeEvent,
} from './lists/matched-lines.ts';
export { ListError } from './lists/list-error.ts';
export { glanceList } from './lists/list-glance.ts';
export { MatchList, isListHeading, listFieldOf, readList } from './lists/match-list.ts';
export { eventFields } from './names/fields.ts';
export type { OutputColumn } from './statements/outputs.ts';
export { ADDRESS_CLASSES } from './filters/address-classes.ts';
export { VALUE_FUNCTION_LIST } from './expressions/functions.ts';
export { STAGE_LIST } from './stages/stages.ts';
export { MOST_WITHIN, queriesWithin, withValues } from './plan/within.ts';
