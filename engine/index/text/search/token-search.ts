/** Finds the rows of a text index that contain a token: a whole one, or one with wildcards. */
import { foldedBytes } from '../../../util/fold.ts';
import { RowSet } from '../../../util/row-set.ts';
import { MAX_TOKEN_BYTES, NUMBER_DIGITS } from '../../../util/tokens.ts';
import type { SideFile } from '../../side-file.ts';
import { Glob } from './glob.ts';
import type { Entry } from '../format/page.ts';
import { beginsWith, entriesWith, firstNotBelow } from './plain-keys.ts';
import type { ShapeTexts } from './shape-texts.ts';
import type { OwnedCache } from '../text-cache.ts';
import { type TextPages, placeOfNumber } from './text-pages.ts';
import type { QueryToken, TextAnswer } from './text-query.ts';
import { Union } from './union.ts';
import { WordGrams } from '../format/word-grams.ts';

/** A folded token shorter than this is not the prefix of a truncated one: folding shrinks 3 bytes to 1. */
const LEAST_LONG = Math.floor(MAX_TOKEN_BYTES / 3) - 1;

interface FoundEntry {
  readonly entry: Entry;
  readonly certain: boolean;
}

export class TokenSearch {
  private readonly file: SideFile;
  private readonly pages: TextPages;
  private readonly texts: ShapeTexts;
  private readonly cache: OwnedCache;

  constructor(file: SideFile, pages: TextPages, texts: ShapeTexts, cache: OwnedCache) {
    this.file = file;
    this.pages = pages;
    this.texts = texts;
    this.cache = cache;
  }

  /** Rows that have a token. */
  rowsOf(token: QueryToken, column: number | undefined): TextAnswer {
    return this.cache.take(
      `token ${column ?? ''} ${token.wildcard} ${token.text}`,
      () => {
        const union = new Union(this.pages, column);
        if (token.wildcard) this.matching(new Glob(token.text), union);
        else this.equal(token.text, union);
        return union.answer();
      },
      ({ rows }) => rows.bytes,
      ({ rows }) => rows.held,
    );
  }

  /** Rows that may have a token where it is open in a shape. */
  openRows(token: QueryToken, column: number | undefined): TextAnswer {
    return this.cache.take(
      `open ${column ?? ''} ${token.wildcard} ${token.text}`,
      () => {
        const glob = token.wildcard ? new Glob(token.text) : undefined;
        if (glob?.any === true) return { rows: RowSet.all(this.pages.head.rows), exact: false };
        const union = new Union(this.pages, column, true);
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

  /** Entries of a token; `certain`: an entry is certainly of it. */
  entriesOf(text: string): readonly FoundEntry[] {
    return this.cache.take(
      `entries ${text}`,
      () => {
        const found: FoundEntry[] = [];
        const key = foldedBytes(text);
        const number = numberOf(key);
        if (number >= 0) {
          const page = this.pages.pageOfNumber('numbers', number);
          const at = page === undefined ? -1 : page.numbers.indexOf(number);
          if (page !== undefined && at >= 0) found.push({ entry: page.entry(at), certain: true });
          return found;
        }
        this.pages.word(key, (page, at, long) => {
          if (!long) found.push({ entry: page.entry(at), certain: true });
        });
        this.beginnings(key, (entry) => found.push({ entry, certain: false }));
        return found;
      },
      (found) => found.reduce((sum, { entry }) => sum + entryBytes(entry), 0),
    );
  }

  /** Truncated tokens that may have been `key` or begin with it. */
  private beginnings(key: Uint8Array, visit: (entry: Entry) => void): void {
    for (let length = LEAST_LONG; length < key.length; length++) {
      this.pages.word(key.subarray(0, length), (page, at, long) => {
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
    const { rows, tokenless, columns } = this.pages.head;
    if (union.column === undefined) {
      union.addSet(RowSet.ofSorted(tokenless, rows).not());
      return;
    }
    const { from, to, free } = columns[union.column]!;
    for (let shape = from; shape < to; shape++) {
      if (free && shape === from) union.addCandidates(this.pages.shapeRows(shape));
      else if (this.texts.hasToken(shape)) union.addSet(this.pages.shapeRows(shape));
    }
  }

  private numbersBeginning(glob: Glob, union: Union): void {
    const number = numberOf(glob.prefix);
    if (number < 0) return;
    const places = this.pages.head.pages.numbers;
    for (let scale = 1; glob.prefix.length + String(scale).length - 1 <= NUMBER_DIGITS;) {
      const low = number * scale;
      const high = low + scale;
      for (let at = Math.max(0, placeOfNumber(places, low)); at < places.length; at++) {
        if (places[at]!.number >= high) break;
        const page = this.pages.page('numbers', at);
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
    const places = this.pages.head.pages.words;
    for (let at = Math.max(0, this.pages.placeOfWord(prefix)); at < places.length; at++) {
      const page = this.pages.page('words', at);
      const words = this.pages.keysOf(page, at);
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

  /** Tokens whose beginning is unknown: all are tested. */
  private containing(glob: Glob, union: Union): void {
    const digits = !glob.literal.some((byte) => byte < 0x30 || byte > 0x39);
    if (digits) {
      for (let at = 0; at < this.pages.head.pages.numbers.length; at++) {
        const page = this.pages.page('numbers', at);
        for (let i = 0; i < page.entries; i++) {
          if (matchesNumber(glob, page.numbers[i]!)) union.addFrom(page, i, true);
        }
      }
    }
    for (const at of this.pagesWithRuns(glob)) {
      const page = this.pages.page('words', at);
      const words = this.pages.keysOf(page, at);
      const { keys, starts, long } = words;
      entriesWith(words, glob.literal, (i) => {
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
    const { words } = this.pages.head.pages;
    const grams = this.cache.take(
      'grams',
      () => WordGrams.read(this.file, words.length),
      (read) => read?.size ?? 0,
    );
    return grams === undefined ? words.keys() : grams.pagesWith(glob);
  }
}

function entryBytes({ rows, shapes }: Entry): number {
  return 200 + shapes.byteLength + ('inline' in rows ? rows.inline.byteLength : 0);
}

/** The value of a key that is stored as a number, otherwise -1. */
export function numberOf(key: Uint8Array): number {
  if (key.length === 0 || key.length > NUMBER_DIGITS) return -1;
  if (key[0] === 0x30 && key.length > 1) return -1;
  let value = 0;
  for (const byte of key) {
    if (byte < 0x30 || byte > 0x39) return -1;
    value = value * 10 + byte - 0x30;
  }
  return value;
}

export function isNoDigit(byte: number): boolean {
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
