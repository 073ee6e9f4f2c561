/**
 * Table `sources`: evidence files and archive members, by their hashes.
 */
import type { Decisions } from '../../contract/time/decisions.ts';
import type { LostPlace } from '../../contract/errors.ts';
import type { EpochMicros, Kind } from '../../contract/event.ts';
import type { ListedHash } from '../../contract/hash-manifest.ts';
import { type CatalogDatabase, json, optional, type Raw } from '../catalog-database.ts';

type SourceStatus = 'partial' | 'complete' | 'failed';

export interface Counts {
  read: number;
  stored: number;
  duplicate: number;
  quarantined: number;
  skipped: number;
}

/** Where the reading of a source stopped before its end, and why. */
export interface Broken {
  /** `partial`: truncated, or stopped by a limit. `damaged`: a checksum differs, or the rest cannot be read. */
  readonly state: 'partial' | 'damaged';
  readonly reason: string;
  /** Content bytes that were read. */
  readonly offset: number;
  /** Content bytes with matching checksums; undefined for contents without checksums. */
  readonly checked?: number | undefined;
  /** The position in the stored file, if it differs. */
  readonly fileOffset?: number | undefined;
  /** Damage after which reading went on. */
  readonly lost?: readonly LostPlace[] | undefined;
  /** The option whose limit stopped it: with a higher one, importing again continues. */
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
  /** Whether an import has finished reading it; see `statusOf` for what people are shown. */
  status: SourceStatus;
  error: string | undefined;
  broken: Broken | undefined;
  /** Its entries in hash manifests. */
  listedHashes: readonly ListedHash[];
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

/** The outcome of a source, for people: `complete` only if all of its content was read. */
export function statusOf({
  status,
  broken,
}: Pick<SourceRow, 'status' | 'broken'>): SourceStatus | 'damaged' {
  return status === 'complete' ? (broken?.state ?? 'complete') : status;
}

export class SourcesTable {
  private readonly db: CatalogDatabase;

  constructor(db: CatalogDatabase) {
    this.db = db;
  }

  /** The highest number of a source. */
  lastId(): number {
    return Number(this.db.all('SELECT max(id) AS id FROM sources')[0]?.id ?? 0);
  }

  add(source: {
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
    return this.db.insert(
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
  update(source: SourceRow): void {
    this.db.change(
      'sources',
      'id = ?',
      [source.id],
      `UPDATE sources SET raw_size = ?, raw_sha256 = ?, content_size = ?, content_sha256 = ?, whole_lines = ?,
         decisions = ?, metadata = ?, notes = ?, status = ?, error = ?, read = ?, stored = ?, duplicate = ?,
         quarantined = ?, skipped = ?, skipped_reasons = ?, by_kind = ?, emitted = ?, checkpoint_bytes = ?,
         checkpoint_sha256 = ?, first_ts = ?, last_ts = ?, elapsed_ms = ?, broken = ?, listed_hashes = ? WHERE id = ?`,
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
      source.listedHashes.length === 0 ? null : JSON.stringify(source.listedHashes),
      source.id,
    );
  }

  /** Sets the location of a source: the file on disk, and within it. */
  place(id: number, path: string, location: unknown): void {
    this.db.change(
      'sources',
      'id = ?',
      [id],
      'UPDATE sources SET path = ?, location = ? WHERE id = ?',
      path,
      JSON.stringify(location),
      id,
    );
  }

  count(): number {
    return Number(this.db.get('SELECT count(*) AS n FROM sources')?.n);
  }

  all(): SourceRow[] {
    return this.db.all('SELECT * FROM sources ORDER BY id').map(sourceOf);
  }

  get(id: number): SourceRow | undefined {
    const row = this.db.get('SELECT * FROM sources WHERE id = ?', id);
    return row === undefined ? undefined : sourceOf(row);
  }

  byRawSize(size: number): SourceRow[] {
    return this.db.all('SELECT * FROM sources WHERE raw_size = ? ORDER BY id', size).map(sourceOf);
  }

  byHash(sha256: string): SourceRow[] {
    return this.db
      .all(`SELECT * FROM sources WHERE raw_sha256 = ? AND status = 'complete' ORDER BY id`, sha256)
      .map(sourceOf);
  }

  byHead(sha256: string): SourceRow[] {
    return this.db
      .all(
        `SELECT * FROM sources WHERE head_sha256 = ? AND status = 'complete' ORDER BY content_size DESC, id`,
        sha256,
      )
      .map(sourceOf);
  }

  partial(path: string): SourceRow[] {
    return this.db
      .all(`SELECT * FROM sources WHERE path = ? AND status <> 'complete' ORDER BY id`, path)
      .map(sourceOf);
  }
}

export function countsOf(row: Raw): Counts {
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
    listedHashes:
      row.listed_hashes === null || row.listed_hashes === undefined ? [] : json(row.listed_hashes),
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
