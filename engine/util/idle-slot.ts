/**
 * One-slot idle cache: hands an expensive resource to the next caller with the same key, or disposes of it after
 * `idleMs`.
 *
 * Invariants: at most one resource is idle; it is handed to one caller only.
 */
export class IdleSlot<T> {
  private readonly idleMs: number;
  private readonly dispose: (resource: T) => void;
  private idle: { readonly key: string; readonly resource: T } | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(idleMs: number, dispose: (resource: T) => void) {
    this.idleMs = idleMs;
    this.dispose = dispose;
  }

  get isEmpty(): boolean {
    return this.idle === undefined;
  }

  /** The idle resource, if it was stored with this key. */
  take(key = ''): T | undefined {
    if (this.idle?.key !== key) return undefined;
    const { resource } = this.idle;
    this.clear();
    return resource;
  }

  /** Stores a resource that is no longer used, replacing any other. */
  keep(resource: T, key = ''): void {
    this.close();
    this.idle = { key, resource };
    if (this.idleMs < Infinity) this.timer = setTimeout(() => this.close(), this.idleMs).unref();
  }

  /** Removes a resource that has ended by itself. */
  drop(resource: T): void {
    if (this.idle?.resource === resource) this.clear();
  }

  close(): void {
    const { idle } = this;
    this.clear();
    if (idle !== undefined) this.dispose(idle.resource);
  }

  private clear(): void {
    clearTimeout(this.timer);
    this.idle = undefined;
  }
}
