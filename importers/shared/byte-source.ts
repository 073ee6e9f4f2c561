/**
 * Bytes on demand from a content in blocks, for formats that are parsed piecewise (compressed streams, tar).
 * Buffers at most the requested bytes, one block, and the consumed bytes to be kept (`keep`).
 *
 * A failure of the content first counts as its end, so that everything before it can be used; `failure` then
 * distinguishes it.
 */
const EMPTY = Buffer.alloc(0);

export class ByteSource {
  /** Unread bytes are in [at, end); move `at` to consume them. Replaced by `ensure` and `more`. */
  buffer: Buffer = EMPTY;
  at = 0;
  end = 0;
  /** Whether all there is is in the buffer. */
  ended = false;
  /** The content's error, as a list of at most one. */
  readonly failure: unknown[] = [];

  private readonly blocks: AsyncIterator<Uint8Array>;
  private store = EMPTY;
  /** Position of `buffer[0]`. */
  private base = 0;
  private kept = 0;

  constructor(blocks: AsyncIterable<Uint8Array>) {
    this.blocks = blocks[Symbol.asyncIterator]();
  }

  get available(): number {
    return this.end - this.at;
  }

  /** Bytes consumed since the start. */
  get position(): number {
    return this.base + this.at;
  }

  /** Keeps the last `n` consumed bytes, for `goTo`. Call it before the first byte is requested. */
  keep(n: number): void {
    this.kept = n;
  }

  /** Goes to byte `position`, or to the nearest that is in the buffer. */
  goTo(position: number): void {
    this.at = Math.min(this.end, Math.max(0, position - this.base));
  }

  /** Makes `n` bytes available; false when fewer are left. */
  async ensure(n: number): Promise<boolean> {
    while (this.end - this.at < n) {
      if (!(await this.more())) return false;
    }
    return true;
  }

  /** Adds a block to the unread bytes; false at the end. */
  async more(): Promise<boolean> {
    if (this.ended) return false;
    // The rest is in a block that is valid only until the next one is requested.
    const isLeft = this.at < this.end || this.kept > 0;
    if (isLeft && this.buffer !== this.store) this.moveToStore(0);
    let block: Uint8Array;
    try {
      const next = await this.blocks.next();
      if (next.done === true) {
        this.ended = true;
        return false;
      }
      block = next.value;
    } catch (error) {
      this.ended = true;
      this.failure.push(error);
      return false;
    }
    if (!isLeft) {
      this.base += this.at;
      this.buffer = Buffer.from(block.buffer, block.byteOffset, block.length);
      this.at = 0;
      this.end = block.length;
      return true;
    }
    if (this.end + block.length > this.store.length) this.moveToStore(block.length);
    this.store.set(block, this.end);
    this.end += block.length;
    return true;
  }

  /** Moves the unread and the kept bytes to the front of an own buffer, with room for `extra` more. */
  private moveToStore(extra: number): void {
    const from = Math.max(0, this.at - this.kept);
    const needs = this.buffer.subarray(from, this.end);
    const needed = needs.length + extra;
    // Twice the required size, so that many small blocks are not moved each time.
    if (this.store.length < needed || this.store.length > 8 * needed + 65536) {
      this.store = Buffer.allocUnsafe(2 * needed);
    }
    this.store.set(needs);
    this.base += from;
    this.buffer = this.store;
    this.at -= from;
    this.end = needs.length;
  }

  /** Consumes `n` bytes; false when fewer were left. */
  async skip(n: number): Promise<boolean> {
    let left = n;
    for (;;) {
      const step = Math.min(left, this.end - this.at);
      this.at += step;
      left -= step;
      if (left === 0) return true;
      if (!(await this.more())) return false;
    }
  }

  /** Consumes up to `n` bytes, block by block. A block is valid until the next one. */
  async *take(n: number): AsyncGenerator<Uint8Array, number> {
    let left = n;
    while (left > 0) {
      if (this.at === this.end && !(await this.more())) break;
      const step = Math.min(left, this.end - this.at);
      const block = this.buffer.subarray(this.at, this.at + step);
      this.at += step;
      left -= step;
      yield block;
    }
    return left;
  }

  async close(): Promise<void> {
    if (!this.ended) {
      this.ended = true;
      await this.blocks.return?.();
    }
  }
}

/** Content that is there already, as one block. */
export async function* oneBlock(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
