/** Plain events as the batches an importer would fill, for tests. */
import { EventBatch } from '../../columns/event-batch.ts';
import { isColumn, type Kind } from '../../contract/event.ts';
import { uuidToIp6 } from '../values/address.ts';
import type { TestEvent } from './test-case.ts';

/** One batch a kind, in the order of the events. */
export function batchesOf(events: readonly TestEvent[]): EventBatch[] {
  const batches = new Map<Kind, EventBatch>();
  for (const event of events) {
    if (event.deleted === true) continue;
    let batch = batches.get(event.kind);
    if (batch === undefined) {
      batch = new EventBatch(event.kind, () => undefined, events.length + 1);
      batches.set(event.kind, batch);
    }
    fill(batch, event);
  }
  return [...batches.values()];
}

function fill(batch: EventBatch, event: TestEvent): void {
  const row = batch.length;
  batch.currentSource = event.source;
  batch.seq.set(row, event.seq);
  if (event.ts !== undefined) batch.ts.set(row, event.ts);
  for (const [name, value] of Object.entries(event.fields)) {
    if (!isColumn(name)) throw new TypeError(`no column ${name}`);
    const column = batch.column(name);
    if (column.type === 'text') column.setString(row, String(value));
    else if (column.type === 'ip6') {
      const hex = uuidToIp6(String(value)).toString(16).padStart(32, '0');
      column.set(row, Buffer.from(hex, 'hex'), 0);
    } else column.set(row, Number(value));
  }
  for (const [name, value] of Object.entries(event.attributes)) batch.setAttribute(name, value);
  if (event.overflow !== undefined) batch.overflow.setString(row, JSON.stringify(event.overflow));
  batch.endRow();
}
