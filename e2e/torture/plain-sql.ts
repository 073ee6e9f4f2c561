/**
 * Questions that plain SQL over a case's segments can answer as well, without any of the product: DuckDB opens the
 * files that the catalog names. For cases in which nothing is deleted.
 */
import path from 'node:path';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import Database from 'better-sqlite3';
import type { Random } from '../../fixtures/evidence/random.ts';
import type { Vocabulary } from './grammar.ts';

const COLUMNS = {
  ...{ ts: 'TIMESTAMP', message: 'VARCHAR', src_ip4: 'UINTEGER', dst_ip4: 'UINTEGER' },
  ...{ src_port: 'USMALLINT', dst_port: 'USMALLINT', bytes: 'BIGINT', packets: 'BIGINT' },
} as const;

export class PlainSql {
  private readonly connection: DuckDBConnection;

  private constructor(connection: DuckDBConnection) {
    this.connection = connection;
  }

  static async open(folder: string): Promise<PlainSql> {
    const catalog = new Database(path.join(folder, 'case.sqlite'), { readonly: true });
    const segments = catalog
      .prepare<[], { id: number; kind: string; file: string; columns: string }>(
        'SELECT id, kind, file, columns FROM segments',
      )
      .all();
    catalog.close();
    const connection = await (await DuckDBInstance.create(':memory:')).connect();
    const parts: string[] = [];
    for (const { id, kind, file, columns } of segments) {
      await connection.run(`ATTACH '${path.join(folder, file)}' AS s${id} (READ_ONLY)`);
      const names = JSON.parse(columns) as string[];
      const wanted = Object.entries(COLUMNS).map(([name, type]) =>
        names.includes(name) ? name : `NULL::${type} AS ${name}`,
      );
      parts.push(`SELECT '${kind}' AS kind, ${wanted.join(', ')} FROM s${id}.events`);
    }
    await connection.run(`CREATE VIEW events AS ${parts.join(' UNION ALL ')}`);
    return new PlainSql(connection);
  }

  async rows(sql: string): Promise<string[]> {
    const reader = await this.connection.runAndReadAll(sql);
    return reader
      .getRows()
      .map((row) => row.map(String).join(' '))
      .sort();
  }

  close(): void {
    this.connection.closeSync();
  }
}

/** A condition in the product's language and in SQL. */
interface Condition {
  readonly text: string;
  readonly sql: string;
}

export interface SqlQuestion {
  readonly kind: string;
  readonly conditions: readonly Condition[];
  readonly operator: 'AND' | 'OR';
  /** The column by which it groups. */
  readonly by: 'dst_port' | 'src_port' | 'kind' | undefined;
}

export function sqlQuestion(random: Random, words: Vocabulary): SqlQuestion {
  return {
    kind: random.oneOf(['packet', 'flow', 'log', '*']),
    conditions: Array.from({ length: random.between(0, 3) }, () => condition(random, words)),
    operator: random.oneOf(['AND', 'OR']),
    by: random.oneOf([undefined, 'dst_port', 'src_port', 'kind']),
  };
}

export function textOfSql({ kind, conditions, operator, by }: SqlQuestion): string {
  const filter = conditions.map(({ text }) => text).join(` ${operator} `);
  const measures = 'count() as n, sum(bytes) as b, max(packets) as p';
  const group = by === undefined ? '' : ` by ${by}`;
  return `kind:${kind}${filter === '' ? '' : ` AND (${filter})`} | stats ${measures}${group}`;
}

export function sqlOf({ kind, conditions, operator, by }: SqlQuestion): string {
  const filters = conditions.map(({ sql }) => `coalesce(${sql}, false)`).join(` ${operator} `);
  const where = [
    kind === '*' ? 'true' : `kind = '${kind}'`,
    filters === '' ? 'true' : `(${filters})`,
  ];
  const group = by === undefined ? '' : `${by}, `;
  return `SELECT ${group}count(*), sum(bytes), max(packets) FROM events WHERE ${where.join(' AND ')}${by === undefined ? '' : ` GROUP BY ${by}`}`;
}

/** With one condition less, or without a group. */
export function* simplerSql(question: SqlQuestion): Generator<SqlQuestion> {
  if (question.by !== undefined) yield { ...question, by: undefined };
  for (let at = 0; at < question.conditions.length; at++)
    yield { ...question, conditions: question.conditions.toSpliced(at, 1) };
}

function condition(random: Random, words: Vocabulary): Condition {
  const one = leaf(random, words);
  if (random.below(4) > 0) return one;
  return { text: `NOT ${one.text}`, sql: `NOT coalesce(${one.sql}, false)` };
}

function leaf(random: Random, words: Vocabulary): Condition {
  const numbers = (field: string): number[] =>
    (words.values.get(field) ?? ['1']).map(Number).filter(Number.isSafeInteger);
  const addresses = (field: string): string[] =>
    (words.values.get(field) ?? []).filter((one) => /^\d+\.\d+\.\d+\.\d+$/.test(one));
  switch (random.below(5)) {
    case 0: {
      const field = random.oneOf(['src_ip', 'dst_ip']);
      const address = random.oneOf([...addresses(field), '10.20.10.20']);
      const bits = random.oneOf([32, 32, 24, 20, 16]);
      const number = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
      const size = 2 ** (32 - bits);
      const first = Math.floor(number / size) * size;
      return {
        text: bits === 32 ? `${field}:${address}` : `${field}:${address}/${bits}`,
        sql: `${field}4 BETWEEN ${first} AND ${first + size - 1}`,
      };
    }
    case 1: {
      const field = random.oneOf(['src_port', 'dst_port']);
      const port = random.oneOf([...numbers(field), 443]);
      return { text: `${field}:${port}`, sql: `${field} = ${port}` };
    }
    case 2: {
      const field = random.oneOf(['bytes', 'packets', 'dst_port']);
      const [low, high] = [random.oneOf(numbers(field)), random.below(50_000)].toSorted(
        (a, b) => Number(a) - Number(b),
      );
      return {
        text: `${field}:[${low} TO ${high}]`,
        sql: `${field} BETWEEN ${low} AND ${high}`,
      };
    }
    case 3: {
      const time = random.oneOf(words.times).slice(0, 19);
      return { text: `ts:>=${time}Z`, sql: `ts >= TIMESTAMP '${time.replace('T', ' ')}'` };
    }
    default: {
      const ascii = words.words.filter((one) => /^\w{2,}$/.test(one));
      const word = random.oneOf([...ascii, 'failed']);
      const other = '[^0-9A-Za-z_\\x{80}-\\x{10FFFF}]';
      return {
        text: `message:"${word}"`,
        sql: `regexp_matches(message, '(?i)(^|${other})${word}($|${other})')`,
      };
    }
  }
}
