/**
 * An instance of DuckDB that is made before it is known which case is to be read: the first instance of a process, and
 * the first statement, take several times as long as later ones, and a first question would wait for them.
 *
 * Holds always: it is given to one case at most, and has nothing of any.
 */
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';

export interface StoreOptions {
  /** Bytes. */
  memoryLimit: number;
  threads: number;
  /** Files that the process may have open; the system's limit when left out. */
  openFiles?: number;
}

/** What a store of segments begins with: connections that statements of queries do not use. */
export interface Started {
  readonly instance: DuckDBInstance;
  readonly admin: DuckDBConnection;
  readonly marker: DuckDBConnection;
  readonly lister: DuckDBConnection;
}

/** An instance with the tables that statements join with, not yet held to the folder of a case. */
export async function startInstance({ threads, memoryLimit }: StoreOptions): Promise<Started> {
  const instance = await DuckDBInstance.create(':memory:', {
    threads: String(threads),
    memory_limit: `${Math.round(memoryLimit / 1e6)}MB`,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    preserve_insertion_order: 'true',
  });
  const [admin, marker, lister] = await Promise.all([
    instance.connect(),
    instance.connect(),
    instance.connect(),
  ]);
  // At once: between statements the thread may be busy with indexes.
  await admin.run(
    [
      `ATTACH ':memory:' AS lists`,
      `ATTACH ':memory:' AS marks`,
      'CREATE TABLE marks.deleted (segment INTEGER, row BIGINT)',
      'CREATE TABLE marks.tagged (segment INTEGER, tag INTEGER, row BIGINT)',
    ].join(';'),
  );
  return { instance, admin, marker, lister };
}

/** A statement of the form that events are read with; it finds nothing. */
const REHEARSAL = `SELECT r.segment AS o0, list_value(r.row)[1] AS o1 FROM (${[1, 2]
  .map((n) => `SELECT segment, row FROM marks.deleted WHERE rowid IN (${n}, ${n + 1})`)
  .join(' UNION ALL ')}) AS r ORDER BY r.row LIMIT 1`;
/** As shapes are asked for. */
const REHEARSED_SHAPES = `SELECT CAST(estimated_size AS INTEGER), comment FROM duckdb_tables() WHERE database_name IN ('lists')`;

export class ReadyInstance {
  private waiting:
    { readonly options: StoreOptions; readonly started: Promise<Started> } | undefined;

  /** Begins; whoever takes it waits for the rest. */
  prepare(options: StoreOptions): void {
    const started = rehearsed(options);
    this.waiting = { options, started };
    // Who takes it makes another.
    started.catch(() => undefined);
  }

  /** What waits, if it was made with these options; else one that is made now, and what waits is let go of. */
  async take(options: StoreOptions): Promise<Started> {
    const { waiting } = this;
    this.waiting = undefined;
    if (waiting === undefined) return startInstance(options);
    const { threads, memoryLimit } = waiting.options;
    if (threads === options.threads && memoryLimit === options.memoryLimit)
      return waiting.started.catch(() => startInstance(options));
    waiting.started.then(endInstance, () => undefined);
    return startInstance(options);
  }

  /** Lets go of what nobody took. */
  async close(): Promise<void> {
    const { waiting } = this;
    this.waiting = undefined;
    const started = await waiting?.started.catch(() => undefined);
    if (started !== undefined) endInstance(started);
  }
}

async function rehearsed(options: StoreOptions): Promise<Started> {
  const started = await startInstance(options);
  // Of what there is no memory for, those who ask are told.
  for (const sql of [REHEARSED_SHAPES, REHEARSAL])
    await started.admin.run(sql).catch(() => undefined);
  return started;
}

export function endInstance({ instance, admin, marker, lister }: Started): void {
  lister.closeSync();
  marker.closeSync();
  admin.closeSync();
  instance.closeSync();
}
