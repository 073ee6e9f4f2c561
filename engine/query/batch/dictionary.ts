/** Numbers for byte strings: equal strings have equal numbers, from 0 in the order they first came. */
import type { Budget } from './budget.ts';

/** All strings of a dictionary, to be sent to another thread. */
export interface DictionaryPart {
  readonly data: Uint8Array;
  /** Where string n begins, and at the end where the last one ends. */
  readonly starts: Float64Array;
}

export class Dictionary {
  private readonly budget: Budget;
  private data = new Uint8Array(1 << 12);
  /** Where string n begins; one more entry than there are strings. */
  private starts = new Float64Array(256);
  private hashes = new Int32Array(256);
  private slots = new Int32Array(512).fill(-1);
  private used = 0;
  size = 0;

  constructor(budget: Budget) {
    this.budget = budget;
  }

  /** The number of `bytes[start, end)`. @throws DaybookError limit-exceeded */
  idOf(bytes: Uint8Array, start: number, end: number): number {
    let hash = 0x811c9dc5 | 0;
    for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193);
    hash ^= hash >>> 15;
    const mask = this.slots.length - 1;
    let slot = hash & mask;
    for (;;) {
      const id = this.slots[slot]!;
      if (id < 0) break;
      if (this.hashes[id] === hash && this.same(id, bytes, start, end)) return id;
      slot = (slot + 1) & mask;
    }
    return this.add(hash, bytes, start, end);
  }

  part(): DictionaryPart {
    const { size, used } = this;
    return { data: this.data.slice(0, used), starts: this.starts.slice(0, size + 1) };
  }

  /** The numbers that the strings of another dictionary have here. */
  adopt({ data, starts }: DictionaryPart): Int32Array {
    return Int32Array.from({ length: starts.length - 1 }, (_, id) =>
      this.idOf(data, starts[id]!, starts[id + 1]!),
    );
  }

  bytesOf(id: number): Uint8Array {
    return this.data.subarray(this.starts[id], this.starts[id + 1]);
  }

  private same(id: number, bytes: Uint8Array, start: number, end: number): boolean {
    const from = this.starts[id]!;
    const length = end - start;
    if (this.starts[id + 1]! - from !== length) return false;
    for (let i = 0; i < length; i++) if (this.data[from + i] !== bytes[start + i]) return false;
    return true;
  }

  private add(hash: number, bytes: Uint8Array, start: number, end: number): number {
    const length = end - start;
    if (this.used + length > this.data.length) {
      const size = Math.max(this.data.length * 2, this.used + length);
      this.budget.take(size - this.data.length);
      const bigger = new Uint8Array(size);
      bigger.set(this.data.subarray(0, this.used));
      this.data = bigger;
    }
    if (this.size + 2 > this.starts.length) this.grow();
    const id = this.size;
    this.data.set(bytes.subarray(start, end), this.used);
    this.used += length;
    this.starts[id + 1] = this.used;
    this.hashes[id] = hash;
    this.size = id + 1;
    this.place(id, hash);
    return id;
  }

  private place(id: number, hash: number): void {
    const mask = this.slots.length - 1;
    let slot = hash & mask;
    while (this.slots[slot]! >= 0) slot = (slot + 1) & mask;
    this.slots[slot] = id;
  }

  private grow(): void {
    const capacity = this.starts.length * 2;
    this.budget.take(this.starts.length * 20);
    const starts = new Float64Array(capacity);
    starts.set(this.starts);
    this.starts = starts;
    const hashes = new Int32Array(capacity);
    hashes.set(this.hashes);
    this.hashes = hashes;
    this.slots = new Int32Array(capacity * 2).fill(-1);
    for (let id = 0; id < this.size; id++) this.place(id, this.hashes[id]!);
  }
}
