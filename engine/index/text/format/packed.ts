/** Bytes of a text index, compressed by zstd. */
import { Compressor, Decompressor } from '../../compressor.ts';
import { damagedText } from './damaged.ts';

const compressor = new Compressor(3);
const decompressor = new Decompressor();

export function packed(bytes: Uint8Array): Uint8Array {
  return compressor.compress(bytes).slice();
}

/** Unpacks to exactly `length` bytes. @throws DaybookError case-damaged */
export function unpacked(bytes: Uint8Array, length: number): Uint8Array {
  let raw: Uint8Array;
  try {
    raw = decompressor.decompress(bytes, length);
  } catch {
    throw damagedText();
  }
  if (raw.length !== length) throw damagedText();
  return raw;
}
