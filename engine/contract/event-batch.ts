/**
 * A columnar batch of events: importers fill it, the store encodes it.
 *
 * Hot loops write here, so everything is a typed array and nothing is allocated per event. A column object stays
 * the same for the whole life of a batch: an importer may keep references to columns (attributes included) for as
 * long as it reads one source.
 *
 * Use: `const row = batch.length; batch.src_port.set(row, 443); …; batch.endRow();` A column that is not set for a
 * row is null in that row. Text must be set at most once per row.
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
/** Attributes beyond this many names in a batch go into the overflow column, as JSON. */
export const MAX_ATTRIBUTE_COLUMNS = 256;
/** A batch counts as full after this many bytes of records, or of messages, unless its owner sets another limit. */
export const BATCH_BYTES = 32 * 1024 * 1024;

/** Bytes for the position and presence of a text. */
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
  /** Number of bytes of `data` in use. */
  size = 0;
  /** Where the length of each present row's text starts in `data`. */
  readonly starts: Uint32Array;
  readonly present: Uint8Array;
  constructor(rows: number) {
    // Most columns of a batch stay empty.
    this.data = new Uint8Array(0);
    this.starts = new Uint32Array(rows);
    this.present = new Uint8Array(rows);
  }

  /**
   * A column with the same texts, without those of rows in which `other` has one. Valid until either column
   * changes.
   */
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
      // `set` would have to allocate an array view of these bytes for each text.
      NO_BYTES.copy.call(bytes, data, to, start, end);
    }
    this.size = to + n;
  }

  /**
   * Repeats the text of the row before `row` in `n` rows from `row` on, which must be the last that have one.
   * Copying all at once takes a tenth of the time of setting each.
   */
  repeat(row: number, n: number): void {
    const start = this.starts[row - 1]!;
    const { size } = this;
    const step = size - start;
    const end = size + n * step;
    if (end > this.data.length) this.grow(end);
    const { data, starts } = this;
    // Each copy doubles what is there.
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
    // The encoder would need an array view of the free space for each text.
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
   * Like `set`, for bytes that may not be valid UTF-8: such texts are read as Windows-1252, which old syslog
   * senders write. The original bytes remain in the evidence. Returns whether the text was valid.
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
   * Replaces the texts of rows: row `rows[i]` gets the bytes from `starts[i]` to `ends[i]`. Texts stay in the order
   * of their rows.
   * @param rows ascending; only the first `count` are used
   * @param n number of rows in the column
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

  /**
   * Sorts the texts of these rows by row, if some were set after those of later rows: readers of whole columns rely
   * on the order.
   */
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
 * A dictionary-encoded text column: each row holds a code. For passes that look at each row once, where writing a
 * text and reading it back would be most of the work.
 */
export class CodedColumn {
  readonly values: Uint32Array;
  readonly present: Uint8Array;
  /** The text for a code, as UTF-8. */
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
  /** Number of completed rows; also the index of the row being filled. */
  length = 0;
  /** `endRow` writes it into every row; the sink sets it before a source is read. */
  currentSource = 0;
  /**
   * Whether its rows are derived from the source's records instead of being records; a few of them may be committed
   * later than the records. The importer sets it on a new batch; the sink resets it after each source.
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

  /** Columns that extractors fill, created on first use: most batches need none of them. */
  private readonly cut = new Map<CutText, TextColumn>();
  /** Attribute columns by name, in the order of their first use. */
  readonly attributes = new Map<string, TextColumn>();
  /**
   * Dictionary-encoded text columns, by column name or `a:NAME`. Only for callers that gave an importer `columns`.
   * Within a batch a column has either codes or texts; except for attributes, columns with codes are known before
   * the first row.
   */
  readonly coded = new Map<string, CodedColumn>();
  /** The attributes beyond MAX_ATTRIBUTE_COLUMNS, as JSON objects. */
  readonly overflow: TextColumn;
  private recordBytes = 0;
  private overflowRow: Map<string, string> | undefined;
  private readonly onFull: (batch: EventBatch) => void;
  private readonly bytesLimit: number;

  /**
   * @param onFull called by `endRow` when the batch has no room for another row; it must take the
   *   rows and call `clear`.
   * @param bytesLimit bytes of records, or of messages, after which the batch counts as full
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
   * Sets the source address to the 16 bytes of `bytes` from `start`. An IPv4-mapped one (`::ffff:10.0.0.1`, RFC
   * 4291) becomes the IPv4 address, as in Zeek.
   */
  setSource6(row: number, bytes: Uint8Array, start: number): void {
    if (isMappedIp4(bytes, start)) this.src_ip4.set(row, lastFour(bytes, start));
    else this.src_ip6.set(row, bytes, start);
  }

  /** Like `setSource6`, for the destination. */
  setTarget6(row: number, bytes: Uint8Array, start: number): void {
    if (isMappedIp4(bytes, start)) this.dst_ip4.set(row, lastFour(bytes, start));
    else this.dst_ip6.set(row, bytes, start);
  }

  /** Columns that extractors and dialects fill, if they are in use. */
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

  /** The column that extractors fill under this name. */
  cutText(name: CutText): TextColumn {
    let column = this.cut.get(name);
    if (column === undefined) {
      column = new TextColumn(this.capacity);
      this.cut.set(name, column);
    }
    return column;
  }

  /** The stored column with this name. */
  column(name: ColumnName): Column {
    if (isCutText(name)) return this.cutText(name);
    return name === 'length' ? this.record_length : this[name];
  }

  /** The column of attribute `name`, or undefined if there are too many attributes: use setAttribute then. */
  attributeColumn(name: string): TextColumn | undefined {
    let column = this.attributes.get(name);
    // A column name in a database cannot contain NUL.
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

  /** Sets an attribute of the row being filled. The first value for a name wins. */
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
   * @param bytes of its texts, for a row without a record whose length would bound them
   */
  endRow(bytes = 0): void {
    const row = this.length;
    this.recordBytes += bytes;
    this.source_id.set(row, this.currentSource);
    if (this.overflowRow !== undefined) this.keepOverflow(this.overflowRow);
    this.length = row + 1;
    // The texts of a row, attributes included, are at most a few times as long as its record.
    if (this.record_length.present[row] === 1) this.recordBytes += this.record_length.values[row]!;
    if (
      row + 1 >= this.capacity ||
      this.message.size > this.bytesLimit ||
      this.recordBytes > this.bytesLimit
    ) {
      this.onFull(this);
    }
  }

  /**
   * Moves on to the next row without completing this one; `endRows` completes several rows later, with the first of
   * them as the current row.
   */
  nextRow(): void {
    if (this.overflowRow !== undefined) this.keepOverflow(this.overflowRow);
    this.length += 1;
  }

  private keepOverflow(attributes: ReadonlyMap<string, string>): void {
    this.overflow.setString(this.length, JSON.stringify(Object.fromEntries(attributes)));
    this.overflowRow = undefined;
  }

  /**
   * Completes `n` filled rows, beginning with the current one; the batch must have room for them.
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

  /** Bytes that its texts take, with the overhead of each value. */
  get textBytes(): number {
    let columns = 0;
    let bytes = 0;
    for (const column of [this.message, this.overflow, ...this.attributes.values()]) {
      columns += 1;
      bytes += column.size;
    }
    return bytes + columns * this.length * VALUE_BYTES;
  }

  /** Every stored column with its name; those of extractors if they are in use, without attributes. */
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
