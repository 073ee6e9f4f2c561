/** The rows of a segment in the form in which TextIndexBuilder keeps them until all are known. */
import type { MessageForm } from './message-forms.ts';
import type { ShapeTable } from './shape-table.ts';
import type { TokenTable } from './token-table.ts';
import type { ValueColumn } from './value-columns.ts';

export interface CollectedText {
  readonly tokens: TokenTable;
  readonly shapes: ShapeTable;
  readonly forms: readonly MessageForm[];
  /**
   * By shape of the message and column, `shape * IMPLIED_COLUMNS + column`: the shape that the column had with it
   * in all rows so far, plus 1; -1 for several; and in how many rows it had one.
   */
  readonly implied: Int32Array;
  readonly pairs: Uint32Array;
  readonly columns: readonly string[];
  readonly rows: number;
  /**
   * For each row, concatenated: shapes with SHAPE_ITEM set, each before its open tokens; the message's first. Those
   * in `values` are not among them. A cut message is represented by its form, with FORM_ITEM set as well, before
   * the tokens that the form leaves open.
   */
  readonly items: Uint32Array;
  /** Start of each row's items; one element more than rows. */
  readonly rowStarts: Uint32Array;
  /** By column: shapes of its rows without open tokens; none for the message. */
  readonly values: readonly (ValueColumn | undefined)[];
}

/**
 * The first row from `row` on that has items; the number of rows if there is none. Few packets have any: loops over
 * items are then not hot enough to be compiled.
 * @param order as in `IndexBuilder.finish`
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
