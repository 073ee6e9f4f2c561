/** Finds events again in a list that was reopened. */
import { cell, columnOf } from '../../../engine/contract/wire/column-batch.ts';
import type { Engine } from '../../../engine/contract/wire/client.ts';

/** Rows searched on each side of an event's time, as many may have the same time. */
const BEFORE = 200;
const WINDOW = 1000;

export interface Known {
  readonly event: string;
  readonly ts: number;
}

/**
 * The row of an event in a list ordered by time, or of the first event at its time if the event is no longer there.
 * Undefined when that is unknown.
 * @throws OperationError
 */
export async function findEvent(
  engine: Engine,
  list: { readonly case: string; readonly result: number },
  { event, ts }: Known,
  signal: AbortSignal,
): Promise<number> {
  const { offset } = await engine.call('result.locate', { ...list, ts }, { signal });
  const from = Math.max(0, offset - BEFORE);
  const { batch } = await engine.call(
    'result.rows',
    { ...list, offset: from, limit: WINDOW, fields: [] },
    { signal },
  );
  const ids = columnOf(batch, 'event_id');
  if (ids === undefined) return offset;
  for (let row = 0; row < batch.rows; row++) if (cell(ids, row) === event) return from + row;
  return offset;
}
