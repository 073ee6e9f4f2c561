/**
 * What leaves a case: a file on this machine, or its bytes in parts for a window that saves it.
 *
 * Holds always: a file is there whole or not at all (written beside its place, then renamed); neither
 * evidence nor the case is ever overwritten; the hash is that of the bytes that were written.
 */
import { createHash } from 'node:crypto';
import { realpathSync, statSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { diskError, syncFolder } from '../base/files.ts';
import { CancelledError, DaybookError } from '../contract/errors.ts';
import type { CaseSession } from './case-session.ts';

export interface OutputPlace {
  /** Where to write; undefined sends parts. */
  path: string | undefined;
  send(bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  signal?: AbortSignal | undefined;
}

export interface Written {
  bytes: number;
  /** Lower-case hex. */
  sha256: string;
  path?: string | undefined;
}

export type Write = (bytes: Uint8Array) => Promise<void>;

/** Bytes of a part, and of a write to disk. */
const PART_BYTES = 256 * 1024;

/**
 * Runs `produce` and writes what it gives to `write`.
 * @throws DaybookError usage, unreadable, disk-full, cancelled, and what `produce` throws
 */
export async function writeOutput<T>(
  session: CaseSession,
  place: OutputPlace,
  produce: (write: Write) => Promise<T>,
): Promise<{ produced: T; written: Written }> {
  if (place.path === undefined) return collect(place, (bytes) => place.send(bytes), produce);
  const path = outputPath(session, place.path);
  const partial = join(dirname(path), `.${basename(path)}.${process.pid}.partial`);
  try {
    const file = await open(partial, 'w');
    try {
      const done = await collect(
        place,
        async (bytes) => {
          await file.writeFile(bytes);
        },
        produce,
      );
      await file.sync();
      await file.close();
      await rename(partial, path);
      syncFolder(dirname(path));
      return { ...done, written: { ...done.written, path } };
    } catch (error) {
      await file.close().catch(() => undefined);
      throw error;
    }
  } catch (error) {
    await rm(partial, { force: true }).catch(() => undefined);
    if (error instanceof DaybookError) throw error;
    throw diskError(error) ?? cannotWrite(path, error);
  }
}

async function collect<T>(
  { signal }: OutputPlace,
  send: (bytes: Uint8Array<ArrayBuffer>) => Promise<void>,
  produce: (write: Write) => Promise<T>,
): Promise<{ produced: T; written: Written }> {
  const hash = createHash('sha256');
  let total = 0;
  let waiting = new Uint8Array(PART_BYTES);
  let held = 0;
  const flush = async (): Promise<void> => {
    if (signal?.aborted === true) throw new CancelledError();
    if (held === 0) return;
    const part = waiting.subarray(0, held);
    // What was sent belongs to the receiver.
    waiting = new Uint8Array(PART_BYTES);
    held = 0;
    await send(part);
  };
  const write: Write = async (bytes) => {
    hash.update(bytes);
    total += bytes.length;
    for (let at = 0; at < bytes.length;) {
      const n = Math.min(PART_BYTES - held, bytes.length - at);
      waiting.set(bytes.subarray(at, at + n), held);
      held += n;
      at += n;
      if (held === PART_BYTES) await flush();
    }
  };
  const produced = await produce(write);
  await flush();
  return { produced, written: { bytes: total, sha256: hash.digest('hex') } };
}

/**
 * Where a file goes, if it may.
 * @throws DaybookError usage, for what lies in the case or is evidence; unreadable, without a folder
 */
export function outputPath(session: CaseSession, asked: string): string {
  const given = resolve(asked);
  let folder: string;
  try {
    folder = realpathSync(dirname(given));
  } catch (error) {
    throw cannotWrite(given, error);
  }
  const path = join(folder, basename(given));
  const root = realpathSync(session.folder);
  if (path === root || path.startsWith(root + sep))
    throw new DaybookError(
      'usage',
      `${path} lies in the case itself`,
      'choose a place outside the case folder',
    );
  const there = statSync(path, { throwIfNoEntry: false });
  if (there === undefined) return path;
  if (!there.isFile())
    throw new DaybookError('usage', `${path} is no file`, 'choose the name of a file');
  for (const source of session.snapshot().sources) {
    const known = statSync(source.path, { throwIfNoEntry: false });
    if (known === undefined || known.ino !== there.ino || known.dev !== there.dev) continue;
    throw new DaybookError(
      'usage',
      `${path} is evidence of this case (${source.name})`,
      'choose another name: evidence is never overwritten',
    );
  }
  return path;
}

function cannotWrite(path: string, error: unknown): DaybookError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  return new DaybookError(
    'unreadable',
    `${path} cannot be written: ${code}`,
    'check that its folder exists, may be written and has room',
    error,
  );
}

/** Keeps in the audit log what left the case. A case that cannot be written keeps nothing. */
export function auditOutput(
  { catalog }: CaseSession,
  operation: string,
  detail: Record<string, unknown>,
): void {
  if (catalog.readOnly) return;
  catalog.transaction(() => {
    catalog.addAudit(operation, detail);
    catalog.addChange(operation, {});
  });
}
