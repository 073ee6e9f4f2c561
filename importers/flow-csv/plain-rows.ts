/**
 * Rows as nearly every export writes them, in one pass: a cell is read and stored while its end is looked
 * for. A cell that is written in any other way goes to `RowWriter.cell`; a row that has quotes, or more
 * or fewer cells than there are columns, is not taken and leaves nothing behind.
 *
 * Held always: a row that is taken is what the splitter and `RowWriter.cells` would have made of it.
 */
import type {
  NumberColumn,
  TextColumn,
  U16Column,
  U32Column,
} from '../../engine/contract/event-batch.ts';
import { POWERS_OF_TEN } from '../shared/bytes.ts';
import * as F from './fields.ts';
import { FLAG_BITS } from './numbers.ts';
import type { RowWriter } from './row-writer.ts';
import type { StampReader } from './stamp.ts';

const QUOTE = 34;
const DASH = 45;
const DOT = 46;
const SPACE = 32;
const ZERO = 48;
/** Digits that a double holds exactly, whatever they are. */
const EXACT_DIGITS = 15;
const MOST_FLAGS = 32;
/** Rows that may be refused before it is asked whether most are. */
const TRIALS = 64;

export class PlainRows {
  private readonly writer: RowWriter;
  private readonly stamp: StampReader;
  private readonly setters: Uint8Array;
  private readonly delimiter: number;
  private readonly quoted: boolean;
  private readonly typed: boolean;
  /** Before the row: a row that is not taken leaves no trace of its times either. */
  private zoneUsed = false;
  private taken = 0;
  private refused = 0;

  constructor(writer: RowWriter, stamp: StampReader, delimiter: number, quoted: boolean) {
    this.writer = writer;
    this.stamp = stamp;
    this.setters = writer.setters;
    this.delimiter = delimiter;
    this.quoted = quoted;
    // What stands for nothing must not be taken for a value.
    this.typed = writer.unset.every((mark) => !isValueByte(mark[0] ?? SPACE));
  }

  /** Whether tables with this delimiter can be read so: none that is part of a value. */
  static fits(delimiter: number, columns: number): boolean {
    return columns > 1 && delimiter !== SPACE && delimiter !== DASH && !isValueByte(delimiter);
  }

  /** Whether it is worth asking: not where most rows have quotes. */
  get useful(): boolean {
    return this.refused < TRIALS || this.refused < this.taken;
  }

  /** Sets the cells of the batch's current row from `bytes[start, end)`; false if it is another kind of row. */
  take(bytes: Uint8Array, start: number, end: number): boolean {
    const { writer, setters, delimiter, quoted, typed } = this;
    const { batch } = writer;
    const row = batch.length;
    this.zoneUsed = this.stamp.zoneUsed;
    const last = setters.length - 1;
    let at = start;
    for (let i = 0; i <= last; i++) {
      let stop = -1;
      if (at < end) {
        const byte = bytes[at]!;
        if (quoted && byte === QUOTE) return this.refuse(i > 0);
        if (byte === delimiter) stop = at;
        else if (typed) {
          switch (setters[i]) {
            case F.SRC_IP:
              stop = readIp4(bytes, at, end, delimiter, batch.src_ip4, row);
              break;
            case F.DST_IP:
              stop = readIp4(bytes, at, end, delimiter, batch.dst_ip4, row);
              break;
            case F.SRC_PORT:
              stop = readPort(bytes, at, end, delimiter, batch.src_port, row);
              break;
            case F.DST_PORT:
              stop = readPort(bytes, at, end, delimiter, batch.dst_port, row);
              break;
            case F.PACKETS:
              stop = readCount(bytes, at, end, delimiter, batch.packets, row);
              break;
            case F.BYTES:
              stop = readCount(bytes, at, end, delimiter, batch.bytes, row);
              break;
            case F.DURATION:
              stop = readDecimal(bytes, at, end, delimiter, batch.duration, row);
              break;
            case F.TCP_FLAGS:
              stop = readFlags(bytes, at, end, delimiter, batch.tcp_flags, row);
              break;
            case F.TS:
              stop = this.stamp.readPlain(bytes, at, end, delimiter);
              if (stop >= 0) writer.setTime();
              break;
            case F.PROTO: {
              stop = at + 3;
              if (stop > end || (stop < end && bytes[stop] !== delimiter)) {
                stop = -1;
                break;
              }
              const name =
                ((byte | 32) << 16) | ((bytes[at + 1]! | 32) << 8) | (bytes[at + 2]! | 32);
              if (name === 0x746370) batch.proto.set(row, 6);
              else if (name === 0x756470) batch.proto.set(row, 17);
              else stop = -1;
              break;
            }
            case F.ATTR: {
              const column = writer.valid ? writer.knownText(i) : undefined;
              if (column !== undefined && byte !== SPACE)
                stop = this.copyText(bytes, at, end, column, row);
              break;
            }
            default:
          }
        }
        if (stop < 0) {
          stop = at;
          while (stop < end && bytes[stop] !== delimiter) stop += 1;
          writer.cell(i, bytes, at, stop);
        }
      } else stop = at;
      if (stop < end) {
        // A delimiter behind the last cell makes an empty one more, which is none.
        if (i === last && stop + 1 < end) return this.refuse(true);
      } else if (i < last) return this.refuse(true);
      at = stop + 1;
    }
    this.taken += 1;
    return true;
  }

  private refuse(begun: boolean): false {
    if (begun) this.writer.batch.dropRow();
    this.stamp.zoneUsed = this.zoneUsed;
    this.refused += 1;
    return false;
  }

  /** Copies a cell while looking for its end; -1, and nothing set, where it is not copied as it is. */
  private copyText(
    bytes: Uint8Array,
    start: number,
    end: number,
    column: TextColumn,
    row: number,
  ): number {
    const { delimiter } = this;
    const from = column.room(end - start) + 4;
    const { data } = column;
    let at = start;
    let to = from;
    for (; at < end; at++, to++) {
      const byte = bytes[at]!;
      if (byte === delimiter) break;
      data[to] = byte;
    }
    if (data[to - 1] === SPACE) return -1;
    if (this.writer.standsForNothing(bytes, start, at)) return at;
    column.setWritten(row, at - start);
    return at;
  }
}

function isValueByte(byte: number): boolean {
  const letter = (byte | 32) - 97;
  return (
    letter >>> 0 < 26 || (byte - ZERO) >>> 0 <= 9 || byte === DOT || byte === 58 || byte === 95
  );
}

// Each of these reads the cell that begins at `at`, sets it, and says where it ends; -1, and nothing set,
// if it is written otherwise. The cell has at least one byte.

function readIp4(
  bytes: Uint8Array,
  start: number,
  end: number,
  delimiter: number,
  column: U32Column,
  row: number,
): number {
  let address = 0;
  let part = -1;
  let dots = 0;
  let at = start;
  for (; at < end; at++) {
    const byte = bytes[at]!;
    const digit = byte - ZERO;
    if (digit >>> 0 <= 9) {
      if (part === 0) return -1;
      part = part < 0 ? digit : part * 10 + digit;
      if (part > 255) return -1;
    } else if (byte === DOT) {
      if (part < 0 || dots === 3) return -1;
      address = (address << 8) | part;
      part = -1;
      dots += 1;
    } else if (byte === delimiter) break;
    else return -1;
  }
  if (part < 0 || dots !== 3) return -1;
  column.values[row] = (address << 8) | part;
  column.present[row] = 1;
  return at;
}

function readPort(
  bytes: Uint8Array,
  start: number,
  end: number,
  delimiter: number,
  column: U16Column,
  row: number,
): number {
  let value = 0;
  let at = start;
  for (; at < end; at++) {
    const byte = bytes[at]!;
    const digit = byte - ZERO;
    if (digit >>> 0 <= 9) {
      value = value * 10 + digit;
      if (value > 65_535) return -1;
    } else if (byte === delimiter) break;
    else return -1;
  }
  column.values[row] = value;
  column.present[row] = 1;
  return at;
}

function readCount(
  bytes: Uint8Array,
  start: number,
  end: number,
  delimiter: number,
  column: NumberColumn,
  row: number,
): number {
  let value = 0;
  let at = start;
  for (; at < end; at++) {
    const byte = bytes[at]!;
    const digit = byte - ZERO;
    if (digit >>> 0 <= 9) value = value * 10 + digit;
    else if (byte === delimiter) break;
    else return -1;
  }
  if (at - start > EXACT_DIGITS) return -1;
  column.values[row] = value;
  column.present[row] = 1;
  return at;
}

function readDecimal(
  bytes: Uint8Array,
  start: number,
  end: number,
  delimiter: number,
  column: NumberColumn,
  row: number,
): number {
  let mantissa = 0;
  let point = -1;
  let at = start;
  for (; at < end; at++) {
    const byte = bytes[at]!;
    const digit = byte - ZERO;
    if (digit >>> 0 <= 9) mantissa = mantissa * 10 + digit;
    else if (byte === DOT && point < 0 && at > start) point = at;
    else if (byte === delimiter) break;
    else return -1;
  }
  if (at - start > EXACT_DIGITS) return -1;
  column.values[row] = point < 0 ? mantissa : mantissa / POWERS_OF_TEN[at - point - 1]!;
  column.present[row] = 1;
  return at;
}

function readFlags(
  bytes: Uint8Array,
  start: number,
  end: number,
  delimiter: number,
  column: U16Column,
  row: number,
): number {
  // Digits are a number, and a dash alone is nothing.
  if ((bytes[start]! - ZERO) >>> 0 <= 9 || bytes[start] === DASH || bytes[start] === SPACE)
    return -1;
  let flags = 0;
  let at = start;
  for (; at < end; at++) {
    const byte = bytes[at]!;
    if (byte === delimiter) break;
    const bit = FLAG_BITS[byte]!;
    // Blanks at the end are no part of the cell.
    if (bit < 0 || byte === SPACE) return -1;
    flags |= bit;
  }
  if (at - start > MOST_FLAGS) return -1;
  column.values[row] = flags;
  column.present[row] = 1;
  return at;
}
