/**
 * The different tokens of a segment in the order in which they are written: numbers by value, then words
 * by their folded bytes. Tokens that differ in case only are one.
 */
import { foldBytes } from '../../../util/fold.ts';
import { FIRST_STRING, LONG, type TokenTable } from './token-table.ts';

export interface Vocabulary {
  /** Ascending. */
  readonly numbers: Uint32Array;
  readonly words: Words;
  /** Rank of each token: below `numbers.length` a number, otherwise a word. */
  readonly rankOf: Uint32Array;
  readonly size: number;
}

interface Words {
  readonly count: number;
  readonly bytes: Uint8Array;
  readonly starts: Uint32Array;
  readonly lengths: Uint8Array;
  /** 1 if the word is the prefix of longer ones. */
  readonly long: Uint8Array;
}

/** @param small 1 for each number below FIRST_STRING that occurs */
export function rankTokens(tokens: TokenTable, small: Uint8Array): Vocabulary {
  const { strings } = tokens;
  const keys = foldedKeys(tokens);
  const words = new Uint32Array(strings);
  let wordCount = 0;
  const values = tokens.starts;
  for (let id = 0; id < strings; id++) if (tokens.lengths[id] !== 0) words[wordCount++] = id;
  const large = largeNumbers(tokens, strings - wordCount);

  const rankOf = new Uint32Array(tokens.limit);
  const numbers = new Uint32Array(FIRST_STRING + large.length);
  let numberCount = rankSmall(small, numbers, rankOf);
  for (let i = 0; i < large.length; i++) {
    const id = large[i]!;
    const value = values[id]!;
    if (numberCount === 0 || numbers[numberCount - 1] !== value) numbers[numberCount++] = value;
    rankOf[FIRST_STRING + id] = numberCount - 1;
  }

  const sorted = words.subarray(0, wordCount);
  sortByKey(sorted, keys);
  const starts = new Uint32Array(wordCount);
  const lengths = new Uint8Array(wordCount);
  const long = new Uint8Array(wordCount);
  let count = 0;
  for (let i = 0; i < wordCount; i++) {
    const id = sorted[i]!;
    if (i === 0 || compareKeys(keys, sorted[i - 1]!, id) !== 0) {
      starts[count] = keys.starts[id]!;
      lengths[count] = keys.lengths[id]!;
      long[count] = keys.long[id]!;
      count += 1;
    }
    rankOf[FIRST_STRING + id] = numberCount + count - 1;
  }
  return {
    numbers: numbers.slice(0, numberCount),
    words: { count, bytes: keys.bytes, starts, lengths, long },
    rankOf,
    size: numberCount + count,
  };
}

/**
 * Ranks numbers that are their own identifiers; returns how many there are. A separate function, because V8
 * compiles it only once.
 */
function rankSmall(small: Uint8Array, numbers: Uint32Array, rankOf: Uint32Array): number {
  let count = 0;
  for (let value = 0; value < small.length; value++) {
    if (small[value] === 0) continue;
    rankOf[value] = count;
    numbers[count++] = value;
  }
  return count;
}

interface Keys {
  bytes: Uint8Array;
  starts: Uint32Array;
  lengths: Uint8Array;
  long: Uint8Array;
}

/** Folded bytes of every string; nothing of numbers. */
function foldedKeys(tokens: TokenTable): Keys {
  const { strings } = tokens;
  let { size } = tokens;
  const keys: Keys = {
    bytes: tokens.bytes.slice(0, size),
    starts: tokens.starts.slice(0, strings),
    lengths: new Uint8Array(strings),
    long: new Uint8Array(strings),
  };
  for (let id = 0; id < strings; id++) {
    const length = tokens.lengths[id]! & ~LONG;
    if (length === 0) continue;
    keys.lengths[id] = length;
    keys.long[id] = tokens.lengths[id]! >>> 7;
    const start = keys.starts[id]!;
    const end = start + length;
    const { bytes } = keys;
    let beyond = 0;
    for (let i = start; i < end; i++) {
      const byte = bytes[i]!;
      beyond |= byte;
      if (byte >= 0x41 && byte <= 0x5a) bytes[i] = byte | 0x20;
    }
    if (beyond < 0x80) continue;
    const folded = foldBytes(bytes.subarray(start, end));
    if (folded.length > length) {
      if (size + folded.length > bytes.length) {
        keys.bytes = new Uint8Array((size + folded.length) * 2);
        keys.bytes.set(bytes);
      }
      keys.starts[id] = size;
      size += folded.length;
    }
    keys.bytes.set(folded, keys.starts[id]);
    keys.lengths[id] = folded.length;
  }
  return keys;
}

function compareKeys(keys: Keys, a: number, b: number): number {
  const { bytes } = keys;
  const aStart = keys.starts[a]!;
  const bStart = keys.starts[b]!;
  const aLength = keys.lengths[a]!;
  const bLength = keys.lengths[b]!;
  const common = Math.min(aLength, bLength);
  for (let i = 0; i < common; i++) {
    const difference = bytes[aStart + i]! - bytes[bStart + i]!;
    if (difference !== 0) return difference;
  }
  return aLength - bLength || keys.long[a]! - keys.long[b]!;
}

/** Fewer than this are sorted by insertion. */
const FEW = 20;

/**
 * Sorts by folded bytes, four at a time: typed arrays of 64-bit numbers are sorted natively, with a prefix in the
 * high half and its identifier in the low one. No token contains NUL, so a short one can be padded.
 */
function sortByKey(ids: Uint32Array, keys: Keys, depth = 0): void {
  if (ids.length < FEW) {
    for (let i = 1; i < ids.length; i++) {
      const id = ids[i]!;
      let j = i - 1;
      for (; j >= 0 && compareKeys(keys, ids[j]!, id) > 0; j--) ids[j + 1] = ids[j]!;
      ids[j + 1] = id;
    }
    return;
  }
  const { bytes, starts, lengths } = keys;
  const prefixes = new Uint32Array(ids.length);
  const pairs = new Uint32Array(ids.length * 2);
  for (let i = 0; i < ids.length; i++) {
    const id = ids[i]!;
    const at = starts[id]! + depth;
    const left = lengths[id]! - depth;
    let prefix = 0;
    for (let k = 0; k < 4; k++) prefix = (prefix << 8) | (k < left ? bytes[at + k]! : 0);
    pairs[i * 2] = id;
    pairs[i * 2 + 1] = prefix;
  }
  new BigUint64Array(pairs.buffer).sort();
  for (let i = 0; i < ids.length; i++) {
    ids[i] = pairs[i * 2]!;
    prefixes[i] = pairs[i * 2 + 1]!;
  }
  for (let from = 0; from < ids.length;) {
    let to = from + 1;
    while (to < ids.length && prefixes[to] === prefixes[from]) to += 1;
    if (to - from > 1) {
      const same = ids.subarray(from, to);
      // A prefix that ends in padding is the whole token: what remains is whether it is a prefix of longer ones.
      if ((prefixes[from]! & 0xff) === 0) same.sort((a, b) => keys.long[a]! - keys.long[b]!);
      else sortByKey(same, keys, depth + 4);
    }
    from = to;
  }
}

/** The identifiers less FIRST_STRING of the `count` numbers that have one, by value. */
function largeNumbers({ strings, lengths, starts }: TokenTable, count: number): Uint32Array {
  const pairs = new Uint32Array(count * 2);
  let size = 0;
  for (let id = 0; id < strings; id++) {
    if (lengths[id] !== 0) continue;
    pairs[size++] = id;
    pairs[size++] = starts[id]!;
  }
  new BigUint64Array(pairs.buffer).sort();
  const ids = new Uint32Array(count);
  for (let i = 0; i < count; i++) ids[i] = pairs[i * 2]!;
  return ids;
}
