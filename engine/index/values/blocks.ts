/**
 * A section of a side file as a head that is read at once and blocks that are read individually on demand. Head and
 * blocks carry a CRC-32, so that a damaged byte is an error, never an answer.
 *
 * Layout, little-endian: u32 length of the head, its CRC-32, the head; then the blocks, each its CRC-32 and its
 * bytes. The head has the positions of blocks, counted from its end.
 */
import { crc32 } from 'node:zlib';
import { DaybookError } from '../../contract/errors.ts';
import type { Section, SideFile } from '../side-file.ts';
import { Damaged } from './packing.ts';

const PREFIX = 8;
const CRC = 4;
/** The first read of a section: most heads are shorter. */
const FIRST_READ = 4096;

export class BlockWriter {
  private readonly blocks: Uint8Array[] = [];
  private size = 0;

  /**
   * Returns the end of the block, where the next begins; the first begins at 0. `bytes` must not change afterwards.
   */
  add(bytes: Uint8Array): number {
    this.blocks.push(bytes);
    this.size += CRC + bytes.length;
    return this.size;
  }

  get end(): number {
    return this.size;
  }

  finish(name: string, head: Uint8Array): Section {
    const bytes = new Uint8Array(PREFIX + head.length + this.size);
    const view = new DataView(bytes.buffer);
    view.setUint32(0, head.length, true);
    view.setUint32(4, crc32(head), true);
    bytes.set(head, PREFIX);
    let at = PREFIX + head.length;
    for (const block of this.blocks) {
      view.setUint32(at, crc32(block), true);
      bytes.set(block, at + CRC);
      at += CRC + block.length;
    }
    return { name, bytes };
  }
}

export class BlockReader {
  /** Of the section. */
  readonly name: string;
  readonly head: Uint8Array;
  private readonly file: SideFile;
  /** Bytes of all blocks. */
  readonly length: number;
  private readonly base: number;

  private constructor(file: SideFile, name: string, head: Uint8Array) {
    this.file = file;
    this.name = name;
    this.head = head;
    this.base = PREFIX + head.length;
    this.length = file.length(name) - this.base;
  }

  /**
   * Undefined if the file has no such section.
   * @throws DaybookError case-damaged
   */
  static open(file: SideFile, name: string): BlockReader | undefined {
    const start = file.read(name, 0, FIRST_READ);
    if (start === undefined) return undefined;
    return guarded(file, () => {
      if (start.length < PREFIX) throw new Damaged('cut short');
      const view = new DataView(start.buffer, start.byteOffset, start.length);
      const length = view.getUint32(0, true);
      if (length > file.size) throw new Damaged('longer than the file');
      const end = PREFIX + length;
      const bytes = end <= start.length ? start : file.read(name, 0, end)!;
      if (bytes.length < end) throw new Damaged('cut short');
      const head = bytes.subarray(PREFIX, end);
      if (crc32(head) !== view.getUint32(4, true)) throw new Damaged('checksum');
      return new BlockReader(file, name, head);
    });
  }

  /** The block that begins at `from` and ends at `to`. @throws Damaged */
  block(from: number, to: number): Uint8Array {
    return this.blocks([from, to])[0]!;
  }

  /**
   * Adjacent blocks, read at once.
   * @param ends start of the first, and end of each
   * @throws Damaged
   */
  blocks(ends: ArrayLike<number>): Uint8Array[] {
    const begin = ends[0] ?? 0;
    const end = ends[ends.length - 1] ?? 0;
    if (ends.length < 2) return [];
    if (!(end > begin) || end > this.length) throw new Damaged('no block');
    const bytes = this.file.read(this.name, this.base + begin, this.base + end);
    if (bytes?.length !== end - begin) throw new Damaged('cut short');
    return Array.from({ length: ends.length - 1 }, (_, i) =>
      checked(bytes.subarray(ends[i]! - begin, ends[i + 1]! - begin)),
    );
  }

  /** Runs code that reads this section: damage becomes an error that says what to do. */
  guarded<T>(read: () => T): T {
    return guarded(this.file, read);
  }
}

function checked(bytes: Uint8Array): Uint8Array {
  if (bytes.length < CRC) throw new Damaged('no block');
  const block = bytes.subarray(CRC);
  const stated = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  if (crc32(block) !== stated) throw new Damaged('checksum');
  return block;
}

function guarded<T>(file: SideFile, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Damaged)) throw error;
    const name = file.path.split(/[\\/]/).slice(-3).join('/');
    throw new DaybookError(
      'case-damaged',
      `the index ${name} is damaged`,
      'to rebuild it, run: daybook verify CASE --repair',
      error,
    );
  }
}
