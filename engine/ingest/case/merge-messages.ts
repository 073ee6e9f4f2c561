/**
 * The messages of segments that are rewritten: they stay cut as they are, and the shapes of all become one
 * list. Nothing is cut or put together for that.
 *
 * Holds always: a select has the same messages whichever way it is made; where shapes cannot be taken over
 * (too many, or not to be read) messages are put together and stored whole.
 */
import type { SegmentRow } from '../../catalog/tables/segments.ts';
import { readShapes } from '../../store/messages/message-columns.ts';
import type { MessageShape } from '../../store/messages/message-cutter.ts';
import type { SegmentRewriter } from './segment-rewriter.ts';

/** More would make statements on the segment slow to plan: shapes, and bytes of them. */
const MOST_SHAPES = 1000;
const MOST_BYTES = 1 << 18;

export interface MergedShapes {
  readonly shapes: readonly MessageShape[];
  /** By segment: the number of each of its shapes among `shapes`, both from 1. Not of segments whose messages are whole. */
  readonly numbers: ReadonlyMap<number, readonly number[]>;
}

/** The shapes of some segments in one list; undefined where none has any, or they cannot be merged. */
export async function mergeShapes(
  rewriter: SegmentRewriter,
  segments: readonly SegmentRow[],
): Promise<MergedShapes | undefined> {
  const shapes: MessageShape[] = [];
  let bytes = 0;
  const known = new Map<string, number>();
  const numbers = new Map<number, number[]>();
  for (const segment of segments) {
    if (segment.shapes === 0) continue;
    const database = await rewriter.attach(segment);
    const [row] = await rewriter.builder.rows(
      `SELECT comment FROM duckdb_tables() WHERE database_name = '${database}' AND table_name = 'stored'`,
    );
    const own = readShapes(row?.[0]);
    if (own?.length !== segment.shapes) return undefined;
    numbers.set(
      segment.id,
      own.map((shape) => {
        const key = JSON.stringify([shape.constants, shape.widths]);
        let number = known.get(key);
        if (number === undefined) {
          number = shapes.push(shape);
          known.set(key, number);
          bytes += key.length;
        }
        return number;
      }),
    );
    if (shapes.length > MOST_SHAPES || bytes > MOST_BYTES) return undefined;
  }
  return shapes.length === 0 ? undefined : { shapes, numbers };
}
