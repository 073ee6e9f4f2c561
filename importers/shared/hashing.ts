/** Hashes bytes while they are read, in one pass. */
import type { Hash } from 'node:crypto';

/** The same blocks, each hashed before it is handed on. */
export async function* hashing(
  blocks: AsyncIterable<Uint8Array>,
  hash: Hash,
): AsyncGenerator<Uint8Array> {
  for await (const block of blocks) {
    hash.update(block);
    yield block;
  }
}
