/** A file as it lies, for those who look at its first bytes to see whether there is more to do. */
import { open, stat } from 'node:fs/promises';
import type { Leaf } from '../../engine/contract/importer.ts';
import { fileBlocks, fileProblem } from './stored-bytes.ts';
import { isTarHeader, TAR_BLOCK } from './tar.ts';

/**
 * A regular file that begins with no archive's header, as the source that a walk finds if its content
 * is not compressed. Undefined: to be walked.
 * @throws DaybookError not-found, unreadable
 */
export async function plainFile(
  path: string,
  name: string,
): Promise<{ readonly leaf: Leaf; readonly head: Uint8Array } | undefined> {
  try {
    const info = await stat(path);
    if (!info.isFile()) return undefined;
    const head = await firstBytes(path);
    if (isTarHeader(head)) return undefined;
    const { size } = info;
    const modifiedMs = Math.floor(info.mtimeMs);
    const raw = () => fileBlocks(path, 0, size);
    return {
      head,
      leaf: {
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
