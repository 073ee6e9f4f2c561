/**
 * Look-up of keys of pairs and paths of JSON members by their bytes: no string is made of a key in a message.
 *
 * Invariant: a key is found only if all of its bytes are equal; the hash only selects the candidates.
 */
const utf8 = new TextEncoder();
const DOT = 46;

/** The hash of a key's bytes, one after the other, starting with 0. */
export function hashOn(hash: number, code: number): number {
  return (Math.imul(hash, 31) + code) | 0;
}

export class KeyTable<T> {
  readonly values: readonly T[];
  private readonly keys: readonly Uint8Array[];
  private readonly hashes: Int32Array;
  /** Numbers of keys + 1, by hash, and where another is, the next place. */
  private readonly places: Uint16Array;
  private readonly mask: number;

  constructor(given: readonly (readonly [string, T])[]) {
    this.values = given.map(([, value]) => value);
    this.keys = given.map(([key]) => utf8.encode(key));
    let size = 8;
    while (size < given.length * 4) size *= 2;
    this.mask = size - 1;
    this.places = new Uint16Array(size);
    this.hashes = Int32Array.from(this.keys, (key) => key.reduce(hashOn, 0));
    for (let i = 0; i < given.length; i++) {
      let at = this.place(this.hashes[i]!);
      while (this.places[at] !== 0) at = (at + 1) & this.mask;
      this.places[at] = i + 1;
    }
  }

  /** The number of the key that `b[start, end)` is, or -1. */
  find(hash: number, b: Uint8Array, start: number, end: number): number {
    for (let at = this.place(hash); this.places[at] !== 0; at = (at + 1) & this.mask) {
      const i = this.places[at]! - 1;
      const key = this.keys[i]!;
      if (this.hashes[i] === hash && endOf(key, 0, b, start, end) === key.length) return i;
    }
    return -1;
  }

  /** The number of the path of members whose names are `b[starts[i], ends[i])`, joined by dots, or -1. */
  findPath(
    hash: number,
    b: Uint8Array,
    starts: Int32Array,
    ends: Int32Array,
    depth: number,
  ): number {
    for (let at = this.place(hash); this.places[at] !== 0; at = (at + 1) & this.mask) {
      const i = this.places[at]! - 1;
      if (this.hashes[i] !== hash) continue;
      const key = this.keys[i]!;
      let p = 0;
      for (let d = 0; d < depth && p >= 0; d++) {
        if (d > 0 && key[p++] !== DOT) p = -1;
        else p = endOf(key, p, b, starts[d]!, ends[d]!);
      }
      if (p === key.length) return i;
    }
    return -1;
  }

  private place(hash: number): number {
    return (hash ^ (hash >>> 15)) & this.mask;
  }
}

/** The position in `key` after `b[start, end)`, if that is at `at`, or -1. */
function endOf(key: Uint8Array, at: number, b: Uint8Array, start: number, end: number): number {
  if (at + end - start > key.length) return -1;
  for (let i = start; i < end; i++) if (key[at + i - start] !== b[i]) return -1;
  return at + end - start;
}
