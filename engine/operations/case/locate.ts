/**
 * `source.locate`: records the new place of evidence that was moved. A file is recognised by its size and SHA-256,
 * whatever its name; an archive member by those of its archive. Evidence is only read.
 */
import type { Dirent } from 'node:fs';
import { lstat, readdir, realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import {
  FileProblem,
  fileProblem,
  hashHandle,
  openRegular,
} from '../../util/files/regular-file.ts';
import { type SourceRow, archiveOf, locationOf } from '../../catalog/index.ts';
import { CancelledError, DaybookError } from '../../contract/errors.ts';
import { CaseWriter } from '../../ingest/index.ts';
import type { BuilderOptions } from '../../store/index.ts';

interface LocateParameters {
  readonly folder: string;
  /** A file or folder to search, recursively. */
  readonly below: string;
  readonly builder: BuilderOptions;
  readonly signal?: AbortSignal | undefined;
}

interface Located {
  readonly source: number;
  readonly name: string;
  readonly from: string;
  readonly to: string;
}

interface LocateReport {
  readonly located: readonly Located[];
  /** Sources whose file is not in its place and was not found. */
  readonly left: readonly { source: number; name: string; path: string; reason: string }[];
  /** Files and folders that could not be read. */
  readonly unreadable: readonly string[];
}

interface Wanted {
  readonly source: SourceRow;
  readonly bytes: number;
  readonly sha256: string;
}

/** @throws DaybookError not-found, not-a-case, case-locked, cancelled */
export async function locateSources(parameters: LocateParameters): Promise<LocateReport> {
  const { folder, below, builder, signal } = parameters;
  const writer = await CaseWriter.open(folder, 'locate', builder);
  try {
    const { catalog } = writer;
    const wanted: Wanted[] = [];
    const left: LocateReport['left'][number][] = [];
    for (const source of catalog.sources.all()) {
      const known = identityOf(source);
      if (await isInPlace(source.path, known?.bytes)) continue;
      if (known !== undefined) wanted.push({ source, ...known });
      else left.push({ ...placeOf(source), reason: unknownReason(source) });
    }
    const unreadable: string[] = [];
    const found = await filesOf(wanted, resolve(below), { ...parameters, unreadable });
    const located: Located[] = [];
    for (const { source, bytes, sha256 } of wanted) {
      const to = found.get(key(bytes, sha256));
      if (to === undefined)
        left.push({ ...placeOf(source), reason: `no file in ${below} has the same content` });
      else located.push({ source: source.id, name: source.name, from: source.path, to });
    }
    if (signal?.aborted === true) throw new CancelledError();
    if (located.length > 0)
      catalog.transaction(() => {
        for (const { source: id, to } of located) {
          const source = catalog.sources.get(id)!;
          const archive = archiveOf(source);
          const { members } = locationOf(source);
          const location = { path: to, members, ...(archive === undefined ? {} : { archive }) };
          catalog.sources.place(id, to, location);
        }
        catalog.audit.add('locate', { below: resolve(below), located });
        catalog.changes.add('locate', { sources: located.map(({ source }) => source) });
      });
    return { located, left, unreadable };
  } finally {
    writer.close();
  }
}

function placeOf({ id, name, path }: SourceRow): { source: number; name: string; path: string } {
  return { source: id, name, path };
}

/** Size and hash by which its file is recognised. */
function identityOf(source: SourceRow): Pick<Wanted, 'bytes' | 'sha256'> | undefined {
  if (locationOf(source).members.length > 0) return archiveOf(source);
  const { rawSize, rawSha256 } = source;
  return rawSize === undefined || rawSha256 === undefined
    ? undefined
    : { bytes: rawSize, sha256: rawSha256 };
}

function unknownReason(source: SourceRow): string {
  return locationOf(source).members.length > 0
    ? 'no import recorded the hash of its archive'
    : 'it was not read to its end, so its hash is not known';
}

/**
 * Whether a file of at least that size exists; a log may have grown since. `verify` tells whether it is the same.
 */
async function isInPlace(path: string, bytes: number | undefined): Promise<boolean> {
  if (resolve(path) !== path) return false;
  try {
    const handle = await openRegular(path);
    try {
      return (await handle.stat()).size >= (bytes ?? 0);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof FileProblem) return error.kind === 'unreadable';
    throw error;
  }
}

const key = (bytes: number, sha256: string): string => `${bytes} ${sha256}`;

/** The first file of each identity that is wanted, by path. */
async function filesOf(
  wanted: readonly Wanted[],
  below: string,
  { folder, signal, unreadable }: LocateParameters & { unreadable: string[] },
): Promise<Map<string, string>> {
  const sizes = new Set(wanted.map(({ bytes }) => bytes));
  const keys = new Set(wanted.map(({ bytes, sha256 }) => key(bytes, sha256)));
  const found = new Map<string, string>();
  const place = await realpath(folder);
  const start = await lstat(below).catch((error: unknown) => {
    const { message } = fileProblem(error);
    throw new DaybookError('not-found', `${below} ${message}`, 'name a folder that holds evidence');
  });
  const look = async (path: string): Promise<void> => {
    if (signal?.aborted === true) throw new CancelledError();
    try {
      const handle = await openRegular(path);
      try {
        if (!sizes.has((await handle.stat()).size)) return;
        const { bytes, sha256 } = await hashHandle(handle, { signal });
        const one = key(bytes, sha256);
        if (keys.has(one) && !found.has(one)) found.set(one, path);
      } finally {
        await handle.close();
      }
    } catch (error) {
      if (!(error instanceof FileProblem)) throw error;
      unreadable.push(`${path} ${error.message}`);
    }
  };
  // Links are not followed: they may lead elsewhere, or form cycles.
  const within = async (path: string): Promise<void> => {
    if ((await realpath(path)) === place) return;
    let entries: Dirent[];
    try {
      entries = await readdir(path, { withFileTypes: true });
    } catch (error) {
      unreadable.push(`${path} ${fileProblem(error).message}`);
      return;
    }
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (found.size === keys.size) return;
      const at = join(path, entry.name);
      if (entry.isDirectory()) await within(at);
      else if (entry.isFile()) await look(at);
    }
  };
  if (start.isDirectory()) await within(below);
  else await look(below);
  return found;
}
