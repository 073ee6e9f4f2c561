/**
 * A source that several workers read in pieces, as the coordinator sees it.
 *
 * Pieces are dealt as soon as they are cut, each with the position that is foreseen for its start, and
 * are committed in order. What a piece brings counts only once the piece before it has ended exactly
 * where, and as, it was begun; else it is read again from there. So what is committed is at any time what
 * one worker would have committed, and where a content cannot be read in pieces after all, one worker
 * goes on by leaving out what is in the case.
 *
 * Where a leader goes through the content (`LedPlan`), its chunk is committed before those of the piece.
 */
import type { ByteOffset } from '../contract/event.ts';
import type { Piece, ReadPosition } from '../contract/importer.ts';
import type {
  Checkpoint,
  FromWorker,
  PieceCut,
  PieceJob,
  SkipPlan,
  SourceEnd,
  SourceState,
  SplitSourcePlan,
} from './protocol.ts';
import { emptySourceState } from './source-state.ts';

export type ChunkMessage = Extract<FromWorker, { type: 'chunk' }>;

/** A chunk whose turn has come. */
export interface ReadyChunk {
  readonly chunk: ChunkMessage;
  /** Of the source, from its first byte. */
  readonly state: SourceState;
  /** To be added to the rows' numbers. */
  readonly recordShift: number;
}

interface PieceState {
  from: ReadPosition;
  until: ByteOffset | undefined;
  checkpoint: Checkpoint | undefined;
  known: Piece['known'];
  attempt: number;
  given: boolean;
  /** Whether `from` is where the piece before ended. */
  certain: boolean;
  /** What the leader has made up to the end of it, and whether that was handed out. */
  lead: ChunkMessage | undefined;
  led: boolean;
  chunks: ChunkMessage[];
}

const START: ReadPosition = { offset: 0, line: 0, records: 0, state: '' };
/** Pieces that may have begun wrongly before the rest is read by one worker. */
const MOST_WRONG = 8;
const MAX_NOTES = 100;

export class SplitSource {
  readonly plan: SplitSourcePlan;
  private readonly pieces: PieceState[] = [newPiece(START)];
  private readonly startedAt = performance.now();
  private current = 0;
  private at = START;
  private atPiece: SourceState;
  /** What the leader has made of the source. */
  private lead: SourceState;
  private total: SourceState;
  private wrong = 0;
  private end: SourceEnd | undefined;
  private stopped = false;
  /** Chunks that are not to be committed: read again, or by one worker. */
  readonly discarded: ChunkMessage[] = [];

  constructor(plan: SplitSourcePlan) {
    this.plan = plan;
    this.atPiece = emptySourceState(plan.sourceId);
    this.lead = this.atPiece;
    this.total = this.atPiece;
  }

  /** Whether the whole content was handed out by `ready`. */
  get complete(): boolean {
    return this.total.done !== undefined;
  }

  /** Whether it cannot be read in pieces any further. */
  get failed(): boolean {
    return this.stopped;
  }

  /** What one worker has to leave out that reads the source after this failed. */
  get skip(): SkipPlan {
    const { emitted, quarantineMet } = this.total;
    return { resume: { rows: emitted, quarantined: quarantineMet }, duplicate: undefined };
  }

  /** Cuts that may be known when `ahead` pieces are to lie before the one being committed. */
  cutsAllowed(ahead: number): number {
    return this.current + ahead;
  }

  cut({ until, checkpoint, next, known }: PieceCut): void {
    const last = this.pieces.at(-1)!;
    last.until = until;
    last.checkpoint = checkpoint;
    last.known = known;
    this.pieces.push(newPiece(next));
  }

  /** The content was seen to its end, or cannot be. */
  surveyed(end: SourceEnd | undefined, known: Piece['known']): void {
    if (end === undefined || end.contentSize !== this.plan.contentSize) {
      this.fail();
      return;
    }
    this.end = end;
    const last = this.pieces.at(-1)!;
    last.until = end.contentSize;
    last.known = known;
  }

  /** The next piece to read, of those at most `ahead` before the one being committed. */
  nextJob(ahead: number): PieceJob | undefined {
    const found = this.nextPiece(ahead);
    if (found === undefined) return undefined;
    const [piece, index] = found;
    piece.given = true;
    const { shared } = this.plan;
    const { from, until, attempt, known } = piece;
    return { source: this.plan, index, attempt, piece: { shared, from, until: until!, known } };
  }

  hasJob(ahead: number): boolean {
    return this.nextPiece(ahead) !== undefined;
  }

  /** How many pieces could be read now. */
  jobs(ahead: number): number {
    return this.readable(ahead).length;
  }

  private nextPiece(ahead: number): [PieceState, number] | undefined {
    const piece = this.readable(ahead)[0];
    return piece && [piece, this.pieces.indexOf(piece)];
  }

  private readable(ahead: number): PieceState[] {
    if (this.stopped) return [];
    return this.pieces
      .slice(this.current, this.current + ahead)
      .filter(({ given, until }) => !given && until !== undefined);
  }

  /** Takes what a worker has read of a piece. */
  take(chunk: ChunkMessage): void {
    const { index, attempt, leads } = chunk.piece!;
    const piece = this.pieces[index];
    if (leads === true && piece !== undefined && !this.stopped) piece.lead = chunk;
    else if (
      this.stopped ||
      piece === undefined ||
      piece.attempt !== attempt ||
      index < this.current
    ) {
      this.discarded.push(chunk);
    } else {
      piece.chunks.push(chunk);
    }
  }

  /** The chunks whose turn has come, in order. */
  *ready(): Generator<ReadyChunk> {
    while (!this.stopped && !this.complete) {
      const piece = this.pieces[this.current];
      if (piece === undefined) return;
      if (!piece.certain && !this.makeCertain(piece)) {
        if (piece.until === undefined) return;
        continue;
      }
      if (this.plan.led && !piece.led) {
        const { lead } = piece;
        if (lead === undefined) return;
        piece.lead = undefined;
        piece.led = true;
        [this.lead] = lead.sources as [SourceState];
        const state = this.advance(emptySourceState(this.plan.sourceId), piece.from.offset);
        yield { chunk: lead, state, recordShift: 0 };
        continue;
      }
      const chunk = piece.chunks[0];
      if (chunk === undefined) return;
      const end = chunk.piece!.end;
      if (end !== undefined && 'problem' in end) {
        this.fail();
        return;
      }
      // The content ends where the survey saw more of it: it was cut off since.
      if (end !== undefined && end.position.offset < piece.until!) {
        this.fail();
        return;
      }
      const isLast = end !== undefined && end.position.offset >= this.plan.contentSize;
      if (isLast && this.end === undefined) return;
      piece.chunks.shift();
      const state = this.advance(chunk.sources[0]!, end?.position.offset ?? piece.from.offset);
      if (isLast) state.done = this.end;
      const recordShift = this.at.records - piece.from.records;
      if (end !== undefined) {
        const { position } = end;
        this.at = { ...position, records: position.records + recordShift };
        this.atPiece = sumOf(this.atPiece, chunk.sources[0]!);
        piece.known = undefined;
        this.current += 1;
      }
      yield { chunk, state, recordShift };
    }
  }

  /**
   * Compares where a piece begins with where the one before ended. False when it begins wrongly, and is
   * to be read again, or has nothing left.
   */
  private makeCertain(piece: PieceState): boolean {
    const { at } = this;
    const { offset, line, state } = piece.from;
    if (offset === at.offset && line === at.line && state === at.state) {
      piece.certain = true;
      return true;
    }
    if (piece.until === undefined) return false;
    if (this.plan.led) {
      // What the leader knows is of other records.
      this.fail();
      return false;
    }
    this.discarded.push(...piece.chunks);
    piece.chunks = [];
    piece.attempt += 1;
    if (piece.until <= at.offset) {
      this.current += 1;
      return false;
    }
    piece.from = at;
    piece.given = false;
    piece.certain = true;
    this.wrong += 1;
    if (this.wrong > MOST_WRONG) this.fail();
    return false;
  }

  private passed: Checkpoint | undefined;
  /** The source's state when the current piece is at `own`. */
  private advance(own: SourceState, offset: ByteOffset): SourceState {
    this.total = sumOf(this.lead, sumOf(this.atPiece, own));
    this.total.elapsedMs = performance.now() - this.startedAt;
    const behind = this.pieces
      .slice(this.current, this.current + 3)
      .find(({ until, checkpoint }) => checkpoint !== undefined && until! >= offset);
    if (behind !== undefined) this.passed = behind.checkpoint;
    this.total.checkpointBytes = this.passed?.bytes ?? 0;
    this.total.checkpointSha256 = this.passed?.sha256;
    return this.total;
  }

  private fail(): void {
    this.stopped = true;
    for (const piece of this.pieces) {
      this.discarded.push(...piece.chunks);
      if (piece.lead !== undefined) this.discarded.push(piece.lead);
      piece.chunks = [];
      piece.lead = undefined;
      piece.known = undefined;
    }
  }
}

function newPiece(from: ReadPosition): PieceState {
  return {
    from,
    until: undefined,
    checkpoint: undefined,
    known: undefined,
    attempt: 0,
    given: false,
    certain: false,
    lead: undefined,
    led: false,
    chunks: [],
  };
}

/** What is known of a source after a piece, `more`, when `before` was known before it. */
function sumOf(before: SourceState, more: SourceState): SourceState {
  return {
    ...before,
    read: before.read + more.read,
    stored: before.stored + more.stored,
    duplicate: before.duplicate + more.duplicate,
    quarantined: before.quarantined + more.quarantined,
    quarantineMet: before.quarantineMet + more.quarantineMet,
    skippedReasons: sums(before.skippedReasons, more.skippedReasons),
    emitted: sums(before.emitted, more.emitted),
    firstTs: least(before.firstTs, more.firstTs),
    lastTs: most(before.lastTs, more.lastTs),
    decisions: { ...before.decisions, ...more.decisions },
    metadata: { ...before.metadata, ...more.metadata },
    notes: [...new Set([...before.notes, ...more.notes])].slice(0, MAX_NOTES),
  };
}

function sums(a: Record<string, number>, b: Record<string, number>): Record<string, number> {
  const out = { ...a };
  for (const [name, n] of Object.entries(b)) out[name] = (out[name] ?? 0) + n;
  return out;
}

function least(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : b === undefined ? a : Math.min(a, b);
}
function most(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : b === undefined ? a : Math.max(a, b);
}
