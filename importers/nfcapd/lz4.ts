/**
 * Decompresses an LZ4 block.
 *
 * Invariant: nothing is read beyond `from`, nothing written beyond `to`, whatever the bytes are.
 *
 * Format: https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md
 */
import { BadBlock } from './lzo.ts';

const LEAST_MATCH = 4;
const LONG = 15;

/** @returns bytes that were written @throws BadBlock */
export function decompressLz4(from: Uint8Array, to: Uint8Array): number {
  let at = 0;
  let out = 0;
  const byte = (): number => {
    const value = from[at++];
    if (value === undefined) throw new BadBlock('a compressed block ends too early');
    return value;
  };
  const lengthOf = (short: number): number => {
    let length = short;
    if (short < LONG) return length;
    for (;;) {
      const more = byte();
      length += more;
      if (more < 255) return length;
    }
  };
  const room = (count: number): void => {
    if (out + count > to.length) throw new BadBlock('a compressed block is larger than allowed');
  };
  while (at < from.length) {
    const token = byte();
    const literals = lengthOf(token >>> 4);
    if (at + literals > from.length) throw new BadBlock('a compressed block ends too early');
    room(literals);
    to.set(from.subarray(at, at + literals), out);
    at += literals;
    out += literals;
    // The last sequence has literals only.
    if (at === from.length) break;
    const back = byte() | (byte() << 8);
    const length = LEAST_MATCH + lengthOf(token & LONG);
    if (back === 0 || back > out)
      throw new BadBlock('a compressed block refers to bytes before its start');
    room(length);
    for (let i = 0; i < length; i++) to[out + i] = to[out + i - back]!;
    out += length;
  }
  return out;
}
