/** A cache that is bounded by the size of its values: the least recently used entry is evicted. */
interface Entry<V> {
  readonly value: V;
  readonly size: number;
}

export class LruCache<K, V> {
  private readonly most: number;
  /** In order of use, most recent last. */
  private readonly entries = new Map<K, Entry<V>>();
  private size = 0;

  /** @param most size of all values: bytes, or how many there are */
  constructor(most: number) {
    this.most = most;
  }

  get(key: K): V | undefined {
    const entry = this.entries.get(key);
    if (entry === undefined) return undefined;
    this.entries.delete(key);
    this.entries.set(key, entry);
    return entry.value;
  }

  /** @param size approximate size of the value; one larger than the limit is not stored */
  set(key: K, value: V, size = 1): void {
    this.delete(key);
    if (size > this.most) return;
    this.entries.set(key, { value, size });
    this.size += size;
    for (const oldest of this.entries.keys()) {
      if (this.size <= this.most) break;
      this.delete(oldest);
    }
  }

  /** The value for `key`, made if there is none. */
  take(key: K, make: () => V): V {
    const known = this.get(key);
    if (known !== undefined) return known;
    const made = make();
    this.set(key, made);
    return made;
  }

  delete(key: K): void {
    this.size -= this.entries.get(key)?.size ?? 0;
    this.entries.delete(key);
  }
}
