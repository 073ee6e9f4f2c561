/** A buffer of bytes that wait for more. Appending costs only the appended bytes, however many are buffered. */
const LEAST = 256;

/** An array takes 400 bytes in addition to its content, and most buffers of most connections are empty. */
const EMPTY: Uint8Array = new Uint8Array(0);

export class HeldBytes {
  private memory = EMPTY;
  private from = 0;
  private to = 0;

  get length(): number {
    return this.to - this.from;
  }

  /** Allocated bytes. */
  get capacity(): number {
    return this.memory.length;
  }

  /** The buffered bytes; valid until the next append. */
  get bytes(): Uint8Array {
    return this.memory.subarray(this.from, this.to);
  }

  append(part: Uint8Array): void {
    const { memory, from, to } = this;
    const size = to - from + part.length;
    if (to + part.length > memory.length) {
      const isRoomy = size <= memory.length >>> 1;
      const next = isRoomy ? memory : new Uint8Array(Math.max(LEAST, 2 * size));
      next.set(memory.subarray(from, to));
      this.memory = next;
      this.from = 0;
      this.to = to - from;
    }
    this.memory.set(part, this.to);
    this.to += part.length;
  }

  /** Forgets the first `size` bytes. */
  drop(size: number): void {
    this.from += size;
    if (this.from >= this.to) this.clear();
  }

  clear(): void {
    this.memory = EMPTY;
    this.from = 0;
    this.to = 0;
  }
}
