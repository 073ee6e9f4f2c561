/**
 * Parquet encodings, pages and schema, limited to what parts of an import use: uncompressed, PLAIN or by dictionary.
 * https://parquet.apache.org/docs/file-format/
 */
import type { Column } from '../columns/columns.ts';
import {
  type BatchRows,
  textBytesOf,
  textLength,
  valuesOf,
  wideValuesOf,
} from './parts/batch-rows.ts';
import { onlyValue, SQL_TYPES, VALUE_BYTES } from './parts/column-types.ts';
import { presentValues, presentWide, putBits } from './parts/presence.ts';

export const PHYSICAL = { int32: 1, int64: 2, double: 5, byteArray: 6, fixed: 7 } as const;

export interface SchemaType {
  physical: number;
  /** ConvertedType, or -1. */
  converted: number;
  uuid: boolean;
  /** The type that DuckDB reads from such a column; for a list, of its values. */
  sql: string;
  /** Whether each row has a list of such values, never NULL, instead of one value. */
  list?: boolean;
}

export const SCHEMA: Readonly<Record<Column['type'], SchemaType>> = {
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

/** Thrift's compact protocol, limited to what Parquet's headers need. */
export class CompactWriter {
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

export const ENCODING = { plain: 0, rle: 3, dictionary: 8 } as const;

export function dataPageHeader(size: number, values: number, encoding: number): Uint8Array {
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
export function byteDictionary(values: Uint8Array): { bytes: Uint8Array; values: number } {
  const different = values.length < 256 ? Math.max(-1, ...values) + 1 : 256;
  return { bytes: ALL_BYTES.subarray(0, different * 4), values: different };
}

/** Bytes as indexes into `ALL_BYTES`: a fourth of the size of PLAIN values, which have 4 bytes. */
export function byteIndexes(values: Uint8Array): Uint8Array {
  const groups = (values.length + 7) >>> 3;
  const head = [8, ...varintBytes(groups * 2 + 1)];
  const out = new Uint8Array(head.length + groups * 8);
  out.set(head);
  out.set(values, head.length);
  return out;
}

/** Numbers below `limit`, at most 65,536, in Parquet's RLE_DICTIONARY encoding: one run of 8 or 16 bits each. */
export function packedIndexes(codes: Uint16Array, limit: number): Uint8Array {
  const width = limit <= 256 ? 8 : 16;
  const groups = (codes.length + 7) >>> 3;
  const head = [width, ...varintBytes(groups * 2 + 1)];
  const out = new Uint8Array(head.length + groups * width);
  out.set(head);
  if (width === 8) out.set(codes, head.length);
  else out.set(bytesOf(codes), head.length);
  return out;
}

export function dictionaryPageHeader(size: number, values: number): Uint8Array {
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
export function onlyPlain(
  type: Column['type'],
  values: Uint8Array,
  count: number,
): Uint8Array | undefined {
  if (count < 2) return undefined;
  const step = type === 'text' ? 4 + textLength(values, 0) : VALUE_BYTES[type];
  const only = onlyValue(values, step, count);
  return type === 'u8' && only !== undefined ? Uint8Array.of(only[0]!, 0, 0, 0) : only;
}

export function varintBytes(value: number): number[] {
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
export function definitionLevels(present: Uint8Array, n: number, count: number): Uint8Array {
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
export function listLevels(
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

export function bytesOf(view: ArrayBufferView): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}

/**
 * The present values of some rows, in Parquet's PLAIN encoding; bytes unchanged.
 * @param present of these rows; `count` of them are 1
 */
export function plainValues(
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

/** Path of a list's values below its name. */
export const LIST_PATH = ['list', 'element'] as const;

/** The two schema elements that surround the values of a list. */
export function listAround(w: CompactWriter, name: string): void {
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
