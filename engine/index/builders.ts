/** Which indexes are built beside a segment. */
import type { Kind } from '../contract/event.ts';
import { ColumnIndexBuilder } from './rollup/column-index-builder.ts';
import type { IndexBuilder } from './rows.ts';
import { TextIndexBuilder } from './text/index.ts';

export function buildersFor(kind: Kind): IndexBuilder[] {
  return [new ColumnIndexBuilder(kind), new TextIndexBuilder()];
}
