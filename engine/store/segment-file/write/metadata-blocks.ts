/**
 * DuckDB's metadata: streams of bytes in sub-blocks, 64 in a block, each of which begins with where the next is.
 * https://github.com/duckdb/duckdb, src/storage/metadata
 */
import { BLOCK_HEAD } from './block-file.ts';
import { putSum } from './block-sum.ts';

const IN_BLOCK = 64;
const NO_NEXT = 0xffff_ffff_ffff_ffffn;
const HEAD = 8;

/** Where something lies in a stream: the number of a sub-block, as DuckDB names it, and bytes behind its begin. */
export interface MetadataPlace {
  readonly pointer: bigint;
  readonly offset: number;
}

export class MetadataBlocks {
  private readonly block: number;
  private readonly first: number;
  private readonly size: number;
  private readonly blocks: Uint8Array[] = [];
  private count = 0;

  /** @param first number of the block that comes next */
  constructor(block: number, first: number) {
    this.block = block;
    this.first = first;
    this.size = Math.floor((block - BLOCK_HEAD) / IN_BLOCK / 8) * 8;
  }

  /** Begins a stream in a sub-block of its own. */
  stream(): MetadataStream {
    return new MetadataStream(() => this.next(), this.size);
  }

  private next(): { bytes: Uint8Array; pointer: bigint } {
    const index = this.count % IN_BLOCK;
    if (index === 0) this.blocks.push(new Uint8Array(this.block));
    this.count += 1;
    const at = BLOCK_HEAD + index * this.size;
    const bytes = this.blocks.at(-1)!.subarray(at, at + this.size);
    const pointer = BigInt(this.first + this.blocks.length - 1) | (BigInt(index) << 56n);
    return { bytes, pointer };
  }

  /** Number of each block and which of its sub-blocks are unused, bit by bit. */
  unused(): [block: number, unused: bigint][] {
    return this.blocks.map((_, i) => {
      const used = Math.min(IN_BLOCK, this.count - i * IN_BLOCK);
      return [this.first + i, BigInt.asUintN(64, -1n << BigInt(used))];
    });
  }

  /** The blocks with their sums. */
  finish(): Uint8Array[] {
    for (const block of this.blocks) putSum(block);
    return this.blocks;
  }
}

export class MetadataStream {
  private readonly next: () => { bytes: Uint8Array; pointer: bigint };
  private readonly size: number;
  private current: { bytes: Uint8Array; pointer: bigint };
  private at = HEAD;

  constructor(next: () => { bytes: Uint8Array; pointer: bigint }, size: number) {
    this.next = next;
    this.size = size;
    this.current = next();
    putNext(this.current.bytes, NO_NEXT);
  }

  /** Where the next byte comes to lie. */
  get place(): MetadataPlace {
    if (this.at === this.size) this.turn();
    return { pointer: this.current.pointer, offset: this.at };
  }

  write(bytes: Uint8Array): void {
    for (let from = 0; from < bytes.length;) {
      if (this.at === this.size) this.turn();
      const count = Math.min(bytes.length - from, this.size - this.at);
      this.current.bytes.set(bytes.subarray(from, from + count), this.at);
      this.at += count;
      from += count;
    }
  }

  private turn(): void {
    const following = this.next();
    putNext(this.current.bytes, following.pointer);
    putNext(following.bytes, NO_NEXT);
    this.current = following;
    this.at = HEAD;
  }
}

function putNext(bytes: Uint8Array, pointer: bigint): void {
  new DataView(bytes.buffer, bytes.byteOffset).setBigUint64(0, pointer, true);
}
