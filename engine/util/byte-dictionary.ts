/**
 * Numbers for byte strings: equal strings have equal numbers, from 0 in the order they first came. Open addressing
 * over typed arrays: nothing is allocated for a string that is known.
 */
import { HASH_SEED, scramble } from './seeded-hash.ts';

const FIRST_STRINGS = 256;
const MOST_BYTES = 2 ** 32 - 1;

export interface DictionaryLimits {
  readonly strings?: number;
  /** Of all strings together: 4 GiB at most. */
  readonly bytes?: number;
  /** Called with bytes that are allocated next; what it throws ends the call. */
  readonly onGrow?: (bytes: number) => void;
}

export class ByteDictionary {
  size = 0;
  private readonly maxStrings: number;
  private readonly maxBytes: number;
  private readonly onGrow: (bytes: number) => void;
  private data = new Uint8Array(4096);
  /** Where string n begins; one more entry than there is room for strings. */
  private starts = new Uint32Array(FIRST_STRINGS + 1);
  private hashes = new Uint32Array(FIRST_STRINGS);
  /** Number of a string + 1 where its hash says, or the next free place; 0 where free. */
  private slots = new Uint32Array(FIRST_STRINGS * 2);

  constructor(limits: DictionaryLimits = {}) {
    this.maxStrings = limits.strings ?? Infinity;
    this.maxBytes = Math.min(limits.bytes ?? MOST_BYTES, MOST_BYTES);
    this.onGrow = limits.onGrow ?? (() => undefined);
  }

  /** Of `data[from, to)`; -1 where it is new and beyond the limits. */
  idOf(data: Uint8Array, from: number, to: number): number {
    let hash = (to - from) ^ HASH_SEED;
    for (let i = from; i < to; i++) hash = Math.imul(hash ^ data[i]!, 0x0100_0193);
    hash = scramble(hash);
    const { slots, hashes } = this;
    const mask = slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const id = slots[slot]! - 1;
      if (id < 0) return this.add(hash, data, from, to);
      if (hashes[id] === hash && this.is(id, data, from, to)) return id;
    }
  }

  bytesOf(id: number): Uint8Array {
    return this.data.subarray(this.starts[id], this.starts[id + 1]);
  }

  /** The strings in the order of their bytes, and the place of each number among them. */
  sorted(): { values: Uint8Array[]; ranks: Uint32Array } {
    const strings = Array.from({ length: this.size }, (_, id) => this.bytesOf(id));
    const order = strings
      .map((_, id) => id)
      .sort((a, b) => Buffer.compare(strings[a]!, strings[b]!));
    const ranks = new Uint32Array(this.size);
    order.forEach((id, rank) => (ranks[id] = rank));
    return { values: order.map((id) => strings[id]!), ranks };
  }

  private is(id: number, data: Uint8Array, from: number, to: number): boolean {
    const start = this.starts[id]!;
    const length = to - from;
    if (this.starts[id + 1]! - start !== length) return false;
    for (let i = 0; i < length; i++) if (this.data[start + i] !== data[from + i]) return false;
    return true;
  }

  private add(hash: number, data: Uint8Array, from: number, to: number): number {
    const id = this.size;
    const start = this.starts[id]!;
    const end = start + to - from;
    if (id >= this.maxStrings || end > this.maxBytes) return -1;
    if (end > this.data.length) {
      const size = Math.max(end, this.data.length * 2);
      this.onGrow(size - this.data.length);
      const bigger = new Uint8Array(size);
      bigger.set(this.data.subarray(0, start));
      this.data = bigger;
    }
    if (id === this.hashes.length) this.grow();
    this.data.set(data.subarray(from, to), start);
    this.starts[id + 1] = end;
    this.hashes[id] = hash;
    this.size = id + 1;
    this.place(id, hash);
    return id;
  }

  private place(id: number, hash: number): void {
    const mask = this.slots.length - 1;
    let slot = hash & mask;
    while (this.slots[slot] !== 0) slot = (slot + 1) & mask;
    this.slots[slot] = id + 1;
  }

  private grow(): void {
    const capacity = this.hashes.length * 2;
    this.onGrow(this.hashes.length * 16);
    const starts = new Uint32Array(capacity + 1);
    starts.set(this.starts);
    this.starts = starts;
    const hashes = new Uint32Array(capacity);
    hashes.set(this.hashes);
    this.hashes = hashes;
    this.slots = new Uint32Array(capacity * 2);
    for (let id = 0; id < this.size; id++) this.place(id, hashes[id]!);
  }
}
