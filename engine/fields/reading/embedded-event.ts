/**
 * Windows events in XML as messages, as collectors and wevtutil write them. Their members give fields by the same
 * dialect as those of event logs and of their exports.
 */
import type { EventBatch } from '../../columns/event-batch.ts';
import { RecordFields } from '../records/record-fields.ts';
import { DialectFinder } from '../registry/meanings.ts';
import { eventStart, readEventXml } from './event-xml.ts';

/** Longer messages are left uncut. */
const MOST_BYTES = 1 << 18;

export class EmbeddedEvent {
  private finder: DialectFinder | undefined;
  private readonly fields = new RecordFields();

  /** Fills fields of a row from the event in `b[start, end)`. @returns whether it gave any */
  fill(batch: EventBatch, row: number, b: Uint8Array, start: number, end: number): boolean {
    const from = eventStart(b, start, end);
    const record = from < 0 || end - from > MOST_BYTES ? undefined : readEventXml(b, from, end);
    if (record === undefined) return false;
    this.finder ??= new DialectFinder();
    const meanings = this.finder.find(['EventID', 'Channel']).forRecord(record);
    return this.fields.write(batch, row, meanings, record) > 0;
  }

  /** The host that the last event names as its writer. */
  get host(): string | undefined {
    return this.fields.textOf('host');
  }

  /** Its provider. */
  get program(): string | undefined {
    return this.fields.textOf('program');
  }
}
