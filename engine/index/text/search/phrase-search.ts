/**
 * Finds the rows of a text index that contain a phrase: by the shapes that may contain it, before any row is read.
 */
import { foldedBytes } from '../../../util/fold.ts';
import { RowSet } from '../../../util/row-set.ts';
import type { SideFile } from '../../side-file.ts';
import { Glob } from './glob.ts';
import { MESSAGE } from '../format/items.ts';
import { type ColumnShapes, PLACES } from '../format/layout.ts';
import { MOST_PLACES, type OpenPlaces, type Placement, phraseFit } from './phrase.ts';
import type { ParsedShape, ShapeTexts } from './shape-texts.ts';
import type { OwnedCache } from '../text-cache.ts';
import type { TextPages } from './text-pages.ts';
import type { QueryToken, TextAnswer, TextQuery } from './text-query.ts';
import { type TokenSearch, isNoDigit, numberOf } from './token-search.ts';
import { Union } from './union.ts';
import { WordPlaces } from '../format/word-places.ts';

/** With this few candidates a phrase is not searched in many shapes: that would not pay. */
const FEW_CANDIDATES = 8;
const MANY_SHAPES = 256;
/** Tokens of more than this part of all rows are not read for few candidates. */
const FREQUENT_SHARE = 8;
/** Memory for the words of places per byte of the file: 260 bytes for two of nine letters. */
const PLACES_BYTES = 12;

export class PhraseSearch {
  private readonly file: SideFile;
  private readonly pages: TextPages;
  private readonly texts: ShapeTexts;
  private readonly tokens: TokenSearch;
  private readonly cache: OwnedCache;

  constructor(
    file: SideFile,
    pages: TextPages,
    texts: ShapeTexts,
    tokens: TokenSearch,
    cache: OwnedCache,
  ) {
    this.file = file;
    this.pages = pages;
    this.texts = texts;
    this.tokens = tokens;
    this.cache = cache;
  }

  /** Rows that have the tokens of a query one after another. */
  rowsOf(query: TextQuery, column: number | undefined): TextAnswer {
    return this.cache.take(
      `phrase ${column ?? ''} ${JSON.stringify([query.tokens, query.between])}`,
      () => this.findPhrase(query, column),
      ({ rows }) => rows.bytes,
      ({ rows }) => rows.held,
    );
  }

  private findPhrase(query: TextQuery, column: number | undefined): TextAnswer {
    const total = this.pages.head.rows;
    const [rarest, ...others] = this.rarestFirst(query.tokens);
    if (rarest === undefined) return { rows: RowSet.none(total), exact: true };
    // Rows of the others are those of shapes, or are looked up where the token is open.
    let all = this.tokens.rowsOf(rarest.token, column).rows;
    const among = this.shapesWith(query.tokens);
    if ((among?.size ?? this.pages.head.shapes) > MANY_SHAPES) {
      for (const { token, count } of others) {
        if (all.count === 0) break;
        // A token in many rows excludes few of these, and takes long to read.
        if (all.count <= FEW_CANDIDATES && count * FREQUENT_SHARE > total) break;
        all = all.and(this.tokens.rowsOf(token, column).rows);
      }
      if (all.count <= FEW_CANDIDATES) return { rows: all, exact: all.count === 0 };
    }
    if (all.count === 0) return { rows: all, exact: true };
    const fit = phraseFit(query);
    const certain = new Union(this.pages, undefined);
    // Shapes by which tokens of the phrase are open in them: there they must be at these places, and may be
    // elsewhere as well.
    const known = new Map<OpenPlaces, Union>();
    const possible = new Map<OpenPlaces, Union>();
    const note = (unions: Map<OpenPlaces, Union>, shape: number, open: OpenPlaces): void => {
      let union = unions.get(open);
      if (union === undefined) unions.set(open, (union = new Union(this.pages, undefined)));
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
    const rowsOf = (open: OpenPlaces, union: Union, columnNumber: number | undefined): RowSet => {
      let rows = all.and(union.answer().rows);
      for (let i = 0; i < MOST_PLACES && rows.count > 0; i++) {
        if ((open & (1 << i)) !== 0)
          rows = rows.and(this.tokens.openRows(query.tokens[i]!, columnNumber).rows);
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
   * Whether rows of a shape of the message contain the phrase exactly if its open tokens are open in their
   * messages: none of these can be at another place of the shape.
   */
  private isOnlyThere(
    query: TextQuery,
    shape: number,
    { tokens }: ParsedShape,
    { start, open }: Placement,
  ): boolean {
    if (shape >= this.pages.head.columns[MESSAGE]!.to || open >= 1 << MOST_PLACES) return false;
    const places = tokens.flatMap((token, at) => (token === undefined ? [at] : []));
    return query.tokens.every((token, i) => {
      if ((open & (1 << i)) === 0) return true;
      if (!this.tokens.openRows(token, MESSAGE).exact) return false;
      const word = token.wildcard ? new Glob(token.text).prefix : foldedBytes(token.text);
      // Numbers may be anywhere, and so may tokens that begin like one, or whose beginning is unknown.
      const anywhere = token.wildcard ? !word.some(isNoDigit) : numberOf(word) >= 0;
      return places.every(
        (at, place) =>
          at === start + i ||
          (!anywhere && !this.words().mayHave(shape, place, word, token.wildcard)),
      );
    });
  }

  /** The words at open places. */
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
      const entries = this.tokens.entriesOf(text);
      if (entries.some(({ entry }) => entry.rows.count > 0)) continue;
      const before = among;
      const shapes = entries.flatMap(({ entry }) => [...entry.shapes]);
      among = new Set(before === undefined ? shapes : shapes.filter((one) => before.has(one)));
    }
    return among;
  }

  /**
   * Number of rows with each token, as far as known without reading them, rarest first; empty if one is in no row.
   */
  private rarestFirst(tokens: readonly QueryToken[]): { token: QueryToken; count: number }[] {
    const counted = tokens.map((token) => ({ token, count: this.countOfToken(token) }));
    if (counted.some(({ count }) => count === 0)) return [];
    return counted.sort((a, b) => a.count - b.count);
  }

  /** Tokens with wildcards are looked up last. */
  private countOfToken({ text, wildcard }: QueryToken): number {
    if (wildcard) return Number.MAX_SAFE_INTEGER;
    let count = 0;
    for (const { entry } of this.tokens.entriesOf(text)) {
      count += entry.rows.count;
      for (const shape of entry.shapes) count += this.pages.countOfShape(shape);
    }
    return count;
  }

  private searched(column: number | undefined): readonly ColumnShapes[] {
    return column === undefined ? this.pages.head.columns : [this.pages.head.columns[column]!];
  }
}
