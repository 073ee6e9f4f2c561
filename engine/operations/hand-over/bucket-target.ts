/**
 * A hand-over in a bucket, while one is made. Each file is made in a spill folder, put whole, and removed here; what
 * it was made from is kept beside it, so that a run after an interruption puts only what is missing.
 *
 * Holds always: while a run is not finished, a mark says so (`UNFINISHED`); two runs at once are noticed by it before the
 * manifest is written.
 */
import { hash, randomUUID } from 'node:crypto';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { makeSpillFolder, removeLeftSpill, type SpillFolder } from '../../catalog/spill-folder.ts';
import { counted } from '../../contract/counted.ts';
import {
  HAND_OVER_FORMAT,
  HANDED_OVER_PATH,
  handedOverFile,
  handOverManifest,
  MANIFEST,
  type HandedOverFile,
  type HandOverManifest,
} from '../../contract/hand-over.ts';
import type { CaseSession } from '../../search/index.ts';
import { accessError, diskError } from '../../util/files.ts';
import type { Bucket } from './bucket.ts';
import {
  anotherWrites,
  describeFile,
  type HandOverTarget,
  type Made,
  manifestText,
  refuseForeign,
  refuseStrangePath,
} from './target.ts';

/** Says that a run is not finished, which, and of which case. */
export const UNFINISHED = '.hand-over.json';
/** Questions that are asked at once. */
const AT_ONCE = 16;

export class BucketTarget implements HandOverTarget {
  readonly path: string;
  readonly work: string;
  readonly known: Map<string, HandedOverFile>;
  private readonly spill: SpillFolder;
  private readonly bucket: Bucket;
  private readonly run = randomUUID();
  /** Paths of what is there. */
  private readonly there: Set<string>;
  /** What files that are known to be there hold. */
  private readonly held: Map<string, Content>;
  /** Files that were there and were put again, by what they held. */
  private readonly again = { other: 0, unknown: 0 };

  private constructor(
    bucket: Bucket,
    there: Set<string>,
    { known, held }: KnownFiles,
    spill: SpillFolder,
  ) {
    this.bucket = bucket;
    this.path = bucket.name;
    this.there = there;
    this.known = known;
    this.held = held;
    this.spill = spill;
    this.work = spill.path;
  }

  /** @throws DaybookError usage for a place that holds anything else; not-found, unreadable, cancelled */
  static async open(bucket: Bucket, session: CaseSession, caseId: string): Promise<BucketTarget> {
    const there = new Set((await bucket.list()).map(({ path }) => path));
    const manifest = await manifestIn(bucket);
    const mark = await markIn(bucket);
    refuseForeign(bucket.name, [...there], mark?.case ?? manifest?.case.id, caseId);
    const files = await knownFiles(bucket, there, manifest);
    const target = new BucketTarget(bucket, there, files, workFolder(session));
    try {
      const { run } = target;
      await bucket.put(UNFINISHED, JSON.stringify({ format: HAND_OVER_FORMAT, case: caseId, run }));
    } catch (error) {
      target.close();
      throw error;
    }
    return target;
  }

  has(path: string, from: string): boolean {
    return this.held.get(path) === 'whole' && this.known.get(path)?.from === from;
  }

  async put(
    path: string,
    from: string,
    make: (partial: string) => Promise<Made>,
  ): Promise<HandedOverFile> {
    refuseStrangePath(path);
    const partial = join(this.work, 'file');
    try {
      const made = await make(partial);
      const file = await describeFile(partial, path, from, made);
      const { bytes, sha256 } = file;
      await this.bucket.putFile(path, partial, { bytes, sha256, note: JSON.stringify(file) });
      const held = this.held.get(path) ?? 'whole';
      if (held !== 'whole' && this.known.get(path)?.from === from) this.again[held] += 1;
      this.there.add(path);
      this.held.set(path, 'whole');
      this.known.set(path, file);
      return file;
    } catch (error) {
      throw diskError(error) ?? accessError(error) ?? error;
    } finally {
      rmSync(partial, { force: true });
    }
  }

  async finish(manifest: HandOverManifest): Promise<{ sha256: string; removed: number }> {
    const { bucket, there } = this;
    if ((await markIn(bucket))?.run !== this.run) throw anotherWrites(this.path);
    const written = manifestText(manifest);
    await bucket.put(MANIFEST, written);
    const wanted = new Set(manifest.files.map(({ path }) => path));
    const leaving = [...this.known.keys()].filter((path) => there.has(path) && !wanted.has(path));
    for (const path of leaving) await bucket.remove(path);
    await bucket.remove(UNFINISHED);
    return { sha256: hash('sha256', written), removed: leaving.length };
  }

  notes(): string[] {
    const { other, unknown } = this.again;
    const notes: string[] = [];
    if (other > 0) notes.push(`${counted(other, 'object')} that held something else`);
    if (unknown > 0) notes.push(`${counted(unknown, 'object')} without a SHA-256 to compare`);
    return notes.map((note) => `${this.path}: put again: ${note}`);
  }

  strangers(own: ReadonlySet<string>): Promise<string[]> {
    const others = [...this.there].filter(
      (path) => !own.has(path) && !this.known.has(path) && path !== MANIFEST && path !== UNFINISHED,
    );
    return Promise.resolve(others);
  }

  close(): void {
    this.spill.release();
  }
}

/** Where files are made before they are put: in the case, from which the next run removes what a killed one left. */
function workFolder({ folder, catalog }: CaseSession): SpillFolder {
  if (catalog.readOnly) {
    const path = realpathSync(mkdtempSync(join(tmpdir(), 'daybook-hand-over-')));
    return { path, release: () => rmSync(path, { recursive: true, force: true }) };
  }
  try {
    removeLeftSpill(folder);
    const { path, release } = makeSpillFolder(folder);
    return { path: realpathSync(path), release };
  } catch (error) {
    throw diskError(error) ?? accessError(error) ?? error;
  }
}

/** The manifest of a hand-over in a bucket; undefined where there is none that can be read. */
export async function manifestIn(bucket: Bucket): Promise<HandOverManifest | undefined> {
  return handOverManifest.safeParse(await jsonIn(bucket, MANIFEST)).data;
}

async function markIn(bucket: Bucket): Promise<{ case: string; run: string } | undefined> {
  const mark = await jsonIn(bucket, UNFINISHED);
  if (typeof mark !== 'object' || mark === null) return undefined;
  if (!('format' in mark && mark.format === HAND_OVER_FORMAT)) return undefined;
  if (!('case' in mark && 'run' in mark)) return undefined;
  return { case: String(mark.case), run: String(mark.run) };
}

async function jsonIn(bucket: Bucket, path: string): Promise<unknown> {
  const stream = await bucket.read(path);
  return stream && parsed(await text(stream));
}

/** A document; undefined: it is none, so that we did not write it. */
function parsed(document: string): unknown {
  try {
    return JSON.parse(document) as unknown;
  } catch {
    return undefined;
  }
}

/** Whether a file is what was put; `unknown`: its object has no checksum. */
type Content = 'whole' | 'other' | 'unknown';

interface KnownFiles {
  /** Descriptions of files, by their paths. */
  readonly known: Map<string, HandedOverFile>;
  readonly held: Map<string, Content>;
}

/**
 * Files of a hand-over that are there: what each is made from is beside its object, or in the manifest, and what it holds is
 * compared by the checksum that the server has of it.
 */
async function knownFiles(
  bucket: Bucket,
  there: ReadonlySet<string>,
  manifest: HandOverManifest | undefined,
): Promise<KnownFiles> {
  const named = new Map(manifest?.files.map((file) => [file.path, file]));
  const paths = [...there].filter((path) => HANDED_OVER_PATH.test(path));
  const out: KnownFiles = { known: new Map(), held: new Map() };
  for (let at = 0; at < paths.length; at += AT_ONCE) {
    const some = paths.slice(at, at + AT_ONCE);
    const heads = await Promise.all(some.map((path) => bucket.head(path)));
    for (const [i, head] of heads.entries()) {
      const path = some[i]!;
      const note = handedOverFile.safeParse(
        head?.note === undefined ? undefined : parsed(head.note),
      ).data;
      // A note that names another path was copied here with its object.
      const file = note?.path === path ? note : named.get(path);
      if (head === undefined || file === undefined) continue;
      out.known.set(path, file);
      if (head.sha256 === undefined) out.held.set(path, 'unknown');
      else out.held.set(path, head.sha256 === file.sha256 ? 'whole' : 'other');
    }
  }
  return out;
}
