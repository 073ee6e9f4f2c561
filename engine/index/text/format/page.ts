/** A page of entries, read. */
import { BitReader } from '../../../util/bit-codec.ts';
import { ByteReader } from './bytes.ts';
import { damagedText } from './damaged.ts';
import { INLINE_COUNT, MASK_BITS, PAGE_ENTRIES, type Paged } from './layout.ts';
import { unpacked } from './packed.ts';
import { readRows } from './row-list.ts';

/** Location of a page, and its first key. */
export interface PagePlace {
  readonly index: number;
  readonly at: number;
  readonly bytes: number;
  readonly entries: number;
  readonly listsFrom: number;
  /** For a page of words its first key, otherwise the first number. */
  readonly key: Uint8Array;
  readonly number: number;
}

/** The rows of an entry: in the page, or their location in the section of lists. */
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

const few = new Uint32Array(INLINE_COUNT);
const NOTHING = new Uint8Array(0);

export class Page {
  readonly entries: number;
  /** For numbers and shapes. */
  readonly numbers: Uint32Array;
  private readonly bits: BitReader;
  private readonly listsFrom: number;
  private readonly total: number;
  private readonly shapes: number;
  /** Keys of words, encoded. */
  private readonly coded: Uint8Array;
  private starts: EntryStarts | undefined;

  /** @param content a page without its check @throws DaybookError case-damaged */
  constructor(kind: Paged, content: Uint8Array, place: PagePlace, total: number, shapes: number) {
    const { entries } = place;
    if (entries > PAGE_ENTRIES) throw damagedText();
    const reader = new ByteReader(content);
    const rawLength = reader.number();
    const coded = reader.string();
    // No page's keys are longer: that many tokens of the greatest length.
    if (rawLength > PAGE_ENTRIES * 400) throw damagedText();
    const keys = coded.length === rawLength ? coded : unpacked(coded, rawLength);
    this.entries = entries;
    this.total = total;
    this.shapes = shapes;
    this.listsFrom = place.listsFrom;
    this.bits = new BitReader(reader.raw(content.length - reader.at));
    this.coded = kind === 'words' ? keys : NOTHING;
    this.numbers = new Uint32Array(kind === 'words' ? 0 : entries);
    if (kind === 'words') return;
    const gaps = new ByteReader(keys);
    let { number } = place;
    for (let i = 0; i < entries; i++) {
      if (i > 0) number += kind === 'numbers' ? gaps.number() + 1 : 1;
      this.numbers[i] = number;
    }
  }

  /** All keys of a page of words. */
  readWords(): PlainKeys {
    return readKeys(new ByteReader(this.coded), this.entries);
  }

  /**
   * Visits the entries of words with exactly this key: at most a word and a prefix of longer ones; returns whether
   * others follow. Keys are compared in encoded form: most pages are searched once.
   */
  find(key: Uint8Array, visit: (entry: number, long: boolean) => void): boolean {
    const coded = new ByteReader(this.coded);
    const { data } = coded;
    // Bytes that the key has in common with the word before, which is below it.
    let same = 0;
    for (let i = 0; i < this.entries; i++) {
      const lead = coded.number();
      const common = lead >>> 1;
      const rest = coded.number();
      const from = coded.past(rest);
      if (common > same) continue;
      if (common < same) return true;
      let k = 0;
      while (k < rest && same + k < key.length && data[from + k] === key[same + k]) k += 1;
      if (k < rest) {
        if (same + k === key.length || data[from + k]! > key[same + k]!) return true;
      } else if (same + k === key.length) visit(i, (lead & 1) === 1);
      same += k;
    }
    return false;
  }

  /** Bytes held once entries were read. */
  get size(): number {
    const { bits, coded, numbers, entries } = this;
    return bits.words.byteLength + coded.length + numbers.byteLength + (entries + 1) * 8;
  }

  entry(index: number): Entry {
    const { bits } = this;
    const { listStarts } = this.goTo(index);
    const count = bits.expGolomb(0);
    const shapes = new Uint32Array(bits.expGolomb(0));
    readRows(bits, shapes.length, this.shapes, shapes);
    if (count === 0) return { rows: { count, inline: new Uint32Array(0) }, mask: 0, shapes };
    const mask = bits.get(1) === 1 ? bits.get(MASK_BITS) : 1;
    if (count > INLINE_COUNT && bits.get(1) === 1) {
      const bytes = bits.expGolomb(8);
      return { rows: { count, at: this.listsFrom + listStarts[index]!, bytes }, mask, shapes };
    }
    const inline = new Uint32Array(count);
    readRows(bits, count, this.total, inline);
    return { rows: { count, inline }, mask, shapes };
  }

  /**
   * Sets the bits of an entry's rows if they are in the page; otherwise returns the entry. Unions of thousands of
   * entries consist of such.
   */
  addTo(words: Uint32Array, index: number): Entry | undefined {
    const { bits } = this;
    this.goTo(index);
    const count = bits.expGolomb(0);
    if (count > INLINE_COUNT || bits.expGolomb(0) > 0) return this.entry(index);
    if (count === 0) return undefined;
    if (bits.get(1) === 1) bits.get(MASK_BITS);
    readRows(bits, count, this.total, few);
    for (let i = 0; i < count; i++) words[few[i]! >>> 5]! |= 1 << (few[i]! & 31);
    return undefined;
  }

  /** Goes to where an entry starts: past it and those before it once, which checks them. */
  private goTo(index: number): EntryStarts {
    const { bits, entries, total, shapes } = this;
    const starts = (this.starts ??= {
      known: 0,
      bitStarts: new Uint32Array(entries + 1),
      listStarts: new Uint32Array(entries + 1),
    });
    const { bitStarts, listStarts } = starts;
    bits.at = bitStarts[starts.known]!;
    for (; starts.known <= index; starts.known += 1) {
      let listAt = listStarts[starts.known]!;
      const rows = bits.expGolomb(0);
      const inShapes = bits.expGolomb(0);
      if (rows > total || inShapes > shapes) throw damagedText();
      readRows(bits, inShapes, shapes);
      if (rows > 0) {
        if (bits.get(1) === 1) bits.get(MASK_BITS);
        if (rows > INLINE_COUNT && bits.get(1) === 1) listAt += bits.expGolomb(8);
        else readRows(bits, rows, total);
      }
      bitStarts[starts.known + 1] = bits.at;
      listStarts[starts.known + 1] = listAt;
    }
    bits.at = bitStarts[index]!;
    return starts;
  }
}

/** Decoded keys. */
export interface PlainKeys {
  /** One after another, each followed by a line feed. */
  readonly keys: Uint8Array;
  /** Start of each key, and end of the last. */
  readonly starts: Uint32Array;
  /** Entries that are beginnings of longer tokens. */
  readonly long: readonly number[];
}

function readKeys(coded: ByteReader, entries: number): PlainKeys {
  const starts = new Uint32Array(entries + 1);
  const long: number[] = [];
  const { data } = coded;
  let out = new Uint8Array(entries * 12 + 512);
  let size = 0;
  let before = 0;
  for (let i = 0; i < entries; i++) {
    const lead = coded.number();
    const common = lead >>> 1;
    if ((lead & 1) === 1) long.push(i);
    const rest = coded.number();
    const from = coded.past(rest);
    if (common > Math.max(0, size - 1 - before)) throw damagedText();
    while (size + common + rest + 1 > out.length) {
      const bigger = new Uint8Array(out.length * 2);
      bigger.set(out);
      out = bigger;
    }
    starts[i] = size;
    for (let k = 0; k < common; k++) out[size + k] = out[before + k]!;
    before = size;
    size += common;
    for (let k = 0; k < rest; k++) out[size + k] = data[from + k]!;
    size += rest;
    out[size++] = KEY_END;
  }
  starts[entries] = size;
  return { keys: out.subarray(0, size), starts, long };
}

/** Where entries of a page start in its bits, and their lists in the section of lists. */
interface EntryStarts {
  /** Number of entries read so far; the start of the next is known. */
  known: number;
  readonly bitStarts: Uint32Array;
  /** Behind those of the pages before. */
  readonly listStarts: Uint32Array;
}
