/**
 * Checks that a folder or bucket of a hand-over is as it was written: each file by its hash, none missing and none
 * extra, the audit log unbroken up to the entry that the manifest names. It needs no case.
 */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, lstatSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { follows, type StoredAuditEntry } from '../../catalog/index.ts';
import { counted } from '../../contract/words/counted.ts';
import { CancelledError, DaybookError } from '../../contract/errors.ts';
import {
  MANIFEST,
  type HandedOverFile,
  type HandOverCheck,
  type HandOverFinding,
  type HandOverManifest,
} from '../../contract/hand-over.ts';
import { FileProblem, hashHandle, openRegular } from '../../util/files/regular-file.ts';
import type { Bucket } from './bucket.ts';
import { UNFINISHED } from './bucket-mark.ts';
import { manifestIn } from './bucket-target.ts';
import { filesBelow, isPartial, JOURNAL, LOCK, readManifest } from './folder.ts';

interface CheckOptions {
  readonly signal: AbortSignal;
  readonly report: (progress: { bytes: number; totalBytes: number; file: string }) => void;
}

const AUDIT = 'audit/audit.jsonl';

/** Whether a folder is, or was to become, a hand-over rather than a case. */
export function isHandOver(folder: string): boolean {
  const has = (name: string): boolean => existsSync(join(folder, name));
  return !has('case.sqlite') && (has(MANIFEST) || has(JOURNAL));
}

/** A hand-over to check: a folder or a bucket. */
interface CheckedPlace {
  readonly name: string;
  /** The file that marks an unfinished run; undefined if there is none. */
  readonly unfinished: string | undefined;
  manifest(): Promise<HandOverManifest | undefined>;
  manifestHash(): Promise<string>;
  /** Everything that is there, by path. */
  files(): Promise<string[]>;
  /** The difference between a file and its entry in the manifest; undefined if there is none. */
  problem(file: HandedOverFile, onBytes: (bytes: number) => void): Promise<Problem | undefined>;
  content(path: string): Promise<Readable>;
}

interface Problem {
  readonly code: 'missing' | 'changed' | 'unreadable';
  readonly message: string;
}

/** @throws DaybookError not-found, cancelled */
export function checkHandOver(asked: string, options: CheckOptions): Promise<HandOverCheck> {
  const folder = resolve(asked);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new DaybookError(
      'not-found',
      `${folder} is not a folder`,
      'name the folder of a hand-over',
    );
  return checkPlace(folderPlace(folder, options.signal), options);
}

/** The same for a bucket: every byte is read. @throws DaybookError not-found, unreadable, cancelled */
export async function checkBucket(bucket: Bucket, options: CheckOptions): Promise<HandOverCheck> {
  return checkPlace(await bucketPlace(bucket), options);
}

async function checkPlace(
  place: CheckedPlace,
  { signal, report }: CheckOptions,
): Promise<HandOverCheck> {
  const findings: HandOverFinding[] = [];
  const find = (
    level: HandOverFinding['level'],
    code: HandOverFinding['code'],
    file: string,
    message: string,
    advice?: string,
  ): void => {
    findings.push({ level, code, file, message, ...(advice === undefined ? {} : { advice }) });
  };
  const command = `daybook hand-over CASE ${place.name}`;
  const sendAgain = `to write what is missing, run again: ${command}`;
  const isUnfinished = place.unfinished !== undefined;
  if (place.unfinished !== undefined)
    find(
      'error',
      'unfinished',
      place.unfinished,
      'the hand-over was interrupted, or is still being written',
      `to finish it, run again: ${command}`,
    );
  const manifest = await place.manifest();
  const result = (more: Partial<HandOverCheck>): HandOverCheck => ({
    ...{ ok: findings.every(({ level }) => level !== 'error'), folder: place.name, findings },
    ...{ files: 0, bytes: 0, events: 0, auditEntries: 0 },
    ...more,
  });
  if (manifest === undefined) {
    find('error', 'manifest', MANIFEST, 'there is no readable manifest', sendAgain);
    return result({});
  }
  const { files, events, audit } = manifest;
  const totalBytes = files.reduce((sum, { bytes }) => sum + bytes, 0);
  let bytes = 0;
  for (const file of files) {
    if (signal.aborted) throw new CancelledError();
    report({ bytes, totalBytes, file: file.path });
    const problem = await place.problem(file, (chunk) => {
      bytes += chunk;
      report({ bytes, totalBytes, file: file.path });
    });
    if (problem !== undefined) find('error', problem.code, file.path, problem.message, sendAgain);
  }
  const listed = new Set(files.map(({ path }) => path));
  for (const file of await place.files()) {
    if (listed.has(file) || [MANIFEST, JOURNAL, UNFINISHED].includes(file)) continue;
    if (file.startsWith(LOCK) || (isUnfinished && isPartial(file))) continue;
    // Readers of the folder of events would read it as well.
    const level = /^(?:events|tags)\//.test(file) ? 'error' : 'warning';
    find(
      level,
      'extra',
      file,
      `${file} does not belong to the hand-over`,
      `remove it and run: ${command}`,
    );
  }
  sumsAdd(manifest, find);
  const isAuditWhole = !findings.some(({ file }) => file === AUDIT);
  if (listed.has(AUDIT) && isAuditWhole) {
    const problem = await auditProblem(await place.content(AUDIT), audit);
    if (problem !== undefined) find('error', 'audit', AUDIT, problem);
  }
  return result({
    ...{ files: files.length, bytes: totalBytes, events, auditEntries: audit.entries },
    sha256: await place.manifestHash(),
  });
}

function folderPlace(folder: string, signal: AbortSignal): CheckedPlace {
  return {
    name: folder,
    unfinished: existsSync(join(folder, JOURNAL)) ? JOURNAL : undefined,
    manifest: () => Promise.resolve(readManifest(folder)),
    manifestHash: async () => {
      const handle = await openRegular(join(folder, MANIFEST));
      try {
        return (await hashHandle(handle, { signal })).sha256;
      } finally {
        await handle.close();
      }
    },
    files: () => Promise.resolve(filesBelow(folder)),
    problem: (file, onBytes) => differing(folder, file, signal, onBytes),
    content: (path) => Promise.resolve(createReadStream(join(folder, path))),
  };
}

async function bucketPlace(bucket: Bucket): Promise<CheckedPlace> {
  const there = new Set((await bucket.list()).map(({ path }) => path));
  const content = async (path: string): Promise<Readable> => {
    const stream = await bucket.read(path);
    if (stream !== undefined) return stream;
    throw new DaybookError('not-found', `${bucket.name}/${path} is gone`, 'run it again');
  };
  const hashOf = async (
    path: string,
    onBytes: (bytes: number) => void,
  ): Promise<{ sha256: string; bytes: number }> => {
    const sum = createHash('sha256');
    let bytes = 0;
    for await (const part of await content(path)) {
      const chunk = part as Buffer;
      sum.update(chunk);
      bytes += chunk.length;
      onBytes(chunk.length);
    }
    return { sha256: sum.digest('hex'), bytes };
  };
  return {
    name: bucket.name,
    unfinished: there.has(UNFINISHED) ? UNFINISHED : undefined,
    manifest: () => manifestIn(bucket),
    manifestHash: async () => (await hashOf(MANIFEST, () => undefined)).sha256,
    files: () => Promise.resolve([...there]),
    problem: async (file, onBytes) =>
      there.has(file.path)
        ? otherContent(file, await hashOf(file.path, onBytes))
        : { code: 'missing', message: `${file.path} is missing` },
    content,
  };
}

function otherContent(
  { path, bytes, sha256 }: HandedOverFile,
  now: { readonly bytes: number; readonly sha256: string },
): Problem | undefined {
  if (now.bytes !== bytes)
    return {
      code: 'changed',
      message: `${path} has ${counted(now.bytes, 'byte')} instead of the ${bytes} that were written`,
    };
  if (now.sha256 !== sha256)
    return { code: 'changed', message: `${path} was changed: its SHA-256 is ${now.sha256}` };
  return undefined;
}

async function differing(
  folder: string,
  file: HandedOverFile,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<Problem | undefined> {
  const { path } = file;
  const found = linkless(folder, path);
  if (found === undefined) return { code: 'missing', message: `${path} is missing` };
  if (!found) return { code: 'changed', message: `${path} is a link, or not a file` };
  try {
    const handle = await openRegular(join(folder, path));
    try {
      return otherContent(file, await hashHandle(handle, { signal, onBytes }));
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error;
    const code = error.kind === 'missing' ? 'missing' : 'unreadable';
    return { code, message: `${path} ${error.message}` };
  }
}

/** Whether a path leads to a file with no link on the way; undefined: it leads to nothing. */
function linkless(folder: string, path: string): boolean | undefined {
  let at = folder;
  for (const part of path.split('/')) {
    at = join(at, part);
    const found = lstatSync(at, { throwIfNoEntry: false });
    if (found === undefined) return undefined;
    if (found.isSymbolicLink()) return false;
  }
  return lstatSync(at).isFile();
}

type Find = (level: 'error', code: 'manifest', file: string, message: string) => void;

/** A manifest that was edited seldom adds up. */
function sumsAdd({ files, events, byKind }: HandOverManifest, find: Find): void {
  const found = new Map<string, number>();
  for (const { kind, rows } of files)
    if (kind !== undefined) found.set(kind, (found.get(kind) ?? 0) + rows);
  const total = [...found.values()].reduce((sum, n) => sum + n, 0);
  const kinds = new Set([...found.keys(), ...Object.keys(byKind)]);
  const isSame = [...kinds].every(
    (kind) => (found.get(kind) ?? 0) === (new Map(Object.entries(byKind)).get(kind) ?? 0),
  );
  if (total !== events || !isSame)
    find(
      'error',
      'manifest',
      MANIFEST,
      `the files have ${counted(total, 'event')}; the manifest says ${events}`,
    );
}

async function auditProblem(
  input: Readable,
  { entries, head }: HandOverManifest['audit'],
): Promise<string | undefined> {
  let previous = '';
  let n = 0;
  let failed: unknown;
  const lines = createInterface({ input });
  // The iterator does not throw its input's errors.
  input.once('error', (error) => {
    failed = error;
    lines.close();
  });
  for await (const line of lines) {
    n += 1;
    const entry = auditEntry(line);
    if (entry === undefined || !follows(previous, entry))
      return `entry ${n} of the audit log does not follow from the one before it`;
    previous = entry.hash;
  }
  if (failed !== undefined) throw failed;
  if (n === entries && previous === head) return undefined;
  return `the audit log ends after ${counted(n, 'entry', 'entries')}, not with the one that the manifest names`;
}

function auditEntry(line: string): StoredAuditEntry | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const fields = new Map<string, unknown>(Object.entries(value));
  const text = (name: string): string | undefined => {
    const found = fields.get(name);
    return typeof found === 'string' ? found : undefined;
  };
  const [at, user, operation] = [text('at'), text('user'), text('operation')];
  const [detail, hash] = [text('detail'), text('hash')];
  if (at === undefined || user === undefined || operation === undefined) return undefined;
  if (detail === undefined || hash === undefined) return undefined;
  return { id: Number(fields.get('id')), at, user, operation, detail, state: text('state'), hash };
}
