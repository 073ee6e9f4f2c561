/** The files that `lookup` names in a query: only the command line reads them. */
import { basename } from 'node:path';
import {
  type GivenFile,
  LOOKUP_LIMITS,
  lookupNames,
  sha256Of,
} from '../../../engine/search/index.ts';
import { readGiven } from '../../given-file.ts';

/**
 * Undefined: the query names none.
 * @throws DaybookError unreadable, limit-exceeded, cancelled
 */
export async function lookupFilesOf(
  text: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, GivenFile> | undefined> {
  const files = new Map<string, GivenFile>();
  for (const path of lookupNames(text)) {
    const bytes = await readGiven(path, {
      role: 'the lookup file',
      mostBytes: LOOKUP_LIMITS.bytes,
      advice: 'leave out what is not needed',
      signal,
    });
    files.set(path, { bytes, name: basename(path), sha256: sha256Of(bytes) });
  }
  return files.size === 0 ? undefined : files;
}
