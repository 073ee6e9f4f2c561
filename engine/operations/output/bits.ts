/** A set of whole numbers from 0, as one bit each: it grows with the largest, not with how many. */
export class Bits {
  private words = new Uint32Array(64);

  add(number: number): void {
    const at = number >>> 5;
    if (at >= this.words.length) {
      const larger = new Uint32Array(Math.max(at + 1, this.words.length * 2));
      larger.set(this.words);
      this.words = larger;
    }
    this.words[at]! |= 1 << (number & 31);
  }

  has(number: number): boolean {
    return ((this.words[number >>> 5] ?? 0) & (1 << (number & 31))) !== 0;
  }
}
