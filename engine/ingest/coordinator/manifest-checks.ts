/**
 * Compares the entries of hash manifests with the files of an import after all of them were read.
 *
 * Invariant: every line of a manifest gets a result. A hash is compared with that of the bytes from which events
 * were made; if the manifest uses another algorithm, the file is read again, and counts only if its SHA-256 is
 * still the same.
 */
import { archiveOf, locationOf, type ArchiveFile } from '../../catalog/source-place.ts';
import { CancelledError, DaybookError } from '../../contract/errors.ts';
import type { ListedHash, ManifestReport } from '../../contract/hash-manifest.ts';
import type { SourceLocation } from '../../contract/source-location.ts';
import type { Manifest, ManifestEntry } from '../manifests/read-manifest.ts';
import { FilesByPath, filePlace, resolveManifest, type Resolved } from '../manifests/resolve.ts';
import type { FileHashes, HashRequest } from '../worker/protocol.ts';
import type { ImportContext } from './import-context.ts';

/** Limit of each kind in a report. */
const MOST_KEPT = 100;
const MOST_DIFFERING = 10_000;
const AGAIN = 'sha256';

interface Found {
  readonly name: string;
  readonly location: SourceLocation;
  readonly manifest: Manifest;
  /** Number of folders above it that belong to the evidence. */
  readonly above: number;
}

/** A file of this import or an earlier one. */
interface KnownFile {
  readonly name: string;
  readonly location: SourceLocation;
  /** Undefined: it became no source. */
  readonly sourceId: number | undefined;
  /** Of all of its bytes. */
  readonly sha256: string | undefined;
  /** Why it became no source. */
  readonly reason: string | undefined;
  /** Its hashes by algorithm after reading it again, or why that failed. */
  again?: FileHashes;
}

interface Check {
  readonly found: Found;
  readonly resolved: Resolved<KnownFile>;
  readonly files: FilesByPath<KnownFile>;
}

type Verdict = Omit<ListedHash, 'manifest'> & { state: 'agrees' | 'differs' | 'not-compared' };

export class ManifestChecks {
  reports: readonly ManifestReport[] = [];
  private readonly context: ImportContext;
  private readonly cancel: SharedArrayBuffer;
  private readonly found: Found[] = [];
  private readonly duplicates: KnownFile[] = [];
  private readonly notRead: KnownFile[] = [];
  private readonly archives = new Map<string, ArchiveFile>();

  constructor(context: ImportContext, cancel: SharedArrayBuffer) {
    this.context = context;
    this.cancel = cancel;
  }

  add(ordinal: number, { name, location, manifest }: Omit<Found, 'above'>): void {
    const item = this.context.request.items.find((one) => one.ordinal === ordinal)!;
    const last = location.members.at(-1);
    const above = (last ?? item.name).split('/').length - 1;
    this.found.push({ name, location, manifest, above });
  }

  /** Bytes that the case already has, at another location. */
  known(location: SourceLocation, name: string, sourceId: number, sha256: string | undefined) {
    this.duplicates.push({ name, location, sourceId, sha256, reason: undefined });
  }

  /** A file that became no source. */
  unread(location: SourceLocation, name: string, reason: string): void {
    this.notRead.push({
      ...{ name, location, sourceId: undefined, sha256: undefined },
      reason: `it was not imported: ${reason}`,
    });
  }

  archive(ordinal: number, file: ArchiveFile): void {
    const item = this.context.request.items.find((one) => one.ordinal === ordinal)!;
    this.archives.set(item.path, file);
  }

  /**
   * Call it when everything is read and committed.
   * @throws DaybookError cancelled
   */
  async check(onProgress: (name: string) => void): Promise<void> {
    if (this.found.length === 0) return;
    this.found.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
    const containers = this.containers();
    const checks = this.found.map((found): Check => {
      const { container, path } = filePlace(found.location);
      const files = containers.get(container) ?? new FilesByPath<KnownFile>();
      const { entries } = found.manifest;
      const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
      return { found, files, resolved: resolveManifest(entries, files, folder, found.above) };
    });
    await this.hashAgain(checks, onProgress);
    const listed = new Map<number, ListedHash[]>();
    const note = (id: number, one: ListedHash): void => {
      listed.set(id, [...(listed.get(id) ?? []), one]);
    };
    const met = new Set(checks.flatMap(({ found, resolved }) => filesOf(found, resolved)));
    // A manifest does not list itself.
    const manifestKeys = new Set(this.found.map(({ location }) => keyOf(location)));
    this.reports = checks.map((check) => {
      const unlisted = unlistedFiles(check, met).filter(
        ({ location }) => !manifestKeys.has(keyOf(location)),
      );
      for (const { sourceId } of unlisted)
        note(sourceId!, { manifest: check.found.name, state: 'unlisted' });
      return reportOf(check, unlisted, note);
    });
    this.keep(listed);
  }

  /** All known files, by the file system or archive that they are in. */
  private containers(): Map<string, FilesByPath<KnownFile>> {
    const out = new Map<string, FilesByPath<KnownFile>>();
    const put = (file: KnownFile): void => {
      const { container, path } = filePlace(file.location);
      const files = out.get(container) ?? new FilesByPath<KnownFile>();
      out.set(container, files);
      files.set(path, file);
    };
    const ofArchive = (path: string, members: readonly string[]): void => {
      const { sha256 } = members.length === 0 ? (this.archives.get(path) ?? {}) : {};
      const reason =
        members.length === 0
          ? undefined
          : 'it is an archive inside an archive: only its members are hashed';
      put({
        name: named(path, members),
        location: { path, members },
        sourceId: undefined,
        sha256,
        reason,
      });
    };
    const sources = this.context.writer.catalog.sources.all();
    const seen = new Set<string>();
    for (const source of sources) {
      const location = locationOf(source);
      const archive = archiveOf(source);
      if (archive !== undefined && !this.archives.has(location.path))
        this.archives.set(location.path, archive);
      for (let depth = location.members.length - 1; depth >= 0; depth--) {
        const members = location.members.slice(0, depth);
        const key = keyOf({ path: location.path, members });
        if (seen.has(key)) continue;
        seen.add(key);
        ofArchive(location.path, members);
      }
    }
    for (const source of sources) {
      const isWhole = source.broken === undefined && source.error === undefined;
      put({
        ...{ name: source.name, location: locationOf(source), sourceId: source.id },
        sha256: isWhole && source.status === 'complete' ? source.rawSha256 : undefined,
        reason: undefined,
      });
    }
    for (const file of this.duplicates) put(file);
    for (const file of this.notRead) put(file);
    return out;
  }

  /** Reads files again whose listed hash uses another algorithm. */
  private async hashAgain(
    checks: readonly Check[],
    onProgress: (name: string) => void,
  ): Promise<void> {
    const wanted = new Map<KnownFile, Set<string>>();
    for (const { found, resolved } of checks)
      for (const entry of found.manifest.entries) {
        const file = resolved.fileOf(entry);
        const isKnown = entry.hash === '' || file?.reason !== undefined;
        if (file === undefined || isKnown || hasHash(file, entry)) continue;
        wanted.set(file, (wanted.get(file) ?? new Set([AGAIN])).add(entry.algorithm));
      }
    if (wanted.size === 0) return;
    const { request, writer } = this.context;
    const limits = new Map(request.items.map((item) => [item.path, item.limits]));
    const hasher = new FileHasher(this.context, this.cancel);
    try {
      for (const [path, files] of Map.groupBy(wanted.keys(), ({ location }) => location.path)) {
        onProgress(files[0]!.name);
        const hashed = await hasher.hash({
          ...{ path, staging: writer.staging, cancel: this.cancel },
          limits: limits.get(path) ?? {},
          files: files.map((file) => ({
            members: file.location.members,
            algorithms: [...wanted.get(file)!],
          })),
        });
        const byMembers = new Map(hashed.map((one) => [JSON.stringify(one.members), one]));
        for (const file of files) {
          const again = byMembers.get(JSON.stringify(file.location.members));
          if (again !== undefined) file.again = again;
        }
      }
    } finally {
      hasher.close();
    }
  }

  private keep(listed: ReadonlyMap<number, readonly ListedHash[]>): void {
    const { writer, importId, sources } = this.context;
    const names = new Set(this.found.map(({ name }) => name));
    this.context.transact(() => {
      for (const [id, found] of listed) {
        const row = sources.get(id) ?? writer.catalog.sources.get(id);
        if (row === undefined) continue;
        const isListed = found.some(({ state }) => state !== 'unlisted');
        const before = row.listedHashes.filter(
          ({ manifest, state }) => !names.has(manifest) && !(isListed && state === 'unlisted'),
        );
        const wasListed = before.some(({ state }) => state !== 'unlisted');
        const added = wasListed ? found.filter(({ state }) => state !== 'unlisted') : found;
        row.listedHashes = [...before, ...added];
        writer.catalog.sources.update(row);
      }
      for (const report of this.reports) writer.catalog.manifests.add(importId, report);
    });
  }
}

/** A worker that hashes files, one archive or file after the other. */
class FileHasher {
  private readonly worker: ReturnType<ImportContext['request']['startWorker']>;
  private reply = Promise.withResolvers<FileHashes[]>();
  private isFailed = false;
  private readonly stop: () => void;
  private readonly context: ImportContext;

  constructor(context: ImportContext, cancel: SharedArrayBuffer) {
    this.context = context;
    this.worker = context.request.startWorker();
    const fail = (error: Error): void => {
      this.isFailed = true;
      this.reply.reject(error);
    };
    this.stop = () => {
      Atomics.store(new Int32Array(cancel), 0, 1);
      fail(new CancelledError());
    };
    this.worker.onExit((error) =>
      fail(error ?? new DaybookError('internal', 'a worker ended unexpectedly')),
    );
    this.worker.onMessage((message) => {
      if (message.type === 'hashed') this.reply.resolve(message.files);
      if (message.type === 'error')
        fail(new DaybookError('internal', `${message.name}: ${message.message}`, message.hint));
    });
    // Callers that wait for a reply get the failure.
    this.reply.promise.catch(() => undefined);
    context.request.signal?.addEventListener('abort', this.stop);
    if (context.request.signal?.aborted === true) this.stop();
  }

  async hash(request: HashRequest): Promise<FileHashes[]> {
    if (!this.isFailed) {
      this.reply = Promise.withResolvers<FileHashes[]>();
      this.worker.post({ type: 'hash', request });
    }
    return this.reply.promise;
  }

  close(): void {
    this.context.request.signal?.removeEventListener('abort', this.stop);
    if (this.isFailed) this.worker.stop();
    else this.worker.release();
  }
}

function hasHash({ sha256 }: KnownFile, { algorithm }: ManifestEntry): boolean {
  return sha256 !== undefined && algorithm === 'sha256';
}

function filesOf({ manifest }: Found, { fileOf }: Resolved<KnownFile>): KnownFile[] {
  return manifest.entries.flatMap((entry) => fileOf(entry) ?? []);
}

/** Sources in or below the folder of a manifest that no manifest lists; none for a manifest of a single file. */
function unlistedFiles(
  { found, resolved, files }: Check,
  met: ReadonlySet<KnownFile>,
): KnownFile[] {
  const isSidecar = found.manifest.entries.length === 1;
  if (isSidecar || filesOf(found, resolved).length === 0) return [];
  return files
    .below(resolved.folder)
    .filter((file) => file.sourceId !== undefined && !met.has(file));
}

function reportOf(
  { found, resolved }: Check,
  unlisted: readonly KnownFile[],
  note: (id: number, one: ListedHash) => void,
): ManifestReport {
  const { name, location, manifest } = found;
  const differ: ManifestReport['differ']['first'] = [];
  const missing: ManifestReport['missing']['first'] = [];
  const notCompared: ManifestReport['notCompared']['first'] = [];
  let agree = 0;
  for (const entry of manifest.entries) {
    const { line, path } = entry;
    const file = resolved.fileOf(entry);
    if (file === undefined) {
      missing.push({ file: path, line });
      continue;
    }
    const verdict = compare(file, entry);
    if (file.sourceId !== undefined) note(file.sourceId, { manifest: name, ...verdict });
    if (verdict.state === 'agrees') agree += 1;
    else if (verdict.state === 'differs')
      differ.push({
        ...{ file: file.name, line, algorithm: entry.algorithm, listed: entry.hash },
        actual: verdict.actual ?? '',
      });
    else notCompared.push({ file: file.name, line, reason: verdict.reason ?? '' });
  }
  return {
    ...{ manifest: name, path: location.path, members: [...location.members] },
    ...{ sha256: manifest.sha256, format: manifest.format },
    ...{ listed: manifest.entries.length, agree },
    differ: first(differ, MOST_DIFFERING),
    missing: first(missing),
    notCompared: first(notCompared),
    unlisted: first(unlisted.map((file) => file.name)),
    problems: first(manifest.problems),
  };
}

function compare(file: KnownFile, { line, algorithm, hash: listed }: ManifestEntry): Verdict {
  const entry = { line, algorithm, ...(listed === '' ? {} : { listed }) };
  const not = (reason: string): Verdict => ({ ...entry, state: 'not-compared', reason });
  if (file.reason !== undefined) return not(file.reason);
  if (listed === '') return not('the manifest has no hash for it');
  let actual = algorithm === 'sha256' ? file.sha256 : undefined;
  if (actual === undefined) {
    const { hashes, reason = 'it was not read again' } = file.again ?? {};
    if (hashes === undefined) return not(reason);
    if (file.sha256 !== undefined && hashes[AGAIN] !== file.sha256)
      return not('its bytes have changed since it was read');
    actual = hashes[algorithm];
  }
  if (actual === undefined) return not(`its ${algorithm} was not computed`);
  return { ...entry, state: actual === listed ? 'agrees' : 'differs', actual };
}

function first<T>(all: readonly T[], most = MOST_KEPT): { count: number; first: T[] } {
  return { count: all.length, first: all.slice(0, most) };
}

function keyOf({ path, members }: SourceLocation): string {
  return JSON.stringify([path, ...members]);
}

function named(path: string, members: readonly string[]): string {
  return [path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1), ...members].join(
    '!',
  );
}

/** A manifest in the audit log: counts, and each file that differs (the first of very many). */
export function auditedManifest(report: ManifestReport): Record<string, unknown> {
  const { manifest, sha256, listed, agree, differ, missing, notCompared, unlisted, problems } =
    report;
  return {
    ...{ manifest, sha256, listed, agree, differ: differ.count, missing: missing.count },
    ...{ notCompared: notCompared.count, unlisted: unlisted.count, problems: problems.count },
    ...(differ.count === 0 ? {} : { differing: differ.first.slice(0, MOST_KEPT) }),
  };
}
