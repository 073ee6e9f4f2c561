/** Everything that is built for a segment's side file. */
import type { Kind } from '../contract/event.ts';
import { ColumnIndexBuilder } from './rollup/column-index-builder.ts';
import type { IndexBuilder, IndexRows } from './rows.ts';
import type { Section } from './side-file.ts';
import { TextIndexBuilder } from './text/index.ts';
import type { Growing64 } from './values/growing.ts';

export class SegmentIndexBuilder implements IndexBuilder {
  private readonly columns: ColumnIndexBuilder;
  private readonly texts = new TextIndexBuilder();

  constructor(kind: Kind) {
    this.columns = new ColumnIndexBuilder(kind);
  }

  /** Times of the rows so far, until `finish`. */
  get times(): Growing64 {
    return this.columns.times;
  }

  add(rows: IndexRows): void {
    this.columns.add(rows);
    this.texts.add(rows);
  }

  finish(order: Uint32Array | undefined): Section[] {
    const { sections, whole } = this.texts.finish(order);
    return [...this.columns.finish(order, whole), ...sections];
  }
}
