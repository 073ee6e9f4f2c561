/**
 * Rows as nearly every export writes them, many at a time and in one pass: a cell is read and stored while
 * its end is looked for, and a row ends where its last cell does. A cell that is written in any other way
 * goes to `RowWriter.cell`; a row that has quotes, or more or fewer cells than there are columns, is not
 * taken and leaves nothing behind.
 *
 * Held always: a row that is taken is what the splitter and `RowWriter.cells` would have made of it.
 */
import {
  type Column,
  type EventBatch,
  NumberColumn,
  type TextColumn,
  type U16Column,
  type U32Column,
} from '../../engine/contract/event-batch.ts';
import type { ByteOffset } from '../../engine/contract/event.ts';
import * as F from './fields.ts';
import { parseProtocol } from './numbers.ts';
import {
  copyText,
  CR,
  endOf,
  isEnd,
  LF,
  readCount,
  readDecimal,
  readFlags,
  readIp4,
  readPort,
} from './plain-cells.ts';
import type { RowWriter } from './row-writer.ts';
import type { StampReader } from './stamp.ts';

const QUOTE = 34;
const DASH = 45;
const SPACE = 32;
/** Rows that may be refused before it is asked whether most are. */
const TRIALS = 64;
/** Columns of text beside each other that are worth a look whether all are as in the row before, and their bytes. */
const LEAST_RUN = 4;
const MOST_RUN = 1024;
const MOST_RUN_BYTES = 4096;
/** Protocols' names of at most four bytes are remembered. */
const NAMES = 64;
const HASH = 35;

// How cells are read. What has no kind goes to the writer.
const OTHER = 0;
const ATTRIBUTE = 1;
const ADDRESS = 2;
const PORT = 3;
const COUNT = 4;
const DECIMAL = 5;
const FLAGS = 6;
const TIME = 7;
const PROTOCOL = 8;
const TEXT = 9;
const KINDS: Readonly<Record<number, number>> = {
  ...{ [F.ATTR]: ATTRIBUTE, [F.TS]: TIME, [F.PROTO]: PROTOCOL, [F.TCP_FLAGS]: FLAGS },
  ...{ [F.SRC_IP]: ADDRESS, [F.DST_IP]: ADDRESS, [F.SRC_PORT]: PORT, [F.DST_PORT]: PORT },
  ...{ [F.PACKETS]: COUNT, [F.BYTES]: COUNT, [F.PACKETS_REV]: COUNT, [F.BYTES_REV]: COUNT },
  ...{ [F.ORIG_BYTES]: COUNT, [F.RESP_BYTES]: COUNT, [F.MISSED_BYTES]: COUNT },
  ...{ [F.DURATION]: DECIMAL, [F.EVENT_TYPE]: TEXT, [F.CONN_STATE]: TEXT, [F.HISTORY]: TEXT },
  ...{ [F.SERVICE]: TEXT, [F.HOST]: TEXT, [F.PROGRAM]: TEXT },
};

/** The table that rows are of, and where in it they lie. */
export interface PlainTable {
  /** Where the first of the bytes that are given lies. */
  readonly base: ByteOffset;
  /** Rows before. */
  readonly seq: number;
  /** Bytes that a row may have. */
  readonly longest: number;
  /** A line that is no row where it comes again. */
  readonly heading: Uint8Array;
  /** Whether lines that begin with `#` are none. */
  readonly comments: boolean;
}

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
  /** By column: how its cells are read, and into which column of the batch; of another kind, undefined. */
  private readonly kinds: Uint8Array;
  private readonly addresses: readonly (U32Column | undefined)[];
  private readonly words: readonly (U16Column | undefined)[];
  private readonly numbers: readonly (NumberColumn | undefined)[];
  private readonly texts: readonly (TextColumn | undefined)[];
  private readonly delimiter: number;
  /** Four times. */
  private readonly delimiters: number;
  private readonly quoted: boolean;
  private view: DataView = new DataView(new ArrayBuffer(0));
  /** What `take` did last. */
  rows = 0;
  stopped = false;
  /** Before the row: a row that is not taken leaves no trace of its times either. */
  private zoneUsed = false;
  private taken = 0;
  private refused = 0;
  /** By the column that a run begins with. */
  private readonly runs: (Run | undefined)[];
  private readonly names = new Int32Array(NAMES);
  private readonly protocols = new Uint8Array(NAMES);

  constructor(writer: RowWriter, stamp: StampReader, delimiter: number, quoted: boolean) {
    this.writer = writer;
    this.stamp = stamp;
    this.delimiter = delimiter;
    this.delimiters = Math.imul(delimiter, 0x01010101);
    this.quoted = quoted;
    const { batch, setters } = writer;
    // What stands for nothing must not be taken for a value.
    const typed = writer.unset.every((mark) => !isValueByte(mark[0] ?? SPACE));
    this.kinds = setters.map((setter) =>
      typed || setter === F.ATTR ? (KINDS[setter] ?? OTHER) : OTHER,
    );
    const columns = Array.from(setters, (setter) => columnOf(batch, setter));
    this.addresses = columns.map((column) => (column?.type === 'u32' ? column : undefined));
    this.words = columns.map((column) => (column?.type === 'u16' ? column : undefined));
    this.numbers = columns.map((column) => (column instanceof NumberColumn ? column : undefined));
    this.texts = columns.map((column) => (column?.type === 'text' ? column : undefined));
    this.runs = runsOf(setters);
  }

  /** Sets what was put off of the rows up to `end`. */
  private settle(end: number): void {
    for (const run of this.runs) if (run !== undefined) this.setWaiting(run, end);
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

  /**
   * Takes rows from `from` on: until one is not taken (`stopped`), the batch is full or one begins at
   * `until` or behind it. Each ends with a line feed, and `BEHIND` bytes may be read behind that.
   * @returns where the next row begins; `rows` says how many were taken
   */
  take(bytes: Uint8Array, from: number, until: number, table: PlainTable): number {
    const { batch } = this.writer;
    const { offset, record_length: lengths, seq } = batch;
    const { heading, comments, base, longest } = table;
    const view = this.viewOf(bytes);
    const first = batch.length;
    this.stopped = false;
    let row = first;
    let at = from;
    for (; at < until && row < batch.capacity; row++) {
      const byte = bytes[at]!;
      const apart = (comments && (byte === HASH || byte <= SPACE)) || isLine(bytes, at, heading);
      const next = apart ? -1 : this.row(bytes, view, at, row, longest);
      if (next < 0) {
        this.stopped = true;
        break;
      }
      seq.set(row, table.seq + row - first + 1);
      offset.set(row, base + at);
      lengths.set(row, next - at - (bytes[next - 2] === CR ? 2 : 1));
      batch.nextRow();
      at = next;
    }
    this.rows = row - first;
    this.taken += this.rows;
    this.settle(row);
    batch.length = first;
    if (this.rows > 0) batch.endRows(this.rows, at - from);
    return at;
  }

  private viewOf(bytes: Uint8Array): DataView {
    const { view } = this;
    if (
      view.buffer === bytes.buffer &&
      view.byteOffset === bytes.byteOffset &&
      view.byteLength === bytes.length
    )
      return view;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    return this.view;
  }

  /** Sets the cells of a row; says where the next begins, or -1. */
  private row(
    bytes: Uint8Array,
    view: DataView,
    start: number,
    row: number,
    longest: number,
  ): number {
    const { writer, kinds, delimiter, quoted, runs } = this;
    writer.begin();
    this.zoneUsed = this.stamp.zoneUsed;
    const last = kinds.length - 1;
    let at = start;
    let open: Run | undefined;
    let openAt = 0;
    for (let i = 0; i <= last; i++) {
      let stop = -1;
      const run = runs[i];
      const byte = bytes[at]!;
      if (
        run !== undefined &&
        row > 0 &&
        run.row === writer.begun - 1 &&
        this.goesOn(run, bytes, at)
      ) {
        i = run.last;
        run.waiting += 1;
        run.row = writer.begun;
        stop = at + run.size;
      } else {
        if (run !== undefined) {
          if (run.waiting > 0) this.setWaiting(run, row);
          open = run;
          openAt = at;
        }
        if (byte === delimiter || byte === LF || (byte === CR && bytes[at + 1] === LF)) stop = at;
        else if (quoted && byte === QUOTE) return this.refuse(i > 0);
        else {
          switch (kinds[i]) {
            case ADDRESS:
              stop = readIp4(view, at, delimiter, this.addresses[i]!, row);
              break;
            case PORT:
              stop = readPort(view, at, delimiter, this.words[i]!, row);
              break;
            case COUNT:
              stop = readCount(view, at, delimiter, this.numbers[i]!, row);
              break;
            case DECIMAL:
              stop = readDecimal(view, at, delimiter, this.numbers[i]!, row);
              break;
            case FLAGS:
              stop = readFlags(bytes, at, delimiter, this.words[i]!, row);
              break;
            case TIME:
              stop = this.stamp.readPlain(bytes, view, at, delimiter);
              if (stop >= 0) writer.setTime();
              break;
            case PROTOCOL:
              stop = this.readProtocol(bytes, view, at, row);
              break;
            case TEXT:
              {
                const column = this.texts[i]!;
                // A dash alone is nothing, and the first of two values stays.
                if (byte !== DASH && column.present[row] === 0)
                  stop = this.readText(bytes, at, column, row);
              }
              break;
            case ATTRIBUTE: {
              const column = writer.knownText(i);
              if (column !== undefined) stop = this.readText(bytes, at, column, row);
              break;
            }
            default:
          }
          if (stop < 0) {
            stop = endOf(bytes, at, delimiter);
            writer.cell(i, bytes, at, stop);
            // Not all that has no column of its own is known to have a value.
            if (open !== undefined && writer.knownText(i) === undefined) open = undefined;
          }
        }
        if (open?.last === i) {
          if (writer.valid) keep(open, bytes, openAt, stop, writer.begun);
          open = undefined;
        }
      }
      if (i < last && bytes[stop] !== delimiter) return this.refuse(true);
      at = stop + 1;
    }
    // A delimiter behind the last cell makes an empty one more, which is none.
    if (bytes[at - 1] !== delimiter) at -= 1;
    if (bytes[at] === CR) at += 1;
    if (bytes[at] !== LF || at - start > longest) return this.refuse(true);
    if (writer.finishing) writer.workOut(bytes, start, bytes[at - 1] === CR ? at - 1 : at);
    return at + 1;
  }

  private refuse(begun: boolean): number {
    for (const run of this.runs) {
      if (run === undefined) continue;
      // Not this row, if it has got so far.
      if (run.row === this.writer.begun && run.waiting > 0) run.waiting -= 1;
      run.row = -1;
    }
    this.settle(this.writer.batch.length);
    if (begun) this.writer.batch.dropRow();
    this.stamp.zoneUsed = this.zoneUsed;
    this.refused += 1;
    return -1;
  }

  /** Whether the cells of a run are as they were in the row before. */
  private goesOn(run: Run, bytes: Uint8Array, at: number): boolean {
    const same = sameBytes(run, bytes, at);
    if (same === run.size && isEnd(bytes[at + same]!, this.delimiter)) {
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

  /** A protocol by a short name, most often one that was there before. */
  private readProtocol(bytes: Uint8Array, view: DataView, at: number, row: number): number {
    const word = view.getInt32(at, true);
    const others = word ^ this.delimiters;
    const found = (others - 0x01010101) & ~others & 0x80808080;
    // Bits of the bytes before a delimiter among the four.
    const bits = found === 0 ? 32 : 24 - Math.clz32(found & -found);
    const stop = at + (bits >>> 3);
    const name = bits === 32 ? word : word & ((1 << bits) - 1);
    // With a byte of 0 at its end it would look like a shorter one.
    if (name >>> (bits - 8) === 0 || (bits === 32 && bytes[stop] !== this.delimiter)) return -1;
    const slot = Math.imul(name, 0x9e37_79b1) >>> 26;
    if (this.names[slot] !== name) {
      for (let i = at; i < stop; i++) if (bytes[i]! <= SPACE) return -1;
      if (bytes[at] === DASH || this.writer.standsForNothing(bytes, at, stop)) return -1;
      const protocol = parseProtocol(bytes, at, stop);
      if (protocol < 0) return -1;
      this.names[slot] = name;
      this.protocols[slot] = protocol;
    }
    const { proto } = this.writer.batch;
    proto.values[row] = this.protocols[slot]!;
    proto.present[row] = 1;
    return stop;
  }

  /** Copies a cell while looking for its end; -1, and nothing set, where it is not copied as it is. */
  private readText(bytes: Uint8Array, at: number, column: TextColumn, row: number): number {
    if (!this.writer.valid || bytes[at] === SPACE) return -1;
    const stop = copyText(bytes, at, this.delimiter, column);
    if (stop < 0 || bytes[stop - 1] === SPACE) return -1;
    if (!this.writer.standsForNothing(bytes, at, stop)) column.setWritten(row, stop - at);
    return stop;
  }
}

function columnOf(batch: EventBatch, setter: number): Column | undefined {
  switch (setter) {
    case F.SRC_IP:
      return batch.src_ip4;
    case F.DST_IP:
      return batch.dst_ip4;
    case F.SRC_PORT:
      return batch.src_port;
    case F.DST_PORT:
      return batch.dst_port;
    case F.TCP_FLAGS:
      return batch.tcp_flags;
    case F.PACKETS:
      return batch.packets;
    case F.BYTES:
      return batch.bytes;
    case F.PACKETS_REV:
      return batch.packets_rev;
    case F.BYTES_REV:
      return batch.bytes_rev;
    case F.ORIG_BYTES:
      return batch.orig_bytes;
    case F.RESP_BYTES:
      return batch.resp_bytes;
    case F.MISSED_BYTES:
      return batch.missed_bytes;
    case F.DURATION:
      return batch.duration;
    case F.EVENT_TYPE:
      return batch.event_type;
    case F.CONN_STATE:
      return batch.conn_state;
    case F.HISTORY:
      return batch.history;
    case F.SERVICE:
      return batch.service;
    case F.HOST:
      return batch.host;
    case F.PROGRAM:
      return batch.program;
    default:
      return undefined;
  }
}

/** Whether the line at `at` is `line`. */
function isLine(bytes: Uint8Array, at: number, line: Uint8Array): boolean {
  for (let i = 0; i < line.length; i++) if (bytes[at + i] !== line[i]) return false;
  const end = at + line.length;
  return bytes[end] === LF || (bytes[end] === CR && bytes[end + 1] === LF);
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
function sameBytes({ bytes: own, size }: Run, bytes: Uint8Array, at: number): number {
  let same = 0;
  while (same < size && bytes[at + same] === own[same]) same += 1;
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
  return letter >>> 0 < 26 || (byte - 48) >>> 0 <= 9 || byte === 46 || byte === 58 || byte === 95;
}
