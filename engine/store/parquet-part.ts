/**
 * Writes batches of events as a Parquet file for DuckDB: the fastest way from typed arrays to a segment, since text
 * travels as bytes and DuckDB reads it on its own threads.
 *
 * It writes the minimum of the format that DuckDB can read: one page per column and row group, PLAIN values
 * (dictionaries for texts with few different values, bytes, and columns with one value), no compression, since the
 * file exists for seconds. A column that no batch used is omitted.
 *
 * Specification: https://parquet.apache.org/docs/file-format/ and
 * https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift
 */
import { closeSync, openSync } from 'node:fs';
import type { Column } from '../columns/columns.ts';
import type { EventBatch } from '../columns/event-batch.ts';
import {
  type BatchRows,
  rowSpan,
  textBytesOf,
  textLength,
  valuesOf,
  wideValuesOf,
} from './batch-rows.ts';
import { isAttributeColumn, renamedTogether, withoutPrefix } from '../util/attribute-columns.ts';
import { writeAll } from '../util/files.ts';
import { presentValues, presentWide, putBits } from './presence.ts';
import { type ConstantColumn, type SelectedColumn, areRare } from './table-layout.ts';
import { type CodedTexts, codedTexts } from './coded-texts.ts';
import { type ValueCounts, ValueCounter } from './value-counts.ts';
import {
  CAPTURED,
  MAX_CONSTANT_TEXT,
  RECORD,
  SQL_TYPES,
  VALUE_BYTES,
  headerOf,
  onlyValue,
  presentColumns,
} from './column-types.ts';
import { MessageParts } from './messages/cut-messages.ts';
import type { CutRowGroup } from './messages/message-cutter.ts';
import {
  BYTES,
  type CutMessages,
  MESSAGE,
  MESSAGE_PARTS,
  SHAPE,
  TEXTS,
} from './messages/message-columns.ts';

const PHYSICAL = { int32: 1, int64: 2, double: 5, byteArray: 6, fixed: 7 } as const;

interface SchemaType {
  physical: number;
  /** ConvertedType, or -1. */
  converted: number;
  uuid: boolean;
  /** The type that DuckDB reads from such a column; for a list, of its values. */
  sql: string;
  /** Whether each row has a list of such values, never NULL, instead of one value. */
  list?: boolean;
}

const SCHEMA: Readonly<Record<Column['type'], SchemaType>> = {
  u8: { physical: PHYSICAL.int32, converted: 11, uuid: false, sql: SQL_TYPES.u8 },
  u16: { physical: PHYSICAL.int32, converted: 12, uuid: false, sql: SQL_TYPES.u16 },
  u32: { physical: PHYSICAL.int32, converted: 13, uuid: false, sql: SQL_TYPES.u32 },
  i32: { physical: PHYSICAL.int32, converted: -1, uuid: false, sql: SQL_TYPES.i32 },
  u64: { physical: PHYSICAL.int64, converted: -1, uuid: false, sql: SQL_TYPES.u64 },
  i64: { physical: PHYSICAL.int64, converted: -1, uuid: false, sql: SQL_TYPES.i64 },
  micros: { physical: PHYSICAL.int64, converted: 10, uuid: false, sql: SQL_TYPES.micros },
  f64: { physical: PHYSICAL.double, converted: -1, uuid: false, sql: SQL_TYPES.f64 },
  text: { physical: PHYSICAL.byteArray, converted: 0, uuid: false, sql: SQL_TYPES.text },
  ip6: { physical: PHYSICAL.fixed, converted: -1, uuid: true, sql: SQL_TYPES.ip6 },
};

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A PLAIN value as a SQL literal of the column's type; undefined if it is better stored. */
function constantSql(type: Column['type'], value: Uint8Array): string | undefined {
  const view = new DataView(value.buffer, value.byteOffset, value.byteLength);
  switch (type) {
    case 'text': {
      if (value.length > MAX_CONSTANT_TEXT) return undefined;
      const text = utf8.decode(value.subarray(4));
      // A NUL would terminate the statement.
      return text.includes('\0') ? undefined : `'${text.replaceAll("'", "''")}'`;
    }
    case 'u8':
    case 'u16':
    case 'u32':
      return `${view.getUint32(0, true)}`;
    case 'i32':
      return `${view.getInt32(0, true)}`;
    case 'u64':
    case 'i64':
      return `${view.getBigInt64(0, true)}`;
    default:
      return undefined;
  }
}

/** Thrift's compact protocol, limited to what Parquet's headers need. */
class CompactWriter {
  private bytes = new Uint8Array(1024);
  private at = 0;
  private lastField = 0;
  private readonly fields: number[] = [];

  byte(value: number): void {
    if (this.at === this.bytes.length) {
      const bigger = new Uint8Array(this.bytes.length * 2);
      bigger.set(this.bytes);
      this.bytes = bigger;
    }
    this.bytes[this.at++] = value;
  }
  varint(value: number): void {
    let rest = value;
    while (rest >= 128) {
      this.byte((rest % 128) | 128);
      rest = Math.floor(rest / 128);
    }
    this.byte(rest);
  }
  private field(id: number, type: number): void {
    const delta = id - this.lastField;
    this.byte((delta << 4) | type);
    this.lastField = id;
  }
  i32(id: number, value: number): void {
    this.field(id, 5);
    this.varint(value * 2);
  }
  i64(id: number, value: number): void {
    this.field(id, 6);
    this.varint(value * 2);
  }
  text(id: number, value: string): void {
    this.field(id, 8);
    this.rawText(value);
  }
  rawText(value: string): void {
    const encoded = new TextEncoder().encode(value);
    this.varint(encoded.length);
    for (const byte of encoded) this.byte(byte);
  }
  list(id: number, elementType: number, size: number): void {
    this.field(id, 9);
    if (size < 15) this.byte((size << 4) | elementType);
    else {
      this.byte(0xf0 | elementType);
      this.varint(size);
    }
  }
  /** A struct field; without an id, an element of a list. */
  begin(id?: number): void {
    if (id !== undefined) this.field(id, 12);
    this.fields.push(this.lastField);
    this.lastField = 0;
  }
  end(): void {
    this.byte(0);
    this.lastField = this.fields.pop() ?? 0;
  }
  take(): Uint8Array {
    return this.bytes.slice(0, this.at);
  }
}

interface Chunk {
  /** Size of the dictionary page, if one precedes the data page. */
  dictionary: number | undefined;
  offset: number;
  size: number;
  values: number;
}
interface RowGroup {
  rows: number;
  size: number;
  chunks: Map<string, Chunk>;
}

const ENCODING = { plain: 0, rle: 3, dictionary: 8 } as const;

function dataPageHeader(size: number, values: number, encoding: number): Uint8Array {
  const w = new CompactWriter();
  w.begin();
  w.i32(1, 0);
  w.i32(2, size);
  w.i32(3, size);
  w.begin(5);
  w.i32(1, values);
  w.i32(2, encoding);
  w.i32(3, ENCODING.rle);
  w.i32(4, ENCODING.rle);
  w.end();
  w.end();
  return w.take();
}

/** A dictionary of all bytes in PLAIN encoding: each is its own index. */
const ALL_BYTES = bytesOf(Uint32Array.from({ length: 256 }, (_, i) => i));

/** The part of `ALL_BYTES` that `values` need; all of it for many values. */
function byteDictionary(values: Uint8Array): { bytes: Uint8Array; values: number } {
  const different = values.length < 256 ? Math.max(-1, ...values) + 1 : 256;
  return { bytes: ALL_BYTES.subarray(0, different * 4), values: different };
}

/** Bytes as indexes into `ALL_BYTES`: a fourth of the size of PLAIN values, which have 4 bytes. */
function byteIndexes(values: Uint8Array): Uint8Array {
  const groups = (values.length + 7) >>> 3;
  const head = [8, ...varintBytes(groups * 2 + 1)];
  const out = new Uint8Array(head.length + groups * 8);
  out.set(head);
  out.set(values, head.length);
  return out;
}

/** Numbers below `limit`, at most 65,536, in Parquet's RLE_DICTIONARY encoding: one run of 8 or 16 bits each. */
function packedIndexes(codes: Uint16Array, limit: number): Uint8Array {
  const width = limit <= 256 ? 8 : 16;
  const groups = (codes.length + 7) >>> 3;
  const head = [width, ...varintBytes(groups * 2 + 1)];
  const out = new Uint8Array(head.length + groups * width);
  out.set(head);
  if (width === 8) out.set(codes, head.length);
  else out.set(bytesOf(codes), head.length);
  return out;
}

function dictionaryPageHeader(size: number, values: number): Uint8Array {
  const w = new CompactWriter();
  w.begin();
  w.i32(1, 2);
  w.i32(2, size);
  w.i32(3, size);
  w.begin(7);
  w.i32(1, values);
  w.i32(2, ENCODING.plain);
  w.end();
  w.end();
  return w.take();
}

/** The single value of all `count` `values`, in PLAIN encoding; undefined if they differ. */
function onlyPlain(
  type: Column['type'],
  values: Uint8Array,
  count: number,
): Uint8Array | undefined {
  if (count < 2) return undefined;
  const step = type === 'text' ? 4 + textLength(values, 0) : VALUE_BYTES[type];
  const only = onlyValue(values, step, count);
  return type === 'u8' && only !== undefined ? Uint8Array.of(only[0]!, 0, 0, 0) : only;
}

function varintBytes(value: number): number[] {
  const out: number[] = [];
  let rest = value;
  while (rest >= 128) {
    out.push((rest % 128) | 128);
    rest = Math.floor(rest / 128);
  }
  out.push(rest);
  return out;
}

/** Definition levels of a nullable column: one run if all rows agree, otherwise a bitmap. */
function definitionLevels(present: Uint8Array, n: number, count: number): Uint8Array {
  if (count === 0 || count === n) {
    const run = [...varintBytes(n * 2), count === 0 ? 0 : 1];
    const out = new Uint8Array(4 + run.length);
    out[0] = run.length;
    out.set(run, 4);
    return out;
  }
  const groups = (n + 7) >>> 3;
  const head = varintBytes(groups * 2 + 1);
  const out = new Uint8Array(4 + head.length + groups);
  new DataView(out.buffer).setUint32(0, head.length + groups, true);
  out.set(head, 4);
  putBits(present, out, 4 + head.length);
  return out;
}

/** Repetition and definition levels of lists by their lengths: one level for each value, one for an empty list. */
function listLevels(
  counts: Uint16Array,
  n: number,
  values: number,
): { bytes: Uint8Array; levels: number } {
  let levels = values;
  for (let i = 0; i < n; i++) if (counts[i] === 0) levels += 1;
  const groups = (levels + 7) >>> 3;
  const head = varintBytes(groups * 2 + 1);
  const part = 4 + head.length + groups;
  const out = new Uint8Array(part * 2);
  const view = new DataView(out.buffer);
  for (const start of [0, part]) {
    view.setUint32(start, head.length + groups, true);
    out.set(head, start + 4);
  }
  putListBits(counts, n, out, 4 + head.length, part + 4 + head.length);
  return { bytes: out, levels };
}

/** One bit per level: in one place whether it continues a list, in the other whether there is a value. */
function putListBits(
  counts: Uint16Array,
  n: number,
  out: Uint8Array,
  repeated: number,
  defined: number,
): void {
  let goesOn = 0;
  let there = 0;
  let bits = 0;
  let to = 0;
  for (let i = 0; i < n; i++) {
    let count = counts[i]!;
    if (count === 0) bits += 1;
    for (let first = 1; count > 0; first = 0) {
      const size = Math.min(count, 8);
      const ones = (1 << size) - 1;
      there |= ones << bits;
      goesOn |= (ones & ~first) << bits;
      bits += size;
      count -= size;
      if (bits >= 8) {
        out[repeated + to] = goesOn;
        out[defined + to++] = there;
        goesOn >>>= 8;
        there >>>= 8;
        bits -= 8;
      }
    }
    if (bits === 8) {
      out[repeated + to] = goesOn;
      out[defined + to++] = there;
      goesOn = 0;
      there = 0;
      bits = 0;
    }
  }
  if (bits > 0) {
    out[repeated + to] = goesOn;
    out[defined + to] = there;
  }
}

function bytesOf(view: ArrayBufferView): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}

/**
 * The present values of some rows, in Parquet's PLAIN encoding; bytes unchanged.
 * @param present of these rows; `count` of them are 1
 */
function plainValues(
  column: Column,
  rows: BatchRows,
  present: Uint8Array,
  count: number,
): Uint8Array {
  const all = count === present.length;
  switch (column.type) {
    case 'text':
      return textBytesOf(column, rows);
    case 'ip6': {
      const values = wideValuesOf(column.values, 16, rows);
      return all ? values : presentValues(values, 16, present, count);
    }
    case 'f64': {
      const values = valuesOf(column.values, rows);
      return all ? bytesOf(values) : presentValues(bytesOf(values), 8, present, count);
    }
    case 'u64':
    case 'i64':
    case 'micros': {
      const out = new Uint32Array(count * 2);
      putWords(valuesOf(column.values, rows), present, out);
      return bytesOf(out);
    }
    case 'u32':
    case 'i32': {
      const values = valuesOf<Uint32Array | Int32Array>(column.values, rows);
      return all ? bytesOf(values) : presentValues(bytesOf(values), 4, present, count);
    }
    case 'u8': {
      const values = valuesOf(column.values, rows);
      return all ? values : presentValues(values, 1, present, count);
    }
    case 'u16':
      return presentWide(valuesOf(column.values, rows), present, count);
  }
}

const TWO_POWER_MINUS_32 = 1 / 4_294_967_296;

/** Writes whole numbers as two 32-bit words each. */
function putWords(values: Float64Array, present: Uint8Array, out: Uint32Array): void {
  let to = 0;
  for (let i = 0; i < values.length; i++) {
    if (present[i] === 0) continue;
    const value = values[i]!;
    const low = value >>> 0;
    out[to++] = low;
    out[to++] = ((value - low) * TWO_POWER_MINUS_32) >>> 0;
  }
}

const MAGIC = new TextEncoder().encode('PAR1');
/** Bytes buffered before they are written: small parts need one write. */
const BUFFER_BYTES = 1 << 20;

/** One Parquet file that grows by row groups. Synchronous: it runs in import workers. */
export class ParquetPart {
  readonly path: string;
  rows = 0;
  private fd = -1;
  private position = 0;
  private pending: Uint8Array[] = [];
  private pendingSize = 0;
  private readonly groups: RowGroup[] = [];
  private readonly types = new Map<string, SchemaType>();

  private readonly parts = new MessageParts();
  private messageRows = 0;
  private cutRows = 0;
  private readonly counter = new ValueCounter();
  /** Of the last row group: dictionary-encoded text columns, by name in the file. */
  readonly coded = new Map<string, CodedTexts>();

  constructor(path: string) {
    this.path = path;
    this.write(MAGIC);
  }

  /** Names of the columns with a value in some row so far. */
  get columns(): string[] {
    return [...this.types.keys()].filter((name) => !MESSAGE_PARTS.has(name));
  }
  /** The columns of the file in the order in which DuckDB reads them; undefined if it renames some of them. */
  get selected(): SelectedColumn[] | undefined {
    if (this.hasAlikeNames) return undefined;
    return Array.from(this.types, ([name, { sql, list }]) => ({
      name: name.toWellFormed(),
      type: list === true ? `${sql}[]` : sql,
    }));
  }
  /** Number of columns with a value in some row so far. */
  get width(): number {
    return this.types.size;
  }
  /** Number of rows with a value, for `columns`. */
  get counts(): ValueCounts {
    return this.counter.of(this.columns);
  }
  /** How messages are cut; undefined if all are stored whole. */
  get messages(): CutMessages | undefined {
    if (this.cutRows === 0) return undefined;
    return { shapes: this.parts.shapes, wholeShare: 1 - this.cutRows / this.messageRows };
  }
  /** Whether few rows have a message. */
  get hasRareMessages(): boolean {
    return areRare(this.messageRows, this.rows);
  }
  /**
   * Whether attributes have names that differ only in case, or that might be confused: some columns then have other
   * names than their attributes, so that statistics by these names do not apply to the segment.
   */
  get hasAlikeNames(): boolean {
    if (this.isRenamed) return true;
    const names = this.columns.map((name) => name.toWellFormed().toLowerCase());
    return new Set(names).size < names.length;
  }
  /** Unencoded size of the rows added: what is made from the part is measured by it. */
  get size(): number {
    return this.position + this.shared;
  }
  /** Bytes that dictionaries save for texts and bytes. */
  private shared = 0;

  /**
   * Adds these rows of `batch`, in their order. The bytes are copied or written before it returns, so the batch may
   * be cleared. Returns how their messages were cut; undefined if all are whole.
   */
  addRowGroup(
    batch: EventBatch,
    rows: BatchRows = rowSpan(0, batch.length),
  ): CutRowGroup | undefined {
    const n = rows.to - rows.from;
    this.coded.clear();
    if (n === 0) return undefined;
    const group: RowGroup = { rows: n, size: 0, chunks: new Map() };
    let messages: CutRowGroup | undefined;
    for (const { name, column, count } of presentColumns(batch, rows)) {
      this.counter.add(name, count);
      if (name === MESSAGE) messages = this.addMessages(group, batch, count, rows);
      else this.addColumn(group, name, column, count, rows);
    }
    this.counter.addAddresses(batch, rows);
    this.noteHeader(batch, rows);
    this.groups.push(group);
    this.rows += n;
    return messages;
  }

  /**
   * Columns that need not be stored row by row, with their SQL type and expression: those with one value in every
   * row so far, and one that follows from another.
   */
  constants(): ConstantColumn[] {
    if (this.hasAlikeNames) return [];
    const out: ConstantColumn[] = [];
    for (const [name, { type, value, groups }] of this.same) {
      if (groups !== this.groups.length || value === undefined) continue;
      const sql = constantSql(type, value);
      if (sql !== undefined) out.push({ name, type: SCHEMA[type].sql, value: sql });
    }
    const { header } = this;
    const { sql } = SCHEMA.u32;
    if (header !== undefined && out.every(({ name }) => name !== CAPTURED))
      out.push({ name: CAPTURED, type: sql, value: `${RECORD} - ${header}::${sql}` });
    return out;
  }
  /** The difference between `length` and `captured` in all rows so far; undefined if it is not one number. */
  private header: number | undefined;

  private noteHeader(batch: EventBatch, rows: BatchRows): void {
    if (this.groups.length > 0 && this.header === undefined) return;
    const header = headerOf(batch, rows);
    this.header = this.groups.length === 0 || this.header === header ? header : undefined;
  }
  private readonly same = new Map<
    string,
    { type: Column['type']; value: Uint8Array | undefined; groups: number }
  >();

  private noteConstant(name: string, type: Column['type'], only: Uint8Array | undefined): void {
    const known = this.same.get(name);
    if (known === undefined) {
      this.same.set(name, { type, value: only?.slice(), groups: 1 });
      return;
    }
    known.groups += 1;
    if (known.value === undefined) return;
    if (only === undefined || Buffer.compare(known.value, only) !== 0) known.value = undefined;
  }

  private isRenamed = false;

  /** Renames columns of attributes whose names DuckDB would confuse. */
  private renameAlike(): void {
    const names = new Map<string, string>();
    for (const column of this.types.keys())
      if (isAttributeColumn(column)) names.set(column, withoutPrefix(column));
    const [renamed] = renamedTogether([names]);
    if (renamed === undefined || renamed.size === 0) return;
    this.isRenamed = true;
    const withNames = <T>(columns: Map<string, T>): void => {
      const entries = [...columns];
      columns.clear();
      for (const [column, value] of entries) columns.set(renamed.get(column) ?? column, value);
    };
    withNames(this.types);
    for (const { chunks } of this.groups) withNames(chunks);
  }

  /** Writes the footer and closes the file. */
  finish(): void {
    this.renameAlike();
    for (const group of this.groups) {
      for (const [name, { list }] of this.types) {
        if (group.chunks.has(name)) continue;
        const levels =
          list === true
            ? listLevels(new Uint16Array(group.rows), group.rows, 0).bytes
            : definitionLevels(EMPTY, group.rows, 0);
        this.addChunk(group, name, levels, EMPTY, group.rows);
      }
    }
    const footer = this.footer();
    this.write(footer);
    const tail = new Uint8Array(8);
    new DataView(tail.buffer).setUint32(0, footer.length, true);
    tail.set(MAGIC, 4);
    this.write(tail);
    this.flush();
    const { fd } = this;
    // The descriptor may be reused for another file.
    this.fd = -1;
    closeSync(fd);
  }

  /** Closes the file without finishing it. */
  abandon(): void {
    if (this.fd >= 0) closeSync(this.fd);
    this.fd = -1;
    this.pending = [];
  }

  /** Writes messages as shapes and variables where possible, the others whole. */
  private addMessages(
    group: RowGroup,
    batch: EventBatch,
    count: number,
    rows: BatchRows,
  ): CutRowGroup | undefined {
    const n = rows.to - rows.from;
    this.messageRows += count;
    // With cut messages all rows have lists, even those without a message.
    if (areRare(count, n)) {
      this.addColumn(group, MESSAGE, batch.message, count, rows);
      return undefined;
    }
    const { parts } = this;
    const own = parts.take(batch, rows);
    this.cutRows += parts.cut;
    if (parts.cut === 0) {
      this.addColumn(group, MESSAGE, batch.message, count, rows);
      return undefined;
    }
    if (!this.types.has(MESSAGE)) this.types.set(MESSAGE, SCHEMA.text);
    this.noteConstant(MESSAGE, 'text', undefined);
    if (parts.whole > 0) {
      const levels = definitionLevels(own.whole, n, parts.whole);
      this.addChunk(group, MESSAGE, levels, parts.wholeMessages(own), n);
    }
    if (!this.types.has(SHAPE)) this.types.set(SHAPE, SCHEMA.u16);
    const levels = definitionLevels(parts.shaped, n, parts.cut);
    const numbers = Int32Array.from(own.shapeOf.filter((number) => number > 0));
    this.addChunk(group, SHAPE, levels, bytesOf(numbers), n);
    const { values: bytes, used: byteCount, counts: byteCounts } = parts.bytes(n);
    this.addList(group, 'u8', byteCounts, byteCount, bytes.subarray(0, byteCount), n);
    const { data, size, used, counts } = own.variables.texts;
    this.addList(group, 'text', counts, used, data.subarray(0, size), n);
    return own;
  }

  private addList(
    group: RowGroup,
    type: 'u8' | 'text',
    counts: Uint16Array,
    total: number,
    values: Uint8Array,
    n: number,
  ): void {
    const name = type === 'u8' ? BYTES : TEXTS;
    if (!this.types.has(name)) this.types.set(name, { ...SCHEMA[type], list: true });
    const { bytes, levels } = listLevels(counts, n, total);
    if (type === 'u8') this.addByteChunk(group, name, bytes, values, levels);
    else this.addChunk(group, name, bytes, values, levels);
  }

  private addColumn(
    group: RowGroup,
    name: string,
    column: Column,
    count: number,
    rows: BatchRows,
  ): void {
    if (!this.types.has(name)) this.types.set(name, SCHEMA[column.type]);
    const n = rows.to - rows.from;
    const present = valuesOf(column.present, rows);
    const levels = definitionLevels(present, n, count);
    const values = plainValues(column, rows, present, count);
    const only = onlyPlain(column.type, values, count);
    this.noteConstant(name, column.type, count === n ? only : undefined);
    const coded =
      only === undefined && column.type === 'text' ? codedTexts(values, count) : undefined;
    if (coded !== undefined) {
      this.coded.set(name, coded);
      const { data, starts, codes } = coded;
      const indexes = packedIndexes(codes, starts.length);
      this.shared += values.length - indexes.length - data.length;
      this.addChunk(group, name, levels, indexes, n, { bytes: data, values: starts.length });
    } else if (only === undefined && column.type === 'u8') {
      this.addByteChunk(group, name, levels, values, n);
    } else if (only === undefined) {
      this.addChunk(group, name, levels, values, n);
    } else {
      // One bit per index, and one run of `count` zeros.
      const indexes = Uint8Array.of(1, ...varintBytes(count * 2), 0);
      this.addChunk(group, name, levels, indexes, n, { bytes: only, values: 1 });
    }
  }

  private addByteChunk(
    group: RowGroup,
    name: string,
    levels: Uint8Array,
    values: Uint8Array,
    n: number,
  ): void {
    const dictionary = byteDictionary(values);
    const indexes = byteIndexes(values);
    this.shared += values.length * 4 - indexes.length - dictionary.bytes.length;
    this.addChunk(group, name, levels, indexes, n, dictionary);
  }

  private addChunk(
    group: RowGroup,
    name: string,
    levels: Uint8Array,
    values: Uint8Array,
    n: number,
    dictionary?: { bytes: Uint8Array; values: number },
  ): void {
    const start = this.position;
    if (dictionary !== undefined) {
      this.write(dictionaryPageHeader(dictionary.bytes.length, dictionary.values));
      this.write(dictionary.bytes);
    }
    const offset = this.position;
    const encoding = dictionary === undefined ? ENCODING.plain : ENCODING.dictionary;
    this.write(dataPageHeader(levels.length + values.length, n, encoding));
    this.write(levels);
    this.write(values);
    const size = this.position - start;
    group.chunks.set(name, {
      dictionary: dictionary === undefined ? undefined : start,
      offset,
      size,
      values: n,
    });
    group.size += size;
  }

  private write(bytes: Uint8Array): void {
    this.position += bytes.length;
    if (bytes.length >= BUFFER_BYTES / 4) {
      this.flush();
      writeAll(this.fd, bytes);
      return;
    }
    this.pending.push(bytes.slice());
    this.pendingSize += bytes.length;
    if (this.pendingSize >= BUFFER_BYTES) this.flush();
  }

  private flush(): void {
    if (this.fd < 0) this.fd = openSync(this.path, 'wx');
    for (const bytes of this.pending) writeAll(this.fd, bytes);
    this.pending = [];
    this.pendingSize = 0;
  }

  private footer(): Uint8Array {
    const names = [...this.types.entries()];
    const w = new CompactWriter();
    w.begin();
    w.i32(1, 1);
    const lists = names.filter(([, { list }]) => list === true).length;
    w.list(2, 12, names.length + 1 + lists * 2);
    w.begin();
    w.text(4, 'events');
    w.i32(5, names.length);
    w.end();
    for (const [name, type] of names) {
      if (type.list === true) listAround(w, name);
      w.begin();
      w.i32(1, type.physical);
      if (type.physical === PHYSICAL.fixed) w.i32(2, 16);
      w.i32(3, type.list === true ? 0 : 1);
      w.text(4, type.list === true ? LIST_PATH[1] : name);
      if (type.converted >= 0) w.i32(6, type.converted);
      if (type.uuid) {
        w.begin(10);
        w.begin(14);
        w.end();
        w.end();
      }
      w.end();
    }
    w.i64(3, this.rows);
    w.list(4, 12, this.groups.length);
    for (const group of this.groups) {
      w.begin();
      w.list(1, 12, names.length);
      for (const [name, type] of names) {
        const chunk = group.chunks.get(name)!;
        w.begin();
        w.i64(2, chunk.dictionary ?? chunk.offset);
        w.begin(3);
        w.i32(1, type.physical);
        w.list(2, 5, 3);
        for (const encoding of Object.values(ENCODING)) w.varint(encoding * 2);
        w.list(3, 8, type.list === true ? 3 : 1);
        w.rawText(name);
        if (type.list === true) for (const step of LIST_PATH) w.rawText(step);
        w.i32(4, 0);
        w.i64(5, chunk.values);
        w.i64(6, chunk.size);
        w.i64(7, chunk.size);
        w.i64(9, chunk.offset);
        if (chunk.dictionary !== undefined) w.i64(11, chunk.dictionary);
        w.end();
        w.end();
      }
      w.i64(2, group.size);
      w.i64(3, group.rows);
      w.end();
    }
    w.text(6, 'daybook');
    w.end();
    return w.take();
  }
}

const EMPTY = new Uint8Array(0);
/** Path of a list's values below its name. */
const LIST_PATH = ['list', 'element'] as const;

/** The two schema elements that surround the values of a list. */
function listAround(w: CompactWriter, name: string): void {
  w.begin();
  w.i32(3, 0);
  w.text(4, name);
  w.i32(5, 1);
  w.i32(6, 3);
  w.end();
  w.begin();
  w.i32(3, 2);
  w.text(4, LIST_PATH[0]);
  w.i32(5, 1);
  w.end();
}
