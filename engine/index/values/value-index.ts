/**
 * Rows by the value of a column, exactly, without the segment: see `value-section.ts`.
 *
 * Every row has at most one value in a column, so the rows of several values share none.
 */
import {
  type RowPlaces,
  type TextCounts,
  countPlaces,
  emptyPlaces,
} from '../text/format/whole-texts.ts';
import type { SideFile } from '../side-file.ts';
import { RowSet, wordsFor } from '../../util/row-set.ts';
import { type OwnedCache, TextCache } from '../text/text-cache.ts';
import { BlockReader } from './blocks.ts';
import { Damaged, PackReader } from './packing.ts';
import {
  ADDRESS_BYTES,
  FORM,
  STATE,
  OLD_VALUES_SECTION,
  VALUES_SECTION,
  DENSE,
  VALUE_COLUMNS,
  type ValueColumn,
  type ValueType,
} from './value-section.ts';
import { MAX_TEXT_BYTES } from './dimensions.ts';
import { CodedLists, GapLists, type RowLists } from './row-lists.ts';

type Ip4Column = 'src_ip4' | 'dst_ip4';
type Ip6Column = 'src_ip6' | 'dst_ip6';
type TextValueColumn = 'host' | 'program';
type AddressSide = 'src_ip' | 'dst_ip';

/** How many rows have each address that occurs in some of the rows; addresses ascend, IPv4 first. */
interface AddressCounts {
  readonly numbers: Uint32Array;
  /** 16 bytes each. */
  readonly ip6: Uint8Array;
  /** Of `numbers`, then of `ip6`. */
  readonly counts: Uint32Array;
}

/** Ranges of IPv4 addresses, inclusive: ascending, not touching each other. */
interface Ip4Ranges {
  readonly lows: Uint32Array;
  readonly highs: Uint32Array;
}

/** Places of a dimension's values from `from` to `to`, the last not included. */
interface Places {
  readonly from: number;
  readonly to: number;
}

interface Column {
  readonly type: ValueType;
  readonly size: number;
  /** For each page the index of its first value, and after the last page their number. */
  readonly firsts: Uint32Array;
  readonly rows: Uint32Array;
  readonly begin: number;
  /** End of each page, counted from `begin`. */
  readonly ends: Uint32Array;
  readonly firstNumbers: Uint32Array;
  readonly firstIp6: Uint8Array;
  readonly textsEnd: number;
  texts: readonly string[] | undefined;
}

/** Addresses of a page. */
interface PageValues {
  readonly numbers: Uint32Array;
  readonly ip6: Uint8Array;
}

interface RowValues extends PageValues {
  readonly places: RowPlaces;
}

interface Page extends PageValues {
  /** For a value with its own page: a bit for each row of the segment. */
  readonly bits: Uint8Array | undefined;
  /** Otherwise the rows of each value. */
  readonly lists: RowLists | undefined;
}

const NO_NUMBERS = new Uint32Array(0);
const NO_BYTES = new Uint8Array(0);

const NO_VALUES: RowValues = { places: new Uint8Array(0), numbers: NO_NUMBERS, ip6: NO_BYTES };

/** Says of a value's place in the page whether it is wanted. */
type Wanted = (page: Page, place: number, at: number) => boolean;

export class ValueIndex {
  readonly rows: number;
  private readonly reader: BlockReader;
  /** Whether the section is that of older files. */
  private readonly old: boolean;
  private readonly columns: ReadonlyMap<string, Column | 'absent' | 'left-out'>;
  private readonly cache: OwnedCache;
  /** Columns whose value was looked up for every row and is probably cached. */
  private readonly lookedUp = new Set<ValueColumn>();
  private readonly inText = new Set<string>();

  private constructor(file: SideFile, reader: BlockReader, old: boolean, cache: OwnedCache) {
    this.reader = reader;
    this.old = old;
    this.cache = cache;
    const head = new PackReader(reader.head, true);
    this.rows = head.u32();
    if (this.rows !== file.rows) throw new Damaged('rows');
    const columns = new Map<string, Column | 'absent' | 'left-out'>();
    for (let n = head.u8(); n > 0; n--) {
      const name = Buffer.from(head.raw(head.u8())).toString('latin1');
      const state = head.u8();
      if (!isColumn(name)) throw new Damaged('column');
      if (state === STATE.inText) this.inText.add(name);
      if (state === STATE.indexed)
        columns.set(name, readColumn(head, VALUE_COLUMNS[name], this.rows));
      else columns.set(name, state === STATE.absent ? 'absent' : 'left-out');
    }
    this.columns = columns;
  }

  /**
   * Undefined if the file has no such section.
   * @throws DaybookError case-damaged, like all methods
   */
  static open(file: SideFile, cache: TextCache = new TextCache()): ValueIndex | undefined {
    const old = !file.has(VALUES_SECTION);
    const reader = BlockReader.open(file, old ? OLD_VALUES_SECTION : VALUES_SECTION);
    return reader?.guarded(() => new ValueIndex(file, reader, old, cache.owner()));
  }

  /** Removes its entries from the cache. */
  close(): void {
    this.cache.forget();
    this.lookedUp.clear();
  }

  /** Rows with an address from `low` to `high`, inclusive; undefined if it cannot tell. */
  rowsOfIp4(column: Ip4Column, low: number, high: number): RowSet | undefined {
    return this.find(column, (found) => {
      const [from, to] = ip4Pages(found, low, high);
      return this.collect(found, from, to, ({ numbers }, place) => {
        const value = numbers[place]!;
        return value >= low && value <= high;
      });
    });
  }

  /** Rows with an address in any of several ranges. */
  rowsOfIp4List(column: Ip4Column, ranges: Ip4Ranges): RowSet | undefined {
    return this.find(column, (found) => {
      const { lows, highs } = ranges;
      // Values ascend from page to page, and so do the ranges.
      let range = 0;
      return this.collect(
        ...[found, 0, found.firstNumbers.length],
        ({ numbers }, place) => {
          const value = numbers[place]!;
          while (range < highs.length && highs[range]! < value) range += 1;
          return range < lows.length && lows[range]! <= value;
        },
        (page) => rangesInPage(found, page, ranges),
      );
    });
  }

  /**
   * Indexes of the dimension's values in a range, as in rollups of the segment; `to` is exclusive. Reads at most
   * two pages, for a frequent address none.
   */
  placesOfIp4(dim: 'src_ip' | 'dst_ip', low: number, high: number): Places | undefined {
    const column = this.columns.get(`${dim}4`);
    if (column === undefined || column === 'left-out') return undefined;
    if (column === 'absent' || low > high) return { from: 0, to: 0 };
    return this.reader.guarded(() => {
      const { firstNumbers: firsts } = column;
      return {
        from: this.place(
          column,
          countWhile(firsts.length, (page) => firsts[page]! < low),
          ({ numbers }, at) => numbers[at]! < low,
        ),
        to: this.place(
          column,
          countWhile(firsts.length, (page) => firsts[page]! <= high),
          ({ numbers }, at) => numbers[at]! <= high,
        ),
      };
    });
  }

  /** The same for IPv6 addresses, which come after IPv4. */
  placesOfIp6(dim: 'src_ip' | 'dst_ip', low: Uint8Array, high: Uint8Array): Places | undefined {
    const column = this.columns.get(`${dim}6`);
    const before = this.distinct(`${dim}4`);
    if (column === undefined || column === 'left-out' || before === undefined) return undefined;
    if (column === 'absent' || compareIp6(low, 0, high) > 0) return { from: 0, to: 0 };
    return this.reader.guarded(() => {
      const { firstIp6: firsts, rows } = column;
      const first = (page: number, other: Uint8Array) =>
        compareIp6(firsts, page * ADDRESS_BYTES, other);
      const compare = (page: PageValues, at: number, other: Uint8Array) =>
        compareIp6(page.ip6, at * ADDRESS_BYTES, other);
      return {
        from:
          before +
          this.place(
            column,
            countWhile(rows.length, (page) => first(page, low) < 0),
            (page, at) => compare(page, at, low) < 0,
          ),
        to:
          before +
          this.place(
            column,
            countWhile(rows.length, (page) => first(page, high) <= 0),
            (page, at) => compare(page, at, high) <= 0,
          ),
      };
    });
  }

  /**
   * Number of a column's values for which `isBefore` holds.
   * @param pages whose first value satisfies it
   */
  private place(
    column: Column,
    pages: number,
    isBefore: (values: PageValues, at: number) => boolean,
  ): number {
    if (pages === 0) return 0;
    const first = column.firsts[pages - 1]!;
    const values = column.firsts[pages]! - first;
    if (values === 1) return first + 1;
    const copied = this.cache.take(
      `values ${column.begin} ${pages - 1}`,
      (): PageValues => {
        const { numbers, ip6 } = this.page(column, pages - 1);
        // A copy: it may be a view of the block, which also has the rows.
        return { numbers, ip6: ip6.slice() };
      },
      ({ numbers, ip6 }) => numbers.byteLength + ip6.byteLength,
    );
    return first + countWhile(values, (at) => isBefore(copied, at));
  }

  /** The same for IPv6 addresses of 16 bytes. */
  rowsOfIp6(column: Ip6Column, low: Uint8Array, high: Uint8Array): RowSet | undefined {
    return this.find(column, (found) => {
      const [from, to] = ip6Pages(found, low, high);
      return this.collect(found, from, to, ({ ip6 }, place) => {
        const at = place * ADDRESS_BYTES;
        return compareIp6(ip6, at, low) >= 0 && compareIp6(ip6, at, high) <= 0;
      });
    });
  }

  /** Whether the text index has the rows of a column's values instead of this index. */
  isInText(column: TextValueColumn): boolean {
    return this.inText.has(column);
  }

  /**
   * Rows whose text satisfies `test`, which is called once for each distinct text, exactly as stored. Undefined if
   * the column has too many texts for this index.
   */
  rowsOfText(column: TextValueColumn, test: (text: string) => boolean): RowSet | undefined {
    return this.find(column, (found) => {
      const texts = this.textsOf(found);
      const wanted = new Uint8Array(texts.length);
      const pages: boolean[] = [];
      for (let page = 0; page < found.rows.length; page++) {
        let any = false;
        for (let at = found.firsts[page]!; at < found.firsts[page + 1]!; at++) {
          if (!test(texts[at]!)) continue;
          wanted[at] = 1;
          any = true;
        }
        pages.push(any);
      }
      return this.collect(
        ...[found, 0, pages.length],
        (_, place, first) => wanted[first + place] === 1,
        (page) => pages[page]!,
      );
    });
  }

  /**
   * How many of some rows have each text, in the texts' order; undefined if it cannot tell, or would have to read
   * more than `most` row numbers.
   * @param rows in the form of `RowSet.toWords`
   */
  countsOfText(
    column: TextValueColumn,
    rows: Uint32Array,
    most = Infinity,
  ): TextCounts | undefined {
    const found = this.columns.get(column);
    if (found === undefined || found === 'left-out') return undefined;
    if (found === 'absent') return { texts: [], counts: new Uint32Array(0) };
    if (!this.lookedUp.has(column) && this.listed(found) > most) return undefined;
    return this.reader.guarded(() => {
      const texts = this.textsOf(found);
      return {
        texts,
        counts: countPlaces(texts.length, this.rowValues(column, found).places, rows),
      };
    });
  }

  /** The same for addresses, without those that none of the rows has. */
  countsOfAddress(
    side: AddressSide,
    rows: Uint32Array,
    most = Infinity,
  ): AddressCounts | undefined {
    const ip4 = this.columns.get(`${side}4`);
    const ip6 = this.columns.get(`${side}6`);
    if (ip4 === undefined || ip6 === undefined || ip4 === 'left-out' || ip6 === 'left-out')
      return undefined;
    let listed = 0;
    if (ip4 !== 'absent' && !this.lookedUp.has(`${side}4`)) listed += this.listed(ip4);
    if (ip6 !== 'absent' && !this.lookedUp.has(`${side}6`)) listed += this.listed(ip6);
    if (listed > most) return undefined;
    return this.reader.guarded(() => {
      const short = ip4 === 'absent' ? NO_VALUES : this.rowValues(`${side}4`, ip4);
      const long = ip6 === 'absent' ? NO_VALUES : this.rowValues(`${side}6`, ip6);
      const { numbers } = short;
      const counts4 = countPlaces(numbers.length, short.places, rows);
      const counts6 = countPlaces(long.ip6.length / ADDRESS_BYTES, long.places, rows);
      const some4 = countNonZero(counts4);
      const some6 = countNonZero(counts6);
      const found = {
        numbers: new Uint32Array(some4),
        ip6: new Uint8Array(some6 * ADDRESS_BYTES),
        counts: new Uint32Array(some4 + some6),
      };
      let at = 0;
      for (let place = 0; place < counts4.length; place++) {
        if (counts4[place] === 0) continue;
        found.numbers[at] = numbers[place]!;
        found.counts[at++] = counts4[place]!;
      }
      for (let place = 0; place < counts6.length; place++) {
        if (counts6[place] === 0) continue;
        const from = place * ADDRESS_BYTES;
        found.ip6.set(long.ip6.subarray(from, from + ADDRESS_BYTES), (at - some4) * ADDRESS_BYTES);
        found.counts[at++] = counts6[place]!;
      }
      return found;
    });
  }

  /** The place of every row's value, and of an address column all its values. */
  private rowValues(name: ValueColumn, found: Column): RowValues {
    const values = this.cache.take(
      `places ${name}`,
      (): RowValues => {
        const places = emptyPlaces(this.rows, found.size);
        const numbers = new Uint32Array(found.type === 'ip4' ? found.size : 0);
        const ip6 = new Uint8Array(found.type === 'ip6' ? found.size * ADDRESS_BYTES : 0);
        for (let number = 0; number < found.rows.length; number++) {
          const page = this.page(found, number);
          const first = found.firsts[number]!;
          if (found.type === 'ip4') numbers.set(page.numbers, first);
          if (found.type === 'ip6') ip6.set(page.ip6, first * ADDRESS_BYTES);
          if (page.lists !== undefined) setPlaces(page.lists, first + 1, places);
          else if (page.bits !== undefined) setPlace(page.bits, first + 1, places);
        }
        return { places, numbers, ip6 };
      },
      ({ places, numbers, ip6: long }) => places.byteLength + numbers.byteLength + long.byteLength,
    );
    this.lookedUp.add(name);
    return values;
  }

  /** Rows that pages name one by one: not those of pages that hold the bits of one value. */
  private listed({ rows, firsts }: Column): number {
    let listed = 0;
    for (let page = 0; page < rows.length; page++) {
      const values = firsts[page + 1]! - firsts[page]!;
      if (values > 1 || rows[page]! * DENSE < this.rows) listed += rows[page]!;
    }
    return listed;
  }

  /** Packets that belong to no flow; undefined if it cannot tell. */
  unflowed(): RowSet | undefined {
    return this.find('unflowed', (found) => this.collect(found, 0, found.rows.length, () => true));
  }

  /** An upper bound of the rows in the range, without reading a page. */
  mostOfIp4(column: Ip4Column, low: number, high: number): number | undefined {
    return this.most(column, (found) => ip4Pages(found, low, high));
  }

  mostOfIp4List(column: Ip4Column, ranges: Ip4Ranges): number | undefined {
    const found = this.columns.get(column);
    if (found === undefined || found === 'left-out') return undefined;
    if (found === 'absent') return 0;
    let rows = 0;
    for (let page = 0; page < found.rows.length; page++)
      if (rangesInPage(found, page, ranges)) rows += found.rows[page]!;
    return rows;
  }

  mostOfIp6(column: Ip6Column, low: Uint8Array, high: Uint8Array): number | undefined {
    return this.most(column, (found) => ip6Pages(found, low, high));
  }

  /** Number of distinct values of a column; undefined if it cannot tell. */
  distinct(column: ValueColumn): number | undefined {
    const found = this.columns.get(column);
    if (found === undefined || found === 'left-out') return undefined;
    return found === 'absent' ? 0 : found.size;
  }

  private find(name: ValueColumn, look: (column: Column) => RowSet): RowSet | undefined {
    const column = this.columns.get(name);
    if (column === undefined || column === 'left-out') return undefined;
    if (column === 'absent') return RowSet.none(this.rows);
    return this.reader.guarded(() => look(column));
  }

  private most(name: ValueColumn, pages: (column: Column) => [number, number]): number | undefined {
    const column = this.columns.get(name);
    if (column === undefined || column === 'left-out') return undefined;
    if (column === 'absent') return 0;
    const [from, to] = pages(column);
    let rows = 0;
    for (let page = from; page < to; page++) rows += column.rows[page]!;
    return rows;
  }

  private collect(
    column: Column,
    from: number,
    to: number,
    wanted: Wanted,
    look: (page: number) => boolean = () => true,
  ): RowSet {
    const found = new RowCollector(this.rows);
    for (let number = from; number < to; number++) {
      if (!look(number)) continue;
      const page = this.page(column, number);
      const values = column.firsts[number + 1]! - column.firsts[number]!;
      if (page.bits !== undefined) {
        if (wanted(page, 0, column.firsts[number]!)) found.addBits(page.bits);
        continue;
      }
      if (page.lists === undefined) continue;
      const { counts } = page.lists;
      for (let place = 0; place < values; place++) {
        const count = counts[place]! + 1;
        if (wanted(page, place, column.firsts[number]!)) found.addList(page.lists, count);
        else page.lists.pass(count);
      }
    }
    return found.finish();
  }

  private page(column: Column, number: number): Page {
    const from = column.begin + (number === 0 ? 0 : column.ends[number - 1]!);
    const block = this.reader.block(from, column.begin + column.ends[number]!);
    const page = this.old
      ? this.oldPage(column, number, block)
      : this.newPage(column, number, block);
    if (page.lists === undefined) return page;
    const { counts } = page.lists;
    let sum = counts.length;
    for (let place = 0; place < counts.length; place++) sum += counts[place]!;
    if (sum !== column.rows[number]!) throw new Damaged('counts');
    return page;
  }

  private newPage(column: Column, number: number, block: Uint8Array): Page {
    const { type } = column;
    const values = column.firsts[number + 1]! - column.firsts[number]!;
    const page = new PackReader(block, true);
    const form = page.u8();
    const ip6 = type === 'ip6' ? page.packed(values * ADDRESS_BYTES) : NO_BYTES;
    if (type === 'ip6' && ip6.length !== values * ADDRESS_BYTES) throw new Damaged('values');
    const first = column.firstNumbers[number]!;
    if (form === FORM.bits) {
      if (values !== 1) throw new Damaged('bits');
      const bits = page.packed(wordsFor(this.rows) * 4);
      if (bits.length !== wordsFor(this.rows) * 4) throw new Damaged('bits');
      const numbers = type === 'ip4' ? Uint32Array.of(first) : NO_NUMBERS;
      return { numbers, ip6, bits, lists: undefined };
    }
    if (form !== FORM.codes) throw new Damaged('form');
    const lists = new CodedLists(page.rest(), values, type === 'ip4' ? values : 0, this.rows);
    return { numbers: addedUp(first, lists.steps), ip6, bits: undefined, lists };
  }

  /** For a section that was written before codes were introduced. */
  private oldPage(column: Column, number: number, block: Uint8Array): Page {
    const values = column.firsts[number + 1]! - column.firsts[number]!;
    const rows = column.rows[number]!;
    const bitmap = wordsFor(this.rows) * 4;
    const most = 16 + values * (ADDRESS_BYTES + 8) + Math.max(rows * 4, bitmap);
    const page = new PackReader(new PackReader(block, false).packed(most), false);
    const form = page.u8();
    const numbers =
      column.type === 'ip4'
        ? addedUp(column.firstNumbers[number]!, page.numbers32(values))
        : NO_NUMBERS;
    const ip6 = page.raw(column.type === 'ip6' ? values * ADDRESS_BYTES : 0);
    if (form === FORM.bits) {
      if (values !== 1) throw new Damaged('bits');
      return { numbers, ip6, bits: page.raw(bitmap), lists: undefined };
    }
    const lists = new GapLists(page, values, rows, this.rows);
    return { numbers, ip6, bits: undefined, lists };
  }

  private textsOf(column: Column): readonly string[] {
    if (column.texts !== undefined) return column.texts;
    const from = column.begin + (column.ends[column.ends.length - 1] ?? 0);
    const texts = readTexts(
      new PackReader(this.reader.block(from, column.textsEnd), true),
      column.size,
    ).map((bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8'));
    column.texts = texts;
    return texts;
  }
}

function countNonZero(counts: Uint32Array): number {
  let n = 0;
  for (let place = 0; place < counts.length; place++) if (counts[place]! > 0) n += 1;
  return n;
}

/** Reads what `packTexts` wrote. @throws Damaged */
export function readTexts(reader: PackReader, n: number): Uint8Array[] {
  const lengths = reader.numbers32(n);
  const bytes = reader.packed(MAX_TEXT_BYTES);
  const texts: Uint8Array[] = [];
  let at = 0;
  for (const length of lengths) {
    if (at + length > bytes.length) throw new Damaged('texts');
    texts.push(bytes.subarray(at, at + length));
    at += length;
  }
  return texts;
}

/** The values of a page from their steps. */
function addedUp(first: number, steps: Uint32Array): Uint32Array {
  const numbers = new Uint32Array(steps.length);
  let value = first;
  for (let place = 0; place < steps.length; place++) {
    value += steps[place]!;
    numbers[place] = value;
  }
  return numbers;
}

/** Writes the indexes of a page's values for their rows; the first value has index `first`. */
function setPlaces(lists: RowLists, first: number, out: RowPlaces): void {
  const { counts } = lists;
  const rows = new Uint32Array(counts.reduce((most, count) => Math.max(most, count), 0) + 1);
  for (let value = 0; value < counts.length; value++) {
    const count = counts[value]! + 1;
    lists.read(count, rows);
    for (let i = 0; i < count; i++) out[rows[i]!] = first + value;
  }
}

/** The same for a page with the bits of one value's rows. */
function setPlace(bytes: Uint8Array, place: number, out: RowPlaces): void {
  for (let at = 0; at < bytes.length; at++) {
    for (let bits = bytes[at]!; bits !== 0; bits &= bits - 1) {
      const row = at * 8 + 31 - Math.clz32(bits & -bits);
      if (row >= out.length) throw new Damaged('row');
      out[row] = place;
    }
  }
}

/** Collects rows in any order, without duplicates. */
class RowCollector {
  private readonly total: number;
  private readonly words: Uint32Array;
  private list = new Uint32Array(0);

  constructor(total: number) {
    this.total = total;
    this.words = new Uint32Array(wordsFor(total));
  }

  /** Adds the next of some lists. */
  addList(lists: RowLists, count: number): void {
    const { words } = this;
    if (this.list.length < count) this.list = new Uint32Array(Math.max(count, 64));
    const { list } = this;
    lists.read(count, list);
    for (let i = 0; i < count; i++) words[list[i]! >>> 5]! |= 1 << (list[i]! & 31);
  }

  addBits(bytes: Uint8Array): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const { words } = this;
    for (let word = 0; word < words.length; word++) words[word]! |= view.getUint32(word * 4, true);
    const rest = this.total & 31;
    if (rest !== 0 && words[words.length - 1]! >>> rest !== 0) throw new Damaged('row');
  }

  finish(): RowSet {
    return RowSet.ofWords(this.words, this.total);
  }
}

function readColumn(head: PackReader, type: ValueType, total: number): Column {
  const size = head.u32();
  const pages = head.u32();
  if (size > total || pages > size) throw new Damaged('values');
  const begin = head.u32();
  const firsts = new Uint32Array(pages + 1);
  firsts.set(head.numbers32(pages), 1);
  const rows = head.numbers32(pages);
  const ends = head.numbers32(pages);
  let sum = 0;
  for (let page = 0; page < pages; page++) {
    firsts[page + 1]! += firsts[page]!;
    if (page > 0) ends[page]! += ends[page - 1]!;
    sum += rows[page]!;
  }
  if (sum > total || firsts[pages] !== size) throw new Damaged('values');
  const firstNumbers = type === 'ip4' ? head.numbers32(pages) : new Uint32Array(0);
  const firstIp6 = head.raw(type === 'ip6' ? pages * ADDRESS_BYTES : 0);
  const textsEnd = type === 'text' ? head.u32() : 0;
  return {
    ...{ type, size, firsts, rows, begin, ends, firstNumbers, firstIp6, textsEnd },
    texts: undefined,
  };
}

/** Whether a page may hold an address of one of the ranges. */
function rangesInPage({ firstNumbers }: Column, page: number, { lows, highs }: Ip4Ranges): boolean {
  const first = firstNumbers[page]!;
  const next = page + 1 < firstNumbers.length ? firstNumbers[page + 1]! : 0xffff_ffff;
  const at = countWhile(highs.length, (range) => highs[range]! < first);
  return at < lows.length && lows[at]! <= next;
}

/** The pages that a range may be in: from the last one that begins at or before `low`. */
function ip4Pages({ firstNumbers }: Column, low: number, high: number): [number, number] {
  return pagesBetween(
    firstNumbers.length,
    (page) => firstNumbers[page]! <= low,
    (page) => firstNumbers[page]! <= high,
  );
}

function ip6Pages({ firstIp6 }: Column, low: Uint8Array, high: Uint8Array): [number, number] {
  return pagesBetween(
    firstIp6.length / ADDRESS_BYTES,
    (page) => compareIp6(firstIp6, page * ADDRESS_BYTES, low) <= 0,
    (page) => compareIp6(firstIp6, page * ADDRESS_BYTES, high) <= 0,
  );
}

function pagesBetween(
  pages: number,
  atOrBeforeLow: (page: number) => boolean,
  atOrBeforeHigh: (page: number) => boolean,
): [number, number] {
  return [Math.max(0, countWhile(pages, atOrBeforeLow) - 1), countWhile(pages, atOrBeforeHigh)];
}

/** Number of the first pages for which `holds` is true. */
function countWhile(pages: number, holds: (page: number) => boolean): number {
  let low = 0;
  let high = pages;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function compareIp6(bytes: Uint8Array, at: number, other: Uint8Array): number {
  for (let i = 0; i < ADDRESS_BYTES; i++) {
    const difference = bytes[at + i]! - other[i]!;
    if (difference !== 0) return difference;
  }
  return 0;
}

function isColumn(name: string): name is ValueColumn {
  return Object.hasOwn(VALUE_COLUMNS, name);
}
