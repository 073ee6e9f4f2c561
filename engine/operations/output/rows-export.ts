/** Exports what a view shows: as CSV, newline-delimited JSON or Parquet. */
import type { EpochMicros } from '../../contract/event.ts';
import { Stopwatch } from '../../measure/operation-log.ts';
import { parseQuery, type ShownRecord, type ShownValue } from '../../query/index.ts';
import { bucketsAcross, countOf, namesOf, recordsOf } from '../query/answer-records.ts';
import {
  type GivenList,
  type CaseSession,
  shownRows,
  type RunningQuery,
  SUMMARY,
  summaryOf,
  askQuery,
} from '../../search/index.ts';
import { csvLine } from './csv.ts';
import { EXPANDED } from '../../query/names/fields.ts';
import { fieldName } from '../event/event-query.ts';
import { parquetSink } from './export.ts';
import {
  auditOutput,
  writeOutput,
  type OutputGuard,
  type OutputPlace,
  type Write,
  type Written,
} from './output-file.ts';
import { rowFieldNames } from '../../query/statements/shown-events.ts';
import { cell, csvCells, csvNames, jsonRecord, valueOf } from './shown-cells.ts';

export interface ExportParameters {
  query: string;
  from?: EpochMicros | undefined;
  to?: EpochMicros | undefined;
  list?: GivenList | undefined;
  /** For times in the query that state no zone, and for times shown. */
  zone: string;
  format: 'csv' | 'ndjson' | 'parquet';
  /** By default, those of the query. `summary` is the line by which lists describe an event. */
  fields?: readonly string[] | undefined;
  sort?: { field: string; descending: boolean } | undefined;
  limit?: number | undefined;
}

/** Rows between reports of progress. */
const TELL_MS = 100;

/**
 * Writes the rows of a view, or the table of its last stage.
 * @throws DaybookError query-syntax, unknown-field, usage, unreadable, disk-full, cancelled
 */
export async function exportRows(
  session: CaseSession,
  parameters: ExportParameters,
  place: OutputPlace,
  tell: (done: number) => Promise<void>,
): Promise<Written & { rows: number }> {
  const watch = new Stopwatch('export.rows');
  const { query, from, to, list, zone, limit, format, fields, sort } = parameters;
  const running = await askQuery(session, {
    text: exportedText(parameters),
    ...{ from, to, list, zone, limit, signal: place.signal },
    operation: 'export.rows.query',
  });
  const { rows, ...written } = await writeRows(
    { running, rows: shownRows(running, zone) },
    ...([parameters, session.snapshot().sources, place, tell] as const),
  );
  watch.rowsReturned = rows;
  session.record(watch, 'done');
  auditOutput(session, 'export', {
    ...{ query, from, to, zone, format, fields, sort, limit },
    ...(list === undefined ? {} : { list: session.lists.describe(list) }),
    ...{ rows, ...written },
  });
  return { ...written, rows };
}

/** A query that is planned, on a case or on a cluster. */
interface Asked {
  readonly running: Pick<RunningQuery, 'plan' | 'answer' | 'table'>;
  /** Events, for a plan of shape `rows`. */
  readonly rows: AsyncIterable<readonly ShownRecord[]>;
}

/**
 * Writes the result of the query of `exportedText`.
 * @param evidence files that must not be replaced
 * @throws DaybookError usage, unreadable, disk-full, cancelled
 */
export async function writeRows(
  asked: Asked,
  parameters: ExportParameters,
  evidence: OutputGuard['evidence'],
  place: OutputPlace,
  tell: (done: number) => Promise<void>,
): Promise<Written & { rows: number }> {
  let reportedAt = performance.now();
  const progress = async (done: number): Promise<void> => {
    if (performance.now() - reportedAt < TELL_MS) return;
    reportedAt = performance.now();
    await tell(done);
  };
  const { produced: rows, written } = await writeOutput(evidence, place, (write) =>
    parameters.format === 'parquet'
      ? writeParquet(asked, parameters, write, progress)
      : writeText(asked, parameters, write, progress),
  );
  return { ...written, rows };
}

/** The query of an export. @throws QueryError */
export function exportedText({ query, sort, fields }: ExportParameters): string {
  // A summary is made of fields that differ by kind: they are read, and only the chosen ones written.
  return withStages(query, sort, fields?.includes(SUMMARY) === true ? undefined : fields);
}

/** The query with the order and the fields that were chosen in the window after it. */
function withStages(
  query: string,
  sort: ExportParameters['sort'],
  fields: ExportParameters['fields'],
): string {
  // Errors in the query itself keep their own positions.
  parseQuery(query);
  const order =
    sort === undefined
      ? ''
      : ` | sort ${fieldName(sort.field)} ${sort.descending ? 'desc' : 'asc'}`;
  const chosen = fields === undefined ? '' : ` | fields ${fields.map(fieldName).join(', ')}`;
  return `${query}${order}${chosen}`;
}

type Progress = (done: number) => Promise<void>;

async function writeText(
  asked: Asked,
  { format, fields }: ExportParameters,
  write: Write,
  progress: Progress,
): Promise<number> {
  const encoder = new TextEncoder();
  const csv = format === 'csv';
  const text = (lines: string): Promise<void> => write(encoder.encode(lines));
  const json = (records: readonly ShownRecord[]): string =>
    records.map((record) => `${JSON.stringify(jsonRecord(record))}\n`).join('');
  if (asked.running.plan.shape !== 'rows') {
    const { names, records } = await tableRecords(asked.running, csv);
    let done = 0;
    if (csv) await text(csvLine(names));
    for await (const batch of records) {
      const lines = () => batch.map((record) => csvLine(names.map((name) => cell(record[name]))));
      await text(csv ? lines().join('') : json(batch));
      done += batch.length;
      await progress(done);
    }
    return done;
  }
  const names = csvNames(namesShown(asked.running, fields));
  const cells = csvCells(names);
  if (csv) await text(csvLine(names));
  let done = 0;
  for await (const records of exportedRows(asked, fields)) {
    await text(csv ? records.map((record) => csvLine(cells(record))).join('') : json(records));
    done += records.length;
    await progress(done);
  }
  return done;
}

function namesShown(
  { plan }: Asked['running'],
  fields: ExportParameters['fields'],
): readonly string[] {
  if (fields?.includes(SUMMARY) !== true) return rowFieldNames(plan);
  return [...new Set(fields.flatMap((name) => EXPANDED[name] ?? [name]))];
}

/** The rows; if a summary is requested, with it and only the other chosen fields. */
async function* exportedRows(
  asked: Asked,
  fields: ExportParameters['fields'],
): AsyncGenerator<readonly ShownRecord[]> {
  if (fields?.includes(SUMMARY) !== true) {
    yield* asked.rows;
    return;
  }
  const names = namesShown(asked.running, fields);
  for await (const records of asked.rows) {
    yield records.map((record) => {
      const summary = summaryOf(kindOf(record), (name) => valueOf(record, name) ?? null);
      const entries = names.map((name): [string, ShownValue | undefined] => [
        name,
        name === SUMMARY ? summary : valueOf(record, name),
      ]);
      // `fromEntries` makes `__proto__` a name like any other.
      return Object.fromEntries(
        entries.filter((entry): entry is [string, ShownValue] => entry[1] !== undefined),
      );
    });
  }
}

/** A small separate DuckDB writes the file, since Parquet cannot be written front to back. */
async function writeParquet(
  asked: Asked,
  { fields }: ExportParameters,
  write: Write,
  progress: Progress,
): Promise<number> {
  const sink = parquetSink();
  let names: readonly string[];
  let done = 0;
  try {
    if (asked.running.plan.shape === 'rows') {
      for await (const records of exportedRows(asked, fields)) {
        for (const record of records) await sink.add(record);
        done += records.length;
        await progress(done);
      }
      names = namesShown(asked.running, fields);
    } else {
      const table = await tableRecords(asked.running, true);
      for await (const records of table.records) {
        for (const record of records) await sink.add(record);
        done += records.length;
        await progress(done);
      }
      names = table.names;
    }
  } catch (error) {
    sink.abandon();
    throw error;
  }
  return sink.finish(write, names);
}

/** The table of a query's last stage; for a timeline, `across` has a column for each series. */
async function tableRecords(
  running: Asked['running'],
  across: boolean,
): Promise<{
  names: readonly string[];
  records: AsyncIterable<readonly ShownRecord[]> | readonly (readonly ShownRecord[])[];
}> {
  const { shape, ast } = running.plan;
  const isGathered = shape === 'count' || shape === 'top' || shape === 'timeline';
  if (!isGathered && ast.stages.at(-1)?.stage !== 'count') {
    const { columns, records } = await running.table();
    return { names: columns, records };
  }
  const answer = countOf(running, await running.answer());
  const records = recordsOf(answer);
  if (answer.shape !== 'timeline' || !across || records.length === 0)
    return { names: answer.columns, records: [records] };
  const wide = bucketsAcross(answer.buckets);
  return { names: namesOf(wide), records: [wide] };
}

function kindOf({ kind }: ShownRecord): string {
  return typeof kind === 'string' ? kind : '';
}
