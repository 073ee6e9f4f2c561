/**
 * Times of the rows of segments that have no index of them: small ones, and those whose side files are lost. Segments
 * never change, so what was read stays right.
 */
import type { EpochMicros } from '../../contract/event.ts';
import type { TimeLookup } from '../../index/segment-indexes.ts';
import { LruCache } from '../../util/lru-cache.ts';

/** Larger segments are not read for a timeline's times: a statement that counts is quicker. */
export const MOST_TIMES = 100_000;
/** Bytes that are kept: times of 16 million events. */
const MOST_BYTES = 128e6;

export class ReadTimes {
  private readonly kept = new LruCache<number, Float64Array>(MOST_BYTES);

  get(segment: number): TimeLookup | undefined {
    const times = this.kept.get(segment);
    return times && lookupOf(times);
  }

  /**
   * Undefined when the rows are not in order of time, as older segments may not.
   * @param times of every row, in the order of the rows
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
