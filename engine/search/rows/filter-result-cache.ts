/**
 * Cache of rows found by filters, for the next operations on the same events, and single flight for rows that are
 * being found: a window asks for list, timeline and values of a view at once. Bounded; results for an earlier state
 * of the case are dropped.
 */
import type { OwnedCache, TextCache } from '../../index/text/index.ts';
import type { FoundRows, CandidateRows } from '../../query/index.ts';
import type { Snapshot } from '../session/snapshot.ts';
import { InFlightLookup } from './in-flight-lookup.ts';

/** Limit of filters with a number. */
const MOST_NUMBERS = 1000;

/** Row sets by name. */
class RowSetCache<T extends Pick<FoundRows, 'rows'>> {
  private readonly kept: OwnedCache;

  constructor(cache: TextCache) {
    this.kept = cache.owner();
  }

  get(key: string): T | undefined {
    // Only `set` adds entries.
    return this.kept.get(key) as T | undefined;
  }

  set(key: string, value: T): void {
    const { rows } = value;
    if (typeof rows === 'string') this.kept.set(key, value, 0, value);
    else this.kept.set(key, value, rows.bytes, rows.held);
  }

  clear(): void {
    this.kept.forget();
  }
}

export class FilterResultCache {
  private of: Snapshot | undefined;
  private readonly found: RowSetCache<FoundRows>;
  /** Of single conditions: filters with a common condition look it up once. */
  private readonly leaves: RowSetCache<CandidateRows>;
  private readonly running = new Map<string, InFlightLookup>();
  /** Numbers of filters, which stand for them in the names of many segments' sets. Numbers are never reused. */
  private readonly numbers = new Map<string, number>();
  private lastNumber = 0;

  /** @param cache holds the results */
  constructor(cache: TextCache) {
    this.found = new RowSetCache(cache);
    this.leaves = new RowSetCache(cache);
  }

  get(snapshot: Snapshot, filter: string, segment: number): FoundRows | undefined {
    return snapshot === this.of ? this.found.get(this.keyOf(filter, segment)) : undefined;
  }

  set(snapshot: Snapshot, filter: string, segment: number, found: FoundRows): void {
    this.startOf(snapshot);
    this.found.set(this.keyOf(filter, segment), found);
  }

  /** Rows of a condition, from the cache or looked up. */
  leaf(
    snapshot: Snapshot,
    condition: string,
    segment: number,
    lookUp: () => CandidateRows | undefined,
  ): CandidateRows | undefined {
    this.startOf(snapshot);
    const key = this.keyOf(condition, segment);
    const known = this.leaves.get(key);
    if (known !== undefined) return known;
    const found = lookUp();
    if (found !== undefined) this.leaves.set(key, found);
    return found;
  }

  /** The look-up of a segment's rows that is in flight. */
  finding(snapshot: Snapshot, filter: string, segment: number): InFlightLookup | undefined {
    if (snapshot !== this.of) return undefined;
    const running = this.running.get(this.keyOf(filter, segment));
    return running?.abandoned === true ? undefined : running;
  }

  /**
   * Starts to find rows of segments, for all callers that ask for them until they are found and cached.
   * @param work returns them by segment; ends soon after its signal is aborted
   */
  find(
    snapshot: Snapshot,
    filter: string,
    segments: readonly number[],
    work: (stop: AbortSignal) => Promise<ReadonlyMap<number, FoundRows>>,
  ): InFlightLookup {
    this.startOf(snapshot);
    const keys = segments.map((segment) => this.keyOf(filter, segment));
    const finding: InFlightLookup = new InFlightLookup(async (stop) => {
      try {
        const found = await work(stop);
        if (snapshot === this.of)
          for (const [segment, one] of found) this.found.set(this.keyOf(filter, segment), one);
        return found;
      } finally {
        for (const key of keys) if (this.running.get(key) === finding) this.running.delete(key);
      }
    });
    for (const key of keys) this.running.set(key, finding);
    return finding;
  }

  private startOf(snapshot: Snapshot): void {
    if (snapshot === this.of) return;
    this.of = snapshot;
    this.found.clear();
    this.leaves.clear();
    this.running.clear();
  }

  private keyOf(filter: string, segment: number): string {
    let number = this.numbers.get(filter);
    if (number === undefined) {
      if (this.numbers.size >= MOST_NUMBERS) this.numbers.clear();
      this.numbers.set(filter, (number = this.lastNumber += 1));
    }
    return `${number} ${segment}`;
  }
}
