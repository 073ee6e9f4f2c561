/** The files that `lookup` names in a query: the command line reads them, and nothing else does. */
import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { DaybookError } from '../../engine/contract/errors.ts';
import { type GivenFile, LOOKUP_LIMITS, lookupNames, sha256Of } from '../../engine/search/index.ts';

/**
 * Undefined: the query names none.
 * @throws DaybookError unreadable, limit-exceeded
 */
export async function lookupFilesOf(
  text: string,
): Promise<ReadonlyMap<string, GivenFile> | undefined> {
  const files = new Map<string, GivenFile>();
  for (const path of lookupNames(text)) files.set(path, await fileAt(path));
  return files.size === 0 ? undefined : files;
}

async function fileAt(path: string): Promise<GivenFile> {
  try {
    const { size } = await stat(path);
    if (size > LOOKUP_LIMITS.bytes)
      throw new DaybookError(
        'limit-exceeded',
        `${path} has more than 16 MB, which is too much for a lookup`,
        'leave out what is not needed',
      );
    const bytes = await readFile(path);
    return { bytes, name: basename(path), sha256: sha256Of(bytes) };
  } catch (error) {
    if (error instanceof DaybookError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new DaybookError(
      'unreadable',
      `the lookup file cannot be read: ${why}`,
      undefined,
      error,
    );
  }
}
