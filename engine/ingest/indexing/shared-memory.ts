/**
 * Memory that columns of rows are lent in to another thread, used again once it has taken them in.
 *
 * It is shared, since V8 counts memory that goes over from thread to thread as allocated by both, and each of
 * them then looked for garbage many times a second; and since none may go over (`ThreadHandle.post`).
 */

/** Smaller columns are quicker copied twice. */
const LEAST_BYTES = 1 << 16;
/**
 * Bytes that may wait to be used at most: as many as can be lent at a time. What is released is garbage that V8 does not
 * count: at 16 MB a second, 800 MB piled up before it collected any.
 */
const MOST_BYTES = 128 << 20;

const spare = new Map<number, SharedArrayBuffer[]>();
let kept = 0;

/** Memory for at least `bytes`, that holds anything. */
export function lentMemory(bytes: number): ArrayBufferLike {
  if (bytes < LEAST_BYTES) return new ArrayBuffer(bytes);
  let size = LEAST_BYTES;
  while (size < bytes) size *= 2;
  const found = spare.get(size)?.pop();
  if (found === undefined) return new SharedArrayBuffer(size);
  kept -= size;
  return found;
}

/** Nobody reads it any more. */
export function takeBack(memory: SharedArrayBuffer): void {
  const size = memory.byteLength;
  if (kept + size > MOST_BYTES) return;
  const same = spare.get(size);
  if (same === undefined) spare.set(size, [memory]);
  else same.push(memory);
  kept += size;
}

/** A copy of `values` in such memory. */
export function lentCopy<T extends TypedArray>(values: T): T {
  const { byteLength, length } = values;
  const Typed = values.constructor as new (
    buffer: ArrayBufferLike,
    at: number,
    length: number,
  ) => T;
  const copy = new Typed(lentMemory(byteLength), 0, length);
  copy.set(values);
  return copy;
}
type TypedArray = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array;
