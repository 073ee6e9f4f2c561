/** A content that is hashed as it is read. */
import { createHash, type Hash } from 'node:crypto';
import { SourceError } from '../../contract/errors.ts';
import { LOST, type SourceInput } from '../../contract/importer.ts';
import { type HashedLines, LineHasher } from '../overlap/line-hashes.ts';

const LF = 10;
/** A longer last line is handed on as it comes. */
const MAX_HELD = 1024 * 1024;

/** Hashes in the pass that is made last; earlier passes are looks ahead. */
export class HashedInput implements SourceInput {
  readonly name: string;
  readonly size: number | undefined;
  readonly modifiedMs: number | undefined;
  /** Bytes of the current pass so far. */
  hashed = 0;
  lastByte = -1;
  /** Bytes of a line without its end that were left out, because the content broke off within it. */
  leftOver = 0;
  private readonly input: SourceInput;
  private readonly byLines: boolean;
  private hash: Hash = createHash('sha256');
  private lineHasher: LineHasher | undefined;
  private passes = 0;
  readonly pieces: (() => AsyncIterable<Uint8Array>) | undefined;

  /** @param byLines where the content breaks off, what follows its last line feed is left out */
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
    for await (const block of this.byLines ? this.wholeLines(content) : content) {
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

  /** The blocks, the last line of each with the next one. */
  private async *wholeLines(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let held: Uint8Array = new Uint8Array(0);
    try {
      for await (const block of content) {
        if (block === LOST) {
          if (held.length > 0) yield held;
          held = new Uint8Array(0);
          yield LOST;
          continue;
        }
        const end = block.lastIndexOf(LF) + 1;
        if (end === 0 && held.length + block.length <= MAX_HELD) {
          held = Buffer.concat([held, block]);
          continue;
        }
        if (held.length > 0) yield held;
        const cut = end === 0 ? block.length : end;
        yield block.subarray(0, cut);
        held = Uint8Array.from(block.subarray(cut));
      }
    } catch (error) {
      if (error instanceof SourceError && error.place.toEnd === true) {
        if (held.length > 0) yield held;
      } else this.leftOver = held.length;
      throw error;
    }
    if (held.length > 0) yield held;
  }

  /** Of the last pass, once it has ended. */
  lines(): HashedLines | undefined {
    return this.lineHasher?.end();
  }

  digest(): string {
    return this.hash.copy().digest('hex');
  }
}
