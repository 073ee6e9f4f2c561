/**
 * The interface of one stage: everything that it means. Each file NAME.ts of this folder has the faces
 * of one operator, and stages.ts lists them. Its syntax: syntax/stage-grammar.ts.
 *
 * Invariant: SQL (`table`, `relation`) defines the meaning. Batches in memory must give the same rows, which
 * conformance.test.ts checks. A face may be absent: then only a case can answer, or no rollup does.
 */
import type { Ast, Expression, Measure, Name, SortKey } from '../syntax/ast.ts';
import type { BatchStage } from '../batch/stage.ts';
import type { Budget } from '../batch/budget.ts';
import type { BatchTable } from '../batch/table.ts';
import type { Wanted } from '../batch/batch-scope.ts';
import type { ClickHouseRows, ClickHouseTable } from '../dialect/clickhouse-rows.ts';
import type { Filter } from '../filters/filter.ts';
import type { Field, Resolve } from '../names/fields.ts';
import type { ShapedEvents, Shaping } from '../plan/events-node.ts';
import type { Surroundings } from '../filters/surroundings.ts';
import type { Grid, MatchedRange } from '../time/grid.ts';
import type { Input, Relation, Table, TableColumn } from '../statements/relation.ts';
import type { Extent } from '../values/values.ts';

/** The shape of an answer. */
export type Shape =
  'rows' | 'table' | 'count' | 'top' | 'timeline' | 'talkers' | 'values' | 'stats';

/** Context in which a stage processes rows of batches. */
export interface BatchContext {
  readonly resolve: Resolve;
  readonly extent: Extent;
  /** Columns of the stage's table. */
  readonly columns: readonly TableColumn[];
  readonly budget: Budget;
  readonly wanted: Wanted;
  /** The time range that the query names. */
  readonly range: MatchedRangeOf;
  readonly zone: string;
  /** The buckets of a timeline once the first and the last event are known. */
  grid(matched: MatchedRange): Grid | undefined;
}
interface MatchedRangeOf {
  readonly from: number | undefined;
  readonly to: number | undefined;
}

/** A stage's question to rollups. */
export interface GroupedBy {
  readonly stage: 'top' | 'values' | 'stats';
  readonly fields: readonly Name[];
  readonly measures: readonly Measure[];
  readonly limit: number;
}

/** Values that a stage computes for each row. */
export interface Computed {
  /** Fields by name, in the order in which they are shown. */
  readonly fields: readonly { readonly name: string; readonly field: Field }[];
  /** Names that are not shown any more. */
  readonly hidden: readonly string[];
  /** For any other name: what exists in addition to a field of that name; undefined: nothing. */
  readonly any?: ((name: Name, field: Field | undefined) => Field | undefined) | undefined;
}

/** A number of rows at one end, in their order. */
export interface RowsEnd {
  readonly end: 'first' | 'last';
  readonly count: number;
}

export interface StageOperator<S> {
  /** Shape of the answer of a query that ends with it, if it aggregates events; absent: rows stay rows. */
  readonly shape?: Shape;
  /** SQL of the table that it makes of events or of another table. */
  table?(stage: S, input: Input, grid: Grid | undefined): Table;
  /**
   * The exact equivalent in ClickHouse, for events that were handed over (docs/team.md) or for another table:
   * selected rows, or a table. Absent: it is refused. Throws DaybookError `usage` if it cannot be expressed.
   */
  clickhouse?(stage: S, rows: ClickHouseRows): ClickHouseRows | ClickHouseTable;
  /** SQL that selects or orders rows, of events or of a table. */
  relation?(stage: S, relation: Relation, around: Surroundings): Relation;
  /** A condition that events must meet after it. */
  condition?(stage: S, resolve: Resolve, around: Surroundings): Filter;
  /** Changes events before any stage aggregates them: adds others, or selects the names to show. */
  events?(stage: S, before: ShapedEvents, shaping: Shaping): ShapedEvents;
  /** Keys that it sorts rows by, if it does nothing else. */
  sortsBy?(stage: S): readonly SortKey[];
  /** The rows at one end that it takes, if it does nothing else. */
  takes?(stage: S): RowsEnd;
  /** Fields that rows have more after it, or others by these names: of events and of tables, in SQL and in memory. */
  computes?(stage: S, resolve: Resolve, around: Surroundings): Computed;
  /**
   * Whether its rows form a table and are no longer events, because `relation` gives them other columns, or several
   * rows for one. Absent: never.
   */
  derives?(stage: S): boolean;
  /** With `derives`: in memory it needs only the row, and each row stays one. */
  readonly byRow?: true;
  /** Columns that are left of a table. */
  project?(stage: S, columns: readonly TableColumn[]): readonly TableColumn[];

  /** The stage with each of its filters replaced; absent: it has none. */
  withFilters?(stage: S, change: (filter: Expression) => Expression): S;
  /** The stage with its inner query of other events replaced; absent: it has none. */
  withQuery?(stage: S, change: (query: Ast) => Ast): S;
  /** The name of the file that it reads. */
  file?(stage: S): string;
  /** Fields of which an answer shows or sums one value per event. */
  fieldsTaken?(stage: S): readonly Name[];
  /** Whether it keeps all values of a group until the group is complete. */
  keepsValues?(stage: S): boolean;

  /** The events that it is about: others change nothing in its answer. Absent: all. */
  about?(stage: S): Expression;
  /**
   * A note for people about sources whose flows state one number of bytes for both directions.
   * @param sources their names; undefined if it is not known which, or whether there are any
   */
  noteOfTotals?(sources: readonly string[]): string[];
  /** It groups events by the template of their message, which text indexes know. */
  readonly byTemplate?: true;
  /** The question that rollups can answer instead. */
  groups?(stage: S): GroupedBy;

  /** Takes rows of batches in memory, as `table` takes those of a case; undefined: only a case can. */
  batches?(stage: S, context: BatchContext): BatchStage;
  /** Why `batches` cannot serve this one. */
  refusesBatches?(stage: S): string | undefined;
  /** The same for a table in memory. */
  batchTable?(stage: S, table: BatchTable, around: Surroundings): BatchTable;
  /** The reason why it depends on all events at once and a single pass cannot answer it. */
  needsAllEvents?(stage: S): string | undefined;
}
