/**
 * The right to change a case: the writer's lock, recovery after a crash, and the commit of new segments. A crash
 * can only leave files that no catalog row names; they are removed here, unless catalog rows were tampered with:
 * those might have named the files.
 */
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  readdirSync,
  statSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import {
  checkCaseFolder,
  listCaseFolder,
  makeCaseFolder,
  openCaseFile,
  removeFromCase,
  QUARANTINE_END,
  quarantineFile,
} from '../../util/files/case-files.ts';
import { accessError, diskError, makeFolder, writeAll } from '../../util/files/files.ts';
import type { IdleSlot } from '../../util/idle-slot.ts';
import { Catalog } from '../../catalog/catalog.ts';
import { removeSpillFolder, SPILL_FOLDER } from '../../catalog/spill-folder.ts';
import { RECOVERY, WriterLock } from '../../catalog/writer-lock.ts';
import { DaybookError } from '../../contract/errors.ts';
import { SegmentBuilder, type BuilderOptions } from '../../store/segment-builder.ts';
import { caseContents, isStaged, refuseLinks, MAINTENANCE_FOLDER } from './case-contents.ts';
import { SegmentRewriter } from './segment-rewriter.ts';
import { placeSideFile, SegmentPlaces } from './segment-places.ts';

interface Recovery {
  orphans: string[];
  interruptedImports: number[];
}

export interface WriterOptions extends BuilderOptions {
  /** Hands an open catalog from one writer of a case to the next; otherwise each writer opens its own. */
  catalogs?: IdleSlot<Catalog> | undefined;
  /** Folders below `staging` in which this process does maintenance; a writer does not remove them. */
  inUse?: ReadonlySet<string> | undefined;
}

export class CaseWriter extends SegmentRewriter {
  readonly recovery: Recovery;
  readonly places: SegmentPlaces;
  private readonly lock: WriterLock;
  private readonly options: WriterOptions;

  private constructor(
    folder: string,
    catalog: Catalog,
    builder: SegmentBuilder,
    lock: WriterLock,
    recovery: Recovery,
    options: WriterOptions,
  ) {
    super(folder, join(folder, 'staging'), catalog, builder);
    this.lock = lock;
    this.options = options;
    this.recovery = recovery;
    this.places = new SegmentPlaces(folder, catalog.segments.lastId());
  }

  /**
   * Opens the case in `folder` for writing.
   * @param create create the case if there is none (the folder may exist if it is empty)
   * @throws DaybookError not-a-case, case-locked, case-too-new, case-damaged
   */
  static async open(
    folder: string,
    operation: string,
    builder: WriterOptions,
    create = false,
  ): Promise<CaseWriter> {
    try {
      return await CaseWriter.openAt(resolve(folder), operation, builder, create);
    } catch (error) {
      throw diskError(error) ?? accessError(error) ?? error;
    }
  }

  private static async openAt(
    root: string,
    operation: string,
    builder: WriterOptions,
    create: boolean,
  ): Promise<CaseWriter> {
    if (!Catalog.exists(root)) prepareFolder(root, create);
    checkCaseFolder(root);
    if (operation !== RECOVERY) await WriterLock.whenRecovered(root);
    const lock = WriterLock.take(root, operation);
    try {
      const catalog = keptCatalog(root, builder.catalogs) ?? Catalog.open(root, { create });
      try {
        catalog.refuseDamageToFiles();
        for (const name of ['days', 'quarantine', 'staging']) makeCaseFolder(root, name);
        const recovery = recover(root, catalog, builder.inUse);
        const segments = await SegmentBuilder.create(
          join(root, 'staging'),
          [join(root, 'days')],
          builder,
        );
        return new CaseWriter(root, catalog, segments, lock, recovery, builder);
      } catch (error) {
        catalog.close();
        throw error;
      }
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /** @param sound whether the work for which the case was opened was completed */
  close(sound = false): void {
    const { catalogs, inUse } = this.options;
    try {
      this.builder.close(sound);
      clearStaging(this.folder, inUse);
    } finally {
      if (sound && catalogs !== undefined) catalogs.keep(this.catalog, this.folder);
      else this.catalog.close();
      this.lock.release();
    }
  }

  /** Makes missing side files; returns their number. */
  async indexMissing(): Promise<number> {
    let made = 0;
    for await (const { segment, index } of this.missingIndexes()) {
      placeSideFile(this.folder, segment, index);
      this.catalog.segments.setSideFile(segment.id, { bytes: index.bytes, sha256: index.sha256 });
      made += 1;
    }
    return made;
  }

  /** Appends to an import's quarantine file and makes it durable; returns its new size. */
  appendQuarantine(importId: number, size: number, bytes: Uint8Array): number {
    if (bytes.length === 0) return size;
    const { O_WRONLY, O_CREAT, O_APPEND } = constants;
    const fd = openCaseFile(this.folder, quarantineFile(importId), O_WRONLY | O_CREAT | O_APPEND);
    try {
      // Earlier content belongs to an import that the catalog lost in a power failure.
      if (size === 0) ftruncateSync(fd);
      writeAll(fd, bytes);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    return size + bytes.length;
  }
}

/** The cached catalog of the case in `folder`, if it is still current. */
function keptCatalog(folder: string, catalogs: IdleSlot<Catalog> | undefined): Catalog | undefined {
  const kept = catalogs?.take(folder);
  try {
    if (kept === undefined || kept.isCurrent()) return kept;
  } catch {
    // Opening it again reports the problem.
  }
  kept?.close();
  return undefined;
}

function prepareFolder(folder: string, create: boolean): void {
  if (!create) {
    throw new DaybookError(
      'not-a-case',
      `${folder} is not a Daybook case`,
      `create one with: daybook import ${folder} EVIDENCE`,
    );
  }
  if (existsSync(folder)) {
    if (!statSync(folder).isDirectory()) {
      throw new DaybookError(
        'not-a-case',
        `${folder} is a file, not a case folder`,
        'name a folder that does not exist yet, such as NAME.daybook',
      );
    }
    const found = readdirSync(folder).filter(
      (name) => name !== 'writer.lock' && name !== 'writer.lock-journal',
    );
    if (found.length > 0) {
      throw new DaybookError(
        'not-a-case',
        `${folder} holds other files (${found.slice(0, 3).join(', ')}) and is not a Daybook case`,
        'name a folder that does not exist yet, such as NAME.daybook',
      );
    }
  }
  makeFolder(folder, 0o700);
  // An empty folder that existed before becomes as private as a new one.
  if (statSync(folder).uid === process.getuid?.()) chmodSync(folder, 0o700);
}

/** Removes what imports and readers left in the staging folder, except spill folders in use; other files stay. */
function clearStaging(folder: string, inUse: ReadonlySet<string> | undefined): void {
  for (const entry of listCaseFolder(folder, 'staging')) {
    const { name } = entry;
    if (!isStaged(entry) || inUse?.has(join(folder, 'staging', name)) === true) continue;
    try {
      if (name.startsWith(SPILL_FOLDER)) removeSpillFolder(folder, name);
      else removeFromCase(folder, `staging/${name}`);
    } catch (error) {
      // Another process is making files in it right now; that process, or the next writer, removes it.
      if (!name.startsWith(MAINTENANCE_FOLDER)) throw error;
    }
  }
}

function recover(
  folder: string,
  catalog: Catalog,
  inUse: ReadonlySet<string> | undefined,
): Recovery {
  const contents = caseContents(folder, catalog);
  refuseLinks(folder, contents);
  clearStaging(folder, inUse);
  const { orphans } = contents;
  for (const file of orphans) removeFromCase(folder, file);
  const interruptedImports = catalog.imports.running();
  if (interruptedImports.length + orphans.length > 0)
    catalog.transaction(() => {
      for (const id of interruptedImports) catalog.imports.finish(id, 'interrupted');
      catalog.audit.add('recover', { interruptedImports, removedFiles: orphans });
    });
  for (const { name } of listCaseFolder(folder, 'quarantine')) {
    const id = Number(name.slice(0, -QUARANTINE_END.length));
    // Not a quarantine file of an import.
    if (quarantineFile(id) !== `quarantine/${name}`) continue;
    const committed = catalog.imports.quarantineBytes(id);
    if (committed !== undefined) cutFile(folder, quarantineFile(id), committed);
  }
  return { orphans, interruptedImports };
}

function cutFile(folder: string, file: string, size: number): void {
  const fd = openCaseFile(folder, file, constants.O_RDWR);
  try {
    if (fstatSync(fd).size > size) ftruncateSync(fd, size);
  } finally {
    closeSync(fd);
  }
}
