/** The rows of a segment as TextIndexBuilder keeps them until all are known. */
import type { MessageForm } from './message-forms.ts';
import type { ShapeTable } from './shape-table.ts';
import type { TokenTable } from './token-table.ts';
import type { ValueColumn } from './value-columns.ts';

export interface CollectedText {
  readonly tokens: TokenTable;
  readonly shapes: ShapeTable;
  readonly forms: readonly MessageForm[];
  /**
   * By shape of the message and column, `shape * IMPLIED_COLUMNS + column`: the shape that the column
   * had with it in all rows so far, plus 1; -1 of several; and in how many rows it had one.
   */
  readonly implied: Int32Array;
  readonly pairs: Uint32Array;
  readonly columns: readonly string[];
  readonly rows: number;
  /**
   * Of each row, one after another: shapes with SHAPE_ITEM set, each before its open tokens; the
   * message's first. Those in `values` are not among them. A cut message is its form instead, with FORM_ITEM set, too, before the tokens
   * that the form leaves open.
   */
  readonly items: Uint32Array;
  /** Where each row's items start; one more than rows. */
  readonly rowStarts: Uint32Array;
  /** By column: shapes of its rows that have no open token; none of the message. */
  readonly values: readonly (ValueColumn | undefined)[];
}

/**
 * The first row from `row` on that has items; the number of rows when there is none. Of packets few have any: what is
 * done with items is then not hot enough to be compiled.
 * @param order as of `IndexBuilder.finish`
 */
export function nextWithItems(
  row: number,
  { rows, rowStarts }: CollectedText,
  order?: Uint32Array,
): number {
  return order === undefined ? nextOf(row, rows, rowStarts) : nextInOrder(row, rowStarts, order);
}

function nextOf(row: number, rows: number, rowStarts: Uint32Array): number {
  let next = row;
  while (next < rows && rowStarts[next] === rowStarts[next + 1]) next += 1;
  return next;
}

function nextInOrder(row: number, rowStarts: Uint32Array, order: Uint32Array): number {
  let next = row;
  while (next < order.length && rowStarts[order[next]!] === rowStarts[order[next]! + 1]) next += 1;
  return next;
}
