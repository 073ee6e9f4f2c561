/**
 * The catalog: the SQLite database of a case. Every change of a case is one transaction here; a
 * segment file that no row names does not exist.
 *
 * Holds always: opened in WAL mode; a commit waits for the disk, but for what is said to be `unhurried`; migrations
 * are numbered files that are applied in one transaction; a catalog written by a newer Daybook is refused, never
 * touched.
 */
import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { userInfo } from 'node:os';
import Database from 'better-sqlite3';
import { checkCaseFolder } from '../util/case-files.ts';
import { diskError } from '../util/files.ts';
import type { DayCount } from '../util/segment-days.ts';
import { DaybookError } from '../contract/errors.ts';
import type { Decisions } from '../contract/decisions.ts';
import type { EpochMicros, Kind } from '../contract/event.ts';
import { foreignObjects, schemaDifferences } from './catalog-schema.ts';
import { type CatalogDamage, RowHashes } from './row-hashes.ts';
import { daysIn, daysText } from './segment-days.ts';
import { valueCountsIn } from './value-counts.ts';

const CATALOG_FILE = 'case.sqlite';
const APPLICATION_ID = 0x4461796b; // 'Dayk'
const MIGRATIONS = join(import.meta.dirname, 'migrations');
const MAX_OPERATIONS = 10_000;
const MAX_CHANGES = 10_000;
/** Damaged rows that are named. */
const MOST_PROBLEMS = 1000;
/** Tables whose numbers are never used twice. */
const NUMBERED: ReadonlySet<string> = new Set(['changes', 'audit', 'operations', 'searches']);
/** The migration from which on rows have hashes. */
const FIRST_COVERED = 7;
/** In `meta`, of a case that an earlier Daybook made: when its rows were given hashes. */
const COVERED_SINCE = 'covered_since';

export type SourceStatus = 'partial' | 'complete' | 'failed';
export type ImportStatus = 'running' | 'complete' | 'cancelled' | 'failed' | 'interrupted';

export interface Counts {
  read: number;
  stored: number;
  duplicate: number;
  quarantined: number;
  skipped: number;
}

/** Where the reading of a source stopped before its end, and why. */
export interface Broken {
  /** `partial`: cut off, or by a limit of ours. `damaged`: a checksum differs, or it cannot be read on. */
  readonly state: 'partial' | 'damaged';
  readonly reason: string;
  /** Content bytes that were read. */
  readonly offset: number;
  /** Content bytes whose checksums agreed; undefined for contents without checksums. */
  readonly checked?: number | undefined;
  /** Where that is in the file as it is stored, if that is another place. */
  readonly fileOffset?: number | undefined;
  /** The option whose limit stopped it: with a higher one, importing again goes on. */
  readonly limit?: string | undefined;
}

export interface SourceRow extends Counts {
  id: number;
  name: string;
  path: string;
  location: unknown;
  rawSize: number | undefined;
  rawSha256: string | undefined;
  contentSize: number | undefined;
  contentSha256: string | undefined;
  headSha256: string | undefined;
  headSize: number;
  wholeLines: boolean;
  modifiedMs: number | undefined;
  importer: string;
  importerVersion: number;
  format: string;
  options: Record<string, unknown>;
  decisions: Decisions;
  metadata: Record<string, unknown>;
  notes: string[];
  /** Whether an import has come to its end with it; see `statusOf` for what people are shown. */
  status: SourceStatus;
  error: string | undefined;
  broken: Broken | undefined;
  skippedReasons: Record<string, number>;
  byKind: Partial<Record<Kind, number>>;
  emitted: Record<string, number>;
  checkpointBytes: number;
  checkpointSha256: string | undefined;
  firstTs: EpochMicros | undefined;
  lastTs: EpochMicros | undefined;
  elapsedMs: number;
  importId: number;
}

/** What became of a source, for people: `complete` only if all of its content was read. */
export function statusOf({
  status,
  broken,
}: Pick<SourceRow, 'status' | 'broken'>): SourceStatus | 'damaged' {
  return status === 'complete' ? (broken?.state ?? 'complete') : status;
}

/** A stretch of a source that another one has as well. */
export interface OverlapRow {
  id: number;
  sourceId: number;
  from: number;
  to: number;
  otherId: number;
  records: number;
  superseded: boolean;
  leftOut: boolean;
}

/** Marks of rows that are left out because another source has them, too; they are marked as deleted as well. */
export const LEFT_OUT = -1;

/** By segment, how many of its rows a person deleted: without those that are only left out. */
export function deletedBySegment(catalog: Pick<Catalog, 'markSummary'>): Map<number, number> {
  const out = new Map<number, number>();
  for (const { segmentId, tagId, count } of catalog.markSummary()) {
    if (tagId !== 0 && tagId !== LEFT_OUT) continue;
    out.set(segmentId, (out.get(segmentId) ?? 0) + (tagId === 0 ? count : -count));
  }
  for (const [id, count] of out) if (count === 0) out.delete(id);
  return out;
}

export interface SegmentRow {
  id: number;
  /** The first, where it holds several. */
  day: string;
  /** Undefined: all rows are of `day`. */
  days: readonly DayCount[] | undefined;
  kind: Kind;
  file: string;
  rows: number;
  minTs: EpochMicros | undefined;
  maxTs: EpochMicros | undefined;
  bytes: number;
  sha256: string;
  /** Which file it is, by little of it: see `segmentIdentity`; undefined where an earlier Daybook wrote it. */
  identity?: string | undefined;
  columns: string[];
  /**
   * Rows with a value (engine/store/value-counts.ts), of a segment that is added; read by `valueCounts`. Undefined
   * where an earlier Daybook wrote it.
   */
  counts?: readonly number[] | undefined;
  sources: number[];
  /** What its messages are cut by; 0 when they are stored whole. */
  shapes: number;
  /** How the numbers of these lie: bytes of one list, or a list for each width. */
  numberForm: 'bytes' | 'widths';
  unflowedPackets: number;
  importId: number | undefined;
  /** The index file beside it. */
  index: SideFileRow | undefined;
}

/** What each import looks at of all segments, which may be thousands: without what takes time to read. */
export interface SegmentOutline extends Pick<
  SegmentRow,
  'id' | 'day' | 'days' | 'kind' | 'file' | 'rows' | 'bytes'
> {
  hasIndex: boolean;
}

export interface SideFileRow {
  bytes: number;
  sha256: string;
}

export interface LedgerRow extends Counts {
  importId: number;
  ordinal: number;
  name: string;
  sourceId: number | undefined;
  status: string;
  message: string | undefined;
}

export interface OperationRow {
  at: string;
  operation: string;
  text: string | undefined;
  status: string;
  totalMs: number;
  spans: Record<string, number>;
  path: string | undefined;
  days: number | undefined;
  segments: number | undefined;
  rowsExamined: number | undefined;
  rowsReturned: number | undefined;
}

export interface ChangeRow {
  id: number;
  at: string;
  operation: string;
  detail: Record<string, unknown>;
}

/** An event by its source and its record number there. */
export interface EventKey {
  sourceId: number;
  /** Negative for derived events. */
  seq: number;
}

export interface NoteRow extends EventKey {
  text: string;
  /** When it was last changed, and by whom. */
  at: string;
  user: string;
}

export interface SearchRow {
  id: number;
  name: string;
  /** A view as its shareable string. */
  view: string;
  note: string;
  createdAt: string;
}

/** A row as SQLite returns it. */
type Raw = Record<string, string | number | null | Uint8Array>;

const optional = <T>(value: unknown): T | undefined =>
  value === null || value === undefined ? undefined : (value as T);
const json = <T>(value: unknown): T => JSON.parse(String(value)) as T;

export interface OpenOptions {
  /** Create the catalog when the folder has none. */
  create?: boolean;
  /** Open it whatever its folders are, links, say: for `verify`, which names each. */
  anyFolders?: boolean;
}

export class Catalog {
  readonly folder: string;
  readonly readOnly: boolean;
  private readonly db: Database.Database;
  private readonly identity: string | undefined;
  private readonly statements = new Map<string, Database.Statement>();
  private readonly hashes: RowHashes;

  private constructor(
    folder: string,
    db: Database.Database,
    readOnly: boolean,
    identity: string | undefined,
  ) {
    this.folder = folder;
    this.identity = identity;
    this.db = db;
    this.hashes = new RowHashes(db);
    this.readOnly = readOnly;
  }

  /** Whether `folder` holds a case. */
  static exists(folder: string): boolean {
    return existsSync(join(folder, CATALOG_FILE));
  }

  /** Which file the catalog of the case in `folder` is: another one where the case was deleted and made again. */
  static identity(folder: string): string | undefined {
    const found = statSync(join(folder, CATALOG_FILE), { bigint: true, throwIfNoEntry: false });
    return found && `${found.dev}:${found.ino}`;
  }

  /**
   * Opens the catalog in `folder`.
   * @throws DaybookError not-a-case, case-too-new, case-damaged
   */
  static open(folder: string, options: OpenOptions = {}): Catalog {
    const path = resolve(folder, CATALOG_FILE);
    if (!existsSync(path) && options.create !== true) {
      throw new DaybookError(
        'not-a-case',
        `${folder} is not a Daybook case: it has no ${CATALOG_FILE}`,
        `create one with: daybook import ${folder} EVIDENCE`,
      );
    }
    checkCaseFolder(resolve(folder), options.anyFolders === true ? 'catalog' : 'all');
    const identity = Catalog.identity(folder);
    let db: Database.Database;
    refuseEmpty(folder, path, options.create === true);
    // Of a file with a log beside it SQLite does not say so before the first change.
    let readOnly = existsSync(path) && !mayBeWritten(path);
    try {
      db = readOnly ? openReadOnly(path) : new Database(path);
      try {
        if (!readOnly) prepare(db);
      } catch (error) {
        if (!/readonly|read-only/i.test(String(error))) throw error;
        db.close();
        db = openReadOnly(path);
        readOnly = true;
      }
    } catch (error) {
      throw damaged(folder, error);
    }
    try {
      if (readOnly) db = copyToMigrate(db);
      migrate(db, folder);
      refuseForeign(db, folder);
    } catch (error) {
      db.close();
      throw error instanceof DaybookError ? error : damaged(folder, error);
    }
    return new Catalog(folder, db, readOnly, identity);
  }

  close(): void {
    this.db.close();
  }

  /** Whether this may still be used: the folder has the catalog that was opened, and of this version. */
  isCurrent(): boolean {
    return (
      this.identity !== undefined &&
      this.identity === Catalog.identity(this.folder) &&
      Number(this.get('PRAGMA user_version')?.['user_version']) === migrations().at(-1)!.version
    );
  }

  /** Runs `work`, which reads, on the catalog as it is at one moment. */
  consistently<T>(work: () => T): T {
    return this.attempt(() => this.db.transaction(work).deferred());
  }

  /** Runs `work` in one transaction; it is rolled back when `work` throws. */
  transaction<T>(work: () => T): T {
    try {
      return this.db.transaction(work).immediate();
    } catch (error) {
      throw diskError(error) ?? error;
    }
  }

  /**
   * Runs `work`, whose commits do not wait for the disk: they last whatever becomes of this process, and where the
   * system itself stops before the next commit that waits, they may be gone, the last ones first. Not within a
   * transaction.
   */
  unhurried<T>(work: () => T): T {
    this.statement('PRAGMA synchronous = NORMAL').run();
    try {
      return work();
    } finally {
      this.statement('PRAGMA synchronous = FULL').run();
    }
  }

  /** Runs `work`; what SQLite says of a damaged catalog is put in words. */
  private attempt<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      if (/^SQLITE_(CORRUPT|NOTADB|ERROR|IOERR)/.test(code)) throw damaged(this.folder, error);
      throw diskError(error) ?? error;
    }
  }
  private statement(sql: string): Database.Statement {
    let statement = this.statements.get(sql);
    if (statement === undefined) {
      statement = this.db.prepare(sql);
      this.statements.set(sql, statement);
    }
    return statement;
  }
  private all(sql: string, ...values: unknown[]): Raw[] {
    return this.attempt(() => this.statement(sql).all(...values) as Raw[]);
  }
  private get(sql: string, ...values: unknown[]): Raw | undefined {
    return this.attempt(() => this.statement(sql).get(...values) as Raw | undefined);
  }
  private run(sql: string, ...values: unknown[]): Database.RunResult {
    return this.attempt(() => this.statement(sql).run(...values));
  }

  /** Runs a statement that changes rows of `table` for which `where` holds: at most one is there afterwards. */
  private change(
    table: string,
    where: string,
    key: readonly unknown[],
    sql: string,
    ...values: unknown[]
  ): void {
    this.within(() => this.hashes.change(table, where, key, () => this.run(sql, ...values)));
  }
  /** Inserts a row that gets its number by that; returns it. */
  private insert(table: string, sql: string, ...values: unknown[]): number {
    return this.within(() =>
      Number(this.hashes.insert(table, 'id', () => this.run(sql, ...values)).lastInsertRowid),
    );
  }
  /** Within the transaction that is open, or one of its own. */
  private within<T>(work: () => T): T {
    return this.attempt(() => (this.db.inTransaction ? work() : this.transaction(work)));
  }

  /** Changes whenever another connection commits. */
  dataVersion(): number {
    return Number(this.get('PRAGMA data_version')?.['data_version']);
  }

  // -- imports ---------------------------------------------------------------------------------

  beginImport(args: unknown): number {
    return this.insert(
      'imports',
      `INSERT INTO imports(started_at, status, arguments) VALUES (?, 'running', ?)`,
      now(),
      JSON.stringify(args),
    );
  }
  finishImport(id: number, status: ImportStatus): void {
    this.changeImport(id, 'status = ?, finished_at = ?', status, now());
  }
  /** @param sha256 of these bytes */
  setQuarantine(importId: number, bytes: number, sha256: string): void {
    this.changeImport(importId, 'quarantine_bytes = ?, quarantine_sha256 = ?', bytes, sha256);
  }
  private changeImport(id: number, set: string, ...values: unknown[]): void {
    this.change('imports', 'id = ?', [id], `UPDATE imports SET ${set} WHERE id = ?`, ...values, id);
  }
  runningImports(): number[] {
    return this.all(`SELECT id FROM imports WHERE status = 'running' ORDER BY id`).map(({ id }) =>
      Number(id),
    );
  }
  /** Bytes that are committed of an import's quarantine file; undefined for no import. */
  quarantineBytes(importId: number): number | undefined {
    return optional<number>(
      this.get('SELECT quarantine_bytes FROM imports WHERE id = ?', importId)?.['quarantine_bytes'],
    );
  }
  imports(): {
    id: number;
    startedAt: string;
    finishedAt: string | undefined;
    status: ImportStatus;
    arguments: unknown;
    quarantineBytes: number;
    /** Of these bytes; undefined where they were written before Daybook kept it. */
    quarantineSha256: string | undefined;
  }[] {
    return this.all('SELECT * FROM imports ORDER BY id').map((row) => ({
      id: Number(row.id),
      startedAt: String(row.started_at),
      finishedAt: optional<string>(row.finished_at),
      status: row.status as ImportStatus,
      arguments: json(row.arguments),
      quarantineBytes: Number(row.quarantine_bytes),
      quarantineSha256: optional<string>(row.quarantine_sha256),
    }));
  }

  // -- sources ---------------------------------------------------------------------------------

  /** The highest number that a source has. */
  lastSourceId(): number {
    return Number(this.all('SELECT max(id) AS id FROM sources')[0]?.id ?? 0);
  }
  addSource(source: {
    id: number;
    name: string;
    path: string;
    location: unknown;
    rawSize: number | undefined;
    modifiedMs: number | undefined;
    headSha256: string;
    headSize: number;
    importer: string;
    importerVersion: number;
    format: string;
    options: Record<string, unknown>;
    importId: number;
  }): number {
    return this.insert(
      'sources',
      `INSERT INTO sources(id, name, path, location, raw_size, modified_ms, head_sha256, head_size, importer,
           importer_version, format, options, status, import_id)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'partial', ?)`,
      source.id,
      source.name,
      source.path,
      JSON.stringify(source.location),
      source.rawSize ?? null,
      source.modifiedMs ?? null,
      source.headSha256,
      source.headSize,
      source.importer,
      source.importerVersion,
      source.format,
      JSON.stringify(source.options),
      source.importId,
    );
  }

  /** Writes back every changeable field of a source. */
  updateSource(source: SourceRow): void {
    this.change(
      'sources',
      'id = ?',
      [source.id],
      `UPDATE sources SET raw_size = ?, raw_sha256 = ?, content_size = ?, content_sha256 = ?, whole_lines = ?,
         decisions = ?, metadata = ?, notes = ?, status = ?, error = ?, read = ?, stored = ?, duplicate = ?,
         quarantined = ?, skipped = ?, skipped_reasons = ?, by_kind = ?, emitted = ?, checkpoint_bytes = ?,
         checkpoint_sha256 = ?, first_ts = ?, last_ts = ?, elapsed_ms = ?, broken = ? WHERE id = ?`,
      source.rawSize ?? null,
      source.rawSha256 ?? null,
      source.contentSize ?? null,
      source.contentSha256 ?? null,
      source.wholeLines ? 1 : 0,
      JSON.stringify(source.decisions),
      JSON.stringify(source.metadata),
      JSON.stringify(source.notes),
      source.status,
      source.error ?? null,
      source.read,
      source.stored,
      source.duplicate,
      source.quarantined,
      source.skipped,
      JSON.stringify(source.skippedReasons),
      JSON.stringify(source.byKind),
      JSON.stringify(source.emitted),
      source.checkpointBytes,
      source.checkpointSha256 ?? null,
      source.firstTs ?? null,
      source.lastTs ?? null,
      source.elapsedMs,
      source.broken === undefined ? null : JSON.stringify(source.broken),
      source.id,
    );
  }

  /** Says where a source lies: the file on disk, and within it. */
  placeSource(id: number, path: string, location: unknown): void {
    this.change(
      'sources',
      'id = ?',
      [id],
      'UPDATE sources SET path = ?, location = ? WHERE id = ?',
      path,
      JSON.stringify(location),
      id,
    );
  }

  sources(): SourceRow[] {
    return this.all('SELECT * FROM sources ORDER BY id').map(sourceOf);
  }
  source(id: number): SourceRow | undefined {
    const row = this.get('SELECT * FROM sources WHERE id = ?', id);
    return row === undefined ? undefined : sourceOf(row);
  }
  sourcesByRawSize(size: number): SourceRow[] {
    return this.all('SELECT * FROM sources WHERE raw_size = ? ORDER BY id', size).map(sourceOf);
  }
  sourcesByHash(sha256: string): SourceRow[] {
    return this.all(
      `SELECT * FROM sources WHERE raw_sha256 = ? AND status = 'complete' ORDER BY id`,
      sha256,
    ).map(sourceOf);
  }
  sourcesByHead(sha256: string): SourceRow[] {
    return this.all(
      `SELECT * FROM sources WHERE head_sha256 = ? AND status = 'complete' ORDER BY content_size DESC, id`,
      sha256,
    ).map(sourceOf);
  }
  partialSources(path: string): SourceRow[] {
    return this.all(
      `SELECT * FROM sources WHERE path = ? AND status <> 'complete' ORDER BY id`,
      path,
    ).map(sourceOf);
  }

  // -- overlaps --------------------------------------------------------------------------------

  overlaps(): OverlapRow[] {
    return this.all('SELECT * FROM overlaps ORDER BY id').map((row) => ({
      id: Number(row.id),
      sourceId: Number(row.source_id),
      from: Number(row.from_offset),
      to: Number(row.to_offset),
      otherId: Number(row.other_id),
      records: Number(row.records),
      superseded: row.superseded === 1,
      leftOut: row.left_out === 1,
    }));
  }
  addOverlap(overlap: Omit<OverlapRow, 'id' | 'leftOut'>): number {
    return this.insert(
      'overlaps',
      `INSERT INTO overlaps(source_id, from_offset, to_offset, other_id, records, superseded)
       VALUES (?, ?, ?, ?, ?, ?)`,
      overlap.sourceId,
      overlap.from,
      overlap.to,
      overlap.otherId,
      overlap.records,
      overlap.superseded ? 1 : 0,
    );
  }
  setLeftOut(id: number, leftOut: boolean): void {
    this.change(
      'overlaps',
      'id = ?',
      [id],
      'UPDATE overlaps SET left_out = ? WHERE id = ?',
      leftOut ? 1 : 0,
      id,
    );
  }
  /** Of one source; undefined where none were kept. */
  lineHashes(sourceId: number): Uint32Array | undefined {
    const row = this.get('SELECT hashes FROM line_hashes WHERE source_id = ?', sourceId);
    if (row === undefined) return undefined;
    const bytes = Uint8Array.from(row.hashes as Uint8Array);
    return new Uint32Array(bytes.buffer, 0, bytes.length >>> 2);
  }
  setLineHashes(sourceId: number, hashes: Uint32Array): void {
    this.change(
      'line_hashes',
      'source_id = ?',
      [sourceId],
      'INSERT OR REPLACE INTO line_hashes(source_id, hashes) VALUES (?, ?)',
      sourceId,
      new Uint8Array(hashes.buffer, hashes.byteOffset, hashes.byteLength),
    );
  }

  // -- ledger ----------------------------------------------------------------------------------

  addLedger(row: LedgerRow): void {
    this.change(
      'ledger',
      'import_id = ? AND ordinal = ?',
      [row.importId, row.ordinal],
      `INSERT OR REPLACE INTO ledger(import_id, ordinal, name, source_id, status, message, read, stored, duplicate,
         quarantined, skipped) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      row.importId,
      row.ordinal,
      row.name,
      row.sourceId ?? null,
      row.status,
      row.message ?? null,
      row.read,
      row.stored,
      row.duplicate,
      row.quarantined,
      row.skipped,
    );
  }
  ledger(importId?: number): LedgerRow[] {
    return this.all(
      'SELECT * FROM ledger WHERE import_id = coalesce(?, import_id) ORDER BY import_id, ordinal',
      importId ?? null,
    ).map((row) => ({
      importId: Number(row.import_id),
      ordinal: Number(row.ordinal),
      name: String(row.name),
      sourceId: optional<number>(row.source_id),
      status: String(row.status),
      message: optional<string>(row.message),
      ...countsOf(row),
    }));
  }

  // -- segments --------------------------------------------------------------------------------

  /** The highest number a segment of this case ever had; numbers are never used twice. */
  lastSegmentId(): number {
    return Number(this.meta('last_segment') ?? 0);
  }
  addSegment(segment: SegmentRow): void {
    const { id } = segment;
    this.change(
      'segments',
      'id = ?',
      [id],
      `INSERT INTO segments(id, day, kind, file, rows, min_ts, max_ts, bytes, sha256, columns, sources,
         shapes, number_bytes, unflowed_packets, import_id, index_bytes, index_sha256, identity, days, value_counts)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      segment.id,
      segment.day,
      segment.kind,
      segment.file,
      segment.rows,
      segment.minTs ?? null,
      segment.maxTs ?? null,
      segment.bytes,
      segment.sha256,
      JSON.stringify(segment.columns),
      JSON.stringify(segment.sources),
      segment.shapes,
      segment.numberForm === 'bytes' ? 1 : 0,
      segment.unflowedPackets,
      segment.importId ?? null,
      segment.index?.bytes ?? null,
      segment.index?.sha256 ?? null,
      segment.identity ?? null,
      daysText(segment.days),
      segment.counts === undefined ? null : JSON.stringify(segment.counts),
    );
    if (id > this.lastSegmentId()) this.setMeta('last_segment', String(id));
  }
  removeSegment(id: number): void {
    this.within(() => {
      this.change('marks', 'segment_id = ?', [id], 'DELETE FROM marks WHERE segment_id = ?', id);
      this.change('segments', 'id = ?', [id], 'DELETE FROM segments WHERE id = ?', id);
    });
  }
  setSideFile(id: number, index: SideFileRow | undefined): void {
    this.change(
      'segments',
      'id = ?',
      [id],
      'UPDATE segments SET index_bytes = ?, index_sha256 = ? WHERE id = ?',
      index?.bytes ?? null,
      index?.sha256 ?? null,
      id,
    );
  }
  setValueCounts(id: number, counts: readonly number[]): void {
    this.change(
      'segments',
      'id = ?',
      [id],
      'UPDATE segments SET value_counts = ? WHERE id = ?',
      JSON.stringify(counts),
      id,
    );
  }
  /** How many rows of each segment have a value, by segment; without those of which it is not known. */
  valueCounts(): Map<number, readonly number[]> {
    const rows = this.all(
      `SELECT id, rows, json_array_length(columns) AS columns, value_counts FROM segments
       WHERE value_counts IS NOT NULL`,
    );
    return new Map(
      rows.map((row) => [
        Number(row.id),
        valueCountsIn(row.value_counts, Number(row.columns), Number(row.rows)),
      ]),
    );
  }
  segments(): SegmentRow[] {
    return this.all('SELECT * FROM segments ORDER BY day, kind, id').map((row) => ({
      id: Number(row.id),
      day: String(row.day),
      days: daysIn(row.days),
      kind: row.kind as Kind,
      file: String(row.file),
      rows: Number(row.rows),
      minTs: optional<number>(row.min_ts),
      maxTs: optional<number>(row.max_ts),
      bytes: Number(row.bytes),
      sha256: String(row.sha256),
      identity: optional<string>(row.identity),
      columns: json(row.columns),
      sources: json(row.sources),
      shapes: Number(row.shapes),
      numberForm: Number(row.number_bytes) === 1 ? 'bytes' : 'widths',
      unflowedPackets: Number(row.unflowed_packets),
      importId: optional<number>(row.import_id),
      index:
        row.index_sha256 === null
          ? undefined
          : { bytes: Number(row.index_bytes), sha256: String(row.index_sha256) },
    }));
  }

  /** In the order of `segments`. */
  segmentOutlines(): SegmentOutline[] {
    return this.all(
      `SELECT id, day, days, kind, file, rows, bytes, index_sha256 IS NOT NULL AS has_index
       FROM segments ORDER BY day, kind, id`,
    ).map((row) => ({
      id: Number(row.id),
      day: String(row.day),
      days: daysIn(row.days),
      kind: row.kind as Kind,
      file: String(row.file),
      rows: Number(row.rows),
      bytes: Number(row.bytes),
      hasIndex: row.has_index === 1,
    }));
  }

  // -- tags and deletions ----------------------------------------------------------------------

  tags(): { id: number; name: string; count: number }[] {
    return this.all(
      `SELECT t.id, t.name, coalesce(sum(m.count), 0) AS count FROM tags t
       LEFT JOIN marks m ON m.tag_id = t.id GROUP BY t.id ORDER BY t.name`,
    ).map((row) => ({ id: Number(row.id), name: String(row.name), count: Number(row.count) }));
  }
  tagId(name: string): number {
    const row = this.get('SELECT id FROM tags WHERE name = ?', name);
    if (row !== undefined) return Number(row.id);
    return this.insert('tags', 'INSERT INTO tags(name, created_at) VALUES (?, ?)', name, now());
  }
  /** Which segments have marks: by segment the tags (0 = deleted) and how many rows. */
  markSummary(): { segmentId: number; tagId: number; count: number }[] {
    return this.all('SELECT segment_id, tag_id, count FROM marks').map((row) => ({
      segmentId: Number(row.segment_id),
      tagId: Number(row.tag_id),
      count: Number(row.count),
    }));
  }
  marks(segmentId: number, tagId: number): Uint32Array {
    const row = this.get(
      'SELECT rows FROM marks WHERE segment_id = ? AND tag_id = ?',
      segmentId,
      tagId,
    );
    if (row === undefined) return new Uint32Array(0);
    const blob = row.rows as Uint8Array;
    return new Uint32Array(blob.slice().buffer);
  }
  /** Replaces the marks of a segment; `rows` ascending. */
  setMarks(segmentId: number, tagId: number, rows: Uint32Array): void {
    const where = 'segment_id = ? AND tag_id = ?';
    const key = [segmentId, tagId];
    if (rows.length === 0) {
      this.change('marks', where, key, `DELETE FROM marks WHERE ${where}`, ...key);
      return;
    }
    this.change(
      'marks',
      where,
      key,
      'INSERT OR REPLACE INTO marks(segment_id, tag_id, count, rows) VALUES (?, ?, ?, ?)',
      segmentId,
      tagId,
      rows.length,
      Buffer.from(rows.buffer, rows.byteOffset, rows.byteLength),
    );
  }

  // -- notes, searches, tags set by hand -------------------------------------------------------

  notes(): NoteRow[] {
    return this.all('SELECT * FROM notes ORDER BY at DESC, source_id, seq').map(noteOf);
  }
  note({ sourceId, seq }: EventKey): NoteRow | undefined {
    const row = this.get('SELECT * FROM notes WHERE source_id = ? AND seq = ?', sourceId, seq);
    return row === undefined ? undefined : noteOf(row);
  }
  /** Replaces the note of an event; an empty text takes it away. */
  setNote({ sourceId, seq }: EventKey, text: string): void {
    const where = 'source_id = ? AND seq = ?';
    const key = [sourceId, seq];
    if (text === '') {
      this.change('notes', where, key, `DELETE FROM notes WHERE ${where}`, ...key);
      return;
    }
    this.change(
      'notes',
      where,
      key,
      'INSERT OR REPLACE INTO notes(source_id, seq, text, at, user) VALUES (?, ?, ?, ?, ?)',
      sourceId,
      seq,
      text,
      now(),
      userName(),
    );
  }

  searches(): SearchRow[] {
    return this.all('SELECT * FROM searches ORDER BY name COLLATE NOCASE, id').map(searchOf);
  }
  search(id: number): SearchRow | undefined {
    const row = this.get('SELECT * FROM searches WHERE id = ?', id);
    return row === undefined ? undefined : searchOf(row);
  }
  addSearch(search: Pick<SearchRow, 'name' | 'view' | 'note'>): number {
    return this.insert(
      'searches',
      'INSERT INTO searches(name, view, note, created_at) VALUES (?, ?, ?, ?)',
      search.name,
      search.view,
      search.note,
      now(),
    );
  }
  updateSearch(search: Pick<SearchRow, 'id' | 'name' | 'view' | 'note'>): void {
    this.change(
      'searches',
      'id = ?',
      [search.id],
      'UPDATE searches SET name = ?, view = ?, note = ? WHERE id = ?',
      search.name,
      search.view,
      search.note,
      search.id,
    );
  }
  deleteSearch(id: number): void {
    this.change('searches', 'id = ?', [id], 'DELETE FROM searches WHERE id = ?', id);
  }

  /** Events tagged by hand, each once, with when that was last done. */
  handTagged(): (EventKey & { at: string })[] {
    return this.all(
      'SELECT source_id, seq, max(at) AS at FROM hand_tags GROUP BY source_id, seq ORDER BY at DESC, source_id, seq',
    ).map((row) => ({ ...keyOf(row), at: String(row.at) }));
  }
  /** With `tagId` 0 of any tag, as deletions have it. */
  handTags(tagId: number): EventKey[] {
    return this.all('SELECT * FROM hand_tags WHERE tag_id = ? OR ? = 0', tagId, tagId).map(keyOf);
  }
  addHandTag(tagId: number, { sourceId, seq }: EventKey): void {
    this.change(
      'hand_tags',
      'tag_id = ? AND source_id = ? AND seq = ?',
      [tagId, sourceId, seq],
      'INSERT OR REPLACE INTO hand_tags(tag_id, source_id, seq, at) VALUES (?, ?, ?, ?)',
      tagId,
      sourceId,
      seq,
      now(),
    );
  }
  /** With `tagId` 0 of every tag. */
  removeHandTag(tagId: number, { sourceId, seq }: EventKey): void {
    const where = '(tag_id = ? OR ? = 0) AND source_id = ? AND seq = ?';
    const key = [tagId, tagId, sourceId, seq];
    this.change('hand_tags', where, key, `DELETE FROM hand_tags WHERE ${where}`, ...key);
  }

  // -- changes, audit, operations --------------------------------------------------------------

  addChange(operation: string, detail: Record<string, unknown>): void {
    this.within(() => {
      const id = this.insert(
        'changes',
        'INSERT INTO changes(at, operation, detail) VALUES (?, ?, ?)',
        now(),
        operation,
        JSON.stringify(detail),
      );
      this.removeUpTo('changes', id - MAX_CHANGES);
    });
  }
  private removeUpTo(table: 'changes' | 'operations', id: number): void {
    this.change(table, 'id <= ?', [id], `DELETE FROM ${table} WHERE id <= ?`, id);
  }
  changesAfter(id: number): ChangeRow[] {
    return this.all('SELECT * FROM changes WHERE id > ? ORDER BY id', id).map((row) => ({
      id: Number(row.id),
      at: String(row.at),
      operation: String(row.operation),
      detail: json(row.detail),
    }));
  }
  lastChange(): number {
    return Number(this.get('SELECT max(id) AS id FROM changes')?.id ?? 0);
  }

  addAudit(operation: string, detail: Record<string, unknown>): void {
    this.within(() => {
      const previous = String(
        this.get('SELECT hash FROM audit ORDER BY id DESC LIMIT 1')?.hash ?? '',
      );
      const at = now();
      const user = userName();
      const text = JSON.stringify(detail);
      const state = this.hashes.auditedState();
      const hash = auditHash(previous, at, user, operation, text, state);
      const { lastInsertRowid } = this.run(
        'INSERT INTO audit(at, user, operation, detail, state, hash) VALUES (?, ?, ?, ?, ?, ?)',
        at,
        user,
        operation,
        text,
        state,
        hash,
      );
      this.auditedTo(Number(lastInsertRowid), hash);
    });
  }
  private auditedTo(id: number, hash: string): void {
    const entries = Number(this.get('SELECT count(*) AS n FROM audit')?.['n']);
    this.hashes.auditedTo(entries, hash, id);
  }
  audit(): {
    id: number;
    at: string;
    user: string;
    operation: string;
    detail: unknown;
    intact: boolean;
  }[] {
    let previous = '';
    return this.all('SELECT * FROM audit ORDER BY id').map((row) => {
      const expected = auditHash(
        previous,
        String(row.at),
        String(row.user),
        String(row.operation),
        String(row.detail),
        ...(row.state === null ? [] : [String(row.state)]),
      );
      previous = String(row.hash);
      return {
        id: Number(row.id),
        at: String(row.at),
        user: String(row.user),
        operation: String(row.operation),
        detail: expected === row.hash ? json(row.detail) : { text: String(row.detail) },
        intact: expected === row.hash,
      };
    });
  }

  /** In one transaction, and nobody waits for the disk: what is measured is no evidence. */
  addOperations(rows: readonly OperationRow[]): void {
    if (this.readOnly || rows.length === 0) return;
    this.unhurried(() => this.transaction(() => this.putOperations(rows)));
  }
  private putOperations(rows: readonly OperationRow[]): void {
    let last = 0;
    for (const row of rows) {
      last = this.insert(
        'operations',
        `INSERT INTO operations(at, operation, text, status, total_ms, spans, path, days, segments, rows_examined,
         rows_returned) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        row.at,
        row.operation,
        row.text ?? null,
        row.status,
        row.totalMs,
        JSON.stringify(row.spans),
        row.path ?? null,
        row.days ?? null,
        row.segments ?? null,
        row.rowsExamined ?? null,
        row.rowsReturned ?? null,
      );
    }
    this.removeUpTo('operations', last - MAX_OPERATIONS);
  }
  operations(): OperationRow[] {
    return this.all('SELECT * FROM operations ORDER BY id').map((row) => ({
      at: String(row.at),
      operation: String(row.operation),
      text: optional<string>(row.text),
      status: String(row.status),
      totalMs: Number(row.total_ms),
      spans: json(row.spans),
      path: optional<string>(row.path),
      days: optional<number>(row.days),
      segments: optional<number>(row.segments),
      rowsExamined: optional<number>(row.rows_examined),
      rowsReturned: optional<number>(row.rows_returned),
    }));
  }

  /**
   * Texts that operations of these names were given, each once, the last first: without those that
   * failed.
   */
  operationTexts(
    names: readonly string[],
    limit: number,
  ): { text: string; at: string; count: number }[] {
    return this.all(
      `SELECT text, max(at) AS at, count(*) AS count FROM operations
       WHERE text <> '' AND status <> 'failed' AND operation IN (SELECT value FROM json_each(?))
       GROUP BY text ORDER BY max(id) DESC LIMIT ?`,
      JSON.stringify(names),
      limit,
    ).map((row) => ({ text: String(row.text), at: String(row.at), count: Number(row.count) }));
  }

  // -- meta ------------------------------------------------------------------------------------

  meta(key: string): string | undefined {
    return optional<string>(this.get('SELECT value FROM meta WHERE key = ?', key)?.value);
  }
  setMeta(key: string, value: string): void {
    this.change(
      'meta',
      'key = ?',
      [key],
      'INSERT OR REPLACE INTO meta(key, value) VALUES (?, ?)',
      key,
      value,
    );
  }

  // -- verifying -------------------------------------------------------------------------------

  /**
   * What is wrong with the catalog: with its file, its tables as such, its content, its audit log. Empty when it is what
   * was written.
   */
  integrityProblems(): string[] {
    return this.attempt(() =>
      this.db.transaction(() => [
        ...this.fileProblems(),
        ...schemaDifferences(
          this.db,
          migrations().map(({ sql }) => sql),
        ),
        ...this.contentProblems(),
        ...this.auditProblems(),
      ])(),
    );
  }

  /**
   * Looks at the rows that decide what is answered: a page of a catalog has no checksum, and a changed row would be
   * believed. The rest is compared by `verify`.
   * @throws DaybookError case-damaged
   */
  refuseDamage(): void {
    const damage = this.consistently(
      () =>
        this.hashes.firstDamage('segments') ??
        this.hashes.firstDamage('sources') ??
        this.hashes.firstDamage('tags') ??
        this.hashes.firstDamage('marks', 'rows'),
    );
    if (damage !== undefined) throw this.refused(damage, 'what it answers could be wrong');
  }

  /**
   * Looks at the rows that decide what a writer removes: segments that no row names, and quarantined records after those
   * that were committed.
   * @throws DaybookError case-damaged
   */
  refuseDamageToFiles(): void {
    const damage = this.consistently(
      () => this.hashes.firstDamage('segments') ?? this.hashes.firstDamage('imports'),
    );
    if (damage !== undefined) throw this.refused(damage, 'files of the case could be removed');
  }

  /**
   * The same for the marks of a segment, of which `refuseDamage` only counts the large ones.
   * @throws DaybookError case-damaged
   */
  refuseDamagedMarks(segmentId: number, tagId: number): void {
    const key = [segmentId, tagId];
    if (this.attempt(() => this.hashes.isSound('marks', 'segment_id = ? AND tag_id = ?', key)))
      return;
    const row = `segment_id ${segmentId}, tag_id ${tagId}`;
    throw this.refused(
      { table: 'marks', row, what: 'differs from what was written' },
      'what it answers could be wrong',
    );
  }

  private refused(damage: CatalogDamage, consequence: string): DaybookError {
    return new DaybookError(
      'case-damaged',
      `the catalog was changed (${this.described(damage)}): ${consequence}`,
      `daybook verify CASE says what else is; restore ${CATALOG_FILE} from a copy of the case`,
    );
  }

  /** Since when each row has a hash; undefined for since there is a case. */
  coveredSince(): string | undefined {
    return this.meta(COVERED_SINCE);
  }

  private fileProblems(): string[] {
    const rows = this.db.pragma('integrity_check') as { integrity_check: string }[];
    return rows.map((row) => row.integrity_check).filter((text) => text !== 'ok');
  }

  private contentProblems(): string[] {
    const problems: string[] = [];
    for (const damage of this.hashes.damages()) {
      if (problems.length === MOST_PROBLEMS) {
        problems.push('more rows differ from what was written');
        break;
      }
      problems.push(this.described(damage));
    }
    for (const row of this.all('SELECT name, seq FROM sqlite_sequence')) {
      const table = String(row['name']);
      if (!NUMBERED.has(table)) problems.push(`numbers are kept for ${table}, which has none`);
      else if (
        Number(this.get(`SELECT max(id) AS id FROM ${table}`)?.['id'] ?? 0) > Number(row['seq'])
      )
        problems.push(`the last number of ${table} is lower than one in use`);
    }
    return problems;
  }

  private described({ table, row, what }: CatalogDamage): string {
    return row === undefined ? `table ${table}: ${what}` : `table ${table}, ${row}: ${what}`;
  }

  private auditProblems(): string[] {
    const entries = this.audit();
    const problems = entries
      .filter(({ intact }) => !intact)
      .map(({ id, operation, at }) => `audit entry ${id} (${operation}, ${at}) was changed`);
    const last = this.get('SELECT id, hash, state FROM audit ORDER BY id DESC LIMIT 1');
    if (!this.hashes.auditEndsAt(entries.length, String(last?.['hash'] ?? '')))
      problems.push('the audit log does not end where it did: entries are missing or were added');
    if (last !== undefined && last['state'] !== null && entries.at(-1)?.intact === true)
      for (const name of this.hashes.differingFromAudit(String(last['state']), Number(last['id'])))
        problems.push(`table ${name} is not what the last audit entry vouches for`);
    return problems;
  }
}

function now(): string {
  return new Date().toISOString();
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'unknown';
  }
}

function auditHash(previous: string, ...parts: string[]): string {
  return createHash('sha256')
    .update([previous, ...parts].join('\n'))
    .digest('hex');
}

function keyOf(row: Raw): EventKey {
  return { sourceId: Number(row.source_id), seq: Number(row.seq) };
}

function noteOf(row: Raw): NoteRow {
  return { ...keyOf(row), text: String(row.text), at: String(row.at), user: String(row.user) };
}

function searchOf(row: Raw): SearchRow {
  return {
    id: Number(row.id),
    name: String(row.name),
    view: String(row.view),
    note: String(row.note),
    createdAt: String(row.created_at),
  };
}

function countsOf(row: Raw): Counts {
  return {
    read: Number(row.read),
    stored: Number(row.stored),
    duplicate: Number(row.duplicate),
    quarantined: Number(row.quarantined),
    skipped: Number(row.skipped),
  };
}

function sourceOf(row: Raw): SourceRow {
  return {
    id: Number(row.id),
    name: String(row.name),
    path: String(row.path),
    location: json(row.location),
    rawSize: optional<number>(row.raw_size),
    rawSha256: optional<string>(row.raw_sha256),
    contentSize: optional<number>(row.content_size),
    contentSha256: optional<string>(row.content_sha256),
    headSha256: optional<string>(row.head_sha256),
    headSize: Number(row.head_size ?? 0),
    wholeLines: row.whole_lines === 1,
    modifiedMs: optional<number>(row.modified_ms),
    importer: String(row.importer),
    importerVersion: Number(row.importer_version),
    format: String(row.format),
    options: json(row.options),
    decisions: json(row.decisions),
    metadata: json(row.metadata),
    notes: json(row.notes),
    status: row.status as SourceStatus,
    error: optional<string>(row.error),
    broken: row.broken === null || row.broken === undefined ? undefined : json(row.broken),
    ...countsOf(row),
    skippedReasons: json(row.skipped_reasons),
    byKind: json(row.by_kind),
    emitted: json(row.emitted),
    checkpointBytes: Number(row.checkpoint_bytes),
    checkpointSha256: optional<string>(row.checkpoint_sha256),
    firstTs: optional<number>(row.first_ts),
    lastTs: optional<number>(row.last_ts),
    elapsedMs: Number(row.elapsed_ms),
    importId: Number(row.import_id),
  };
}

interface Migration {
  readonly version: number;
  readonly sql: string;
}
let knownMigrations: readonly Migration[] | undefined;

/** The numbered migrations, in order. They are part of the program: read once. */
function migrations(): readonly Migration[] {
  knownMigrations ??= readMigrations();
  return knownMigrations;
}
function readMigrations(): Migration[] {
  return readdirSync(MIGRATIONS)
    .filter((file) => /^\d{4}-.*\.sql$/.test(file))
    .sort()
    .map((file) => ({
      version: Number(file.slice(0, 4)),
      sql: readFileSync(join(MIGRATIONS, file), 'utf8'),
    }));
}

function migrate(db: Database.Database, folder: string): void {
  const known = migrations();
  const newest = known.at(-1)!.version;
  const current = Number(db.pragma('user_version', { simple: true }));
  const application = Number(db.pragma('application_id', { simple: true }));
  if (application !== APPLICATION_ID && (application !== 0 || current !== 0)) {
    throw new DaybookError(
      'not-a-case',
      `${join(folder, CATALOG_FILE)} is an SQLite database, but not of a Daybook case`,
    );
  }
  if (current > newest) {
    throw new DaybookError(
      'case-too-new',
      `${folder} was written by a newer Daybook (catalog version ${current}; this one reads up to ${newest})`,
      'open it with that version of Daybook or a later one; nothing was changed',
    );
  }
  if (current === newest) return;
  db.transaction(() => {
    // Another process may have been faster.
    const version = Number(db.pragma('user_version', { simple: true }));
    for (const migration of known) {
      if (migration.version <= version) continue;
      db.exec(migration.sql);
      db.pragma(`user_version = ${migration.version}`);
    }
    db.pragma(`application_id = ${APPLICATION_ID}`);
    cover(db, version);
  }).immediate();
}

/** Gives rows of a catalog that was of `version` the hashes they lack: whether they are what was written is not known. */
function cover(db: Database.Database, version: number): void {
  const hashes = new RowHashes(db);
  const log = db.prepare('SELECT count(*) AS entries, max(id) AS id FROM audit').get() as {
    entries: number;
    id: number | null;
  };
  const last = db.prepare('SELECT hash FROM audit WHERE id = ?').get(log.id) as
    { hash: string } | undefined;
  hashes.cover();
  if (version > 0 && version < FIRST_COVERED) {
    hashes.change('meta', 'key = ?', [COVERED_SINCE], () =>
      db.prepare('INSERT OR IGNORE INTO meta(key, value) VALUES (?, ?)').run(COVERED_SINCE, now()),
    );
  }
  hashes.auditedTo(log.entries, last?.hash ?? '', log.id ?? 0);
}

/**
 * A catalog without a byte: an import that was killed before it wrote anything left it, or the file
 * was emptied. Were it taken for a new case, segments beside it would count as left over.
 */
function refuseEmpty(folder: string, path: string, create: boolean): void {
  if (!existsSync(path) || statSync(path).size > 0) return;
  // What a first transaction has written so far lies in the log beside it.
  const log = `${path}-wal`;
  if (existsSync(log) && statSync(log).size > 0) return;
  const days = join(folder, 'days');
  if (existsSync(days) && readdirSync(days).length > 0) {
    throw new DaybookError(
      'case-damaged',
      `the catalog of ${folder} is empty, but there are segments`,
      `restore ${CATALOG_FILE} from a copy; segments and evidence are not affected`,
    );
  }
  if (!create) {
    throw new DaybookError(
      'not-a-case',
      `${folder} is not a Daybook case yet: its ${CATALOG_FILE} is empty`,
      `import something: daybook import ${folder} EVIDENCE`,
    );
  }
}

/** @throws what SQLite throws where the folder may not be written */
function prepare(db: Database.Database): void {
  db.pragma('busy_timeout = 10000');
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.pragma('foreign_keys = ON');
}

function mayBeWritten(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Opens a catalog that may not be written, on read-only media, say. SQLite needs a writable file
 * beside a database in WAL mode; where there can be none, and no log, the database is read into memory.
 */
function openReadOnly(path: string): Database.Database {
  const db = new Database(path, { readonly: true });
  try {
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
    return db;
  } catch (error) {
    db.close();
    const log = `${path}-wal`;
    if (existsSync(log) && statSync(log).size > 0) throw error;
  }
  return new Database(withoutLog(readFileSync(path)), { readonly: true });
}

/** File format 1 instead of 2: a database in memory has no write-ahead log. */
function withoutLog(image: Buffer): Buffer {
  image[18] = 1;
  image[19] = 1;
  return image;
}

/**
 * A catalog that may not be written and has tables of an older Daybook: a copy of it in memory can be
 * brought up to date, so that the case can be read. A current one is returned as it is.
 */
function copyToMigrate(db: Database.Database): Database.Database {
  const version = Number(db.pragma('user_version', { simple: true }));
  const application = Number(db.pragma('application_id', { simple: true }));
  if (application !== APPLICATION_ID || version >= migrations().at(-1)!.version) return db;
  const image = withoutLog(db.serialize());
  db.close();
  return new Database(image);
}

/** A view or trigger of somebody else would decide what is read and written. */
function refuseForeign(db: Database.Database, folder: string): void {
  const [found] = foreignObjects(db);
  if (found === undefined) return;
  throw new DaybookError(
    'case-damaged',
    `the catalog of ${folder} has a ${found}, which Daybook does not make: what it holds cannot be trusted`,
    'restore the folder from a copy; segments and evidence are not affected',
  );
}

function damaged(folder: string, error: unknown): DaybookError {
  const full = diskError(error);
  if (full !== undefined) return full;
  return new DaybookError(
    'case-damaged',
    `the catalog of ${folder} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    'restore the folder from a copy; segments and evidence are not affected',
    error,
  );
}
