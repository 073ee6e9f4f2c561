/** The pages and lists of a text index, read on demand and cached: the rows of an entry and of a shape. */
import { RowSet, wordsFor } from '../../../util/row-set.ts';
import type { SideFile } from '../../side-file.ts';
import { BitReader } from '../../../util/bit-codec.ts';
import { checked } from '../format/bytes.ts';
import { damagedText } from '../format/damaged.ts';
import type { Head } from '../format/head.ts';
import {
  BITMAP,
  type ColumnShapes,
  GAPS,
  LISTS,
  OTHERS,
  type Paged,
  sectionOf,
} from '../format/layout.ts';
import { type Entry, type EntryRows, Page, type PlainKeys } from '../format/page.ts';
import { putRows, readRowBits, readRows } from '../format/row-list.ts';
import { KEPT_SHARE, type OwnedCache } from '../text-cache.ts';
import type { RowPlaces } from '../format/whole-texts.ts';

type ListedRows = Exclude<EntryRows, { readonly inline: unknown }>;

export class TextPages {
  readonly head: Head;
  private readonly file: SideFile;
  private readonly cache: OwnedCache;

  constructor(file: SideFile, head: Head, cache: OwnedCache) {
    this.file = file;
    this.head = head;
    this.cache = cache;
  }

  /** Shapes of a column, as numbers from and to. */
  rangeOf(column: number): ColumnShapes {
    return this.head.columns[column]!;
  }

  get rows(): number {
    return this.head.rows;
  }

  /** Sets the bits of a shape's rows if there are few; returns whether it did. */
  addShape(shape: number, words: Uint32Array | undefined): boolean {
    const page = words === undefined ? undefined : this.pageOfNumber('shapes', shape);
    if (words === undefined || page === undefined) return false;
    return page.addTo(words, shape - page.numbers[0]!) === undefined;
  }

  shapeRows(shape: number): RowSet {
    const { rows, shapes } = this.shapeEntry(shape);
    const listed = this.rowSet(rows);
    if (shapes.length === 0) return listed;
    return this.cache.take(
      `shape ${shape}`,
      () => {
        const words = listed.toWords();
        for (const implying of shapes) {
          // Only shapes of the message imply others, and none implies one of the message.
          if (implying >= this.head.columns[0]!.to || implying === shape) throw damagedText();
          this.shapeRows(implying).orInto(words);
        }
        return RowSet.ofWords(words, this.head.rows);
      },
      ({ bytes }) => bytes,
      ({ held }) => held,
    );
  }

  putPlaces(shape: number, out: RowPlaces, place: number): void {
    const { rows, shapes } = this.shapeEntry(shape);
    const put = (row: number): void => void (out[row] = place);
    if (shapes.length > 0) this.shapeRows(shape).forEach(put);
    else if ('inline' in rows) rows.inline.forEach(put);
    else {
      const { kind, rest } = this.listBytes(rows);
      if (kind !== GAPS) this.readList(rows).forEach(put);
      else putRows(new BitReader(rest), rows.count, this.head.rows, out, place);
    }
  }

  countOfShape(shape: number): number {
    const { rows, shapes } = this.shapeEntry(shape);
    return shapes.reduce((sum, one) => sum + this.shapeEntry(one).rows.count, rows.count);
  }

  private shapeEntry(shape: number): Entry {
    const page = this.pageOfNumber('shapes', shape);
    if (page === undefined) throw damagedText();
    return page.entry(shape - page.numbers[0]!);
  }

  /** The rows of an entry as a set; cached if it is large. */
  rowSet(rows: EntryRows): RowSet {
    if ('inline' in rows) return RowSet.ofSorted(rows.inline, this.head.rows);
    const make = (): RowSet => this.readList(rows);
    if (rows.count * KEPT_SHARE < this.head.rows) return make();
    return this.cache.take(
      `list ${rows.at}`,
      make,
      ({ bytes }) => bytes,
      ({ held }) => held,
    );
  }

  private listBytes({ at, bytes, count }: ListedRows): { kind: number; rest: Uint8Array } {
    const content = checked(this.file.read(LISTS, at, at + bytes), bytes);
    if (count > this.head.rows) throw damagedText();
    return { kind: content[0]!, rest: content.slice(1) };
  }

  private readList(listed: ListedRows): RowSet {
    const total = this.head.rows;
    const { count } = listed;
    const { kind, rest } = this.listBytes(listed);
    switch (kind) {
      case GAPS: {
        if (count * 32 > total)
          return RowSet.ofWords(readRowBits(new BitReader(rest), count, total), total);
        const rows = new Uint32Array(count);
        readRows(new BitReader(rest), count, total, rows);
        return RowSet.ofSorted(rows, total);
      }
      case OTHERS: {
        const others = readRowBits(new BitReader(rest), total - count, total);
        return RowSet.ofWords(others, total).not();
      }
      case BITMAP: {
        if (rest.length !== wordsFor(total) * 4) throw damagedText();
        return RowSet.ofWords(new Uint32Array(rest.buffer), total);
      }
      default:
        throw damagedText();
    }
  }

  page(kind: Paged, index: number): Page {
    return this.cache.take(
      `${kind} ${index}`,
      () => {
        const place = this.head.pages[kind][index]!;
        const { at, bytes } = place;
        const content = checked(this.file.read(sectionOf(kind), at, at + bytes), bytes);
        return new Page(kind, content, place, this.head.rows, this.head.shapes);
      },
      ({ size }) => size,
    );
  }

  /** All keys of a page of words. */
  keysOf(page: Page, index: number): PlainKeys {
    return this.cache.take(
      `keys ${index}`,
      () => page.readWords(),
      ({ keys, starts }) => keys.buffer.byteLength + starts.byteLength,
    );
  }

  pageOfNumber(kind: 'numbers' | 'shapes', number: number): Page | undefined {
    const at = placeOfNumber(this.head.pages[kind], number);
    return at < 0 ? undefined : this.page(kind, at);
  }

  /** The last page whose first key is not after `key`; -1 if there is none. */
  placeOfWord(key: Uint8Array): number {
    const places = this.head.pages.words;
    let low = 0;
    let high = places.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      // A key may occur twice, as a word and as a prefix of longer ones, on adjacent pages.
      if (Buffer.compare(places[middle]!.key, key) < 0) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** The entries with exactly this key: two at most. */
  word(key: Uint8Array, visit: (page: Page, entry: number, long: boolean) => void): void {
    const places = this.head.pages.words;
    for (let at = Math.max(0, this.placeOfWord(key)); at < places.length; at++) {
      if (Buffer.compare(places[at]!.key, key) > 0) return;
      const page = this.page('words', at);
      if (page.find(key, (entry, long) => visit(page, entry, long))) return;
    }
  }
}

/** The last page whose first number is not above `number`; -1 if there is none. */
export function placeOfNumber(
  places: readonly { readonly number: number }[],
  number: number,
): number {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (places[middle]!.number <= number) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
