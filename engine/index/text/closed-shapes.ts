/**
 * Shapes as they are written: open tokens that are the same in every row of a shape become part of its
 * text, and shapes are numbered by column, a column's free shape first. Where all rows of a shape of
 * the message have the same shape in another column (the program, most often), the one implies the other.
 */
import { MESSAGE, OVERFLOW, SHAPE_ITEM, type CollectedText } from './collected.ts';
import { LONG, FIRST_STRING } from './token-table.ts';

/** Columns whose shapes may be implied: those of the events and the first attributes. */
const IMPLIED_COLUMNS = 32;
/** Shapes with fewer rows imply nothing: a list of rows is as short. */
const LEAST_IMPLYING = 64;

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
  /** By shape of the message and column, `shape * width + column`: the shape that it implies, plus 1. */
  readonly implied: Int32Array;
  readonly width: number;
  /** 1 for each number below FIRST_STRING that is a token. */
  readonly small: Uint8Array;
  /** The literal runs of a shape as written, given by its number of appearance. */
  runs(shape: number): Uint8Array[];
}

export function closeShapes(text: CollectedText): ClosedShapes {
  const { tokens, shapes, items, rowStarts, rows } = text;
  const tokenAt = new Int32Array(shapes.runStarts[shapes.count]!);
  const isFree = Uint8Array.from({ length: shapes.count }, (_, shape) =>
    shapes.isFree(shape) ? 1 : 0,
  );
  const width = Math.min(text.columns.length, IMPLIED_COLUMNS);
  const implied = new Int32Array(shapes.count * width);
  /** Rows of each shape, and rows in which it came with a shape of the column. */
  const counts = new Uint32Array(shapes.count);
  const pairs = new Uint32Array(shapes.count * width);
  const small = new Uint8Array(FIRST_STRING);
  for (let row = 0; row < rows; row++) {
    const end = rowStarts[row + 1]!;
    let place = -1;
    let message = -1;
    for (let i = rowStarts[row]!; i < end; i++) {
      const item = items[i]!;
      if (item >= SHAPE_ITEM) {
        const shape = item - SHAPE_ITEM;
        const column = shapes.columns[shape]!;
        place = isFree[shape] === 1 ? -1 : shapes.runStarts[shape]!;
        counts[shape]! += 1;
        if (column === MESSAGE) message = shape;
        else if (message >= 0 && column < width) {
          const pair = message * width + column;
          pairs[pair]! += 1;
          const known = implied[pair]!;
          if (known === 0) implied[pair] = shape + 1;
          else if (known !== shape + 1) implied[pair] = -1;
        }
        continue;
      }
      if (item < FIRST_STRING) small[item] = 1;
      if (place < 0) continue;
      const known = tokenAt[place]!;
      if (known === 0) tokenAt[place] = item + 1;
      else if (known !== item + 1) tokenAt[place] = -1;
      place += 1;
    }
  }
  const constant = Uint8Array.from(tokenAt, (known) =>
    known > 0 && !isLong(text, known - 1) ? 1 : 0,
  );
  for (let pair = 0; pair < implied.length; pair++) {
    const rowsOf = counts[Math.floor(pair / width)]!;
    // The overflow may come more than once in a row.
    const single = text.columns[pair % width] !== OVERFLOW;
    if (implied[pair]! < 0 || pairs[pair] !== rowsOf || rowsOf < LEAST_IMPLYING || !single) {
      implied[pair] = 0;
    }
  }

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
    implied,
    width,
    small,
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
