/** A cache that is bounded by the bytes of its values: the least recently used is evicted. */
interface Entry<V> {
  readonly value: V;
  readonly bytes: number;
}

export class ByteBoundedLru<K, V> {
  private readonly most: number;
  /** In order of use, the most recent at the end. */
  private readonly entries = new Map<K, Entry<V>>();
  private bytes = 0;

  /** @param most bytes */
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

  /** @param bytes that the value takes, about; a value that takes more than the limit is not kept */
  set(key: K, value: V, bytes: number): void {
    this.delete(key);
    if (bytes > this.most) return;
    this.entries.set(key, { value, bytes });
    this.bytes += bytes;
    for (const oldest of this.entries.keys()) {
      if (this.bytes <= this.most) break;
      this.delete(oldest);
    }
  }

  delete(key: K): void {
    this.bytes -= this.entries.get(key)?.bytes ?? 0;
    this.entries.delete(key);
  }
}
