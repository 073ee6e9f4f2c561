/**
 * Access to the files of a case. A case may come from somebody else, so nothing in it is trusted.
 *
 * Invariants: links below the case's folder are never followed, for reading, writing or removing, and only files
 * and folders are opened. Each part of a path is checked before it is used; what was opened is compared with what
 * was requested (on Linux by the kernel's name for the handle), and files are removed through their folder's
 * handle, so that a link put there in between is detected, too. DuckDB and SQLite open files by path: for them only
 * the prior check applies.
 *
 * Paths of files are relative to the case's folder, with `/` as separator, as in the catalog.
 */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  type Dirent,
  type Stats,
} from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { DaybookError } from '../../contract/errors.ts';
import { accessError } from './files.ts';

/** Entries of a case's folder that Daybook makes. */
export const CASE_ENTRIES = {
  folders: ['days', 'quarantine', 'received', 'rollups', 'staging'],
  files: [
    ...['case.sqlite', 'case.sqlite-wal', 'case.sqlite-shm', 'case.sqlite-journal'],
    ...['writer.lock', 'writer.lock-journal'],
  ],
} as const;

const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;
// Windows has neither.
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
const NO_WAIT = constants.O_NONBLOCK ?? 0;
const IS_FOLDER = constants.O_DIRECTORY ?? 0;

/** Error: there is a link in place of a case's file. */
export function linkInCase(path: string): DaybookError {
  return new DaybookError(
    'case-damaged',
    `${path} is a link; Daybook follows no links inside a case`,
    'remove the link, or put a copy of what it leads to in its place',
  );
}

/** An entry is neither a file nor a folder, or one in place of the other. */
export class WrongEntry extends DaybookError {
  constructor(path: string, wanted: 'file' | 'folder') {
    super(
      'case-damaged',
      `${path} should be a ${wanted} of the case, but is not`,
      'move it out of the case folder; daybook verify CASE says what is missing after that',
    );
    this.name = 'WrongEntry';
  }
}

/** @throws DaybookError case-damaged for a path that leads out of the case */
function partsOf(folder: string, file: string): string[] {
  const parts = file.split('/');
  const leads = parts.some((part) => part === '' || part === '.' || part === '..');
  if (!leads && !(sep === '\\' && /[\\:]/.test(file))) return parts;
  throw new DaybookError(
    'case-damaged',
    `the catalog of ${folder} names a file outside the case: ${JSON.stringify(file)}`,
    'restore case.sqlite from a copy',
  );
}

/** The path of something below the case's folder, as the catalog writes paths. */
export function caseRelative(folder: string, path: string): string {
  return relative(folder, path).replaceAll(sep, '/');
}

function look(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

/**
 * The absolute path of a file or folder of the case, whether or not it exists.
 * @throws DaybookError case-damaged if a link, or something that is neither a file nor a folder, is on the path
 */
export function casePath(folder: string, file: string): string {
  const parts = partsOf(folder, file);
  let path = folder;
  for (const [i, part] of parts.entries()) {
    path = join(path, part);
    const found = look(path);
    if (found === undefined) return join(folder, ...parts);
    if (found.isSymbolicLink()) throw linkInCase(path);
    const isLast = i === parts.length - 1;
    if (!found.isDirectory() && !(isLast && found.isFile()))
      throw new WrongEntry(path, isLast ? 'file' : 'folder');
  }
  return path;
}

/**
 * Refuses a case whose folder has a link, or something that must not be opened, in place of Daybook's entries.
 * @param which `catalog`: only files that SQLite opens by their paths
 * @throws DaybookError case-damaged
 */
export function checkCaseFolder(folder: string, which: 'all' | 'catalog' = 'all'): void {
  const { folders, files } = CASE_ENTRIES;
  for (const name of which === 'all' ? [...folders, ...files] : files) casePath(folder, name);
}

/** Whether an open handle refers to the path, without a link on it. */
function isAt(fd: number, folder: string, parts: readonly string[]): boolean {
  const wanted = join(realpathSync.native(folder), ...parts);
  if (process.platform === 'linux') {
    try {
      // A file that was removed since has a mark after its name.
      return readlinkSync(`/proc/self/fd/${fd}`).replace(/ \(deleted\)$/, '') === wanted;
    } catch {
      // Without /proc paths are compared, as on other systems.
    }
  }
  const opened = fstatSync(fd, { bigint: true });
  const named = lstatSync(wanted, { bigint: true, throwIfNoEntry: false });
  if (named === undefined) return true;
  return (
    named.ino === opened.ino && named.dev === opened.dev && realpathSync.native(wanted) === wanted
  );
}

/**
 * Opens a file of the case; flags such as `O_RDONLY` as in `openSync`, except `O_TRUNC`: nothing is emptied before
 * it is known what was opened. Never blocks, as a pipe would.
 * @throws DaybookError case-damaged if a link is on the path; the errors of `openSync`
 */
export function openCaseFile(folder: string, file: string, flags: number): number {
  const fd = openSync(casePath(folder, file), flags | NO_FOLLOW | NO_WAIT, PRIVATE_FILE);
  try {
    checkOpened(fd, folder, file);
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** The same, as a handle for asynchronous calls. */
export async function openCaseHandle(
  folder: string,
  file: string,
  flags: number,
): Promise<FileHandle> {
  const handle = await open(casePath(folder, file), flags | NO_FOLLOW | NO_WAIT, PRIVATE_FILE);
  try {
    checkOpened(handle.fd, folder, file);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function checkOpened(fd: number, folder: string, file: string): void {
  const parts = partsOf(folder, file);
  if (!isAt(fd, folder, parts)) throw linkInCase(join(folder, ...parts));
  if (!fstatSync(fd).isFile()) throw new WrongEntry(join(folder, ...parts), 'file');
}

/** Entries of a folder of the case (`''`: the case's folder); empty if there is no such folder. */
export function listCaseFolder(folder: string, within: string): Dirent[] {
  const path = within === '' ? folder : casePath(folder, within);
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    if (codeOf(error) === 'ENOTDIR') throw new WrongEntry(path, 'folder');
    throw accessError(error) ?? error;
  }
}

/** Makes a folder of the case, and those above it, that only its owner may look into. */
export function makeCaseFolder(folder: string, within: string): string {
  const parts = partsOf(folder, within);
  for (let n = 1; n <= parts.length; n++) {
    const path = casePath(folder, parts.slice(0, n).join('/'));
    try {
      mkdirSync(path, { mode: PRIVATE_FOLDER });
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
      if (look(path)?.isDirectory() !== true) throw new WrongEntry(path, 'folder');
    }
  }
  return join(folder, ...parts);
}

/** Moves an entry of the case within it. An existing target is replaced: for a link, the link itself. */
export function moveInCase(folder: string, from: string, to: string): void {
  const parts = partsOf(folder, to);
  const parent = parts.slice(0, -1).join('/');
  renameSync(
    casePath(folder, caseRelative(folder, from)),
    join(casePath(folder, parent), parts.at(-1) ?? ''),
  );
}

/**
 * Removes a file or, recursively, a folder of the case, if it exists. A link itself is removed, never its target.
 */
export function removeFromCase(folder: string, file: string): void {
  const parts = partsOf(folder, file);
  const name = parts.pop() ?? '';
  if (parts.length === 0) {
    rmSync(join(folder, name), { recursive: true, force: true });
    return;
  }
  const parent = casePath(folder, parts.join('/'));
  if (process.platform !== 'linux') {
    rmSync(join(parent, name), { recursive: true, force: true });
    return;
  }
  let fd: number;
  try {
    fd = openSync(parent, constants.O_RDONLY | IS_FOLDER | NO_FOLLOW);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  try {
    if (!isAt(fd, folder, parts)) throw linkInCase(parent);
    // Through the handle: whatever replaces the parent now, this is the folder that was checked.
    const held = `/proc/self/fd/${fd}`;
    rmSync(join(look(held) === undefined ? parent : held, name), { recursive: true, force: true });
  } finally {
    closeSync(fd);
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

export const QUARANTINE_END = '.ndjson';

/** The file of the records that an import quarantined, relative to the case's folder. */
export function quarantineFile(importId: number): string {
  return `quarantine/${importId}${QUARANTINE_END}`;
}
