/**
 * Sections of a text index, all checked by CRC-32. Numbers are LEB128, bits as in bits.ts.
 *
 * `text`          head: version, fold version, rows, columns with their ranges of shapes, rows without
 *                  tokens, directories of the pages of the four sections that follow `text.numbers` pages of tokens
 *                  that are numbers, ascending: for each its rows and its shapes `text.words` pages of all other
 *                  tokens, folded, ascending by bytes `text.grams` runs of two and three bytes in each page of
 *                  words; not in every file `text.shapes` pages of the rows of each shape, and shapes of the
 *                  message that imply it: their rows
 *                 are rows of it, too `text.literals` pages of the literal runs of each shape `text.lists` the rows
 *                 of entries with many `text.places` for open places of the message's shapes: the lowest and
 *                 highest word; not in every file
 *
 * A token's rows are those where it is open in some shape; those where it is in a shape's text are the rows of that
 * shape.
 */

/**
 * Versions differ in the texts that words are searched in (`SEARCHED_TEXTS`): version 1 lacks those of `CUT_TEXTS`.
 * Version 2 has them, but the side file of a rewritten segment includes `action` of events that an extractor cut.
 * All can be read.
 */
export const TEXT_VERSION = 3;
export const WITH_CUT_TEXTS = 2;
export const HEAD = 'text';
export const GRAMS = 'text.grams';
export const LISTS = 'text.lists';
export const LITERALS = 'text.literals';
export const PLACES = 'text.places';
export const PAGED = ['numbers', 'words', 'shapes'] as const;
export type Paged = (typeof PAGED)[number];
export const sectionOf = (paged: Paged): string => `text.${paged}`;

/** Limits of a page: entries, and bytes of its bits after which it ends. */
export const PAGE_ENTRIES = 2048;
export const PAGE_BYTES = 24 << 10;
/** Lists whose entries are fewer, or whose bytes are, stay in the page. */
export const INLINE_COUNT = 64;
export const INLINE_BYTES = 512;
/** Literals of a page before compression. */
export const LITERAL_PAGE_BYTES = 64 << 10;

/** The encoding of a list in `text.lists`: its first byte. */
export const GAPS = 0;
export const BITMAP = 1;
/** The rows that are not in the list, as gaps. */
export const OTHERS = 2;

/** Columns of an entry's rows, one bit each: the message, host, program, event_type, all others. */
export const MASK_BITS = 5;
export const columnBit = (column: number): number => 1 << Math.min(column, MASK_BITS - 1);

/** A column's shapes, `from` to `to` (not included). */
export interface ColumnShapes {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  /** Whether the first of them is the free shape. */
  readonly free: boolean;
}
