/**
 * Octet-counted frames, consecutive `LENGTH SP SYSLOG-MSG`, as syslog over TCP and TLS is recorded: RFC 6587
 * section 3.4.1, RFC 5425 section 4.3. Used like the shared line reader.
 *
 * Invariants: the result depends on the content alone, never on block sizes; memory stays below a few times the
 * longest frame; bytes that are not a frame are returned up to their line's end, as a message if they begin with a
 * priority (some senders mix both framings), otherwise as `bad`.
 */
import { isUtf8 } from 'node:buffer';
import type { ByteOffset } from '../../engine/contract/event.ts';
import type { LineEncoding } from '../shared/lines.ts';

/** A larger count is not that of a frame. */
export const MAX_FRAME_BYTES = 1024 * 1024;
const REGION_BYTES = 512 * 1024;
const MAX_DIGITS = 7;

/** The start and end of the message according to the count at `at`, if there is one. */
function frameAt(
  b: Uint8Array,
  at: number,
  end: number,
): { start: number; end: number } | undefined {
  let i = at;
  let size = 0;
  while (i < end && i < at + MAX_DIGITS && b[i]! >= 48 && b[i]! <= 57) {
    size = size * 10 + (b[i]! - 48);
    i++;
  }
  if (i === at || i >= end || b[at] === 48 || b[i] !== 32 || size > MAX_FRAME_BYTES)
    return undefined;
  return { start: i + 1, end: i + 1 + size };
}

/** Whether a content's head is framed: a count, a priority, and a valid continuation after that frame. */
export function looksFramed(head: Uint8Array, complete: boolean): boolean {
  const frame = frameAt(head, 0, head.length);
  if (frame === undefined || head[frame.start] !== 60) return false;
  let i = frame.start + 1;
  while (i < head.length && i < frame.start + 4 && head[i]! >= 48 && head[i]! <= 57) i++;
  if (i === frame.start + 1 || head[i] !== 62) return false;
  let next = frame.end;
  if (next >= head.length) {
    // The only frame in sight: its message must not be a line of a log that ends long before.
    const lf = head.indexOf(10);
    return lf < 0 || lf >= next - 1 || (!complete && next > head.length);
  }
  while (next < head.length && (head[next] === 10 || head[next] === 13)) next++;
  if (next >= head.length) return true;
  const second = frameAt(head, next, head.length);
  return second !== undefined && (second.start >= head.length || head[second.start] === 60);
}

export class FrameReader {
  buffer: Uint8Array = new Uint8Array(REGION_BYTES);
  encoding: LineEncoding = 'ascii';
  /** The message is `buffer[lineStart, lineEnd)`. */
  lineStart = 0;
  lineEnd = 0;
  /** The frame in the content, its count included. */
  lineOffset: ByteOffset = 0;
  lineLength = 0;
  /** Why these bytes are not a frame; undefined for a valid one. */
  bad: string | undefined;
  /** Whether the content ends within a frame. */
  isCutOff = false;

  private readonly iterator: AsyncIterator<Uint8Array>;
  protected filled = 0;
  protected at = 0;
  protected base: ByteOffset = 0;
  private needed = 1;
  protected ended = false;
  private failed = false;
  private failure: unknown;

  constructor(blocks: AsyncIterable<Uint8Array>) {
    this.iterator = blocks[Symbol.asyncIterator]();
  }

  get consumed(): ByteOffset {
    return this.base + this.at;
  }

  /** Loads more; false at the end. Throws the content's error once everything before was returned. */
  async nextBlock(): Promise<boolean> {
    this.base += this.at;
    this.buffer.copyWithin(0, this.at, this.filled);
    this.filled -= this.at;
    this.at = 0;
    const wanted = Math.max(this.needed, Math.min(REGION_BYTES, this.filled + 1));
    while (!this.ended && this.filled < wanted) {
      try {
        const next = await this.iterator.next();
        if (next.done === true) this.ended = true;
        else this.append(next.value);
      } catch (error) {
        this.ended = true;
        this.failed = true;
        this.failure = error;
      }
    }
    if (this.filled === 0) {
      if (this.failed) {
        this.failed = false;
        throw this.failure;
      }
      return false;
    }
    // A message that is partly outside may look invalid here: then it is only examined more closely.
    this.encoding = isUtf8(this.buffer.subarray(0, this.filled)) ? 'utf8' : 'mixed';
    return true;
  }

  /** Moves to the next loaded frame. */
  next(): boolean {
    const b = this.buffer;
    while (this.at < this.filled && (b[this.at] === 10 || b[this.at] === 13)) this.at++;
    const at = this.at;
    const left = this.filled - at;
    if (left === 0) return this.wait(1);
    if (left <= MAX_DIGITS && !this.ended) return this.wait(MAX_DIGITS + 1);
    const frame = frameAt(b, at, this.filled);
    if (frame === undefined) return this.skipLine(at);
    if (frame.end > this.filled) {
      if (!this.ended) return this.wait(frame.end - at);
      this.isCutOff = true;
      return this.give(at, at, this.filled, 'frame is cut short');
    }
    let end = frame.end;
    while (end > frame.start && (b[end - 1] === 10 || b[end - 1] === 13)) end--;
    this.give(at, frame.start, frame.end, undefined);
    this.lineEnd = end;
    return true;
  }

  async close(): Promise<void> {
    this.ended = true;
    await this.iterator.return?.();
  }

  /** Not a frame: bad up to the line's end, or to the bound. */
  private skipLine(at: number): boolean {
    const lf = this.buffer.subarray(at, this.filled).indexOf(10);
    if (lf >= 0 && lf < MAX_FRAME_BYTES) return this.giveLine(at, at + lf);
    if (this.filled - at >= MAX_FRAME_BYTES) {
      return this.give(at, at, at + MAX_FRAME_BYTES, 'not a frame');
    }
    if (!this.ended) return this.wait(Math.min(MAX_FRAME_BYTES, this.filled - at + REGION_BYTES));
    return this.giveLine(at, this.filled);
  }

  /** A line that begins with a priority is a message that was sent without a count: RFC 6587 section 3.4.2. */
  private giveLine(at: number, end: number): boolean {
    let stop = end;
    while (stop > at && this.buffer[stop - 1] === 13) stop--;
    return this.give(at, at, stop, this.buffer[at] === 60 ? undefined : 'not a frame');
  }

  protected give(at: number, start: number, end: number, bad: string | undefined): boolean {
    this.lineStart = start;
    this.lineEnd = end;
    this.lineOffset = this.base + at;
    this.lineLength = end - at;
    this.bad = bad;
    this.at = end;
    return true;
  }

  protected wait(bytes: number): boolean {
    this.needed = bytes;
    return false;
  }

  private append(block: Uint8Array): void {
    const size = this.filled + block.length;
    if (size > this.buffer.length) {
      const larger = new Uint8Array(Math.max(size, this.buffer.length * 2));
      larger.set(this.buffer.subarray(0, this.filled));
      this.buffer = larger;
    }
    this.buffer.set(block, this.filled);
    this.filled = size;
  }
}
