/** A content that is hashed while it is read. */
import { createHash, type Hash } from 'node:crypto';
import { LOST, type SourceInput } from '../../evidence/importer.ts';
import { wholeLines } from '../../evidence/pieces.ts';
import { type HashedLines, LineHasher } from '../overlap/line-hashes.ts';

/** The hash is that of the last pass; earlier passes look ahead. */
export class HashedInput implements SourceInput {
  readonly name: string;
  readonly size: number | undefined;
  readonly modifiedMs: number | undefined;
  /** Bytes of the current pass so far. */
  hashed = 0;
  lastByte = -1;
  /** Bytes of an incomplete line that were dropped because the content broke off within it. */
  leftOver = 0;
  private readonly input: SourceInput;
  private readonly byLines: boolean;
  private hash: Hash = createHash('sha256');
  private lineHasher: LineHasher | undefined;
  private passes = 0;
  readonly pieces: (() => AsyncIterable<Uint8Array>) | undefined;

  /** @param byLines if the content breaks off, what follows its last line feed is dropped */
  constructor(input: SourceInput, byLines = false) {
    this.input = input;
    this.byLines = byLines;
    this.name = input.name;
    this.size = input.size;
    this.modifiedMs = input.modifiedMs;
    if (input.pieces !== undefined) this.pieces = () => this.pass(input.pieces!());
  }

  blocks(): AsyncGenerator<Uint8Array> {
    return this.pass(this.input.blocks());
  }

  private async *pass(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const pass = ++this.passes;
    this.hash = createHash('sha256');
    this.lineHasher = this.byLines ? new LineHasher() : undefined;
    this.hashed = 0;
    this.lastByte = -1;
    this.leftOver = 0;
    const lines = () => wholeLines(content, (bytes) => (this.leftOver = bytes));
    for await (const block of this.byLines ? lines() : content) {
      if (pass === this.passes && block === LOST) this.lineHasher?.gap();
      else if (pass === this.passes && block.length > 0) {
        this.hash.update(block);
        this.lineHasher?.update(block);
        this.hashed += block.length;
        this.lastByte = block[block.length - 1]!;
      }
      yield block;
    }
  }

  /** Hashes of the last pass, once it has ended. */
  lines(): HashedLines | undefined {
    return this.lineHasher?.end();
  }

  digest(): string {
    return this.hash.copy().digest('hex');
  }
}
