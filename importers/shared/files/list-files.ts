/** Lists the files of an import's arguments: files, folders, named pipes and standard input. Links are not followed. */
import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import { basename, join, sep } from 'node:path';
import type { Readable } from 'node:stream';
import { CancelledError, DaybookError, messageOfError } from '../../../engine/contract/errors.ts';
import type { Ignored } from '../../../engine/contract/left-out.ts';
import { pipeStream } from './pipe-stream.ts';
import { orderRotated } from './rotation.ts';
import { fileProblem, Spool } from './stored-bytes.ts';

/** A file of an import's arguments. */
interface FoundFile {
  /** Position among the files found. */
  readonly ordinal: number;
  readonly path: string;
  /** Relative to the argument it came from. */
  readonly name: string;
}

/**
 * Lists the files below `paths`, in an order that depends on names alone, with rotated logs from the oldest to the
 * newest. Standard input (`-`) and named pipes are copied to `temporary` first (`spool-*`; the caller removes the
 * folder).
 * @param signal aborts waiting for a pipe that nobody writes to
 * @throws DaybookError not-found, unreadable for an argument; limit-exceeded, disk-full, cancelled
 */
export async function listFiles(
  paths: readonly string[],
  recursive: boolean,
  temporary: string,
  spoolBytes = SPOOL_BYTES,
  signal?: AbortSignal,
): Promise<{ items: FoundFile[]; ignored: Ignored[] }> {
  const items: FoundFile[] = [];
  const ignored: Ignored[] = [];
  const add = (path: string, name: string) => items.push({ ordinal: items.length, path, name });
  for (const path of paths) {
    if (path === '-') {
      add(await spoolStream(process.stdin, temporary, spoolBytes, signal), 'standard-input');
      continue;
    }
    const info = await stat(path).catch((error: unknown) => {
      throw fileProblem(error, path);
    });
    if (info.isDirectory()) {
      const found: { path: string; name: string }[] = [];
      const root = await realpath(path);
      await listFolder(path, '', root, recursive, found, ignored);
      for (const file of orderRotated(found)) add(file.path, file.name);
    } else if (info.isFile()) {
      add(path, basename(path));
    } else if (info.isFIFO()) {
      add(await spoolStream(pipeStream(path), temporary, spoolBytes, signal), basename(path));
    } else {
      throw new DaybookError('unreadable', `${path}: neither a file nor a folder`);
    }
  }
  return { items, ignored };
}

export const SPOOL_BYTES = 256 * 2 ** 30;

async function listFolder(
  folder: string,
  prefix: string,
  root: string,
  recursive: boolean,
  found: { path: string; name: string }[],
  ignored: Ignored[],
): Promise<void> {
  let names: string[];
  try {
    names = await readdir(folder);
  } catch (error) {
    const problem = fileProblem(error, folder);
    if (prefix === '' || !(problem instanceof DaybookError)) throw problem;
    ignored.push({ name: prefix.slice(0, -1), reason: problem.message });
    return;
  }
  names.sort();
  for (const entry of names) {
    const path = join(folder, entry);
    const name = prefix + entry;
    const info = await lstat(path).catch((error: unknown) => {
      ignored.push({ name, reason: messageOfError(fileProblem(error, path)) });
    });
    if (info === undefined) continue;
    if (info.isFile()) found.push({ path, name });
    else if (info.isSymbolicLink()) ignored.push({ name, reason: await linkReason(path, root) });
    else if (!info.isDirectory()) ignored.push({ name, reason: deviceReason(info) });
    else if (recursive) await listFolder(path, `${name}/`, root, recursive, found, ignored);
    else ignored.push({ name, reason: 'a folder (--recursive also reads subfolders)' });
  }
}

async function linkReason(path: string, root: string): Promise<string> {
  try {
    const target = await realpath(path);
    return target === root || target.startsWith(root + sep)
      ? 'symbolic link to something in the folder'
      : 'symbolic link out of the folder';
  } catch {
    return 'symbolic link to nothing';
  }
}

function deviceReason(info: { isFIFO(): boolean; isSocket(): boolean }): string {
  return info.isFIFO() ? 'named pipe' : info.isSocket() ? 'socket' : 'device';
}

/** Copies a stream to a temporary file; returns its path. */
async function spoolStream(
  stream: Readable,
  temporary: string,
  limit: number,
  signal: AbortSignal | undefined,
): Promise<string> {
  const spool = await Spool.create(temporary, limit);
  const stop = () => stream.destroy(new CancelledError());
  signal?.addEventListener('abort', stop);
  try {
    if (signal?.aborted === true) throw new CancelledError();
    for await (const block of stream) {
      if (block instanceof Uint8Array) await spool.write(block);
    }
    await spool.close();
  } catch (error) {
    await spool.remove();
    throw error;
  } finally {
    signal?.removeEventListener('abort', stop);
  }
  return spool.path;
}
