/** The input of index builders: rows of one kind in columns, as importers fill them. */
import type { ColumnName, Kind } from '../contract/event.ts';
import type { Section } from './side-file.ts';

/** Text of some rows: a 32-bit little-endian length and UTF-8 bytes at `starts[row]` of `data`. */
export interface TextRows {
  readonly data: Uint8Array;
  readonly starts: Uint32Array;
  readonly present: Uint8Array;
  /** All rows have the same text: then only the first element of `starts` exists, and none of `present`. */
  readonly same?: boolean;
  /** Equal texts share one position in `data`, which is small: results for a position hold for all of them. */
  readonly sharesTexts?: boolean;
}

/** Whole or real numbers of some rows; times are UTC microseconds. */
export interface NumberRows {
  readonly values: Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array;
  /** Undefined: every row has one, as nearly always. */
  readonly present: Uint8Array | undefined;
}

/** IPv6 addresses of some rows, 16 bytes each. */
export interface Ip6Rows {
  readonly values: Uint8Array;
  readonly present: Uint8Array;
}

/** The text that many messages share, and the variables between: constants and variables alternate. */
export interface CutShape {
  /** One more than variables. */
  readonly constants: readonly string[];
  /** 0 to 2: a number in this list of `CutMessages.numbers`; 3: a text; 4: the row's process identifier. */
  readonly widths: readonly number[];
}

/**
 * Messages of some rows, cut into shapes and variables. A message is the concatenation of its shape's constants and
 * its variables, with numbers in decimal without leading zeros.
 */
export interface CutMessages {
  /** Of all related rows so far: shapes are only added. */
  readonly shapes: readonly CutShape[];
  /** By row: the index of its shape, plus 1; 0 if its message is among the texts, or it has none. */
  readonly shapeOf: Uint16Array;
  /** Variables of the rows, concatenated. */
  readonly numbers: readonly [Uint32Array, Uint32Array, Uint32Array];
  /** The same, each a 32-bit little-endian length and UTF-8 bytes. */
  readonly texts: Uint8Array;
  /** By row. */
  readonly pids: Uint32Array;
}

/**
 * Rows in the order of arrival, at most a batch of them. Columns without a value in any row may be missing. The
 * content is lent: it changes after the call.
 */
export interface IndexRows {
  readonly kind: Kind;
  readonly length: number;
  /** By stored name: `message`, `host`, …, `a:NAME` for attributes, `attrs` for the JSON overflow. */
  readonly texts: ReadonlyMap<string, TextRows>;
  readonly numbers: ReadonlyMap<ColumnName, NumberRows>;
  readonly ip6: ReadonlyMap<'src_ip6' | 'dst_ip6', Ip6Rows>;
  /** Messages that are not among the texts. */
  readonly cut?: CutMessages | undefined;
}

/** One kind of index being built over the rows of one segment. */
export interface IndexBuilder {
  add(rows: IndexRows): void;
  /**
   * @param order row i of the segment is the row that arrived as number `order[i]`; omitted if rows
   *   arrived in the segment's order
   */
  finish(order: Uint32Array | undefined): Section[];
}
