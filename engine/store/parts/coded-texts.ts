/**
 * Dictionary encoding of texts with few different values: each value once, and a code for each row. Hosts and
 * programs of logs are such columns, which are then written, read and indexed by code.
 *
 * Invariant: decoding returns the input. Memory and work are bounded: encoding is abandoned if most texts differ.
 */
import { ByteDictionary } from '../../util/hash-table/byte-dictionary.ts';

export interface CodedTexts {
  /** The different texts, concatenated: each a 32-bit little-endian length and its bytes. */
  readonly data: Uint8Array;
  /** Where each of them begins in `data`. */
  readonly starts: Uint32Array;
  /** The code of each input text. */
  readonly codes: Uint16Array;
}

/** Fewer texts than this are not worth encoding. */
const LEAST = 256;
const MOST_TEXTS = 1024;
const MOST_BYTES = 1 << 15;
/** Minimum average number of occurrences of a text. */
const LEAST_OFTEN = 16;

/**
 * @param texts concatenated, each a 32-bit little-endian length and its bytes
 * @param count number of texts
 * @returns undefined if encoding does not pay
 */
export function codedTexts(texts: Uint8Array, count: number): CodedTexts | undefined {
  if (count < LEAST) return undefined;
  const strings = Math.min(MOST_TEXTS, Math.floor(count / LEAST_OFTEN) + 1);
  const dictionary = new ByteDictionary({ strings, bytes: MOST_BYTES });
  const { buffer, byteOffset, length } = texts;
  const view = new DataView(buffer, byteOffset, length);
  const codes = new Uint16Array(count);
  let at = 0;
  for (let i = 0; i < count; i++) {
    const end = at + 4 + view.getInt32(at, true);
    const code = dictionary.idOf(texts, at, end);
    if (code < 0) return undefined;
    codes[i] = code;
    at = end;
  }
  return { ...dictionary.joined(), codes };
}
