/**
 * An open case for reading: the catalog, the segment store and a snapshot of their state, renewed when another
 * process commits.
 */
import { join, resolve } from 'node:path';
import { accessError, diskError } from '../../util/files/files.ts';
import { Catalog } from '../../catalog/catalog.ts';
import type { OperationRow } from '../../catalog/tables/operations.ts';
import type { SegmentRow } from '../../catalog/tables/segments.ts';
import type { UnreadFile } from '../../catalog/tables/ledger.ts';
import type { SourceRow } from '../../catalog/tables/sources.ts';
import { makeSpillFolder, type SpillFolder } from '../../catalog/spill-folder.ts';
import { hasCode } from '../../contract/errors.ts';
import { RollupNodes } from '../../index/rollup/tree/rollup-nodes.ts';
import { IndexFiles } from '../../index/segment-indexes.ts';
import { openers } from '../../index/openers.ts';
import { TextCache, keptBytes } from '../../index/text/index.ts';
import type { Stopwatch } from '../../measure/operation-log.ts';
import type { MatchList } from '../../query/index.ts';
import { type StoreOptions, statementBytes } from '../../store/reading/duckdb-instance.ts';
import { once } from '../../util/once.ts';
import { boundGarbage } from '../../store/return-memory.ts';
import { SegmentStore } from '../../store/reading/segment-store.ts';
import { CaseLists } from '../lists/case-lists.ts';
import { FilterResultCache } from '../rows/filter-result-cache.ts';
import { ListColumnCache } from '../lists/list-column-cache.ts';
import { ReadTimes } from '../rows/read-times.ts';
import type { Snapshot } from './snapshot.ts';
import { StatementScheduler } from './statement-scheduler.ts';

export { statusOf } from '../../catalog/tables/sources.ts';
export type { SourceRow, UnreadFile };

/** The latency log is written after this time, or when MOST_UNWRITTEN entries are pending. */
const WRITE_MS = 1000;
const MOST_UNWRITTEN = 200;

export class CaseSession {
  readonly folder: string;
  readonly catalog: Catalog;
  readonly store: SegmentStore;
  readonly scheduler = new StatementScheduler();
  /** Cache for its side files. */
  readonly kept: TextCache;
  readonly indexes: IndexFiles;
  readonly nodes: RollupNodes;
  /** Cache of rows found for recent questions. */
  readonly found: FilterResultCache;
  readonly readTimes = new ReadTimes();
  readonly lists = new CaseLists();
  readonly numbers = new ListColumnCache();
  /** Memory limit of the process, in bytes. */
  readonly processMemory: number;
  /** The part of it that statements may use. */
  readonly memory: number;
  /** Set for operations that look for damage: they go on after damage of the catalog. */
  toleratesDamage = false;
  private version = -1;
  private current: Snapshot | undefined;
  /** By `segment/tag`: marks of this version that are loaded or being loaded. */
  private readonly loadedMarks = new Map<string, Promise<void>>();
  /** By segment: tags whose marks the store has, in any version. */
  private readonly storedMarks = new Map<number, Set<number>>();
  /** Entries of the latency log that are not yet written. */
  private readonly unwritten: OperationRow[] = [];
  private writing: NodeJS.Timeout | undefined;
  /** Operations of this session that the latency log does not have, and why the last of them is not in it. */
  unrecorded: { operations: number; reason: string } | undefined;

  private constructor(
    folder: string,
    catalog: Catalog,
    store: SegmentStore,
    { memoryLimit }: StoreOptions,
  ) {
    this.folder = folder;
    this.processMemory = memoryLimit;
    boundGarbage(memoryLimit);
    this.memory = statementBytes(memoryLimit);
    const bytes = keptBytes(memoryLimit);
    this.kept = new TextCache(bytes.read);
    this.indexes = new IndexFiles(openers(this.kept), folder);
    this.found = new FilterResultCache(new TextCache(bytes.found));
    this.catalog = catalog;
    this.store = store;
    this.nodes = new RollupNodes(folder);
  }

  /**
   * @throws DaybookError not-a-case, case-too-new, case-damaged
   */
  static open(folder: string, options: StoreOptions): CaseSession {
    const root = resolve(folder);
    return new CaseSession(
      root,
      Catalog.open(root),
      new SegmentStore(root, options, () => spillFolder(root)),
      options,
    );
  }

  /**
   * Opens a case for operations that look for damage. Symbolic links in place of its folders are not followed and
   * do not prevent opening.
   * @throws DaybookError not-a-case, case-too-new, case-damaged
   */
  static openDamaged(folder: string, options: StoreOptions): CaseSession {
    const root = resolve(folder);
    const store = new SegmentStore(root, options, () => spillFolder(root, true));
    const catalog = Catalog.open(root, { anyFolders: true });
    const session = new CaseSession(root, catalog, store, options);
    session.toleratesDamage = true;
    return session;
  }

  async close(): Promise<void> {
    await this.store.close();
    this.indexes.close();
    this.nodes.close();
    this.writeRecords();
    this.catalog.close();
  }

  /** @throws DaybookError case-damaged */
  snapshot(): Snapshot {
    const version = this.catalog.dataVersion();
    if (this.current !== undefined && version === this.version) return this.current;
    if (!this.toleratesDamage) this.catalog.refuseDamage();
    this.version = version;
    this.loadedMarks.clear();
    const marks = new Map<number, Set<number>>();
    for (const mark of this.catalog.marks.summary()) {
      const tags = marks.get(mark.segmentId) ?? new Set<number>();
      tags.add(mark.tagId);
      marks.set(mark.segmentId, tags);
    }
    this.current = {
      segments: this.catalog.segments.all(),
      sources: once(() => this.sources()),
      tags: this.catalog.marks.tags(),
      marks,
    };
    this.nodes.renew();
    this.indexes.keepOnly(
      new Set(this.current.segments.map(({ file }) => join(this.folder, file))),
    );
    return this.current;
  }

  /** Sources that came since the snapshot have their rows checked, too. @throws DaybookError case-damaged */
  private sources(): SourceRow[] {
    if (!this.toleratesDamage && this.catalog.dataVersion() !== this.version)
      this.catalog.refuseDamage();
    return this.catalog.sources.all();
  }

  /**
   * Prepares these segments for a statement, with the marks and lists that it names.
   * @param sql the statement; omitted: it may name marks
   * @param lists of its plan
   */
  async prepare(
    segments: readonly SegmentRow[],
    snapshot: Snapshot,
    sql = 'marks.',
    lists: readonly (MatchList | undefined)[] = [],
  ): Promise<void> {
    await this.store.keepOnly(new Set(snapshot.segments.map((segment) => segment.id)));
    await this.store.attach(segments);
    for (const list of sql.includes('lists.') ? lists : [])
      if (list !== undefined) await this.lists.load(list, this.store);
    if (!sql.includes('marks.')) return;
    for (const { id } of segments) {
      const tags = new Set([
        ...(snapshot.marks.get(id) ?? []),
        ...(this.storedMarks.get(id) ?? []),
      ]);
      for (const tag of tags) await this.loadMarks(id, tag);
    }
  }

  /** Waits for marks that another operation is loading instead of assuming that they are loaded. */
  private loadMarks(segment: number, tag: number): Promise<void> {
    const key = `${segment}/${tag}`;
    let loading = this.loadedMarks.get(key);
    if (loading === undefined) {
      if (!this.toleratesDamage) this.catalog.refuseDamagedMarks(segment, tag);
      loading = this.store.setMarks(segment, tag, this.catalog.marks.of(segment, tag));
      this.loadedMarks.set(key, loading);
      loading.catch(() => this.loadedMarks.delete(key));
      const stored = this.storedMarks.get(segment) ?? new Set();
      this.storedMarks.set(segment, stored.add(tag));
    }
    return loading;
  }

  /**
   * Records the cost of an operation. It is written a little later, together with others: a commit waits for the
   * disk, and callers would wait for it. What cannot be written is counted in `unrecorded`.
   */
  record(watch: Stopwatch, status: string, text?: string): void {
    this.unwritten.push(watch.measured(status, text));
    if (this.unwritten.length >= MOST_UNWRITTEN) this.writeRecords();
    this.writing ??= setTimeout(() => this.writeRecords(), WRITE_MS).unref();
  }

  /** Writes the recorded costs now, for callers that read them in the catalog. */
  writeRecords(): void {
    clearTimeout(this.writing);
    this.writing = undefined;
    const rows = this.unwritten.splice(0);
    if (rows.length === 0) return;
    const reason = this.catalog.readOnly ? 'the case cannot be written' : this.written(rows);
    if (reason === undefined) return;
    this.unrecorded = { operations: (this.unrecorded?.operations ?? 0) + rows.length, reason };
  }

  /** No failure here may make a query fail. Returns why the rows could not be written. */
  private written(rows: readonly OperationRow[]): string | undefined {
    try {
      this.catalog.operations.add(rows);
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }
}

/** Undefined for a case that cannot be written, on read-only media for example: it is queried without spilling. */
function spillFolder(folder: string, toleratesDamage = false): SpillFolder | undefined {
  try {
    return makeSpillFolder(folder);
  } catch (error) {
    if (toleratesDamage && hasCode(error, 'case-damaged')) return undefined;
    if (accessError(error) !== undefined || diskError(error) !== undefined) return undefined;
    throw error;
  }
}
