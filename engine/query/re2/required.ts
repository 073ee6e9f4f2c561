/**
 * Bytes that every match of a pattern contains. Most texts lack them, which is detected by reading one byte in
 * several (Horspool's algorithm, with sets of bytes).
 *
 * Invariant: a text without them does not match. One with them may.
 */
import type { CodeSet } from './code-set.ts';
import type { Node } from './syntax.ts';

/** Number of positions that fit in one word of bits. */
const MOST_PLACES = 31;
/** The automaton finds a single byte as fast. */
const LEAST_PLACES = 2;

export class RequiredBytes {
  private readonly length: number;
  /** Bit i: the byte may be at position i. */
  private readonly places = new Uint32Array(256);
  /** How far to advance if the byte at the last position does not fit; 0: it fits. */
  private readonly skips: Uint8Array;

  constructor(sets: readonly CodeSet[]) {
    this.length = sets.length;
    this.skips = new Uint8Array(256).fill(sets.length);
    for (const [place, set] of sets.entries()) {
      for (let i = 0; i + 1 < set.length; i += 2) {
        for (let byte = set[i]!; byte <= set[i + 1]!; byte++) {
          this.places[byte]! |= 1 << place;
          this.skips[byte] = sets.length - 1 - place;
        }
      }
    }
  }

  /** Whether `bytes[start, end)` contains them. */
  isIn(bytes: Uint8Array, start: number, end: number): boolean {
    const { length, skips } = this;
    let at = start + length - 1;
    while (at < end) {
      const skip = skips[bytes[at]!]!;
      if (skip > 0) at += skip;
      else if (this.standAt(bytes, at - length + 1)) return true;
      else at += 1;
    }
    return false;
  }

  private standAt(bytes: Uint8Array, at: number): boolean {
    const { length, places } = this;
    for (let i = 0; i < length; i++) if (((places[bytes[at + i]!]! >>> i) & 1) === 0) return false;
    return true;
  }
}

/** The longest run of characters that every match contains; undefined if none would help. */
export function requiredBytes(node: Node): RequiredBytes | undefined {
  const best = longestRun(node, isNarrow).slice(0, MOST_PLACES);
  return best.length < LEAST_PLACES ? undefined : new RequiredBytes(best);
}

/** A sequence of sets of single bytes. */
type Run = readonly CodeSet[];

/** The longest run of characters that every match has, each one of a set that `isPart` holds for. */
export function longestRun(node: Node, isPart: (set: CodeSet) => boolean): Run {
  let best: Run = [];
  let run: CodeSet[] = [];
  const end = (): void => {
    if (run.length > best.length) best = run;
    run = [];
  };
  const walk = (one: Node): void => {
    switch (one.op) {
      case 'set':
        if (isPart(one.set)) run.push(one.set);
        else end();
        return;
      case 'assert':
        // Takes no byte.
        return;
      case 'sequence':
        for (const item of one.items) walk(item);
        return;
      case 'capture':
        walk(one.item);
        return;
      case 'repeat': {
        end();
        if (one.least === 0) return;
        const inside = longestRun(one.item, isPart);
        if (inside.length > best.length) best = inside;
        return;
      }
      case 'either':
        end();
    }
  };
  walk(node);
  end();
  return best;
}

/** Whether a set consists of a few ASCII characters: one byte each, and not found everywhere. */
function isNarrow(set: CodeSet): boolean {
  const last = set.at(-1);
  if (last === undefined || last > 0x7f) return false;
  let size = 0;
  for (let i = 0; i + 1 < set.length; i += 2) size += set[i + 1]! - set[i]! + 1;
  return size <= 10;
}
