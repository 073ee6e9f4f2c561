/**
 * The folder of a hand-over while it is made: existing files, and putting new ones in place.
 *
 * Invariants: a file is there whole or not at all (written next to its place, made durable, then renamed and
 * recorded in the journal); only files of a hand-over of the same case are replaced or removed; links below the
 * folder are not followed. Files recorded before an interruption are not written again.
 */
import { hash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { takeLock } from '../../catalog/index.ts';
import { DaybookError } from '../../contract/errors.ts';
import {
  HAND_OVER_FORMAT,
  HANDED_OVER_PATH,
  handedOverFile,
  handOverManifest,
  MANIFEST,
  type HandedOverFile,
  type HandOverManifest,
} from '../../contract/hand-over.ts';
import {
  accessError,
  diskError,
  makeFolder,
  placeOf,
  syncFile,
  syncFolder,
  writeAll,
} from '../../util/files/files.ts';
import { refuseCase } from '../output/output-file.ts';
import {
  AnotherWrites,
  describeFile,
  type HandOverTarget,
  type Made,
  manifestText,
  refuseForeign,
  refuseStrangePath,
} from './target.ts';

/** Journal of a run: a line for the case, then one for each file; removed at the end. */
export const JOURNAL = '.hand-over.jsonl';
export const LOCK = '.hand-over.lock';
const PARTIAL = '.partial';
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
/** Size limit of a manifest to read: that of some 500,000 files. */
const MOST_MANIFEST_BYTES = 256e6;
const MOST_BARELY_BEGUN_BYTES = 64e3;

export class HandOverFolder implements HandOverTarget {
  readonly path: string;
  readonly work: string;
  /** Files that are known to be there, by their paths. */
  readonly known: Map<string, HandedOverFile>;
  /** Files that a run before was about to remove. */
  readonly leaving: Set<string>;
  private readonly lock: { close(): void };
  private readonly journal: number;

  private constructor(path: string, lock: { close(): void }, caseId: string) {
    this.path = path;
    this.work = path;
    this.lock = lock;
    const { known, leaving } = contentsOf(path, caseId);
    for (const file of filesBelow(path)) if (isPartial(file)) rmSync(join(path, file));
    this.known = known;
    this.leaving = leaving;
    const file = join(path, JOURNAL);
    const isNew = !existsSync(file);
    this.journal = openSync(file, 'a', FILE_MODE);
    // A line that was cut off is ended.
    this.note(isNew ? '' : '\n', headOf(caseId));
    syncFolder(path);
  }

  /**
   * Opens a folder, making it if necessary.
   * @throws DaybookError usage for one that contains anything else; case-locked while another process writes to it
   */
  static open(asked: string, caseId: string): HandOverFolder {
    const path = place(asked);
    const isOurs = (name: string): boolean =>
      name === LOCK ||
      name.startsWith(`${LOCK}-`) ||
      (name === JOURNAL && isBarelyBegun(join(path, JOURNAL), caseId));
    const found = readdirSync(path).filter((name) => !isOurs(name));
    refuseForeign(path, found, ownerOf(path), caseId);
    const lock = lockOf(path);
    try {
      return new HandOverFolder(path, lock, caseId);
    } catch (error) {
      rmSync(join(path, LOCK), { force: true });
      lock.close();
      throw diskError(error) ?? accessError(error) ?? error;
    }
  }

  /** Another run may use it afterwards, and continue what was started. */
  close(): void {
    closeSync(this.journal);
    rmSync(join(this.path, LOCK), { force: true });
    this.lock.close();
  }

  notes(): string[] {
    return [];
  }

  /** Whether a file made from the same is there, whole. */
  has(path: string, from: string): boolean {
    const file = this.known.get(path);
    if (file?.from !== from) return false;
    const found = lstatSync(join(this.path, path), { throwIfNoEntry: false });
    return found?.isFile() === true && found.size === file.bytes;
  }

  /** Makes a file: `make` writes it to the given path and returns its description. */
  async put(
    path: string,
    from: string,
    make: (partial: string) => Promise<Made>,
  ): Promise<HandedOverFile> {
    refuseStrangePath(path);
    const folder = this.folderOf(path);
    const partial = join(folder, `.${basename(path)}${PARTIAL}`);
    rmSync(partial, { force: true });
    try {
      const made = await make(partial);
      syncFile(partial);
      const file = await describeFile(partial, path, from, made);
      renameSync(partial, join(folder, basename(path)));
      syncFolder(folder);
      this.note('', file);
      this.known.set(path, file);
      return file;
    } catch (error) {
      rmSync(partial, { force: true });
      throw diskError(error) ?? accessError(error) ?? error;
    }
  }

  /** Writes the manifest, removes files that are not in it, and ends the journal. */
  async finish(manifest: HandOverManifest): Promise<{ sha256: string; removed: number }> {
    const wanted = new Set(manifest.files.map(({ path }) => path));
    const leaving = [...this.known.keys(), ...this.leaving].filter((path) => !wanted.has(path));
    if (leaving.length > 0) this.note('', { leaving });
    const text = manifestText(manifest);
    const partial = join(this.path, `.${MANIFEST}${PARTIAL}`);
    let removed = 0;
    try {
      writeFileSync(partial, text, { mode: FILE_MODE });
      syncFile(partial);
      renameSync(partial, join(this.path, MANIFEST));
      syncFolder(this.path);
      for (const path of leaving) if (this.remove(path)) removed += 1;
      rmSync(join(this.path, JOURNAL), { force: true });
      syncFolder(this.path);
    } catch (error) {
      throw diskError(error) ?? accessError(error) ?? error;
    }
    return { sha256: hash('sha256', text), removed };
  }

  strangers(known: ReadonlySet<string>): Promise<string[]> {
    const others = filesBelow(this.path).filter(
      (file) =>
        !known.has(file) &&
        ![MANIFEST, JOURNAL, LOCK].includes(file) &&
        !isPartial(file) &&
        !file.startsWith(`${LOCK}-`),
    );
    return Promise.resolve(others);
  }

  private remove(path: string): boolean {
    const file = join(this.folderOf(path), basename(path));
    if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return false;
    rmSync(file);
    const folder = dirname(file);
    // Removes the day's folder if it is empty now, and then the kind's.
    for (const one of path.startsWith('events/') ? [folder, dirname(folder)] : [])
      if (readdirSync(one).length === 0) rmSync(one, { recursive: true });
    return true;
  }

  private note(before: string, line: object): void {
    writeAll(this.journal, Buffer.from(`${before}${JSON.stringify(line)}\n`));
    fsyncSync(this.journal);
  }

  /** The folder for a file, made if necessary; none of its parts is a link. */
  private folderOf(path: string): string {
    let folder = this.path;
    for (const part of path.split('/').slice(0, -1)) {
      folder = join(folder, part);
      const found = lstatSync(folder, { throwIfNoEntry: false });
      if (found === undefined) mkdirSync(folder, { mode: FOLDER_MODE });
      else if (!found.isDirectory())
        throw new DaybookError(
          'usage',
          `${folder} is in the way: it is a link or a file, where a folder of the hand-over should be`,
          'move it away, or choose another folder',
        );
    }
    return folder;
  }
}

/** The folder, with links resolved. */
function place(asked: string): string {
  // A folder called `s3:` is hardly intended. The window hands over to folders only, the command line also to S3
  // buckets.
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(asked))
    throw new DaybookError(
      'usage',
      `${asked} is not a folder on this machine`,
      'name a folder; daybook hand-over CASE s3://BUCKET/PREFIX puts a case into a bucket',
    );
  const given = resolve(asked);
  try {
    refuseCase(placeOf(given));
    makeFolder(given, FOLDER_MODE);
    return realpathSync(given);
  } catch (error) {
    if (error instanceof DaybookError) throw error;
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw (
      diskError(error) ??
      new DaybookError(
        'unreadable',
        `the folder ${given} cannot be created: ${code}`,
        'choose a new folder where you may write',
        error,
      )
    );
  }
}

/** The case of a folder's hand-over; undefined if there is none, or it cannot be read. */
function ownerOf(path: string): string | undefined {
  const journal = journalOf(path);
  for (const line of journal)
    if ('format' in line && line.format === HAND_OVER_FORMAT && 'case' in line)
      return String(line.case);
  return readManifest(path)?.case.id;
}

/** The manifest of a folder; undefined if there is no readable one. */
export function readManifest(path: string): HandOverManifest | undefined {
  const file = join(path, MANIFEST);
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found?.isFile() !== true || found.size > MOST_MANIFEST_BYTES) return undefined;
  try {
    return handOverManifest.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}

/** The first line of a journal. */
const headOf = (caseId: string): object => ({ format: HAND_OVER_FORMAT, case: caseId });

/** Whether a journal is of runs that were ended before its first line was whole, and so before any file was made. */
function isBarelyBegun(file: string, caseId: string): boolean {
  const head = JSON.stringify(headOf(caseId));
  const found = lstatSync(file);
  if (!found.isFile() || found.size > MOST_BARELY_BEGUN_BYTES) return false;
  return readFileSync(file, 'utf8')
    .split('\n')
    .every((line) => line.length < head.length && head.startsWith(line));
}

/** Lines of the journal that are whole. */
function journalOf(path: string): object[] {
  const file = join(path, JOURNAL);
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found?.isFile() !== true || found.size > MOST_MANIFEST_BYTES) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        const value: unknown = JSON.parse(line);
        return typeof value === 'object' && value !== null ? [value] : [];
      } catch {
        // Truncated when the run ended: its file is written again.
        return [];
      }
    });
}

function contentsOf(
  path: string,
  caseId: string,
): { known: Map<string, HandedOverFile>; leaving: Set<string> } {
  const known = new Map<string, HandedOverFile>();
  const leaving = new Set<string>();
  const manifest = readManifest(path);
  if (manifest?.case.id === caseId) for (const file of manifest.files) known.set(file.path, file);
  for (const line of journalOf(path)) {
    const file = handedOverFile.safeParse(line);
    if (file.success) known.set(file.data.path, file.data);
    if (!('leaving' in line) || !Array.isArray(line.leaving)) continue;
    for (const one of line.leaving)
      if (HANDED_OVER_PATH.test(String(one))) leaving.add(String(one));
  }
  return { known, leaving };
}

/** Whether a file is one that an interrupted run was writing. */
export function isPartial(file: string): boolean {
  const name = basename(file);
  const whole = join(dirname(file), name.slice(1, -PARTIAL.length)).replaceAll(sep, '/');
  const isNamed = name.startsWith('.') && name.endsWith(PARTIAL);
  return isNamed && (whole === MANIFEST || HANDED_OVER_PATH.test(whole));
}

/** Everything below a folder that is not a folder, by its relative path; links are not followed. */
export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => !one.isDirectory())
    .map((one) => relative(folder, join(one.parentPath, one.name)).replaceAll(sep, '/'));
}

function lockOf(path: string): { close(): void } {
  for (;;) {
    const file = join(path, LOCK);
    const lock = takeLock(file);
    if (lock === undefined) throw new AnotherWrites(path);
    // The one before may have removed it before it was locked.
    if (existsSync(file)) return lock;
    lock.close();
  }
}
