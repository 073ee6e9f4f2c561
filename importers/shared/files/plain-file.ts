/** An uncompressed file, opened to judge it by its first bytes. */
import { closeSync, openSync, readSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { SourceError } from '../../../engine/contract/errors.ts';
import type { EvidenceItem } from '../../../engine/evidence/importer.ts';
import { fileProblem } from './stored-bytes.ts';
import { isTarHeader, TAR_BLOCK } from '../archives/tar.ts';

/** Bytes read at a time: they stay in the processor's cache until they have been processed. */
const NEAR_BYTES = 256 * 1024;
/** Blocks between which the process may hear of a signal. */
const BLOCKS_BETWEEN = 16;

/**
 * A regular file that does not begin with an archive's header, as the source that a walk would find if its content
 * is not compressed. Undefined: walk it.
 * @throws DaybookError not-found, unreadable
 */
export async function plainFile(
  path: string,
  name: string,
): Promise<{ readonly evidence: EvidenceItem; readonly head: Uint8Array } | undefined> {
  try {
    const info = await stat(path);
    if (!info.isFile()) return undefined;
    const head = await firstBytes(path);
    if (isTarHeader(head)) return undefined;
    const { size } = info;
    const modifiedMs = Math.floor(info.mtimeMs);
    const raw = () => nearBlocks(path, size);
    return {
      head,
      evidence: {
        name,
        location: { path, members: [] },
        rawSize: size,
        modifiedMs,
        plain: true,
        raw,
        input: { name, size, modifiedMs, blocks: raw },
      },
    };
  } catch (error) {
    throw fileProblem(error, path);
  }
}

async function firstBytes(path: string): Promise<Uint8Array> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(new Uint8Array(TAR_BLOCK), 0, TAR_BLOCK, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/**
 * Reads a file in the thread that processes it: the system reads ahead, and bytes read by another thread would have
 * to be moved to this one's processor. Blocks are valid until the next one.
 */
async function* nearBlocks(path: string, size: number): AsyncGenerator<Uint8Array> {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    throw fileProblem(error, path);
  }
  try {
    const buffer = new Uint8Array(Math.min(NEAR_BYTES, size));
    let blocks = 0;
    for (let at = 0; at < size;) {
      const n = readSync(file, buffer, 0, Math.min(buffer.length, size - at), at);
      if (n === 0)
        throw new SourceError(`the file ends at byte ${at} of ${size}`, at, undefined, {
          state: 'partial',
        });
      at += n;
      yield n === buffer.length ? buffer : buffer.subarray(0, n);
      blocks += 1;
      if (blocks % BLOCKS_BETWEEN === 0) await setImmediate();
    }
  } catch (error) {
    throw fileProblem(error, path);
  } finally {
    closeSync(file);
  }
}
