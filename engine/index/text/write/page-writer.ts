/** Writes the entries of one paged section, and the lists that are too long for a page. */
import { BitWriter } from '../../../util/bit-codec.ts';
import { ByteWriter, withCheck } from '../format/bytes.ts';
import {
  BITMAP,
  GAPS,
  INLINE_BYTES,
  INLINE_COUNT,
  MASK_BITS,
  OTHERS,
  PAGE_BYTES,
  PAGE_ENTRIES,
} from '../format/layout.ts';
import { packed } from '../format/packed.ts';
import { writeRows } from '../format/row-list.ts';
import { WordGramsWriter } from '../format/word-grams.ts';

/** Rows of a section of lists. */
export interface RowSlice {
  readonly rows: Uint32Array;
  readonly from: number;
  readonly to: number;
}

/** Lists one after another, each with its check. */
export class ListWriter {
  readonly parts: Uint8Array[] = [];
  size = 0;

  /** Returns the bytes it took. */
  add(content: Uint8Array): number {
    const part = withCheck(content);
    this.parts.push(part);
    this.size += part.length;
    return part.length;
  }
}

export class PageWriter {
  readonly parts: Uint8Array[] = [];
  /** For each page: first entry's key, bytes, entries, start of its lists. */
  readonly directory = new ByteWriter();
  /** Of words. */
  readonly grams = new WordGramsWriter();
  pages = 0;
  private readonly bits = new BitWriter();
  private readonly scratch = new BitWriter();
  private readonly keys = new ByteWriter();
  private readonly lists: ListWriter;
  private readonly total: number;
  private readonly shapes: number;
  private entries = 0;
  private firstKey: Uint8Array | number = 0;
  private listsFrom = 0;
  private lastKey: Uint8Array = new Uint8Array(0);
  private lastNumber = 0;

  /** @param total rows of the segment @param shapes number of shapes */
  constructor(lists: ListWriter, total: number, shapes: number) {
    this.lists = lists;
    this.total = total;
    this.shapes = shapes;
  }

  number(value: number): void {
    this.begin(value);
    if (this.entries > 0) this.keys.number(value - this.lastNumber - 1);
    this.lastNumber = value;
  }

  word(bytes: Uint8Array, long: boolean): void {
    this.begin(bytes);
    let common = 0;
    if (this.entries > 0) {
      const { lastKey } = this;
      const most = Math.min(bytes.length, lastKey.length);
      while (common < most && bytes[common] === lastKey[common]) common += 1;
    }
    this.keys.number(common * 2 + (long ? 1 : 0));
    this.keys.string(bytes.subarray(common));
    if (long) this.grams.addAll();
    else this.grams.add(bytes, common);
    this.lastKey = bytes;
  }

  shape(number: number): void {
    this.begin(number);
  }

  /** Adds the entry of the previously given key. `mask` is ignored without rows. */
  entry(list: RowSlice, mask: number, shapes: RowSlice): void {
    const { bits } = this;
    const count = list.to - list.from;
    bits.expGolomb(count, 0);
    bits.expGolomb(shapes.to - shapes.from, 0);
    writeRows(bits, shapes.rows, shapes.from, shapes.to, this.shapes);
    if (count > 0) {
      bits.put(mask === 1 ? 0 : 1, 1);
      if (mask !== 1) bits.put(mask, MASK_BITS);
      this.rows(list, count);
    }
    this.entries += 1;
    if (this.entries === PAGE_ENTRIES || bits.bits > PAGE_BYTES * 8) this.end();
  }

  finish(): void {
    if (this.entries > 0) this.end();
  }

  private rows({ rows, from, to }: RowSlice, count: number): void {
    const { bits, scratch, total } = this;
    if (count <= INLINE_COUNT) {
      writeRows(bits, rows, from, to, total);
      return;
    }
    scratch.clear();
    let kind = GAPS;
    if (count * 2 > total) {
      kind = OTHERS;
      const others = complement(rows, from, to, total);
      writeRows(scratch, others, 0, others.length, total);
    } else writeRows(scratch, rows, from, to, total);
    if (kind === GAPS && scratch.bits <= INLINE_BYTES * 8) {
      bits.put(0, 1);
      bits.append(scratch);
      return;
    }
    bits.put(1, 1);
    let content: Uint8Array;
    if (scratch.bits >= total) {
      kind = BITMAP;
      content = bitmap(rows, from, to, total);
    } else content = scratch.bytes();
    const list = new Uint8Array(content.length + 1);
    list[0] = kind;
    list.set(content, 1);
    bits.expGolomb(this.lists.add(list), 8);
  }

  private begin(key: Uint8Array | number): void {
    if (this.entries > 0) return;
    this.firstKey = key;
    this.listsFrom = this.lists.size;
  }

  private end(): void {
    const { directory, bits, keys } = this;
    const page = new ByteWriter();
    const raw = keys.bytes();
    const squeezed = raw.length > 64 ? packed(raw) : raw;
    const smaller = squeezed.length < raw.length;
    page.number(raw.length);
    page.string(smaller ? squeezed : raw);
    page.raw(bits.bytes());
    const part = withCheck(page.bytes());
    this.parts.push(part);
    if (typeof this.firstKey === 'number') directory.number(this.firstKey);
    else directory.string(this.firstKey);
    directory.number(part.length);
    directory.number(this.entries);
    directory.number(this.listsFrom);
    this.grams.endPage();
    this.pages += 1;
    this.entries = 0;
    bits.clear();
    keys.clear();
  }
}

function complement(rows: Uint32Array, from: number, to: number, total: number): Uint32Array {
  const out = new Uint32Array(total - (to - from));
  if (out.length === 0) return out;
  let n = 0;
  let next = 0;
  for (let i = from; i < to; i++) {
    while (next < rows[i]!) out[n++] = next++;
    next += 1;
  }
  while (next < total) out[n++] = next++;
  return out;
}

function bitmap(rows: Uint32Array, from: number, to: number, total: number): Uint8Array {
  const out = new Uint8Array(((total + 31) >>> 5) * 4);
  for (let i = from; i < to; i++) out[rows[i]! >>> 3]! |= 1 << (rows[i]! & 7);
  return out;
}
