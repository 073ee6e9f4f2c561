/** Keys of a page of words, in order: searched by prefix, by whole key and by substring. */
import type { PlainKeys } from '../format/page.ts';

function compareKey({ keys, starts }: PlainKeys, entry: number, key: Uint8Array): number {
  const from = starts[entry]!;
  const length = starts[entry + 1]! - 1 - from;
  const common = Math.min(length, key.length);
  for (let i = 0; i < common; i++) {
    const difference = keys[from + i]! - key[i]!;
    if (difference !== 0) return difference;
  }
  return length - key.length;
}

export function firstNotBelow(words: PlainKeys, key: Uint8Array): number {
  let low = 0;
  let high = words.starts.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareKey(words, middle, key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function beginsWith(
  data: Uint8Array,
  from: number,
  to: number,
  prefix: Uint8Array,
): boolean {
  if (to - from < prefix.length) return false;
  for (let i = 0; i < prefix.length; i++) if (data[from + i] !== prefix[i]) return false;
  return true;
}

/** Entries whose key contains `literal`. */
export function entriesWith(
  { keys, starts }: PlainKeys,
  literal: Uint8Array,
  visit: (entry: number) => void,
): void {
  if (literal.length === 0) {
    for (let i = 0; i + 1 < starts.length; i++) visit(i);
    return;
  }
  const all = Buffer.from(keys.buffer, keys.byteOffset, keys.length);
  let entry = 0;
  for (let at = all.indexOf(literal); at >= 0; at = all.indexOf(literal, at)) {
    entry = entryAt(starts, at, entry);
    visit(entry);
    at = starts[entry + 1]!;
  }
}

/** The entry whose key has byte `at` of the keys; not before `from`. */
function entryAt(starts: Uint32Array, at: number, from: number): number {
  let low = from;
  let high = starts.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (starts[middle]! <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}
