/** Zooming the view to a range and back, one step at a time. */
import { useRef } from 'react';
import { useQuestion, useWorkspace } from '../../panel-api.ts';
import type { Range } from './buckets.ts';

export interface Zoom {
  to(range: Range): void;
  /**
   * Back to the range before the last zoom, or to all time if there is none. Returns whether that changed the
   * range.
   */
  back(): boolean;
}

export function useZoom(): Zoom {
  const { views } = useWorkspace();
  const { from, to } = useQuestion();
  const before = useRef<(Range | undefined)[]>([]);
  return {
    to(range) {
      before.current.push(from === undefined || to === undefined ? undefined : { from, to });
      views.show({ from: range.from, to: range.to });
    },
    back() {
      const range = before.current.pop();
      if (from === range?.from && to === range?.to) return false;
      views.show({ from: range?.from, to: range?.to });
      return true;
    },
  };
}
