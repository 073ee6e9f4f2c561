/** `query.run` and `query.explain`: a query as the command line runs it, its answer as a batch. */
import { makeColumn, type CellValue, type ColumnBatch } from '../contract/column-batch.ts';
import type { ShownRecord, ShownValue } from '../query/index.ts';
import { bucketsAcross, countOf, namesOf, recordsOf } from './answer-records.ts';
import { scopeOf, type View, type ViewScope } from './ask-view.ts';
import type { CaseSession } from './case-session.ts';
import { rowFieldNames, shownRows, startQuery, type RunningQuery } from './query.ts';
import { cell, valueOf } from './shown-cells.ts';

export interface RunAnswer {
  shape: RunningQuery['plan']['shape'];
  columns: string[];
  batch: ColumnBatch;
  /** Rows beyond those in `batch`; undefined when that is not known. */
  left?: number;
  rest?: Record<string, unknown>;
  total?: Record<string, unknown>;
}

/** @throws DaybookError query-syntax, unknown-field, limit-exceeded, cancelled */
export async function runQuery(
  session: CaseSession,
  parameters: View & { limit: number },
  signal: AbortSignal,
): Promise<RunAnswer & ViewScope> {
  const { query, from, to, list, zone, path, limit } = parameters;
  const start = (most: number) =>
    startQuery(session, { text: query, from, to, list, zone, path, limit: most, signal });
  const running = start(limit + 1);
  const { plan } = running;
  const answered =
    plan.shape === 'rows' ? await rows(running, zone, limit) : await table(running, limit);
  return { ...answered, ...scopeOf(plan, running.timings(), running.notes()) };
}

async function rows(running: RunningQuery, zone: string, limit: number): Promise<RunAnswer> {
  const records: ShownRecord[] = [];
  for await (const some of shownRows(running, zone)) records.push(...some);
  const more = records.length > limit;
  const kept = records.slice(0, limit);
  const { plan } = running;
  const used = new Set(
    kept.flatMap((record) => [...Object.keys(record), ...attributeNames(record)]),
  );
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

function attributeNames({ attrs }: ShownRecord): string[] {
  if (typeof attrs !== 'object' || attrs === null || Array.isArray(attrs)) return [];
  return Object.keys(attrs).map((name) => `attrs.${name}`);
}

async function table(running: RunningQuery, limit: number): Promise<RunAnswer> {
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
  return {
    rows: records.length,
    columns: names.map((name) =>
      makeColumn(name, records.length, (row) => plain(valueOf(records[row]!, name))),
    ),
  };
}

function plain(value: ShownValue | undefined): CellValue {
  if (Array.isArray(value)) return value.join(',');
  const shown = cell(value);
  return typeof shown === 'string' || typeof shown === 'number' ? shown : null;
}

/** @throws DaybookError query-syntax, unknown-field */
export function explainQuery(
  session: CaseSession,
  { query, from, to, list, zone, path }: View,
): Promise<string[]> {
  return startQuery(session, { text: query, from, to, list, zone, path }).explain();
}
