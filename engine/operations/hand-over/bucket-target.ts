/**
 * A hand-over in a bucket while it is made. Each file is made in a spill folder, uploaded whole, and removed here;
 * the hash of its input is stored with it, so that a run after an interruption uploads only what is missing.
 *
 * Invariants, as far as the server supports conditional writes: a place without the mark of an unfinished run
 * matches its manifest, whatever other runs did there; an object that this run does not know about is never
 * overwritten.
 */
import { hash } from 'node:crypto';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeSpillFolder, removeLeftSpill, type SpillFolder } from '../../catalog/index.ts';
import { counted } from '../../contract/words/counted.ts';
import { DaybookError } from '../../contract/errors.ts';
import {
  HANDED_OVER_PATH,
  handedOverFile,
  handOverManifest,
  MANIFEST,
  type HandedOverFile,
  type HandOverManifest,
} from '../../contract/hand-over.ts';
import type { CaseSession } from '../../search/index.ts';
import { accessError, diskError } from '../../util/files/files.ts';
import type { Bucket, BucketObject, Condition } from './bucket.ts';
import { BucketMark, findMark, UNFINISHED } from './bucket-mark.ts';
import {
  describeFile,
  type HandOverTarget,
  type Made,
  manifestText,
  parsed,
  refuseForeign,
  refuseStrangePath,
} from './target.ts';

/** Number of concurrent requests. */
const AT_ONCE = 16;
const UNCONDITIONAL =
  'its server does not support conditional puts: two hand-overs to it at once may not notice each other, so run one at a time';

/** A place whose mark is this run's. */
interface TakenPlace {
  readonly mark: BucketMark;
  /** State of the manifest's key before it is put. */
  readonly manifest: Condition;
  readonly before: ReadonlyMap<string, BucketObject>;
}

export class BucketTarget implements HandOverTarget {
  readonly path: string;
  readonly work: string;
  readonly known: Map<string, HandedOverFile>;
  private readonly spill: SpillFolder;
  private readonly bucket: Bucket;
  private readonly mark: BucketMark;
  private readonly manifest: Condition;
  /** Objects at the beginning of this run. */
  private readonly before: ReadonlyMap<string, BucketObject>;
  /** Paths of existing files. */
  private readonly there: Set<string>;
  private readonly etags: Map<string, string | undefined>;
  private readonly written = new Set<string>();
  /** Contents of files that are known to be there. */
  private readonly held: Map<string, Content>;
  /** Number of files that were uploaded again, by what they contained. */
  private readonly again = { other: 0, unknown: 0 };

  private constructor(
    bucket: Bucket,
    { mark, manifest, before }: TakenPlace,
    { known, held, etags }: KnownFiles,
    spill: SpillFolder,
  ) {
    this.bucket = bucket;
    this.path = bucket.name;
    this.mark = mark;
    this.manifest = manifest;
    this.before = before;
    this.there = new Set(before.keys());
    this.etags = etags;
    this.known = known;
    this.held = held;
    this.spill = spill;
    this.work = spill.path;
  }

  /** @throws DaybookError usage for a place that contains anything else; not-found, unreadable, cancelled */
  static async open(bucket: Bucket, session: CaseSession, caseId: string): Promise<BucketTarget> {
    const mark = await findMark(bucket);
    const found = await bucket.json(MANIFEST);
    const manifest = handOverManifest.safeParse(found?.value).data;
    const owner = mark?.case ?? manifest?.case.id;
    if (owner !== caseId)
      refuseForeign(bucket.name, [...(await objectsIn(bucket)).keys()], owner, caseId);
    const spill = workFolder(session);
    try {
      const place = {
        mark: await BucketMark.take(bucket, caseId, mark),
        manifest: found ?? ('absent' as const),
        // After the mark: what another run writes from here on is noticed at the end.
        before: await objectsIn(bucket),
      };
      const files = await knownFiles(bucket, [...place.before.keys()], manifest);
      return new BucketTarget(bucket, place, files, spill);
    } catch (error) {
      spill.release();
      throw error;
    }
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
    // Checked while the file is made.
    const checked = this.mark.check();
    checked.catch(() => undefined);
    try {
      const made = await make(partial);
      const file = await describeFile(partial, path, from, made);
      const { bytes, sha256 } = file;
      await checked;
      const { etag, wasThere } = await this.bucket.putFile(path, partial, {
        ...{ bytes, sha256, note: JSON.stringify(file) },
        condition: this.condition(this.there.has(path) ? { etag: this.etags.get(path) } : 'absent'),
      });
      if (!wasThere) this.mark.wrote();
      const held = this.held.get(path) ?? 'whole';
      if (held !== 'whole' && this.known.get(path)?.from === from) this.again[held] += 1;
      this.there.add(path);
      this.etags.set(path, etag);
      this.written.add(path);
      this.held.set(path, 'whole');
      this.known.set(path, file);
      return file;
    } catch (error) {
      throw diskError(error) ?? accessError(error) ?? error;
    } finally {
      rmSync(partial, { force: true });
      await Promise.allSettled([checked]);
    }
  }

  async finish(manifest: HandOverManifest): Promise<{ sha256: string; removed: number }> {
    const { bucket, there, etags } = this;
    // First: if another run has taken over, files differ, and the place may have to be marked again.
    await this.mark.check();
    await this.refuseChanges();
    await this.mark.check();
    const written = manifestText(manifest);
    await bucket.put(MANIFEST, written, this.condition(this.manifest));
    this.mark.wrote();
    const wanted = new Set(manifest.files.map(({ path }) => path));
    const leaving = [...this.known.keys()].filter((path) => there.has(path) && !wanted.has(path));
    for (const path of leaving)
      await bucket.remove(path, this.mark.isConditional ? etags.get(path) : undefined);
    await this.mark.release();
    return { sha256: hash('sha256', written), removed: leaving.length };
  }

  private condition(condition: Condition): Condition {
    return this.mark.isConditional ? condition : undefined;
  }

  /** @throws DaybookError case-locked if a file that this run did not write has changed since it began */
  private async refuseChanges(): Promise<void> {
    const now = await objectsIn(this.bucket);
    for (const path of new Set([...this.before.keys(), ...now.keys()])) {
      if (this.written.has(path) || !(HANDED_OVER_PATH.test(path) || path === MANIFEST)) continue;
      const [was, is] = [this.before.get(path), now.get(path)];
      if (was?.etag === is?.etag && was?.bytes === is?.bytes) continue;
      throw new DaybookError(
        'case-locked',
        `${path} in ${this.path} was changed by somebody else while the case was handed over`,
        'make sure that nobody else writes there, and run it again',
      );
    }
  }

  notes(): string[] {
    const { other, unknown } = this.again;
    const notes: string[] = [];
    if (other > 0) notes.push(`${counted(other, 'object')} that held something else`);
    if (unknown > 0) notes.push(`${counted(unknown, 'object')} without a SHA-256 to compare`);
    return [
      ...notes.map((note) => `${this.path}: put again: ${note}`),
      ...(this.mark.isConditional ? [] : [`${this.path}: ${UNCONDITIONAL}`]),
    ];
  }

  strangers(known: ReadonlySet<string>): Promise<string[]> {
    const others = [...this.there].filter(
      (path) =>
        !known.has(path) && !this.known.has(path) && path !== MANIFEST && path !== UNFINISHED,
    );
    return Promise.resolve(others);
  }

  close(): void {
    this.spill.release();
  }
}

/** Where files are made before upload: in the case, where the next run removes what a killed one left. */
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

/** The manifest of a hand-over in a bucket; undefined if there is no readable one. */
export async function manifestIn(bucket: Bucket): Promise<HandOverManifest | undefined> {
  return handOverManifest.safeParse((await bucket.json(MANIFEST))?.value).data;
}

async function objectsIn(bucket: Bucket): Promise<Map<string, BucketObject>> {
  return new Map((await bucket.list()).map((one) => [one.path, one]));
}

/** Whether a file contains what was written; `unknown`: its object has no checksum. */
type Content = 'whole' | 'other' | 'unknown';

interface KnownFiles {
  /** Descriptions of files, by their paths. */
  readonly known: Map<string, HandedOverFile>;
  readonly held: Map<string, Content>;
  /** Of all objects in the places of a hand-over's files. */
  readonly etags: Map<string, string | undefined>;
}

/**
 * Existing files of a hand-over: the hash of each one's input is stored with its object, or in the manifest, and
 * its content is compared by the server's checksum.
 */
async function knownFiles(
  bucket: Bucket,
  there: readonly string[],
  manifest: HandOverManifest | undefined,
): Promise<KnownFiles> {
  const named = new Map(manifest?.files.map((file) => [file.path, file]));
  const paths = there.filter((path) => HANDED_OVER_PATH.test(path));
  const out: KnownFiles = { known: new Map(), held: new Map(), etags: new Map() };
  for (let at = 0; at < paths.length; at += AT_ONCE) {
    const portion = paths.slice(at, at + AT_ONCE);
    const heads = await Promise.all(portion.map((path) => bucket.head(path)));
    for (const [i, head] of heads.entries()) {
      const path = portion[i]!;
      const note = handedOverFile.safeParse(
        head?.note === undefined ? undefined : parsed(head.note),
      ).data;
      // A note that names another path was copied here with its object.
      const file = note?.path === path ? note : named.get(path);
      if (head !== undefined) out.etags.set(path, head.etag);
      if (head === undefined || file === undefined) continue;
      out.known.set(path, file);
      if (head.sha256 === undefined) out.held.set(path, 'unknown');
      else out.held.set(path, head.sha256 === file.sha256 ? 'whole' : 'other');
    }
  }
  return out;
}
