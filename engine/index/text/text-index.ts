/**
 * The text index of one segment: which rows have a token, a word with wildcards, a phrase. Reads what it
 * needs of the side file and keeps it in a cache that indexes share.
 *
 * What it calls exact is what a scan finds; otherwise it has all of that and maybe more.
 */
import { RowSet, wordsFor } from '../../util/row-set.ts';
import type { SideFile } from '../side-file.ts';
import { BitReader } from './bits.ts';
import { checked } from './bytes.ts';
import type { ColumnShapes } from './write/closed-shapes.ts';
import { MESSAGE } from './write/items.ts';
import { damagedText } from './damaged.ts';
import { foldedBytes } from '../../util/fold.ts';
import { Glob } from './glob.ts';
import { type Head, readHead } from './head.ts';
import {
  BITMAP,
  GAPS,
  HEAD,
  LISTS,
  OTHERS,
  PLACES,
  TEXT_VERSION,
  WITH_CUT_TEXTS,
  type Paged,
  columnBit,
  sectionOf,
} from './layout.ts';
import { type Entry, type EntryRows, Page, type PlainKeys } from './page.ts';
import { MOST_PLACES, type OpenPlaces, type Placement, phraseFit } from './phrase.ts';
import { putRows, readRowBits, readRows } from './row-list.ts';
import { type ParsedShape, ShapeTexts } from './write/shape-texts.ts';
import { KEPT_SHARE, type OwnedCache, TextCache } from './text-cache.ts';
import type { QueryToken, TextQuery } from './text-query.ts';
import { WordGrams } from './word-grams.ts';
import { WordPlaces } from './word-places.ts';
import { MAX_TOKEN_BYTES, NUMBER_DIGITS } from '../../util/tokens.ts';
import { type RowPlaces, type TextCounts, WholeTexts, countPlaces } from './write/whole-texts.ts';

interface TextAnswer {
  readonly rows: RowSet;
  /** Whether these are the rows; else the rows are among them. */
  readonly exact: boolean;
}

/** Texts of one column that are alike. */
interface Pattern {
  readonly column: string;
  /** Literal texts around the open tokens; undefined: texts that are like no other. */
  readonly parts: readonly string[] | undefined;
  readonly rows: RowSet;
  readonly count: number;
  /** Rows of the segment. */
  readonly first: number;
  readonly last: number;
}

/** Columns that have a bit of their own in an entry's mask. */
const OWN_BIT = 4;
/** A folded token shorter than this is no beginning of one that was cut: folding shrinks 3 bytes to 1. */
const LEAST_LONG = Math.floor(MAX_TOKEN_BYTES / 3) - 1;
/** Phrases with few candidates are not looked for in many shapes: it would not pay. */
const FEW_CANDIDATES = 8;
const MANY_SHAPES = 256;
/** Tokens of more than this part of all rows are not read for few candidates. */
const FREQUENT_SHARE = 8;
/** Memory that the words of places take for each byte of the file: 260 bytes for two of nine letters. */
const PLACES_BYTES = 12;

export class TextIndex {
  private readonly file: SideFile;
  private readonly head: Head;
  private readonly cache: OwnedCache;
  private readonly texts: ShapeTexts;
  /** Columns whose text of every row was looked up, and is likely to be kept. */
  private readonly lookedUp = new Set<string>();

  private constructor(file: SideFile, head: Head, cache: OwnedCache) {
    this.file = file;
    this.head = head;
    this.cache = cache;
    this.texts = new ShapeTexts(file, head, cache);
  }

  /**
   * Undefined when the side file has none, or one of another version.
   * @throws DaybookError case-damaged
   */
  static open(file: SideFile, cache: TextCache = new TextCache()): TextIndex | undefined {
    const bytes = file.read(HEAD);
    if (bytes === undefined) return undefined;
    const head = readHead(checked(bytes, bytes.length));
    if (head === undefined) return undefined;
    if (head.rows !== file.rows) throw damagedText();
    return new TextIndex(file, head, cache.owner());
  }

  /** Whether the texts that words are searched in are in it, and no others: not so in some of older versions. */
  get hasAllTexts(): boolean {
    const { version, columns } = this.head;
    if (version !== WITH_CUT_TEXTS) return version === TEXT_VERSION;
    return columns.every(({ name }) => name !== 'action');
  }

  /** Forgets what the cache has of it. */
  close(): void {
    this.cache.forget();
    this.lookedUp.clear();
  }

  /**
   * @param column the only column to search, by its stored name; undefined: all that a word without a
   *   field is searched in
   * @returns undefined when nothing can be said
   * @throws DaybookError case-damaged
   */
  search(query: TextQuery, column?: string): TextAnswer | undefined {
    const only = column === undefined ? undefined : this.columnNumber(column);
    if (only === undefined && column !== undefined) return undefined;
    const [token] = query.tokens;
    if (token === undefined) return undefined;
    return query.tokens.length === 1 ? this.token(token, only) : this.phrase(query, only);
  }

  /** The shapes of a column's texts, most of them in the message; in no order. */
  patterns(column = 'message'): Pattern[] {
    const found = this.head.columns.find(({ name }) => name === column);
    if (found === undefined) return [];
    const out: Pattern[] = [];
    for (let shape = found.from; shape < found.to; shape++) {
      const rows = this.shapeRows(shape);
      if (rows.count === 0) continue;
      const free = found.free && shape === found.from;
      out.push({
        column,
        parts: free ? undefined : this.texts.runs(shape),
        rows,
        count: rows.count,
        first: rows.slice(0, 1)[0]!,
        last: rows.slice(rows.count - 1, rows.count)[0]!,
      });
    }
    return out;
  }

  /**
   * Rows whose text in a column `test` holds for, exactly as stored; undefined unless the column's values
   * are shapes as a whole.
   */
  rowsOfText(column: string, test: (text: string) => boolean): RowSet | undefined {
    return this.whole(column)?.rowsOf(test);
  }

  /**
   * How many of some rows have each text of such a column; undefined also where more than `most` numbers of
   * rows would have to be read.
   * @param rows as `RowSet.toWords` has them
   */
  countsOfText(column: string, rows: Uint32Array, most = Infinity): TextCounts | undefined {
    const whole = this.whole(column);
    if (whole === undefined) return undefined;
    if (!this.lookedUp.has(column) && whole.listed() > most) return undefined;
    const places = this.cache.take(
      `places ${column}`,
      () => whole.places(),
      ({ byteLength }) => byteLength,
    );
    this.lookedUp.add(column);
    return { texts: whole.texts, counts: countPlaces(whole.texts.length, places, rows) };
  }

  private whole(column: string): WholeTexts | undefined {
    const found = this.head.columns.find(({ name }) => name === column);
    if (found === undefined || found.free) return undefined;
    return this.cache.take(
      `whole ${column}`,
      () => {
        const texts: { text: string; shape: number }[] = [];
        for (let shape = found.from; shape < found.to; shape++) {
          const [text, more] = this.texts.runs(shape);
          if (text === undefined || more !== undefined) return undefined;
          texts.push({ text, shape });
        }
        return new WholeTexts(this.head.rows, texts, {
          count: (shape) => this.countOfShape(shape),
          rows: (shape) => this.shapeRows(shape),
          putPlaces: (shape, out, place) => this.putPlaces(shape, out, place),
        });
      },
      (whole) => whole?.size ?? 0,
    );
  }

  private columnNumber(column: string): number | undefined {
    const number = this.head.columns.findIndex(({ name }) => name === column);
    return number >= 0 && number < OWN_BIT ? number : undefined;
  }

  // -- tokens ----------------------------------------------------------------------------------

  private token(token: QueryToken, column: number | undefined): TextAnswer {
    return this.cache.take(
      `token ${column ?? ''} ${token.wildcard} ${token.text}`,
      () => {
        const union = new Union(this, column);
        if (token.wildcard) this.matching(new Glob(token.text), union);
        else this.equal(token.text, union);
        return union.answer();
      },
      ({ rows }) => rows.bytes,
      ({ rows }) => rows.held,
    );
  }

  /** Rows that may have a token where it is open in a shape. */
  private openRows(token: QueryToken, column: number | undefined): TextAnswer {
    return this.cache.take(
      `open ${column ?? ''} ${token.wildcard} ${token.text}`,
      () => {
        const glob = token.wildcard ? new Glob(token.text) : undefined;
        if (glob?.any === true) return { rows: RowSet.all(this.head.rows), exact: false };
        const union = new Union(this, column, true);
        if (glob === undefined) this.equal(token.text, union);
        else this.matching(glob, union);
        return union.answer();
      },
      ({ rows }) => rows.bytes,
      ({ rows }) => rows.held,
    );
  }

  private equal(text: string, union: Union): void {
    for (const { entry, certain } of this.entriesOf(text)) union.add(entry, certain);
  }

  /** Where a token is; `certain` is whether an entry is of it, not only maybe. */
  private entriesOf(text: string): readonly FoundEntry[] {
    return this.cache.take(
      `entries ${text}`,
      () => {
        const found: FoundEntry[] = [];
        const key = foldedBytes(text);
        const number = numberOf(key);
        if (number >= 0) {
          const page = this.pageOfNumber('numbers', number);
          const at = page === undefined ? -1 : page.numbers.indexOf(number);
          if (page !== undefined && at >= 0) found.push({ entry: page.entry(at), certain: true });
          return found;
        }
        this.word(key, (page, at, long) => {
          if (!long) found.push({ entry: page.entry(at), certain: true });
        });
        this.beginnings(key, (entry) => found.push({ entry, certain: false }));
        return found;
      },
      (found) => found.reduce((sum, { entry }) => sum + entryBytes(entry), 0),
    );
  }

  /** Tokens that were cut, and may have been `key` or begin with it. */
  private beginnings(key: Uint8Array, visit: (entry: Entry) => void): void {
    for (let length = LEAST_LONG; length < key.length; length++) {
      this.word(key.subarray(0, length), (page, at, long) => {
        if (long) visit(page.entry(at));
      });
    }
  }

  private matching(glob: Glob, union: Union): void {
    if (glob.any) {
      this.anyToken(union);
      return;
    }
    const { prefix } = glob;
    if (prefix.length === 0) this.containing(glob, union);
    else {
      this.numbersBeginning(glob, union);
      this.wordsBeginning(glob, union);
      this.beginnings(prefix, (entry) => union.add(entry, false));
    }
  }

  private anyToken(union: Union): void {
    const { rows, tokenless, columns } = this.head;
    if (union.column === undefined) {
      union.addSet(RowSet.ofSorted(tokenless, rows).not());
      return;
    }
    const { from, to, free } = columns[union.column]!;
    for (let shape = from; shape < to; shape++) {
      if (free && shape === from) union.addCandidates(this.shapeRows(shape));
      else if (this.texts.hasToken(shape)) union.addSet(this.shapeRows(shape));
    }
  }

  private numbersBeginning(glob: Glob, union: Union): void {
    const number = numberOf(glob.prefix);
    if (number < 0) return;
    const places = this.head.pages.numbers;
    for (let scale = 1; glob.prefix.length + String(scale).length - 1 <= NUMBER_DIGITS;) {
      const low = number * scale;
      const high = low + scale;
      for (let at = Math.max(0, placeOfNumber(places, low)); at < places.length; at++) {
        if (places[at]!.number >= high) break;
        const page = this.page('numbers', at);
        for (let i = 0; i < page.entries; i++) {
          const value = page.numbers[i]!;
          if (value < low || value >= high) continue;
          if (glob.onlyPrefix || matchesNumber(glob, value)) union.addFrom(page, i, true);
        }
      }
      if (number === 0) break;
      scale *= 10;
    }
  }

  private wordsBeginning(glob: Glob, union: Union): void {
    const { prefix } = glob;
    const places = this.head.pages.words;
    for (let at = Math.max(0, this.placeOfWord(prefix)); at < places.length; at++) {
      const page = this.page('words', at);
      const words = this.keysOf(page, at);
      const { keys, starts, long } = words;
      for (let i = firstNotBelow(words, prefix); i < page.entries; i++) {
        const from = starts[i]!;
        const to = starts[i + 1]! - 1;
        if (!beginsWith(keys, from, to, prefix)) return;
        if (glob.onlyPrefix) union.addFrom(page, i, true);
        else if (long.includes(i)) {
          if (glob.mayMatchLonger(keys, from, to)) union.addFrom(page, i, false);
        } else if (glob.matches(keys, from, to)) union.addFrom(page, i, true);
      }
    }
  }

  /** Tokens of which the beginning is not known: all are looked at. */
  private containing(glob: Glob, union: Union): void {
    const digits = !glob.literal.some((byte) => byte < 0x30 || byte > 0x39);
    if (digits) {
      for (let at = 0; at < this.head.pages.numbers.length; at++) {
        const page = this.page('numbers', at);
        for (let i = 0; i < page.entries; i++) {
          if (matchesNumber(glob, page.numbers[i]!)) union.addFrom(page, i, true);
        }
      }
    }
    for (const at of this.pagesWithRuns(glob)) {
      const page = this.page('words', at);
      const words = this.keysOf(page, at);
      const { keys, starts, long } = words;
      candidates(words, glob.literal, (i) => {
        if (glob.matches(keys, starts[i]!, starts[i + 1]! - 1) && !long.includes(i))
          union.addFrom(page, i, true);
      });
      for (const i of long) {
        if (glob.mayMatchLonger(keys, starts[i]!, starts[i + 1]! - 1))
          union.addFrom(page, i, false);
      }
    }
  }

  /** Pages of words that may have a match. */
  private pagesWithRuns(glob: Glob): Iterable<number> {
    const { words } = this.head.pages;
    const grams = this.cache.take(
      'grams',
      () => WordGrams.read(this.file, words.length),
      (read) => read?.size ?? 0,
    );
    return grams === undefined ? words.keys() : grams.pagesWith(glob);
  }

  // -- phrases ---------------------------------------------------------------------------------

  private phrase(query: TextQuery, column: number | undefined): TextAnswer {
    return this.cache.take(
      `phrase ${column ?? ''} ${JSON.stringify([query.tokens, query.between])}`,
      () => this.findPhrase(query, column),
      ({ rows }) => rows.bytes,
      ({ rows }) => rows.held,
    );
  }

  private findPhrase(query: TextQuery, column: number | undefined): TextAnswer {
    const total = this.head.rows;
    const [rarest, ...others] = this.rarestFirst(query.tokens);
    if (rarest === undefined) return { rows: RowSet.none(total), exact: true };
    // Rows of the others are those of shapes, or looked up where the token is open.
    let all = this.token(rarest.token, column).rows;
    const among = this.shapesWith(query.tokens);
    if ((among?.size ?? this.head.shapes) > MANY_SHAPES) {
      for (const { token, count } of others) {
        if (all.count === 0) break;
        // What many rows have leaves out few of these, and is long to read.
        if (all.count <= FEW_CANDIDATES && count * FREQUENT_SHARE > total) break;
        all = all.and(this.token(token, column).rows);
      }
      if (all.count <= FEW_CANDIDATES) return { rows: all, exact: all.count === 0 };
    }
    if (all.count === 0) return { rows: all, exact: true };
    const fit = phraseFit(query);
    const certain = new Union(this, undefined);
    // Shapes by which tokens of the phrase are open: these are where they must be; they may be elsewhere.
    const known = new Map<OpenPlaces, Union>();
    const possible = new Map<OpenPlaces, Union>();
    const note = (unions: Map<OpenPlaces, Union>, shape: number, open: OpenPlaces): void => {
      let union = unions.get(open);
      if (union === undefined) unions.set(open, (union = new Union(this, undefined)));
      union.addShape(shape);
    };
    const everywhere = query.tokens.reduce(
      (bits, _, i) => bits | (1 << Math.min(i, MOST_PLACES)),
      0,
    );
    for (const { from, to, free } of this.searched(column)) {
      for (let shape = from; shape < to; shape++) {
        if (among?.has(shape) === false) continue;
        if (free && shape === from) {
          note(possible, shape, everywhere);
          continue;
        }
        const parsed = this.texts.parsed(shape);
        const found = fit(parsed);
        if (found === 'certain') certain.addShape(shape);
        else {
          const [only] = found;
          const sure = found.length === 1 && this.isOnlyThere(query, shape, parsed, only!);
          for (const { open } of found) note(sure ? known : possible, shape, open);
        }
      }
    }
    const rowsOf = (open: OpenPlaces, union: Union, own: number | undefined): RowSet => {
      let rows = all.and(union.answer().rows);
      for (let i = 0; i < MOST_PLACES && rows.count > 0; i++) {
        if ((open & (1 << i)) !== 0) rows = rows.and(this.openRows(query.tokens[i]!, own).rows);
      }
      return rows;
    };
    let sure = certain.answer().rows;
    for (const [open, union] of known) sure = sure.or(rowsOf(open, union, MESSAGE));
    let maybe = RowSet.none(total);
    for (const [open, union] of possible) maybe = maybe.or(rowsOf(open, union, column));
    maybe = maybe.and(sure.not());
    return { rows: sure.or(maybe), exact: maybe.count === 0 };
  }

  /**
   * Whether rows of a shape of the message have the phrase exactly if its open tokens are open in their messages:
   * none of these can be in another place of the shape.
   */
  private isOnlyThere(
    query: TextQuery,
    shape: number,
    { tokens }: ParsedShape,
    { start, open }: Placement,
  ): boolean {
    if (shape >= this.head.columns[MESSAGE]!.to || open >= 1 << MOST_PLACES) return false;
    const places = tokens.flatMap((token, at) => (token === undefined ? [at] : []));
    return query.tokens.every((token, i) => {
      if ((open & (1 << i)) === 0) return true;
      if (!this.openRows(token, MESSAGE).exact) return false;
      const word = token.wildcard ? new Glob(token.text).prefix : foldedBytes(token.text);
      // Numbers may be anywhere, and so may be what begins like one or in no known way.
      const anywhere = token.wildcard ? !word.some(isNoDigit) : numberOf(word) >= 0;
      return places.every(
        (at, place) =>
          at === start + i ||
          (!anywhere && !this.words().mayHave(shape, place, word, token.wildcard)),
      );
    });
  }

  /** Which words stand at open places. */
  private words(): WordPlaces {
    return this.cache.take(
      'places',
      () => WordPlaces.read(this.file),
      () => this.file.length(PLACES) * PLACES_BYTES,
    );
  }

  /** The only shapes that can have all of these tokens; undefined: any. */
  private shapesWith(tokens: readonly QueryToken[]): ReadonlySet<number> | undefined {
    let among: Set<number> | undefined;
    for (const { text, wildcard } of tokens) {
      if (wildcard) continue;
      const entries = this.entriesOf(text);
      if (entries.some(({ entry }) => entry.rows.count > 0)) continue;
      const before = among;
      const shapes = entries.flatMap(({ entry }) => [...entry.shapes]);
      among = new Set(before === undefined ? shapes : shapes.filter((one) => before.has(one)));
    }
    return among;
  }

  /** How many rows have each, as far as is known without reading them, the fewest first; none where one is in no row. */
  private rarestFirst(tokens: readonly QueryToken[]): { token: QueryToken; count: number }[] {
    const counted = tokens.map((token) => ({ token, count: this.countOfToken(token) }));
    if (counted.some(({ count }) => count === 0)) return [];
    return counted.sort((a, b) => a.count - b.count);
  }

  /** Those with wildcards are looked for last. */
  private countOfToken({ text, wildcard }: QueryToken): number {
    if (wildcard) return Number.MAX_SAFE_INTEGER;
    let count = 0;
    for (const { entry } of this.entriesOf(text)) {
      count += entry.rows.count;
      for (const shape of entry.shapes) count += this.countOfShape(shape);
    }
    return count;
  }

  private searched(column: number | undefined): readonly ColumnShapes[] {
    return column === undefined ? this.head.columns : [this.head.columns[column]!];
  }

  // -- reading ---------------------------------------------------------------------------------

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
    const own = this.rowSet(rows);
    if (shapes.length === 0) return own;
    return this.cache.take(
      `shape ${shape}`,
      () => {
        const words = own.toWords();
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

  private putPlaces(shape: number, out: RowPlaces, place: number): void {
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

  private countOfShape(shape: number): number {
    const { rows, shapes } = this.shapeEntry(shape);
    return shapes.reduce((sum, one) => sum + this.shapeEntry(one).rows.count, rows.count);
  }

  private shapeEntry(shape: number): Entry {
    const page = this.pageOfNumber('shapes', shape);
    if (page === undefined) throw damagedText();
    return page.entry(shape - page.numbers[0]!);
  }

  /** The rows of an entry as a set; kept when it is large. */
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

  private page(kind: Paged, index: number): Page {
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

  /** Of a page of words: all of them. */
  private keysOf(page: Page, index: number): PlainKeys {
    return this.cache.take(
      `keys ${index}`,
      () => page.readWords(),
      ({ keys, starts }) => keys.buffer.byteLength + starts.byteLength,
    );
  }

  private pageOfNumber(kind: 'numbers' | 'shapes', number: number): Page | undefined {
    const at = placeOfNumber(this.head.pages[kind], number);
    return at < 0 ? undefined : this.page(kind, at);
  }

  /** The last page whose first key is not beyond `key`; -1 when there is none. */
  private placeOfWord(key: Uint8Array): number {
    const places = this.head.pages.words;
    let low = 0;
    let high = places.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      // A key may come twice, as a word and as the beginning of longer ones, on both sides.
      if (Buffer.compare(places[middle]!.key, key) < 0) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** The entries with exactly this key: two at most. */
  private word(key: Uint8Array, visit: (page: Page, entry: number, long: boolean) => void): void {
    const places = this.head.pages.words;
    for (let at = Math.max(0, this.placeOfWord(key)); at < places.length; at++) {
      if (Buffer.compare(places[at]!.key, key) > 0) return;
      const page = this.page('words', at);
      if (page.find(key, (entry, long) => visit(page, entry, long))) return;
    }
  }
}

type ListedRows = Exclude<EntryRows, { readonly inline: unknown }>;

interface FoundEntry {
  readonly entry: Entry;
  readonly certain: boolean;
}

/** Rows of several entries together. */
class Union {
  readonly column: number | undefined;
  private readonly index: TextIndex;
  private words: Uint32Array<ArrayBuffer> | undefined;
  /** The only set so far. */
  private single: RowSet | undefined;
  private readonly seen = new Set<number>();
  private exact = true;

  private readonly openOnly: boolean;

  /** @param openOnly whether rows are left out in which a token is part of a shape's text */
  constructor(index: TextIndex, column: number | undefined, openOnly = false) {
    this.index = index;
    this.column = column;
    this.openOnly = openOnly;
  }

  /** Takes an entry of a page; `certain` is whether its token is wanted, not only maybe. */
  addFrom(page: Page, at: number, certain: boolean): void {
    if (this.column !== undefined || !certain || (this.words ?? this.single) === undefined) {
      this.add(page.entry(at), certain);
      return;
    }
    const rest = page.addTo(this.bits(), at);
    if (rest !== undefined) this.add(rest, certain);
  }

  /** @param certain whether the entry's token is wanted, not only maybe */
  add({ rows, mask, shapes }: Entry, certain: boolean): void {
    const { index, column } = this;
    const range = column === undefined ? undefined : index.rangeOf(column);
    if (rows.count > 0) {
      const bit = column === undefined ? mask : columnBit(column);
      if ((mask & bit) !== 0) {
        if (!certain || mask !== bit) this.exact = false;
        this.addRows(rows);
      }
    }
    if (this.openOnly) return;
    for (const shape of shapes) {
      if (range !== undefined && (shape < range.from || shape >= range.to)) continue;
      if (!certain) this.exact = false;
      if (this.seen.has(shape)) continue;
      this.seen.add(shape);
      this.addShape(shape);
    }
  }

  addShape(shape: number): void {
    const { index } = this;
    if (this.single !== undefined) this.bits();
    if (!index.addShape(shape, this.words)) this.addSet(index.shapeRows(shape));
  }

  addSet(set: RowSet): void {
    if (set.count === 0) return;
    if (this.words === undefined && this.single === undefined) {
      this.single = set;
      return;
    }
    const words = this.bits();
    set.orInto(words);
  }

  addCandidates(set: RowSet): void {
    if (set.count > 0) this.exact = false;
    this.addSet(set);
  }

  answer(): TextAnswer {
    const { exact } = this;
    const total = this.index.rows;
    if (this.words !== undefined) return { rows: RowSet.ofWords(this.words, total), exact };
    return { rows: this.single ?? RowSet.none(total), exact };
  }

  private addRows(rows: EntryRows): void {
    if ('inline' in rows && (this.words !== undefined || this.single !== undefined)) {
      const words = this.bits();
      for (const row of rows.inline) words[row >>> 5]! |= 1 << (row & 31);
    } else this.addSet(this.index.rowSet(rows));
  }

  private bits(): Uint32Array<ArrayBuffer> {
    if (this.words === undefined) {
      this.words = new Uint32Array(wordsFor(this.index.rows));
      this.single?.orInto(this.words);
      this.single = undefined;
    }
    return this.words;
  }
}

function entryBytes({ rows, shapes }: Entry): number {
  return 200 + shapes.byteLength + ('inline' in rows ? rows.inline.byteLength : 0);
}

/** The value of a key that is stored as a number, else -1. */
function numberOf(key: Uint8Array): number {
  if (key.length === 0 || key.length > NUMBER_DIGITS) return -1;
  if (key[0] === 0x30 && key.length > 1) return -1;
  let value = 0;
  for (const byte of key) {
    if (byte < 0x30 || byte > 0x39) return -1;
    value = value * 10 + byte - 0x30;
  }
  return value;
}

function isNoDigit(byte: number): boolean {
  return byte < 0x30 || byte > 0x39;
}

const digits = new Uint8Array(12);

function matchesNumber(glob: Glob, value: number): boolean {
  const { digits: known } = glob;
  if (known !== undefined) {
    if (value === 0) return known.value === 0 && known.scale === 10;
    for (let rest = value; rest >= known.least; rest = Math.floor(rest / 10)) {
      if (rest % known.scale === known.value) return true;
      if (known.last) return false;
    }
    return false;
  }
  let from = digits.length;
  let rest = value;
  do {
    digits[--from] = 0x30 + (rest % 10);
    rest = Math.floor(rest / 10);
  } while (rest > 0);
  return glob.matches(digits, from, digits.length);
}

/** The last page whose first number is not beyond `number`; -1 when there is none. */
function placeOfNumber(places: readonly { readonly number: number }[], number: number): number {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (places[middle]!.number <= number) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function compareKey({ keys, starts }: PlainKeys, entry: number, key: Uint8Array): number {
  const from = starts[entry]!;
  const length = starts[entry + 1]! - 1 - from;
  const common = Math.min(length, key.length);
  for (let i = 0; i < common; i++) {
    const difference = keys[from + i]! - key[i]!;
    if (difference !== 0) return difference;
  }
  return length - key.length;
}

function firstNotBelow(words: PlainKeys, key: Uint8Array): number {
  let low = 0;
  let high = words.starts.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareKey(words, middle, key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function beginsWith(data: Uint8Array, from: number, to: number, prefix: Uint8Array): boolean {
  if (to - from < prefix.length) return false;
  for (let i = 0; i < prefix.length; i++) if (data[from + i] !== prefix[i]) return false;
  return true;
}

/** Entries whose key has `literal` in it. */
function candidates(
  { keys, starts }: PlainKeys,
  literal: Uint8Array,
  visit: (entry: number) => void,
): void {
  if (literal.length === 0) {
    for (let i = 0; i + 1 < starts.length; i++) visit(i);
    return;
  }
  const all = Buffer.from(keys.buffer, keys.byteOffset, keys.length);
  let entry = 0;
  for (let at = all.indexOf(literal); at >= 0; at = all.indexOf(literal, at)) {
    entry = entryAt(starts, at, entry);
    visit(entry);
    at = starts[entry + 1]!;
  }
}

/** The entry whose key has byte `at` of the keys; not before `from`. */
function entryAt(starts: Uint32Array, at: number, from: number): number {
  let low = from;
  let high = starts.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (starts[middle]! <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}
