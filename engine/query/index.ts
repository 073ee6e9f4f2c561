/**
 * The query language: text → syntax tree → plan → SQL and bound values. Pure: no database.
 *
 * `planQuery(text, context)` finds everything that is wrong with a query. Then, for `rows`,
 * `compileRows` (day by day when the plan is `streaming`); for every other shape
 * `compileRange` if the plan `needsRange`, `compileAnswer`, and `shapeAnswer` on the result.
 * The language: docs/query-language.md.
 */
export type { Ast, Expression, Stage, WithinNode } from './ast.ts';
export { walk } from './ast.ts';
export { type GivenFile, LOOKUP_LIMITS, lookupFiles } from './lookups/lookup-file.ts';
export { lookupNames } from './lookups/lookup-names.ts';
export { parseQuery } from './parse.ts';
export { QueryError } from './query-error.ts';
export type { SegmentInfo } from './scope.ts';
export { OVERFLOW_COLUMN } from './scope.ts';
export type { Filter } from './filters/filter.ts';
export { type CompileContext, type Plan, limited, planQuery, shapeOfAnswer } from './plan.ts';
export type { MatchedRange } from './grid.ts';
export { isAggregating, notesOfTotals } from './stages/stages.ts';
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
} from './statements.ts';
export {
  type ClickHouseColumn,
  type ClickHouseStatement,
  clickhouseStatement,
} from './clickhouse-statement.ts';
export {
  type ListPart,
  clickhouseEventIds,
  clickhouseExtent,
  clickhouseHistogram,
  clickhouseList,
  clickhousePlace,
  clickhouseSparklines,
  clickhouseStackedTimeline,
} from './clickhouse-list.ts';
export { clickhouseMatchedLines } from './clickhouse-matched-lines.ts';
export {
  clickhouseConversationDetails,
  clickhouseConversations,
} from './clickhouse-conversations.ts';
export { type Answer, countAnswer, shapeAnswer } from './answer.ts';
export type { RawValue } from './raw-value.ts';
export {
  type FormatOptions,
  type ShownRecord,
  type ShownValue,
  formatTime,
  formatter,
} from './format.ts';
export type { FoundRows, Path } from './found.ts';
export type { CandidateRows } from './index-view.ts';
export type { StoredMessages, StoredShape } from './stored-messages.ts';
export { type JoinColumn, type JoinKey, JoinTable, hashRows, joinKeys } from './lists/list-join.ts';
export { type Rows, countOf, firstOf, intersect, rankOf, rowsOf, sliceOf } from './rows.ts';
export { type Explained, explain, listText } from './explain.ts';
export { type Outline, errorSpan, eventsAst, outlineOf, pieceSpans } from './outline.ts';
export {
  type ConversationOrder,
  DETAILS,
  NUMBERS,
  TOTALS,
  compileConversationDetails,
  compileConversations,
} from './conversations.ts';
export { compileGroups, compileSparklines, compileTimeSpan } from './groups.ts';
export {
  DAY,
  type EvenGrid,
  afterColumns,
  compileStackedTimeline,
  evenGrid,
} from './stacked-timeline.ts';
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
} from './event-list.ts';
export type { MessageParts } from './message-parts.ts';
export { formatEventId, parseEventId } from './filters/event-id.ts';
export { ALIASES } from '../fields/registry.ts';
export { VIRTUAL as VIRTUAL_NAMES, knownField, knownNames } from './fields.ts';
export { NAMED, WEEKDAYS, protocolName } from './filters/names.ts';
export { formatIp4, formatIp6 } from './address.ts';
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
export { eventFields } from './fields.ts';
export type { OutputColumn } from './outputs.ts';
export { ADDRESS_CLASSES } from './filters/address-classes.ts';
export { VALUE_FUNCTION_LIST } from './expressions/functions.ts';
export { STAGE_LIST } from './stages/stages.ts';
export { MOST_WITHIN, queriesWithin, withValues } from './within.ts';
