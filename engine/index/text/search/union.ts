/** Rows of several entries of a text index together. */
import { RowSet, wordsFor } from '../../../util/row-set.ts';
import { columnBit } from '../format/layout.ts';
import type { Entry, EntryRows, Page } from '../format/page.ts';
import type { TextPages } from './text-pages.ts';
import type { TextAnswer } from './text-query.ts';

export class Union {
  readonly column: number | undefined;
  private readonly pages: TextPages;
  private words: Uint32Array<ArrayBuffer> | undefined;
  /** The only set so far. */
  private single: RowSet | undefined;
  private readonly seen = new Set<number>();
  private exact = true;

  private readonly openOnly: boolean;

  /** @param openOnly whether to exclude rows in which a token is part of a shape's text */
  constructor(pages: TextPages, column: number | undefined, openOnly = false) {
    this.pages = pages;
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
    const { pages, column } = this;
    const range = column === undefined ? undefined : pages.rangeOf(column);
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
    const { pages } = this;
    if (this.single !== undefined) this.bits();
    if (!pages.addShape(shape, this.words)) this.addSet(pages.shapeRows(shape));
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
    const total = this.pages.rows;
    if (this.words !== undefined) return { rows: RowSet.ofWords(this.words, total), exact };
    return { rows: this.single ?? RowSet.none(total), exact };
  }

  private addRows(rows: EntryRows): void {
    if ('inline' in rows && (this.words !== undefined || this.single !== undefined)) {
      const words = this.bits();
      for (const row of rows.inline) words[row >>> 5]! |= 1 << (row & 31);
    } else this.addSet(this.pages.rowSet(rows));
  }

  private bits(): Uint32Array<ArrayBuffer> {
    if (this.words === undefined) {
      this.words = new Uint32Array(wordsFor(this.pages.rows));
      this.single?.orInto(this.words);
      this.single = undefined;
    }
    return this.words;
  }
}
