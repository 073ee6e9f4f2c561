/** Which columns are read for lists, and when; lists.test.ts compares the results. */
import { beforeEach, expect, it } from 'vitest';
import { type MatchList, type SegmentInfo, eventFields, readList } from '../../query/index.ts';
import { ListColumnCache, type ReadNumbers } from './list-column-cache.ts';

const ROWS = 100;
const segment = (id: number, columns = ['src_port', 'dst_port']): SegmentInfo => ({
  ...{ id, kind: 'flow', day: '2026-11-21', rows: ROWS, minTs: 0, maxTs: 1 },
  ...{ columns: new Set(columns), hasDeletes: false, tags: new Set(), unflowedPackets: 0 },
  sources: new Set([1]),
});
const listOf = (text: string): MatchList =>
  readList({ text, digest: text, resolve: eventFields([]) });
const PORTS = listOf('src_port,dst_port\n7,53\n9,53\n');

/** Segments and columns that were read. */
let reads: string[] = [];
const read: ReadNumbers = async (segments, columns) => {
  const names = columns.map(({ name }) => name).join();
  for (const { id } of segments) reads.push(`${id} ${names}`);
  const values = (name: string) =>
    Uint16Array.from({ length: ROWS }, (_, row) => (name === 'src_port' ? row : 53));
  return new Map(
    segments.map(({ id }) => [
      id,
      columns.map(({ name }) => ({ values: values(name), nulls: undefined })),
    ]),
  );
};
beforeEach(() => {
  reads = [];
});
const bytes = (segments: number) => segments * ROWS * (2 + 2 + 4);

it('reads columns for the second list, and not again for the third', async () => {
  const kept = new ListColumnCache();
  const segments = [segment(1), segment(2)];
  expect(await kept.comparing(PORTS, segments, read)).toBeUndefined();
  for (let turn = 0; turn < 2; turn++) {
    const comparison = await kept.comparing(PORTS, segments, read);
    expect(comparison?.rowsOf(segments[1]!)).toMatchObject({ count: 2, total: ROWS });
  }
  expect(reads).toEqual(['1 dst_port,src_port', '2 dst_port,src_port']);
});

it('takes segments on that are new beside those that it knows', async () => {
  const kept = new ListColumnCache();
  await kept.comparing(PORTS, [segment(1)], read);
  const segments = [segment(1), segment(2, ['src_port'])];
  const comparison = await kept.comparing(PORTS, segments, read);
  expect(comparison?.rowsOf(segments[0]!)).toMatchObject({ count: 2 });
  // None of its events has both ports.
  expect(comparison?.rowsOf(segments[1]!)).toBe('none');
  const others = [segment(1), segment(3), segment(4)];
  expect(await kept.comparing(PORTS, others, read)).toBeUndefined();
});

it('leaves what would not fit to statements, and makes room for what does', async () => {
  const kept = new ListColumnCache(bytes(2));
  const all = [1, 2, 3].map((id) => segment(id));
  for (let turn = 0; turn < 3; turn++)
    expect(await kept.comparing(PORTS, all, read)).toBeUndefined();
  expect(reads).toEqual([]);
  const [first, second, third] = all;
  for (const some of [[first!, second!], [third!], [second!], [first!]]) {
    const comparison = await kept.comparing(PORTS, some, read);
    for (const one of some) expect(comparison?.rowsOf(one)).toMatchObject({ count: 2 });
  }
  // The third replaced the first, which was the least recently used.
  expect(reads.map((one) => one.slice(0, 1))).toEqual(['1', '2', '3', '1']);
});

it('reads many segments by statements of a few each', async () => {
  const kept = new ListColumnCache();
  const many = Array.from({ length: 300 }, (_, id) => segment(id + 1));
  let most = 0;
  const readSome: ReadNumbers = (some, columns) => {
    most = Math.max(most, some.length);
    return read(some, columns);
  };
  await kept.comparing(PORTS, many, readSome);
  const comparison = await kept.comparing(PORTS, many, readSome);
  expect(most).toBeLessThanOrEqual(64);
  expect(reads.length).toBe(many.length);
  for (const one of many) expect(comparison?.rowsOf(one)).toMatchObject({ count: 2 });
});

it('reads for who asks next where reading failed', async () => {
  const kept = new ListColumnCache();
  const one = [segment(1)];
  await kept.comparing(PORTS, one, read);
  const failed = kept.comparing(PORTS, one, async () => {
    throw new Error('gone');
  });
  const next = kept.comparing(PORTS, one, read);
  await expect(failed).rejects.toThrow('gone');
  expect((await next)?.rowsOf(one[0]!)).toMatchObject({ count: 2 });
});
