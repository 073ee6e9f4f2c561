/**
 * Shapes as they are written: open tokens that are the same in every row of a shape become part of its
 * text, and shapes are numbered by column, a column's free shape first.
 */
import { SHAPE_ITEM, type CollectedText } from './collected.ts';
import { LONG, FIRST_STRING } from './token-table.ts';

/** A column's shapes, `from` to `to` (not included). */
export interface ColumnShapes {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  /** Whether the first of them is the free shape. */
  readonly free: boolean;
}

export interface ClosedShapes {
  readonly columns: readonly ColumnShapes[];
  readonly count: number;
  /** From number of appearance to number as written, and back. */
  readonly numberOf: Uint32Array;
  readonly shapeAt: Uint32Array;
  /** By place of the open token (see `ShapeTable.runStarts`): 1 when it is the same in all rows. */
  readonly constant: Uint8Array;
  /** The literal runs of a shape as written, given by its number of appearance. */
  runs(shape: number): Uint8Array[];
}

export function closeShapes(text: CollectedText): ClosedShapes {
  const { tokens, shapes, items, rowStarts, rows } = text;
  const tokenAt = new Int32Array(shapes.runStarts[shapes.count]!);
  const isFree = Uint8Array.from({ length: shapes.count }, (_, shape) =>
    shapes.isFree(shape) ? 1 : 0,
  );
  const used = rowStarts[rows]!;
  let place = -1;
  for (let i = 0; i < used; i++) {
    const item = items[i]!;
    if (item >= SHAPE_ITEM) {
      const shape = item - SHAPE_ITEM;
      place = isFree[shape] === 1 ? -1 : shapes.runStarts[shape]!;
    } else if (place >= 0) {
      const known = tokenAt[place]!;
      if (known === 0) tokenAt[place] = item + 1;
      else if (known !== item + 1) tokenAt[place] = -1;
      place += 1;
    }
  }
  const constant = Uint8Array.from(tokenAt, (known) =>
    known > 0 && !isLong(text, known - 1) ? 1 : 0,
  );

  const byColumn: number[][] = text.columns.map(() => []);
  for (let shape = 0; shape < shapes.count; shape++) {
    const of = byColumn[shapes.columns[shape]!]!;
    if (isFree[shape] === 1) of.unshift(shape);
    else of.push(shape);
  }
  const numberOf = new Uint32Array(shapes.count);
  const shapeAt = new Uint32Array(shapes.count);
  let next = 0;
  const columns = byColumn.map((list, column) => {
    const from = next;
    for (const shape of list) {
      numberOf[shape] = next;
      shapeAt[next++] = shape;
    }
    const free = list.length > 0 && isFree[list[0]!] === 1;
    return { name: text.columns[column]!, from, to: next, free };
  });

  return {
    columns,
    count: shapes.count,
    numberOf,
    shapeAt,
    constant,
    runs: (shape) => {
      const out: Uint8Array[] = [];
      let parts: Uint8Array[] = [];
      let at = shapes.starts[shape]!;
      const first = shapes.runStarts[shape]!;
      const open = shapes.opens[shape]!;
      for (let i = 0; i <= open; i++) {
        const length = shapes.runs[first + i]!;
        parts.push(shapes.bytes.subarray(at, at + length));
        at += length;
        if (i < open && constant[first + i] === 1) parts.push(tokens.text(tokenAt[first + i]! - 1));
        else {
          out.push(parts.length === 1 ? parts[0]! : Buffer.concat(parts));
          parts = [];
        }
      }
      return out;
    },
  };
}

function isLong({ tokens }: CollectedText, id: number): boolean {
  return id >= FIRST_STRING && tokens.lengths[id - FIRST_STRING]! >= LONG;
}
