/** What was read of text indexes and may be wanted again, the least recently used given up first. */

/** Sets of rows that are as large as this part of all are kept as sets. */
export const KEPT_SHARE = 64;
/** Bytes that are kept when nothing else is said. */
const DEFAULT_BYTES = 192 << 20;

export class TextCache {
  private readonly entries = new Map<string, { value: unknown; bytes: number }>();
  private readonly limit: number;
  private held = 0;
  private owners = 0;

  constructor(limit: number = DEFAULT_BYTES) {
    this.limit = limit;
  }

  /** Bytes held. */
  get bytes(): number {
    return this.held;
  }

  /** A view of the cache for one index: keys of different owners never meet. */
  owner(): OwnedCache {
    const prefix = `${(this.owners += 1)} `;
    return {
      take: (key, make, bytesOf) => this.take(prefix + key, make, bytesOf),
      forget: () => this.forget(prefix),
    };
  }

  private take<T>(key: string, make: () => T, bytesOf: (value: T) => number): T {
    const found = this.entries.get(key);
    if (found !== undefined) {
      this.entries.delete(key);
      this.entries.set(key, found);
      // A key names its kind of value first, so what lies under it is what `make` makes.
      return found.value as T;
    }
    const value = make();
    const bytes = bytesOf(value) + 200;
    if (bytes * 4 > this.limit) return value;
    this.entries.set(key, { value, bytes });
    this.held += bytes;
    for (const [oldest, entry] of this.entries) {
      if (this.held <= this.limit) break;
      this.entries.delete(oldest);
      this.held -= entry.bytes;
    }
    return value;
  }

  private forget(prefix: string): void {
    for (const [key, { bytes }] of this.entries) {
      if (!key.startsWith(prefix)) continue;
      this.entries.delete(key);
      this.held -= bytes;
    }
  }
}

export interface OwnedCache {
  /** What is known as `key`, made if it is not; `bytesOf` estimates what it holds. */
  take<T>(key: string, make: () => T, bytesOf: (value: T) => number): T;
  forget(): void;
}
