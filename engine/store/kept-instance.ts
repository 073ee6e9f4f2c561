/**
 * An instance of DuckDB that waits for the next writer of its case: making one and ending it takes as long as
 * storing a few thousand events.
 *
 * Holds always: at most one waits, for a limited time; it has nothing attached, and is only used by who would
 * make one with the same settings.
 */
import type { DuckDBInstance } from '@duckdb/node-api';

export class KeptInstance {
  private readonly idleMs: number;
  private idle: { readonly settings: string; readonly instance: DuckDBInstance } | undefined;
  private ending: NodeJS.Timeout | undefined;

  constructor(idleMs: number) {
    this.idleMs = idleMs;
  }

  /** The one that waits, if it was made with these settings. */
  take(settings: string): DuckDBInstance | undefined {
    if (this.idle?.settings !== settings) return undefined;
    const { instance } = this.idle;
    this.forget();
    return instance;
  }

  /** Keeps an instance that is used no more, instead of any other. */
  keep(settings: string, instance: DuckDBInstance): void {
    this.close();
    this.idle = { settings, instance };
    this.ending = setTimeout(() => this.close(), this.idleMs).unref();
  }

  close(): void {
    this.idle?.instance.closeSync();
    this.forget();
  }

  private forget(): void {
    clearTimeout(this.ending);
    this.idle = undefined;
  }
}
