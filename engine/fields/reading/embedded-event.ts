/**
 * Windows events in XML as messages, as collectors and wevtutil write them. Their members give fields by the same
 * dialect as those of event logs and of their exports.
 */
import type { EventBatch } from '../../columns/event-batch.ts';
import { RecordFields } from '../records/record-fields.ts';
import { DialectFinder, type NamedValues } from '../registry/meanings.ts';
import { textOf } from './texts.ts';
import { eventStart, readEventXml } from './event-xml.ts';

/** Longer messages are left uncut. */
const MOST_BYTES = 1 << 18;

export class EmbeddedEvent {
  private finder: DialectFinder | undefined;
  private readonly fields = new RecordFields();
  /** Its computer, and its provider or the program that OpenSSH names; a member of its data may have any name. */
  host: string | undefined;
  program: string | undefined;

  /** Fills fields of a row from the event in `b[start, end)`. @returns whether it gave any */
  fill(batch: EventBatch, row: number, b: Uint8Array, start: number, end: number): boolean {
    const from = eventStart(b, start, end);
    const record = from < 0 || end - from > MOST_BYTES ? undefined : readEventXml(b, from, end);
    if (record === undefined) return false;
    this.host = memberOf(record, 'host', 'Computer');
    const provider = memberOf(record, 'program', 'Provider_Name');
    // OpenSSH relays what a program of it says, as in event logs.
    const relayed = provider === 'OpenSSH' ? memberOf(record, 'program', 'process') : undefined;
    this.program = relayed ?? provider;
    this.finder ??= new DialectFinder();
    const meanings = this.finder.find(['EventID', 'Channel']).forRecord(record);
    return this.fields.write(batch, row, meanings, record) > 0;
  }
}

/** The text of a member of `System` for a field. */
function memberOf({ keys, values }: NamedValues, field: string, name: string): string | undefined {
  const at = keys.indexOf(name);
  return at < 0 ? undefined : textOf(field, String(values[at]));
}
