/** Numbers for tuples of 32-bit words: equal ones have equal numbers, from 0 in the order they first came. */
import type { DictionaryLimits } from './byte-dictionary.ts';
import { HASH_SEED, hashColumn } from './hash.ts';
import { HashIndex } from './hash-index.ts';

const FIRST_TUPLES = 1024;

interface TupleOptions extends Pick<DictionaryLimits, 'onGrow'> {
  readonly room?: number;
}

export class TupleDictionary {
  readonly width: number;
  private readonly onGrow: (bytes: number) => void;
  private readonly index: HashIndex;
  private tuples: Int32Array;
  private hashes = new Int32Array(0);

  /**
   * @param width words of a tuple, at least 1
   * @param options room for this many at first; `onGrow` as of a ByteDictionary
   */
  constructor(width: number, { room = FIRST_TUPLES, onGrow }: TupleOptions = {}) {
    this.width = width;
    this.onGrow = onGrow ?? (() => undefined);
    this.index = new HashIndex(room);
    this.onGrow(this.bytes);
    this.tuples = new Int32Array(this.index.room * width);
  }

  get size(): number {
    return this.index.size;
  }

  get bytes(): number {
    return this.index.room * (this.width * 4 + 16);
  }

  /** Word `at` of a tuple. */
  word(id: number, at: number): number {
    return this.tuples[id * this.width + at]!;
  }

  /** Writes the numbers of the first `n` tuples to `out`. Tuple i is `words[0][i], words[1][i], …`. */
  idsOf(words: readonly Int32Array[], n: number, out: Int32Array | Uint32Array): void {
    this.hash(words, n);
    for (let i = 0; i < n; i++) {
      const id = this.idAt(words, i);
      out[i] = id < 0 ? this.add(words, i) : id;
    }
  }

  /** The same without adding tuples: -1 for unknown ones. */
  find(words: readonly Int32Array[], n: number, out: Int32Array): void {
    this.hash(words, n);
    for (let i = 0; i < n; i++) out[i] = this.idAt(words, i);
  }

  private idAt(words: readonly Int32Array[], i: number): number {
    const { index } = this;
    const hash = this.hashes[i]!;
    let id = index.first(hash);
    while (id >= 0 && !this.is(id, words, i)) id = index.next(hash);
    return id;
  }

  private hash(words: readonly Int32Array[], n: number): void {
    if (this.hashes.length < n) this.hashes = new Int32Array(n);
    const { hashes } = this;
    hashes.fill(HASH_SEED, 0, n);
    for (let w = 0; w < this.width; w++) hashColumn(hashes, words[w]!, n);
  }

  private is(id: number, words: readonly Int32Array[], i: number): boolean {
    const { tuples, width } = this;
    const at = id * width;
    for (let w = 0; w < width; w++) if (tuples[at + w] !== words[w]![i]) return false;
    return true;
  }

  private add(words: readonly Int32Array[], i: number): number {
    const { index, width } = this;
    const id = index.size;
    if (id === index.room) this.grow();
    for (let w = 0; w < width; w++) this.tuples[id * width + w] = words[w]![i]!;
    index.put(id, this.hashes[i]!);
    return id;
  }

  /** Room for twice as many tuples: `put` grows the index. */
  private grow(): void {
    // Old and new array exist side by side for a moment.
    this.onGrow(this.bytes);
    const tuples = new Int32Array(this.tuples.length * 2);
    tuples.set(this.tuples);
    this.tuples = tuples;
  }
}
