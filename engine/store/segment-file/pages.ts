/**
 * Bytes of a block of a segment's file. The disk is asked for whole blocks, many at a time (`bring`): it gives 64 KB
 * nearly as soon as 4, and what leads to a value lies in its block. Then pages are read, and compared with their sums.
 *
 * DuckDB's files: three headers of 4,096 bytes, then blocks; a block begins with eight bytes of its own.
 */
import { read, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { PAGE, type Piece, type SegmentMap } from './segment-map.ts';

/** What a file or its map does not allow to be read here: DuckDB reads it, or says what is wrong. */
export class Unreadable extends Error {}

const HEADERS = 3;
const BLOCK_HEAD = 8;
/** Numbers are read eight bytes at a time, also at a block's end. */
const SLACK = 16;
const MOST_BLOCK = 1 << 16;

/** Pages that are kept of all files, those that were read last. */
const MOST_KEPT = 4096;
/** Blocks of all files that are known to have been read. */
const MOST_FETCHED = 4096;
/** Pages of a file, 64 GB: a number of a file and a page stays exact for half a billion files. */
const MOST_PAGES = 1 << 24;

/** Memory for a block, by turns that of one file or another; and pages that were read and compared. */
export class Scratch {
  readonly bytes = new Uint8Array(MOST_BLOCK + SLACK);
  /** Pages of the block that are there, and were compared. */
  readonly there = new Uint8Array(MOST_BLOCK / PAGE);
  /** For bytes that are read so that the system has them. */
  readonly thrownAway = new Uint8Array(MOST_BLOCK);
  owner: Pages | undefined;
  private files = 0;
  /** Blocks that were read: the system is likely to have them. */
  private readonly fetched = new Set<number>();
  /** By the number that a file was given, and the page's. */
  private readonly kept = new Map<number, Uint8Array>();

  nextFile(): number {
    this.files += 1;
    return this.files * MOST_PAGES;
  }

  keptPage(file: number, page: number): Uint8Array | undefined {
    return this.kept.get(file + page);
  }

  isFetched(block: number): boolean {
    return this.fetched.has(block);
  }

  noteFetched(block: number): void {
    this.fetched.add(block);
    if (this.fetched.size > MOST_FETCHED) this.fetched.delete(this.fetched.values().next().value!);
  }

  keep(file: number, page: number, bytes: Uint8Array): void {
    this.kept.set(file + page, bytes);
    if (this.kept.size > MOST_KEPT) this.kept.delete(this.kept.keys().next().value!);
  }
}

export class Pages {
  /** The part of a block that is looked at, from its `start` on; bytes that `need` was not asked for are any. */
  view: DataView;
  bytes: Uint8Array;
  private readonly fd: number;
  private readonly map: SegmentMap;
  private readonly scratch: Scratch;
  private readonly file: number;
  private block = -1;
  private start = 0;

  constructor(fd: number, map: SegmentMap, scratch: Scratch) {
    if (map.block > MOST_BLOCK || map.sums.length > MOST_PAGES) throw new Unreadable('block');
    this.fd = fd;
    this.map = map;
    this.scratch = scratch;
    this.file = scratch.nextFile();
    this.bytes = scratch.bytes;
    this.view = new DataView(scratch.bytes.buffer);
  }

  /** What is asked for from now on lies in a piece. */
  open([, , block, offset]: Piece): void {
    if (!(block >= 0) || !(offset >= 0) || BLOCK_HEAD + offset >= this.map.block)
      throw new Unreadable('place');
    const { scratch } = this;
    if (scratch.owner !== this || block !== this.block) scratch.there.fill(0);
    scratch.owner = this;
    this.block = block;
    this.start = BLOCK_HEAD + offset;
    this.bytes = scratch.bytes.subarray(this.start);
    this.view = new DataView(scratch.bytes.buffer, this.start);
  }

  /**
   * Has the disk bring blocks that were not asked for yet, as many at a time as the process has threads for it: one
   * after the other takes twice as long, and the thread that asks waits. What is read is thrown away: the system keeps
   * it until pages are read of it, which is also when anything that is wrong comes to light.
   */
  async bring(blocks: Iterable<number>): Promise<void> {
    const { map, file, scratch } = this;
    const firsts = Array.from(blocks, (block) => HEADERS + block * (map.block / PAGE)).filter(
      (first) => !scratch.isFetched(file + first),
    );
    await Promise.all(
      firsts.map(async (first) => {
        scratch.noteFetched(file + first);
        await new Promise<void>((resolve) => {
          read(this.fd, scratch.thrownAway, 0, map.block, first * PAGE, () => resolve());
        });
      }),
    );
  }

  /** Reads bytes `from` to `to` (not included), if they are not there yet. */
  need(from: number, to: number): void {
    if (!(from >= 0) || !(to >= from) || this.start + to > this.map.block)
      throw new Unreadable('range');
    const { there } = this.scratch;
    const last = (this.start + to - 1) >>> 12;
    for (let page = (this.start + from) >>> 12; page <= last; page++)
      if (there[page] === 0) this.fetch(page);
  }

  private fetch(page: number): void {
    const { map, block, file, scratch } = this;
    const { bytes, there } = scratch;
    const first = HEADERS + block * (map.block / PAGE);
    const number = first + page;
    const kept = scratch.keptPage(file, number);
    if (kept === undefined) {
      if (number >= map.sums.length) throw new Unreadable('block');
      const own = new Uint8Array(PAGE);
      if (readSync(this.fd, own, 0, PAGE, number * PAGE) < PAGE)
        throw new Unreadable('end of file');
      if (crc32(own) !== map.sums[number]) throw new Unreadable('sum');
      scratch.keep(file, number, own);
      bytes.set(own, page * PAGE);
    } else bytes.set(kept, page * PAGE);
    there[page] = 1;
  }

  u8(at: number): number {
    this.need(at, at + 1);
    return this.bytes[at]!;
  }

  u16(at: number): number {
    this.need(at, at + 2);
    return this.view.getUint16(at, true);
  }

  u32(at: number): number {
    this.need(at, at + 4);
    return this.view.getUint32(at, true);
  }

  /** @throws Unreadable beyond 2^53 */
  u64(at: number): number {
    this.need(at, at + 8);
    return exact(this.view.getUint32(at, true), this.view.getUint32(at + 4, true));
  }

  i64(at: number): number {
    this.need(at, at + 8);
    return exact(this.view.getUint32(at, true), this.view.getInt32(at + 4, true));
  }
}

function exact(low: number, high: number): number {
  const value = high * 0x1_0000_0000 + low;
  if (!Number.isSafeInteger(value)) throw new Unreadable('a number beyond 2^53');
  return value;
}
