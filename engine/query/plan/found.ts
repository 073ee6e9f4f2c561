/** What is known of the events of a filter in one segment before a statement runs. */
import type { Filter } from '../filters/filter.ts';
import type { Rows } from './rows.ts';

/** Where an answer comes from: the heaviest of what its segments need. */
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
  /** What a row of `rows` must still meet; ALL where `exact`. */
  readonly rest: Filter;
  /** To a statement the filter itself costs less than such a set: it reads all rows. */
  readonly asFilter?: boolean | undefined;
  /** What it is known by: `catalog` where no index was asked, `scan` where all rows are to be read. */
  readonly by: Path;
  /** Events beside those of `rows`, which need not be read; only for a query that groups by template. */
  readonly templates?: readonly KnownTemplate[] | undefined;
}

/** By segment. */
export type Found = ReadonlyMap<number, FoundRows>;
