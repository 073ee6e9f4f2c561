/**
 * Reads rows in the usual form, many at a time: the ends of all cells in a piece of the table are found first, then
 * one column is read after the other (plain-cells.ts). Unusual cells go to `RowWriter.cell`, row by row; a row with
 * quotes, or with more or fewer cells than there are columns, is not taken and leaves no trace.
 *
 * Gain: 1.5 M flows of nine columns are imported with 4.0 to 4.3 s of processor time instead of 4.6 to 5.2
 * (docs/adr/0023-shortcuts-measured-again.md).
 *
 * Invariants: a row is read exactly as the splitter and `RowWriter.cells` would read it, and attributes first occur
 * in the order of rows and cells.
 */
import {
  type Column,
  NumberColumn,
  type TextColumn,
  type U16Column,
  type U32Column,
} from '../../engine/columns/columns.ts';
import type { EventBatch } from '../../engine/columns/event-batch.ts';
import { type ByteOffset, TS_BASIS } from '../../engine/contract/event.ts';
import * as F from './fields.ts';
import { parseProtocol, parseTcpFlags } from './numbers.ts';
import {
  type Cells,
  CR,
  DASH,
  LF,
  readAddresses,
  readCounts,
  readDecimals,
  readPorts,
  readTexts,
  ShortCodes,
} from './plain-cells.ts';
import type { RowWriter } from './row-writer.ts';
import type { StampReader } from './stamp.ts';

const QUOTE = 34;
const HASH = 35;
const SPACE = 32;
/** The first byte of a byte order mark. */
const MARKED = 0xef;
/** Number of rows after which to check whether most are refused. */
const TRIALS = 64;
/** Number of cells read at once: they and their ends stay in the processor's cache. */
const CELLS = 4096;
/** After a refused row others may follow: fewer rows are tried, doubling each time. */
const LEAST_ROWS = 8;
/** Number of ends that may be found beyond the requested ones. */
const BESIDE = 8;

// Kinds of cells; those without one go to the writer.
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
/** Setters of one column: of several the last in a row holds, so they are all left to the writer. */
const RIVALS: readonly (readonly number[])[] = [
  [F.TS, F.TS_UTC, F.TS_DATE, F.TS_TIME],
  [F.DURATION, F.DURATION_MILLIS, F.DURATION_MICROS],
  [F.SRC_IP, F.SRC_ENDPOINT],
  [F.SRC_PORT, F.SRC_ENDPOINT],
  [F.DST_IP, F.DST_ENDPOINT],
  [F.DST_PORT, F.DST_ENDPOINT],
  [F.TCP_FLAGS, F.TCP_FLAGS_HEX, F.STATE_FLAGS],
];

/** The table that rows belong to, and their position in it. */
export interface PlainTable {
  /** Position of the first of the given bytes. */
  readonly base: ByteOffset;
  /** Rows before. */
  readonly seq: number;
  /** Position of the first quote in the bytes, or up to where there is none. */
  readonly quote: number;
  /** Bytes that a row may have. */
  readonly longest: number;
  /** A line that is not a row if it is repeated. */
  readonly heading: Uint8Array;
  /** Whether lines that begin with `#` are comments. */
  readonly comments: boolean;
}

export class PlainRows {
  private readonly writer: RowWriter;
  private readonly stamp: StampReader;
  /** By column: the kind of its cells, and their column of the batch; undefined for other kinds. */
  private readonly kinds: Uint8Array;
  private readonly addresses: readonly (U32Column | undefined)[];
  private readonly words: readonly (U16Column | undefined)[];
  private readonly numbers: readonly (NumberColumn | undefined)[];
  private readonly texts: readonly (TextColumn | undefined)[];
  private readonly quoted: boolean;
  /** By byte: 1 for separators after a cell. */
  private readonly separators = new Uint8Array(256);
  private readonly delimiter: number;
  private readonly width: number;
  private readonly protocols: ShortCodes;
  private readonly flags: ShortCodes;
  /** By byte: whether a text that begins with it must not be copied unchanged; for attributes, and for others. */
  private readonly attributeMarks: Uint8Array;
  private readonly textMarks: Uint8Array;
  private view: DataView = new DataView(new ArrayBuffer(0));
  /** Ends of cells, from 1; 0 is the byte before the first. One row has `stride` of them. */
  private readonly ends: Int32Array;
  private found = 0;
  /** End of the last cell of each row. */
  private readonly lineEnds: Int32Array;
  /** One more than there are columns where rows have a delimiter at their end, too. */
  private stride: number;
  /** By cell, one index before `ends`: 1 if it is left to the writer. */
  private readonly left: Uint8Array;
  private most = LEAST_ROWS;
  /** Results of the last `take`. */
  rows = 0;
  stopped = false;
  private taken = 0;
  private refused = 0;

  constructor(writer: RowWriter, stamp: StampReader, delimiter: number, quoted: boolean) {
    this.writer = writer;
    this.stamp = stamp;
    this.quoted = quoted;
    this.delimiter = delimiter;
    this.separators[delimiter] = 1;
    this.separators[LF] = 1;
    const { batch, setters } = writer;
    const columns = Array.from(setters, (setter) => columnOf(batch, setter));
    this.kinds = kindsOf(writer);
    this.addresses = columns.map((column) => (column?.type === 'u32' ? column : undefined));
    this.words = columns.map((column) => (column?.type === 'u16' ? column : undefined));
    this.numbers = columns.map((column) => (column instanceof NumberColumn ? column : undefined));
    this.texts = columns.map((column) => (column?.type === 'text' ? column : undefined));
    this.protocols = new ShortCodes((bytes, start, end) =>
      writer.isPlain(bytes, start, end) ? parseProtocol(bytes, start, end) : -1,
    );
    this.flags = new ShortCodes((bytes, start, end) =>
      writer.isPlain(bytes, start, end) ? parseTcpFlags(bytes, start, end) : -1,
    );
    this.attributeMarks = new Uint8Array(256);
    this.attributeMarks[SPACE] = 1;
    for (const mark of writer.unset) this.attributeMarks[mark[0] ?? SPACE] = 1;
    this.textMarks = Uint8Array.from(this.attributeMarks);
    this.textMarks[DASH] = 1;
    const width = setters.length;
    this.width = width;
    this.stride = width;
    const most = Math.max(LEAST_ROWS, Math.floor(CELLS / width));
    this.lineEnds = new Int32Array(most);
    this.ends = new Int32Array(most * (width + 1) + BESIDE);
    this.left = new Uint8Array(this.ends.length);
  }

  /** Whether tables with this delimiter can be read so: it must not occur in a value or a line's end. */
  static fits(delimiter: number, columns: number): boolean {
    const isOther =
      delimiter === SPACE || delimiter === DASH || delimiter === LF || delimiter === CR;
    return columns > 1 && !isOther && !isValueByte(delimiter);
  }

  /** Whether it is worth asking: not where most rows have quotes. */
  get useful(): boolean {
    return this.refused < TRIALS || this.refused < this.taken;
  }

  /**
   * Takes a large number of rows from `from` on that begin before `until`, at most to the first refused one
   * (`stopped`). `until` follows a line feed, and `BEHIND` bytes may be read after it.
   * @returns start of the next row; `rows` is the number of rows taken
   */
  take(bytes: Uint8Array, from: number, until: number, table: PlainTable): number {
    const { batch } = this.writer;
    const view = this.viewOf(bytes);
    const most = Math.min(this.most, batch.capacity - batch.length);
    this.findEnds(view, from, until, most);
    let rows = this.wholeRows(bytes, most, until, table);
    if (rows === 0) {
      const { width } = this;
      this.stride = this.stride === width ? width + 1 : width;
      rows = this.wholeRows(bytes, most, until, table);
    }
    // The last row examined may be incomplete.
    this.stopped = rows < most && (rows === 0 || (rows + 1) * this.stride <= this.found);
    this.rows = rows;
    this.taken += rows;
    if (this.stopped) {
      this.refused += 1;
      this.most = LEAST_ROWS;
    } else this.most = Math.min(this.most * 2, this.lineEnds.length);
    if (rows === 0) return from;
    this.setPlaces(bytes, rows, table);
    const others = this.setColumns(bytes, view, rows);
    if (others || this.writer.finishing) this.setOthers(bytes, rows);
    const next = this.ends[rows * this.stride]! + 1;
    batch.endRows(rows, next - from);
    return next;
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

  /** Finds the ends of the rows' cells. Not byte by byte: no branch depends on a byte's value. */
  private findEnds(view: DataView, from: number, until: number, rows: number): void {
    const { ends, separators } = this;
    const enough = rows * this.stride;
    ends[0] = from - 1;
    let n = 1;
    for (let at = from; at < until && n <= enough; at += 4) {
      const word = view.getInt32(at, true);
      ends[n] = at;
      n += separators[word & 255]!;
      ends[n] = at + 1;
      n += separators[(word >>> 8) & 255]!;
      ends[n] = at + 2;
      n += separators[(word >>> 16) & 255]!;
      ends[n] = at + 3;
      n += separators[word >>> 24]!;
    }
    this.found = n - 1;
  }

  /** Number of rows, up to `most`, with as many cells as columns that may be taken. */
  private wholeRows(bytes: Uint8Array, most: number, until: number, table: PlainTable): number {
    const { ends, stride, width, delimiter, quoted } = this;
    const { longest, heading, comments } = table;
    let rows = Math.min(most, Math.floor(this.found / stride));
    for (let row = 0; row < rows; row++) {
      const start = ends[row * stride]! + 1;
      const end = ends[row * stride + stride]!;
      const byte = bytes[start]!;
      if (
        bytes[end] !== LF ||
        end >= until ||
        end - start > longest ||
        byte === MARKED ||
        (comments && (byte === HASH || byte <= SPACE)) ||
        (byte === heading[0] && isLine(bytes, start, heading)) ||
        (stride > width && !isLineEnd(bytes, ends[row * stride + width]! + 1))
      )
        rows = row;
    }
    // Are there line feeds where delimiters should be?
    let sum = 0;
    for (let i = 1; i <= rows * stride; i++) sum += bytes[ends[i]!]!;
    const quotes = quoted && table.quote < ends[rows * stride]!;
    if (!quotes && sum === rows * ((stride - 1) * delimiter + LF)) return rows;
    for (let i = 0; i < rows * stride; i++) {
      const isOdd =
        (quoted && bytes[ends[i]! + 1] === QUOTE) ||
        (bytes[ends[i + 1]!] === LF && (i + 1) % stride !== 0);
      if (isOdd) return Math.floor(i / stride);
    }
    return rows;
  }

  /** Sets the positions of the rows. */
  private setPlaces(bytes: Uint8Array, rows: number, { base, seq: before }: PlainTable): void {
    const { ends, lineEnds, stride } = this;
    const { seq, offset, record_length: lengths, length: first } = this.writer.batch;
    for (let row = 0; row < rows; row++) {
      const start = ends[row * stride]! + 1;
      let end = ends[row * stride + stride]!;
      if (bytes[end - 1] === CR) end -= 1;
      lineEnds[row] = end;
      seq.values[first + row] = before + row + 1;
      offset.values[first + row] = base + start;
      lengths.values[first + row] = end - start;
    }
    seq.present.fill(1, first, first + rows);
    offset.present.fill(1, first, first + rows);
    lengths.present.fill(1, first, first + rows);
  }

  /** Reads the columns of rows; returns whether cells were left. */
  private setColumns(bytes: Uint8Array, view: DataView, rows: number): boolean {
    const { writer, ends, lineEnds, stride, width, left } = this;
    const first = writer.batch.length;
    let others = 0;
    for (let i = 0; i < width; i++) {
      const isLast = i + 1 === stride;
      const cells: Cells = {
        ...{ bytes, view, rows, first, starts: ends, at: i, step: stride, left },
        ...{ ends: isLast ? lineEnds : ends, endAt: isLast ? 0 : i + 1 },
        ...{ endStep: isLast ? 1 : stride },
      };
      others += this.setColumn(i, cells);
    }
    return others > 0;
  }

  /** Like the readers of plain-cells.ts. */
  private setColumn(i: number, cells: Cells): number {
    switch (this.kinds[i]) {
      case ADDRESS:
        return readAddresses(cells, this.addresses[i]!);
      case PORT:
        return readPorts(cells, this.words[i]!);
      case COUNT:
        return readCounts(cells, this.numbers[i]!);
      case DECIMAL:
        return readDecimals(cells, this.numbers[i]!);
      case FLAGS:
        return this.flags.readColumn(cells, this.words[i]!);
      case TIME:
        return this.readTimes(cells);
      case PROTOCOL:
        return this.protocols.readColumn(cells, this.writer.batch.proto);
      case TEXT:
        return this.readTexts(i, cells, this.texts[i]!, this.textMarks);
      case ATTRIBUTE: {
        const column = this.writer.knownText(i);
        return column === undefined
          ? leaveAll(cells)
          : this.readTexts(i, cells, column, this.attributeMarks);
      }
      default:
        return leaveAll(cells);
    }
  }

  private readTexts(i: number, cells: Cells, column: TextColumn, marks: Uint8Array): number {
    const { writer } = this;
    const { bytes } = cells;
    readTexts(cells, column, writer.valid ? marks : ALL_MARKS, (row, start, end) => {
      writer.row = row;
      writer.cell(i, bytes, start, end);
    });
    return 0;
  }

  private readTimes(cells: Cells): number {
    const { stamp } = this;
    const { bytes, view, rows, first, starts, step, ends, endStep, left } = cells;
    const { ts, ts_ns, ts_digits, ts_basis, tz_offset } = this.writer.batch;
    const behind = first + rows;
    let { at, endAt } = cells;
    let others = 0;
    for (let row = first; row < behind; row++, at += step, endAt += endStep) {
      const start = starts[at]! + 1;
      const end = ends[endAt]!;
      if (start === end) continue;
      if (stamp.readPlain(bytes, view, start, end)) {
        ts.values[row] = stamp.micros;
        ts.present[row] = 1;
        ts_digits.values[row] = stamp.digits;
        tz_offset.values[row] = stamp.offset;
        if (stamp.nanos > 0) ts_ns.set(row, stamp.nanos);
      } else {
        left[at] = 1;
        others += 1;
      }
    }
    const present = ts.present.subarray(first, behind);
    ts_digits.present.set(present, first);
    tz_offset.present.set(present, first);
    ts_basis.present.set(present, first);
    ts_basis.values.fill(TS_BASIS.zoneDecided, first, behind);
    return others;
  }

  /** Processes what was left of the rows, and what is known only after all cells. */
  private setOthers(bytes: Uint8Array, rows: number): void {
    const { writer, ends, lineEnds, stride, width, left } = this;
    const { batch, finishing } = writer;
    const first = batch.length;
    for (let row = 0; row < rows; row++) {
      batch.length = first + row;
      writer.begin();
      const at = row * stride;
      for (let i = 0; i < width; i++) {
        if (left[at + i] === 0) continue;
        left[at + i] = 0;
        const end = i + 1 === stride ? lineEnds[row]! : ends[at + i + 1]!;
        writer.cell(i, bytes, ends[at + i]! + 1, end);
      }
      if (finishing) writer.workOut(bytes, ends[at]! + 1, lineEnds[row]!);
      batch.nextRow();
    }
    batch.length = first;
  }
}

function kindsOf({ setters, unset, givesType }: RowWriter): Uint8Array {
  // A placeholder for a missing value must not be taken for a value.
  const typed = unset.every((mark) => !isValueByte(mark[0] ?? SPACE));
  const kinds = setters.map((setter) =>
    typed || setter === F.ATTR ? (KINDS[setter] ?? OTHER) : OTHER,
  );
  for (const rivals of RIVALS) {
    if (rivals.filter((setter) => setters.includes(setter)).length < 2) continue;
    for (const [i, setter] of setters.entries()) if (rivals.includes(setter)) kinds[i] = OTHER;
  }
  // Columns that share a setter are read in the order of cells.
  for (const [i, setter] of setters.entries())
    if (setter !== F.ATTR && setters.indexOf(setter) !== setters.lastIndexOf(setter))
      kinds[i] = OTHER;
  // Texts of a column must be in row order, including computed ones.
  if (givesType)
    for (const [i, setter] of setters.entries()) if (setter === F.EVENT_TYPE) kinds[i] = OTHER;
  return kinds;
}

/** Leaves all cells of a column that are not empty. */
function leaveAll({ rows, starts, at, step, ends, endAt, endStep, left }: Cells): number {
  let others = 0;
  for (let row = 0; row < rows; row++) {
    if (starts[at + row * step]! + 1 === ends[endAt + row * endStep]) continue;
    left[at + row * step] = 1;
    others += 1;
  }
  return others;
}

const ALL_MARKS = new Uint8Array(256).fill(1);

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
  return isLineEnd(bytes, at + line.length);
}

function isLineEnd(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === LF || (bytes[at] === CR && bytes[at + 1] === LF);
}

function isValueByte(byte: number): boolean {
  const letter = (byte | 32) - 97;
  return letter >>> 0 < 26 || (byte - 48) >>> 0 <= 9 || byte === 46 || byte === 58 || byte === 95;
}
