/**
 * Distinct numbers and IPv6 addresses found while rows come, each with an identifier from 0 in the order of first
 * appearance. Nothing is allocated for a row.
 */
import { hashWord, scramble } from '../../util/hash-table/hash.ts';
import { HashIndex } from '../../util/hash-table/hash-index.ts';
import type { NumberRows } from '../rows.ts';
import { sortedNumbers } from './radix.ts';

const FIRST_VALUES = 512;
const ADDRESS_BYTES = 16;

/** 32-bit numbers. */
export class NumberDictionary {
  /** By identifier. */
  values = new Uint32Array(FIRST_VALUES);
  private readonly index = new HashIndex(FIRST_VALUES);

  get size(): number {
    return this.index.size;
  }

  idOf(value: number): number {
    // Different numbers have different hashes.
    const hash = scramble(value);
    const id = this.index.first(hash);
    return id < 0 ? this.add(value, hash) : id;
  }

  /** Writes the identifier of each of `list[from, to)` to the same place of `ids`. */
  idsOf(list: Uint32Array, from: number, to: number, ids: Uint32Array): void {
    for (let at = from; at < to; at++) ids[at] = this.idOf(list[at]!);
  }

  clear(): void {
    this.index.clear();
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

  private add(value: number, hash: number): number {
    const id = this.size;
    if (id === this.values.length) this.values = doubled(this.values);
    this.values[id] = value;
    this.index.put(id, hash);
    return id;
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
    new Uint32Array(FIRST_VALUES),
    new Uint32Array(FIRST_VALUES),
    new Uint32Array(FIRST_VALUES),
    new Uint32Array(FIRST_VALUES),
  ];
  private readonly index = new HashIndex(FIRST_VALUES);

  get size(): number {
    return this.index.size;
  }

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
    const { index, words } = this;
    const hash = hashWord(hashWord(hashWord(scramble(a), b), c), d);
    for (let id = index.first(hash); id >= 0; id = index.next(hash)) {
      const [first, second, third, fourth] = words;
      if (first[id] === a && second[id] === b && third[id] === c && fourth[id] === d) return id;
    }
    const id = index.size;
    if (id === words[0].length) for (let w = 0; w < 4; w++) words[w] = doubled(words[w]!);
    words[0][id] = a;
    words[1][id] = b;
    words[2][id] = c;
    words[3][id] = d;
    index.put(id, hash);
    return id;
  }
}

function wordAt(bytes: Uint8Array, at: number): number {
  return (
    ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0
  );
}

function doubled(values: Uint32Array): Uint32Array<ArrayBuffer> {
  const bigger = new Uint32Array(values.length * 2);
  bigger.set(values);
  return bigger;
}
