/**
 * All that Daybook knows of one stage, behind one interface: each file NAME.ts of this folder has the
 * faces of one operator, and stages.ts lists them.
 *
 * Invariant: SQL (`table`, `relation`) is the meaning. Batches in memory must give the same rows, which
 * conformance.test.ts checks. A face may be absent: then only a case can answer, or no rollup does.
 */
import type {
  Ast,
  Cut,
  Expression,
  Interval,
  Measure,
  Name,
  SequenceStep,
  ValueNode,
} from '../syntax/ast.ts';
import type { BatchStage } from '../batch/stage.ts';
import type { Budget } from '../batch/budget.ts';
import type { BatchTable } from '../batch/table.ts';
import type { Wanted } from '../batch/batch-scope.ts';
import type { ClickHouseRows, ClickHouseTable } from '../dialect/clickhouse-rows.ts';
import type { Field, Resolve } from '../names/fields.ts';
import type { Surroundings } from '../filters/surroundings.ts';
import type { Grid, MatchedRange } from '../time/grid.ts';
import type { Input, Relation, Table, TableColumn } from '../statements/relation.ts';
import type { Extent } from '../values/values.ts';

export type WithoutSpan<T> = T extends unknown ? Omit<T, 'start' | 'end'> : never;

/** The shape of an answer. */
export type Shape =
  'rows' | 'table' | 'count' | 'top' | 'timeline' | 'talkers' | 'values' | 'stats';

/** What a stage reads of the text after its name. Throws QueryError. */
export interface StageReader {
  filter(): Expression;
  /** A query in brackets. */
  nested(): Ast;
  number(): number | undefined;
  name(): Name;
  names(): Name[];
  /** A name that only a field or a column has: no expression is computed in its place. */
  column(): Name;
  columns(): Name[];
  /** The name of a file: a word or a text in quotes. */
  path(): string;
  /** An expression. */
  value(): ValueNode;
  /** `"from {src_ip}"` or `/(?<user>\w+)/`. */
  templateOrPattern(): Cut;
  /** Takes a sign. */
  take(sign: string): boolean;
  measure(): Measure;
  interval(): Interval | undefined;
  /** @param after a word that it must follow */
  neededInterval(after?: string): Interval;
  /** A filter up to `then` or the end, and how many events there are to be: `failed x10`. */
  step(): SequenceStep;
  /** Takes a word of the stage's own, in any case. */
  word(text: string): boolean;
  /** Takes `by`, if it is not the name of a field itself. */
  optionalBy(): void;
  /** A sign before a name: `-bytes`. */
  sign(): '+' | '-' | undefined;
  comma(): boolean;
  /** Whether a name is next that is none of these words. */
  isName(...words: readonly string[]): boolean;
  /** Where the text is read from. */
  readonly at: number;
}

/** What a stage takes rows of batches into. */
export interface BatchContext {
  readonly resolve: Resolve;
  readonly extent: Extent;
  /** Of the stage's table. */
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

/** What rollups are asked for. */
export interface GroupedBy {
  readonly stage: 'top' | 'values' | 'stats';
  readonly fields: readonly Name[];
  readonly measures: readonly Measure[];
  readonly limit: number;
}

/** What a stage computes of each row. */
export interface Computed {
  /** Fields by name, in the order in which they are shown. */
  readonly fields: readonly { readonly name: string; readonly field: Field }[];
  /** Names that are not shown any more. */
  readonly hidden: readonly string[];
  /** Of any other name: what there is beside a field of that name; undefined: nothing is. */
  readonly any?: ((name: Name, own: Field | undefined) => Field | undefined) | undefined;
}

export interface StageOperator<S> {
  /** How it is written, for messages. */
  readonly form: string;
  /** What it does, in a few words, for completion. */
  readonly does: string;
  parse(reader: StageReader): WithoutSpan<S>;

  /** Of the answer of a query that ends with it, where it aggregates events; absent: rows stay rows. */
  readonly shape?: Shape;
  /** SQL of the table that it makes of events or of another table. */
  table?(stage: S, input: Input, grid: Grid | undefined): Table;
  /**
   * The same in ClickHouse, of events that were handed over (docs/team.md) or of another table: rows that are chosen, or a
   * table, exactly. Absent: it is refused. Throws DaybookError `usage` for what it cannot say.
   */
  clickhouse?(stage: S, rows: ClickHouseRows): ClickHouseRows | ClickHouseTable;
  /** SQL of rows that are chosen or put in order, of events or of a table. */
  relation?(stage: S, relation: Relation, around: Surroundings): Relation;
  /** Fields that rows have more after it, or others by these names: of events and of tables, in SQL and in memory. */
  computes?(stage: S, resolve: Resolve, around: Surroundings): Computed;
  /**
   * Whether rows after it are a table and no events any more, as `relation` gives them other columns, or gives several
   * for one. Absent: never.
   */
  derives?(stage: S): boolean;
  /** With `derives`: in memory it needs nothing but the row, which stays one. */
  readonly byRow?: true;
  /** Columns that are left of a table. */
  project?(stage: S, columns: readonly TableColumn[]): readonly TableColumn[];

  /** The stage with each of its filters changed; absent: it has none. */
  withFilters?(stage: S, change: (filter: Expression) => Expression): S;
  /** The stage with the query of other events that is part of it changed; absent: it has none. */
  withQuery?(stage: S, change: (query: Ast) => Ast): S;
  /** The name of the file that it reads. */
  file?(stage: S): string;
  /** Fields of which an answer shows or adds up one value of each event. */
  fieldsTaken?(stage: S): readonly Name[];
  /** Whether it keeps all values of a group until the group is complete. */
  keepsValues?(stage: S): boolean;

  /** The events that it is about: others change nothing in its answer. Absent: all. */
  about?(stage: S): Expression;
  /**
   * What a person should know of sources whose flows state one number of bytes for both ways.
   * @param sources their names; undefined: nobody knows which, or whether any
   */
  noteOfTotals?(sources: readonly string[]): string[];
  /** The question that rollups can answer instead. */
  groups?(stage: S): GroupedBy;

  /** Takes rows of batches in memory, as `table` takes those of a case; undefined: only a case can. */
  batches?(stage: S, context: BatchContext): BatchStage;
  /** Why `batches` cannot serve this one. */
  refusesBatches?(stage: S): string | undefined;
  /** The same on a table in memory. */
  batchTable?(stage: S, table: BatchTable, around: Surroundings): BatchTable;
  /** What of it is known of events only when all of them are, so that no single pass gives it. */
  needsAllEvents?(stage: S): string | undefined;
}
