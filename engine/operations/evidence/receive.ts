/**
 * `evidence.receive`: stores a file that a window sends in pieces, in the case's `received` folder.
 *
 * Invariants: nothing is written outside that folder, whatever the name is; a repeated piece changes nothing; a
 * complete file is read-only and never written again.
 */
import { constants } from 'node:fs';
import { lstat, type FileHandle } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { makeCaseFolder, openCaseHandle, WrongEntry } from '../../util/files/case-files.ts';
import { accessError, diskError, syncFolder } from '../../util/files/files.ts';
import { Catalog } from '../../catalog/index.ts';
import type { Request, Result } from '../../contract/operations.ts';
import { DaybookError } from '../../contract/errors.ts';

const MOST_PIECE_BYTES = 4 << 20;
const MOST_PARTS = 64;
const MOST_PART_BYTES = 255;
const WRITABLE = 0o222;
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i;

/**
 * The folders and the name of a received file. `/` parts them, as browsers write them.
 * @throws DaybookError usage for a name that leads elsewhere, or that no file can have
 */
export function safeParts(name: string, platform: NodeJS.Platform = process.platform): string[] {
  const refuse = (why: string): never => {
    throw new DaybookError(
      'usage',
      `${JSON.stringify(name.slice(0, 200))} cannot be received: ${why}`,
      'rename the file and drop it again',
    );
  };
  const parts = name.split('/');
  if (parts.length > MOST_PARTS) return refuse(`it is in more than ${MOST_PARTS} nested folders`);
  for (const part of parts) {
    if (part === '' || part === '.' || part === '..') return refuse('it is not a relative path');
    // A backslash separates folders on Windows, and a case may be moved there.
    if (/[\\\p{Cc}]/u.test(part)) return refuse('its name has a backslash or a control character');
    if (Buffer.byteLength(part) > MOST_PART_BYTES)
      return refuse('its name is longer than 255 bytes');
    if (!part.isWellFormed()) return refuse('its name is not Unicode');
    if (platform !== 'win32') continue;
    if (/[<>:"|?*]/.test(part) || /[. ]$/.test(part) || DEVICE.test(part))
      return refuse('Windows has no files of that name');
  }
  return parts;
}

/** @throws DaybookError not-a-case, usage, limit-exceeded, disk-full, unreadable */
export async function receivePiece(
  request: Request<'evidence.receive'>,
): Promise<Result<'evidence.receive'> & { completed: boolean }> {
  const { upload, offset, bytes, last } = request;
  const folder = resolve(request.case);
  if (!Catalog.exists(folder)) {
    throw new DaybookError('not-a-case', `${folder} is not a Daybook case`, 'create it first');
  }
  if (bytes.length > MOST_PIECE_BYTES) {
    throw new DaybookError(
      'limit-exceeded',
      `a piece of ${bytes.length} bytes: at most ${MOST_PIECE_BYTES} are taken at once`,
    );
  }
  const parts = safeParts(request.name);
  try {
    const file = ['received', upload, ...parts].join('/');
    const path = join(folder, file);
    makeCaseFolder(folder, dirname(file));
    const handle = await openPiece(folder, file);
    try {
      return { path, ...(await write(handle, path, { offset, bytes, last }, request.modifiedMs)) };
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw diskError(error) ?? nameError(error, request.name) ?? accessError(error) ?? error;
  }
}

/** Opens the file for reading and writing, or only for reading if it is complete. */
async function openPiece(folder: string, file: string): Promise<FileHandle> {
  const there = await lstat(join(folder, file)).catch(() => undefined);
  const complete = there !== undefined && (there.mode & WRITABLE) === 0;
  const flags = complete ? constants.O_RDONLY : constants.O_RDWR | constants.O_CREAT;
  return openCaseHandle(folder, file, flags);
}

async function write(
  handle: FileHandle,
  path: string,
  piece: { offset: number; bytes: Uint8Array; last: boolean },
  modifiedMs: number | undefined,
): Promise<{ size: number; completed: boolean }> {
  const { offset, bytes, last } = piece;
  const info = await handle.stat();
  if (!info.isFile()) throw new DaybookError('usage', `${path} is not a file`);
  const complete = (info.mode & WRITABLE) === 0;
  if (offset > info.size) {
    throw new DaybookError(
      'usage',
      `a piece from byte ${offset}, but only ${info.size} bytes were received`,
      'send the pieces in order, or the whole file again under another upload',
    );
  }
  const known = Math.min(bytes.length, info.size - offset);
  await refuseOther(handle, path, bytes.subarray(0, known), offset);
  const end = offset + bytes.length;
  const ends = last && end !== info.size;
  if ((complete && end > info.size) || (ends && end < info.size)) {
    throw new DaybookError(
      'usage',
      `${path} has ${info.size} bytes already: another file of the same name?`,
      'send it under another upload',
    );
  }
  for (let at = known; at < bytes.length;) {
    at += (await handle.write(bytes, at, bytes.length - at, offset + at)).bytesWritten;
  }
  const size = Math.max(info.size, end);
  if (!last || complete) return { size, completed: false };
  // The year of a log that states none is inferred from its modification time.
  if (modifiedMs !== undefined) await handle.utimes(new Date(), new Date(modifiedMs));
  await handle.chmod(0o400);
  await handle.sync();
  syncFolder(dirname(path));
  return { size, completed: true };
}

/** A piece that was sent before must be the same. */
async function refuseOther(
  handle: FileHandle,
  path: string,
  bytes: Uint8Array,
  offset: number,
): Promise<void> {
  if (bytes.length === 0) return;
  const there = Buffer.alloc(bytes.length);
  let at = 0;
  while (at < there.length) {
    const { bytesRead } = await handle.read(there, at, there.length - at, offset + at);
    if (bytesRead === 0) break;
    at += bytesRead;
  }
  if (at === bytes.length && there.equals(bytes)) return;
  throw new DaybookError(
    'usage',
    `${path} was received with other bytes at ${offset}: another file of the same name?`,
    'send it under another upload',
  );
}

/** A name that this file system does not have, or that is a folder already. */
function nameError(error: unknown, name: string): DaybookError | undefined {
  const of = error instanceof Error && 'code' in error ? String(error.code) : '';
  const code = error instanceof WrongEntry ? 'ENOTDIR' : of;
  const why = {
    ENAMETOOLONG: 'its name is too long',
    EISDIR: 'there is a folder of that name',
    ENOTDIR: 'there is a file where its folder should be',
    EEXIST: 'there is a file where its folder should be',
    ELOOP: 'there is a link of that name',
    EINVAL: 'the file system has no such name',
  }[code];
  if (why === undefined) return undefined;
  return new DaybookError('usage', `${JSON.stringify(name)} cannot be received: ${why}`);
}
