/**
 * Decompresses payloads of data objects: XZ, LZ4 or ZSTD.
 *
 * LZ4's block format: https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md
 */
import { zstdDecompressSync } from 'node:zlib';
import { ByteSource, oneBlock } from '../shared/byte-source.ts';
import { WHOLE_ONLY } from '../shared/decompress/checked.ts';
import { unxz } from '../shared/decompress/unxz.ts';
import { COMPRESSED } from './layout.ts';

/** @returns undefined: it has more bytes than `most`. Throws Error if the payload is damaged. */
export async function decompressed(
  payload: Buffer,
  flags: number,
  most: number,
): Promise<Buffer | undefined> {
  if (flags === COMPRESSED.zstd) return unzstd(payload, most);
  if (flags === COMPRESSED.lz4) return unlz4(payload, most);
  const parts: Uint8Array[] = [];
  let size = 0;
  const source = new ByteSource(oneBlock(payload));
  for await (const part of unxz(source, [], WHOLE_ONLY)) {
    size += part.length;
    if (size > most) return undefined;
    parts.push(Buffer.from(part));
  }
  return Buffer.concat(parts);
}

function unzstd(payload: Buffer, most: number): Buffer | undefined {
  try {
    return zstdDecompressSync(payload, { maxOutputLength: most });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return undefined;
    throw error;
  }
}

/** The size of the content in eight bytes, then one block. */
function unlz4(payload: Buffer, most: number): Buffer | undefined {
  const size = payload.readUInt32LE(0);
  if (size > most) return undefined;
  const out = Buffer.alloc(size);
  let at = 8;
  let filled = 0;
  const longer = (length: number): number => {
    let total = length;
    if (length < 15) return total;
    for (;;) {
      const more = byteAt(payload, at++);
      total += more;
      if (more < 255) return total;
    }
  };
  while (at < payload.length) {
    const token = payload[at++]!;
    const literals = longer(token >> 4);
    if (at + literals > payload.length || filled + literals > size) throw new Error('damaged');
    payload.copy(out, filled, at, at + literals);
    at += literals;
    filled += literals;
    if (at >= payload.length) break;
    const distance = byteAt(payload, at) | (byteAt(payload, at + 1) << 8);
    at += 2;
    const length = longer(token & 15) + 4;
    if (distance === 0 || distance > filled || filled + length > size) throw new Error('damaged');
    // The match may overlap its own output.
    for (let i = 0; i < length; i++, filled++) out[filled] = out[filled - distance]!;
  }
  if (filled !== size) throw new Error('damaged');
  return out;
}

function byteAt(bytes: Buffer, at: number): number {
  const byte = bytes[at];
  if (byte === undefined) throw new Error('damaged');
  return byte;
}
