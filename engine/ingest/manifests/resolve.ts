/**
 * Finds the file that a line of a manifest names. Names are relative to the folder of the manifest, to one above
 * it, or absolute on the machine where it was written; all lines of a manifest use the same base.
 *
 * Invariant: a bare name never decides: the common prefix of all listed names may be replaced as a whole by a
 * folder of the same evidence, and nothing else may. So a list of `/usr/bin` does not match files that merely have
 * the same names.
 */
import type { SourceLocation } from '../../contract/source-location.ts';
import type { ManifestEntry } from './read-manifest.ts';

/** Number of names that are looked up to find their base folder. */
const MOST_TRIED = 5000;
/** Where collectors store files by their absolute paths: UAC, Velociraptor. */
const COLLECTED = ['[root]', 'uploads/auto', 'uploads/file', 'uploads/ntfs'];

/** A file system or an archive, and the path in it. */
interface FilePlace {
  readonly container: string;
  readonly path: string;
}

/** The place of a location: members of an archive are files in it. */
export function filePlace({ path, members }: SourceLocation): FilePlace {
  const last = members.at(-1);
  return last === undefined
    ? { container: '', path: withSlashes(path) }
    : { container: JSON.stringify([path, ...members.slice(0, -1)]), path: withSlashes(last) };
}

/** The files of one container by path, whatever its spelling. */
export class FilesByPath<T> {
  private readonly exact = new Map<string, T>();
  /** Paths by their normal form, without case and escapes; undefined if several share it. */
  private readonly normalised = new Map<string, string | undefined>();

  set(path: string, file: T): void {
    this.exact.set(path, file);
    for (const alias of new Set([path.toLowerCase(), unescaped(path).toLowerCase()])) {
      const isTaken = this.normalised.has(alias) && this.normalised.get(alias) !== path;
      this.normalised.set(alias, isTaken ? undefined : path);
    }
  }

  /** The file with this path, or the only one whose path differs just in case or escapes. */
  get(path: string): T | undefined {
    return this.exact.get(path) ?? this.exact.get(this.normalised.get(path.toLowerCase()) ?? path);
  }

  /** Those in `folder` and below; '' for all. */
  below(folder: string): T[] {
    const start = folder === '' ? '' : `${folder}/`;
    return [...this.exact].flatMap(([path, file]) => (path.startsWith(start) ? [file] : []));
  }
}

export interface Resolved<T> {
  /** The base folder of the names. */
  readonly folder: string;
  fileOf(entry: ManifestEntry): T | undefined;
}

/**
 * @param folder of the manifest
 * @param above number of folders above it that belong to the evidence
 */
export function resolveManifest<T>(
  entries: readonly ManifestEntry[],
  files: FilesByPath<T>,
  folder: string,
  above: number,
): Resolved<T> {
  const step = Math.max(1, Math.ceil(entries.length / MOST_TRIED));
  const tried = entries.filter((_, i) => i % step === 0);
  const common = commonFolders(entries);
  let best = { folder, strip: 0, found: 0 };
  for (const base of basesOf(folder, above, entries))
    for (let strip = 0; strip <= common; strip++) {
      let found = 0;
      for (const entry of tried)
        if (files.get(joined(base, partsOf(entry.path).slice(strip))) !== undefined) found += 1;
      if (found > best.found) best = { folder: base, strip, found };
    }
  return {
    folder: best.folder,
    fileOf: (entry) => files.get(joined(best.folder, partsOf(entry.path).slice(best.strip))),
  };
}

function basesOf(folder: string, above: number, entries: readonly ManifestEntry[]): string[] {
  const bases = [folder];
  for (let up = 0, at = folder; up < above && at !== ''; up++) {
    at = at.slice(0, Math.max(0, at.lastIndexOf('/')));
    bases.push(at);
  }
  const collected = bases.flatMap((base) => COLLECTED.map((name) => joined(base, [name])));
  // An absolute path may be meant literally.
  const isAbsolute = entries.some(({ path }) => path.startsWith('/') || /^[a-z]:\//i.test(path));
  return isAbsolute ? [...bases, ...collected, ROOT] : bases;
}

/** Root of the file system: its paths begin with a slash, or with a drive. */
const ROOT = '/';

function joined(folder: string, parts: readonly string[]): string {
  const path = parts.join('/');
  if (folder === ROOT) return /^[a-z]:/i.test(path) ? path : `/${path}`;
  return folder === '' ? path : `${folder}/${path}`;
}

/** Parts of a path, with `.` and `..` resolved. */
function partsOf(path: string): string[] {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..' && parts.length > 0) parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts;
}

/** Number of folders that all listed paths have in common. */
function commonFolders(entries: readonly ManifestEntry[]): number {
  let common: readonly string[] | undefined;
  for (const { path } of entries) {
    const folders = partsOf(path).slice(0, -1);
    const before: readonly string[] = common ?? folders;
    const end = before.findIndex((name, i) => folders[i] !== name);
    common = end < 0 ? before : before.slice(0, end);
    if (common.length === 0) return 0;
  }
  return common?.length ?? 0;
}

function withSlashes(path: string): string {
  return path.replaceAll('\\', '/');
}

/** Velociraptor writes `C:` as `C%3A`. */
function unescaped(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
