import { expect, it } from 'vitest';
import { EventBatch } from '../../columns/event-batch.ts';
import { rowSpan } from '../../store/parts/batch-rows.ts';
import { IndexFeed, type IndexerHandle } from './index-feed.ts';
import type { FromIndexer } from './index-protocol.ts';
import { lentOf } from './index-rows.ts';

const ROWS = 10;
const WAITING_BYTES = 64 << 20;

function batchOf(rows: number): EventBatch {
  const batch = new EventBatch('log', () => undefined, rows);
  for (let row = 0; row < rows; row++) {
    batch.seq.set(row, row + 1);
    batch.endRow();
  }
  return batch;
}

/** A feed whose only thread answers until it exits, like one that runs out of memory. */
function feedOf() {
  const built: [string, boolean][] = [];
  const buffers: SharedArrayBuffer[][] = [];
  let say: (message: FromIndexer) => void = () => undefined;
  let exited: (error: Error | undefined) => void = () => undefined;
  let gone = false;
  const indexer: IndexerHandle = {
    post: (message) => {
      if (gone) return;
      if (message.type === 'rows') {
        buffers.push(lentOf(message.rows));
        say({ type: 'taken' });
      }
      if (message.type === 'finish') say({ type: 'failed', part: message.part, message: '' });
    },
    onMessage: (handler) => {
      say = handler;
    },
    onExit: (handler) => {
      exited = handler;
    },
    stop: () => undefined,
    release: () => undefined,
  };
  const feed = new IndexFeed(
    () => indexer,
    1,
    ROWS,
    (part, index) => built.push([part, index !== undefined]),
    WAITING_BYTES,
  );
  const end = () => {
    gone = true;
    exited(new Error('out of memory'));
  };
  return { feed, built, buffers, end };
}

it('goes on without indexes when its thread is gone, also with parts that begin then', async () => {
  const { feed, built, end } = feedOf();
  const batch = batchOf(ROWS);
  feed.add('a', batch, rowSpan(0, ROWS));
  end();
  for (const part of ['a', 'b', 'c', 'd']) feed.add(part, batch, rowSpan(0, ROWS));
  expect(feed.room()).toBeUndefined();
  for (const part of ['a', 'b', 'c', 'd']) feed.finish(part, true);
  expect(built).toEqual(['a', 'b', 'c', 'd'].map((part) => [part, false]));
  await feed.release();
});

it('lends rows in the memory of those that were taken in', async () => {
  const { feed, buffers } = feedOf();
  const batch = batchOf(70_000);
  for (let i = 0; i < 3; i++) feed.add('a', batch, rowSpan(0, 70_000));
  const [first, , last] = buffers;
  expect(last?.length).toBeGreaterThan(1);
  expect(new Set(last)).toEqual(new Set(first));
  feed.drop('a');
  await feed.release();
});

it('stops reading once what waits has many bytes, however few row groups it is', async () => {
  let say: (message: FromIndexer) => void = () => undefined;
  let takes = 0;
  const indexer: IndexerHandle = {
    post: ({ type }) => {
      if (type === 'rows') takes += 1;
    },
    onMessage: (handler) => {
      say = handler;
    },
    onExit: () => undefined,
    stop: () => undefined,
    release: () => undefined,
  };
  const feed = new IndexFeed(
    () => indexer,
    1,
    ROWS,
    () => undefined,
    WAITING_BYTES,
  );
  const batch = batchOf(ROWS);
  for (let row = 0; row < ROWS; row++) batch.message.setString(row, `${row}`.repeat(3_500_000));
  feed.add('a', batch, rowSpan(0, ROWS));
  expect(feed.room()).toBeUndefined();
  feed.add('a', batch, rowSpan(0, ROWS));
  const room = feed.room();
  expect(room).toBeInstanceOf(Promise);
  for (; takes > 0; takes--) say({ type: 'taken' });
  await room;
  feed.drop('a');
  await feed.release();
});
