/** Texts with few different values are indexed as if they were not encoded. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EventBatch } from '../../columns/event-batch.ts';
import { SegmentIndexBuilder } from '../../index/builders.ts';
import { type BatchRows, rowList, rowSpan } from '../../store/parts/batch-rows.ts';
import { ParquetPart } from '../../store/parts/parquet-part.ts';
import { indexRowsOf } from './index-rows.ts';
import type { RowsMessage } from './index-protocol.ts';

const ROWS = 6000;

function filled(): EventBatch {
  const batch = new EventBatch('log', () => undefined, ROWS + 1);
  for (let i = 0; i < ROWS; i++) {
    batch.seq.set(i, i);
    batch.ts.set(i, 1_790_000_000_000_000 + i * 1000);
    if (i % 7 !== 3) batch.host.setString(i, `host${(i * i) % 61}`);
    batch.program.setString(i, i % 500 === 1 ? 'a,b 12 c' : i % 2 === 0 ? 'sshd' : '');
    batch.message.setString(i, `of ${i % 40} and ${i}`);
    // More values than a byte can number.
    batch.setAttribute('many', `m${(i * 31) % 340}`);
    batch.setAttribute('different', `d${i}`);
    if (i % 9 === 0) batch.setAttribute('Größe', i % 18 === 0 ? 'groß' : 'klein 7');
    batch.endRow();
  }
  return batch;
}

function sectionsOf(messages: readonly RowsMessage[]) {
  const builder = new SegmentIndexBuilder('log');
  for (const { length, texts, cut } of messages)
    builder.add({
      ...{ kind: 'log', length, cut },
      ...{ texts: new Map(texts), numbers: new Map(), ip6: new Map() },
    });
  return builder.finish(undefined);
}

test.each([
  ['spans', [rowSpan(0, 5500), rowSpan(5500, ROWS)]],
  ['lists', [rowList(Uint32Array.from({ length: ROWS }, (_, i) => (i * 7) % ROWS))]],
] as [string, BatchRows[]][])('are the same as others, in %s', (_, groups) => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-coded-'));
  try {
    const batch = filled();
    const path = join(folder, 'part.parquet');
    const part = new ParquetPart(path);
    const coded = groups.map((group) => {
      const cut = part.addRowGroup(batch, group);
      const names = [...part.coded.keys()];
      // The second group has too few rows for them.
      if (group.from === 0) expect(names).toEqual(expect.arrayContaining(['host', 'a:many']));
      expect(names).not.toContain('a:different');
      const message = indexRowsOf(batch, group, cut, part.coded);
      // As it is sent to the indexing thread.
      return structuredClone(message);
    });
    part.abandon();
    const others = groups.map((group) => indexRowsOf(batch, group));
    expect(sectionsOf(coded)).toEqual(sectionsOf(others));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
