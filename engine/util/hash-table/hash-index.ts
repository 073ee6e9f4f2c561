/**
 * Finds entries by hash, with open addressing. The caller numbers its entries from 0, keeps their keys and compares
 * them:
 *
 *     let entry = index.first(hash);
 *     while (entry >= 0 && !isKeyOf(entry)) entry = index.next(hash);
 *     if (entry < 0) index.put((entry = size++), hash);
 *
 * There is no callback, so V8 inlines these methods into the loops of each table. Hashes are signed numbers of 32
 * bits whose lowest bits are spread (`scramble`).
 */
const LEAST_ROOM = 8;
/** Where evidence chooses keys, no more entries of one hash than these should be compared. */
export const MOST_ALIKE = 16;

export class HashIndex {
  /** Entries. */
  size = 0;
  /** Pairs of an entry plus one (0: free) and its hash: one memory access reads both. */
  private slots: Int32Array;
  /** Slot at which the last look-up ended. */
  private slot = 0;

  /** @param room for this many entries at first */
  constructor(room = LEAST_ROOM) {
    this.slots = new Int32Array(4 * 2 ** Math.ceil(Math.log2(Math.max(room, LEAST_ROOM))));
  }

  /** Capacity in entries: half of the slots stay free. */
  get room(): number {
    return this.slots.length >>> 2;
  }

  /** An entry of this hash, or -1. */
  first(hash: number): number {
    return this.look(hash << 1, hash);
  }

  /** The next entry of this hash after the last one found, or -1. */
  next(hash: number): number {
    return this.look(this.slot + 2, hash);
  }

  private look(from: number, hash: number): number {
    const { slots } = this;
    const mask = slots.length - 1;
    let slot = from & mask;
    let entry = slots[slot]!;
    while (entry !== 0 && slots[slot + 1] !== hash) {
      slot = (slot + 2) & mask;
      entry = slots[slot]!;
    }
    this.slot = slot;
    return entry - 1;
  }

  /** Stores an entry in the slot where the last look-up of its hash ended, replacing the one there. */
  put(entry: number, hash: number): void {
    if (this.slots[this.slot] === 0) {
      if (this.size === this.room) {
        this.grow();
        this.slot = freeSlot(this.slots, hash);
      }
      this.size += 1;
    }
    this.slots[this.slot] = entry + 1;
    this.slots[this.slot + 1] = hash;
  }

  /** Puts a further entry, whether or not there are others of this hash. */
  add(entry: number, hash: number): void {
    this.slot = freeSlot(this.slots, hash);
    this.put(entry, hash);
  }

  /** Deletes by closing the gap, without tombstones. */
  delete(entry: number, hash: number): void {
    const { slots } = this;
    const mask = slots.length - 1;
    let hole = (hash << 1) & mask;
    while (slots[hole] !== entry + 1) hole = (hole + 2) & mask;
    for (let slot = (hole + 2) & mask; slots[slot] !== 0; slot = (slot + 2) & mask) {
      const home = (slots[slot + 1]! << 1) & mask;
      if (((slot - home) & mask) < ((slot - hole) & mask)) continue;
      slots[hole] = slots[slot]!;
      slots[hole + 1] = slots[slot + 1]!;
      hole = slot;
    }
    slots[hole] = 0;
    this.size -= 1;
  }

  clear(): void {
    this.slots.fill(0);
    this.size = 0;
  }

  private grow(): void {
    const before = this.slots;
    const slots = new Int32Array(before.length * 2);
    for (let from = 0; from < before.length; from += 2) {
      if (before[from] === 0) continue;
      const hash = before[from + 1]!;
      const slot = freeSlot(slots, hash);
      slots[slot] = before[from]!;
      slots[slot + 1] = hash;
    }
    this.slots = slots;
  }
}

function freeSlot(slots: Int32Array, hash: number): number {
  const mask = slots.length - 1;
  let slot = (hash << 1) & mask;
  while (slots[slot] !== 0) slot = (slot + 2) & mask;
  return slot;
}
