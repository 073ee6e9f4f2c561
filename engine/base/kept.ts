/**
 * Something that waits for the next who needs its like: making it and ending it takes as long as what it is used for,
 * such as storing a few thousand events.
 *
 * Holds always: at most one waits, for a limited time; it is given to one, who asks for what it was kept as.
 */
export class Kept<T> {
  private readonly idleMs: number;
  private readonly end: (one: T) => void;
  private idle: { readonly key: string; readonly one: T } | undefined;
  private ending: NodeJS.Timeout | undefined;

  /** @param end what is done with one that nobody has asked for */
  constructor(idleMs: number, end: (one: T) => void) {
    this.idleMs = idleMs;
    this.end = end;
  }

  /** The one that waits, if it was kept as `key`. */
  take(key: string): T | undefined {
    if (this.idle?.key !== key) return undefined;
    const { one } = this.idle;
    this.forget();
    return one;
  }

  /** Keeps what is used no more, instead of any other. */
  keep(key: string, one: T): void {
    this.close();
    this.idle = { key, one };
    this.ending = setTimeout(() => this.close(), this.idleMs).unref();
  }

  close(): void {
    const { idle } = this;
    this.forget();
    if (idle !== undefined) this.end(idle.one);
  }

  private forget(): void {
    clearTimeout(this.ending);
    this.idle = undefined;
  }
}
