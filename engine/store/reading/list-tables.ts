/**
 * Tables for the lists that narrow queries, in a separate in-memory database: values reach DuckDB in vectors, never
 * as part of a statement.
 */
import {
  BIGINT,
  DOUBLE,
  DuckDBDataChunk,
  INTEGER,
  UINTEGER,
  USMALLINT,
  UTINYINT,
  VARCHAR,
  type DuckDBAppender,
  type DuckDBConnection,
  type DuckDBType,
} from '@duckdb/node-api';
import { identifier, storeError } from '../segment-builder.ts';

/** A table of values. */
export interface ListTable {
  readonly name: string;
  /** The values of each column: numbers, or texts if `type` is VARCHAR. */
  readonly columns: readonly {
    readonly name: string;
    readonly type: string;
    readonly values: Float64Array | readonly (number | string)[];
  }[];
  readonly rows: number;
}

const TYPES: Readonly<Record<string, DuckDBType>> = {
  ...{ UTINYINT, USMALLINT, UINTEGER, INTEGER, BIGINT, DOUBLE, VARCHAR },
};
/** DuckDB's vector size. */
const CHUNK = 2048;

/** Writes tables into the database `lists`. */
export class ListTables {
  private readonly connection: DuckDBConnection;

  constructor(connection: DuckDBConnection) {
    this.connection = connection;
  }

  /** @throws DaybookError limit-exceeded */
  async create(table: ListTable): Promise<void> {
    const { connection } = this;
    const columns = table.columns.map(({ name, type }) => `${identifier(name)} ${type}`);
    try {
      await connection.run(
        `CREATE OR REPLACE TABLE lists.main.${identifier(table.name)} (${columns.join(', ')})`,
      );
      const appender = await connection.createAppender(table.name, 'main', 'lists');
      try {
        append(appender, table);
      } finally {
        appender.closeSync();
      }
    } catch (error) {
      throw storeError(error);
    }
  }

  async drop(name: string): Promise<void> {
    await this.connection.run(`DROP TABLE IF EXISTS lists.main.${identifier(name)}`);
  }
}

function append(appender: DuckDBAppender, { columns, rows }: ListTable): void {
  const types = columns.map(({ type }) => {
    const known = TYPES[type];
    if (known === undefined) throw new TypeError(`no list has values of type ${type}`);
    return known;
  });
  for (let at = 0; at < rows; at += CHUNK) {
    const size = Math.min(CHUNK, rows - at);
    const chunk = DuckDBDataChunk.create(types, size);
    columns.forEach(({ type, values }, column) => {
      const vector = chunk.getColumnVector(column);
      if (type === 'BIGINT')
        for (let row = 0; row < size; row++) vector.setItem(row, BigInt(values[at + row]!));
      else for (let row = 0; row < size; row++) vector.setItem(row, values[at + row]!);
      vector.flush();
    });
    appender.appendDataChunk(chunk);
  }
}
