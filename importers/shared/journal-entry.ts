/**
 * Writes entries of systemd's journal, given in the form of the Journal Export Format, into a batch, whatever they
 * were read from: an entry of a journal and the same one in an export become one event.
 *
 * Source: https://systemd.io/JOURNAL_EXPORT_FORMATS/#journal-export-format
 */
import type { EventBatch } from '../../engine/columns/event-batch.ts';
import type { TextColumn } from '../../engine/columns/columns.ts';
import { AttributeNames } from './attribute-names.ts';
import { hash53 } from './hash53.ts';

/** A larger entry (a core dump, for example) is refused. */
export const MAX_ENTRY = 8 * 1024 * 1024;

const latin1 = new TextDecoder('latin1');

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

export class JournalEntryWriter {
  private readonly batch: EventBatch;
  private readonly names: AttributeNames;
  /** Whether the entry states its identity. */
  private identified = false;
  /** Start and end of fields that only later versions of journalctl write. */
  private readonly added: number[] = [];
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
    this.added.length = 0;
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
      case '__SEQNUM':
      case '__SEQNUM_ID':
        this.added.push(nameStart, end + 1);
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

  /**
   * Call it after all fields of the entry `b[start, end)`.
   * @param isWhole whether they are complete
   */
  end(b: Uint8Array, start: number, end: number, isWhole = true): void {
    // The whole entry, not the cursor alone: one that was altered must not pass for its original.
    if (this.identified && isWhole)
      this.batch.record_key.set(this.batch.length, this.key(b, start, end));
    if (this.programRank > 0) {
      this.batch.program.setLossy(this.batch.length, b, this.programStart, this.programEnd);
    }
  }

  private key(b: Uint8Array, start: number, end: number): number {
    const { added } = this;
    if (added.length === 0) return hash53(b, start, end);
    const parts: Uint8Array[] = [];
    let at = start;
    for (let i = 0; i < added.length; i += 2) {
      parts.push(b.subarray(at, added[i]));
      at = added[i + 1]!;
    }
    const kept = Buffer.concat([...parts, b.subarray(at, end)]);
    return hash53(kept, 0, kept.length);
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
