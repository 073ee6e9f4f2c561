/**
 * The interface of one kind of condition: everything that Daybook knows of it. Each file NAME.ts of this folder has
 * the faces of one operator, and filter.ts lists them.
 *
 * Invariant: `sql` defines the meaning. Every other face must agree with it, which conformance.test.ts checks on
 * the same rows. A face may be absent: then the next heavier access path is taken.
 */
import type { Kind } from '../../contract/event.ts';
import type { RowFilter } from '../batch/row-filter.ts';
import type { RowScope } from '../batch/row-scope.ts';
import type { ClickHouseScope } from '../dialect/clickhouse-scope.ts';
import type { Dimension } from '../names/dimensions.ts';
import type { DistinctKeys, CandidateRows, SegmentView } from '../plan/known-rows/index-view.ts';
import type { Predicate, Scope, SegmentInfo } from '../plan/scope.ts';
import type { AddressRange } from '../values/address.ts';
import type { WrittenTest } from './surroundings.ts';

/** A flag for each value of a dimension that matches, the last for having no value. */
export interface KeyCondition {
  readonly dim: Dimension;
  /** Whether it tests that there is a value, not which. */
  readonly presence?: boolean | undefined;
  flags(values: DistinctKeys, size: number): Uint8Array;
}

/** One range of addresses: a segment's index of values tells which of its values are in it. */
export interface AddressCondition {
  readonly dim: 'src_ip' | 'dst_ip';
  readonly range: AddressRange;
}

/** Whether the bytes of an unparsed record contain what the query asks for; undefined: unknown. */
export type RecordTest = (bytes: Uint8Array, text: () => string) => boolean | undefined;

export interface FilterOperator<F> {
  /** Parses a test; undefined if another operator is responsible for it. Throws QueryError. */
  parse?(written: WrittenTest): F | undefined;
  /** Conditions with the same key may be merged into one that matches if any of them does. */
  mergeKey?(filter: F): string | undefined;
  merge?(filters: readonly F[]): F;
  /** The condition in words of the query language, for `--explain`. */
  describe(filter: F): string;

  /** SQL that is TRUE exactly for the events that match, FALSE or NULL for the rest. */
  sql(filter: F, scope: Scope): Predicate;
  /**
   * The exact equivalent for events that were handed over and loaded into ClickHouse (docs/team.md); absent: it is
   * refused. Throws DaybookError `usage` if it cannot be expressed.
   */
  clickhouse?(filter: F, scope: ClickHouseScope): string;
  /** Any of several, where conditions of one pass over the text find any of them. */
  sqlOfAny?(filters: readonly F[], scope: Scope): Predicate[];
  clickhouseOfAny?(filters: readonly F[], scope: ClickHouseScope): string;
  /** Cost of the comparison in SQL, per row: numbers, a whole value, text. */
  readonly sqlCost: 'low' | 'medium' | 'high';

  /**
   * Rows from what is known about a segment: certain if `exact`, otherwise possible; undefined: unknown.
   * @param isSelective only few rows matter: look-ups that would only narrow them are skipped
   */
  rows?(
    filter: F,
    segment: SegmentInfo,
    known: SegmentView,
    isSelective: boolean,
  ): CandidateRows | undefined;
  /** Relative cost: conditions are looked up in this order. */
  lookUpCost(filter: F): number;

  /** As a condition on one dimension of rollups; undefined if it is not one. */
  groups?(filter: F): KeyCondition | AddressCondition | undefined;

  /** Rows of a batch in memory; absent: only a case can answer. */
  columns?(filter: F, scope: RowScope): RowFilter;
  /** Its result for all events of a kind; undefined if it depends on the event. */
  ofKind?(filter: F, kind: Kind): boolean | undefined;

  /** Absent: the text of a record does not decide it. */
  record?(filter: F): RecordTest;
}
