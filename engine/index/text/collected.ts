/** The rows of a segment as TextIndexBuilder keeps them until all are known. */
import type { ShapeTable } from './shape-table.ts';
import type { TokenTable } from './token-table.ts';

/** Set in an item that is a shape. */
export const SHAPE_ITEM = 0x8000_0000;

export interface CollectedText {
  readonly tokens: TokenTable;
  readonly shapes: ShapeTable;
  readonly columns: readonly string[];
  readonly rows: number;
  /** Of each row, one after another: shapes with SHAPE_ITEM set, each before its open tokens. */
  readonly items: Uint32Array;
  /** Where each row's items start; one more than rows. */
  readonly rowStarts: Uint32Array;
}
