/** `query.run` and `query.explain`: a query as the command line runs it, its answer as a batch. */
import { ColumnMaker, type CellValue, type ColumnBatch } from '../../contract/wire/column-batch.ts';
import type { Plan, ShownRecord, ShownValue } from '../../query/index.ts';
import { bucketsAcross, countOf, namesOf, recordsOf } from './answer-records.ts';
import {
  scopeOf,
  type View,
  type ViewScope,
  type CaseSession,
  shownRows,
  askQuery,
  type RunningQuery,
} from '../../search/index.ts';
import { rowFieldNames } from '../../query/statements/shown-events.ts';
import { cell, isRecord } from '../output/shown-cells.ts';
import { append } from '../../util/append.ts';

interface RunAnswer {
  shape: RunningQuery['plan']['shape'];
  columns: string[];
  batch: ColumnBatch;
  /** Number of rows beyond those in `batch`; undefined if unknown. */
  left?: number;
  rest?: Record<string, unknown>;
  total?: Record<string, unknown>;
}

/** @throws DaybookError query-syntax, unknown-field, limit-exceeded, cancelled */
export async function runQuery(
  session: CaseSession,
  parameters: View & { limit: number; aside?: true | undefined },
  signal: AbortSignal,
): Promise<RunAnswer & ViewScope> {
  const { query, from, to, list, zone, path, limit } = parameters;
  const start = (most: number) =>
    askQuery(session, {
      ...{ text: query, from, to, list, zone, path, limit: most, signal },
      ...(parameters.aside === true ? { operation: 'query.aside' } : {}),
    });
  const running = await start(limit + 1);
  return answerOf(running, shownRows(running, zone), limit);
}

/** A query that is planned, on a case or on a cluster. */
type Running = Pick<RunningQuery, 'plan' | 'answer' | 'notes' | 'timings'>;

/** @param shown rows of events, for a plan of shape `rows`: one more than `limit`, if there are more */
export async function answerOf(
  running: Running,
  shown: AsyncIterable<ShownRecord[]>,
  limit: number,
): Promise<RunAnswer & ViewScope> {
  const { plan } = running;
  const answered =
    plan.shape === 'rows' ? await rows(plan, shown, limit) : await table(running, limit);
  return { ...answered, ...scopeOf(plan, running.timings(), running.notes()) };
}

async function rows(
  plan: Plan,
  shown: AsyncIterable<ShownRecord[]>,
  limit: number,
): Promise<RunAnswer> {
  const records: ShownRecord[] = [];
  for await (const batch of shown) append(records, batch);
  const more = records.length > limit;
  const kept = records.slice(0, limit);
  const used = new Set<string>();
  for (const record of kept) forEachField(record, (name) => used.add(name));
  const names = rowFieldNames(plan).filter(
    (name) => plan.projection !== undefined || (name !== 'attrs' && used.has(name)),
  );
  return {
    shape: 'rows',
    columns: names,
    batch: batchOf(kept, names),
    ...(more ? {} : { left: 0 }),
  };
}

/** Visits the fields of a record, its attributes as `attrs.NAME` as well. */
function forEachField(
  record: ShownRecord,
  visit: (name: string, value: ShownValue | undefined) => void,
): void {
  for (const name of Object.keys(record)) visit(name, record[name]);
  const attributes = record['attrs'];
  if (!isRecord(attributes)) return;
  for (const name of Object.keys(attributes)) {
    const field = `attrs.${name}`;
    if (!Object.hasOwn(record, field)) visit(field, attributes[name]);
  }
}

async function table(running: Running, limit: number): Promise<RunAnswer> {
  const answer = countOf(running, await running.answer());
  const found = recordsOf(answer);
  const records = answer.shape === 'timeline' ? bucketsAcross(found) : found;
  const kept = records.slice(0, limit);
  const names =
    'columns' in answer && records.length === 0 ? [...answer.columns] : namesOf(records);
  const cut = answer.shape !== 'top' && answer.shape !== 'timeline' && records.length > limit;
  return {
    shape: answer.shape,
    columns: names,
    batch: batchOf(kept, names),
    ...(cut ? {} : { left: records.length - kept.length }),
    ...(answer.shape === 'top' ? { rest: answer.rest, total: answer.total } : {}),
  };
}

function batchOf(records: readonly ShownRecord[], names: readonly string[]): ColumnBatch {
  const columns = new Map(names.map((name) => [name, new ColumnMaker()]));
  records.forEach((record, row) =>
    forEachField(record, (name, value) => columns.get(name)?.add(row, plain(value))),
  );
  const rows = records.length;
  return { rows, columns: Array.from(columns, ([name, made]) => made.finish(name, rows)) };
}

function plain(value: ShownValue | undefined): CellValue {
  if (Array.isArray(value)) return value.join(',');
  const shown = cell(value);
  return typeof shown === 'string' || typeof shown === 'number' ? shown : null;
}

/** @throws DaybookError query-syntax, unknown-field */
export async function explainQuery(
  session: CaseSession,
  { query, from, to, list, zone, path }: View,
): Promise<string[]> {
  const asked = await askQuery(session, { text: query, from, to, list, zone, path });
  return asked.explain();
}
