/** The rows in view in a scrolling element, and their positions; follows scrolling and resizing. */
import { useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import {
  placeAt,
  placeToSee,
  rowsAt,
  rowScale,
  scrolled,
  START,
  type RowPlace,
  type RowRange,
} from './row-scale.ts';

/** Rows rendered beyond those in view, so that fast scrolling does not show gaps. */
const BEYOND = 8;
/** After scrolling has rested this long, the element's scrollbar is aligned with its rows. */
const REST_MS = 160;
/** Positions of rows are relative to a multiple of this, to keep the numbers small. */
const BASE = 1_000_000;

export interface RowWindow extends RowRange {
  /** Pixels from the element's top to the top of row `baseRow`. */
  readonly offset: number;
  /** Pixels to which positions of rows are relative: a row is at `row * height - base`. */
  readonly base: number;
  /** Height of the element that scrolls. */
  readonly height: number;
  readonly direction: 1 | -1;
}

export interface RowWindowControl {
  readonly window: RowWindow;
  /** Rows that are wholly seen. */
  readonly perPage: number;
  /** The place now; not state. */
  place(): RowPlace;
  see(row: number): void;
  /** Shows the rows from `top` pixels on. */
  moveTo(top: number): void;
}

interface Shown {
  readonly place: RowPlace;
  readonly direction: 1 | -1;
}

/**
 * @param scroller The scrolling element; its content has the height that is returned.
 * @param above Pixels of it covered by something else, such as a heading.
 */
export function useRowWindow(
  scroller: HTMLElement | null,
  rows: number,
  rowHeight: number,
  above: number,
): RowWindowControl {
  const viewport = useViewport(scroller, rowHeight, above);
  const [shown, setShown] = useState<Shown>({ place: START, direction: 1 });
  const place = useRef<RowPlace>(START);
  const rendered = useRef('');
  const scale = useMemo(() => rowScale(rows, rowHeight, viewport), [rows, rowHeight, viewport]);

  const windowOf = useCallback(
    ({ place: at, direction }: Shown): RowWindow => {
      const base = Math.floor(at.top / BASE) * BASE;
      const offset = at.scrollTop - at.top + base;
      return { ...rowsAt(scale, at, BEYOND), base, offset, height: scale.height, direction };
    },
    [scale],
  );
  const window = useMemo(() => windowOf(shown), [windowOf, shown]);
  rendered.current = keyOf(window);

  const goTo = useCallback(
    (next: RowPlace) => {
      if (scroller === null) return;
      const before = place.current;
      // The element rounds to whole pixels of the screen: the rounded value is the position.
      place.current = next;
      scroller.scrollTop = next.scrollTop;
      place.current = { top: next.top, scrollTop: scroller.scrollTop };
      setShown({ place: place.current, direction: next.top >= before.top ? 1 : -1 });
    },
    [scroller],
  );

  // Another length or height: the same rows stay, as far as there are any.
  useLayoutEffect(() => goTo(placeAt(scale, place.current.top)), [scale, goTo]);

  useLayoutEffect(() => {
    if (scroller === null) return undefined;
    let resting: ReturnType<typeof setTimeout> | undefined;
    const rest = (): void => {
      const right = placeAt(scale, place.current.top);
      if (Math.abs(right.scrollTop - place.current.scrollTop) > 1) goTo(right);
    };
    const onScroll = (): void => {
      const before = place.current;
      const next = scrolled(scale, before, scroller.scrollTop);
      if (next.scrollTop === before.scrollTop) return;
      place.current = next;
      clearTimeout(resting);
      resting = setTimeout(rest, REST_MS);
      const now: Shown = { place: next, direction: next.top >= before.top ? 1 : -1 };
      // Most steps show rows that are already rendered: the browser moves them without React.
      if (keyOf(windowOf(now)) === rendered.current) return;
      flushSync(() => setShown(now));
    };
    scroller.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      scroller.removeEventListener('scroll', onScroll);
      clearTimeout(resting);
    };
  }, [scroller, scale, windowOf, goTo]);

  return useMemo(
    () => ({
      window,
      perPage: Math.max(1, Math.floor(viewport / rowHeight)),
      place: () => place.current,
      see: (row) => {
        const next = placeToSee(scale, place.current, row);
        if (next !== place.current) goTo(next);
      },
      moveTo: (top) => goTo(placeAt(scale, top)),
    }),
    [window, viewport, rowHeight, scale, goTo],
  );
}

/** The height in which rows are seen. */
function useViewport(scroller: HTMLElement | null, rowHeight: number, above: number): number {
  const [viewport, setViewport] = useState(600);
  useLayoutEffect(() => {
    if (scroller === null) return undefined;
    const measure = (): void => setViewport(Math.max(rowHeight, scroller.clientHeight - above));
    const observer = new ResizeObserver(measure);
    observer.observe(scroller);
    measure();
    return () => observer.disconnect();
  }, [scroller, rowHeight, above]);
  return viewport;
}

/** Windows with the same key look the same. Rows come in fours, so that not every row causes a render. */
function keyOf({ first, end, offset, base }: RowWindow): string {
  return `${first >> 2}/${end >> 2}/${Math.round(offset)}/${base}`;
}
