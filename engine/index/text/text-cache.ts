/**
 * Cache of pages of side files and of results derived from them, bounded by bytes.
 *
 * A question visits all segments in turn, so the least recently used entry is the one needed next: with LRU,
 * exceeding the limit slightly would leave nothing to be found again. Entries are therefore evicted at random,
 * among those of about the size class that takes the most bytes: answers, which are small and represent everything
 * that was read for them, stay while pages and sets go.
 */

/** Sets of rows of at least this part of all rows are cached as sets. */
export const KEPT_SHARE = 64;
/** Minimum size of the cache: pages of side files, and results. */
const LEAST_READ = 192 << 20;
const LEAST_FOUND = 96e6;
/** Approximate overhead of an entry: an answer without rows takes 770. */
const ENTRY_BYTES = 700;
/** Powers of two of sizes, the largest without a bound. */
const SIZES = 24;

/** A cached value with all of its names: it is counted once, and evicted with all of them. */
interface CachedValue {
  /** Undefined: it has no other names. */
  readonly thing: object | undefined;
  readonly names: { readonly of: Map<string, Named>; readonly key: string }[];
  bytes: number;
  readonly size: number;
  /** Index among those of its size class. */
  at: number;
}

interface Named {
  readonly value: unknown;
  readonly kept: CachedValue;
}

/** All entries of a size class. */
interface Alike {
  readonly all: CachedValue[];
  bytes: number;
}

/**
 * Sizes of the caches for side files and for results, in addition to DuckDB's memory.
 * @param memoryLimit bytes that DuckDB may use for queries
 */
export function keptBytes(memoryLimit: number): { read: number; found: number } {
  return {
    read: Math.max(LEAST_READ, memoryLimit / 8),
    found: Math.max(LEAST_FOUND, memoryLimit / 32),
  };
}

export class TextCache {
  /** Bytes. */
  readonly limit: number;
  private readonly sizes: readonly Alike[] = Array.from({ length: SIZES }, () => ({
    all: [],
    bytes: 0,
  }));
  /** By the large part of a value. */
  private readonly known = new Map<object, CachedValue>();
  private held = 0;
  private lot = 1;

  constructor(limit: number = LEAST_READ) {
    this.limit = limit;
  }

  /** Bytes held. */
  get bytes(): number {
    return this.held;
  }

  /** A view of the cache for one index: keys of different owners never meet. */
  owner(): OwnedCache {
    const named = new Map<string, Named>();
    return {
      get: (key) => named.get(key)?.value,
      set: (key, value, bytes, large) => {
        this.forget(named, key);
        this.keep(named, key, value, bytes, large);
      },
      take: (key, make, bytesOf, large) => {
        const found = named.get(key);
        // A key names its kind of value first, so its entry was made by `make`.
        if (found !== undefined) return found.value as ReturnType<typeof make>;
        const value = make();
        this.keep(named, key, value, bytesOf(value), large === undefined ? value : large(value));
        return value;
      },
      forget: () => {
        for (const key of [...named.keys()]) this.forget(named, key);
      },
    };
  }

  /** Removes a name; an entry without a name is evicted. */
  private forget(named: Map<string, Named>, key: string): void {
    const kept = named.get(key)?.kept;
    if (kept === undefined) return;
    named.delete(key);
    kept.names.splice(
      kept.names.findIndex((name) => name.of === named && name.key === key),
      1,
    );
    if (kept.names.length === 0) this.drop(kept);
    else this.count(kept, -ENTRY_BYTES);
  }

  private keep(
    named: Map<string, Named>,
    key: string,
    value: unknown,
    bytes: number,
    large: unknown,
  ): void {
    const thing = typeof large === 'object' && large !== null ? large : undefined;
    let kept = thing && this.known.get(thing);
    if (kept === undefined) {
      if ((bytes + ENTRY_BYTES) * 4 > this.limit) return;
      const size = Math.min(SIZES - 1, 31 - Math.clz32(bytes + ENTRY_BYTES));
      const { all } = this.sizes[size]!;
      kept = { thing, names: [], bytes: 0, size, at: all.length };
      all.push(kept);
      this.count(kept, bytes);
      if (thing !== undefined) this.known.set(thing, kept);
    }
    this.count(kept, ENTRY_BYTES);
    kept.names.push({ of: named, key });
    named.set(key, { value, kept });
    while (this.held > this.limit) this.giveUp();
  }

  private count(kept: CachedValue, bytes: number): void {
    kept.bytes += bytes;
    this.sizes[kept.size]!.bytes += bytes;
    this.held += bytes;
  }

  private giveUp(): void {
    const { all } = this.sizes.reduce((most, one) => (one.bytes > most.bytes ? one : most));
    // https://en.wikipedia.org/wiki/Linear_congruential_generator with the numbers of Numerical Recipes.
    this.lot = (Math.imul(this.lot, 1_664_525) + 1_013_904_223) >>> 0;
    this.drop(all[Math.floor((this.lot / 2 ** 32) * all.length)]!);
  }

  private drop(kept: CachedValue): void {
    const { all } = this.sizes[kept.size]!;
    const last = all.pop()!;
    if (last !== kept) {
      all[kept.at] = last;
      last.at = kept.at;
    }
    this.count(kept, -kept.bytes);
    for (const { of, key } of kept.names) of.delete(key);
    if (kept.thing !== undefined) this.known.delete(kept.thing);
  }
}

export interface OwnedCache {
  get(key: string): unknown;
  /** @param bytes of `large`, which may have other names, too */
  set(key: string, value: unknown, bytes: number, large: object): void;
  /**
   * The value named `key`, made if it is missing.
   * @param bytesOf estimates its size
   * @param large the part that takes these bytes, and may have other names, too; by default, all of it
   */
  take<T>(
    key: string,
    make: () => T,
    bytesOf: (value: T) => number,
    large?: (value: T) => object,
  ): T;
  forget(): void;
}
