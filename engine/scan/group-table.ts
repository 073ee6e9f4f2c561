/**
 * Groups by keys of a fixed number of 32-bit words, with open addressing. Groups are numbered from 0 in
 * the order they first came.
 */
import type { Budget } from './budget.ts';

export class GroupTable {
  readonly width: number;
  size = 0;
  private readonly budget: Budget;
  private capacity = 1024;
  private keys: Int32Array;
  /** Two words a slot, so that one look tells: a group and its hash; -1 for no group. */
  private slots: Int32Array;

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

  /** Says that it is not used any more. */
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
    const { width } = this;
    const first = words[0]!;
    let previous = -1;
    for (let i = 0; i < n; i++) {
      // Neighbours are often alike.
      if (previous >= 0) {
        const at = previous * width;
        let same = this.keys[at] === first[i];
        for (let w = 1; same && w < width; w++) same = this.keys[at + w] === words[w]![i];
        if (same) {
          out[i] = previous;
          continue;
        }
      }
      let hash = Math.imul(first[i]!, 0x9e3779b1 | 0);
      for (let w = 1; w < width; w++) {
        hash = Math.imul((hash ^ (hash >>> 15)) + words[w]![i]!, 0x85ebca6b | 0);
      }
      hash ^= hash >>> 16;
      previous = this.find(hash, words, i);
      out[i] = previous;
    }
  }

  private find(hash: number, words: readonly Int32Array[], i: number): number {
    const { width, keys, slots } = this;
    const mask = slots.length - 1;
    let slot = (hash << 1) & mask;
    for (;;) {
      const group = slots[slot]!;
      if (group < 0) break;
      if (slots[slot + 1] === hash) {
        const at = group * width;
        let w = 0;
        while (w < width && keys[at + w] === words[w]![i]) w += 1;
        if (w === width) return group;
      }
      slot = (slot + 2) & mask;
    }
    if (this.size === this.capacity) {
      this.grow();
      return this.find(hash, words, i);
    }
    const group = this.size;
    const at = group * width;
    for (let w = 0; w < width; w++) keys[at + w] = words[w]![i]!;
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
