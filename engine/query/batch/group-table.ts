/**
 * Hash table of groups by keys of a fixed number of 32-bit words, with open addressing. Groups are numbered from 0
 * in the order of their first occurrence.
 */
import type { Budget } from './budget.ts';

export class GroupTable {
  readonly width: number;
  size = 0;
  private readonly budget: Budget;
  private capacity = 1024;
  private keys: Int32Array;
  /** Two words per slot, so that one access decides: a group and its hash; -1 for an empty slot. */
  private slots: Int32Array;
  /** Hashes of the keys being looked up. */
  private hashes = new Int32Array(0);

  /** @param width words of a key, at least 1 */
  constructor(width: number, budget: Budget) {
    this.width = width;
    this.budget = budget;
    this.keys = new Int32Array(this.capacity * width);
    this.slots = new Int32Array(this.capacity * 4).fill(-1);
    budget.take(this.bytes);
  }

  private get bytes(): number {
    return this.capacity * (this.width * 4 + 16);
  }

  /** Releases its memory. */
  free(): void {
    this.budget.give(this.bytes);
  }

  /** Word `at` of a group's key. */
  word(group: number, at: number): number {
    return this.keys[group * this.width + at]!;
  }

  /**
   * Writes the group of each of the first `n` keys to `out`. Key i is `words[0][i], words[1][i], …`.
   * @throws DaybookError limit-exceeded
   */
  assign(words: readonly Int32Array[], n: number, out: Int32Array): void {
    if (this.hashes.length < n) this.hashes = new Int32Array(n);
    this.hash(words, n);
    let known = 0;
    while (known < n) {
      known = this.lookUp(words, known, n, out);
      if (known === n) return;
      if (this.size === this.capacity) this.grow();
      out[known] = this.add(words, known);
      known += 1;
    }
  }

  /** Writes the hashes of keys to `hashes`. Usual widths have their own loops. */
  private hash(words: readonly Int32Array[], n: number): void {
    const { width, hashes } = this;
    const first = words[0]!;
    const second = words[1]!;
    const third = words[2]!;
    if (width === 2) {
      for (let i = 0; i < n; i++) {
        hashes[i] = folded(more(begun(first[i]!), second[i]!));
      }
      return;
    }
    if (width === 3) {
      for (let i = 0; i < n; i++)
        hashes[i] = folded(more(more(begun(first[i]!), second[i]!), third[i]!));
      return;
    }
    for (let i = 0; i < n; i++) hashes[i] = begun(first[i]!);
    for (let w = 1; w < width; w++) {
      const word = words[w]!;
      for (let i = 0; i < n; i++) hashes[i] = more(hashes[i]!, word[i]!);
    }
    for (let i = 0; i < n; i++) hashes[i] = folded(hashes[i]!);
  }

  /** Writes the groups of keys from `from` on, up to the first new one, whose position it returns. */
  private lookUp(words: readonly Int32Array[], from: number, n: number, out: Int32Array): number {
    switch (this.width) {
      case 2:
        return this.lookUp2(words, from, n, out);
      case 3:
        return this.lookUp3(words, from, n, out);
      default:
        return this.lookUpAny(words, from, n, out);
    }
  }

  private lookUp2(words: readonly Int32Array[], from: number, n: number, out: Int32Array): number {
    const { keys, slots, hashes } = this;
    const mask = slots.length - 1;
    const first = words[0]!;
    const second = words[1]!;
    for (let i = from; i < n; i++) {
      const hash = hashes[i]!;
      let slot = (hash << 1) & mask;
      let group = slots[slot]!;
      while (group >= 0) {
        const at = group * 2;
        if (slots[slot + 1] === hash && keys[at] === first[i] && keys[at + 1] === second[i]) break;
        slot = (slot + 2) & mask;
        group = slots[slot]!;
      }
      if (group < 0) return i;
      out[i] = group;
    }
    return n;
  }

  private lookUp3(words: readonly Int32Array[], from: number, n: number, out: Int32Array): number {
    const { keys, slots, hashes } = this;
    const mask = slots.length - 1;
    const first = words[0]!;
    const second = words[1]!;
    const third = words[2]!;
    for (let i = from; i < n; i++) {
      const hash = hashes[i]!;
      let slot = (hash << 1) & mask;
      let group = slots[slot]!;
      while (group >= 0) {
        const at = group * 3;
        if (
          slots[slot + 1] === hash &&
          keys[at] === first[i] &&
          keys[at + 1] === second[i] &&
          keys[at + 2] === third[i]
        )
          break;
        slot = (slot + 2) & mask;
        group = slots[slot]!;
      }
      if (group < 0) return i;
      out[i] = group;
    }
    return n;
  }

  private lookUpAny(
    words: readonly Int32Array[],
    from: number,
    n: number,
    out: Int32Array,
  ): number {
    const { width, keys, slots, hashes } = this;
    const mask = slots.length - 1;
    const first = words[0]!;
    for (let i = from; i < n; i++) {
      const hash = hashes[i]!;
      let slot = (hash << 1) & mask;
      let group = slots[slot]!;
      while (group >= 0) {
        if (slots[slot + 1] === hash) {
          const at = group * width;
          let same = keys[at] === first[i];
          for (let w = 1; same && w < width; w++) same = keys[at + w] === words[w]![i];
          if (same) break;
        }
        slot = (slot + 2) & mask;
        group = slots[slot]!;
      }
      if (group < 0) return i;
      out[i] = group;
    }
    return n;
  }

  /** Adds a new key, for which there must be room. */
  private add(words: readonly Int32Array[], i: number): number {
    const { width, keys, slots } = this;
    const hash = this.hashes[i]!;
    const mask = slots.length - 1;
    let slot = (hash << 1) & mask;
    while (slots[slot]! >= 0) slot = (slot + 2) & mask;
    const group = this.size;
    for (let w = 0; w < width; w++) keys[group * width + w] = words[w]![i]!;
    slots[slot] = group;
    slots[slot + 1] = hash;
    this.size = group + 1;
    return group;
  }

  private grow(): void {
    // Old and new are there at the same time for a moment: as much as the new one once more.
    this.budget.take(this.bytes);
    this.capacity *= 2;
    const keys = new Int32Array(this.capacity * this.width);
    keys.set(this.keys);
    this.keys = keys;
    const old = this.slots;
    const slots = new Int32Array(this.capacity * 4).fill(-1);
    const mask = slots.length - 1;
    for (let from = 0; from < old.length; from += 2) {
      if (old[from]! < 0) continue;
      let slot = (old[from + 1]! << 1) & mask;
      while (slots[slot]! >= 0) slot = (slot + 2) & mask;
      slots[slot] = old[from]!;
      slots[slot + 1] = old[from + 1]!;
    }
    this.slots = slots;
  }
}

function begun(word: number): number {
  return Math.imul(word, 0x9e3779b1 | 0);
}
function more(hash: number, word: number): number {
  return Math.imul((hash ^ (hash >>> 15)) + word, 0x85ebca6b | 0);
}
function folded(hash: number): number {
  return hash ^ (hash >>> 16);
}
