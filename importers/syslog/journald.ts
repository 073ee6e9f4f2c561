/**
 * Reads the Journal Export Format, as `journalctl -o export` and systemd-journal-remote write it:
 * https://systemd.io/JOURNAL_EXPORT_FORMATS/#journal-export-format
 *
 * Held always: every entry is an event or in quarantine; fields that have no column of their own
 * keep their names as attributes; memory is bounded by the largest entry that is taken.
 */
import type { EventBatch, TextColumn } from '../../engine/contract/event-batch.ts';
import type { ByteOffset } from '../../engine/contract/event.ts';
import type { EventSink, SourceInput } from '../../engine/contract/importer.ts';

import { hash53 } from '../shared/hash53.ts';
import { AttributeNames } from './attribute-names.ts';

/** A larger entry (a core dump, say) is not taken. */
export const MAX_ENTRY = 8 * 1024 * 1024;
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

/** A number of at most 15 digits, or -1. */
function decimal(b: Uint8Array, start: number, end: number): number {
  if (end === start || end - start > 16) return -1;
  let value = 0;
  for (let i = start; i < end; i++) {
    const c = b[i]! - 48;
    if (c < 0 || c > 9) return -1;
    value = value * 10 + c;
  }
  return value;
}

class EntryWriter {
  private readonly batch: EventBatch;
  private readonly names: AttributeNames;
  /** Whether the entry states its identity. */
  private identified = false;
  private pidRank = 0;
  private programRank = 0;
  private programStart = 0;
  private programEnd = 0;
  private programName = '';

  constructor(batch: EventBatch) {
    this.batch = batch;
    this.names = new AttributeNames(batch);
  }

  begin(): void {
    this.identified = false;
    this.pidRank = 0;
    this.programRank = 0;
  }

  /** One field. */
  field(b: Uint8Array, nameStart: number, nameEnd: number, start: number, end: number): void {
    const batch = this.batch;
    const row = batch.length;
    switch (latin1.decode(b.subarray(nameStart, nameEnd))) {
      case '__REALTIME_TIMESTAMP': {
        const micros = decimal(b, start, end);
        if (micros >= 0) {
          batch.ts.set(row, micros);
          batch.ts_digits.set(row, 6);
          batch.ts_basis.set(row, 0);
          return;
        }
        break;
      }
      case '__CURSOR':
        this.identified = true;
        break;
      case 'MESSAGE':
        if (once(batch.message, row, b, start, end)) return;
        break;
      case '_HOSTNAME':
        if (once(batch.host, row, b, start, end)) return;
        break;
      case 'MESSAGE_ID':
        if (once(batch.event_type, row, b, start, end)) return;
        break;
      case 'PRIORITY': {
        const value = decimal(b, start, end);
        if (value >= 0 && value <= 7 && batch.severity.present[row] === 0) {
          batch.severity.set(row, value);
          return;
        }
        break;
      }
      case 'SYSLOG_FACILITY': {
        const value = decimal(b, start, end);
        if (value >= 0 && value <= 23 && batch.facility.present[row] === 0) {
          batch.facility.set(row, value);
          return;
        }
        break;
      }
      case 'SYSLOG_IDENTIFIER':
        if (this.programRank < 2) {
          this.keepProgram(b, 2, nameStart, nameEnd, start, end);
          return;
        }
        break;
      case '_COMM':
        if (this.programRank < 1) {
          this.keepProgram(b, 1, nameStart, nameEnd, start, end);
          return;
        }
        break;
      case '_PID':
      case 'SYSLOG_PID': {
        const value = decimal(b, start, end);
        const rank = b[nameStart] === 95 ? 2 : 1;
        if (value >= 0 && value <= 0xffffffff && rank > this.pidRank) {
          batch.pid.set(row, value);
          if (this.pidRank === 0) {
            this.pidRank = rank;
            return;
          }
          this.pidRank = rank;
        }
        break;
      }
      default:
    }
    this.names.set(b, nameStart, nameEnd, nameEnd, nameEnd, b, start, end, false);
  }

  /** Call when all fields of the entry `b[start, end)` were given. */
  end(b: Uint8Array, start: number, end: number): void {
    // The whole entry, not the cursor alone: one that was altered must not pass for its original.
    if (this.identified) this.batch.record_key.set(this.batch.length, hash53(b, start, end));
    if (this.programRank > 0) {
      this.batch.program.setLossy(this.batch.length, b, this.programStart, this.programEnd);
    }
  }

  /** The program's name is the identifier if there is one; the other becomes an attribute. */
  private keepProgram(
    b: Uint8Array,
    rank: number,
    nameStart: number,
    nameEnd: number,
    start: number,
    end: number,
  ): void {
    if (this.programRank > 0) {
      this.batch.setAttribute(
        this.programName,
        latin1.decode(b.subarray(this.programStart, this.programEnd)),
      );
    }
    this.programRank = rank;
    this.programName = latin1.decode(b.subarray(nameStart, nameEnd));
    this.programStart = start;
    this.programEnd = end;
  }
}

function once(c: TextColumn, row: number, b: Uint8Array, start: number, end: number): boolean {
  if (c.present[row] === 1) return false;
  c.setLossy(row, b, start, end);
  return true;
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
  const writer = new EntryWriter(batch);
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
