/**
 * Hashes of a content's lines, by which equal lines are found in another source, whatever its name, compression or
 * length. Whole runs of lines are compared, so 32 bits per line suffice; it is no defence against lines that were
 * made to collide.
 */
const LF = 10;
/** Maximum number of lines of a source, at 4 bytes each; longer sources are not compared. */
const MOST_LINES = 4_194_304;
const FIRST_ROOM = 4096;
/** The hash of an incomplete line: it is in quarantine, and equals no line of another source. */
const LOST_LINE = 0;

/** The lines of a content, in order. */
export interface HashedLines {
  readonly hashes: Uint32Array;
  /** Line feed included. */
  readonly lengths: Uint32Array;
}

export class LineHasher {
  private hashes = new Uint32Array(FIRST_ROOM);
  private lengths = new Uint32Array(FIRST_ROOM);
  private lines = 0;
  /** The beginning of a line that ends in the next block. */
  private rest: Uint8Array = new Uint8Array(0);
  /** Whether the next line may be incomplete because of a gap. */
  private afterGap = false;

  /** Called where content is missing. */
  gap(): void {
    if (this.rest.length > 0) {
      this.afterGap = true;
      this.add(this.rest, 0, this.rest.length);
      this.rest = new Uint8Array(0);
    }
    this.afterGap = true;
  }

  /** @param block copied as needed */
  update(block: Uint8Array): void {
    if (this.lines > MOST_LINES) return;
    const bytes = Buffer.from(block.buffer, block.byteOffset, block.length);
    let at = 0;
    if (this.rest.length > 0) {
      const end = bytes.indexOf(LF) + 1;
      this.rest = Buffer.concat([this.rest, end === 0 ? bytes : bytes.subarray(0, end)]);
      if (end === 0) return;
      this.add(this.rest, 0, this.rest.length);
      this.rest = new Uint8Array(0);
      at = end;
    }
    for (;;) {
      const end = bytes.indexOf(LF, at) + 1;
      if (end === 0) break;
      this.add(bytes, at, end);
      at = end;
    }
    if (at < bytes.length) this.rest = Uint8Array.from(bytes.subarray(at));
  }

  /** Undefined if there are too many lines. */
  end(): HashedLines | undefined {
    if (this.rest.length > 0) this.add(this.rest, 0, this.rest.length);
    if (this.lines > MOST_LINES) return undefined;
    return {
      hashes: this.hashes.slice(0, this.lines),
      lengths: this.lengths.slice(0, this.lines),
    };
  }

  private add(bytes: Uint8Array, from: number, to: number): void {
    if (this.lines === this.hashes.length) {
      if (this.lines >= MOST_LINES) {
        this.lines = MOST_LINES + 1;
        return;
      }
      this.hashes = larger(this.hashes);
      this.lengths = larger(this.lengths);
    }
    if (this.lines > MOST_LINES) return;
    // A last line without a line feed, or one with CR LF, is the same line.
    let end = to;
    if (end > from && bytes[end - 1] === LF) end -= 1;
    if (end > from && bytes[end - 1] === 13) end -= 1;
    this.hashes[this.lines] = this.afterGap ? LOST_LINE : hashOf(bytes, from, end);
    this.afterGap = false;
    this.lengths[this.lines++] = to - from;
  }
}

function larger(list: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const out = new Uint32Array(Math.min(2 * list.length, MOST_LINES));
  out.set(list);
  return out;
}

/** Murmur's mixing, four bytes at a time. The values are stored in cases and must not change. */
function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x2545f491 ^ (to - from);
  let at = from;
  for (const whole = to - 3; at < whole; at += 4) {
    const word =
      bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
    hash = Math.imul(hash ^ Math.imul(word, 0xcc9e2d51), 0x1b873593);
    hash = (hash << 13) | (hash >>> 19);
  }
  for (; at < to; at++) {
    hash = Math.imul(hash ^ bytes[at]!, 0x01000193);
    hash ^= hash >>> 15;
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
