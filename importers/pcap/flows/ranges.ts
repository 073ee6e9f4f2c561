/**
 * Ranges of a TCP stream that arrived before what precedes them, as sorted lists in one pool. Only flows with
 * disorder or loss have any. Sequence numbers are relative and compared modulo 2^32.
 */

/** Maximum number of ranges of one side of a flow; further ones are dropped. */
const MAX_PER_SIDE = 64;
/** Ranges all flows together may hold. */
const MAX_TOTAL = 1 << 20;

export class Ranges {
  /** Index 0 means none. */
  from = new Uint32Array(64);
  to = new Uint32Array(64);
  next = new Uint32Array(64);
  private free = 0;
  private used = 1;

  /** Adds [from, to) to the list that starts at `first`. @returns the list's new start */
  add(first: number, from: number, to: number): number {
    let before = 0;
    let at = first;
    let seen = 0;
    while (at !== 0 && ((this.to[at]! - from) | 0) < 0) {
      before = at;
      at = this.next[at]!;
      seen += 1;
    }
    if (at !== 0 && ((this.from[at]! - to) | 0) <= 0) {
      // Touches or overlaps: the range grows, and absorbs what it reaches.
      if (((from - this.from[at]!) | 0) < 0) this.from[at] = from;
      if (((to - this.to[at]!) | 0) > 0) this.to[at] = to;
      let after = this.next[at]!;
      while (after !== 0 && ((this.from[after]! - this.to[at]!) | 0) <= 0) {
        if (((this.to[after]! - this.to[at]!) | 0) > 0) this.to[at] = this.to[after]!;
        const gone = after;
        after = this.next[after]!;
        this.release(gone);
      }
      this.next[at] = after;
      return first;
    }
    for (let i = at; i !== 0; i = this.next[i]!) seen += 1;
    if (seen >= MAX_PER_SIDE) return first;
    const made = this.take();
    if (made === 0) return first;
    this.from[made] = from;
    this.to[made] = to;
    this.next[made] = at;
    if (before === 0) return made;
    this.next[before] = made;
    return first;
  }

  /** Frees the first range of a list. @returns the list's new start */
  shift(first: number): number {
    const after = this.next[first]!;
    this.release(first);
    return after;
  }

  clear(first: number): void {
    let at = first;
    while (at !== 0) at = this.shift(at);
  }

  /** End of the last range. */
  end(first: number): number {
    let at = first;
    while (this.next[at]! !== 0) at = this.next[at]!;
    return this.to[at]!;
  }

  /** Bytes in a list. */
  size(first: number): number {
    let sum = 0;
    for (let at = first; at !== 0; at = this.next[at]!) {
      sum += (this.to[at]! - this.from[at]!) >>> 0;
    }
    return sum;
  }

  private take(): number {
    const free = this.free;
    if (free !== 0) {
      this.free = this.next[free]!;
      return free;
    }
    if (this.used >= MAX_TOTAL) return 0;
    if (this.used === this.from.length) {
      this.from = doubled(this.from);
      this.to = doubled(this.to);
      this.next = doubled(this.next);
    }
    return this.used++;
  }

  private release(at: number): void {
    this.next[at] = this.free;
    this.free = at;
  }
}

function doubled(values: Uint32Array): Uint32Array<ArrayBuffer> {
  const bigger = new Uint32Array(values.length * 2);
  bigger.set(values);
  return bigger;
}
