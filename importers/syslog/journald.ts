/**
 * Reads the Journal Export Format, as `journalctl -o export` and systemd-journal-remote write it:
 * https://systemd.io/JOURNAL_EXPORT_FORMATS/#journal-export-format
 *
 * Held always: every entry is an event or in quarantine; fields that have no column of their own
 * keep their names as attributes; memory is bounded by the largest entry that is taken.
 */
import type { ByteOffset } from '../../engine/contract/event.ts';
import type { EventSink, SourceInput } from '../../engine/contract/importer.ts';

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

/** A field at `at`: where it ends, 0 when it is not all there, -1 when it is none. */
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
  const batch = sink.batch('log');
  const writer = new JournalEntryWriter(batch);
  const field = new Field();
  let buffer = new Uint8Array(1024 * 1024);
  let view = new DataView(buffer.buffer);
  let filled = 0;
  let base: ByteOffset = 0;
  let seq = 0;
  let resync = false;

  /** Handles what is there; gives how many bytes are done with. */
  const entries = (ended: boolean): number => {
    let at = 0;
    for (;;) {
      if (resync) {
        const next = afterEntry(buffer, at, filled);
        if (next < 0) return ended ? filled : Math.max(at, filled - 1);
        at = next;
        resync = false;
      }
      while (at < filled && buffer[at] === LF) at++;
      if (at >= filled) return at;
      let p = at;
      let state = 1;
      while (p < filled && buffer[p] !== LF) {
        state = field.read(buffer, view, p, filled);
        if (state <= 0) break;
        p = state;
      }
      const whole = state > 0 && p < filled;
      if (!whole && state >= 0 && !ended && filled - at <= MAX_ENTRY) return at;
      seq++;
      // A text that ends with a field's value, line feed or not, is an entry all the same.
      const last = state === 0 && ended && field.nameStart === p && field.end === filled;
      if (whole || (ended && (state > 0 || (last && field.start <= filled)))) {
        const end = state > 0 ? p : filled;
        write(at, end);
        at = end;
      } else {
        const reason =
          state === 0 && ended
            ? 'journal entry is cut short'
            : state === -1
              ? 'not a journal field'
              : `journal entry larger than ${MAX_ENTRY} bytes`;
        sink.quarantine(
          base + at,
          reason,
          buffer.subarray(at, Math.min(filled, at + MAX_RAW)),
          seq,
        );
        resync = true;
        at = p;
      }
    }
  };

  const write = (start: number, end: number): void => {
    const row = batch.length;
    batch.seq.set(row, seq);
    batch.offset.set(row, base + start);
    batch.record_length.set(row, end - start);
    writer.begin();
    for (let p = start; p < end;) {
      const next = field.read(buffer, view, p, end);
      writer.field(buffer, field.nameStart, field.nameEnd, field.start, field.end);
      if (next <= 0) break;
      p = next;
    }
    writer.end(buffer, start, end);
    batch.endRow();
    sink.record(1);
  };

  const take = (block: Uint8Array): void => {
    if (filled + block.length > buffer.length) {
      const larger = new Uint8Array(Math.max(filled + block.length, buffer.length * 2));
      larger.set(buffer.subarray(0, filled));
      buffer = larger;
      view = new DataView(buffer.buffer);
    }
    buffer.set(block, filled);
    filled += block.length;
  };

  const discard = (bytes: number): void => {
    buffer.copyWithin(0, bytes, filled);
    filled -= bytes;
    base += bytes;
  };

  const blocks = input.blocks()[Symbol.asyncIterator]();
  let since = 0;
  for (;;) {
    let next: IteratorResult<Uint8Array, unknown>;
    try {
      next = await blocks.next();
    } catch (error) {
      discard(entries(true));
      throw error;
    }
    if (next.done === true) break;
    take(next.value);
    since += next.value.length;
    // An entry that spans many blocks is not parsed again for each of them.
    if (since < Math.min(filled / 4, 1024 * 1024)) continue;
    since = 0;
    try {
      discard(entries(false));
      await sink.drain(base);
    } catch (error) {
      await blocks.return?.();
      throw error;
    }
  }
  discard(entries(true));
}

/** Where the entry after the next empty line starts, or -1. */
function afterEntry(b: Uint8Array, at: number, filled: number): number {
  for (let i = at; ; i++) {
    i = b.subarray(0, filled).indexOf(LF, i);
    if (i < 0 || i + 1 >= filled) return -1;
    if (b[i + 1] === LF) return i + 2;
  }
}
