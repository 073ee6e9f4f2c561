/**
 * Blocks of a new DuckDB file: pieces of columns are packed into them as they come, several small ones into one, and
 * a block is written once it is full. What the file begins with comes last (`segment-end.ts`).
 *
 * Holds always: a piece lies in one block, at a multiple of eight bytes; what is between pieces is zero.
 */
import { closeSync, openSync, writeSync } from 'node:fs';
import { putSum } from './block-sum.ts';

export const HEADERS_BYTES = 3 * 4096;
export const BLOCK_HEAD = 8;
/** Blocks that are kept open for further small pieces; a full piece leaves most of a block seldom. */
const MOST_OPEN = 4;

interface OpenBlock {
  readonly number: number;
  readonly bytes: Uint8Array;
  used: number;
}

export class BlockFile {
  readonly path: string;
  readonly block: number;
  private fd = -1;
  private open: OpenBlock[] = [];
  /** Of blocks that are written, and filled again: memory that is new takes longer than what is put in. */
  private readonly spare: Uint8Array[] = [];
  /** Pieces in each block. */
  readonly pieces: number[] = [];

  constructor(path: string, block: number) {
    this.path = path;
    this.block = block;
  }

  /** Puts `bytes` into a block, copied; `offset` counts from behind the block's own bytes. */
  place(bytes: Uint8Array): { block: number; offset: number } {
    const size = aligned(bytes.length);
    const fits = this.open.filter(({ used }) => used + size <= this.block);
    // The fullest that has room.
    const into = fits.reduce<OpenBlock | undefined>(
      (best, one) => (best === undefined || one.used > best.used ? one : best),
      undefined,
    );
    const target = into ?? this.begin();
    const offset = target.used - BLOCK_HEAD;
    target.bytes.set(bytes, target.used);
    target.bytes.fill(0, target.used + bytes.length, target.used + size);
    target.used += size;
    this.pieces[target.number]! += 1;
    if (this.block - target.used < 8) this.close(target);
    else if (this.open.length > MOST_OPEN)
      this.close(this.open.reduce((a, b) => (a.used >= b.used ? a : b)));
    return { block: target.number, offset };
  }

  private begin(): OpenBlock {
    const bytes = this.spare.pop() ?? new Uint8Array(this.block);
    const one = { number: this.pieces.length, bytes, used: BLOCK_HEAD };
    this.pieces.push(0);
    this.open.push(one);
    return one;
  }

  private close(one: OpenBlock): void {
    this.open = this.open.filter((other) => other !== one);
    one.bytes.fill(0, one.used);
    putSum(one.bytes);
    if (this.fd < 0) this.fd = openSync(this.path, 'wx');
    writeAt(this.fd, one.bytes, HEADERS_BYTES + one.number * this.block);
    this.spare.push(one.bytes);
  }

  /** Writes what is open, and closes the file, which is there though no piece has bytes. */
  finish(): void {
    for (const one of this.open) this.close(one);
    this.spare.length = 0;
    if (this.fd < 0) this.fd = openSync(this.path, 'wx');
    closeSync(this.fd);
    this.fd = -1;
  }

  /** Closes the file without finishing it. */
  abandon(): void {
    this.open = [];
    if (this.fd >= 0) closeSync(this.fd);
    this.fd = -1;
  }
}

export function writeAt(fd: number, bytes: Uint8Array, position: number): void {
  let at = 0;
  while (at < bytes.length) at += writeSync(fd, bytes, at, bytes.length - at, position + at);
}

function aligned(size: number): number {
  return Math.ceil(size / 8) * 8;
}
