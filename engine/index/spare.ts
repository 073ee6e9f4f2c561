/**
 * Large arrays that indexes were built with, for the next segment's: fresh memory
 * costs a page fault for every page, more than most of the work done in it.
 *
 * What is taken holds anything, not zeros. What was given must not be used any more.
 */

/** Smaller arrays are as cheap from the runtime. */
const LEAST_BYTES = 1 << 16;
const SMALLEST_BYTES = 1 << 10;
/** Bytes that may lie here at most. */
const MOST_BYTES = 64 << 20;

const spare = new Map<number, ArrayBuffer[]>();
let kept = 0;

/** A buffer of at least `bytes`, whose size is a power of two: of few, since hundreds of columns of hundreds of days may be held. */
export function takeBuffer(bytes: number): ArrayBuffer {
  let size = SMALLEST_BYTES;
  while (size < bytes) size *= 2;
  const found = spare.get(size)?.pop();
  if (found === undefined) return new ArrayBuffer(size);
  kept -= size;
  return found;
}

export function giveBack(buffer: ArrayBufferLike): void {
  const size = buffer.byteLength;
  // Not those of others: of other sizes, or shared.
  if (!(buffer instanceof ArrayBuffer) || size < LEAST_BYTES || (size & (size - 1)) !== 0) return;
  if (kept + size > MOST_BYTES) return;
  const same = spare.get(size);
  if (same === undefined) spare.set(size, [buffer]);
  else same.push(buffer);
  kept += size;
}

/** What `scratch32` and `scratch64` gave since a `withScratch` began that still runs, for the innermost. */
let lent: ArrayBuffer[] | undefined;

/** Memory that is taken by `scratch32` and `scratch64` while `use` runs is used again after it: nothing it returns lies there. */
export function withScratch<T>(use: () => T): T {
  const outer = lent;
  const own: ArrayBuffer[] = [];
  lent = own;
  try {
    return use();
  } finally {
    lent = outer;
    own.forEach(giveBack);
  }
}

/** `n` zeros, until the innermost `withScratch` is done. */
export function scratch32(n: number): Uint32Array<ArrayBuffer> {
  if (lent === undefined || n * 4 < LEAST_BYTES) return new Uint32Array(n);
  const found = take32(n);
  lent.push(found.buffer);
  return found.subarray(0, n).fill(0);
}

/** The same as real numbers. */
export function scratch64(n: number): Float64Array<ArrayBuffer> {
  if (lent === undefined || n * 8 < LEAST_BYTES) return new Float64Array(n);
  const found = take64(n);
  lent.push(found.buffer);
  return found.subarray(0, n).fill(0);
}

/** At least `n` numbers of 32 bits, of any value. */
export function take32(n: number): Uint32Array<ArrayBuffer> {
  return new Uint32Array(takeBuffer(n * 4));
}

/** At least `n` real numbers, of any value. */
export function take64(n: number): Float64Array<ArrayBuffer> {
  return new Float64Array(takeBuffer(n * 8));
}
