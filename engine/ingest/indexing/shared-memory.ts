/**
 * Pool of shared memory in which columns of rows are lent to another thread, reused once it has read them.
 *
 * It is shared because V8 counts transferred memory as allocated by both threads, which then collected garbage many
 * times a second, and because buffers must not be transferred (`ThreadHandle.post`).
 */

/** Copying smaller columns twice is faster. */
const LEAST_BYTES = 1 << 16;
/**
 * Maximum number of idle bytes: as many as can be lent at once. Released memory is garbage that V8 does not count:
 * at 16 MB a second, 800 MB accumulated before it was collected.
 */
const MOST_BYTES = 128 << 20;

const spare = new Map<number, SharedArrayBuffer[]>();
let kept = 0;

/** Memory of at least `bytes`, with arbitrary content. */
export function lentMemory(bytes: number): ArrayBufferLike {
  if (bytes < LEAST_BYTES) return new ArrayBuffer(bytes);
  let size = LEAST_BYTES;
  while (size < bytes) size *= 2;
  const found = spare.get(size)?.pop();
  if (found === undefined) return new SharedArrayBuffer(size);
  kept -= size;
  return found;
}

/** Returns memory that no thread reads any more. */
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
