/**
 * Writes records of an event log into a batch.
 *
 * Invariant: every record is one row, or is quarantined with its bytes.
 */
import type { EventBatch } from '../../engine/columns/event-batch.ts';
import type { EventSink } from '../../engine/evidence/importer.ts';
import { DialectFinder } from '../../engine/fields/registry/meanings.ts';
import { listed } from '../../engine/fields/reading/event-xml.ts';
import { RecordFields } from '../../engine/fields/records/record-fields.ts';
import { nounOf } from '../../engine/contract/words/counted.ts';
import { BinXml, BinXmlError } from './binxml.ts';
import type { LogHandlers, RecordPlace } from './log-reader.ts';
import { EventRecord, type Value } from './record.ts';
import { severityOfLevel } from '../../engine/fields/records/windows-level.ts';
import { isEventTime, readFileTime } from './values.ts';

/** Header of a record, before its BinXML; the record's size is repeated after it. */
const HEADER_BYTES = 24;
/** In the header: when the record was written. */
const WRITTEN = 16;
const MOST_NOTES = 8;

export class EvtxEvents implements LogHandlers {
  private readonly sink: EventSink;
  private readonly batch: EventBatch;
  private readonly parsed = new EventRecord(new BinXml());
  private readonly fields = new RecordFields();
  private readonly dialect = new DialectFinder().find(['EventID', 'Channel']);
  private view: DataView = new DataView(new ArrayBuffer(0));
  private seq = 0;
  private damagedChunks = 0;

  constructor(sink: EventSink) {
    this.sink = sink;
    this.batch = sink.batch('log');
  }

  chunk(chunk: Uint8Array): void {
    this.parsed.begin(chunk);
    this.view = new DataView(chunk.buffer, chunk.byteOffset, chunk.length);
  }

  record(chunk: Uint8Array, { start, offset, size }: RecordPlace): void {
    const { parsed, sink } = this;
    try {
      parsed.read(start + HEADER_BYTES, start + size - 4);
    } catch (error) {
      if (!(error instanceof BinXmlError)) throw error;
      this.bad(chunk.slice(start, start + size), offset, error.message);
      return;
    }
    this.row(start, offset, size);
    sink.record(1);
  }

  bad(bytes: Uint8Array, offset: number, reason: string): void {
    this.sink.quarantine(offset, reason, bytes);
  }

  damaged(offset: number, reason: string): void {
    this.damagedChunks += 1;
    if (this.damagedChunks === 1) this.sink.broken?.('damaged', offset, reason);
    if (this.damagedChunks <= MOST_NOTES) this.sink.note(reason);
  }

  note(text: string): void {
    this.sink.note(text);
  }

  finish(): void {
    const more = this.damagedChunks - MOST_NOTES;
    if (more > 0) this.sink.note(`${more} more ${nounOf(more, 'chunk')} that are damaged`);
  }

  private row(start: number, offset: number, size: number): void {
    const { batch, parsed } = this;
    const { system, data } = parsed;
    const row = batch.length;
    this.seq += 1;
    batch.seq.set(row, this.seq);
    batch.offset.set(row, offset);
    batch.record_length.set(row, size);
    this.setTime(row, start);
    for (const [name, value] of system) this.systemMember(row, name, value);
    for (const [name, value] of data)
      batch.setAttribute(name, typeof value === 'string' ? value : JSON.stringify(value));
    this.writeFields(row, system, data);
    const relayed = relayedBy(system, data);
    if (relayed !== undefined) batch.program.setString(row, relayed.program);
    batch.message.setString(row, relayed?.message ?? parsed.rendered ?? messageOf(data));
    batch.endRow();
  }

  /** Sets the fields that the members of a record mean, which depends on its `EventID`. */
  private writeFields(
    row: number,
    system: ReadonlyMap<string, string>,
    data: ReadonlyMap<string, Value>,
  ): void {
    const keys = [...system.keys(), ...data.keys()];
    const values = [...system.values(), ...data.values()].map((value) =>
      listed(typeof value === 'string' ? [value] : value),
    );
    const record = { keys, values };
    this.fields.write(this.batch, row, this.dialect.forRecord(record), record);
  }

  /**
   * The time stated by the record; if that is impossible, the time at which it was written, and the stated one
   * stays as text.
   */
  private setTime(row: number, start: number): void {
    const { batch, parsed, view } = this;
    const stated = parsed.time ?? timeOfText(parsed.timeText);
    if (stated === undefined && parsed.timeText !== undefined)
      batch.setAttribute('TimeCreated', parsed.timeText);
    const time = stated ?? readFileTime(view, start + WRITTEN);
    if (!isEventTime(time)) return;
    batch.ts.set(row, time.micros);
    batch.ts_digits.set(row, 7);
    if (time.nanos > 0) batch.ts_ns.set(row, time.nanos);
  }

  private systemMember(row: number, name: string, value: string): void {
    const { batch } = this;
    if (name === 'Computer') batch.host.setString(row, value);
    else if (name === 'Provider_Name') batch.program.setString(row, value);
    else if (name === 'Execution_ProcessID' && isPid(value)) batch.pid.set(row, Number(value));
    else {
      const severity = name === 'Level' ? severityOfLevel(value) : undefined;
      if (severity !== undefined) batch.severity.set(row, severity);
      batch.setAttribute(name, value);
    }
  }
}

/** What a program of OpenSSH says by way of the event log, as it says it to syslog elsewhere. */
function relayedBy(
  system: ReadonlyMap<string, string>,
  data: ReadonlyMap<string, Value>,
): { readonly program: string; readonly message: string } | undefined {
  const program = data.get('process');
  const message = data.get('payload');
  if (system.get('Provider_Name') !== 'OpenSSH') return undefined;
  return typeof program === 'string' && typeof message === 'string'
    ? { program, message }
    : undefined;
}

function isPid(text: string): boolean {
  return /^\d{1,10}$/.test(text) && Number(text) <= 0xffffffff;
}

/** A time that is written as text: `2026-11-21T10:00:00.1234567Z`. */
function timeOfText(text: string | undefined): { micros: number; nanos: number } | undefined {
  const parts = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z?$/.exec(text ?? '');
  if (parts === null) return undefined;
  const seconds = Date.parse(`${parts[1]!}T${parts[2]!}Z`) / 1000;
  if (Number.isNaN(seconds)) return undefined;
  const fraction = (parts[3] ?? '').padEnd(9, '0');
  const time = {
    micros: seconds * 1e6 + Number(fraction.slice(0, 6)),
    nanos: Number(fraction.slice(6)),
  };
  return isEventTime(time) ? time : undefined;
}

/**
 * The values of a record in their own order: a log has values only; the sentences around them are in files of the
 * host that wrote it.
 */
function messageOf(data: ReadonlyMap<string, Value>): string {
  let text = '';
  for (const [name, value] of data) {
    const plain = typeof value === 'string' ? value : value.join(', ');
    if (text !== '') text += ' ';
    text +=
      /[\s"]/.test(plain) || plain === '' ? `${name}=${JSON.stringify(plain)}` : `${name}=${plain}`;
  }
  return text;
}
