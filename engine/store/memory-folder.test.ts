import { createHash } from 'node:crypto';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { writeAll } from '../base/files.ts';
import { hasRoom, memoryFolder, NamelessFile, removeOld } from './memory-folder.ts';
import { SegmentBuilder } from './segment-builder.ts';

let folder: string;
let builder: SegmentBuilder;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'daybook-memory-'));
  builder = await SegmentBuilder.create(folder, [], { memoryLimit: 2e8, threads: 2 });
});
afterAll(() => {
  builder.close(true);
  rmSync(folder, { recursive: true, force: true });
});

it('is readable by nobody else, and always the same', ({ skip }) => {
  const memory = memoryFolder();
  if (memory === undefined) return skip('this system keeps no files in memory');
  expect(statSync(memory).mode & 0o077).toBe(0);
  expect(memoryFolder()).toBe(memory);
});

it('is none where none can be made, looked at or trusted', ({ skip }) => {
  if (process.platform !== 'linux') return skip('this system keeps no files in memory');
  const at = (name: string): string => join(folder, name);
  // One that cannot be entered, as one of somebody else; root may enter all others.
  symlinkSync('loop', at('loop'));
  expect(memoryFolder(at('loop'))).toBeUndefined();
  expect(memoryFolder(at('nothing'))).toBeUndefined();
  const name = `daybook-${process.geteuid?.()}`;
  for (const open of ['shared', 'linked']) mkdirSync(at(open));
  mkdirSync(join(at('shared'), name), { mode: 0o755 });
  symlinkSync(folder, join(at('linked'), name));
  for (const open of ['shared', 'linked']) {
    expect(memoryFolder(at(open))).toBeUndefined();
    rmSync(at(open), { recursive: true });
  }
  rmSync(at('loop'));
});

it('says whether there is room', () => {
  expect(hasRoom(tmpdir(), Number.MAX_SAFE_INTEGER)).toBe(false);
  expect(hasRoom(join(folder, 'nothing'), 0)).toBe(false);
});

it('reads what was written to a file after its name was gone', () => {
  const path = join(folder, 'file');
  const fd = openSync(path, 'w');
  const file = new NamelessFile(path);
  writeAll(fd, Buffer.from('of an event'));
  closeSync(fd);
  expect(readdirSync(folder)).not.toContain('file');
  expect(file.read().toString()).toBe('of an event');
  file.close();
});

const inMemory = (): string[] => {
  const memory = memoryFolder();
  return memory === undefined ? [] : readdirSync(memory);
};
/** Of processes that were killed before they took a name away. */
const before = new Set(inMemory());

/** Other processes have names there for moments, always others. */
async function nothingInMemory(): Promise<void> {
  const added = inMemory().filter((name) => !before.has(name));
  const left = () => inMemory().filter((name) => added.includes(name));
  await vi.waitFor(() => expect(left()).toEqual([]), { timeout: 10_000, interval: 5 });
}

it('what processes that were killed have left there is removed, and nothing newer', () => {
  const memory = join(folder, 'memory');
  mkdirSync(memory);
  for (const [name, hours] of Object.entries({ old: 2, new: 0 })) {
    const path = join(memory, name);
    writeFileSync(path, '');
    const then = new Date(Date.now() - hours * 3_600_000);
    utimesSync(path, then, then);
  }
  removeOld(memory);
  expect(readdirSync(memory)).toEqual(['new']);
  rmSync(memory, { recursive: true });
});

describe('a segment', () => {
  const MANY = 200_000;
  const numbers = (rows: number) =>
    `SELECT range AS seq, 1::UINTEGER AS source_id, hash(range) % 1000 AS bytes FROM range(${rows})`;

  it.each([
    ['in memory', 3000, 1000],
    ['in memory, of several row groups', MANY, 1000],
    ['on the disk', MANY, 1 << 30],
    ['without events', 0, 1000],
  ])('that is made %s is whole, and nothing else is left', async (_, rows, inputBytes) => {
    const select = numbers(rows);
    const built = await builder.build(select, { sorted: true, inputBytes });
    const bytes = readFileSync(built.path);
    expect(built).toMatchObject({ rows, bytes: bytes.length });
    expect(built.sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
    await builder.attach('made', built.path);
    const [same] = await builder.rows(
      `SELECT count(*) = ${rows} FROM (SELECT rowid, seq, bytes FROM made.events INTERSECT SELECT seq, seq, bytes FROM (${select}))`,
    );
    expect(same).toEqual([true]);
    await builder.detach('made');
    rmSync(built.path);
    expect(readdirSync(folder)).toEqual([]);
    await nothingInMemory();
  });

  it('is made anew where the disk was full when it was to be copied there', async ({ skip }) => {
    if (memoryFolder() === undefined) return skip('this system keeps no files in memory');
    const select = numbers(10);
    const before = await builder.build(select, { sorted: true, inputBytes: 1000 });
    rmSync(before.path);
    const number = Number(/segment-(\d+)/.exec(before.path)![1]);
    const path = join(folder, `segment-${number + 1}.duckdb`);
    // A disk without room, as far as this file goes.
    symlinkSync('/dev/full', path);
    const built = await builder.build(select, { sorted: true, inputBytes: 1000 });
    expect(built).toMatchObject({ path, rows: 10 });
    expect(built.sha256).toBe(createHash('sha256').update(readFileSync(path)).digest('hex'));
    rmSync(path);
  });

  it('that cannot be made leaves nothing in memory', async () => {
    const select = `SELECT error('no such thing') AS seq, 1::UINTEGER AS source_id`;
    const known = {
      selected: [
        { name: 'seq', type: 'VARCHAR' },
        { name: 'source_id', type: 'UINTEGER' },
      ],
      timeUnit: 1,
      rareMessages: false,
      rows: 1,
      minTs: undefined,
      maxTs: undefined,
      sources: [1],
    } as const;
    await expect(builder.build(select, { sorted: true, inputBytes: 10, known })).rejects.toThrow(
      'no such thing',
    );
    await nothingInMemory();
  });
});
