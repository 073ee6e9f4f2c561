/**
 * The right to change a case: the writer's lock, recovery after a crash, and the commit of new
 * segments. What a crash can leave is only ever files that no catalog row names; they are removed here.
 */
import {
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  closeSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { accessError, diskError, syncFolder } from '../base/files.ts';
import { Catalog, type SegmentRow } from '../catalog/catalog.ts';
import { WriterLock } from '../catalog/writer-lock.ts';
import { DaybookError } from '../contract/errors.ts';
import type { Kind } from '../contract/event.ts';
import { sideFilePath } from '../index/side-file.ts';
import type { BuiltIndex } from './index-protocol.ts';
import { indexSegment } from './index-segment.ts';
import {
  SegmentBuilder,
  type BuilderOptions,
  type BuiltSegment,
} from '../store/segment-builder.ts';

/** Segments with fewer rows are scanned as quickly as they are looked up; DAYBOOK_INDEX_ROWS for tests. */
export function indexRows(): number {
  return Number(process.env['DAYBOOK_INDEX_ROWS'] ?? 2000);
}

export interface Recovery {
  orphans: string[];
  interruptedImports: number[];
}

export class CaseWriter {
  readonly folder: string;
  readonly catalog: Catalog;
  readonly builder: SegmentBuilder;
  readonly recovery: Recovery;
  private readonly lock: WriterLock;
  private lastSegment: number;
  private readonly unsettled = new Set<string>();

  private constructor(
    folder: string,
    catalog: Catalog,
    builder: SegmentBuilder,
    lock: WriterLock,
    recovery: Recovery,
  ) {
    this.folder = folder;
    this.catalog = catalog;
    this.builder = builder;
    this.lock = lock;
    this.recovery = recovery;
    this.lastSegment = catalog.lastSegmentId();
  }

  /**
   * Opens the case in `folder` for writing.
   * @param create make the case when there is none (the folder may exist if it is empty)
   * @throws DaybookError not-a-case, case-locked, case-too-new, case-damaged
   */
  static async open(
    folder: string,
    what: string,
    builder: BuilderOptions,
    create = false,
  ): Promise<CaseWriter> {
    try {
      return await CaseWriter.openAt(resolve(folder), what, builder, create);
    } catch (error) {
      throw diskError(error) ?? accessError(error) ?? error;
    }
  }

  private static async openAt(
    root: string,
    what: string,
    builder: BuilderOptions,
    create: boolean,
  ): Promise<CaseWriter> {
    if (!Catalog.exists(root)) prepareFolder(root, create);
    const lock = WriterLock.take(root, what);
    try {
      const catalog = Catalog.open(root, { create });
      try {
        for (const name of ['days', 'quarantine', 'staging'])
          mkdirSync(join(root, name), { recursive: true });
        const recovery = recover(root, catalog);
        const segments = await SegmentBuilder.create(
          join(root, 'staging'),
          [join(root, 'days')],
          builder,
        );
        return new CaseWriter(root, catalog, segments, lock, recovery);
      } catch (error) {
        catalog.close();
        throw error;
      }
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  get staging(): string {
    return join(this.folder, 'staging');
  }

  /** @param sound what the case was opened for was done */
  close(sound = false): void {
    this.builder.close(sound);
    clearFolder(this.staging);
    this.catalog.close();
    this.lock.release();
  }

  /**
   * Moves a built segment to its place. It counts only once a catalog row names it, and `settle` must
   * come before that.
   */
  place(
    built: BuiltSegment,
    day: string,
    kind: Kind,
    unflowedPackets: number,
    importId: number | undefined,
    index?: BuiltIndex,
  ): SegmentRow {
    this.lastSegment += 1;
    const id = this.lastSegment;
    const file = `days/${day}/${id.toString(16).padStart(8, '0')}.duckdb`;
    const folder = join(this.folder, 'days', day);
    if (!existsSync(folder)) {
      mkdirSync(folder);
      this.unsettled.add(join(this.folder, 'days'));
    }
    renameSync(built.path, join(this.folder, file));
    if (index !== undefined) renameSync(index.path, sideFilePath(join(this.folder, file)));
    this.unsettled.add(folder);
    return {
      id,
      day,
      kind,
      file,
      rows: built.rows,
      minTs: built.minTs,
      maxTs: built.maxTs,
      bytes: built.bytes,
      sha256: built.sha256,
      columns: built.columns,
      sources: built.sources,
      shapes: built.shapes,
      unflowedPackets,
      importId,
      index: index && { bytes: index.bytes, sha256: index.sha256 },
    };
  }

  /** Makes durable what was placed. */
  settle(): void {
    for (const folder of this.unsettled) syncFolder(folder);
    this.unsettled.clear();
  }

  /** Makes a segment readable by the builder; returns the name of its database there. */
  async attach(segment: SegmentRow): Promise<string> {
    const name = `seg_${segment.id}`;
    await this.builder.attach(name, join(this.folder, segment.file));
    return name;
  }

  /**
   * Removes the file of a segment that the catalog no longer names. A reader in another process may
   * still have it open: where the system then refuses, the next recovery removes it.
   */
  discard(segment: SegmentRow): void {
    rmSync(join(this.folder, segment.file), { force: true });
    rmSync(sideFilePath(join(this.folder, segment.file)), { force: true });
  }

  /**
   * Makes the side file of a segment that was just built, in the staging folder; undefined for one that
   * is scanned as quickly.
   */
  async indexOf(built: BuiltSegment, kind: Kind): Promise<BuiltIndex | undefined> {
    if (built.rows < indexRows()) return undefined;
    const { path: file, columns } = built;
    return indexSegment(this.builder, { file, kind, columns }, `${file}.idx`);
  }

  /** Makes the side files that are missing; returns how many. */
  async indexMissing(): Promise<number> {
    let made = 0;
    for (const segment of this.catalog.segments()) {
      const file = join(this.folder, segment.file);
      if (segment.index !== undefined || segment.rows < indexRows() || !existsSync(file)) continue;
      const path = join(this.staging, `index-${segment.id}.idx`);
      const { kind, columns } = segment;
      const index = await indexSegment(this.builder, { file, kind, columns }, path).catch(
        (error: unknown) => {
          // Whoever reads it is told; the others are to have theirs.
          if (error instanceof DaybookError && error.code === 'case-damaged') return undefined;
          throw error;
        },
      );
      if (index === undefined) continue;
      renameSync(index.path, sideFilePath(file));
      this.catalog.setSideFile(segment.id, { bytes: index.bytes, sha256: index.sha256 });
      made += 1;
    }
    return made;
  }

  /** Appends to an import's quarantine file and makes it durable; returns its new size. */
  appendQuarantine(importId: number, size: number, bytes: Uint8Array): number {
    if (bytes.length === 0) return size;
    // What is there before the first bytes is of an import that the catalog lost with the system's power.
    const fd = openSync(quarantineFile(this.folder, importId), size === 0 ? 'w' : 'a');
    try {
      let at = 0;
      while (at < bytes.length) at += writeSync(fd, bytes, at);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    return size + bytes.length;
  }
}

export function quarantineFile(folder: string, importId: number): string {
  return join(folder, 'quarantine', `${importId}.ndjson`);
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
  mkdirSync(folder, { recursive: true });
}

function clearFolder(folder: string): void {
  for (const name of readdirSync(folder))
    rmSync(join(folder, name), { recursive: true, force: true });
}

function recover(folder: string, catalog: Catalog): Recovery {
  clearFolder(join(folder, 'staging'));
  const orphans = orphanFiles(folder, catalog);
  for (const file of orphans) rmSync(join(folder, file), { force: true });
  const interruptedImports: number[] = [];
  for (const run of catalog.imports()) {
    if (run.status === 'running') {
      catalog.finishImport(run.id, 'interrupted');
      interruptedImports.push(run.id);
    }
    const path = quarantineFile(folder, run.id);
    if (existsSync(path) && statSync(path).size > run.quarantineBytes)
      truncateSync(path, run.quarantineBytes);
  }
  return { orphans, interruptedImports };
}

/** Files below `days` that no catalog row names, relative to the case folder. */
export function orphanFiles(folder: string, catalog: Catalog): string[] {
  const named = new Set(
    catalog
      .segments()
      .flatMap(({ file, index }) => (index === undefined ? [file] : [file, sideFilePath(file)])),
  );
  const out: string[] = [];
  const days = join(folder, 'days');
  if (!existsSync(days)) return out;
  for (const day of readdirSync(days)) {
    for (const name of readdirSync(join(days, day))) {
      const file = `days/${day}/${name}`;
      if (!named.has(file)) out.push(file);
    }
  }
  return out;
}
