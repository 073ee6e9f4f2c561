/**
 * Files of nfcapd and its kin (nfdump's binary form): a header, and blocks of records, which may be compressed.
 *
 * Layouts: 1, of nfdump 1.6, https://github.com/phaag/nfdump/blob/v1.6.25/bin/nffile.h; 2, of nfdump 1.7,
 * https://github.com/phaag/nfdump/blob/master/src/libnffile/nffileV2.h
 */
import { constants, zstdDecompressSync } from 'node:zlib';
import { bunzip2 } from '../shared/decompress/bunzip2.ts';
import { ByteSource, oneBlock } from '../shared/byte-source.ts';
import { WHOLE_ONLY } from '../shared/decompress/checked.ts';
import { decompressLz4 } from './lz4.ts';
import { BadBlock, decompressLzo } from './lzo.ts';
import { RecordView } from './flow.ts';

const MAGIC = 0xa50c;
const HEADER_BYTES = { 1: 140, 2: 40 } as const;
/** Of layout 1, after the header. */
export const STATISTICS_BYTES = 136;
export const BLOCK_HEADER_BYTES = 12;
/** nfdump's own buffer is a third of it. */
export const MOST_BLOCK_BYTES = 16 << 20;

/** Maximum ratio of LZO and LZ4, in which a byte represents at most 255. */
const MOST_RATIO = 256;

const COMPRESSIONS = ['none', 'lzo', 'bz2', 'lz4', 'zstd'] as const;
type Compression = (typeof COMPRESSIONS)[number];

export interface FileHeader {
  readonly layout: 1 | 2;
  readonly little: boolean;
  readonly bytes: number;
  readonly compression: Compression | undefined;
  readonly encrypted: boolean;
  /** Data blocks, followed by blocks about the file. */
  readonly blocks: number;
  readonly appendix: number;
  /** Of layout 1. */
  readonly ident: string;
}

/** Undefined: they are not the first bytes of such a file. */
export function headerOf(head: Uint8Array): FileHeader | undefined {
  if (head.length < HEADER_BYTES[2]) return undefined;
  const little = head[0] === (MAGIC & 255) && head[1] === MAGIC >>> 8;
  if (!little && (head[0] !== MAGIC >>> 8 || head[1] !== (MAGIC & 255))) return undefined;
  const view = new RecordView(head, little);
  const layout = view.u16(2);
  if (layout === 2) {
    return {
      ...{ layout, little, bytes: HEADER_BYTES[2] },
      compression: COMPRESSIONS[view.u8(16)],
      encrypted: view.u8(17) !== 0,
      blocks: view.u32(36),
      appendix: view.u16(18),
      ident: '',
    };
  }
  if (layout !== 1 || head.length < HEADER_BYTES[1]) return undefined;
  const flags = view.u32(4);
  return {
    ...{ layout, little, bytes: HEADER_BYTES[1] },
    compression: compressionOf(flags),
    encrypted: false,
    blocks: view.u32(8),
    appendix: 0,
    ident: view.text(12, 128),
  };
}

function compressionOf(flags: number): Compression {
  if ((flags & 0x01) !== 0) return 'lzo';
  if ((flags & 0x08) !== 0) return 'bz2';
  return (flags & 0x10) !== 0 ? 'lz4' : 'none';
}

export interface BlockHeader {
  readonly records: number;
  readonly bytes: number;
  readonly type: number;
  readonly isCompressed: boolean;
}

const UNCOMPRESSED = 1;

export function blockHeaderOf(view: RecordView, at: number): BlockHeader {
  return {
    records: view.u32(at),
    bytes: view.u32(at + 4),
    type: view.u16(at + 8),
    isCompressed: (view.u16(at + 10) & UNCOMPRESSED) === 0,
  };
}

/**
 * @param room returns memory of at least the given number of bytes; the result may be a part of it
 * @throws BadBlock
 */
export async function decompressed(
  bytes: Uint8Array,
  compression: Compression,
  room: (bytes: number) => Uint8Array,
): Promise<Uint8Array> {
  switch (compression) {
    case 'none':
      return bytes;
    case 'lzo':
    case 'lz4': {
      const to = room(Math.min(MOST_BLOCK_BYTES, bytes.length * MOST_RATIO));
      return to.subarray(0, (compression === 'lzo' ? decompressLzo : decompressLz4)(bytes, to));
    }
    case 'zstd':
      try {
        return zstdDecompressSync(bytes, {
          maxOutputLength: MOST_BLOCK_BYTES,
          params: { [constants.ZSTD_d_windowLogMax]: 27 },
        });
      } catch (error) {
        throw badBlock(error);
      }
    case 'bz2': {
      const blocks: Uint8Array[] = [];
      let size = 0;
      const source = new ByteSource(oneBlock(bytes));
      try {
        for await (const block of bunzip2(source, [], WHOLE_ONLY)) {
          size += block.length;
          if (size > MOST_BLOCK_BYTES)
            throw new BadBlock('a compressed block is larger than allowed');
          blocks.push(Uint8Array.from(block));
        }
      } catch (error) {
        throw badBlock(error);
      }
      return Buffer.concat(blocks);
    }
  }
}

function badBlock(error: unknown): BadBlock {
  if (error instanceof BadBlock) return error;
  return new BadBlock(error instanceof Error ? error.message : String(error));
}
