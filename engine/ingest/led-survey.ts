/**
 * The pass of the leader over a source that is read in pieces: hashes it, and has the importer make what
 * depends on records of all pieces.
 */
import type { EventSink, LedPlan, PieceSize, SourceInput } from '../contract/importer.ts';
import { HashedInput } from './hashed-input.ts';
import type { PieceCut, SourceEnd } from './protocol.ts';

export class LedSurvey {
  /** Of the piece behind the last cut, once `cuts` has ended. */
  known: Uint32Array<ArrayBuffer> | undefined;
  private readonly plan: LedPlan;
  private readonly size: PieceSize;
  private readonly sink: EventSink;
  private content: HashedInput | undefined;
  private complete = false;

  /** @param sink takes what is for no piece */
  constructor(plan: LedPlan, size: PieceSize, sink: EventSink) {
    this.plan = plan;
    this.size = size;
    this.sink = sink;
  }

  /**
   * Goes over the content; cuts come in order, none at its start or end.
   * @throws what `input` and the sink throw
   */
  async *cuts(input: SourceInput): AsyncGenerator<PieceCut> {
    const content = new HashedInput(input);
    this.content = content;
    for await (const { next, known } of this.plan.lead(content, this.sink, this.size)) {
      if (next === undefined) {
        this.known = known;
        this.complete = true;
        return;
      }
      // Blocks are hashed before they are looked at: all of the piece is in it.
      const checkpoint = { bytes: content.hashed, sha256: content.digest() };
      yield { until: next.offset, checkpoint, next, known };
    }
  }

  /** What is known of the content once `cuts` has ended; undefined: the rest has to be read in one. */
  end(): SourceEnd | undefined {
    const { content, complete } = this;
    if (!complete) return undefined;
    const size = content?.hashed ?? 0;
    const sha256 = content?.digest() ?? '';
    return {
      rawSize: size,
      rawSha256: sha256,
      contentSize: size,
      contentSha256: sha256,
      wholeLines: content?.lastByte === 10,
      error: undefined,
      broken: undefined,
      lines: undefined,
    };
  }
}
