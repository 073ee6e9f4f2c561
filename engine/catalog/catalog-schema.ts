/**
 * Checks that a catalog has exactly the tables, indexes and triggers that the migrations make. A view in place of a
 * table would answer in its stead, and a trigger would change what is written.
 */
import Database from 'better-sqlite3';

interface SchemaObject {
  readonly type: string;
  readonly name: string;
  readonly sql: string | null;
}

/** Triggers that the migrations make. */
const OWN_TRIGGERS = ['audit_no_update', 'audit_no_delete'];

/** Views, and triggers that the migrations do not make: a case that has one is not read. */
export function foreignObjects(db: Database.Database): string[] {
  const found = db
    .prepare(
      `SELECT type, name, sql FROM sqlite_schema
       WHERE type = 'view' OR (type = 'trigger' AND name NOT IN (SELECT value FROM json_each(?)))`,
    )
    .all(JSON.stringify(OWN_TRIGGERS)) as SchemaObject[];
  return found.map(({ type, name }) => `${type} ${name}`);
}

/**
 * How the schema of `db` differs from the one that `migrations` make in an empty database.
 * @param migrations SQL, in order
 */
export function schemaDifferences(db: Database.Database, migrations: readonly string[]): string[] {
  const reference = new Database(':memory:');
  let expected: Map<string, SchemaObject>;
  try {
    for (const sql of migrations) reference.exec(sql);
    expected = objectsOf(reference);
  } finally {
    reference.close();
  }
  const actual = objectsOf(db);
  const out: string[] = [];
  for (const [key, { sql }] of expected) {
    const found = actual.get(key);
    if (found === undefined) out.push(`${key} is missing`);
    else if (found.sql !== sql) out.push(`${key} is not as Daybook makes it`);
  }
  for (const key of actual.keys())
    if (!expected.has(key)) out.push(`${key} is not one that Daybook makes`);
  return out;
}

/** By type and name. Objects that SQLite makes itself, such as the indexes of primary keys, have no SQL. */
function objectsOf(db: Database.Database): Map<string, SchemaObject> {
  const rows = db
    .prepare('SELECT type, name, sql FROM sqlite_schema WHERE name NOT IN (?, ?, ?)')
    .all('sqlite_sequence', 'sqlite_stat1', 'sqlite_stat4') as SchemaObject[];
  return new Map(rows.map((row) => [`${row.type} ${row.name}`, row]));
}
