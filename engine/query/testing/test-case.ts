/**
 * A small case in memory for tests of this module: events as plain objects, stored in a real DuckDB in the store's
 * layout (a schema `seg_N` per day and kind, with marks).
 */
import { DuckDBInstance, type DuckDBConnection, type DuckDBValue } from '@duckdb/node-api';
import { COLUMNS, type ColumnName, type Kind } from '../../contract/event.ts';
import { SQL_TYPES, quoteIdentifier } from '../dialect/duckdb.ts';
import {
  type Answer,
  type CompileContext,
  type Plan,
  type RawValue,
  type ShownRecord,
  type Statement,
  ROW_IDENTITY,
  compileAnswer,
  compileRange,
  compileRows,
  formatter,
  planQuery,
  shapeAnswer,
} from '../index.ts';
import type { SegmentInfo } from '../plan/scope.ts';

export interface TestEvent {
  readonly kind: Kind;
  readonly source: number;
  readonly seq: number;
  /** Epoch microseconds; undefined: undated. */
  readonly ts: number | undefined;
  /** Columns; addresses as `src_ip4` numbers and `src_ip6` UUID text. */
  readonly fields: Readonly<Partial<Record<ColumnName, string | number>>>;
  readonly attributes: Readonly<Record<string, string>>;
  /** Attributes in the JSON column. */
  readonly overflow?: Readonly<Record<string, string>>;
  readonly tags?: readonly number[];
  readonly deleted?: boolean;
}

interface RowsResult {
  readonly ids: string[];
  readonly records: ShownRecord[];
}

export interface TestCase {
  readonly events: readonly TestEvent[];
  readonly context: CompileContext;
  readonly connection: DuckDBConnection;
  /** The events of a segment, in the order of its rows. */
  eventsOf(segment: SegmentInfo): readonly TestEvent[];
  plan(text: string, more?: Partial<CompileContext>): Plan;
  /** Raw result rows of a statement. */
  raw(statement: Statement): Promise<RawValue[][]>;
  /** Rows of a plan, day by day if it is streaming, with their ids in order. */
  rows(plan: Plan, limit?: number): Promise<RowsResult>;
  answer(plan: Plan): Promise<Answer>;
  /** Ids (`source:seq`) of the events a query finds, in order. */
  ids(text: string, more?: Partial<CompileContext>): Promise<string[]>;
  close(): void;
}

export function dayOf(ts: number | undefined): string {
  return ts === undefined ? 'undated' : new Date(Math.floor(ts / 1000)).toISOString().slice(0, 10);
}

export const SOURCES = [
  { id: 1, name: 'bundle/fw.log' },
  { id: 2, name: 'auth.log' },
  { id: 3, name: 'bundle.zip!cap/a.pcap' },
];
export const TAGS = [
  { id: 1, name: 'lateral' },
  { id: 2, name: 'ioc-domain' },
  { id: 3, name: 'unused' },
];

function plain(value: DuckDBValue): RawValue {
  if (
    value === null ||
    typeof value === 'string' ||
    typeof value === 'number' ||
    typeof value === 'bigint' ||
    typeof value === 'boolean'
  ) {
    return value;
  }
  throw new TypeError(`a result column of type ${String(value)}`);
}

/** @param together whether all days of a kind are in one segment */
export async function openTestCase(
  events: readonly TestEvent[],
  together: (kind: Kind) => boolean = () => false,
): Promise<TestCase> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run('SET threads = 1');
  await connection.run('CREATE SCHEMA marks');
  await connection.run('CREATE TABLE marks.deleted(segment INTEGER, row BIGINT)');
  await connection.run('CREATE TABLE marks.tagged(segment INTEGER, tag INTEGER, row BIGINT)');

  const kinds = Map.groupBy(
    events.filter(({ ts }) => ts !== undefined),
    ({ kind }) => kind,
  );
  const spread = new Set(
    [...kinds].flatMap(([kind, ofKind]) =>
      together(kind) && new Set(ofKind.map(({ ts }) => dayOf(ts))).size > 1 ? kind : [],
    ),
  );
  const groups = new Map<string, TestEvent[]>();
  for (const event of events) {
    const isTogether = spread.has(event.kind) && event.ts !== undefined;
    const key = `${isTogether ? 'days' : dayOf(event.ts)} ${event.kind}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [event]);
    else group.push(event);
  }
  const segments: SegmentInfo[] = [];
  for (const [key, group] of groups) {
    const kind = key.split(' ')[1] as Kind;
    segments.push(await addSegment(connection, segments.length + 1, kind, group));
  }
  const times = events.flatMap(({ ts }) => ts ?? []);
  const context: CompileContext = {
    segments,
    sources: () => SOURCES,
    tags: TAGS,
    newestTs: times.length === 0 ? undefined : times.reduce((a, b) => Math.max(a, b)),
    zone: 'UTC',
  };
  const raw = async ({ sql, params }: Statement): Promise<RawValue[][]> => {
    const reader = await connection.runAndReadAll(sql, [...params]);
    return reader.getRows().map((row) => row.map(plain));
  };
  const rows = async (plan: Plan, limit?: number): Promise<RowsResult> => {
    const { event } = formatter(context);
    const most = Math.min(limit ?? Infinity, plan.limit ?? Infinity);
    const ids: string[] = [];
    const records: ShownRecord[] = [];
    const take = async (statement: Statement) => {
      for (const row of await raw(statement)) {
        ids.push(`${row[ROW_IDENTITY.sourceId]}:${row[ROW_IDENTITY.seq]}`);
        records.push(event(statement.columns, row));
      }
    };
    const left = () => (most === Infinity ? undefined : most - ids.length);
    if (!plan.streaming) await take(compileRows(plan, { limit: left() }));
    else {
      for (const day of new Set(plan.segmentsUsed.map((segment) => segment.day))) {
        if (left() === 0) break;
        const ofDay = plan.segmentsUsed.filter((segment) => segment.day === day);
        await take(compileRows(plan, { segments: ofDay, limit: left() }));
      }
    }
    return { ids, records };
  };
  return {
    events,
    context,
    connection,
    eventsOf: ({ day, days, kind }) =>
      inOrder(groups.get(`${days === undefined ? day : 'days'} ${kind}`) ?? []),
    plan: (text, more) => planQuery(text, { ...context, ...more }),
    raw,
    rows,
    answer: async (plan) => {
      if (plan.catalogCount !== undefined) return shapeAnswer(plan, undefined, [], context);
      let matched;
      if (plan.needsRange) {
        const [row] = await raw(compileRange(plan));
        const micros = (value: RawValue) =>
          value === null || value === undefined ? undefined : Number(value);
        matched = { low: micros(row?.[0]), high: micros(row?.[1]) };
      }
      const statement = compileAnswer(plan, matched);
      return shapeAnswer(plan, statement, await raw(statement), context);
    },
    ids: async (text, more) => (await rows(planQuery(text, { ...context, ...more }))).ids,
    close: () => {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

function inOrder(events: readonly TestEvent[]): TestEvent[] {
  return [...events].sort((a, b) => (a.ts ?? 0) - (b.ts ?? 0));
}

async function addSegment(
  connection: DuckDBConnection,
  id: number,
  kind: Kind,
  events: readonly TestEvent[],
): Promise<SegmentInfo> {
  const sorted = inOrder(events);
  const days = [...Map.groupBy(sorted, ({ ts }) => dayOf(ts))].map(([day, ofDay]) => ({
    ...{ day, rows: ofDay.length },
  }));
  const { day } = days[0]!;
  const types = new Map<string, string>([
    ['seq', 'BIGINT'],
    ['source_id', 'UINTEGER'],
  ]);
  if (day !== 'undated') types.set('ts', 'TIMESTAMP');
  for (const { fields, attributes, overflow } of sorted) {
    for (const name of Object.keys(fields) as ColumnName[])
      types.set(name, SQL_TYPES[COLUMNS[name]]);
    for (const name of Object.keys(attributes)) types.set(`a:${name}`, 'VARCHAR');
    if (overflow !== undefined) types.set('attrs', 'VARCHAR');
  }
  const table = `seg_${id}.events`;
  await connection.run(`CREATE SCHEMA seg_${id}`);
  await connection.run(
    `CREATE TABLE ${table} (${[...types].map(([name, type]) => `${quoteIdentifier(name)} ${type}`).join(', ')})`,
  );
  const tags = new Set<number>();
  let hasDeletes = false;
  for (const [row, event] of sorted.entries()) {
    const values = [...types].map(([name, type]): { sql: string; value: DuckDBValue } => {
      const value = valueOf(event, name);
      return { sql: type === 'TIMESTAMP' ? 'make_timestamp(?::BIGINT)' : `?::${type}`, value };
    });
    await connection.run(
      `INSERT INTO ${table} VALUES (${values.map(({ sql }) => sql).join(', ')})`,
      values.map(({ value }) => value),
    );
    for (const tag of event.tags ?? []) {
      tags.add(tag);
      await connection.run('INSERT INTO marks.tagged VALUES (?, ?, ?)', [id, tag, row]);
    }
    if (event.deleted === true) {
      hasDeletes = true;
      await connection.run('INSERT INTO marks.deleted VALUES (?, ?)', [id, row]);
    }
  }
  const times = sorted.flatMap(({ ts }) => ts ?? []);
  return {
    id,
    kind,
    day,
    days: days.length === 1 ? undefined : days,
    rows: sorted.length,
    minTs: times[0],
    maxTs: times.at(-1),
    columns: new Set(types.keys()),
    hasDeletes,
    tags,
    unflowedPackets:
      kind === 'packet' ? sorted.filter(({ fields }) => fields.flow_id === undefined).length : 0,
    sources: new Set(sorted.map(({ source }) => source)),
  };
}

function valueOf(event: TestEvent, name: string): DuckDBValue {
  if (name === 'seq') return event.seq;
  if (name === 'source_id') return event.source;
  if (name === 'ts') return event.ts ?? null;
  if (name === 'attrs') return event.overflow === undefined ? null : JSON.stringify(event.overflow);
  if (name.startsWith('a:')) return event.attributes[name.slice(2)] ?? null;
  return event.fields[name as ColumnName] ?? null;
}
