/**
 * An entry in the Journal Export Format, and the positions of its fields in that text.
 *
 * Source: https://systemd.io/JOURNAL_EXPORT_FORMATS/#journal-export-format, and journalctl where that is not
 * specific.
 */
import { isUtf8 } from 'node:buffer';
import type { EntryHead } from './layout.ts';

const [LF, EQUALS] = [10, 61];
const BOOT_ID = Buffer.from('_BOOT_ID=');

interface FieldPlace {
  readonly nameStart: number;
  readonly nameEnd: number;
  readonly start: number;
  readonly end: number;
}

export class ExportText {
  bytes: Buffer = Buffer.alloc(64 << 10);
  length = 0;
  private places: FieldPlace[] = [];

  begin(cursor: string, { realtime, monotonic, bootId }: EntryHead): void {
    this.length = 0;
    this.places = [];
    this.field(Buffer.from(`__CURSOR=${cursor}`));
    this.field(Buffer.from(`__REALTIME_TIMESTAMP=${realtime}`));
    this.field(Buffer.from(`__MONOTONIC_TIMESTAMP=${monotonic}`));
    this.append(Buffer.from(`_BOOT_ID=${bootId}`));
  }

  /** @param payload `NAME=value`; the boot id is omitted, which every entry states itself */
  field(payload: Buffer): void {
    if (payload.subarray(0, BOOT_ID.length).equals(BOOT_ID)) return;
    this.append(payload);
  }

  /** Of all fields so far. */
  fields(): readonly FieldPlace[] {
    return this.places;
  }

  private append(payload: Buffer): void {
    const name = payload.indexOf(EQUALS);
    if (name < 0) return;
    this.makeRoom(payload.length + 16);
    const { bytes } = this;
    const nameStart = this.length;
    const nameEnd = nameStart + name;
    const size = payload.length - name - 1;
    let start = nameEnd + 1;
    if (isText(payload)) payload.copy(bytes, nameStart);
    else {
      payload.copy(bytes, nameStart, 0, name);
      bytes[nameEnd] = LF;
      bytes.writeUInt32LE(size, nameEnd + 1);
      bytes.writeUInt32LE(0, nameEnd + 5);
      start = nameEnd + 9;
      payload.copy(bytes, start, name + 1);
    }
    const end = start + size;
    bytes[end] = LF;
    this.length = end + 1;
    this.places.push({ nameStart, nameEnd, start, end });
  }

  private makeRoom(more: number): void {
    if (this.length + more <= this.bytes.length) return;
    const larger = Buffer.alloc(Math.max(this.length + more, 2 * this.bytes.length));
    this.bytes.copy(larger, 0, 0, this.length);
    this.bytes = larger;
  }
}

/** Whether journalctl writes a field as a line: UTF-8 without characters that control. */
function isText(bytes: Buffer): boolean {
  let isAscii = true;
  for (const byte of bytes) {
    if (byte < 0x20 ? byte !== 0x09 : byte === 0x7f) return false;
    if (byte >= 0x80) isAscii = false;
  }
  if (isAscii) return true;
  return isUtf8(bytes) && !/[\u0080-\u009f]|\p{Noncharacter_Code_Point}/u.test(bytes.toString());
}
