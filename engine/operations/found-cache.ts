/**
 * Rows that were found, for the operations that ask next about the same events: a window asks for
 * list, timeline and values of one view. Bounded; what a case held at another time is forgotten.
 */
import type { FoundRows } from '../query/index.ts';
import type { Snapshot } from './case-session.ts';

/** Bytes of sets that are kept. */
const MOST_BYTES = 96e6;
/** What an entry takes beside its set. */
const ENTRY = 300;

interface Kept {
  readonly found: FoundRows;
  readonly bytes: number;
}

export class FoundCache {
  private of: Snapshot | undefined;
  /** By filter and segment, the one used last at the end. */
  private readonly kept = new Map<string, Kept>();
  private bytes = 0;
  private readonly most: number;

  constructor(most = MOST_BYTES) {
    this.most = most;
  }

  get(snapshot: Snapshot, filter: string, segment: number): FoundRows | undefined {
    if (snapshot !== this.of) return undefined;
    const key = `${segment} ${filter}`;
    const one = this.kept.get(key);
    if (one === undefined) return undefined;
    this.kept.delete(key);
    this.kept.set(key, one);
    return one.found;
  }

  set(snapshot: Snapshot, filter: string, segment: number, found: FoundRows): void {
    if (snapshot !== this.of) {
      this.of = snapshot;
      this.kept.clear();
      this.bytes = 0;
    }
    const key = `${segment} ${filter}`;
    this.bytes -= this.kept.get(key)?.bytes ?? 0;
    this.kept.delete(key);
    const { rows } = found;
    const set = typeof rows === 'string' ? 0 : Math.min(rows.count * 4, rows.total / 8);
    const bytes = ENTRY + key.length * 2 + set;
    this.kept.set(key, { found, bytes });
    this.bytes += bytes;
    for (const [oldest, one] of this.kept) {
      if (this.bytes <= this.most) break;
      this.kept.delete(oldest);
      this.bytes -= one.bytes;
    }
  }
}
