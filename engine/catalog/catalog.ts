/**
 * The catalog: the SQLite database of a case. Every change of a case is one transaction here. Each table has its
 * module; this one opens the catalog, runs transactions and reports damage.
 *
 * Invariants: opened in WAL mode; a commit waits for the disk unless it is `unhurried`.
 */
import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DaybookError } from '../contract/errors.ts';
import { checkCaseFolder } from '../util/files/case-files.ts';
import { ImportsTable } from './tables/imports.ts';
import { SourcesTable } from './tables/sources.ts';
import { OverlapsTable } from './tables/overlaps.ts';
import { LedgerTable } from './tables/ledger.ts';
import { SegmentsTable } from './tables/segments.ts';
import { MarksTable } from './tables/marks.ts';
import { NotesTable } from './tables/notes.ts';
import { ExtractorsTable } from './tables/extractors.ts';
import { ManifestsTable } from './tables/manifests.ts';
import { SearchesTable } from './tables/searches.ts';
import { ChangesTable } from './tables/changes.ts';
import { AuditTable } from './tables/audit.ts';
import { OperationsTable } from './tables/operations.ts';
import { MetaTable } from './tables/meta.ts';
import { CatalogDatabase } from './catalog-database.ts';
import { schemaDifferences } from './catalog-schema.ts';
import { CATALOG_FILE, COVERED_SINCE, migrations, openDatabase } from './open-catalog.ts';
import type { CatalogDamage } from './row-hashes.ts';

/** Maximum number of damaged rows that are named. */
const MOST_PROBLEMS = 1000;
/** Tables whose row numbers are never reused. */
const NUMBERED: ReadonlySet<string> = new Set(['changes', 'audit', 'operations', 'searches']);

interface OpenOptions {
  /** Create the catalog if the folder has none. */
  create?: boolean;
  /** Open it even if its folders are links, for example: for `verify`, which reports each. */
  anyFolders?: boolean;
}

export class Catalog {
  readonly folder: string;
  readonly readOnly: boolean;
  readonly imports: ImportsTable;
  readonly sources: SourcesTable;
  readonly overlaps: OverlapsTable;
  readonly manifests: ManifestsTable;
  readonly ledger: LedgerTable;
  readonly segments: SegmentsTable;
  readonly marks: MarksTable;
  readonly notes: NotesTable;
  readonly searches: SearchesTable;
  readonly extractors: ExtractorsTable;
  readonly changes: ChangesTable;
  readonly audit: AuditTable;
  readonly operations: OperationsTable;
  readonly meta: MetaTable;
  private readonly db: CatalogDatabase;
  private readonly identity: string | undefined;

  private constructor(db: CatalogDatabase, identity: string | undefined) {
    this.folder = db.folder;
    this.readOnly = db.readOnly;
    this.db = db;
    this.identity = identity;
    this.imports = new ImportsTable(db);
    this.sources = new SourcesTable(db);
    this.overlaps = new OverlapsTable(db);
    this.manifests = new ManifestsTable(db);
    this.ledger = new LedgerTable(db);
    this.segments = new SegmentsTable(db);
    this.marks = new MarksTable(db);
    this.notes = new NotesTable(db);
    this.searches = new SearchesTable(db);
    this.extractors = new ExtractorsTable(db);
    this.changes = new ChangesTable(db);
    this.audit = new AuditTable(db);
    this.operations = new OperationsTable(db);
    this.meta = new MetaTable(db);
  }

  /** Whether `folder` holds a case. */
  static exists(folder: string): boolean {
    return existsSync(join(folder, CATALOG_FILE));
  }

  /** Identifies the catalog file of the case in `folder`: another one if the case was deleted and made again. */
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
    const { db, readOnly } = openDatabase(folder, path, options.create === true);
    return new Catalog(new CatalogDatabase(folder, db, readOnly), identity);
  }

  close(): void {
    this.db.sqlite.close();
  }

  /** Whether this object may still be used: the folder has the catalog that was opened, in this version. */
  isCurrent(): boolean {
    return (
      this.identity !== undefined &&
      this.identity === Catalog.identity(this.folder) &&
      Number(this.db.get('PRAGMA user_version')?.['user_version']) === migrations().at(-1)!.version
    );
  }

  /** Runs `work`, which only reads, on a consistent snapshot of the catalog. */
  consistently<T>(work: () => T): T {
    return this.db.consistently(work);
  }

  /** Runs `work` in one transaction; it is rolled back when `work` throws. */
  transaction<T>(work: () => T): T {
    return this.db.transaction(work);
  }

  /** See CatalogDatabase. */
  unhurried<T>(work: () => T): T {
    return this.db.unhurried(work);
  }

  /** Changes with every change of the case, and with nothing else. */
  state(): string {
    return `${this.db.hashes.auditedState()} ${this.audit.head().hash}`;
  }

  /** Changes whenever another connection commits. */
  dataVersion(): number {
    return this.db.dataVersion();
  }

  /**
   * Problems of the catalog: of its file, its schema, its content, its audit log. Empty if it is as it was written.
   */
  integrityProblems(): string[] {
    return this.db.attempt(() =>
      this.db.sqlite.transaction(() => [
        ...this.fileProblems(),
        ...schemaDifferences(
          this.db.sqlite,
          migrations().map(({ sql }) => sql),
        ),
        ...this.contentProblems(),
        ...this.audit.problems(),
      ])(),
    );
  }

  /**
   * Checks the rows that decide answers: a catalog's pages have no checksums, and a changed row would be believed.
   * `verify` compares the rest.
   * @throws DaybookError case-damaged
   */
  refuseDamage(): void {
    const damage = this.consistently(
      () =>
        this.db.hashes.firstDamage('segments') ??
        this.db.hashes.firstDamage('sources') ??
        this.db.hashes.firstDamage('tags') ??
        this.db.hashes.firstDamage('marks', 'rows'),
    );
    if (damage !== undefined) throw this.refused(damage, 'what it answers could be wrong');
  }

  /**
   * Checks the rows that decide which files a writer removes: segments without a row, and quarantined records after
   * the committed ones.
   * @throws DaybookError case-damaged
   */
  refuseDamageToFiles(): void {
    const damage = this.consistently(
      () => this.db.hashes.firstDamage('segments') ?? this.db.hashes.firstDamage('imports'),
    );
    if (damage !== undefined) throw this.refused(damage, 'files of the case could be removed');
  }

  /**
   * The same for the marks of a segment; `refuseDamage` only counts large ones.
   * @throws DaybookError case-damaged
   */
  refuseDamagedMarks(segmentId: number, tagId: number): void {
    const key = [segmentId, tagId];
    if (
      this.db.attempt(() => this.db.hashes.isSound('marks', 'segment_id = ? AND tag_id = ?', key))
    )
      return;
    const row = `segment_id ${segmentId}, tag_id ${tagId}`;
    throw this.refused(
      { table: 'marks', row, problem: 'differs from what was written' },
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

  /** Time since which each row has a hash; undefined: since the case was made. */
  coveredSince(): string | undefined {
    return this.meta.get(COVERED_SINCE);
  }

  private fileProblems(): string[] {
    const rows = this.db.sqlite.pragma('integrity_check') as { integrity_check: string }[];
    return rows.map((row) => row.integrity_check).filter((text) => text !== 'ok');
  }

  private contentProblems(): string[] {
    const problems: string[] = [];
    for (const damage of this.db.hashes.damages()) {
      if (problems.length === MOST_PROBLEMS) {
        problems.push('more rows differ from what was written');
        break;
      }
      problems.push(this.described(damage));
    }
    for (const row of this.db.all('SELECT name, seq FROM sqlite_sequence')) {
      const table = String(row['name']);
      if (!NUMBERED.has(table)) problems.push(`numbers are kept for ${table}, which has none`);
      else if (
        Number(this.db.get(`SELECT max(id) AS id FROM ${table}`)?.['id'] ?? 0) > Number(row['seq'])
      )
        problems.push(`the last number of ${table} is lower than one in use`);
    }
    return problems;
  }

  private described({ table, row, problem }: CatalogDamage): string {
    return row === undefined ? `table ${table}: ${problem}` : `table ${table}, ${row}: ${problem}`;
  }
}
