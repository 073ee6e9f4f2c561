/**
 * Rows of a list by pages: pages in view are requested first, then the next ones in the scrolling direction. The
 * least recently seen pages are evicted.
 *
 * At most two requests are in progress, and they end before others are sent, even if their pages are out of view by
 * then: the engine reads a page before it hears that nobody waits for it, and a drag of the scrollbar would queue a
 * hundred of them before the rows where it stops.
 */
import type { BatchColumn, ColumnBatch } from '../../../../engine/contract/wire/column-batch.ts';

export const PAGE_ROWS = 200;
const MOST_PAGES = 60;
const AT_ONCE = 2;
/** Pages requested beyond those in view. */
const AHEAD = 2;

/** Consecutive rows, their columns by name. */
export interface Page {
  /** Row of the list that the page's first is. */
  readonly start: number;
  readonly rows: number;
  readonly columns: ReadonlyMap<string, BatchColumn>;
}

export function makePage(start: number, batch: ColumnBatch): Page {
  return {
    start,
    rows: batch.rows,
    columns: new Map(batch.columns.map((column) => [column.name, column])),
  };
}

/** Reads rows of a list. @throws as the engine does */
type LoadRows = (offset: number, limit: number, signal: AbortSignal) => Promise<ColumnBatch>;

export interface PageCacheOptions {
  readonly rows: number;
  /** Undefined while only `first` is known. */
  readonly load: LoadRows | undefined;
  /** The beginning of the list, shown until its page is there. */
  readonly first?: ColumnBatch | undefined;
  /** Pages to show while one is missing: those of the list before, if it answered the same question. */
  readonly before?: PageCache | undefined;
  /** A page arrived, or could not be read. */
  readonly onChange: () => void;
  readonly onError: (error: unknown) => void;
}

export class PageCache {
  readonly rows: number;
  private readonly load: LoadRows | undefined;
  private readonly first: Page | undefined;
  private before: PageCache | undefined;
  private readonly onChange: () => void;
  private readonly onError: (error: unknown) => void;
  /** By number; the most recently seen last. */
  private readonly pages = new Map<number, Page>();
  private readonly running = new Map<number, AbortController>();
  private wanted: readonly number[] = [];
  private disposed = false;

  constructor({ rows, load, first, before, onChange, onError }: PageCacheOptions) {
    this.rows = rows;
    this.load = load;
    this.onChange = onChange;
    this.onError = onError;
    this.first = first === undefined ? undefined : makePage(0, first);
    this.before = before;
    // The list before this one may refer to an even older one, which is no longer needed.
    if (before !== undefined) before.before = undefined;
  }

  /** The page that contains a row, or an older one to show until it is there; undefined if there is none. */
  page(row: number): Page | undefined {
    const number = Math.floor(row / PAGE_ROWS);
    const page = this.pages.get(number);
    if (page !== undefined) return page;
    if (this.first !== undefined && row < this.first.rows) return this.first;
    return this.before?.page(row);
  }

  /** The pages that are there now. */
  loaded(): Iterable<Page> {
    return this.pages.values();
  }

  /** Rows `from` to `end` are in view; `direction` is the direction of scrolling: 1 down, -1 up. */
  want(from: number, end: number, direction: 1 | -1): void {
    if (this.load === undefined || this.disposed || this.rows === 0) return;
    const last = Math.floor((this.rows - 1) / PAGE_ROWS);
    const low = Math.max(0, Math.floor(from / PAGE_ROWS));
    const high = Math.min(last, Math.floor(Math.max(from, end - 1) / PAGE_ROWS));
    const wanted: number[] = [];
    for (let page = low; page <= high; page++) wanted.push(page);
    if (direction < 0) wanted.reverse();
    for (let i = 1; i <= AHEAD; i++) {
      const page = direction > 0 ? high + i : low - i;
      if (page >= 0 && page <= last) wanted.push(page);
    }
    this.wanted = wanted;
    for (const number of wanted) this.touch(number);
    this.next();
  }

  /** Asks again, after `dispose`. */
  resume(): void {
    this.disposed = false;
  }

  /** Cancels requests in progress and sends no more; pages stay readable. */
  dispose(): void {
    this.disposed = true;
    for (const controller of this.running.values()) controller.abort();
    this.running.clear();
  }

  private touch(number: number): void {
    const page = this.pages.get(number);
    if (page === undefined) return;
    this.pages.delete(number);
    this.pages.set(number, page);
  }

  private next(): void {
    for (const number of this.wanted) {
      if (this.running.size >= AT_ONCE) return;
      if (this.pages.has(number) || this.running.has(number)) continue;
      void this.read(number);
    }
  }

  private async read(number: number): Promise<void> {
    if (this.load === undefined) return;
    const controller = new AbortController();
    this.running.set(number, controller);
    const start = number * PAGE_ROWS;
    try {
      const batch = await this.load(
        start,
        Math.min(PAGE_ROWS, this.rows - start),
        controller.signal,
      );
      if (controller.signal.aborted) return;
      this.running.delete(number);
      this.pages.set(number, makePage(start, batch));
      for (const [oldest] of this.pages) {
        if (this.pages.size <= MOST_PAGES) break;
        this.pages.delete(oldest);
      }
      this.onChange();
      if (!this.disposed) this.next();
    } catch (error) {
      if (controller.signal.aborted) return;
      this.running.delete(number);
      const isWanted = this.wanted.includes(number);
      // It is requested again when it comes into view again.
      this.wanted = this.wanted.filter((one) => one !== number);
      // Nobody misses rows that were scrolled away.
      if (isWanted) this.onError(error);
      if (!this.disposed) this.next();
    }
  }
}
