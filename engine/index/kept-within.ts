/**
 * What was read for some of many, kept while all of it takes no more than so many bytes; what was used longest
 * ago goes first. Who it belongs to is not held by it.
 */
export class KeptWithin<Owner extends WeakKey, T> {
  private readonly most: number;
  private readonly owners = new WeakMap<Owner, Kept<T>>();
  /** Those with a value, the one used last at the end. */
  private readonly used = new Set<Kept<T>>();
  private bytes = 0;

  /** @param most bytes */
  constructor(most: number) {
    this.most = most;
  }

  get(owner: Owner): T | undefined {
    const kept = this.owners.get(owner);
    if (kept === undefined || !this.used.delete(kept)) return undefined;
    this.used.add(kept);
    return kept.value;
  }

  /** @param bytes that the value takes, about; more than all that may be kept: it is not */
  set(owner: Owner, value: T, bytes: number): void {
    const before = this.owners.get(owner);
    if (before !== undefined) this.drop(before);
    if (bytes > this.most) return;
    const kept: Kept<T> = { value, bytes };
    this.owners.set(owner, kept);
    this.used.add(kept);
    this.bytes += bytes;
    for (const oldest of this.used) {
      if (this.bytes <= this.most) break;
      this.drop(oldest);
    }
  }

  private drop(kept: Kept<T>): void {
    if (!this.used.delete(kept)) return;
    this.bytes -= kept.bytes;
    kept.value = undefined;
  }
}

interface Kept<T> {
  value: T | undefined;
  readonly bytes: number;
}
