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
      counts.fill(0);
      for (let i = 0; i < n; i++) counts[(word[i]! >>> shift) & (BUCKETS - 1)]! += 1;
      if (n === 0 || counts[(word[0]! >>> shift) & (BUCKETS - 1)] === n) continue;
      let sum = 0;
      for (let bucket = 0; bucket < BUCKETS; bucket++) {
        const count = counts[bucket]!;
        counts[bucket] = sum;
        sum += count;
      }
      for (let i = 0; i < n; i++) {
        const entry = order[i]!;
        const bucket = (word[entry]! >>> shift) & (BUCKETS - 1);
        const to = counts[bucket]!;
        counts[bucket] = to + 1;
        other[to] = entry;
      }
      const done = order;
      order = other;
      other = done;
    }
  }
  return order;
}

/** Rows by their code: those of code `c`, in the order they were given, from `starts[c]` on. */
export interface Grouped {
  readonly starts: Uint32Array;
  readonly rows: Uint32Array;
}

/**
 * @param codes of every row, each below `size`.
 * @param rows rows to group, all when left out.
 */
export function groupByCode(codes: Uint32Array, size: number, rows?: Uint32Array): Grouped {
  const n = rows === undefined ? codes.length : rows.length;
  const starts = new Uint32Array(size + 1);
  if (rows === undefined) for (let i = 0; i < n; i++) starts[codes[i]! + 1]! += 1;
  else for (let i = 0; i < n; i++) starts[codes[rows[i]!]! + 1]! += 1;
  for (let code = 0; code < size; code++) starts[code + 1]! += starts[code]!;
  const next = starts.slice(0, size);
  const out = new Uint32Array(n);
  for (let i = 0; i < n; i++) {
    const row = rows === undefined ? i : rows[i]!;
    const code = codes[row]!;
    const to = next[code]!;
    next[code] = to + 1;
    out[to] = row;
  }
  return { starts, rows: out };
}
