/**
 * A ClickHouse server, or a cluster behind one address, through its official client. Nothing but the commands that name a
 * `clickhouse://` address contacts one.
 *
 * Invariant: a password is in no message.
 * Reference: https://clickhouse.com/docs/interfaces/http
 */
import type { Readable } from 'node:stream';
import {
  ClickHouseError,
  type ClickHouseClient,
  createClient,
  SettingsMap,
} from '@clickhouse/client';
import type { ClusterAddress } from '../../contract/cluster-address.ts';
import { CancelledError, DaybookError } from '../../contract/errors.ts';

const ADVICE =
  'set CLICKHOUSE_USER and CLICKHOUSE_PASSWORD, or put user and password in the address';

/** How answers are encoded, and that none is truncated, whatever the settings of a server or a user are. */
const SETTINGS = {
  output_format_json_quote_64bit_integers: 1,
  output_format_json_quote_denormals: 1,
  date_time_output_format: 'simple',
  session_timezone: 'UTC',
  // A query that nobody waits for any more is stopped there as well.
  cancel_http_readonly_queries_on_client_close: 1,
  // Columns of attributes (tables.ts) are there in subqueries, too.
  asterisk_include_materialized_columns: 1,
  ...{ limit: '0', offset: '0', additional_result_filter: '' },
  additional_table_filters: SettingsMap.from({}),
  // Exceeding a limit is an error.
  read_overflow_mode: 'throw',
  read_overflow_mode_leaf: 'throw',
  timeout_overflow_mode: 'throw',
  timeout_overflow_mode_leaf: 'throw',
  result_overflow_mode: 'throw',
  transfer_overflow_mode: 'throw',
  group_by_overflow_mode: 'throw',
  sort_overflow_mode: 'throw',
  distinct_overflow_mode: 'throw',
  set_overflow_mode: 'throw',
  join_overflow_mode: 'throw',
} as const;
/** A statement may drop and load a day; the server sends nothing meanwhile. */
const PATIENCE_MS = 3_600_000;

/** For a server that no longer answers. */
const KILL_MS = 10_000;
const SILENT = { level: 127 as const };

export type ClusterRow = readonly unknown[];

/** A value of a row as a text. */
export function cellText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export class Cluster {
  readonly address: ClusterAddress;
  private readonly client: ClickHouseClient;
  private readonly signal: AbortSignal;

  constructor(address: ClusterAddress, signal: AbortSignal) {
    this.address = address;
    this.signal = signal;
    const { url, user: username, password } = address;
    this.client = createClient({
      ...{ url, username, password, application: 'daybook', request_timeout: PATIENCE_MS },
      // Tables of long lists are a session's.
      session_id: crypto.randomUUID(),
      max_open_connections: 1,
      clickhouse_settings: SETTINGS,
      log: SILENT,
    });
  }

  /** All rows of a small answer. @throws DaybookError unreadable, not-found, usage, cancelled */
  async rows(sql: string): Promise<ClusterRow[]> {
    const out: ClusterRow[] = [];
    for await (const batch of this.batches(sql)) for (const row of batch) out.push(row);
    return out;
  }

  /** Streams rows. @throws DaybookError unreadable, not-found, usage, cancelled */
  async *batches(sql: string): AsyncGenerator<ClusterRow[]> {
    this.refuseCancelled();
    try {
      const answer = await this.client.query({
        ...{ query: sql, format: 'JSONCompactEachRow', abort_signal: this.signal },
      });
      for await (const rows of answer.stream<ClusterRow>()) yield rows.map((row) => row.json());
    } catch (error) {
      throw this.errorOf(error);
    }
  }

  /** @throws DaybookError unreadable, not-found, usage, cancelled */
  async run(sql: string): Promise<void> {
    this.refuseCancelled();
    const id = crypto.randomUUID();
    try {
      await this.client.command({ query: sql, query_id: id, abort_signal: this.signal });
    } catch (error) {
      // A server completes statements that change something even if nobody waits any more.
      if (this.signal.aborted) await this.kill(id);
      throw this.errorOf(error);
    }
  }

  /** The client would send a request that was cancelled before. @throws CancelledError */
  private refuseCancelled(): void {
    if (this.signal.aborted) throw new CancelledError();
  }

  /** Kills a statement through a separate connection: that of its session is waiting for it. */
  private async kill(id: string): Promise<void> {
    const { url, user: username, password } = this.address;
    const other = createClient({ url, username, password, request_timeout: KILL_MS, log: SILENT });
    try {
      await other.command({ query: `KILL QUERY WHERE query_id = '${id}' ASYNC` });
    } catch {
      // It may have ended, and not every user may kill a statement: then it runs to its end.
    } finally {
      await other.close();
    }
  }

  /** Runs an INSERT whose data is sent with it. @throws DaybookError as `run`, and whatever the data throws */
  async send(sql: string, data: Readable): Promise<void> {
    let failed: unknown;
    data.once('error', (error) => (failed = error));
    try {
      this.refuseCancelled();
      const { stream } = await this.client.exec({
        ...{ query: sql, values: data, abort_signal: this.signal },
      });
      await stream.resume().toArray();
    } catch (error) {
      throw failed ?? this.errorOf(error);
    } finally {
      data.destroy();
    }
    if (failed !== undefined) throw failed;
  }

  async close(): Promise<void> {
    await this.client.close();
  }

  private olderAs(said: string, error: Error): DaybookError {
    const { name, database } = this.address;
    return new DaybookError(
      ...(['unreadable', `${name} was attached by another version of Daybook (${said})`] as const),
      `attach it again with this one: daybook attach clickhouse://…/${database} FOLDER`,
      error,
    );
  }

  private errorOf(error: unknown): unknown {
    if (this.signal.aborted) return new CancelledError();
    if (error instanceof DaybookError || !(error instanceof Error)) return error;
    const { name, database } = this.address;
    if (!(error instanceof ClickHouseError)) {
      const code = 'code' in error ? String(error.code) : error.message;
      return new DaybookError(
        ...(['unreadable', `${name} does not answer: ${code}`] as const),
        'check that the server is running and that its HTTP port can be reached from here',
        error,
      );
    }
    const said = error.message.split('\n')[0]!.slice(0, 400);
    // https://github.com/ClickHouse/ClickHouse/blob/master/src/Common/ErrorCodes.cpp
    switch (error.code) {
      case '60':
      case '81':
        if (/\b(?:notes|tags|searches|findings)\b/.test(said) && !said.includes('attached'))
          return this.olderAs(said, error);
        return new DaybookError(
          ...(['not-found', `${name} has no case (${said})`] as const),
          `load one: daybook attach clickhouse://…/${database} FOLDER`,
          error,
        );
      case '47':
        return this.olderAs(said, error);
      case '192':
      case '193':
      case '194':
      case '516':
        return new DaybookError(
          ...([
            'unreadable',
            `${name} does not let ${this.address.user} in`,
            ADVICE,
            error,
          ] as const),
        );
      default:
        return new DaybookError('unreadable', `${name} refuses: ${said}`, undefined, error);
    }
  }
}
