/**
 * The quick pass over a source that is read in pieces: hashes it, counts its lines and says where it
 * may be cut.
 */
import { createHash, type Hash } from 'node:crypto';
import type { ByteOffset } from '../contract/event.ts';
import type { PiecePlan, PieceSize, SourceInput } from '../contract/importer.ts';
import { LineHasher } from './line-hashes.ts';
import type { PieceCut, SourceEnd } from './protocol.ts';

const LF = 10;
/** Lines behind the place where a piece is large enough that are asked whether a record begins there. */
const MOST_ASKED = 2000;

export class Survey {
  /** There is no leader. */
  readonly known = undefined;
  private readonly plan: PiecePlan;
  private readonly size: PieceSize;
  private readonly contentSize: number;
  private readonly hash: Hash = createHash('sha256');
  private readonly lines = new LineHasher();
  private offset: ByteOffset = 0;
  private line = 0;
  private lastByte = -1;
  private cutOffset: ByteOffset = 0;
  private cutLine = 0;
  private asked = 0;

  constructor(plan: PiecePlan, size: PieceSize, contentSize: number) {
    this.plan = plan;
    this.size = size;
    this.contentSize = contentSize;
  }

  /**
   * Goes over the content; cuts come in order, none at its start or end.
   * @throws what `input` throws
   */
  async *cuts(input: SourceInput): AsyncGenerator<PieceCut> {
    for await (const given of input.blocks()) {
      const block = Buffer.from(given.buffer, given.byteOffset, given.length);
      this.lines.update(block);
      let hashed = 0;
      let at = 0;
      for (;;) {
        const lf = block.indexOf(LF, at);
        if (lf < 0) break;
        this.line += 1;
        at = lf + 1;
        if (!this.mayCut(this.offset + at) || !this.begins(block, at)) continue;
        this.hash.update(block.subarray(hashed, at));
        hashed = at;
        this.cutOffset = this.offset + at;
        this.cutLine = this.line;
        this.asked = 0;
        yield {
          until: this.cutOffset,
          checkpoint: { bytes: this.cutOffset, sha256: this.hash.copy().digest('hex') },
          next: this.plan.positionAt(this.cutOffset, this.line),
          known: undefined,
        };
      }
      this.hash.update(block.subarray(hashed));
      this.offset += block.length;
      if (block.length > 0) this.lastByte = block[block.length - 1]!;
    }
  }

  /** What is known of the content once `cuts` has ended. */
  end(): SourceEnd {
    const sha256 = this.hash.copy().digest('hex');
    return {
      rawSize: this.offset,
      rawSha256: sha256,
      contentSize: this.offset,
      contentSha256: sha256,
      wholeLines: this.lastByte === LF,
      error: undefined,
      broken: undefined,
      lines: this.lines.end(),
    };
  }

  /** Whether the piece that would end at `offset` is large enough, and what is left is, too. */
  private mayCut(offset: ByteOffset): boolean {
    const bytes = offset - this.cutOffset;
    if (this.line - this.cutLine < this.size.lines && bytes < this.size.bytes) return false;
    return this.contentSize - offset > bytes / 2;
  }

  /** Whether a record is likely to begin at `at`, or too many lines were asked already. */
  private begins(block: Buffer, at: number): boolean {
    const end = block.indexOf(LF, at);
    if (end < 0) return false;
    if (++this.asked > MOST_ASKED) return true;
    const stop = end > at && block[end - 1] === 13 ? end - 1 : end;
    return this.plan.begins(block, at, stop);
  }
}
