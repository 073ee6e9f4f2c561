/** Hashes files again, with the algorithms that manifests list. */
import { createHash } from 'node:crypto';
import { CancelledError, DaybookError, hasCode, messageOfError } from '../../contract/errors.ts';
import { FileProblem, openRegular } from '../../util/files/regular-file.ts';
import type { FileHashes, HashRequest } from './protocol.ts';
import type { Walk } from './rotated-start.ts';

/**
 * One pass over the archive for all its members. The stored bytes of each are hashed.
 * @throws DaybookError cancelled
 */
export async function hashFiles(walk: Walk, request: HashRequest): Promise<FileHashes[]> {
  const { path, staging, limits, files } = request;
  const cancel = new Int32Array(request.cancel);
  const out: FileHashes[] = [];
  const wanted = new Map(files.map((file) => [JSON.stringify(file.members), file]));
  const hash = async (key: string, blocks: AsyncIterable<Uint8Array>): Promise<void> => {
    const { members, algorithms } = wanted.get(key)!;
    wanted.delete(key);
    try {
      out.push({
        members,
        hashes: await hashBlocks(blocks, algorithms, cancel),
        reason: undefined,
      });
    } catch (error) {
      out.push({ members, hashes: undefined, reason: reasonOf(error) });
    }
  };
  const itself = JSON.stringify([]);
  let reason = 'it is not there any more';
  try {
    if (wanted.has(itself)) await hash(itself, fileBlocks(path));
    if (wanted.size > 0)
      for await (const found of walk(path, '', staging, limits)) {
        if ('reason' in found) continue;
        const key = JSON.stringify(found.location.members);
        if (wanted.has(key)) await hash(key, found.raw());
        if (wanted.size === 0) break;
      }
  } catch (error) {
    reason = reasonOf(error);
  }
  for (const { members } of wanted.values()) out.push({ members, hashes: undefined, reason });
  return out;
}

async function hashBlocks(
  blocks: AsyncIterable<Uint8Array>,
  algorithms: readonly string[],
  cancel: Int32Array,
): Promise<Record<string, string>> {
  const hashes = algorithms.map((name) => [name, createHash(name)] as const);
  for await (const block of blocks) {
    if (Atomics.load(cancel, 0) !== 0) throw new CancelledError();
    for (const [, hash] of hashes) hash.update(block);
  }
  return Object.fromEntries(hashes.map(([name, hash]) => [name, hash.digest('hex')]));
}

async function* fileBlocks(path: string): AsyncGenerator<Uint8Array> {
  const handle = await openRegular(path);
  try {
    for await (const block of handle.createReadStream({ autoClose: false, highWaterMark: 1 << 20 }))
      if (block instanceof Uint8Array) yield block;
  } finally {
    await handle.close();
  }
}

/** @throws errors that concern the import as a whole */
function reasonOf(error: unknown): string {
  const isCancelled = hasCode(error, 'cancelled');
  const isOfFile =
    error instanceof DaybookError ||
    error instanceof FileProblem ||
    (error instanceof Error && 'syscall' in error);
  if (isCancelled || !isOfFile) throw error;
  return messageOfError(error);
}
