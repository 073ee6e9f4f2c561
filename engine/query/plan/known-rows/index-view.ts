/**
 * What operators can learn about a segment's rows without reading them. Interfaces only: engine/index implements
 * them, and the caller of a search passes them in.
 */
import type { RowSet } from '../../../util/row-set.ts';
import type { Rows } from './rows.ts';

/** A word, or words one after another with the same text between them. */
export interface IndexedPhrase {
  /** At least one. */
  readonly tokens: readonly { readonly text: string; readonly wildcard: boolean }[];
  /** The text after each token but the last. */
  readonly between: readonly string[];
}

/** Tokens of texts. Undefined: the index cannot tell. */
interface TextView {
  /**
   * Whether it covers all texts that words are searched in. An index of an earlier version lacks those of
   * `CUT_TEXTS`.
   */
  readonly hasAllTexts: boolean;
  /** @param column all that words are searched in, if omitted */
  search(
    phrase: IndexedPhrase,
    column?: string,
  ): { readonly rows: RowSet; readonly exact: boolean } | undefined;
}

interface TimeView {
  /** The first row at or after a time in UTC microseconds; rows without a time come last. */
  rowAt(ts: number): number;
}

export interface Ip4Ranges {
  readonly lows: Uint32Array;
  readonly highs: Uint32Array;
}

type Ip4Column = 'src_ip4' | 'dst_ip4';
type Ip6Column = 'src_ip6' | 'dst_ip6';

/** Whole values. Undefined: the column is not in the index, or has too many values. */
export interface ValueView {
  rowsOfIp4(column: Ip4Column, low: number, high: number): RowSet | undefined;
  rowsOfIp6(column: Ip6Column, low: Uint8Array, high: Uint8Array): RowSet | undefined;
  rowsOfIp4List(column: Ip4Column, ranges: Ip4Ranges): RowSet | undefined;
  rowsOfText(column: 'host' | 'program', test: (text: string) => boolean): RowSet | undefined;
  unflowed(): RowSet | undefined;
  /** An upper bound of the number of rows, known without reading a page of the index. */
  mostOfIp4(column: Ip4Column, low: number, high: number): number | undefined;
  mostOfIp6(column: Ip6Column, low: Uint8Array, high: Uint8Array): number | undefined;
  mostOfIp4List(column: Ip4Column, ranges: Ip4Ranges): number | undefined;
}

/** What is known about one segment's rows. */
export interface SegmentView {
  readonly indexes: {
    readonly text?: TextView | undefined;
    readonly time?: TimeView | undefined;
    readonly values?: ValueView | undefined;
  };
  /** Rows with a tag; 0: deleted ones. */
  marked(tag: number): RowSet;
}

/** What is known about the rows that match one condition. */
export interface CandidateRows {
  /** No other row matches. */
  readonly rows: Rows;
  /** Each of them does. */
  readonly exact: boolean;
}

/** Distinct values of a dimension: numbers, then IPv6 addresses of 16 bytes, or texts; each list ascends. */
export interface DistinctKeys {
  readonly numbers: Uint32Array;
  readonly ip6: Uint8Array;
  readonly texts: readonly Uint8Array[];
}
