/** A content that is hashed as it is read. */
import { createHash, type Hash } from 'node:crypto';
import type { SourceInput } from '../contract/importer.ts';

/** Hashes in the pass that is made last; earlier passes are looks ahead. */
export class HashedInput implements SourceInput {
  readonly name: string;
  readonly size: number | undefined;
  readonly modifiedMs: number | undefined;
  /** Bytes of the current pass so far. */
  hashed = 0;
  lastByte = -1;
  private readonly input: SourceInput;
  private hash: Hash = createHash('sha256');
  private passes = 0;

  constructor(input: SourceInput) {
    this.input = input;
    this.name = input.name;
    this.size = input.size;
    this.modifiedMs = input.modifiedMs;
  }

  async *blocks(): AsyncGenerator<Uint8Array> {
    const pass = ++this.passes;
    this.hash = createHash('sha256');
    this.hashed = 0;
    this.lastByte = -1;
    for await (const block of this.input.blocks()) {
      if (pass === this.passes && block.length > 0) {
        this.hash.update(block);
        this.hashed += block.length;
        this.lastByte = block[block.length - 1]!;
      }
      yield block;
    }
  }

  digest(): string {
    return this.hash.copy().digest('hex');
  }
}
