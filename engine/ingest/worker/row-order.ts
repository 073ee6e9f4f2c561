/** Sorts rows of a batch into the order of a segment. */
import type { EventBatch } from '../../columns/event-batch.ts';
import type { ColumnName } from '../../contract/event.ts';
import type { NumberRows } from '../../index/rows.ts';
import { Growing64 } from '../../index/values/growing.ts';
import { type BatchRows, rowList, valuesOf } from '../../store/parts/batch-rows.ts';
import { RowKeys } from '../indexing/row-keys.ts';

export function rowsInOrder(batch: EventBatch, rows: BatchRows): BatchRows {
  const n = rows.to - rows.from;
  const column = (name: 'ts' | 'ts_ns' | 'source_id' | 'seq'): NumberRows => {
    const { values, present } = batch[name];
    return { values: valuesOf(values, rows), present: valuesOf(present, rows) };
  };
  const numbers = (['ts_ns', 'source_id', 'seq'] as const).map((name): [ColumnName, NumberRows] => [
    name,
    column(name),
  ]);
  const times = new Growing64();
  times.append(column('ts'), n);
  const keys = new RowKeys();
  keys.add({
    kind: batch.kind,
    length: n,
    texts: new Map(),
    numbers: new Map(numbers),
    ip6: new Map(),
  });
  const order = keys.order(times);
  const { from, list } = rows;
  for (let i = 0; i < n; i++)
    order[i] = list === undefined ? from + order[i]! : list[from + order[i]!]!;
  return rowList(order);
}
