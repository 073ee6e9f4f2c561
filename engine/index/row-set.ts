/**
 * Numbers of rows of one segment: what an index answers with. Since rows of a segment lie in order of
 * time, a set of them is a histogram and a list at once: counts are ranks, the first rows are the
 * first numbers.
 *
 * Kept as a sorted list where that is shorter than one bit for each row, else as bits. Immutable.
 */

/** Rows of one word of bits. */
const WORD = 32;
/** Words between two entries of the directory of counts. */
const STEP = 16;

export class RowSet {
  /** Rows of the segment: members are smaller. */
  readonly total: number;
  readonly count: number;
  private readonly list: Uint32Array | undefined;
  private readonly words: Uint32Array | undefined;
  /** Members before each STEP words; made when first asked for. */
  private directory: Uint32Array | undefined;

  private constructor(
    total: number,
    count: number,
    list: Uint32Array | undefined,
    words: Uint32Array | undefined,
  ) {
    this.total = total;
    this.count = count;
    this.list = list;
    this.words = words;
  }

  static none(total: number): RowSet {
    return new RowSet(total, 0, new Uint32Array(0), undefined);
  }

  static all(total: number): RowSet {
    return RowSet.range(total, 0, total);
  }

  /** Rows `from` to `to`, the last not included. */
  static range(total: number, from: number, to: number): RowSet {
    const low = Math.max(0, from);
    const high = Math.min(total, to);
    if (low >= high) return RowSet.none(total);
    const words = new Uint32Array(wordsFor(total));
    setBits(words, low, high);
    return new RowSet(total, high - low, undefined, words);
  }

  /** @param rows ascending, no number twice, each below `total`; kept, not copied. */
  static ofSorted(rows: Uint32Array, total: number): RowSet {
    if (rows.length * WORD <= total) return new RowSet(total, rows.length, rows, undefined);
    const words = new Uint32Array(wordsFor(total));
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i]!;
      words[row >>> 5]! |= 1 << (row & 31);
    }
    return new RowSet(total, rows.length, undefined, words);
  }

  /** @param words bit `row & 31` of word `row >>> 5`; none set at or beyond `total`; kept, not copied. */
  static ofWords(words: Uint32Array, total: number): RowSet {
    const count = countBits(words);
    if (count * WORD > total) return new RowSet(total, count, undefined, words);
    const rows = new Uint32Array(count);
    let at = 0;
    forEachBit(words, (row) => {
      rows[at++] = row;
    });
    return new RowSet(total, count, rows, undefined);
  }

  has(row: number): boolean {
    if (this.words !== undefined) return ((this.words[row >>> 5]! >>> (row & 31)) & 1) === 1;
    const at = lowerBound(this.list!, row);
    return at < this.count && this.list![at] === row;
  }

  and(other: RowSet): RowSet {
    if (this.count === 0 || other.count === this.total) return this;
    if (other.count === 0 || this.count === this.total) return other;
    if (this.list !== undefined || other.list !== undefined) {
      const [few, many] =
        this.list !== undefined && (other.list === undefined || this.count <= other.count)
          ? [this, other]
          : [other, this];
      return few.filtered((row) => many.has(row));
    }
    const words = new Uint32Array(this.words!.length);
    for (let i = 0; i < words.length; i++) words[i] = this.words![i]! & other.words![i]!;
    return RowSet.ofWords(words, this.total);
  }

  or(other: RowSet): RowSet {
    if (this.count === 0 || other.count === this.total) return other;
    if (other.count === 0 || this.count === this.total) return this;
    const words = this.toWords();
    if (other.words !== undefined) {
      for (let i = 0; i < words.length; i++) words[i]! |= other.words[i]!;
    } else {
      for (const row of other.list!) words[row >>> 5]! |= 1 << (row & 31);
    }
    return RowSet.ofWords(words, this.total);
  }

  not(): RowSet {
    const words = this.toWords();
    for (let i = 0; i < words.length; i++) words[i] = ~words[i]!;
    clearBeyond(words, this.total);
    return RowSet.ofWords(words, this.total);
  }

  /** Those of these rows that `keep` holds for. */
  filtered(keep: (row: number) => boolean): RowSet {
    const kept = new Uint32Array(this.count);
    let n = 0;
    this.forEach((row) => {
      if (keep(row)) kept[n++] = row;
    });
    return RowSet.ofSorted(kept.slice(0, n), this.total);
  }

  /** Members below `row`. */
  rank(row: number): number {
    if (row <= 0) return 0;
    if (row >= this.total) return this.count;
    if (this.list !== undefined) return lowerBound(this.list, row);
    const words = this.words!;
    const directory = this.ranks();
    const word = row >>> 5;
    const step = Math.floor(word / STEP);
    let n = directory[step]!;
    for (let i = step * STEP; i < word; i++) n += popcount(words[i]!);
    const rest = row & 31;
    return rest === 0 ? n : n + popcount(words[word]! & (0xffff_ffff >>> (32 - rest)));
  }

  /** Members number `from` to `to` (the last not included), ascending. */
  slice(from: number, to: number): Uint32Array {
    const low = Math.max(0, from);
    const high = Math.min(this.count, to);
    if (low >= high) return new Uint32Array(0);
    if (this.list !== undefined) return this.list.subarray(low, high);
    const words = this.words!;
    const directory = this.ranks();
    let step = 0;
    for (let a = 0, b = directory.length; a < b;) {
      const middle = (a + b) >>> 1;
      if (directory[middle]! <= low) {
        step = middle;
        a = middle + 1;
      } else b = middle;
    }
    const out = new Uint32Array(high - low);
    let at = directory[step]!;
    for (let i = step * STEP; at < high; i++) {
      let bits = words[i]!;
      while (bits !== 0) {
        if (at >= low && at < high) out[at - low] = i * WORD + (31 - Math.clz32(bits & -bits));
        at += 1;
        bits &= bits - 1;
      }
    }
    return out;
  }

  forEach(visit: (row: number) => void): void {
    if (this.list !== undefined) for (const row of this.list) visit(row);
    else forEachBit(this.words!, visit);
  }

  /** Sets the bit of each member in `words`, which has one for each row. */
  orInto(words: Uint32Array): void {
    if (this.words !== undefined) {
      for (let i = 0; i < words.length; i++) words[i]! |= this.words[i]!;
    } else {
      for (const row of this.list!) words[row >>> 5]! |= 1 << (row & 31);
    }
  }

  /** One bit for each row, in a new array. */
  toWords(): Uint32Array {
    if (this.words !== undefined) return this.words.slice();
    const words = new Uint32Array(wordsFor(this.total));
    for (const row of this.list!) words[row >>> 5]! |= 1 << (row & 31);
    return words;
  }

  private ranks(): Uint32Array {
    if (this.directory !== undefined) return this.directory;
    const words = this.words!;
    const directory = new Uint32Array(Math.ceil(words.length / STEP) + 1);
    let n = 0;
    for (let i = 0; i < words.length; i++) {
      if (i % STEP === 0) directory[i / STEP] = n;
      n += popcount(words[i]!);
    }
    directory[directory.length - 1] = n;
    this.directory = directory;
    return directory;
  }
}

export function wordsFor(total: number): number {
  return (total + WORD - 1) >>> 5;
}

function setBits(words: Uint32Array, from: number, to: number): void {
  for (let row = from; row < to;) {
    if ((row & 31) === 0 && row + WORD <= to) {
      words[row >>> 5] = 0xffff_ffff;
      row += WORD;
    } else {
      words[row >>> 5]! |= 1 << (row & 31);
      row += 1;
    }
  }
}

function clearBeyond(words: Uint32Array, total: number): void {
  const rest = total & 31;
  if (rest !== 0) words[words.length - 1]! &= 0xffff_ffff >>> (32 - rest);
}

/** Bits that are set in 32. */
export function popcount(bits: number): number {
  let n = bits - ((bits >>> 1) & 0x5555_5555);
  n = (n & 0x3333_3333) + ((n >>> 2) & 0x3333_3333);
  return (((n + (n >>> 4)) & 0x0f0f_0f0f) * 0x0101_0101) >>> 24;
}

function countBits(words: Uint32Array): number {
  let n = 0;
  for (let i = 0; i < words.length; i++) n += popcount(words[i]!);
  return n;
}

function forEachBit(words: Uint32Array, visit: (row: number) => void): void {
  for (let i = 0; i < words.length; i++) {
    let bits = words[i]!;
    while (bits !== 0) {
      visit(i * WORD + (31 - Math.clz32(bits & -bits)));
      bits &= bits - 1;
    }
  }
}

/** The first place in `sorted` whose number is not below `row`. */
function lowerBound(sorted: Uint32Array, row: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < row) low = middle + 1;
    else high = middle;
  }
  return low;
}
