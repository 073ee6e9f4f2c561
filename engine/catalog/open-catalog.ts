/**
 * Opens a catalog's file: brings its tables up to date, and refuses what is no catalog of ours.
 *
 * Holds always: migrations are numbered files that are applied in one transaction; a catalog written by a newer
 * Daybook is refused, never touched.
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
/** The migration from which on rows have hashes. */
const FIRST_COVERED = 7;
/** In `meta`, of a case that an earlier Daybook made: when its rows were given hashes. */
export const COVERED_SINCE = 'covered_since';

/** @throws DaybookError not-a-case, case-too-new, case-damaged */
export function openDatabase(
  folder: string,
  path: string,
  create: boolean,
): { db: Database.Database; readOnly: boolean } {
  let db: Database.Database;
  refuseEmpty(folder, path, create);
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
  // What a first transaction has written so far is in the log beside it.
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
