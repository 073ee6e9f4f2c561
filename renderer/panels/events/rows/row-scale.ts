/**
 * Maps rows to scroll positions. Browsers limit an element's height (Chromium to about 33 million pixels), so a
 * long list's element is lower than the sum of its rows: small moves still go row by row, and a jump of the
 * scrollbar goes to the proportional row. Near both ends one pixel of the element is one pixel of rows, so that the
 * first and last rows are reached one by one.
 *
 * All rows have the same height: positions are computed, nothing is stored per row.
 */

/** Low enough that positions are exact in the compositor's 32-bit floats on any screen. */
export const MOST_HEIGHT = 4_000_000;
/** Pixels at each end that are not squeezed. */
const ENDS = 100_000;

interface RowScale {
  readonly rows: number;
  readonly rowHeight: number;
  /** Height of the visible part of the rows. */
  readonly viewport: number;
  /** Height of all rows. */
  readonly full: number;
  /** Height of the element that scrolls. */
  readonly height: number;
}

/** A position in the rows, `top` pixels below the top of the first one, and the element's scroll position. */
export interface RowPlace {
  readonly top: number;
  readonly scrollTop: number;
}

export const START: RowPlace = { top: 0, scrollTop: 0 };

export function rowScale(rows: number, rowHeight: number, viewport: number): RowScale {
  const full = rows * rowHeight;
  return { rows, rowHeight, viewport, full, height: Math.min(full, MOST_HEIGHT) };
}

const maxTop = ({ full, viewport }: RowScale): number => Math.max(0, full - viewport);
const maxScroll = ({ height, viewport }: RowScale): number => Math.max(0, height - viewport);

function ends(scale: RowScale): number {
  return Math.min(ENDS, maxScroll(scale) / 4);
}

/** The position whose rows begin at `top`, clamped to the rows that exist. */
export function placeAt(scale: RowScale, top: number): RowPlace {
  const most = maxTop(scale);
  const at = Math.min(Math.max(0, top), most);
  if (scale.full === scale.height) return { top: at, scrollTop: at };
  const end = ends(scale);
  const scroll = maxScroll(scale);
  if (at <= end) return { top: at, scrollTop: at };
  if (at >= most - end) return { top: at, scrollTop: scroll - (most - at) };
  const part = (at - end) / (most - 2 * end);
  return { top: at, scrollTop: end + part * (scroll - 2 * end) };
}

/** The position in the rows in proportion to the element's scroll position. */
function topAt(scale: RowScale, scrollTop: number): number {
  const most = maxTop(scale);
  const end = ends(scale);
  const scroll = maxScroll(scale);
  if (scrollTop <= end) return scrollTop;
  if (scrollTop >= scroll - end) return most - (scroll - scrollTop);
  return end + ((scrollTop - end) / (scroll - 2 * end)) * (most - 2 * end);
}

/** The place after the element was scrolled from `before` to `scrollTop`. */
export function scrolled(scale: RowScale, before: RowPlace, scrollTop: number): RowPlace {
  const most = maxTop(scale);
  const at = Math.max(0, scrollTop);
  if (scale.full === scale.height) return { top: Math.min(at, most), scrollTop };
  if (at <= 0) return { top: 0, scrollTop };
  if (at >= maxScroll(scale) - 0.5) return { top: most, scrollTop };
  const moved = at - before.scrollTop;
  const top =
    Math.abs(moved) <= scale.viewport * 1.5
      ? Math.min(Math.max(0, before.top + moved), most)
      : topAt(scale, at);
  return { top, scrollTop };
}

export interface RowRange {
  readonly first: number;
  /** Exclusive. */
  readonly end: number;
}

/** The rows in view at a position, and `beyond` more on each side. */
export function rowsAt(scale: RowScale, { top }: RowPlace, beyond = 0): RowRange {
  const first = Math.floor(top / scale.rowHeight);
  const end = Math.ceil((top + scale.viewport) / scale.rowHeight);
  return {
    first: Math.min(Math.max(0, first - beyond), scale.rows),
    end: Math.max(0, Math.min(scale.rows, end + beyond)),
  };
}

/** The nearest position from which a row is fully visible; the same one if it already is. */
export function placeToSee(scale: RowScale, place: RowPlace, row: number): RowPlace {
  const top = row * scale.rowHeight;
  if (top < place.top) return placeAt(scale, top);
  const low = top + scale.rowHeight - scale.viewport;
  return low > place.top ? placeAt(scale, low) : place;
}
