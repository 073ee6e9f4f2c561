/**
 * Shapes in written form: open tokens that are the same in every row of a shape become part of its text, and shapes
 * are numbered by column, a column's free shape first. If all rows of a shape of the message have the same shape in
 * another column (most often the program), the one implies the other.
 */
import type { CollectedText } from './collected.ts';
import { IMPLIED_COLUMNS, OVERFLOW } from '../format/items.ts';
import type { ColumnShapes } from '../format/layout.ts';
import { LONG, FIRST_STRING } from './token-table.ts';

/** Shapes with fewer rows imply nothing: a list of rows is as short. */
const LEAST_IMPLYING = 64;

export interface ClosedShapes {
  readonly columns: readonly ColumnShapes[];
  readonly count: number;
  /** From number of appearance to written number, and back. */
  readonly numberOf: Uint32Array;
  readonly shapeAt: Uint32Array;
  /** By number of appearance. */
  readonly isFree: Uint8Array;
  /** By index of the open token (see `ShapeTable.runStarts`): 1 if it is the same in all rows. */
  readonly constant: Uint8Array;
  /** By shape of the message and column, as in CollectedText: the shape that it implies, plus 1. */
  readonly implied: Int32Array;
  /** The literal runs of a shape in written form, by its number of appearance. */
  runs(shape: number): Uint8Array[];
}

export function closeShapes(text: CollectedText): ClosedShapes {
  const { tokens, shapes, pairs } = text;
  const places = shapes.runStarts[shapes.count]!;
  const tokenAt = shapes.tokens.subarray(0, places);
  const isFree = Uint8Array.from({ length: shapes.count }, (_, shape) =>
    shapes.isFree(shape) ? 1 : 0,
  );
  const constant = Uint8Array.from(tokenAt, (known) =>
    known > 0 && !isLong(text, known - 1) ? 1 : 0,
  );
  const implied = new Int32Array(shapes.count * IMPLIED_COLUMNS);
  implied.set(text.implied.subarray(0, implied.length));
  for (let pair = 0; pair < implied.length; pair++) {
    const known = implied[pair]!;
    if (known === 0) continue;
    const rowsOf = shapes.rows[Math.floor(pair / IMPLIED_COLUMNS)]!;
    // The overflow column may occur more than once in a row.
    const single = text.columns[pair % IMPLIED_COLUMNS] !== OVERFLOW;
    if (known < 0 || pairs[pair] !== rowsOf || rowsOf < LEAST_IMPLYING || !single) {
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
    isFree,
    constant,
    implied,
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
