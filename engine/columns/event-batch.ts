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
  type ColumnName,
  COLUMNS,
  CUT_TEXTS,
  type CutText,
  type Kind,
  SEARCHED_TEXTS,
  type SearchedText,
} from '../contract/event.ts';
import {
  CodedColumn,
  type Column,
  I32Column,
  Ip6Column,
  NumberColumn,
  TextColumn,
  U16Column,
  U32Column,
  U8Column,
} from './columns.ts';

/** Rows of a full batch: DuckDB's row group size, so that one batch is one row group. */
export const BATCH_ROWS = 122_880;

/** Attributes beyond this many names in a batch go into the overflow column, as JSON. */
export const MAX_ATTRIBUTE_COLUMNS = 256;

/** A batch counts as full after this many bytes of records, or of messages, unless its owner sets another limit. */
export const BATCH_BYTES = 32 * 1024 * 1024;

/** Bytes for the position and presence of a text. */
const VALUE_BYTES = 5;

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
   * @param textBytes about the bytes of its texts, attributes included; without it, the length of its record, which
   *   bounds them to a few times as much
   */
  endRow(textBytes?: number): void {
    const row = this.length;
    this.recordBytes += textBytes ?? this.lengthOf(row);
    this.source_id.set(row, this.currentSource);
    if (this.overflowRow !== undefined) this.keepOverflow(this.overflowRow);
    this.length = row + 1;
    if (
      row + 1 >= this.capacity ||
      this.message.size > this.bytesLimit ||
      this.recordBytes > this.bytesLimit
    ) {
      this.onFull(this);
    }
  }

  private lengthOf(row: number): number {
    return this.record_length.present[row] === 1 ? this.record_length.values[row]! : 0;
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

  /**
   * Corrects the times of its rows by the error of the clock that gave them, in microseconds: positive for a fast clock.
   * @param from the first of them
   */
  correctClock(error: number, from = 0): void {
    if (error === 0) return;
    const { values, present } = this.ts;
    for (let row = from; row < this.length; row++) if (present[row] === 1) values[row]! -= error;
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
