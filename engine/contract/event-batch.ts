/**
 * A batch of events in columns: what importers fill and what the store encodes.
 *
 * Hot loops write here, so everything is a typed array and nothing is allocated per event. A column
 * object stays the same for the whole life of a batch: an importer may keep references to columns
 * (attributes included) for as long as it reads one source.
 *
 * Use: `const row = batch.length; batch.src_port.set(row, 443); …; batch.endRow();`
 * A column that is not set for a row is null there. Text must be set at most once per row.
 */
import {
  COLUMNS,
  CUT_TEXTS,
  type ColumnName,
  type CutText,
  type Kind,
  SEARCHED_TEXTS,
  type SearchedText,
} from './event.ts';

/** Rows of a full batch: DuckDB's row group size, so that one batch is one row group. */
export const BATCH_ROWS = 122_880;
/** Attributes beyond this many names in one batch go, as JSON, into the overflow column. */
export const MAX_ATTRIBUTE_COLUMNS = 256;
/** Bytes of the records in a batch, and of its messages, after which it counts as full, unless its owner says otherwise. */
export const BATCH_BYTES = 32 * 1024 * 1024;

/** Of a text's place and presence. */
const VALUE_BYTES = 5;

export class U8Column {
  readonly type = 'u8' as const;
  readonly values: Uint8Array;
  readonly present: Uint8Array;
  constructor(rows: number) {
    this.values = new Uint8Array(rows);
    this.present = new Uint8Array(rows);
  }
  set(row: number, value: number): void {
    this.values[row] = value;
    this.present[row] = 1;
  }
  clear(): void {
    this.present.fill(0);
  }
}

export class U16Column {
  readonly type = 'u16' as const;
  readonly values: Uint16Array;
  readonly present: Uint8Array;
  constructor(rows: number) {
    this.values = new Uint16Array(rows);
    this.present = new Uint8Array(rows);
  }
  set(row: number, value: number): void {
    this.values[row] = value;
    this.present[row] = 1;
  }
  clear(): void {
    this.present.fill(0);
  }
}

export class U32Column {
  readonly type = 'u32' as const;
  readonly values: Uint32Array;
  readonly present: Uint8Array;
  constructor(rows: number) {
    this.values = new Uint32Array(rows);
    this.present = new Uint8Array(rows);
  }
  set(row: number, value: number): void {
    this.values[row] = value;
    this.present[row] = 1;
  }
  clear(): void {
    this.present.fill(0);
  }
}

class I32Column {
  readonly type = 'i32' as const;
  readonly values: Int32Array;
  readonly present: Uint8Array;
  constructor(rows: number) {
    this.values = new Int32Array(rows);
    this.present = new Uint8Array(rows);
  }
  set(row: number, value: number): void {
    this.values[row] = value;
    this.present[row] = 1;
  }
  clear(): void {
    this.present.fill(0);
  }
}

/** Whole numbers of up to 53 bits (u64, i64, micros) or real numbers (f64), kept as doubles. */
export class NumberColumn {
  readonly type: 'u64' | 'i64' | 'f64' | 'micros';
  readonly values: Float64Array;
  readonly present: Uint8Array;
  constructor(rows: number, type: 'u64' | 'i64' | 'f64' | 'micros') {
    this.type = type;
    this.values = new Float64Array(rows);
    this.present = new Uint8Array(rows);
  }
  set(row: number, value: number): void {
    this.values[row] = value;
    this.present[row] = 1;
  }
  clear(): void {
    this.present.fill(0);
  }
}

/** IPv6 addresses, 16 bytes a row in network order. */
export class Ip6Column {
  readonly type = 'ip6' as const;
  readonly values: Uint8Array;
  readonly present: Uint8Array;
  constructor(rows: number) {
    this.values = new Uint8Array(rows * 16);
    this.present = new Uint8Array(rows);
  }
  /** Copies 16 bytes of `bytes` from `start`. */
  set(row: number, bytes: Uint8Array, start: number): void {
    const to = row * 16;
    for (let i = 0; i < 16; i++) this.values[to + i] = bytes[start + i]!;
    this.present[row] = 1;
  }
  clear(): void {
    this.present.fill(0);
  }
}

const utf8 = new TextEncoder();
/** Up to this many characters are copied one by one, which is faster. */
const SHORT_TEXT = 64;
const NO_BYTES = Buffer.alloc(0);
const lossyUtf8 = new TextDecoder('utf-8', { fatal: true });
const windows1252 = new TextDecoder('windows-1252');

/**
 * UTF-8 text. `data` holds, row after row, a 32-bit little-endian length and the bytes: the layout
 * of Parquet's PLAIN encoding, so that a full column is written to disk as it is.
 */
export class TextColumn {
  readonly type = 'text' as const;
  data: Uint8Array;
  /** Bytes of `data` in use. */
  size = 0;
  /** Where each present row's length word starts in `data`. */
  readonly starts: Uint32Array;
  readonly present: Uint8Array;
  constructor(rows: number) {
    // Most columns of a batch stay empty.
    this.data = new Uint8Array(0);
    this.starts = new Uint32Array(rows);
    this.present = new Uint8Array(rows);
  }

  /** The same texts, but for those of rows in which `other` has one. It holds until either changes. */
  without(other: TextColumn): TextColumn {
    const present = this.present.map((here, row) => here & ~other.present[row]!);
    return Object.assign(Object.create(TextColumn.prototype) as TextColumn, this, { present });
  }

  /** Copies `bytes[start, end)`, which must be valid UTF-8 cut at character boundaries. */
  set(row: number, bytes: Uint8Array, start: number, end: number): void {
    const n = end - start;
    const at = this.size;
    if (at + n + 4 > this.data.length) this.grow(at + n + 4);
    const data = this.data;
    this.starts[row] = at;
    this.present[row] = 1;
    data[at] = n & 255;
    data[at + 1] = (n >>> 8) & 255;
    data[at + 2] = (n >>> 16) & 255;
    data[at + 3] = n >>> 24;
    const to = at + 4;
    if (n < 48) {
      for (let i = 0; i < n; i++) data[to + i] = bytes[start + i]!;
    } else {
      // `set` would need an array made of these bytes for each text.
      NO_BYTES.copy.call(bytes, data, to, start, end);
    }
    this.size = to + n;
  }

  /**
   * Gives `n` rows from `row` on the text of the row before them, after which none has come: all at once,
   * which takes a tenth of setting each.
   */
  repeat(row: number, n: number): void {
    const start = this.starts[row - 1]!;
    const { size } = this;
    const step = size - start;
    const end = size + n * step;
    if (end > this.data.length) this.grow(end);
    const { data, starts } = this;
    // Each copy is twice as long as the one before.
    for (let to = size; to < end;) {
      const most = Math.min(to - start, end - to);
      data.copyWithin(to, start, start + most);
      to += most;
    }
    for (let i = 0; i < n; i++) starts[row + i] = size + i * step;
    this.present.fill(1, row, row + n);
    this.size = end;
  }

  setString(row: number, value: string): void {
    const most = value.length * 3 + 4;
    const at = this.size;
    if (at + most > this.data.length) this.grow(at + most);
    const { data } = this;
    const n = value.length;
    let written = 0;
    // An encoder would need an array made of the room for each text.
    if (n < SHORT_TEXT)
      for (; written < n; written++) {
        const code = value.charCodeAt(written);
        if (code > 127) break;
        data[at + 4 + written] = code;
      }
    if (written < n) ({ written } = utf8.encodeInto(value, data.subarray(at + 4)));
    this.starts[row] = at;
    this.present[row] = 1;
    data[at] = written & 255;
    data[at + 1] = (written >>> 8) & 255;
    data[at + 2] = (written >>> 16) & 255;
    data[at + 3] = written >>> 24;
    this.size = at + 4 + written;
  }

  /**
   * Like `set` for bytes that may not be valid UTF-8: those are read as Windows-1252, as old syslog
   * senders write. The original bytes stay in the evidence. Returns whether the text was valid.
   */
  setLossy(row: number, bytes: Uint8Array, start: number, end: number): boolean {
    const part = bytes.subarray(start, end);
    let ascii = 0;
    for (let i = 0; i < part.length; i++) ascii |= part[i]!;
    if (ascii < 128) {
      this.set(row, bytes, start, end);
      return true;
    }
    try {
      lossyUtf8.decode(part);
      this.set(row, bytes, start, end);
      return true;
    } catch {
      this.setString(row, windows1252.decode(part));
      return false;
    }
  }

  /**
   * Gives rows other texts, whatever they had: row `rows[i]` the bytes from `starts[i]` to `ends[i]`. Texts stay in the
   * order of their rows.
   * @param rows ascending; the first `count` count
   * @param n how many rows there are
   */
  replace(
    rows: Int32Array,
    bytes: Uint8Array,
    starts: Int32Array,
    ends: Int32Array,
    count: number,
    n: number,
  ): void {
    let more = 0;
    for (let i = 0; i < count; i++) more += ends[i]! - starts[i]! + 4;
    const old = this.data;
    this.data = new Uint8Array(Math.max(4096, this.size + more));
    this.size = 0;
    for (let row = 0, i = 0; row < n; row++) {
      if (i < count && rows[i] === row) {
        this.set(row, bytes, starts[i]!, ends[i]!);
        i += 1;
      } else if (this.present[row] === 1) {
        const at = this.starts[row]!;
        const length = old[at]! | (old[at + 1]! << 8) | (old[at + 2]! << 16) | (old[at + 3]! << 24);
        this.set(row, old, at + 4, at + 4 + length);
      }
    }
  }

  /** Puts texts that were set after those of later rows in their place: who reads rows at once takes them as they lie. */
  putInOrder(from: number, to: number): void {
    const { present, starts } = this;
    let last = -1;
    for (let row = from; row < to; row++) {
      if (present[row] === 0) continue;
      if (starts[row]! < last) {
        this.replace(NO_ROWS, NO_BYTES, NO_ROWS, NO_ROWS, 0, to);
        return;
      }
      last = starts[row]!;
    }
  }

  clear(): void {
    this.present.fill(0);
    this.size = 0;
    if (this.data.length > BATCH_BYTES * 2) this.data = new Uint8Array(4096);
  }

  private grow(need: number): void {
    const bigger = new Uint8Array(Math.max(4096, need, this.data.length * 2));
    bigger.set(this.data.subarray(0, this.size));
    this.data = bigger;
  }
}

/**
 * Text of which there is little: a number a row that stands for it. For passes that look at a row once,
 * where writing a text and reading it again would be most of the work.
 */
export class CodedColumn {
  readonly values: Uint32Array;
  readonly present: Uint8Array;
  /** The text of a code, as UTF-8. */
  readonly bytesOf: (code: number) => Uint8Array;
  constructor(rows: number, bytesOf: (code: number) => Uint8Array) {
    this.values = new Uint32Array(rows);
    this.present = new Uint8Array(rows);
    this.bytesOf = bytesOf;
  }
  set(row: number, code: number): void {
    this.values[row] = code;
    this.present[row] = 1;
  }
  clear(): void {
    this.present.fill(0);
  }
}

export type Column =
  U8Column | U16Column | U32Column | I32Column | NumberColumn | Ip6Column | TextColumn;

/** Whether the 16 bytes from `start` are an IPv4-mapped IPv6 address. */
export function isMappedIp4(bytes: Uint8Array, start: number): boolean {
  for (let i = 0; i < 10; i++) if (bytes[start + i] !== 0) return false;
  return bytes[start + 10] === 255 && bytes[start + 11] === 255;
}

function lastFour(bytes: Uint8Array, start: number): number {
  const at = start + 12;
  return (
    ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0
  );
}

const NO_ROWS = new Int32Array(0);
const CUT: ReadonlySet<string> = new Set(CUT_TEXTS);

function isCutText(name: ColumnName): name is CutText {
  return CUT.has(name);
}

export class EventBatch {
  readonly kind: Kind;
  readonly capacity: number;
  /** Rows that are complete; also the row being filled. */
  length = 0;
  /** Written by `endRow` into every row; the sink sets it before a source is read. */
  currentSource = 0;
  /**
   * Its rows are no records of the source, but what comes of them: few of them may be committed later than the records.
   * The importer says so once it has the batch; the sink forgets it with the source.
   */
  isDerived = false;

  readonly seq: NumberColumn;
  readonly source_id: U32Column;
  readonly ts: NumberColumn;
  readonly ts_ns: U16Column;
  readonly ts_digits: U8Column;
  readonly ts_basis: U8Column;
  readonly tz_offset: I32Column;
  readonly src_ip4: U32Column;
  readonly dst_ip4: U32Column;
  readonly src_ip6: Ip6Column;
  readonly dst_ip6: Ip6Column;
  readonly src_port: U16Column;
  readonly dst_port: U16Column;
  readonly proto: U8Column;
  readonly vlan: U16Column;
  readonly host: TextColumn;
  readonly program: TextColumn;
  readonly pid: U32Column;
  readonly facility: U8Column;
  readonly severity: U8Column;
  readonly event_type: TextColumn;
  readonly message: TextColumn;
  readonly bytes: NumberColumn;
  readonly packets: NumberColumn;
  readonly bytes_rev: NumberColumn;
  readonly packets_rev: NumberColumn;
  readonly orig_bytes: NumberColumn;
  readonly resp_bytes: NumberColumn;
  readonly missed_bytes: NumberColumn;
  readonly duration: NumberColumn;
  readonly tcp_flags: U16Column;
  readonly conn_state: TextColumn;
  readonly history: TextColumn;
  readonly service: TextColumn;
  readonly flow_id: U32Column;
  readonly offset: NumberColumn;
  /** The column named `length` (the batch's own `length` is its number of rows). */
  readonly record_length: U32Column;
  readonly captured: U32Column;
  readonly record_key: NumberColumn;

  /** Columns that extractors fill, made when they are first asked for: most batches need none of them. */
  private readonly cut = new Map<CutText, TextColumn>();
  /** Attribute columns by name, in the order they first came. */
  readonly attributes = new Map<string, TextColumn>();
  /**
   * Text columns that are written as codes, by column name or `a:NAME`. Only for callers that gave an importer
   * `columns`. A column is written as codes or as texts, for all rows of a batch; other than attributes,
   * those with codes are known before the first row.
   */
  readonly coded = new Map<string, CodedColumn>();
  /** JSON objects of the attributes beyond MAX_ATTRIBUTE_COLUMNS. */
  readonly overflow: TextColumn;
  private recordBytes = 0;
  private overflowRow: Map<string, string> | undefined;
  private readonly onFull: (batch: EventBatch) => void;
  private readonly bytesLimit: number;

  /**
   * @param onFull called by `endRow` when the batch has no room for another row; it must take the
   *   rows and call `clear`.
   * @param bytesLimit bytes of records, and of messages, with which it counts as full
   */
  constructor(
    kind: Kind,
    onFull: (batch: EventBatch) => void,
    capacity: number = BATCH_ROWS,
    bytesLimit: number = BATCH_BYTES,
  ) {
    this.bytesLimit = bytesLimit;
    this.kind = kind;
    this.capacity = capacity;
    this.onFull = onFull;
    const n = capacity;
    this.seq = new NumberColumn(n, 'i64');
    this.source_id = new U32Column(n);
    this.ts = new NumberColumn(n, 'micros');
    this.ts_ns = new U16Column(n);
    this.ts_digits = new U8Column(n);
    this.ts_basis = new U8Column(n);
    this.tz_offset = new I32Column(n);
    this.src_ip4 = new U32Column(n);
    this.dst_ip4 = new U32Column(n);
    this.src_ip6 = new Ip6Column(n);
    this.dst_ip6 = new Ip6Column(n);
    this.src_port = new U16Column(n);
    this.dst_port = new U16Column(n);
    this.proto = new U8Column(n);
    this.vlan = new U16Column(n);
    this.host = new TextColumn(n);
    this.program = new TextColumn(n);
    this.pid = new U32Column(n);
    this.facility = new U8Column(n);
    this.severity = new U8Column(n);
    this.event_type = new TextColumn(n);
    this.message = new TextColumn(n);
    this.bytes = new NumberColumn(n, 'u64');
    this.packets = new NumberColumn(n, 'u64');
    this.bytes_rev = new NumberColumn(n, 'u64');
    this.packets_rev = new NumberColumn(n, 'u64');
    this.orig_bytes = new NumberColumn(n, 'u64');
    this.resp_bytes = new NumberColumn(n, 'u64');
    this.missed_bytes = new NumberColumn(n, 'u64');
    this.duration = new NumberColumn(n, 'f64');
    this.tcp_flags = new U16Column(n);
    this.conn_state = new TextColumn(n);
    this.history = new TextColumn(n);
    this.service = new TextColumn(n);
    this.flow_id = new U32Column(n);
    this.offset = new NumberColumn(n, 'u64');
    this.record_length = new U32Column(n);
    this.captured = new U32Column(n);
    this.record_key = new NumberColumn(n, 'u64');
    this.overflow = new TextColumn(n);
  }

  /**
   * Sets the source address to the 16 bytes of `bytes` from `start`. An IPv4-mapped one (`::ffff:10.0.0.1`,
   * RFC 4291) is the IPv4 address, as Zeek has it.
   */
  setSource6(row: number, bytes: Uint8Array, start: number): void {
    if (isMappedIp4(bytes, start)) this.src_ip4.set(row, lastFour(bytes, start));
    else this.src_ip6.set(row, bytes, start);
  }

  /** The same for the destination. */
  setTarget6(row: number, bytes: Uint8Array, start: number): void {
    if (isMappedIp4(bytes, start)) this.dst_ip4.set(row, lastFour(bytes, start));
    else this.dst_ip6.set(row, bytes, start);
  }

  /** Columns that extractors and dialects fill, as far as anything was put into them. */
  get cutTexts(): ReadonlyMap<CutText, TextColumn> {
    return this.cut;
  }

  /** The columns of SEARCHED_TEXTS that are in use. */
  searchedTexts(): Map<SearchedText, TextColumn> {
    const found = new Map<SearchedText, TextColumn>();
    const extractor = this.cut.get('extractor');
    for (const name of SEARCHED_TEXTS) {
      const column = isCutText(name) ? this.cut.get(name) : this[name];
      if (column === undefined) continue;
      const isConcluded = name === 'action' && extractor !== undefined;
      found.set(name, isConcluded ? column.without(extractor) : column);
    }
    return found;
  }

  /** A column that extractors fill. */
  cutText(name: CutText): TextColumn {
    let column = this.cut.get(name);
    if (column === undefined) {
      column = new TextColumn(this.capacity);
      this.cut.set(name, column);
    }
    return column;
  }

  /** The stored column of a name. */
  column(name: ColumnName): Column {
    if (isCutText(name)) return this.cutText(name);
    return name === 'length' ? this.record_length : this[name];
  }

  /** The column of attribute `name`, or undefined when there are too many: then use setAttribute. */
  attributeColumn(name: string): TextColumn | undefined {
    let column = this.attributes.get(name);
    // No column of a database can have NUL in its name.
    if (column === undefined && name.includes('\0'))
      return this.attributeColumn(name.replaceAll('\0', '\ufffd'));
    if (column === undefined && this.attributes.size < MAX_ATTRIBUTE_COLUMNS) {
      column = new TextColumn(this.capacity);
      this.attributes.set(name, column);
    }
    return column;
  }

  /** The codes of a text column or attribute (`a:NAME`, in lower case). */
  codedColumn(name: string, bytesOf: (code: number) => Uint8Array): CodedColumn {
    let column = this.coded.get(name);
    if (column === undefined) {
      column = new CodedColumn(this.capacity, bytesOf);
      this.coded.set(name, column);
    }
    return column;
  }

  /** Sets an attribute of the row being filled. The first value of a name wins. */
  setAttribute(name: string, value: string): void {
    const column = this.attributeColumn(name);
    if (column !== undefined) {
      if (column.present[this.length] === 0) column.setString(this.length, value);
      return;
    }
    this.overflowRow ??= new Map();
    if (!this.overflowRow.has(name)) this.overflowRow.set(name, value);
  }

  /** Whether the row being filled has a value of attribute `name`. */
  hasAttribute(name: string): boolean {
    const column = this.attributes.get(name.replaceAll('\0', '\ufffd'));
    return column?.present[this.length] === 1 || this.overflowRow?.has(name) === true;
  }

  /**
   * Completes the row being filled and makes the next one current.
   * @param bytes of its texts, where it has no record by whose length they are known
   */
  endRow(bytes = 0): void {
    const row = this.length;
    this.recordBytes += bytes;
    this.source_id.set(row, this.currentSource);
    if (this.overflowRow !== undefined) this.keepOverflow(this.overflowRow);
    this.length = row + 1;
    // Text of a row, attributes included, is at most a few times the record it came from.
    if (this.record_length.present[row] === 1) this.recordBytes += this.record_length.values[row]!;
    if (
      row + 1 >= this.capacity ||
      this.message.size > this.bytesLimit ||
      this.recordBytes > this.bytesLimit
    ) {
      this.onFull(this);
    }
  }

  /** Goes on with the next row; `endRows` completes them later, where the first of them is current again. */
  nextRow(): void {
    if (this.overflowRow !== undefined) this.keepOverflow(this.overflowRow);
    this.length += 1;
  }

  private keepOverflow(attributes: ReadonlyMap<string, string>): void {
    this.overflow.setString(this.length, JSON.stringify(Object.fromEntries(attributes)));
    this.overflowRow = undefined;
  }

  /**
   * Completes `n` rows that were filled from the current one on, for which there is room.
   * @param bytes of their records
   */
  endRows(n: number, bytes: number): void {
    const row = this.length;
    this.source_id.values.fill(this.currentSource, row, row + n);
    this.source_id.present.fill(1, row, row + n);
    this.length = row + n;
    this.recordBytes += bytes;
    if (
      this.length >= this.capacity ||
      this.message.size > this.bytesLimit ||
      this.recordBytes > this.bytesLimit
    ) {
      this.onFull(this);
    }
  }

  /** Bytes that its texts take, with what each value has beside it. */
  get textBytes(): number {
    let columns = 0;
    let bytes = 0;
    for (const column of [this.message, this.overflow, ...this.attributes.values()]) {
      columns += 1;
      bytes += column.size;
    }
    return bytes + columns * this.length * VALUE_BYTES;
  }

  /** Every stored column with its name, those of extractors once they are used; attributes are not among them. */
  *columns(): Generator<[ColumnName, Column]> {
    for (const name of Object.keys(COLUMNS) as ColumnName[])
      if (!isCutText(name) || this.cut.has(name)) yield [name, this.column(name)];
  }

  /** Forgets all rows; keeps the arrays and the attribute columns. */
  clear(): void {
    for (const [, column] of this.columns()) column.clear();
    for (const column of this.attributes.values()) column.clear();
    for (const column of this.coded.values()) column.clear();
    this.overflow.clear();
    this.recordBytes = 0;
    this.length = 0;
  }
}
