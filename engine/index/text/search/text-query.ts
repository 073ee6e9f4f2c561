/** Text queries and their results. */
import type { RowSet } from '../../../util/row-set.ts';

export interface QueryToken {
  readonly text: string;
  /** Whether `*` and `?` in `text` are wildcards. */
  readonly wildcard: boolean;
}

/** As in engine/query/filters/text.ts. */
export interface TextQuery {
  /** At least one. */
  readonly tokens: readonly QueryToken[];
  /** The text after each token but the last. */
  readonly between: readonly string[];
}

export interface TextAnswer {
  readonly rows: RowSet;
  /** Whether these are exactly the rows; otherwise the rows are among them. */
  readonly exact: boolean;
}
