/** Bytes of a text index as zstd has them. */
import { zstdDecompressSync } from 'node:zlib';
import { Compressor } from '../compressor.ts';
import { damagedText } from './damaged.ts';

const compressor = new Compressor(3);

export function packed(bytes: Uint8Array): Uint8Array {
  return compressor.compress(bytes).slice();
}

/** What was packed, so many bytes. @throws DaybookError case-damaged */
export function unpacked(bytes: Uint8Array, length: number): Uint8Array {
  let raw: Uint8Array;
  try {
    raw = zstdDecompressSync(bytes, { maxOutputLength: Math.max(1, length) });
  } catch {
    throw damagedText();
  }
  if (raw.length !== length) throw damagedText();
  return raw;
}
