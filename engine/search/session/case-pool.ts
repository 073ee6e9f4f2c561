/**
 * The cases that this engine has open: one session each, opened when an operation first needs it, and closed after
 * a time without use.
 *
 * Invariants: a session is not closed while work runs on it; work starts on the case that is in the folder at that
 * time, even if there was another one before.
 */
import { resolve } from 'node:path';
import { IdleSlot } from '../../util/idle-slot.ts';
import { Catalog } from '../../catalog/catalog.ts';
import type { StoreOptions } from '../../store/reading/duckdb-instance.ts';
import { CaseSession } from './case-session.ts';

interface Pooled {
  readonly session: CaseSession;
  /** Identity of the catalog's file. */
  readonly identity: string | undefined;
  users: number;
  /** The folder now has another case: the last user closes this one. */
  replaced: boolean;
  closing: NodeJS.Timeout | undefined;
}

const IDLE_MS = 60_000;

export class CasePool {
  /** The catalog of the case that was written last: the next writer need not open it. */
  readonly writable = new IdleSlot<Catalog>(IDLE_MS, (catalog) => catalog.close());
  private readonly options: () => StoreOptions;
  private readonly open = new Map<string, Pooled>();
  private readonly first: (() => Promise<void>)[] = [];

  /** `options` is called each time a case is opened: settings may have changed. */
  constructor(options: () => StoreOptions) {
    this.options = options;
  }

  /**
   * Runs `work` on the case in `folder`.
   * @throws DaybookError not-a-case, case-too-new, case-damaged, and whatever `work` throws
   */
  async use<T>(folder: string, work: (session: CaseSession) => Promise<T>): Promise<T> {
    const path = resolve(folder);
    const identity = Catalog.identity(path);
    let pooled = this.open.get(path);
    if (pooled !== undefined && pooled.identity !== identity) {
      this.open.delete(path);
      pooled.replaced = true;
      if (pooled.users === 0) endOf(pooled);
      pooled = undefined;
    }
    if (pooled === undefined) {
      pooled = {
        identity,
        session: CaseSession.open(path, this.options()),
        users: 0,
        replaced: false,
        closing: undefined,
      };
      this.open.set(path, pooled);
    }
    pooled.users += 1;
    clearTimeout(pooled.closing);
    try {
      return await work(pooled.session);
    } finally {
      pooled.users -= 1;
      if (pooled.users === 0) {
        if (pooled.replaced) endOf(pooled);
        else if (this.open.get(path) === pooled) this.closeLater(path, pooled);
      }
    }
  }

  private closeLater(path: string, pooled: Pooled): void {
    clearTimeout(pooled.closing);
    pooled.closing = setTimeout(() => {
      if (pooled.users > 0) return;
      this.open.delete(path);
      endOf(pooled);
    }, IDLE_MS);
    pooled.closing.unref();
  }

  /** Registers a callback that ends work on cases outside these sessions before they are closed. */
  beforeClose(end: () => Promise<void>): void {
    this.first.push(end);
  }

  /** Closes every case; work that is still running on one fails. */
  async close(): Promise<void> {
    for (const end of this.first) await end();
    this.writable.close();
    for (const [path, pooled] of this.open) {
      clearTimeout(pooled.closing);
      this.open.delete(path);
      await pooled.session.close();
    }
  }
}

function endOf({ session, closing }: Pooled): void {
  clearTimeout(closing);
  void session.close();
}
