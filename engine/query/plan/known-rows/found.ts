/** What is known about the events of a filter in one segment before a statement runs. */
import type { Filter } from '../../filters/filter.ts';
import type { Rows } from './rows.ts';

/** Access path of an answer: the heaviest that its segments need. */
export type Path = 'catalog' | 'rollup' | 'index' | 'scan';

/** Events of a segment whose messages have one template. */
export interface KnownTemplate {
  /** Undefined: they have no message. */
  readonly template: string | undefined;
  /** Numbers of the first and the last row. */
  readonly first: number;
  readonly last: number;
  readonly count: number;
}

export interface FoundRows {
  /** No other row is one of the filter's. Deleted ones are not among them. */
  readonly rows: Rows;
  /** Each of them is. */
  readonly exact: boolean;
  /** The condition that rows of `rows` must still meet; ALL if `exact`. */
  readonly rest: Filter;
  /** The filter itself is cheaper in a statement than such a set: it reads all rows. */
  readonly asFilter?: boolean | undefined;
  /** How it is known: `catalog` if no index was used, `scan` if all rows must be read. */
  readonly by: Path;
  /** Events in addition to those of `rows`, which need not be read; only for a query that groups by template. */
  readonly templates?: readonly KnownTemplate[] | undefined;
}

/** By segment. */
export type Found = ReadonlyMap<number, FoundRows>;
