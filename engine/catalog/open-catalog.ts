/**
 * Opens a catalog's file: migrates its tables, and refuses what is not a catalog.
 *
 * Invariant: migrations are numbered files, each applied in one transaction; a catalog written by a newer version
 * is refused and never touched.
 */
import { accessSync, constants, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { DaybookError } from '../contract/errors.ts';
import { once } from '../util/once.ts';
import { foreignObjects } from './catalog-schema.ts';
import { damagedCatalog, now } from './catalog-database.ts';
import { RowHashes } from './row-hashes.ts';

export const CATALOG_FILE = 'case.sqlite';
const APPLICATION_ID = 0x4461796b; // 'Dayk'
const MIGRATIONS = join(import.meta.dirname, 'migrations');
/** The first migration after which rows have hashes. */
const FIRST_COVERED = 7;
/** In `meta`, for a case by an earlier version: when its rows got hashes. */
export const COVERED_SINCE = 'covered_since';

/** @throws DaybookError not-a-case, case-too-new, case-damaged */
export function openDatabase(
  folder: string,
  path: string,
  create: boolean,
): { db: Database.Database; readOnly: boolean } {
  let db: Database.Database;
  refuseEmpty(folder, path, create);
  // For a file with a log next to it, SQLite reports this only at the first change.
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
    throw damagedCatalog(folder, error);
  }
  try {
    if (readOnly) db = copyToMigrate(db);
    migrate(db, folder);
    refuseForeign(db, folder);
  } catch (error) {
    db.close();
    throw error instanceof DaybookError ? error : damagedCatalog(folder, error);
  }
  return { db, readOnly };
}

interface Migration {
  readonly version: number;
  readonly sql: string;
}

/** The numbered migrations, in order. They are part of the program. */
export const migrations = once((): readonly Migration[] =>
  readdirSync(MIGRATIONS)
    .filter((file) => /^\d{4}-.*\.sql$/.test(file))
    .sort()
    .map((file) => ({
      version: Number(file.slice(0, 4)),
      sql: readFileSync(join(MIGRATIONS, file), 'utf8'),
    })),
);

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

/** Computes missing hashes for rows of a catalog that was of `version`: whether they are as written is unknown. */
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
 * Refuses a catalog of zero bytes: an import that was killed before it wrote anything left it, or the file was
 * emptied. Taken for a new case, segments next to it would count as left over.
 */
function refuseEmpty(folder: string, path: string, create: boolean): void {
  if (!existsSync(path) || statSync(path).size > 0) return;
  // A first transaction may so far be only in the log next to it.
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

/** @throws SQLite's errors if the folder may not be written */
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
 * Opens a catalog that may not be written, on read-only media for example. SQLite needs a writable file next to a
 * database in WAL mode; if there can be none, and there is no log, the database is read into memory.
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

/** Sets file format 1 instead of 2: an in-memory database has no write-ahead log. */
function withoutLog(image: Buffer): Buffer {
  image[18] = 1;
  image[19] = 1;
  return image;
}

/**
 * For a catalog that may not be written and has an older schema: a copy in memory can be migrated, so that the case
 * can be read. A current one is returned unchanged.
 */
function copyToMigrate(db: Database.Database): Database.Database {
  const version = Number(db.pragma('user_version', { simple: true }));
  const application = Number(db.pragma('application_id', { simple: true }));
  if (application !== APPLICATION_ID || version >= migrations().at(-1)!.version) return db;
  const image = withoutLog(db.serialize());
  db.close();
  return new Database(image);
}

/** A foreign view or trigger would decide what is read and written. */
function refuseForeign(db: Database.Database, folder: string): void {
  const [found] = foreignObjects(db);
  if (found === undefined) return;
  throw new DaybookError(
    'case-damaged',
    `the catalog of ${folder} has a ${found}, which Daybook does not make: what it holds cannot be trusted`,
    'restore the folder from a copy; segments and evidence are not affected',
  );
}
