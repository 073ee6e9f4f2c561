/** Reading records back: plain files, every compression, archive members, and errors. */
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DaybookError } from '../../../engine/contract/errors.ts';
import { tarOf, zipOf } from '../testing/archives.ts';
import { MAX_RECORD_BYTES, openContentReader, readRecord } from './read-record.ts';

/** Three blocks' worth of bytes, every four of which encode their position. */
const CONTENT = new Uint8Array(3 * 1024 * 1024 + 123);
const view = new DataView(CONTENT.buffer);
for (let at = 0; at + 4 <= CONTENT.length; at += 4) view.setUint32(at, at);

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'daybook-record-'));
  const inner = zipOf([{ name: 'a/evidence.bin', content: CONTENT }]);
  const files: Record<string, Uint8Array> = {
    plain: CONTENT,
    gz: gzipSync(CONTENT),
    zst: zstdCompressSync(CONTENT),
    zip: inner,
    tar: tarOf([
      { name: 'other', content: 'x' },
      { name: 'evidence.bin', content: CONTENT },
    ]),
    'tar.gz': gzipSync(tarOf([{ name: 'evidence.bin.gz', content: gzipSync(CONTENT) }])),
    'zip in tar': tarOf([{ name: 'inner.zip', content: inner }]),
    'cut.gz': gzipSync(CONTENT).subarray(0, 5000),
  };
  for (const [name, bytes] of Object.entries(files)) await writeFile(join(folder, name), bytes);
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

const PLACES: [string, string[]][] = [
  ['plain', []],
  ['gz', []],
  ['zst', []],
  ['zip', ['a/evidence.bin']],
  ['tar', ['evidence.bin']],
  ['tar.gz', ['evidence.bin.gz']],
  ['zip in tar', ['inner.zip', 'a/evidence.bin']],
];

describe.each(PLACES)('%s', (file, members) => {
  const location = () => ({ path: join(folder, file), members });

  it.each([
    [0, 16],
    [1024 * 1024 - 3, 10],
    [2_000_001, 100_000],
    [CONTENT.length - 5, 5],
    [17, MAX_RECORD_BYTES],
    [100, 0],
  ])('%d, %d bytes', async (offset, length) => {
    const bytes = await readRecord(location(), offset, length, undefined, folder);
    expect(Buffer.compare(bytes, CONTENT.subarray(offset, offset + length))).toBe(0);
  });

  it('reads on and back with one reader, and leaves nothing behind', async () => {
    const before = await readdir(folder);
    const reader = await openContentReader(location(), folder);
    for (const [offset, length] of [
      [10, 20],
      [15, 3_000_000],
      [3_000_000, 8],
      [4, 4],
    ] as const) {
      const bytes = await reader.read(offset, length);
      expect(Buffer.compare(bytes, CONTENT.subarray(offset, offset + length))).toBe(0);
    }
    expect(await reader.readUpTo(CONTENT.length - 2, 100)).toEqual(CONTENT.slice(-2));
    expect(await reader.readUpTo(CONTENT.length + 50, 100)).toHaveLength(0);
    await reader.close();
    expect(await readdir(folder)).toEqual(before);
  });

  it('says when the content ends before', async () => {
    const record = readRecord(location(), CONTENT.length - 5, 6, undefined, folder);
    await expect(record).rejects.toMatchObject({
      code: 'source-damaged',
      message: expect.stringContaining(`ends at byte ${CONTENT.length},`) as string,
    });
    await expect(readRecord(location(), CONTENT.length * 2, 1)).rejects.toThrow(DaybookError);
  });

  it('stops when it is cancelled', async () => {
    const record = readRecord(location(), 0, 4, AbortSignal.abort(), folder);
    await expect(record).rejects.toMatchObject({ code: 'cancelled' });
  });
});

it('says that evidence has moved, and what to do', async () => {
  const gone = readRecord({ path: join(folder, 'gone'), members: [] }, 0, 1);
  await expect(gone).rejects.toMatchObject({
    code: 'not-found',
    hint: expect.stringContaining('put the evidence back') as string,
  });
  const member = readRecord({ path: join(folder, 'zip'), members: ['gone'] }, 0, 1);
  await expect(member).rejects.toMatchObject({ code: 'not-found' });
});

it('reads what a truncated gzip file still has, and reports the damage after it', async () => {
  const location = { path: join(folder, 'cut.gz'), members: [] };
  expect(await readRecord(location, 8, 4)).toEqual(CONTENT.slice(8, 12));
  await expect(readRecord(location, 3_000_000, 4)).rejects.toMatchObject({
    code: 'source-damaged',
  });
});

it('gives no more than a mebibyte at a time', async () => {
  const location = { path: join(folder, 'plain'), members: [] };
  await expect(readRecord(location, 0, MAX_RECORD_BYTES + 1)).rejects.toMatchObject({
    code: 'usage',
  });
});
