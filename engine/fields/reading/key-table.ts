/**
 * Look-up of keys of pairs and paths of JSON members by their bytes: no string is made of a key in a message.
 *
 * Invariant: a key is found only if all of its bytes are equal; the hash only selects the candidates.
 */
import { hashByte, scramble } from '../../util/hash-table/hash.ts';
import { HashIndex } from '../../util/hash-table/hash-index.ts';

const utf8 = new TextEncoder();
const DOT = 46;

export class KeyTable<T> {
  readonly values: readonly T[];
  private readonly keys: readonly Uint8Array[];
  private readonly index: HashIndex;

  constructor(given: readonly (readonly [string, T])[]) {
    this.values = given.map(([, value]) => value);
    this.keys = given.map(([key]) => utf8.encode(key));
    this.index = new HashIndex(given.length);
    for (const [i, key] of this.keys.entries())
      this.index.add(i, scramble(key.reduce(hashByte, 0)));
  }

  /** The number of the key that `b[start, end)` is, or -1. @param hash by `hashByte` from 0 */
  find(hash: number, b: Uint8Array, start: number, end: number): number {
    const { index, keys } = this;
    const spread = scramble(hash);
    let i = index.first(spread);
    while (i >= 0 && endOf(keys[i]!, 0, b, start, end) !== keys[i]!.length) i = index.next(spread);
    return i;
  }

  /** The number of the path of members whose names are `b[starts[i], ends[i])`, joined by dots, or -1. */
  findPath(
    hash: number,
    b: Uint8Array,
    starts: Int32Array,
    ends: Int32Array,
    depth: number,
  ): number {
    const { index } = this;
    const spread = scramble(hash);
    for (let i = index.first(spread); i >= 0; i = index.next(spread)) {
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
}

/** The position in `key` after `b[start, end)`, if that is at `at`, or -1. */
function endOf(key: Uint8Array, at: number, b: Uint8Array, start: number, end: number): number {
  if (at + end - start > key.length) return -1;
  for (let i = start; i < end; i++) if (key[at + i - start] !== b[i]) return -1;
  return at + end - start;
}
