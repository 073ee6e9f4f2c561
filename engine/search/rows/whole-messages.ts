/** Assembles the messages of a statement's rows that were read in parts, before any other code sees them. */
import type { SegmentRow } from '../../catalog/tables/segments.ts';
import { DaybookError } from '../../contract/errors.ts';
import { ROW_IDENTITY, type MessageParts } from '../../query/index.ts';
import { wholeMessage } from '../../store/messages/whole-message.ts';
import type { MessageShape } from '../../store/messages/message-cutter.ts';
import type { Plain } from '../../store/reading/segment-store.ts';

/** By segment. */
type Shapes = ReadonlyMap<number, readonly MessageShape[]>;

/** Segments whose messages are cut. */
export function cutSegments(segments: readonly SegmentRow[]): number[] {
  return segments.filter(({ shapes }) => shapes > 0).map(({ id }) => id);
}

/**
 * Puts a row's message in its column and removes the parts from the end of the row.
 * @throws DaybookError case-damaged if the segment has no such shape
 */
export function putTogether(row: Plain[], parts: MessageParts, shapes: Shapes): void {
  const number = row[parts.shape];
  if (typeof number === 'number') row[parts.message] = messageOf(row, number, parts, shapes);
  row.length = parts.shape;
}

function messageOf(row: Plain[], number: number, parts: MessageParts, shapes: Shapes): string {
  const segment = Number(row[ROW_IDENTITY.segment]);
  const shape = shapes.get(segment)?.[number - 1];
  if (shape === undefined)
    throw new DaybookError(
      'case-damaged',
      `segment ${segment} of the case is damaged: a message has shape ${number}, which is not there`,
      'run: daybook verify CASE',
    );
  const list = (at: number | undefined): readonly unknown[] => {
    const value = at === undefined ? null : row[at];
    return Array.isArray(value) ? value : [];
  };
  const pid = parts.pid === undefined ? null : row[parts.pid];
  const bytes = list(parts.bytes);
  const numbers = bytes.length > 0 ? { bytes } : { lists: parts.lists.map(list) };
  return wholeMessage(shape, { numbers, texts: list(parts.texts), pid }, parts.most);
}
