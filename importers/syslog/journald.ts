/**
 * Reads the Journal Export Format, as `journalctl -o export` and systemd-journal-remote write it:
 * https://systemd.io/JOURNAL_EXPORT_FORMATS/#journal-export-format
 *
 * Invariants: every entry is an event or in quarantine; fields without a column keep their names as attributes;
 * memory is bounded by the largest accepted entry.
 */
import type { ByteOffset } from '../../engine/contract/event.ts';
import type { EventBatch } from '../../engine/columns/event-batch.ts';
import type { EventSink, SourceInput } from '../../engine/evidence/importer.ts';
import { JournalEntryWriter, MAX_ENTRY } from '../shared/journal-entry.ts';

const MAX_RAW = 64 * 1024;
const LF = 10;
const EQUALS = 61;

const latin1 = new TextDecoder('latin1');

/** Whether a content's head is a journal export. */
export function looksJournald(head: Uint8Array): boolean {
  const text = latin1.decode(head.subarray(0, 16384));
  if (!/^[_A-Z][_A-Z0-9]*=/.test(text)) return false;
  return /^__CURSOR=/m.test(text) || /^__REALTIME_TIMESTAMP=\d+$/m.test(text);
}

/** A field at `at`: its end, 0 if it is incomplete, -1 if it is invalid. */
class Field {
  nameStart = 0;
  nameEnd = 0;
  start = 0;
  end = 0;

  read(b: Uint8Array, view: DataView, at: number, filled: number): number {
    let i = at;
    while (i < filled && b[i] !== LF && b[i] !== EQUALS) i++;
    if (i >= filled) return 0;
    this.nameStart = at;
    this.nameEnd = i;
    if (i === at) return -1;
    if (b[i] === EQUALS) {
      const lf = b.subarray(0, filled).indexOf(LF, i + 1);
      if (lf < 0) {
        this.start = i + 1;
        this.end = filled;
        return 0;
      }
      this.start = i + 1;
      this.end = lf;
      return lf + 1;
    }
    if (i + 9 > filled) return 0;
    const size = view.getUint32(i + 1, true) + view.getUint32(i + 5, true) * 4294967296;
    this.start = i + 9;
    this.end = i + 9 + size;
    if (size > MAX_ENTRY) return -2;
    if (this.end >= filled) return 0;
    return b[this.end] === LF ? this.end + 1 : -1;
  }
}

/** Reads a journal export. */
export async function readJournald(input: SourceInput, sink: EventSink): Promise<void> {
  const reader = new ExportReader(sink);
  const blocks = input.blocks()[Symbol.asyncIterator]();
  let since = 0;
  for (;;) {
    let next: IteratorResult<Uint8Array, unknown>;
    try {
      next = await blocks.next();
    } catch (error) {
      reader.entries(true);
      throw error;
    }
    if (next.done === true) break;
    reader.take(next.value);
    since += next.value.length;
    // An entry that spans many blocks is not parsed again for each of them.
    if (since < Math.min(reader.filled / 4, 1024 * 1024)) continue;
    since = 0;
    try {
      reader.entries(false);
      await sink.drain(reader.base);
    } catch (error) {
      await blocks.return?.();
      throw error;
    }
  }
  reader.entries(true);
}

/** Bytes that were read and not yet understood. */
class ExportReader {
  /** Position of the first byte in the content. */
  base: ByteOffset = 0;
  /** Number of bytes. */
  filled = 0;
  private readonly sink: EventSink;
  private readonly batch: EventBatch;
  private readonly writer: JournalEntryWriter;
  private readonly field = new Field();
  private buffer = new Uint8Array(1024 * 1024);
  private view = new DataView(this.buffer.buffer);
  private seq = 0;
  /** After an entry that is quarantined, up to the next. */
  private resync = false;

  constructor(sink: EventSink) {
    this.sink = sink;
    this.batch = sink.batch('log');
    this.writer = new JournalEntryWriter(this.batch);
  }

  take(block: Uint8Array): void {
    if (this.filled + block.length > this.buffer.length) {
      const larger = new Uint8Array(Math.max(this.filled + block.length, this.buffer.length * 2));
      larger.set(this.buffer.subarray(0, this.filled));
      this.buffer = larger;
      this.view = new DataView(larger.buffer);
    }
    this.buffer.set(block, this.filled);
    this.filled += block.length;
  }

  /** Handles the entries that are there. */
  entries(ended: boolean): void {
    const bytes = this.handle(ended);
    this.buffer.copyWithin(0, bytes, this.filled);
    this.filled -= bytes;
    this.base += bytes;
  }

  /** @returns how many bytes are done with */
  private handle(ended: boolean): number {
    const { buffer, filled, field } = this;
    let at = 0;
    for (;;) {
      if (this.resync) {
        const next = afterEntry(buffer, at, filled);
        if (next < 0) return ended ? filled : Math.max(at, filled - 1);
        at = next;
        this.resync = false;
      }
      while (at < filled && buffer[at] === LF) at++;
      if (at >= filled) return at;
      let p = at;
      let state = 1;
      while (p < filled && buffer[p] !== LF) {
        state = field.read(buffer, this.view, p, filled);
        if (state <= 0) break;
        p = state;
      }
      const whole = state > 0 && p < filled;
      if (!whole && state >= 0 && !ended && filled - at <= MAX_ENTRY) return at;
      this.seq++;
      // A text that ends with a field's value, line feed or not, is an entry all the same.
      const last = state === 0 && ended && field.nameStart === p && field.end === filled;
      if (whole || (ended && (state > 0 || (last && field.start <= filled)))) {
        const end = state > 0 ? p : filled;
        this.write(at, end);
        at = end;
      } else {
        this.quarantine(at, state, ended);
        at = p;
      }
    }
  }

  private write(start: number, end: number): void {
    const { batch, buffer, field, writer } = this;
    const row = batch.length;
    batch.seq.set(row, this.seq);
    batch.offset.set(row, this.base + start);
    batch.record_length.set(row, end - start);
    writer.begin();
    for (let p = start; p < end;) {
      const next = field.read(buffer, this.view, p, end);
      writer.field(buffer, field.nameStart, field.nameEnd, field.start, field.end);
      if (next <= 0) break;
      p = next;
    }
    writer.end(buffer, start, end);
    batch.endRow();
    this.sink.record(1);
  }

  private quarantine(at: number, state: number, ended: boolean): void {
    let reason = `journal entry larger than ${MAX_ENTRY} bytes`;
    if (state === 0 && ended) reason = 'journal entry is cut short';
    else if (state === -1) reason = 'not a journal field';
    const raw = this.buffer.subarray(at, Math.min(this.filled, at + MAX_RAW));
    this.sink.quarantine(this.base + at, reason, raw, this.seq);
    this.resync = true;
  }
}

/** Start of the entry after the next empty line, or -1. */
function afterEntry(b: Uint8Array, at: number, filled: number): number {
  for (let i = at; ; i++) {
    i = b.subarray(0, filled).indexOf(LF, i);
    if (i < 0 || i + 1 >= filled) return -1;
    if (b[i + 1] === LF) return i + 2;
  }
}
