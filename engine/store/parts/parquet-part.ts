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
import type { Column } from '../../columns/columns.ts';
import type { EventBatch } from '../../columns/event-batch.ts';
import { isAttributeColumn, renamedTogether, withoutPrefix } from '../../util/attribute-columns.ts';
import { writeAll } from '../../util/files/files.ts';
import { type BatchRows, rowSpan, valuesOf } from './batch-rows.ts';
import { type CodedTexts, codedTexts } from './coded-texts.ts';
import { CAPTURED, headerOf, MAX_CONSTANT_TEXT, presentColumns, RECORD } from './column-types.ts';
import { MessageParts } from '../messages/cut-messages.ts';
import {
  BYTES,
  type CutMessages,
  MESSAGE,
  MESSAGE_PARTS,
  SHAPE,
  TEXTS,
} from '../messages/message-columns.ts';
import type { CutRowGroup } from '../messages/message-cutter.ts';
import {
  byteDictionary,
  byteIndexes,
  bytesOf,
  CompactWriter,
  dataPageHeader,
  definitionLevels,
  dictionaryPageHeader,
  ENCODING,
  LIST_PATH,
  listAround,
  listLevels,
  onlyPlain,
  packedIndexes,
  PHYSICAL,
  plainValues,
  SCHEMA,
  type SchemaType,
  varintBytes,
} from '../parquet-encoding.ts';
import { areRare, type ConstantColumn, type SelectedColumn } from '../table-layout.ts';
import { ValueCounter, type ValueCounts } from '../value-counts.ts';

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
    const cut = parts.take(batch, rows);
    this.cutRows += parts.cut;
    if (parts.cut === 0) {
      this.addColumn(group, MESSAGE, batch.message, count, rows);
      return undefined;
    }
    if (!this.types.has(MESSAGE)) this.types.set(MESSAGE, SCHEMA.text);
    this.noteConstant(MESSAGE, 'text', undefined);
    if (parts.whole > 0) {
      const levels = definitionLevels(cut.whole, n, parts.whole);
      this.addChunk(group, MESSAGE, levels, parts.wholeMessages(cut), n);
    }
    if (!this.types.has(SHAPE)) this.types.set(SHAPE, SCHEMA.u16);
    const levels = definitionLevels(parts.shaped, n, parts.cut);
    const numbers = Int32Array.from(cut.shapeOf.filter((number) => number > 0));
    this.addChunk(group, SHAPE, levels, bytesOf(numbers), n);
    const { values: bytes, used: byteCount, counts: byteCounts } = parts.bytes(n);
    this.addList(group, 'u8', byteCounts, byteCount, bytes.subarray(0, byteCount), n);
    const { data, size, used, counts } = cut.variables.texts;
    this.addList(group, 'text', counts, used, data.subarray(0, size), n);
    return cut;
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
