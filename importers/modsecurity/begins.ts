/**
 * Which transactions begin within others. A client can write the lines of a whole transaction into the body of its
 * request, so that they count only where the end of the transaction around them is nowhere: the server was stopped.
 */
import type { ByteOffset } from '../../engine/contract/event.ts';
import type { SourceInput } from '../../engine/evidence/importer.ts';
import { LineReader } from '../shared/lines.ts';
import { MAX_LINE } from '../shared/read-lines.ts';
import { boundaryOf, isHead } from './transaction.ts';

/** From a transaction's begin to its end: far more than servers log of a body. */
const MAX_LENGTH: ByteOffset = 32 * 1024 * 1024;
/** Beyond these, transactions are taken for parts of the one they are in. */
const MAX_BEGINS = 1_000_000;
/** Entries that are done with before the list of them is cut. */
const MANY_PASSED = 1000;
const HYPHEN = 45;

interface Begin {
  readonly id: string;
  readonly offset: ByteOffset;
  readonly isWhole: boolean;
  /** Of its last line, once that was seen. */
  end?: ByteOffset;
}

class BeginScan {
  readonly found = new Set<ByteOffset>();
  private around: Begin | undefined;
  /** Begins within it, from `next` on. */
  private within: Begin[] = [];
  private next = 0;
  private readonly byId = new Map<string, Begin>();
  /** A begin if the line after it is what section A consists of. */
  private doubtful: Begin | undefined;

  line(bytes: Buffer, offset: ByteOffset): void {
    const { doubtful } = this;
    if (doubtful === undefined && bytes[0] !== HYPHEN) return;
    this.doubtful = undefined;
    const text = bytes.toString('latin1');
    if (doubtful !== undefined && isHead(text)) {
      this.within.push(doubtful);
      this.byId.set(doubtful.id, doubtful);
      if (offset - this.around!.offset > MAX_LENGTH) this.giveUp(offset);
    }
    const boundary = boundaryOf(text);
    if (boundary === undefined) return;
    const { id, section } = boundary;
    const begin = { id, offset, isWhole: section === 'A' };
    if (section === 'Z') this.end(id, offset);
    else if (this.around === undefined) this.around = begin;
    else if (begin.isWhole && !this.around.isWhole) this.enter(begin);
    else if (begin.isWhole) this.doubtful = begin;
  }

  /** The transaction around all others has no end, nor those within that begin too far before `offset`. */
  giveUp(offset: ByteOffset): void {
    const { within, found } = this;
    while (this.next < within.length) {
      const begin = this.pass();
      const { end } = begin;
      if (found.size < MAX_BEGINS) found.add(begin.offset);
      this.around = end === undefined ? begin : undefined;
      if (end !== undefined) while ((within[this.next]?.offset ?? end) < end) this.pass();
      else if (offset - begin.offset <= MAX_LENGTH) break;
    }
    if (this.next <= MANY_PASSED) return;
    this.within = within.slice(this.next);
    this.next = 0;
  }

  private end(id: string, offset: ByteOffset): void {
    const inner = this.byId.get(id);
    if (id === this.around?.id) this.enter(undefined);
    else if (inner !== undefined) inner.end ??= offset;
  }

  private enter(around: Begin | undefined): void {
    this.around = around;
    this.within = [];
    this.next = 0;
    this.byId.clear();
  }

  private pass(): Begin {
    const begin = this.within[this.next]!;
    this.next += 1;
    if (this.byId.get(begin.id) === begin) this.byId.delete(begin.id);
    return begin;
  }
}

/** Offsets of their first lines. */
export async function beginsWithin(input: SourceInput): Promise<ReadonlySet<ByteOffset>> {
  const scan = new BeginScan();
  const lines = new LineReader(input.blocks(), { size: input.size, maxLine: MAX_LINE });
  try {
    while (await lines.nextBlock()) {
      while (lines.next()) {
        const { buffer, lineStart, lineEnd, lineOffset, truncated } = lines;
        scan.line(buffer.subarray(lineStart, truncated ? lineStart : lineEnd), lineOffset);
      }
    }
  } catch {
    // The main pass gets and reports the same error.
  }
  scan.giveUp(Infinity);
  return scan.found;
}
