/**
 * Cache of pages of side files and of results derived from them, bounded by bytes.
 *
 * A question asks all segments in turn, so that what was used longest ago is what is asked for next: where a little
 * too much is wanted, giving that up would leave nothing to be found again. What is given up is therefore chosen by
 * lot, and among what is about as large as what takes the most bytes: answers, which are small and stand for all that
 * was read for them, stay while pages and sets go.
 */

/** Sets of rows that are as large as this part of all are kept as sets. */
export const KEPT_SHARE = 64;
/** Bytes that are kept at least: of side files, and of what was found by them. */
const LEAST_READ = 192 << 20;
const LEAST_FOUND = 96e6;
/** What is kept beside a value's large parts, about: an answer of no rows takes 770. */
const ENTRY_BYTES = 700;
/** Powers of two of sizes, the largest without a bound. */
const SIZES = 24;

/** Something that is kept, under all of its names: it is counted once, and goes with all of them. */
interface Kept {
  /** Undefined: it has no other names. */
  readonly thing: object | undefined;
  readonly names: { readonly of: Map<string, Named>; readonly key: string }[];
  bytes: number;
  readonly size: number;
  /** Among those of its size. */
  at: number;
}

interface Named {
  readonly value: unknown;
  readonly kept: Kept;
}

/** All that is about as large. */
interface Alike {
  readonly all: Kept[];
  bytes: number;
}

/**
 * Bytes that are kept of side files, and of what was found by them, beside what DuckDB has.
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
  /** By what is large of a value. */
  private readonly known = new Map<object, Kept>();
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
    const own = new Map<string, Named>();
    return {
      get: (key) => own.get(key)?.value,
      set: (key, value, bytes, large) => {
        this.forget(own, key);
        this.keep(own, key, value, bytes, large);
      },
      take: (key, make, bytesOf, large) => {
        const found = own.get(key);
        // A key names its kind of value first, so what lies under it is what `make` makes.
        if (found !== undefined) return found.value as ReturnType<typeof make>;
        const value = make();
        this.keep(own, key, value, bytesOf(value), large === undefined ? value : large(value));
        return value;
      },
      forget: () => {
        for (const key of [...own.keys()]) this.forget(own, key);
      },
    };
  }

  /** Takes a name away; what has no other goes. */
  private forget(own: Map<string, Named>, key: string): void {
    const kept = own.get(key)?.kept;
    if (kept === undefined) return;
    own.delete(key);
    kept.names.splice(
      kept.names.findIndex((name) => name.of === own && name.key === key),
      1,
    );
    if (kept.names.length === 0) this.drop(kept);
    else this.count(kept, -ENTRY_BYTES);
  }

  private keep(
    own: Map<string, Named>,
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
    kept.names.push({ of: own, key });
    own.set(key, { value, kept });
    while (this.held > this.limit) this.giveUp();
  }

  private count(kept: Kept, bytes: number): void {
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

  private drop(kept: Kept): void {
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
   * What is known as `key`, made if it is not.
   * @param bytesOf estimates what it holds
   * @param large what of it takes these bytes, and may have other names, too; left out: all of it
   */
  take<T>(
    key: string,
    make: () => T,
    bytesOf: (value: T) => number,
    large?: (value: T) => object,
  ): T;
  forget(): void;
}
