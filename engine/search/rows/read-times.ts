/**
 * Cache of row times for segments without an index of them: small ones, and those whose side files are lost.
 * Segments never change, so times once read stay valid.
 */
import type { EpochMicros } from '../../contract/event.ts';
import type { TimeLookup } from '../../index/segment-indexes.ts';
import { LruCache } from '../../util/lru-cache.ts';

/** Larger segments are not read for a timeline's times: a counting statement is faster. */
export const MOST_TIMES = 100_000;
/** Size limit of the cache: times of 16 million events. */
const MOST_BYTES = 128e6;

export class ReadTimes {
  private readonly kept = new LruCache<number, Float64Array>(MOST_BYTES);

  get(segment: number): TimeLookup | undefined {
    const times = this.kept.get(segment);
    return times && lookupOf(times);
  }

  /**
   * Undefined if the rows are not in order of time, which is possible in older segments.
   * @param times of every row, in row order
   */
  set(segment: number, times: Float64Array): TimeLookup | undefined {
    for (let row = 1; row < times.length; row++)
      if (!(times[row]! >= times[row - 1]!)) return undefined;
    this.kept.set(segment, times, times.byteLength);
    return lookupOf(times);
  }
}

function lookupOf(times: Float64Array): TimeLookup {
  return {
    rowAt: (ts: EpochMicros) => {
      let low = 0;
      let high = times.length;
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (times[middle]! < ts) low = middle + 1;
        else high = middle;
      }
      return low;
    },
    timeOf: (row) => times[row],
  };
}
