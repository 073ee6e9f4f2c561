/**
 * A set of row numbers of one segment: the result of indexes. Since rows of a segment are in order of time, a set
 * of them is a histogram and a list at once: counts are ranks, the first rows are the first numbers.
 *
 * Stored as a sorted list if that is smaller than one bit per row, otherwise as bits; a complement stores the
 * excluded set, and needs no memory. Immutable.
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
  /** The complement of this set, which is a list or bits. */
  private readonly others: RowSet | undefined;
  /** Number of members before each STEP words; computed on demand. */
  private directory: Uint32Array | undefined;

  private constructor(
    total: number,
    count: number,
    list: Uint32Array | undefined,
    words: Uint32Array | undefined,
    others?: RowSet,
  ) {
    this.total = total;
    this.count = count;
    this.list = list;
    this.words = words;
    this.others = others;
  }

  static none(total: number): RowSet {
    return new RowSet(total, 0, new Uint32Array(0), undefined);
  }

  static all(total: number): RowSet {
    return RowSet.none(total).not();
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

  /** @param rows ascending, without duplicates, each below `total`; not copied */
  static ofSorted(rows: Uint32Array, total: number): RowSet {
    if (rows.length * WORD <= total) return new RowSet(total, rows.length, rows, undefined);
    const words = new Uint32Array(wordsFor(total));
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i]!;
      words[row >>> 5]! |= 1 << (row & 31);
    }
    return new RowSet(total, rows.length, undefined, words);
  }

  /** @param words bit `row & 31` of word `row >>> 5`; none set at or beyond `total`; not copied */
  static ofWords(words: Uint32Array, total: number): RowSet {
    return RowSet.ofCounted(words, countBits(words), total);
  }

  private static ofCounted(words: Uint32Array, count: number, total: number): RowSet {
    if (count * WORD > total) return new RowSet(total, count, undefined, words);
    const rows = new Uint32Array(count);
    let at = 0;
    forEachBit(words, (row) => {
      rows[at++] = row;
    });
    return new RowSet(total, count, rows, undefined);
  }

  /** The part that takes memory: several sets may share it. */
  get held(): RowSet {
    return this.others ?? this;
  }

  /** Bytes of memory that it takes. */
  get bytes(): number {
    const { list, words } = this.held;
    return (list ?? words!).byteLength;
  }

  has(row: number): boolean {
    if (this.others !== undefined) return row < this.total && !this.others.has(row);
    if (this.words !== undefined) return ((this.words[row >>> 5]! >>> (row & 31)) & 1) === 1;
    const at = lowerBound(this.list!, row);
    return at < this.count && this.list![at] === row;
  }

  and(other: RowSet): RowSet {
    if (this.count === 0 || other.count === this.total) return this;
    if (other.count === 0 || this.count === this.total) return other;
    if (this.others !== undefined) return other.except(this.others);
    if (other.others !== undefined) return this.except(other.others);
    if (this.list !== undefined || other.list !== undefined) {
      const [few, many] =
        this.list !== undefined && (other.list === undefined || this.count <= other.count)
          ? [this, other]
          : [other, this];
      return few.filtered((row) => many.has(row));
    }
    const words = new Uint32Array(this.words!.length);
    const count = combine(this.words!, other.words!, words, 0, 0);
    return RowSet.ofCounted(words, count, this.total);
  }

  or(other: RowSet): RowSet {
    if (this.count === 0 || other.count === this.total) return other;
    if (other.count === 0 || this.count === this.total) return this;
    if (this.others !== undefined) return this.others.except(other).not();
    if (other.others !== undefined) return other.others.except(this).not();
    if (this.words !== undefined && other.words !== undefined) {
      const words = new Uint32Array(this.words.length);
      const count = combine(this.words, other.words, words, -1, -1);
      return new RowSet(this.total, count, undefined, words);
    }
    const words = this.words === undefined ? other.toWords() : this.toWords();
    (this.words === undefined ? this : other).orInto(words);
    return RowSet.ofWords(words, this.total);
  }

  not(): RowSet {
    return (
      this.others ?? new RowSet(this.total, this.total - this.count, undefined, undefined, this)
    );
  }

  /** Members that `other` does not have. */
  private except(other: RowSet): RowSet {
    if (this.count === 0 || other.count === 0) return this;
    if (this.others !== undefined) return this.others.or(other).not();
    if (other.others !== undefined) return this.and(other.others);
    if (this.list !== undefined) return this.filtered((row) => !other.has(row));
    if (other.list !== undefined) {
      const words = this.words!.slice();
      for (const row of other.list) words[row >>> 5]! &= ~(1 << (row & 31));
      return RowSet.ofWords(words, this.total);
    }
    const words = new Uint32Array(this.words!.length);
    const count = combine(this.words!, other.words!, words, 0, -1);
    return RowSet.ofCounted(words, count, this.total);
  }

  /** The members that satisfy `keep`. */
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
    if (this.others !== undefined) return row - this.others.rank(row);
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
    const out = new Uint32Array(high - low);
    if (this.others?.list !== undefined) {
      const { list } = this.others;
      let before = membersUpTo(list, low);
      for (let i = 0, row = low + before; i < out.length; row++) {
        if (list[before] === row) before += 1;
        else out[i++] = row;
      }
      return out;
    }
    const { words, directory, flip } = this.bits();
    let step = 0;
    for (let a = 0, b = directory.length; a < b;) {
      const middle = (a + b) >>> 1;
      if (membersBefore(directory, middle, flip) <= low) {
        step = middle;
        a = middle + 1;
      } else b = middle;
    }
    let at = membersBefore(directory, step, flip);
    for (let i = step * STEP; at < high; i++) {
      let bits = words[i]! ^ flip;
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
    else forEachBit(this.words ?? this.toWords(), visit);
  }

  /** Sets the bit of each member in `words`, which has one for each row. */
  orInto(words: Uint32Array): void {
    if (this.list !== undefined) {
      for (const row of this.list) words[row >>> 5]! |= 1 << (row & 31);
      return;
    }
    const bits = this.words ?? this.toWords();
    for (let i = 0; i < words.length; i++) words[i]! |= bits[i]!;
  }

  /** One bit for each row, in a new array. */
  toWords(): Uint32Array {
    if (this.words !== undefined) return this.words.slice();
    if (this.others !== undefined) {
      const words = this.others.toWords();
      for (let i = 0; i < words.length; i++) words[i] = ~words[i]!;
      clearBeyond(words, this.total);
      return words;
    }
    const words = new Uint32Array(wordsFor(this.total));
    for (const row of this.list!) words[row >>> 5]! |= 1 << (row & 31);
    return words;
  }

  /**
   * For a set that is neither a list nor the complement of one: `flip` turns the words into those of its members.
   */
  private bits(): { words: Uint32Array; directory: Uint32Array; flip: 0 | -1 } {
    const members = this.others ?? this;
    return { words: members.words!, directory: members.ranks(), flip: members === this ? 0 : -1 };
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
function popcount(bits: number): number {
  const pairs = (bits - ((bits >>> 1) & 0x5555_5555)) | 0;
  const fours = ((pairs & 0x3333_3333) + ((pairs >>> 2) & 0x3333_3333)) | 0;
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}

function countBits(words: Uint32Array): number {
  return combine(words, words, words, 0, 0);
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

/**
 * Writes the words of `a` and `b`: with -1 for `flipB` of `a` and not `b`, with -1 for both of `a` or `b`.
 *
 * Eight at a time, counted by carry-save adders (https://en.wikipedia.org/wiki/Hamming_weight#Processor_support).
 * V8 inlines such a long function nowhere: in a function that is called once per segment its loop would never be
 * compiled well.
 * @returns number of set bits
 */
function combine(
  a: Uint32Array,
  b: Uint32Array,
  out: Uint32Array,
  flipA: 0 | -1,
  flipB: 0 | -1,
): number {
  const flip = flipA & flipB;
  const eights = out.length & ~7;
  let [n, ones, twos, fours] = [0, 0, 0, 0];
  for (let i = 0; i < eights; i += 8) {
    const w0 = ((a[i]! ^ flipA) & (b[i]! ^ flipB)) ^ flip;
    const w1 = ((a[i + 1]! ^ flipA) & (b[i + 1]! ^ flipB)) ^ flip;
    const w2 = ((a[i + 2]! ^ flipA) & (b[i + 2]! ^ flipB)) ^ flip;
    const w3 = ((a[i + 3]! ^ flipA) & (b[i + 3]! ^ flipB)) ^ flip;
    const w4 = ((a[i + 4]! ^ flipA) & (b[i + 4]! ^ flipB)) ^ flip;
    const w5 = ((a[i + 5]! ^ flipA) & (b[i + 5]! ^ flipB)) ^ flip;
    const w6 = ((a[i + 6]! ^ flipA) & (b[i + 6]! ^ flipB)) ^ flip;
    const w7 = ((a[i + 7]! ^ flipA) & (b[i + 7]! ^ flipB)) ^ flip;
    out[i] = w0;
    out[i + 1] = w1;
    out[i + 2] = w2;
    out[i + 3] = w3;
    out[i + 4] = w4;
    out[i + 5] = w5;
    out[i + 6] = w6;
    out[i + 7] = w7;
    let half = ones ^ w0;
    const twoA = (ones & w0) | (half & w1);
    ones = half ^ w1;
    half = ones ^ w2;
    const twoB = (ones & w2) | (half & w3);
    ones = half ^ w3;
    half = twos ^ twoA;
    const fourA = (twos & twoA) | (half & twoB);
    twos = half ^ twoB;
    half = ones ^ w4;
    const twoC = (ones & w4) | (half & w5);
    ones = half ^ w5;
    half = ones ^ w6;
    const twoD = (ones & w6) | (half & w7);
    ones = half ^ w7;
    half = twos ^ twoC;
    const fourB = (twos & twoC) | (half & twoD);
    twos = half ^ twoD;
    half = fours ^ fourA;
    n += popcount((fours & fourA) | (half & fourB));
    fours = half ^ fourB;
  }
  n = 8 * n + 4 * popcount(fours) + 2 * popcount(twos) + popcount(ones);
  for (let i = eights; i < out.length; i++) {
    const word = ((a[i]! ^ flipA) & (b[i]! ^ flipB)) ^ flip;
    out[i] = word;
    n += popcount(word);
  }
  return n;
}

/** Rows before a step: of the directory's members, or where `flip` is -1 of the others. */
function membersBefore(directory: Uint32Array, step: number, flip: 0 | -1): number {
  const members = directory[step]!;
  return flip === 0 ? members : step * STEP * WORD - members;
}

/** Number of elements of `sorted` before the `member`-th row, from 0, that is not among them. */
function membersUpTo(sorted: Uint32Array, member: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! - middle <= member) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The first index in `sorted` whose element is not below `row`. */
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
