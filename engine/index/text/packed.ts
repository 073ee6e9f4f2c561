/** Bytes of a text index as zstd has them. */
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { damagedText } from './damaged.ts';

export function packed(bytes: Uint8Array): Uint8Array {
  return zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 3 } });
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
