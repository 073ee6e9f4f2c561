/** The index view of a segment of a test's case: a real side file of its rows, and its marks. */
import { RowSet } from '../../util/row-set.ts';
import type { EventBatch } from '../../columns/event-batch.ts';
import { isColumn, type ColumnName } from '../../contract/event.ts';
import { SegmentIndexBuilder } from '../../index/builders.ts';
import { openers } from '../../index/openers.ts';
import type { Ip6Rows, NumberRows, TextRows } from '../../index/rows.ts';
import { IndexFiles } from '../../index/segment-indexes.ts';
import { sideFilePath, writeSideFile } from '../../index/side-file.ts';
import { TextCache } from '../../index/text/index.ts';
import type { SegmentAccess } from '../../search/access-paths/segment-access.ts';
import { ATTRIBUTE_PREFIX, OVERFLOW_COLUMN } from '../plan/scope.ts';
import type { TestEvent } from './test-case.ts';

export interface IndexedSegment extends SegmentAccess {
  close(): void;
}

/**
 * @param file path of a segment that need not exist: its side file is written next to it
 * @param events in the order of the batch's rows
 */
export function indexBatch(
  file: string,
  batch: EventBatch,
  events: readonly TestEvent[],
): IndexedSegment {
  const texts = new Map<string, TextRows>();
  const numbers = new Map<ColumnName, NumberRows>();
  const ip6 = new Map<'src_ip6' | 'dst_ip6', Ip6Rows>();
  const isUsed = ({ present }: { readonly present: Uint8Array }) =>
    present.subarray(0, batch.length).includes(1);
  for (const [name, column] of batch.columns()) {
    if (!isUsed(column) || !isColumn(name)) continue;
    if (column.type === 'text') texts.set(name, column);
    else if (column.type !== 'ip6') numbers.set(name, column);
    else if (name === 'src_ip6' || name === 'dst_ip6') ip6.set(name, column);
  }
  for (const [name, column] of batch.searchedTexts()) {
    if (isUsed(column)) texts.set(name, column);
    else texts.delete(name);
  }
  for (const [name, column] of batch.attributes)
    if (isUsed(column)) texts.set(`${ATTRIBUTE_PREFIX}${name}`, column);
  if (isUsed(batch.overflow)) texts.set(OVERFLOW_COLUMN, batch.overflow);
  const { kind, length } = batch;
  const builder = new SegmentIndexBuilder(kind);
  builder.add({ kind, length, texts, numbers, ip6 });
  writeSideFile(sideFilePath(file), length, builder.finish(undefined));
  const files = new IndexFiles(openers(new TextCache()));
  return {
    indexes: files.of(file, length),
    keptBytes: 1e6,
    marked: (tag) => {
      const rows = events.flatMap((event, row) =>
        (tag === 0 ? event.deleted === true : event.tags?.includes(tag) === true) ? row : [],
      );
      return RowSet.ofSorted(Uint32Array.from(rows), length);
    },
    kept: (_, lookUp) => lookUp(),
    close: () => files.close(),
  };
}
