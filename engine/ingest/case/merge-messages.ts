/**
 * Merges the messages of segments that are rewritten: they stay cut, and their shapes become one list. Nothing is
 * cut or assembled for that.
 *
 * Invariant: a select yields the same messages either way; if shapes cannot be taken over (too many, or
 * unreadable), messages are assembled and stored whole.
 */
import type { SegmentRow } from '../../catalog/tables/segments.ts';
import { readShapes } from '../../store/messages/message-columns.ts';
import type { MessageShape } from '../../store/messages/message-cutter.ts';
import type { SegmentRewriter } from './segment-rewriter.ts';

/** Limits on shapes and their bytes: more would make statements on the segment slow to plan. */
const MOST_SHAPES = 1000;
const MOST_BYTES = 1 << 18;

export interface MergedShapes {
  readonly shapes: readonly MessageShape[];
  /**
   * By segment: the number of each of its shapes in `shapes`, both from 1. Segments whose messages are whole have
   * no entry.
   */
  readonly numbers: ReadonlyMap<number, readonly number[]>;
}

/** The shapes of some segments as one list; undefined if there are none, or they cannot be merged. */
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
    const segmentShapes = readShapes(row?.[0]);
    if (segmentShapes?.length !== segment.shapes) return undefined;
    numbers.set(
      segment.id,
      segmentShapes.map((shape) => {
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
