/**
 * Distinct numbers and IPv6 addresses found while rows come, each with an identifier from 0 in the order of first
 * appearance. Open addressing over typed arrays: nothing is allocated for a row.
 */
import { scramble } from '../../util/hash-table/hash.ts';
import type { NumberRows } from '../rows.ts';
import { sortedNumbers } from './radix.ts';

const FIRST_SLOTS = 1024;
const ADDRESS_BYTES = 16;

/** 32-bit numbers. */
export class NumberDictionary {
  private values = new Uint32Array(FIRST_SLOTS / 2);
  size = 0;
  /** Of each slot the identifier + 1, 0 where free, and beside it the value: one look at memory tells both. */
  private slots = new Uint32Array(FIRST_SLOTS * 2);
  private mask = FIRST_SLOTS - 1;

  idOf(value: number): number {
    const { slots, mask } = this;
    let slot = scramble(value) & mask;
    for (;;) {
      const id = slots[slot * 2]!;
      if (id === 0) break;
      if (slots[slot * 2 + 1] === value) return id - 1;
      slot = (slot + 1) & mask;
    }
    if (this.size === this.values.length) {
      this.grow();
      return this.idOf(value);
    }
    this.values[this.size] = value;
    slots[slot * 2] = this.size + 1;
    slots[slot * 2 + 1] = value;
    return this.size++;
  }

  /** The values ascending, and the place of each identifier among them. */
  sorted(): { values: Uint32Array; ranks: Uint32Array } {
    const order = sortedNumbers([this.values], this.size);
    const values = new Uint32Array(this.size);
    const ranks = new Uint32Array(this.size);
    for (let rank = 0; rank < order.length; rank++) {
      const id = order[rank]!;
      values[rank] = this.values[id]!;
      ranks[id] = rank;
    }
    return { values, ranks };
  }

  private grow(): void {
    const bigger = new Uint32Array(this.values.length * 2);
    bigger.set(this.values);
    this.values = bigger;
    const slots = new Uint32Array(bigger.length * 4);
    const mask = bigger.length * 2 - 1;
    for (let id = 0; id < this.size; id++) {
      const value = bigger[id]!;
      let slot = scramble(value) & mask;
      while (slots[slot * 2] !== 0) slot = (slot + 1) & mask;
      slots[slot * 2] = id + 1;
      slots[slot * 2 + 1] = value;
    }
    this.slots = slots;
    this.mask = mask;
  }
}

/** Numbers below a bound that is not large: each is its own identifier, and only has to be seen. */
export class SmallDictionary {
  private readonly seen: Uint8Array;
  /** Behind the largest that came: most columns of most evidence have none, or only small ones. */
  private end = 0;

  constructor(bound: number) {
    this.seen = new Uint8Array(bound);
  }

  /** Identifiers + 1 of `n` rows' numbers, which are whole ones below the bound, from `codes[first]` on; those of rows without one stay. */
  put({ values, present }: NumberRows, codes: Uint32Array, first: number, n: number): void {
    const { seen } = this;
    let { end } = this;
    for (let row = 0; row < n; row++) {
      if (present !== undefined && present[row] === 0) continue;
      const value = values[row]!;
      seen[value] = 1;
      if (value >= end) end = value + 1;
      codes[first + row] = value + 1;
    }
    this.end = end;
  }

  /** The values that came ascending, and the place of each identifier that came among them. */
  sorted(): { values: Uint32Array; ranks: Uint32Array } {
    const { seen, end } = this;
    const ranks = new Uint32Array(end);
    let size = 0;
    for (let value = 0; value < end; value++) if (seen[value] !== 0) ranks[value] = size++;
    const values = new Uint32Array(size);
    for (let value = 0; value < end; value++) if (seen[value] !== 0) values[ranks[value]!] = value;
    return { values, ranks };
  }
}

/** IPv6 addresses. */
export class Ip6Dictionary {
  /** Four words of each address, the first octets highest. */
  private readonly words: [Uint32Array, Uint32Array, Uint32Array, Uint32Array] = [
    new Uint32Array(FIRST_SLOTS / 2),
    new Uint32Array(FIRST_SLOTS / 2),
    new Uint32Array(FIRST_SLOTS / 2),
    new Uint32Array(FIRST_SLOTS / 2),
  ];
  size = 0;
  private slots = new Uint32Array(FIRST_SLOTS);
  private mask = FIRST_SLOTS - 1;

  /** Of the 16 bytes from `at`. */
  idOf(bytes: Uint8Array, at: number): number {
    return this.idOfWords(
      wordAt(bytes, at),
      wordAt(bytes, at + 4),
      wordAt(bytes, at + 8),
      wordAt(bytes, at + 12),
    );
  }

  /** The addresses ascending, 16 bytes each, and the place of each identifier among them. */
  sorted(): { values: Uint8Array; ranks: Uint32Array } {
    const order = sortedNumbers(this.words, this.size);
    const values = new Uint8Array(this.size * ADDRESS_BYTES);
    const view = new DataView(values.buffer);
    const ranks = new Uint32Array(this.size);
    for (let rank = 0; rank < order.length; rank++) {
      const id = order[rank]!;
      for (let word = 0; word < 4; word++)
        view.setUint32(rank * ADDRESS_BYTES + word * 4, this.words[word]![id]!);
      ranks[id] = rank;
    }
    return { values, ranks };
  }

  private idOfWords(a: number, b: number, c: number, d: number): number {
    const [first, second, third, fourth] = this.words;
    let slot = scrambleWords(a, b, c, d) & this.mask;
    for (;;) {
      const id = this.slots[slot]! - 1;
      if (id < 0) break;
      if (first[id] === a && second[id] === b && third[id] === c && fourth[id] === d) return id;
      slot = (slot + 1) & this.mask;
    }
    if (this.size === first.length) {
      this.grow();
      return this.idOfWords(a, b, c, d);
    }
    const id = this.size;
    first[id] = a;
    second[id] = b;
    third[id] = c;
    fourth[id] = d;
    this.slots[slot] = id + 1;
    this.size += 1;
    return id;
  }

  private grow(): void {
    const capacity = this.words[0].length * 2;
    for (let word = 0; word < 4; word++) {
      const bigger = new Uint32Array(capacity);
      bigger.set(this.words[word]!);
      this.words[word] = bigger;
    }
    this.slots = new Uint32Array(capacity * 2);
    this.mask = this.slots.length - 1;
    const [a, b, c, d] = this.words;
    for (let id = 0; id < this.size; id++) {
      let slot = scrambleWords(a[id]!, b[id]!, c[id]!, d[id]!) & this.mask;
      while (this.slots[slot] !== 0) slot = (slot + 1) & this.mask;
      this.slots[slot] = id + 1;
    }
  }
}

function wordAt(bytes: Uint8Array, at: number): number {
  return (
    ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0
  );
}

function scrambleWords(a: number, b: number, c: number, d: number): number {
  return scramble(d ^ scramble(c ^ scramble(b ^ scramble(a))));
}
