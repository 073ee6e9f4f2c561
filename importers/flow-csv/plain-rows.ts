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
import { FLAG_BITS, parseProtocol } from './numbers.ts';
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
/** Columns of text beside each other that are worth a look whether all are as in the row before, and their bytes. */
const LEAST_RUN = 4;
const MOST_RUN = 1024;
const MOST_RUN_BYTES = 4096;
/** Protocols' names of at most so many bytes are remembered. */
const NAME_BYTES = 4;
const NAMES = 64;

/** Attributes beside each other, as the row before had them: many exports have columns that hardly change. */
interface Run {
  readonly first: number;
  readonly last: number;
  readonly bytes: Uint8Array;
  size: number;
  /** The row that has these; see `RowWriter.begun`. */
  row: number;
  /** By column: how often it was the first that had changed. */
  readonly changes: Uint32Array;
  /** How often all were as before, less WORTH for each time that they were not. */
  score: number;
  /** Rows up to the last, or the current one, that were as the one before, and whose columns are not set yet. */
  waiting: number;
}
/** A run is worth while so many rows are as the one before for each that is not; else it is cut where it changes. */
const WORTH = 4;
const LEAST_SCORE = -32;

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
  /** By the column that a run begins with. */
  private readonly runs: (Run | undefined)[];
  private readonly names = new Uint32Array(NAMES);
  private readonly protocols = new Uint8Array(NAMES);

  constructor(writer: RowWriter, stamp: StampReader, delimiter: number, quoted: boolean) {
    this.writer = writer;
    this.stamp = stamp;
    this.setters = writer.setters;
    this.delimiter = delimiter;
    this.quoted = quoted;
    // What stands for nothing must not be taken for a value.
    this.typed = writer.unset.every((mark) => !isValueByte(mark[0] ?? SPACE));
    this.runs = runsOf(writer.setters);
    writer.batch.settle = () => this.settle();
  }

  /** Sets what was put off: before the rows so far are looked at. */
  settle(): void {
    const { length } = this.writer.batch;
    for (const run of this.runs) if (run !== undefined) this.setWaiting(run, length);
  }

  /** Gives rows up to `end` the columns of a run that they have as the row before them. */
  private setWaiting(run: Run, end: number): void {
    const { waiting } = run;
    if (waiting === 0) return;
    run.waiting = 0;
    for (let i = run.first; i <= run.last; i++) {
      const column = this.writer.knownText(i);
      if (column?.present[end - waiting - 1] === 1) column.repeat(end - waiting, waiting);
    }
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
    let open: Run | undefined;
    let openAt = 0;
    for (let i = 0; i <= last; i++) {
      let stop = -1;
      const run = this.runs[i];
      if (run !== undefined) {
        if (row > 0 && run.row === writer.begun - 1 && this.goesOn(run, bytes, at, end)) {
          i = run.last;
          run.waiting += 1;
          run.row = writer.begun;
          at += run.size + 1;
          if (at <= end) {
            if (i === last && at < end) return this.refuse(true);
          } else if (i < last) return this.refuse(true);
          continue;
        }
        if (run.waiting > 0) this.setWaiting(run, row);
        open = run;
        openAt = at;
      }
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
            case F.PROTO:
              stop = this.readProtocol(bytes, at, end, row);
              break;
            case F.EVENT_TYPE:
              // A dash alone is nothing.
              if (writer.valid && byte !== SPACE && byte !== DASH)
                stop = this.copyText(bytes, at, end, batch.event_type, row);
              break;
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
          // Not all that has no column of its own is known to have a value.
          if (open !== undefined && writer.knownText(i) === undefined) open = undefined;
        }
      } else stop = at;
      if (open?.last === i) {
        if (writer.valid) keep(open, bytes, openAt, stop, writer.begun);
        open = undefined;
      }
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
    for (const run of this.runs) {
      if (run === undefined) continue;
      // Not this row, if it has got so far.
      if (run.row === this.writer.begun && run.waiting > 0) run.waiting -= 1;
      run.row = -1;
    }
    this.settle();
    if (begun) this.writer.batch.dropRow();
    this.stamp.zoneUsed = this.zoneUsed;
    this.refused += 1;
    return false;
  }

  /** Whether the cells of a run are as they were in the row before. */
  private goesOn(run: Run, bytes: Uint8Array, at: number, end: number): boolean {
    const same = sameBytes(run, bytes, at, end);
    const stop = at + same;
    if (same === run.size && (stop === end || bytes[stop] === this.delimiter)) {
      run.score += 1;
      return this.writer.valid;
    }
    let changed = run.first;
    for (let i = 0; i < same; i++) if (run.bytes[i] === this.delimiter) changed += 1;
    run.changes[changed - run.first]! += 1;
    run.score -= WORTH;
    if (run.score < LEAST_SCORE) this.cutRun(run);
    return false;
  }

  /** Leaves out of a run the column that changes most often. */
  private cutRun({ first, last, changes }: Run): void {
    const most = first + changes.indexOf(Math.max(...changes));
    this.runs[first] = undefined;
    addRun(this.runs, first, most - 1);
    addRun(this.runs, most + 1, last);
  }

  /** A protocol by a short name, most often one that was there before; as those below. */
  private readProtocol(bytes: Uint8Array, start: number, end: number, row: number): number {
    const { batch } = this.writer;
    let name = 0;
    let at = start;
    for (; at < end; at++) {
      const byte = bytes[at]!;
      if (byte === this.delimiter) break;
      if (at - start === NAME_BYTES || byte <= SPACE) return -1;
      name = (name << 8) | byte;
    }
    name >>>= 0;
    const slot = Math.imul(name, 0x9e37_79b1) >>> 26;
    if (this.names[slot] !== name) {
      if (bytes[start] === DASH || this.writer.standsForNothing(bytes, start, at)) return -1;
      const protocol = parseProtocol(bytes, start, at);
      if (protocol < 0) return -1;
      this.names[slot] = name;
      this.protocols[slot] = protocol;
    }
    batch.proto.values[row] = this.protocols[slot]!;
    batch.proto.present[row] = 1;
    return at;
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

function runsOf(setters: Uint8Array): (Run | undefined)[] {
  const runs: (Run | undefined)[] = Array.from(setters, () => undefined);
  for (let from = 0; from < setters.length;) {
    let to = from;
    while (to < setters.length && setters[to] === F.ATTR) to += 1;
    addRun(runs, from, to - 1);
    from = to + 1;
  }
  return runs;
}

function addRun(runs: (Run | undefined)[], first: number, last: number): void {
  const columns = last + 1 - first;
  if (columns < LEAST_RUN || columns > MOST_RUN) return;
  runs[first] = {
    ...{ first, last, bytes: new Uint8Array(MOST_RUN_BYTES), size: 0, row: -1 },
    ...{ changes: new Uint32Array(columns), score: 0, waiting: 0 },
  };
}

/** How many of a run's bytes are those from `at` on. */
function sameBytes({ bytes: own, size }: Run, bytes: Uint8Array, at: number, end: number): number {
  const most = Math.min(size, end - at);
  let same = 0;
  while (same < most && bytes[at + same] === own[same]) same += 1;
  return same;
}

function keep(run: Run, bytes: Uint8Array, from: number, to: number, row: number): void {
  if (to - from > MOST_RUN_BYTES) return;
  for (let at = from; at < to; at++) run.bytes[at - from] = bytes[at]!;
  run.size = to - from;
  run.row = row;
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
