/**
 * Numbers as bits, the lowest bit first, in 32-bit little-endian words.
 *
 * Codes: Rice (quotient unary, remainder binary; https://en.wikipedia.org/wiki/Golomb_coding) and
 * exponential Golomb, whose order 0 is Elias gamma of n + 1.
 */
import { DaybookError } from '../contract/errors.ts';

export class BitWriter {
  private words = new Uint32Array(256);
  /** Words that are full. */
  private word = 0;
  /** Bits used of the next word, below 32. */
  private fill = 0;

  /** Bits written. */
  get bits(): number {
    return this.word * 32 + this.fill;
  }

  clear(): void {
    this.words.fill(0, 0, this.word + 2);
    this.word = 0;
    this.fill = 0;
  }

  /** The lowest `bits` (0 to 32) of `value`, whose others must be 0. */
  put(value: number, bits: number): void {
    if (this.word + 2 >= this.words.length) this.grow();
    const { words, word, fill } = this;
    words[word]! |= value << fill;
    const end = fill + bits;
    if (end >= 32) {
      words[word + 1] = fill === 0 ? 0 : value >>> (32 - fill);
      this.word = word + 1;
      this.fill = end - 32;
    } else {
      this.fill = end;
    }
  }

  rice(value: number, k: number): void {
    const zeros = value >>> k;
    // Most codes fit into a word: zeros, a one, the rest.
    if (zeros + k < 32) {
      const rest = k === 0 ? 0 : value & ((1 << k) - 1);
      this.put((((rest << 1) | 1) << zeros) >>> 0, zeros + 1 + k);
      return;
    }
    this.unary(zeros);
    if (k > 0) this.put(value & ((1 << k) - 1), k);
  }

  expGolomb(value: number, k: number): void {
    const high = (value >>> k) + 1;
    const length = 31 - Math.clz32(high);
    if (length * 2 + k < 32) {
      const upper = high & ((1 << length) - 1);
      const rest = value & ((1 << k) - 1);
      this.put((((((rest << length) | upper) << 1) | 1) << length) >>> 0, length * 2 + 1 + k);
      return;
    }
    this.unary(length);
    if (length > 0) this.put(high & ((1 << length) - 1), length);
    if (k > 0) this.put(value & ((1 << k) - 1), k);
  }

  /** Ascending rows: the gaps between them in Rice codes, of the first from row 0. */
  riceGaps(rows: Uint32Array, from: number, to: number, k: number): void {
    const low = k === 0 ? 0 : (1 << k) - 1;
    let { words, word, fill } = this;
    let before = -1;
    for (let i = from; i < to; i++) {
      const gap = rows[i]! - before - 1;
      before = rows[i]!;
      const zeros = gap >>> k;
      if (zeros + k >= 32 || word + 2 >= words.length) {
        this.word = word;
        this.fill = fill;
        this.rice(gap, k);
        ({ words, word, fill } = this);
        continue;
      }
      const code = ((((gap & low) << 1) | 1) << zeros) >>> 0;
      words[word]! |= code << fill;
      const end = fill + zeros + 1 + k;
      if (end < 32) fill = end;
      else {
        word += 1;
        words[word] = fill === 0 ? 0 : code >>> (32 - fill);
        fill = end - 32;
      }
    }
    this.word = word;
    this.fill = fill;
  }

  /** Appends what another writer has written. */
  append(other: BitWriter): void {
    for (let i = 0; i < other.word; i++) this.put(other.words[i]!, 32);
    if (other.fill > 0) this.put(other.words[other.word]!, other.fill);
  }

  /** The words written so far, as bytes in a new array. */
  bytes(): Uint8Array {
    const length = this.word + (this.fill > 0 ? 1 : 0);
    return new Uint8Array(this.words.slice(0, length).buffer);
  }

  private unary(zeros: number): void {
    let left = zeros;
    for (; left >= 32; left -= 32) this.put(0, 32);
    this.put((1 << left) >>> 0, left + 1);
  }

  private grow(): void {
    const bigger = new Uint32Array(this.words.length * 2);
    bigger.set(this.words);
    this.words = bigger;
  }
}

/** Reads what a BitWriter wrote. Invalid bits throw DaybookError case-damaged. */
export class BitReader {
  readonly words: Uint32Array<ArrayBuffer>;
  /** Bits read. */
  at = 0;
  private readonly limit: number;

  /** Copies `bytes`. */
  constructor(bytes: Uint8Array) {
    // Extra words, so that reading a number's last bits needs no check for the end.
    this.words = new Uint32Array(((bytes.length + 3) >>> 2) + 2);
    new Uint8Array(this.words.buffer).set(bytes);
    this.limit = bytes.length * 8;
  }

  /** Whether more was read than there is. */
  get exceeded(): boolean {
    return this.at > this.limit;
  }

  get(bits: number): number {
    if (bits === 0) return 0;
    const value = this.window();
    this.at += bits;
    if (this.at > this.limit) throw damagedBits();
    return bits === 32 ? value : value & ((1 << bits) - 1);
  }

  rice(k: number): number {
    const quotient = this.unary();
    return quotient * 2 ** k + this.get(k);
  }

  expGolomb(k: number): number {
    const length = this.unary();
    if (length > 31) throw damagedBits();
    const high = ((1 << length) >>> 0) + this.get(length) - 1;
    return high * 2 ** k + this.get(k);
  }

  private unary(): number {
    let zeros = 0;
    let window = this.window();
    while (window === 0) {
      this.at += 32;
      zeros += 32;
      if (this.at > this.limit) throw damagedBits();
      window = this.window();
    }
    const more = 31 - Math.clz32(window & -window);
    this.at += more + 1;
    if (this.at > this.limit) throw damagedBits();
    return zeros + more;
  }

  /** The next 32 bits. */
  private window(): number {
    const word = this.at >>> 5;
    const shift = this.at & 31;
    const low = this.words[word] ?? 0;
    if (shift === 0) return low;
    return ((low >>> shift) | ((this.words[word + 1] ?? 0) << (32 - shift))) >>> 0;
  }
}

function damagedBits(): DaybookError {
  return new DaybookError(
    'case-damaged',
    'an index of a segment is damaged',
    'to rebuild it, run: daybook verify CASE --repair',
  );
}
