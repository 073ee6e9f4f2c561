/**
 * The contents of a folder of this machine, for windows without a file dialog of their own. Names come from whoever
 * made the files: they are data.
 */
import { readdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { accessError } from '../../util/files/files.ts';
import { Catalog } from '../../catalog/index.ts';
import { DaybookError } from '../../contract/errors.ts';
import type { Result } from '../../contract/operations.ts';

type Listing = Result<'files.list'>;
type Entry = Listing['entries'][number];

/** Entries that are listed of one folder. */
const MOST = 5000;
/** Number of entries that are examined concurrently. */
const AT_ONCE = 64;
const RANK: Readonly<Record<Entry['type'], number>> = { case: 0, folder: 0, file: 1 };
const order = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/**
 * Folders and cases first, each sorted by name; hidden entries are omitted.
 * @param folder the home folder if undefined
 * @throws DaybookError not-found, unreadable, usage
 */
export async function listFolder(folder: string | undefined): Promise<Listing> {
  const path = resolve(folder ?? homedir());
  if (folder !== undefined && !isAbsolute(folder)) {
    throw new DaybookError('usage', `${folder} is not an absolute path`);
  }
  const found = await namesIn(path);
  const names = found.filter((name) => !name.startsWith('.')).sort(order.compare);
  const shown = names.slice(0, MOST);
  const entries: Entry[] = [];
  for (let at = 0; at < shown.length; at += AT_ONCE) {
    const portion = shown.slice(at, at + AT_ONCE).map((name) => entryOf(path, name));
    for (const entry of await Promise.all(portion)) if (entry !== undefined) entries.push(entry);
  }
  entries.sort((a, b) => RANK[a.type] - RANK[b.type]);
  const parent = dirname(path);
  return {
    folder: path,
    ...(parent === path ? {} : { parent }),
    entries,
    left: names.length - shown.length,
  };
}

async function namesIn(path: string): Promise<string[]> {
  try {
    return await readdir(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT') throw new DaybookError('not-found', `there is no folder ${path}`);
    if (code === 'ENOTDIR') throw new DaybookError('usage', `${path} is a file, not a folder`);
    throw accessError(error) ?? new DaybookError('unreadable', `${path} cannot be listed`);
  }
}

/** Undefined for what is neither a file nor a folder: sockets, devices, broken links. */
async function entryOf(folder: string, name: string): Promise<Entry | undefined> {
  const path = join(folder, name);
  try {
    const found = await stat(path);
    const modifiedMs = found.mtimeMs;
    if (found.isFile()) return { name, path, type: 'file', size: found.size, modifiedMs };
    if (!found.isDirectory()) return undefined;
    return { name, path, type: Catalog.exists(path) ? 'case' : 'folder', modifiedMs };
  } catch {
    return undefined;
  }
}
