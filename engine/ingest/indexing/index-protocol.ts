/** Messages between an import worker and its indexing thread. Plain data, so that it crosses threads. */
import type { ColumnName, Kind } from '../../contract/event.ts';
import type { CutMessages, Ip6Rows, NumberRows, TextRows } from '../../index/rows.ts';

/** `IndexRows` as sent: its large arrays are in shared memory. */
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
  /** The part is complete; `sorted`: its rows are in the segment's order. */
  | { readonly type: 'finish'; readonly part: string; readonly sorted: boolean }
  | { readonly type: 'drop'; readonly part: string };

export type FromIndexer =
  /** The oldest `rows` message was read: its memory is free. */
  | { readonly type: 'taken' }
  | { readonly type: 'built'; readonly part: string; readonly index: BuiltIndex }
  /** The part gets no index; its segment is scanned, and `verify` reports it. */
  | { readonly type: 'failed'; readonly part: string; readonly message: string };
