/** A page of entries, read. */
import { zstdDecompressSync } from 'node:zlib';
import { BitReader } from './bits.ts';
import { ByteReader } from './bytes.ts';
import { damagedText } from './damaged.ts';
import { INLINE_COUNT, MASK_BITS, PAGE_ENTRIES, type Paged } from './layout.ts';
import { readRows } from './row-list.ts';

/** Where a page is, and what it begins with. */
export interface PagePlace {
  readonly index: number;
  readonly at: number;
  readonly bytes: number;
  readonly entries: number;
  readonly listsFrom: number;
  /** Of a page of words its first key, else the first number. */
  readonly key: Uint8Array;
  readonly number: number;
}

/** The rows of an entry: in the page, or where they lie in the section of lists. */
export type EntryRows =
  | { readonly count: number; readonly inline: Uint32Array<ArrayBuffer> }
  | { readonly count: number; readonly at: number; readonly bytes: number };

export interface Entry {
  readonly rows: EntryRows;
  /** Columns of the rows. */
  readonly mask: number;
  readonly shapes: Uint32Array;
}

/** The end of each key in `keys`: no token has it. */
const KEY_END = 0x0a;

export class Page {
  readonly entries: number;
  /** Of words: all keys, each followed by a line feed, and where each starts. */
  readonly keys: Uint8Array;
  readonly keyStarts: Uint32Array;
  /** Of numbers and shapes. */
  readonly numbers: Uint32Array;
  /** Entries that are beginnings of longer tokens. */
  readonly long: readonly number[];
  private readonly bits: BitReader;
  private readonly bitStarts: Uint32Array;
  private readonly listStarts: Float64Array;
  private readonly total: number;
  private readonly shapes: number;

  /** @param content a page without its check @throws DaybookError case-damaged */
  constructor(kind: Paged, content: Uint8Array, place: PagePlace, total: number, shapes: number) {
    const { entries } = place;
    if (entries > PAGE_ENTRIES) throw damagedText();
    const reader = new ByteReader(content);
    const rawLength = reader.number();
    const packed = reader.string();
    this.entries = entries;
    this.total = total;
    this.shapes = shapes;
    this.bits = new BitReader(reader.raw(content.length - reader.at));
    this.bitStarts = new Uint32Array(entries);
    this.listStarts = new Float64Array(entries);
    this.keyStarts = new Uint32Array(kind === 'words' ? entries + 1 : 0);
    this.numbers = new Uint32Array(kind === 'words' ? 0 : entries);
    this.keys =
      kind === 'words'
        ? readKeys(unpacked(packed, rawLength), entries, this.keyStarts)
        : new Uint8Array(0);
    const long: number[] = [];
    let listAt = place.listsFrom;
    let number = place.number;
    const { bits } = this;
    for (let i = 0; i < entries; i++) {
      if (kind === 'words') {
        if (bits.get(1) === 1) long.push(i);
      } else if (i > 0) number += kind === 'numbers' ? bits.expGolomb(0) + 1 : 1;
      if (kind !== 'words') this.numbers[i] = number;
      this.bitStarts[i] = bits.at;
      this.listStarts[i] = listAt;
      const rows = bits.expGolomb(0);
      const inShapes = bits.expGolomb(0);
      if (rows > total || inShapes > shapes) throw damagedText();
      readRows(bits, inShapes, shapes);
      if (rows === 0) continue;
      if (bits.get(1) === 1) bits.get(MASK_BITS);
      if (rows > INLINE_COUNT && bits.get(1) === 1) listAt += bits.expGolomb(8);
      else readRows(bits, rows, total);
    }
    this.long = long;
  }

  /** Bytes held, about. */
  get size(): number {
    return this.bits.words.byteLength + this.keys.length + this.entries * 20;
  }

  entry(index: number): Entry {
    const { bits } = this;
    bits.at = this.bitStarts[index]!;
    const count = bits.expGolomb(0);
    const shapes = new Uint32Array(bits.expGolomb(0));
    readRows(bits, shapes.length, this.shapes, shapes);
    if (count === 0) return { rows: { count, inline: new Uint32Array(0) }, mask: 0, shapes };
    const mask = bits.get(1) === 1 ? bits.get(MASK_BITS) : 1;
    if (count > INLINE_COUNT && bits.get(1) === 1) {
      const bytes = bits.expGolomb(8);
      return { rows: { count, at: this.listStarts[index]!, bytes }, mask, shapes };
    }
    const inline = new Uint32Array(count);
    readRows(bits, count, this.total, inline);
    return { rows: { count, inline }, mask, shapes };
  }

  key(index: number): Uint8Array {
    return this.keys.subarray(this.keyStarts[index], this.keyStarts[index + 1]! - 1);
  }
}

function unpacked(packed: Uint8Array, rawLength: number): Uint8Array {
  if (packed.length === rawLength) return packed;
  // No page's keys are longer: that many tokens of the greatest length.
  if (rawLength > PAGE_ENTRIES * 400) throw damagedText();
  const raw = zstdDecompressSync(packed, { maxOutputLength: rawLength });
  if (raw.length !== rawLength) throw damagedText();
  return raw;
}

function readKeys(coded: Uint8Array, entries: number, starts: Uint32Array): Uint8Array {
  const reader = new ByteReader(coded);
  let out = new Uint8Array(entries * 12 + 512);
  let size = 0;
  let before = 0;
  for (let i = 0; i < entries; i++) {
    const common = i === 0 ? 0 : reader.number();
    const rest = reader.string();
    if (i > 0 && common > size - 1 - before) throw damagedText();
    while (size + common + rest.length + 1 > out.length) {
      const bigger = new Uint8Array(out.length * 2);
      bigger.set(out);
      out = bigger;
    }
    starts[i] = size;
    for (let k = 0; k < common; k++) out[size + k] = out[before + k]!;
    before = size;
    size += common;
    for (let k = 0; k < rest.length; k++) out[size + k] = rest[k]!;
    size += rest.length;
    out[size++] = KEY_END;
  }
  starts[entries] = size;
  return out.subarray(0, size);
}
