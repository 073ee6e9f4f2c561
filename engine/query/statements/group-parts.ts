/**
 * Groups that do not fit in memory at once. They are computed in parts, each with the groups whose values have the
 * same remainder of a hash, into a table of the database `work`, which DuckDB moves to the spill folder as needed.
 * Every group is in one part, so that nothing must be merged.
 */
import { quoteIdentifier } from '../dialect/duckdb.ts';

/** Rows whose texts are measured. */
const SAMPLE_ROWS = 256;

/** The input of a grouping: in partitions, or in one piece. */
interface Divided {
  readonly parts?: GroupParts | undefined;
}

/** How groups are divided. */
export interface Division {
  /** Name of the tables, which no other statement uses. */
  readonly name: string;
  readonly count: number;
}

export class GroupParts {
  /** To be run first, in this order. */
  readonly fills: string[] = [];
  readonly tables: string[] = [];
  /** Of the first stage that groups: about how many groups there are, its rows, and the mean length of their texts. */
  estimate: string | undefined;
  private readonly division: Division;

  constructor(division: Division) {
    this.division = division;
  }

  grouped(select: string, rows: string, keys: string): string {
    const first = `SELECT * FROM (${rows}) AS r LIMIT ${SAMPLE_ROWS}`;
    const length = `SELECT avg(strlen(CAST(sampled AS VARCHAR))) FROM (${first}) AS sampled`;
    this.estimate ??= `SELECT approx_count_distinct(hash(${keys})), count(*), (${length}) FROM (${rows}) AS r`;
    const { name, count } = this.division;
    const table = `work.main.${quoteIdentifier(`${name}_${this.tables.length}`)}`;
    this.tables.push(table);
    for (let part = 0; part < count; part++) {
      const groupsOfPart = `SELECT ${select} FROM (${rows}) AS r WHERE hash(${keys}) % ${count} = ${part} GROUP BY ${keys}`;
      this.fills.push(
        part === 0
          ? `CREATE TABLE ${table} AS ${groupsOfPart}`
          : `INSERT INTO ${table} ${groupsOfPart}`,
      );
    }
    return `SELECT * FROM ${table}`;
  }
}

/** Groups of rows: at once, or in parts if the input is divided. */
export function groupedRows(
  { parts }: Divided,
  select: string,
  rows: string,
  keys: string,
): string {
  if (keys === '') return `SELECT ${select} FROM (${rows}) AS r`;
  return (
    parts?.grouped(select, rows, keys) ?? `SELECT ${select} FROM (${rows}) AS r GROUP BY ${keys}`
  );
}

/** How groups that are read more than once are materialised: those in parts are in a table already. */
export function keptGroups({ parts }: Divided): 'MATERIALIZED' | 'NOT MATERIALIZED' {
  return parts === undefined ? 'MATERIALIZED' : 'NOT MATERIALIZED';
}
