/** The keyboard cursor in the chart: a bucket, and with Shift all from an anchor to it. */
import { useState, type KeyboardEvent } from 'react';
import { rangeBetween, type Buckets, type Range } from '../buckets.ts';
import { peakOf } from './stacks.ts';
import type { Zoom } from '../use-zoom.ts';

interface BucketCursor {
  /** The bucket that the cursor is on. */
  readonly at: number | undefined;
  /** The buckets that are marked, both included. */
  readonly marked: readonly [first: number, last: number] | undefined;
  /** Their range, if there are several. */
  readonly range: Range | undefined;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  /** Takes the cursor away; the mark stays. */
  leave(): void;
  /** Takes the cursor and the mark away. */
  clear(): void;
}

/** The cursor after a key press; undefined for keys that do not move it. */
export function movedCursor(
  key: string,
  cursor: number | undefined,
  start: number,
  last: number,
): number | undefined {
  const at = cursor ?? start;
  const moves: Partial<Record<string, number>> = {
    ArrowLeft: cursor === undefined ? at : at - 1,
    ArrowRight: cursor === undefined ? at : at + 1,
    PageUp: at - 10,
    PageDown: at + 10,
    Home: 0,
    End: last,
  };
  const to = moves[key];
  return to === undefined ? undefined : Math.min(last, Math.max(0, to));
}

export function useBucketCursor(buckets: Buckets, zoom: Zoom): BucketCursor {
  const [at, setAt] = useState<number>();
  const [mark, setMark] = useState<number>();
  const other = mark ?? at;
  const leave = (): void => setAt(undefined);
  const clear = (): void => {
    setAt(undefined);
    setMark(undefined);
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    const last = buckets.starts.length - 1;
    if (last < 0 || event.altKey || event.ctrlKey || event.metaKey) return;
    const start = peakOf(buckets.sums) ?? 0;
    const to = movedCursor(event.key, at, start, last);
    if (to !== undefined) {
      if (!event.shiftKey) setMark(undefined);
      else if (mark === undefined) setMark(at ?? start);
      setAt(to);
    } else if (event.key === 'Enter' && at !== undefined) {
      clear();
      zoom.to(rangeBetween(buckets, at, mark ?? at));
    } else if (event.key === 'Escape') {
      if (at !== undefined) clear();
      else if (!zoom.back()) return;
    } else return;
    event.preventDefault();
  };

  return {
    at,
    marked:
      at === undefined || other === undefined
        ? undefined
        : [Math.min(at, other), Math.max(at, other)],
    range:
      at === undefined || mark === undefined || mark === at
        ? undefined
        : rangeBetween(buckets, at, mark),
    ...{ onKeyDown, leave, clear },
  };
}
