/**
 * Identity of a segment file: a digest that is compared when it is attached, so that another segment in its place
 * is refused before it answers. A hash of the whole file, which `verify` compares, would take as long as reading
 * it.
 *
 * It covers the headers that DuckDB writes, and the checksum at the beginning of each block, which DuckDB compares
 * with the block when it reads it; for a large file, evenly spread ones, and that of the block with its tables'
 * metadata.
 */
import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** The main header, and two database headers of which the one with the higher iteration is valid. */
const HEADER_BYTES = 4096;
const HEADERS_BYTES = 3 * HEADER_BYTES;
const CHECKSUM_BYTES = 8;
/** Offsets in a database header. */
const ITERATION = 8;
const META_BLOCK = 16;
const BLOCK_BYTES = 40;
const [LEAST_BLOCK, MOST_BLOCK] = [16_384, 262_144];
/** Maximum number of checksums that are read; a segment of 64 blocks has 16 MB. */
const MOST_CHECKSUMS = 64;
/** The highest byte of a pointer to metadata is the position within the block. */
const BLOCK_OF_POINTER = (1n << 56n) - 1n;

/** @throws NodeJS.ErrnoException */
export function segmentIdentity(path: string): string {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const headers = Buffer.alloc(HEADERS_BYTES);
    readSync(file, headers, 0, HEADERS_BYTES, 0);
    const hash = createHash('sha256').update(`${size}\n`).update(headers);
    const checksum = Buffer.alloc(CHECKSUM_BYTES);
    for (const offset of checksumsOf(headers, size)) {
      checksum.fill(0);
      readSync(file, checksum, 0, CHECKSUM_BYTES, offset);
      hash.update(checksum);
    }
    return hash.digest('hex').slice(0, 32);
  } finally {
    closeSync(file);
  }
}

/** Offsets of the covered checksums, ascending. */
function checksumsOf(headers: Buffer, size: number): number[] {
  const [first, second] = [HEADER_BYTES, 2 * HEADER_BYTES];
  const isNewer =
    headers.readBigUInt64LE(second + ITERATION) > headers.readBigUInt64LE(first + ITERATION);
  const header = isNewer ? second : first;
  const stated = headers.readBigUInt64LE(header + BLOCK_BYTES);
  // For a file that is not DuckDB's anything will do, as long as it is always the same.
  const block = Number(
    stated >= LEAST_BLOCK && stated <= MOST_BLOCK ? stated : BigInt(LEAST_BLOCK),
  );
  const blocks = Math.max(0, Math.ceil((size - HEADERS_BYTES) / block));
  const chosen = new Set<number>();
  const count = Math.min(blocks, MOST_CHECKSUMS);
  for (let n = 0; n < count; n++)
    chosen.add(Math.floor((n * (blocks - 1)) / Math.max(1, count - 1)));
  const meta = headers.readBigUInt64LE(header + META_BLOCK) & BLOCK_OF_POINTER;
  if (meta < blocks) chosen.add(Number(meta));
  return [...chosen].sort((a, b) => a - b).map((at) => HEADERS_BYTES + at * block);
}
