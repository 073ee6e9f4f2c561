/** Common part of sentence readers: they find the parts, and templates assign these to fields. */
import { hashByte } from '../../util/hash-table/hash.ts';
import { offer } from '../cutting/found.ts';
import type { Pairs } from '../cutting/template.ts';

const utf8 = new TextEncoder();
const latin1 = new TextDecoder('latin1');
/** Longer messages are not sentences. */
const MOST_BYTES = 512;

type Place = readonly [start: number, end: number];

/**
 * A reader of sentences whose parts have these names.
 * @param mayBe whether the bytes may be such a sentence: others are not decoded
 */
export function sentenceReader<Key extends string>(
  keys: readonly Key[],
  mayBe: (b: Uint8Array, start: number, end: number) => boolean,
  partsOf: (text: string) => Partial<Record<Key, Place>> | undefined,
): (pairs: Pairs, b: Uint8Array, start: number, end: number) => void {
  const names = keys.map((key) => {
    const bytes = utf8.encode(key);
    return { key, bytes, hash: bytes.reduce(hashByte, 0) };
  });
  return (pairs, b, start, end) => {
    if (end - start > MOST_BYTES || !mayBe(b, start, end)) return;
    const parts = partsOf(latin1.decode(b.subarray(start, end)));
    if (parts === undefined) return;
    for (const { key, bytes, hash } of names) {
      const part = parts[key];
      if (part === undefined) continue;
      const i = pairs.keys.find(hash, bytes, 0, bytes.length);
      if (i >= 0) offer(pairs.keys.values[i]!, b, start + part[0], start + part[1], i + 1);
    }
  };
}
