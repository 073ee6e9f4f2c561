/**
 * The text index of one segment: finds the rows with a token, a word with wildcards, or a phrase. Reads what it
 * needs of the side file into a cache that indexes share.
 *
 * Invariant: an exact result equals that of a scan; otherwise it contains that and possibly more.
 */
import type { RowSet } from '../../util/row-set.ts';
import type { SideFile } from '../side-file.ts';
import { checked } from './format/bytes.ts';
import { damagedText } from './format/damaged.ts';
import { type Head, readHead } from './format/head.ts';
import { HEAD, TEXT_VERSION, WITH_CUT_TEXTS } from './format/layout.ts';
import { PhraseSearch } from './search/phrase-search.ts';
import { ShapeTexts } from './search/shape-texts.ts';
import { type OwnedCache, TextCache } from './text-cache.ts';
import { TextPages } from './search/text-pages.ts';
import type { TextAnswer, TextQuery } from './search/text-query.ts';
import { TokenSearch } from './search/token-search.ts';
import { type TextCounts, WholeTexts, countPlaces } from './format/whole-texts.ts';

/** Similar texts of one column. */
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

/** Columns that have their own bit in an entry's mask. */
const OWN_BIT = 4;

export class TextIndex {
  private readonly head: Head;
  private readonly cache: OwnedCache;
  private readonly texts: ShapeTexts;
  private readonly pages: TextPages;
  private readonly tokens: TokenSearch;
  private readonly phrases: PhraseSearch;
  /** Columns whose text was looked up for every row and is probably cached. */
  private readonly lookedUp = new Set<string>();

  private constructor(file: SideFile, head: Head, cache: OwnedCache) {
    this.head = head;
    this.cache = cache;
    this.texts = new ShapeTexts(file, head, cache);
    this.pages = new TextPages(file, head, cache);
    this.tokens = new TokenSearch(file, this.pages, this.texts, cache);
    this.phrases = new PhraseSearch(file, this.pages, this.texts, this.tokens, cache);
  }

  /**
   * Undefined if the side file has none, or one of another version.
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

  /** Whether it covers exactly the texts that words are searched in: some older versions do not. */
  get hasAllTexts(): boolean {
    const { version, columns } = this.head;
    if (version !== WITH_CUT_TEXTS) return version === TEXT_VERSION;
    return columns.every(({ name }) => name !== 'action');
  }

  /** Removes its entries from the cache. */
  close(): void {
    this.cache.forget();
    this.lookedUp.clear();
  }

  /**
   * @param column the only column to search, by its stored name; undefined: all that a word without a
   *   field is searched in
   * @returns undefined if it cannot tell
   * @throws DaybookError case-damaged
   */
  search(query: TextQuery, column?: string): TextAnswer | undefined {
    const only = column === undefined ? undefined : this.columnNumber(column);
    if (only === undefined && column !== undefined) return undefined;
    const [token] = query.tokens;
    if (token === undefined) return undefined;
    return query.tokens.length === 1
      ? this.tokens.rowsOf(token, only)
      : this.phrases.rowsOf(query, only);
  }

  /** The shapes of a column's texts, most of them in the message; in no order. */
  patterns(column = 'message'): Pattern[] {
    const found = this.head.columns.find(({ name }) => name === column);
    if (found === undefined) return [];
    const out: Pattern[] = [];
    for (let shape = found.from; shape < found.to; shape++) {
      const rows = this.pages.shapeRows(shape);
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
   * How many of some rows have each text of such a column; undefined also if more than `most` row numbers would
   * have to be read.
   * @param rows in the form of `RowSet.toWords`
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
          count: (shape) => this.pages.countOfShape(shape),
          rows: (shape) => this.pages.shapeRows(shape),
          putPlaces: (shape, out, place) => this.pages.putPlaces(shape, out, place),
        });
      },
      (whole) => whole?.size ?? 0,
    );
  }

  private columnNumber(column: string): number | undefined {
    const number = this.head.columns.findIndex(({ name }) => name === column);
    return number >= 0 && number < OWN_BIT ? number : undefined;
  }
}
