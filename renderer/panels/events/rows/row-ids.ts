/** The IDs of rows, from loaded pages if possible, otherwise from the engine. */
import { cell, columnOf } from '../../../../engine/contract/wire/column-batch.ts';
import type { Engine } from '../../../../engine/contract/wire/client.ts';

const AT_ONCE = 1000;

/** @throws OperationError */
export async function idsOfRows(
  engine: Engine,
  list: { readonly case: string | undefined; readonly result: number | undefined },
  known: (row: number) => string | undefined,
  from: number,
  end: number,
  signal: AbortSignal,
): Promise<string[]> {
  const ids: string[] = [];
  for (let row = from; row < end;) {
    const id = known(row);
    if (id !== undefined) {
      ids.push(id);
      row += 1;
      continue;
    }
    const { case: path, result } = list;
    if (path === undefined || result === undefined) break;
    const limit = Math.min(AT_ONCE, end - row);
    const { batch } = await engine.call(
      'result.rows',
      { case: path, result, offset: row, limit, fields: [] },
      { signal },
    );
    const column = columnOf(batch, 'event_id');
    if (column === undefined || batch.rows === 0) break;
    for (let i = 0; i < batch.rows; i++) ids.push(String(cell(column, i)));
    row += batch.rows;
  }
  return ids;
}
