/**
 * Output to a file on this machine, or in parts for a window that saves it.
 *
 * Invariants: a file is there whole or not at all (written next to its place, then renamed); no output replaces
 * evidence, anything inside a case, or an input of the same command; another existing file is replaced only on
 * request; the hash is that of the written bytes.
 */
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, realpathSync, rmSync, statSync, type Stats } from 'node:fs';
import { type FileHandle, link, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { diskError, syncFolder } from '../../util/files/files.ts';
import { CancelledError, DaybookError } from '../../contract/errors.ts';
import { fileSha256 } from '../../store/index.ts';
import type { CaseSession } from '../../search/index.ts';

export interface OutputPlace {
  /** The path to write to; undefined sends parts. */
  path: string | undefined;
  /** Whether an existing file may be replaced. */
  overwrite: boolean;
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

/** Evidence, as the catalog knows it. */
interface KnownEvidence {
  readonly name: string;
  readonly path: string;
  /** Size of the stored file; undefined if it was not read to its end. */
  readonly rawSize: number | undefined;
  /** Hash of the stored file, lower-case hex. */
  readonly rawSha256: string | undefined;
}

/** Files that an output must not replace. */
export interface OutputGuard {
  /** Whether an existing file may be replaced. */
  readonly overwrite: boolean;
  /** Files that the same command reads. */
  readonly inputs?: readonly string[] | undefined;
  readonly evidence?: (() => readonly KnownEvidence[]) | undefined;
}

/** A file that is being written. Nobody sees it before `commit`. */
interface OutputFile {
  /** Its path, with links resolved. */
  readonly path: string;
  write(bytes: Uint8Array | string): Promise<void>;
  /** Puts the file in its place, durably. */
  commit(): Promise<void>;
  /** Removes temporary files. May follow a failed `commit`. */
  abandon(): Promise<void>;
}

/** Bytes of a part, and of a write to disk. */
const PART_BYTES = 256 * 1024;
/** Files hold evidence: only their owner reads them. */
const FILE_MODE = 0o600;

/**
 * Runs `produce` and writes its output.
 * @param evidence files that must not be replaced
 * @throws DaybookError usage, unreadable, disk-full, cancelled, and whatever `produce` throws
 */
export async function writeOutput<T>(
  evidence: OutputGuard['evidence'],
  place: OutputPlace,
  produce: (write: Write) => Promise<T>,
): Promise<{ produced: T; written: Written }> {
  if (place.path === undefined) return collect(place, (bytes) => place.send(bytes), produce);
  const { overwrite } = place;
  const file = await createOutput(place.path, { overwrite, evidence });
  try {
    const done = await collect(place, (bytes) => file.write(bytes), produce);
    await file.commit();
    return { ...done, written: { ...done.written, path: file.path } };
  } catch (error) {
    await file.abandon();
    throw error;
  }
}

/**
 * Starts a file at `asked`, which may also be a device or a pipe (`/dev/stdout`): that is written to directly.
 * @throws DaybookError usage if it must not be written; unreadable
 */
export async function createOutput(asked: string, guard: OutputGuard): Promise<OutputFile> {
  const path = await outputPath(asked, guard);
  const there = statSync(path, { throwIfNoEntry: false });
  try {
    if (there !== undefined && isStream(there)) return streamOutput(path, await open(path, 'w'));
    const partial = join(dirname(path), `.${basename(path)}.${uniqueText()}.partial`);
    const file = await open(partial, 'wx', FILE_MODE);
    return fileOutput(path, partial, file, guard.overwrite);
  } catch (error) {
    throw cannotWrite(path, error);
  }
}

function uniqueText(): string {
  return Math.random().toString(36).slice(2, 10);
}

function fileOutput(
  path: string,
  partial: string,
  file: FileHandle,
  overwrite: boolean,
): OutputFile {
  // An interrupted command exits immediately.
  const remove = (): void => rmSync(partial, { force: true });
  process.on('exit', remove);
  let isOpen = true;
  return {
    path,
    async write(bytes) {
      try {
        await file.writeFile(bytes);
      } catch (error) {
        throw diskError(error) ?? cannotWrite(path, error);
      }
    },
    async commit() {
      try {
        await file.sync();
        isOpen = false;
        await file.close();
        await (overwrite ? rename(partial, path) : putInPlace(partial, path));
        syncFolder(dirname(path));
      } catch (error) {
        if (error instanceof DaybookError) throw error;
        throw diskError(error) ?? cannotWrite(path, error);
      }
      process.off('exit', remove);
    },
    async abandon() {
      if (isOpen) await file.close();
      isOpen = false;
      await rm(partial, { force: true });
      process.off('exit', remove);
    },
  };
}

/** Gives the file its name, unless another process has taken it meanwhile. */
async function putInPlace(partial: string, path: string): Promise<void> {
  try {
    await link(partial, path);
  } catch {
    if (existsSync(path)) throw isThere(path);
    // A file system without hard links.
    await rename(partial, path);
    return;
  }
  await rm(partial);
}

function streamOutput(path: string, file: FileHandle): OutputFile {
  return {
    path,
    async write(bytes) {
      try {
        await file.writeFile(bytes);
      } catch (error) {
        throw cannotWrite(path, error);
      }
    },
    commit: () => file.close(),
    abandon: () => file.close(),
  };
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
    // Sent bytes belong to the receiver.
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
 * The path for a file, if it may be written.
 * @throws DaybookError usage for what must not be replaced; unreadable without a folder
 */
export async function outputPath(asked: string, guard: OutputGuard): Promise<string> {
  const given = resolve(asked);
  let folder: string;
  let isLink = false;
  try {
    isLink = lstatSync(given, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    // A link to an existing file means that file.
    folder = realpathSync(
      isLink && existsSync(given) ? dirname(realpathSync(given)) : dirname(given),
    );
  } catch (error) {
    throw cannotWrite(given, error);
  }
  const path = join(folder, basename(isLink && existsSync(given) ? realpathSync(given) : given));
  refuseCase(path);
  const there = statSync(path, { throwIfNoEntry: false });
  for (const input of guard.inputs ?? []) {
    if (!isSame(there, statSync(input, { throwIfNoEntry: false }))) continue;
    throw new DaybookError(
      'usage',
      `${path} is an input of this command`,
      'choose another name: an input is never overwritten',
    );
  }
  if (there === undefined || isStream(there)) return path;
  if (!there.isFile())
    throw new DaybookError('usage', `${path} is not a file`, 'choose the name of a file');
  await refuseEvidence(path, there, guard.evidence?.() ?? []);
  if (!guard.overwrite) throw isThere(path);
  return path;
}

function isThere(path: string): DaybookError {
  return new DaybookError(
    'usage',
    `${path} exists already`,
    'choose another name, or give --force to replace it',
  );
}

/** @throws DaybookError usage, if `path` is in the folder of any case */
export function refuseCase(path: string): void {
  for (let folder = path; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'case.sqlite')))
      throw new DaybookError(
        'usage',
        folder === path ? `${path} is a case` : `${path} is inside the case ${folder}`,
        'choose a place outside the case folder',
      );
    if (folder === dirname(folder)) return;
  }
}

/** @throws DaybookError usage, if the file is a source, at its place or with its content elsewhere */
async function refuseEvidence(
  path: string,
  there: Stats,
  evidence: readonly KnownEvidence[],
): Promise<void> {
  let sha256: string | undefined;
  for (const source of evidence) {
    if (!isSame(there, statSync(source.path, { throwIfNoEntry: false }))) {
      if (source.rawSize !== there.size || there.size === 0) continue;
      sha256 ??= await fileSha256(path);
      if (sha256 !== source.rawSha256) continue;
    }
    throw new DaybookError(
      'usage',
      `${path} is evidence of this case (${source.name})`,
      'choose another name: evidence is never overwritten',
    );
  }
}

function isSame(a: Stats | undefined, b: Stats | undefined): boolean {
  return a !== undefined && b !== undefined && a.ino === b.ino && a.dev === b.dev && a.isFile();
}

/** A terminal, a null device, a pipe: nothing there can be replaced. */
function isStream(there: Stats): boolean {
  return there.isCharacterDevice() || there.isFIFO();
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

/** Records in the audit log what left the case. A case that cannot be written records nothing. */
export function auditOutput(
  { catalog }: CaseSession,
  operation: string,
  detail: Record<string, unknown>,
): void {
  if (catalog.readOnly) return;
  catalog.transaction(() => {
    catalog.audit.add(operation, detail);
    catalog.changes.add(operation, {});
  });
}
