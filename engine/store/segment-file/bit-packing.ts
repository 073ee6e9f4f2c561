/** Numbers of so many bits each, one behind the other, the lowest bit first. */
import { type Pages, Unreadable } from './pages.ts';

/** DuckDB packs 32 at a time. */
const AT_ONCE = 32;
/** Of wider numbers not all would be exact. */
const MOST_WIDTH = 48;

/** Bytes that `count` numbers take. */
export function packedBytes(count: number, width: number): number {
  return (Math.ceil(count / AT_ONCE) * AT_ONCE * width) / 8;
}

/** Number `index`; its bytes were asked for. */
export function packedAt(view: DataView, start: number, index: number, width: number): number {
  const bit = index * width;
  const at = start + Math.floor(bit / 8);
  const shift = bit & 7;
  const low = view.getUint32(at, true) >>> shift;
  const have = 32 - shift;
  if (width <= have) return width === 32 ? low : low & ((1 << width) - 1);
  const left = width - have;
  const high = view.getUint32(at + 4, true);
  const part = left >= 32 ? high : (high & ((1 << left) - 1)) >>> 0;
  return low + part * 2 ** have;
}

/** So many bits lie in four bytes, wherever they begin in the first. */
const IN_WORD = 25;

/** The sum of numbers `from` to `to` (not included); their bytes were asked for. */
export function packedSum(
  view: DataView,
  start: number,
  from: number,
  to: number,
  width: number,
): number {
  let sum = 0;
  if (width > IN_WORD) {
    for (let i = from; i < to; i++) sum += packedAt(view, start, i, width);
    return sum;
  }
  const mask = (1 << width) - 1;
  const end = to * width;
  for (let bit = from * width; bit < end; bit += width)
    sum += (view.getUint32(start + (bit >>> 3), true) >>> (bit & 7)) & mask;
  return sum;
}

/** The same as `packedAt`, and the bytes are asked for. */
export function readPacked(pages: Pages, start: number, index: number, width: number): number {
  if (width === 0) return 0;
  checkWidth(width);
  const from = start + Math.floor((index * width) / 8);
  pages.need(from, start + Math.ceil(((index + 1) * width) / 8));
  return packedAt(pages.view, start, index, width);
}

export function checkWidth(width: number): void {
  if (!(width >= 0) || width > MOST_WIDTH) throw new Unreadable('width');
}
