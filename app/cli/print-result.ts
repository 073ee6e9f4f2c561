/** Results in the formats of the command line: rows as they come, and answers. */
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { DaybookError } from '../../engine/contract/errors.ts';
import { bucketsAcross, namesOf, recordsOf } from '../../engine/operations/answer-records.ts';
import { csvLine } from '../../engine/operations/csv.ts';
import type { Answer, RunningQuery, ShownRecord } from '../../engine/operations/query.ts';
import { cell, csvCells, valueOf } from '../../engine/operations/shown-cells.ts';
import type { OptionSpec, Parsed } from './arguments.ts';
import { count, table, TableLayout, write, type Streams } from './output.ts';

const FORMATS = ['table', 'ndjson', 'csv', 'json', 'parquet'] as const;
export type Format = (typeof FORMATS)[number];

export interface PrintOptions {
  /** Undefined: one JSON document with what is beside the result; rows as NDJSON. */
  readonly format: Format | undefined;
  /** A file; undefined: standard output. */
  readonly out: string | undefined;
  readonly streams: Streams;
  /** What stands beside the result in a JSON document. Asked for when the result has been printed. */
  readonly beside: () => object;
}

/** Options of every command that prints a result. */
export const RESULT_OPTIONS = {
  limit: {
    type: 'string',
    value: 'N',
    help: 'at most N rows; of groups the query says how many: top 5, patterns 20',
  },
  format: {
    type: 'string',
    value: 'F',
    help: `how to print: ${FORMATS.join(', ')} (default table)`,
  },
  out: { type: 'string', value: 'FILE', help: 'write the result to a file' },
} as const satisfies Record<string, OptionSpec>;

/** What to tell who gave `--limit` for a result that it does not cut; empty otherwise. */
export function limitUnused(
  parsed: Parsed,
  { shape }: Pick<RunningQuery['plan'], 'shape'>,
): string {
  if (parsed.text('limit') === undefined || (shape !== 'top' && shape !== 'timeline')) return '';
  return '--limit cuts rows, not groups or buckets: the query says how many (top 5, patterns 20, timeline 1d)\n';
}

/**
 * What `--format`, `--out` and `--json` ask for.
 * @throws DaybookError usage
 */
export function formatOf(parsed: Parsed): Pick<PrintOptions, 'format' | 'out'> {
  const asked = parsed.text('format') ?? (parsed.flag('json') ? undefined : 'table');
  const out = parsed.text('out');
  const format = FORMATS.find((one) => one === asked);
  if (asked !== undefined && format === undefined) {
    throw new DaybookError(
      'usage',
      `there is no format ${JSON.stringify(asked)}`,
      `formats: ${FORMATS.join(', ')}`,
    );
  }
  if (format === 'parquet' && out === undefined)
    throw new DaybookError('usage', 'Parquet goes to a file', 'name it with --out FILE.parquet');
  return { format, out };
}

/** Where a result goes: standard output, or a file. */
interface Output {
  write(text: string): Promise<void>;
  finish(): Promise<void>;
}

function outputTo({ out, streams }: PrintOptions): Output {
  if (out === undefined)
    return { write: (text) => write(streams.out, text), finish: async () => undefined };
  const stream = createWriteStream(out);
  const failed = once(stream, 'error').then(([error]) => {
    throw new DaybookError(
      'unreadable',
      `${out} cannot be written: ${error instanceof Error ? error.message : String(error)}`,
    );
  });
  failed.catch(() => undefined);
  return {
    write: (text) => Promise.race([write(stream, text), failed]),
    finish: async () => {
      stream.end();
      await Promise.race([once(stream, 'close'), failed]);
    },
  };
}

/** Characters of a large table that are put together before they are written. */
const WRITTEN_AT_ONCE = 65_536;
/** Rows gathered before a table's columns are fixed. */
const TABLE_SAMPLE = 200;
/** Fields that a table shows when the query chose none, as far as there are values. */
const TABLE_FIELDS = [
  'ts',
  'kind',
  'host',
  'program',
  'src_ip',
  'src_port',
  'dst_ip',
  'dst_port',
  'proto',
  'conn_state',
  'packets',
  'bytes',
  'packets_rev',
  'bytes_rev',
  'severity',
  'event_type',
  'message',
];

function tableNames(records: readonly ShownRecord[]): string[] {
  const present = new Set(records.flatMap((record) => Object.keys(record)));
  const names = TABLE_FIELDS.filter((name) => present.has(name));
  return names.length > 0 ? names : [...present];
}

/**
 * @param chosen names that `fields` chose; undefined: all
 * @param all names that rows may have, for CSV
 * @returns how many rows there were
 */
export async function printRecords(
  rows: AsyncIterable<ShownRecord[]>,
  chosen: readonly string[] | undefined,
  all: () => readonly string[],
  options: PrintOptions,
): Promise<number> {
  const { format, out, streams, beside } = options;
  let found = 0;
  if (format === 'parquet' && out !== undefined) {
    const { parquetSink } = await import('../../engine/operations/export.ts');
    const sink = parquetSink(out);
    try {
      for await (const records of rows) {
        for (const record of records) await sink.add(record);
        found += records.length;
      }
    } catch (error) {
      sink.abandon();
      throw error;
    }
    await sink.finish();
    return found;
  }
  const output = outputTo(options);
  const width = out === undefined ? streams.out.columns : undefined;
  let names = chosen;
  let waiting: ShownRecord[] = [];
  let layout: TableLayout | undefined;
  const flush = async () => {
    if (waiting.length === 0) return;
    const shown = (names ??= tableNames(waiting));
    if (format === 'csv') {
      await output.write(waiting.map((record) => csvLine(csvCells(record, shown))).join(''));
    } else {
      layout ??= new TableLayout(shown, width);
      const cells = waiting.map((record) => shown.map((name) => cell(valueOf(record, name))));
      await output.write(layout.add(cells));
    }
    waiting = [];
  };
  if (format === 'csv') {
    names ??= all();
    await output.write(csvLine(names));
  }
  if (format === 'json') await output.write('{"rows":[');
  for await (const records of rows) {
    if (format === undefined || format === 'ndjson') {
      await output.write(records.map((record) => `${JSON.stringify(record)}\n`).join(''));
    } else if (format === 'json') {
      const texts = records.map(
        (record, i) => `${found + i === 0 ? '' : ','}${JSON.stringify(record)}`,
      );
      await output.write(texts.join(''));
    } else {
      waiting.push(...records);
      if (waiting.length >= TABLE_SAMPLE) await flush();
    }
    found += records.length;
  }
  await flush();
  if (format === 'json') await output.write(`],${JSON.stringify(beside()).slice(1)}\n`);
  await output.finish();
  return found;
}

/** @returns the count, or how many rows there were */
export async function printAnswer(answer: Answer, options: PrintOptions): Promise<number> {
  const { format, out, streams, beside } = options;
  const across =
    answer.shape === 'timeline' && (format === 'table' || format === 'csv' || format === 'parquet');
  const records = across ? bucketsAcross(recordsOf(answer)) : recordsOf(answer);
  if (format === 'parquet' && out !== undefined) {
    const { parquetSink } = await import('../../engine/operations/export.ts');
    const sink = parquetSink(out);
    for (const record of records) await sink.add(record);
    return sink.finish();
  }
  const output = outputTo(options);
  const names =
    answer.shape === 'count'
      ? ['count']
      : 'columns' in answer
        ? [...answer.columns]
        : namesOf(records);
  if (format === undefined || format === 'json') {
    const { shape: _, ...document } = answer;
    await output.write(`${JSON.stringify({ ...document, ...beside() })}\n`);
  } else if (format === 'ndjson') {
    await output.write(records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  } else if (format === 'csv') {
    let text = csvLine(names);
    for (const record of records) {
      text += csvLine(names.map((name) => cell(record[name])));
      if (text.length < WRITTEN_AT_ONCE) continue;
      await output.write(text);
      text = '';
    }
    await output.write(text);
  } else if (answer.shape === 'count') {
    const text = typeof answer.count === 'number' ? count(answer.count) : answer.count;
    await output.write(`${text}\n`);
  } else {
    const width = out === undefined ? streams.out.columns : undefined;
    await output.write(answerTable(answer, names, records, width));
  }
  await output.finish();
  return answer.shape === 'count' ? Number(answer.count) : records.length;
}

const BAR = 40;
/** The value of events that lack a field, as the window calls it. */
const NONE = '(none)';

function answerTable(
  answer: Exclude<Answer, { shape: 'count' }>,
  names: readonly string[],
  records: readonly ShownRecord[],
  width: number | undefined,
): string {
  if (answer.shape === 'timeline') {
    const counts = records.map((bucket) => Number(bucket['count'] ?? 0));
    const most = counts.reduce((high, n) => Math.max(high, n), 1);
    const rows = records.map((bucket, i) => [
      ...names.map((name) => cell(bucket[name])),
      '█'.repeat(Math.ceil((BAR * counts[i]!) / most)),
    ]);
    return rows.length === 0 ? '' : table([...names, ''], rows, width);
  }
  // Before the measure and its share: the fields that were grouped by.
  const fields = answer.shape === 'top' ? names.indexOf('share') - 1 : 0;
  const rows = records.map((record) =>
    names.map((name, i) => {
      if (i < fields && record[name] === null) return NONE;
      return name === 'share' && typeof record[name] === 'number'
        ? `${(record[name] * 100).toFixed(1)} %`
        : cell(record[name]);
    }),
  );
  if (rows.length === 0) return '';
  const text = table(names, rows, width);
  if (answer.shape !== 'top') return text;
  const { count: events, groups } = answer.rest;
  return `${text}rest: ${count(Number(events))} events in ${count(Number(groups))} groups\n`;
}
