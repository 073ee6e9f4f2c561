/**
 * A map with fast access to its oldest entry. A Map keeps the slots of removed entries, up to half of all, and
 * iteration from its front skips them each time: removing the oldest of 60,000 entries takes some 30,000 steps.
 *
 * Invariant: besides the entries, at most about twice as many keys are held.
 */
const LEAST = 64;

export class AgedMap<K, V> extends Map<K, V> {
  /** Keys in order of insertion, from `front` on, including removed ones. */
  private order: K[] = [];
  private front = 0;

  override set(key: K, value: V): this {
    if (!this.has(key)) {
      if (this.order.length - this.front > 2 * this.size + LEAST) this.reorder([...this.keys()]);
      else if (this.front > LEAST && 2 * this.front > this.order.length)
        this.reorder(this.order.slice(this.front));
      this.order.push(key);
    }
    return super.set(key, value);
  }

  private reorder(order: K[]): void {
    this.order = order;
    this.front = 0;
  }

  override clear(): void {
    super.clear();
    this.reorder([]);
  }

  /**
   * The entry that was inserted first; one that was removed and inserted again may count from its first insertion.
   */
  oldest(): [K, V] | undefined {
    for (; this.front < this.order.length; this.front++) {
      const key = this.order[this.front]!;
      if (this.has(key)) return [key, this.get(key)!];
    }
    return undefined;
  }
}
