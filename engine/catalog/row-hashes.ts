/**
 * Hashes by which `daybook verify` finds tampering with the catalog: SQLite's pages have no checksums.
 *
 * Each row of a covered table (one with a column `row_hash`) has a SHA-256 of its other columns, and table
 * `digests` has, for each of these tables, the number of rows and the sum of their hashes modulo 2^256. The sum is
 * updated row by row, so a change costs the rows it touches and not the table; it misses nothing that a hash of the
 * whole table would find.
 *
 * Invariants: a column with its default value is not part of the hash, so that a migration can add a column with a
 * default without touching the rows. A row hash does not depend on the order of columns or rows.
 */
import { type Hash, createHash, hash as digestOf } from 'node:crypto';
import type Database from 'better-sqlite3';

const HASH_COLUMN = 'row_hash';
const HASH_BYTES = 32;
/**
 * Value of `row_hash` for inserting rows with large blobs: SQLite sets a hash of the same length in place, where it
 * would otherwise write the row again and leave the pages of the first one free.
 */
export const HASH_PLACEHOLDER = `zeroblob(${HASH_BYTES})`;
const MODULUS = 1n << 256n;
const CHANGED = 'differs from what was written';
/** Limit for hashing a row when a case is opened: marks of more events are hashed when they are read. */
const MOST_HASHED_BYTES = 1 << 20;

/** Tables outside the state that an audit entry vouches for: they change with every question. */
const UNAUDITED: ReadonlySet<string> = new Set(['changes', 'operations', 'meta']);

type Value = string | number | bigint | Uint8Array | null;
type Row = Readonly<Record<string, Value>>;

interface CoveredColumn {
  readonly name: string;
  readonly default: Value;
}

interface CoveredTable {
  readonly columns: readonly CoveredColumn[];
  /** Columns of the primary key. */
  readonly key: readonly string[];
}

interface TableDigest {
  readonly rows: number;
  readonly sum: bigint;
  readonly afterAudit: number;
}

/** A row or table that differs from what was written. */
export interface CatalogDamage {
  readonly table: string;
  /** The primary key of the row, for people; undefined if the table as a whole is meant. */
  readonly row: string | undefined;
  readonly problem: string;
}

export class RowHashes {
  private readonly db: Database.Database;
  private readonly statements = new Map<string, Database.Statement>();
  private readonly described = new Map<string, CoveredTable>();
  /** Hashes of rows that `firstDamage` found intact, by table and row. */
  private readonly sound = new Map<string, ReadonlyMap<string, Uint8Array>>();

  constructor(db: Database.Database) {
    this.db = db;
  }

  /**
   * Runs `write`, which changes the rows of `table` for which `where` holds, and updates hash and digest.
   * Afterwards there may be at most one such row. Call it within a transaction.
   */
  change<T>(table: string, where: string, values: readonly unknown[], write: () => T): T {
    const before = this.sumOf(table, where, values);
    const result = write();
    this.settle(table, where, values, before);
    return result;
  }

  /** The same for a row whose key is known only after the insert. */
  insert(table: string, key: string, write: () => Database.RunResult): Database.RunResult {
    const result = write();
    this.settle(table, `${key} = ?`, [result.lastInsertRowid], { rows: 0, sum: 0n });
    return result;
  }

  /** The digests that an audit entry vouches for. */
  auditedState(): string {
    return JSON.stringify(
      Object.fromEntries(
        [...this.digests()]
          .filter(([name]) => name !== 'audit' && !UNAUDITED.has(name))
          .map(([name, { rows, sum }]) => [name, `${rows}:${hex(sum)}`]),
      ),
    );
  }

  /** Records where the audit log ends, so that removed entries at its end are noticed. */
  auditedTo(entries: number, lastHash: string, lastId: number): void {
    this.put('audit', {
      rows: entries,
      sum: entries === 0 ? 0n : sumOf(lastHash),
      afterAudit: lastId,
    });
  }

  /** Whether the audit log still ends at the recorded entry. */
  auditEndsAt(entries: number, lastHash: string): boolean {
    const digest = this.digest('audit');
    return digest.rows === entries && digest.sum === (entries === 0 ? 0n : sumOf(lastHash));
  }

  digests(): Map<string, TableDigest> {
    return new Map(
      (this.all('SELECT name, rows, sum, after_audit FROM digests ORDER BY name') as Row[]).map(
        (row) => [
          String(row['name']),
          {
            rows: Number(row['rows']),
            sum: sumOf(String(row['sum'])),
            afterAudit: Number(row['after_audit']),
          },
        ],
      ),
    );
  }

  /** Hashes rows that have no hash yet, as they are. Returns their number. */
  cover(): number {
    let covered = 0;
    for (const table of this.tables()) {
      const { key } = this.describe(table);
      const where = key.map((name) => `${quoted(name)} = ?`).join(' AND ');
      let { rows, sum, afterAudit } = this.digest(table);
      for (const row of this.all(`SELECT * FROM ${table} WHERE ${HASH_COLUMN} IS NULL`) as Row[]) {
        const hash = this.hashOf(table, row);
        this.run(
          `UPDATE ${table} SET ${HASH_COLUMN} = ? WHERE ${where}`,
          hash,
          ...key.map((name) => row[name]),
        );
        rows += 1;
        sum = (sum + numberOf(hash)) % MODULUS;
        covered += 1;
      }
      afterAudit = this.lastAudit();
      this.put(table, { rows, sum, afterAudit });
    }
    return covered;
  }

  /**
   * The first damaged row or table. Rows once found intact are not checked again while their hash is the same. Call
   * it within a transaction if others may write.
   * @param large a column of blobs: rows with a large one are not hashed, only added up
   */
  firstDamage(table: string, large?: string): CatalogDamage | undefined {
    const before = this.sound.get(table);
    const size = large === undefined ? '0' : `length(${quoted(large)})`;
    const small = `${size} <= ${MOST_HASHED_BYTES}`;
    // The first time, everything is read at once, if nothing is large.
    const atOnce = before === undefined && large === undefined;
    const key = this.describe(table).key.map(quoted).join(', ');
    const columns = atOnce ? '*' : `${HASH_COLUMN}, ${small} AS small, ${key}`;
    const now = new Map<string, Uint8Array>();
    const unseen = new Set<string>();
    let sum = 0n;
    let rows = 0;
    for (const row of this.each(`SELECT ${columns} FROM ${table}`)) {
      rows += 1;
      const hash = row[HASH_COLUMN];
      const id = this.rowName(table, row);
      if (!(hash instanceof Uint8Array) || hash.length !== HASH_BYTES)
        return { table, row: id, problem: CHANGED };
      sum += numberOf(hash);
      now.set(id, hash);
      if (atOnce) {
        if (!this.hashOf(table, row).equals(hash)) return { table, row: id, problem: CHANGED };
        continue;
      }
      const known = before?.get(id);
      const isKnown = known !== undefined && Buffer.compare(known, hash) === 0;
      if (!isKnown && row['small'] === 1n) unseen.add(id);
    }
    if (unseen.size > 0)
      for (const row of this.each(`SELECT * FROM ${table} WHERE ${small}`)) {
        const id = this.rowName(table, row);
        if (unseen.has(id) && !this.hashOf(table, row).equals(now.get(id)!))
          return { table, row: id, problem: CHANGED };
      }
    const digest = this.digest(table);
    if (digest.rows !== rows || digest.sum !== sum % MODULUS)
      return { table, row: undefined, problem: 'rows are missing, or were exchanged or added' };
    this.sound.set(table, now);
    return undefined;
  }

  /** Whether the one row for which `where` holds is intact; true also if there is none. */
  isSound(table: string, where: string, values: readonly unknown[]): boolean {
    const [row] = this.all(`SELECT * FROM ${table} WHERE ${where}`, ...values) as Row[];
    const hash = row?.[HASH_COLUMN];
    if (row === undefined) return true;
    return hash instanceof Uint8Array && this.hashOf(table, row).equals(hash);
  }

  private rowName(table: string, row: Row): string {
    return this.describe(table)
      .key.map((name) => `${name} ${String(row[name])}`)
      .join(', ');
  }

  /** Every damaged row and table. Call it within a transaction if others may write. */
  *damages(): Generator<CatalogDamage> {
    const digests = this.digests();
    for (const table of this.tables()) {
      let rows = 0;
      let sum = 0n;
      for (const row of this.each(`SELECT * FROM ${table}`)) {
        rows += 1;
        const stored = row[HASH_COLUMN];
        if (stored instanceof Uint8Array && stored.length === HASH_BYTES) {
          sum = (sum + numberOf(stored)) % MODULUS;
          if (this.hashOf(table, row).equals(stored)) continue;
        }
        yield { table, row: this.rowName(table, row), problem: CHANGED };
      }
      const digest = digests.get(table);
      if (digest === undefined) yield { table, row: undefined, problem: 'its digest is missing' };
      else if (digest.rows !== rows)
        yield { table, row: undefined, problem: `has ${rows} rows, ${digest.rows} were written` };
      else if (digest.sum !== sum)
        yield { table, row: undefined, problem: 'rows were exchanged, or its digest was changed' };
    }
  }

  /**
   * Tables that differ from what the last audit entry vouches for, although they had no legitimate change since.
   * @param state of that entry
   */
  differingFromAudit(state: string, lastAudit: number): string[] {
    const vouched = new Map(Object.entries(JSON.parse(state) as Record<string, unknown>));
    return [...this.digests()]
      .filter(
        ([name, { rows, sum, afterAudit }]) =>
          vouched.has(name) &&
          afterAudit < lastAudit &&
          vouched.get(name) !== `${rows}:${hex(sum)}`,
      )
      .map(([name]) => name);
  }

  private settle(
    table: string,
    where: string,
    values: readonly unknown[],
    before: { rows: number; sum: bigint },
  ): void {
    const rows = this.all(`SELECT * FROM ${table} WHERE ${where}`, ...values) as Row[];
    if (rows.length > 1) throw new Error(`${rows.length} rows of ${table} were changed at once`);
    const [row] = rows;
    if (row === undefined && before.rows === 0) return;
    const digest = this.digest(table);
    let sum = digest.sum - before.sum;
    if (row !== undefined) {
      const hash = this.hashOf(table, row);
      this.run(`UPDATE ${table} SET ${HASH_COLUMN} = ? WHERE ${where}`, hash, ...values);
      sum += numberOf(hash);
    }
    this.put(table, {
      rows: digest.rows - before.rows + rows.length,
      sum: ((sum % MODULUS) + MODULUS) % MODULUS,
      afterAudit: this.lastAudit(),
    });
  }

  private sumOf(
    table: string,
    where: string,
    values: readonly unknown[],
  ): { rows: number; sum: bigint } {
    let sum = 0n;
    const rows = this.all(`SELECT ${HASH_COLUMN} FROM ${table} WHERE ${where}`, ...values) as Row[];
    for (const row of rows) {
      const hash = row[HASH_COLUMN];
      if (hash instanceof Uint8Array) sum += numberOf(hash);
    }
    return { rows: rows.length, sum: sum % MODULUS };
  }

  private digest(table: string): TableDigest {
    const row = this.statement('SELECT rows, sum, after_audit FROM digests WHERE name = ?').get(
      table,
    ) as Row | undefined;
    if (row === undefined) return { rows: 0, sum: 0n, afterAudit: 0 };
    return {
      rows: Number(row['rows']),
      sum: sumOf(String(row['sum'])),
      afterAudit: Number(row['after_audit']),
    };
  }

  private put(table: string, { rows, sum, afterAudit }: TableDigest): void {
    this.run(
      'INSERT OR REPLACE INTO digests(name, rows, sum, after_audit) VALUES (?, ?, ?, ?)',
      table,
      rows,
      hex(sum),
      afterAudit,
    );
  }

  private lastAudit(): number {
    const row = this.statement('SELECT max(id) AS id FROM audit').get() as Row;
    return Number(row['id'] ?? 0);
  }

  /** Covered tables. */
  private tables(): string[] {
    return (
      this.all(
        `SELECT s.name FROM sqlite_schema s, pragma_table_info(s.name) c
         WHERE s.type = 'table' AND c.name = '${HASH_COLUMN}' ORDER BY s.name`,
      ) as Row[]
    ).map((row) => String(row['name']));
  }

  private describe(table: string): CoveredTable {
    let described = this.described.get(table);
    if (described === undefined) {
      const info = this.all(
        'SELECT name, dflt_value, pk FROM pragma_table_info(?)',
        table,
      ) as Row[];
      described = {
        columns: info
          .filter((column) => column['name'] !== HASH_COLUMN)
          .map((column) => ({
            name: String(column['name']),
            default: this.valueOf(column['dflt_value'] ?? null),
          }))
          .sort((a, b) => (a.name < b.name ? -1 : 1)),
        key: info
          .filter((column) => Number(column['pk']) > 0)
          .sort((a, b) => Number(a['pk']) - Number(b['pk']))
          .map((column) => String(column['name'])),
      };
      this.described.set(table, described);
    }
    return described;
  }

  /** A default value, which the catalog's schema writes as a literal. */
  private valueOf(literal: Value): Value {
    if (typeof literal !== 'string') return null;
    const text = /^'((?:[^']|'')*)'$/.exec(literal)?.[1];
    if (text !== undefined) return text.replaceAll("''", "'");
    return /^-?\d+$/.test(literal) ? BigInt(literal) : null;
  }

  private hashOf(table: string, row: Row): Buffer {
    let hash: Hash | undefined;
    let text = table;
    for (const { name, default: usual } of this.describe(table).columns) {
      const value = row[name] ?? null;
      if (value === usual) continue;
      text += `\0${name}\0`;
      if (value === null) text += 'n';
      else if (value instanceof Uint8Array) {
        hash = (hash ?? createHash('sha256')).update(`${text}b${value.length}:`).update(value);
        text = '';
      } else if (typeof value === 'string') text += `t${value.length}:${value}`;
      else text += `${typeof value === 'bigint' ? 'i' : 'r'}${value}`;
    }
    return hash === undefined ? digestOf('sha256', text, 'buffer') : hash.update(text).digest();
  }

  private all(sql: string, ...values: unknown[]): unknown[] {
    return this.statement(sql).all(...values);
  }
  private each(sql: string): Iterable<Row> {
    return this.statement(sql).iterate() as Iterable<Row>;
  }
  private run(sql: string, ...values: unknown[]): void {
    this.statement(sql).run(...values);
  }
  /** Whole numbers are read as bigint: none may be rounded to another. */
  private statement(sql: string): Database.Statement {
    let statement = this.statements.get(sql);
    if (statement === undefined) {
      statement = this.db.prepare(sql).safeIntegers(true);
      this.statements.set(sql, statement);
    }
    return statement;
  }
}

function quoted(name: string): string {
  return `"${name}"`;
}

function numberOf(hash: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(hash.buffer, hash.byteOffset, hash.byteLength).toString('hex')}`);
}

function hex(sum: bigint): string {
  return sum.toString(16).padStart(64, '0');
}

/** The number in `digests.sum`; if it is damaged, one that is not a sum of hashes. */
function sumOf(text: string): bigint {
  return /^[0-9a-f]{64}$/.test(text) ? BigInt(`0x${text}`) : -1n;
}
