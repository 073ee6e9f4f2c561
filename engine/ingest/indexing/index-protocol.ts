/** What an import worker and its indexing thread say to each other. Plain data, so that it crosses threads. */
import type { ColumnName, Kind } from '../../contract/event.ts';
import type { CutMessages, Ip6Rows, NumberRows, TextRows } from '../../index/rows.ts';

/** `IndexRows` as it travels: its large arrays are lent. */
export interface RowsMessage {
  readonly length: number;
  readonly texts: readonly (readonly [string, TextRows])[];
  readonly numbers: readonly (readonly [ColumnName, NumberRows])[];
  readonly ip6: readonly (readonly ['src_ip6' | 'dst_ip6', Ip6Rows])[];
  readonly cut: CutMessages | undefined;
}

/** The side file of a part's segment, finished in the staging folder. */
export interface BuiltIndex {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

export type ToIndexer =
  | {
      readonly type: 'rows';
      readonly part: string;
      readonly kind: Kind;
      readonly rows: RowsMessage;
    }
  /** No more rows of the part come; they are in the segment's order already if `sorted`. */
  | { readonly type: 'finish'; readonly part: string; readonly sorted: boolean }
  | { readonly type: 'drop'; readonly part: string };

export type FromIndexer =
  /** The oldest `rows` was taken in: nothing of it is read any more. */
  | { readonly type: 'taken' }
  | { readonly type: 'built'; readonly part: string; readonly index: BuiltIndex }
  /** The part has no index; its segment is scanned, and `verify` says so. */
  | { readonly type: 'failed'; readonly part: string; readonly message: string };
