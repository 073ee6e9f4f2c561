/**
 * All that Daybook knows of one kind of condition, behind one interface: each file NAME.ts of this
 * folder has the faces of one operator, and filter.ts lists them.
 *
 * Invariant: `sql` is the meaning. Every other face must agree with it, which conformance.test.ts
 * checks on the same rows. A face may be absent: then the next heavier access path is taken.
 */
import type { Kind } from '../../contract/event.ts';
import type { RowFilter } from '../batch/row-filter.ts';
import type { RowScope } from '../batch/row-scope.ts';
import type { ClickHouseScope } from '../dialect/clickhouse-scope.ts';
import type { Dimension } from '../names/dimensions.ts';
import type { DistinctKeys, CandidateRows, SegmentView } from '../plan/index-view.ts';
import type { Predicate, Scope, SegmentInfo } from '../plan/scope.ts';
import type { AddressRange } from '../values/address.ts';
import type { WrittenTest } from './surroundings.ts';

/** Flags of a dimension's values that are meant, that of having none last. */
export interface KeyCondition {
  readonly dim: Dimension;
  /** It asks whether there is a value, not which. */
  readonly presence?: boolean | undefined;
  flags(values: DistinctKeys, size: number): Uint8Array;
}

/** One range of addresses: which of a segment's values are in it is asked of its index of values. */
export interface AddressCondition {
  readonly dim: 'src_ip' | 'dst_ip';
  readonly range: AddressRange;
}

/** Whether the bytes of a record that could not be read contain what is asked for; undefined: unknown. */
export type RecordTest = (bytes: Uint8Array, text: () => string) => boolean | undefined;

export interface FilterOperator<F> {
  /** Reads a written test; undefined: such a test of such a field is another operator's. Throws QueryError. */
  parse?(written: WrittenTest): F | undefined;
  /** Conditions with the same key may be merged into one that any of them meets. */
  mergeKey?(filter: F): string | undefined;
  merge?(filters: readonly F[]): F;
  /** The condition in words of the query language, for `--explain`. */
  describe(filter: F): string;

  /** SQL that is TRUE exactly for the events that match, FALSE or NULL for the rest. */
  sql(filter: F, scope: Scope): Predicate;
  /**
   * The same of events that were handed over and loaded into ClickHouse (docs/team.md), exactly; absent: it is refused.
   * Throws DaybookError `usage` for what it cannot say.
   */
  clickhouse?(filter: F, scope: ClickHouseScope): string;
  /** Any of several, where conditions of one pass over the text find any of them. */
  sqlOfAny?(filters: readonly F[], scope: Scope): Predicate[];
  clickhouseOfAny?(filters: readonly F[], scope: ClickHouseScope): string;
  /** Cost of the comparison in SQL, per row: numbers, a whole value, text. */
  readonly sqlCost: 'low' | 'medium' | 'high';

  /**
   * Rows by what is known of a segment: certain where `exact`, else possible; undefined: unknown.
   * @param few asked about few rows: what would only narrow them is not looked up
   */
  rows?(
    filter: F,
    segment: SegmentInfo,
    known: SegmentView,
    few: boolean,
  ): CandidateRows | undefined;
  /** In no unit: conditions are looked up in the order of it. */
  lookUpCost(filter: F): number;

  /** A condition on one dimension of rollups; undefined: it is none. */
  groups?(filter: F): KeyCondition | AddressCondition | undefined;

  /** Rows of a batch in memory; absent: only a case can answer. */
  columns?(filter: F, scope: RowScope): RowFilter;
  /** Its result for all events of a kind; undefined: it depends on the event. */
  ofKind?(filter: F, kind: Kind): boolean | undefined;

  /** Absent: the text of a record does not say. */
  record?(filter: F): RecordTest;
}
