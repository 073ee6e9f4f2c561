/** Sorting by counting: numbers of entries in the order of their keys, in linear time, stably. */

const DIGIT_BITS = 11;
const BUCKETS = 1 << DIGIT_BITS;

/**
 * Numbers 0 to `n` - 1 in ascending order of their keys; equal keys keep their order.
 * @param words the keys' 32-bit words, the most significant word first.
 */
export function sortedNumbers(words: readonly Uint32Array[], n: number): Uint32Array {
  let order = new Uint32Array(n);
  for (let i = 0; i < n; i++) order[i] = i;
  let other = new Uint32Array(n);
  const counts = new Uint32Array(BUCKETS);
  for (let at = words.length - 1; at >= 0; at--) {
    const word = words[at]!;
    for (let shift = 0; shift < 32; shift += DIGIT_BITS) {
      countDigits(word, n, shift, counts);
      if (n === 0 || counts[(word[0]! >>> shift) & (BUCKETS - 1)] === n) continue;
      moveByDigit(word, shift, counts, order, other);
      const done = order;
      order = other;
      other = done;
    }
  }
  return order;
}

// Hot loops (CONTRIBUTING.md).

function countDigits(word: Uint32Array, n: number, shift: number, counts: Uint32Array): void {
  counts.fill(0);
  for (let i = 0; i < n; i++) counts[(word[i]! >>> shift) & (BUCKETS - 1)]! += 1;
}

/** @param counts of the digits, which become where each ends */
function moveByDigit(
  word: Uint32Array,
  shift: number,
  counts: Uint32Array,
  from: Uint32Array,
  to: Uint32Array,
): void {
  let sum = 0;
  for (let digit = 0; digit < BUCKETS; digit++) {
    const count = counts[digit]!;
    counts[digit] = sum;
    sum += count;
  }
  for (let i = 0; i < from.length; i++) {
    const entry = from[i]!;
    const digit = (word[entry]! >>> shift) & (BUCKETS - 1);
    const at = counts[digit]!;
    counts[digit] = at + 1;
    to[at] = entry;
  }
}

/** Rows by code: those of code `c`, in the given order, from `starts[c]` on. */
export interface Grouped {
  readonly starts: Uint32Array;
  readonly rows: Uint32Array;
}

/**
 * @param codes of every row, each below `size`
 * @param rows rows to group, by default all
 */
export function groupByCode(codes: Uint32Array, size: number, rows?: Uint32Array): Grouped {
  const out = new Uint32Array(rows === undefined ? codes.length : rows.length);
  const starts = new Uint32Array(size + 1);
  if (rows === undefined) countAll(codes, starts);
  else countSome(codes, rows, starts);
  for (let code = 0; code < size; code++) starts[code + 1]! += starts[code]!;
  const next = starts.slice(0, size);
  if (rows === undefined) putAll(codes, next, out);
  else putSome(codes, rows, next, out);
  return { starts, rows: out };
}

/** Adds up how many rows have each code, one place after it. */
function countAll(codes: Uint32Array, counts: Uint32Array): void {
  for (let row = 0; row < codes.length; row++) counts[codes[row]! + 1]! += 1;
}

function countSome(codes: Uint32Array, rows: Uint32Array, counts: Uint32Array): void {
  for (let i = 0; i < rows.length; i++) counts[codes[rows[i]!]! + 1]! += 1;
}

function putAll(codes: Uint32Array, next: Uint32Array, out: Uint32Array): void {
  for (let row = 0; row < codes.length; row++) {
    const code = codes[row]!;
    const to = next[code]!;
    next[code] = to + 1;
    out[to] = row;
  }
}

function putSome(codes: Uint32Array, rows: Uint32Array, next: Uint32Array, out: Uint32Array): void {
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!;
    const code = codes[row]!;
    const to = next[code]!;
    next[code] = to + 1;
    out[to] = row;
  }
}
