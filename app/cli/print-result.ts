/** Prints results in the formats of the command line: streamed rows, and answers. */
import { counted } from '../../engine/contract/words/counted.ts';
import { DaybookError } from '../../engine/contract/errors.ts';
import { tcpFlagLetters } from '../../engine/contract/tcp-flags.ts';
import { bucketsAcross, namesOf, recordsOf } from '../../engine/operations/query/answer-records.ts';
import { type Cell, csvLine } from '../../engine/operations/output/csv.ts';
import type { Answer, AnswerTable, RunningQuery, ShownRecord } from '../../engine/search/index.ts';
import type { OutputGuard } from '../../engine/operations/output/output-file.ts';
import {
  cell,
  csvCells,
  csvNames,
  jsonRecord,
  valueOf,
} from '../../engine/operations/output/shown-cells.ts';
import type { OptionSpec, Parsed } from './arguments.ts';
import { FORCE_OPTION } from './command.ts';
import { count, table, TableLayout, visible, write, type Streams } from './output.ts';

const FORMATS = ['table', 'ndjson', 'csv', 'json', 'parquet'] as const;
export type Format = (typeof FORMATS)[number];

export interface PrintOptions {
  /** Undefined: one JSON document with the result and its metadata; rows as NDJSON. */
  readonly format: Format | undefined;
  /** A file; undefined: standard output. */
  readonly out: string | undefined;
  /** Files that the output must not replace. */
  readonly guard: OutputGuard;
  readonly streams: Streams;
  /** Metadata of the result in a JSON document. Requested after the result was printed. */
  readonly beside: () => object;
}

/** Options of every command that prints a result. */
export const RESULT_OPTIONS = {
  limit: {
    type: 'string',
    value: 'N',
    help: 'print at most N rows; the query itself limits groups: top 5, patterns 20',
  },
  format: {
    type: 'string',
    value: 'F',
    help: `how to print: ${FORMATS.join(', ')} (default table)`,
  },
  out: {
    type: 'string',
    value: 'FILE',
    help: 'write the result to a file, all or nothing; - is standard output',
  },
  ...FORCE_OPTION,
} as const satisfies Record<string, OptionSpec>;

/** A note where `--limit` has no effect on a result; empty otherwise. */
export function limitUnused(
  parsed: Parsed,
  { shape }: Pick<RunningQuery['plan'], 'shape'>,
): string {
  if (parsed.text('limit') === undefined || (shape !== 'top' && shape !== 'timeline')) return '';
  return '--limit applies to rows, not to groups or buckets: limit those in the query (top 5, patterns 20, timeline 1d)\n';
}

/**
 * The output requested by `--format`, `--out` and `--json`.
 * @throws DaybookError usage
 */
export function formatOf(parsed: Parsed): Pick<PrintOptions, 'format' | 'out'> {
  const { format, out } = askedFor(parsed);
  // Parquet is binary: a terminal must not get it, a pipe may.
  if (format === 'parquet' && out === undefined)
    throw new DaybookError(
      'usage',
      'Parquet needs a file to write to',
      'name it with --out FILE.parquet; --out - is standard output',
    );
  return { format, out: out === '-' ? undefined : out };
}

function askedFor(parsed: Parsed): Pick<PrintOptions, 'format' | 'out'> {
  const asked = parsed.text('format') ?? (parsed.flag('json') ? undefined : 'table');
  const out = parsed.text('out');
  const format = FORMATS.find((one) => one === asked);
  if (asked !== undefined && format === undefined) {
    throw new DaybookError(
      'usage',
      `unknown format: ${JSON.stringify(asked)}`,
      `formats: ${FORMATS.join(', ')}`,
    );
  }
  return { format, out };
}

/** The destination of a result: standard output, or a file. */
export interface Output {
  write(bytes: string | Uint8Array): Promise<void>;
}

/** Runs `print` on the output. A file is created only if it succeeds. */
export async function printTo<T>(
  { out, guard, streams }: Pick<PrintOptions, 'out' | 'guard' | 'streams'>,
  print: (output: Output) => Promise<T>,
): Promise<T> {
  if (out === undefined) return print({ write: (bytes) => write(streams.out, bytes) });
  const { createOutput } = await import('../../engine/operations/output/output-file.ts');
  const file = await createOutput(out, guard);
  const output = new BufferedOutput(file);
  try {
    const printed = await print(output);
    await output.flush();
    await file.commit();
    return printed;
  } catch (error) {
    await file.abandon();
    throw error;
  }
}

/** Rows as CSV. On a terminal control characters are shown, as in a table, never sent. */
export function csvLines(
  rows: readonly (readonly Cell[])[],
  { out, streams }: Pick<PrintOptions, 'out' | 'streams'>,
): string {
  const isForPeople = out === undefined && streams.out.isTTY === true;
  const shown = (one: Cell): Cell => (typeof one === 'string' ? visible(one) : one);
  return rows.map((cells) => csvLine(isForPeople ? cells.map(shown) : cells)).join('');
}

/** Gathers small texts to writes of some size. */
class BufferedOutput implements Output {
  private readonly file: Output;
  private waiting = '';

  constructor(file: Output) {
    this.file = file;
  }

  async write(bytes: string | Uint8Array): Promise<void> {
    if (typeof bytes !== 'string') {
      await this.flush();
      await this.file.write(bytes);
      return;
    }
    this.waiting += bytes;
    if (this.waiting.length >= WRITTEN_AT_ONCE) await this.flush();
  }

  async flush(): Promise<void> {
    const text = this.waiting;
    this.waiting = '';
    if (text !== '') await this.file.write(text);
  }
}

/** Characters of a large table that are joined before they are written. */
const WRITTEN_AT_ONCE = 65_536;
/** Rows gathered before a table's columns are fixed. */
const TABLE_SAMPLE = 200;
/** Default fields of a table, as far as they have values. */
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
 * @param all names that rows may have, for formats that name their columns
 * @returns how many rows there were
 */
export async function printRecords(
  rows: AsyncIterable<ShownRecord[]>,
  chosen: readonly string[] | undefined,
  all: () => readonly string[],
  options: PrintOptions,
): Promise<number> {
  const { format, out, streams, beside } = options;
  return printTo(options, async (output) => {
    if (format === 'parquet') return printParquet(rows, all, output);
    let found = 0;
    const width = out === undefined ? widthOf(streams) : undefined;
    let names = chosen;
    let waiting: ShownRecord[] = [];
    let layout: TableLayout | undefined;
    let cellsOf: ReturnType<typeof csvCells> | undefined;
    const flush = async () => {
      if (waiting.length === 0) return;
      const shown = (names ??= tableNames(waiting));
      if (format === 'csv') {
        cellsOf ??= csvCells(shown);
        await output.write(csvLines(waiting.map(cellsOf), options));
      } else {
        layout ??= new TableLayout(shown, width);
        const cells = waiting.map((record) =>
          shown.map((name) => tableCell(name, valueOf(record, name))),
        );
        await output.write(layout.add(cells));
      }
      waiting = [];
    };
    if (format === 'csv') {
      names = csvNames(names ?? all());
      await output.write(csvLines([names], options));
    }
    if (format === 'json')
      await output.write(`{"shape":"rows","columns":${JSON.stringify(all())},"rows":[`);
    for await (const records of rows) {
      if (format === undefined || format === 'ndjson') {
        await output.write(jsonLines(records));
      } else if (format === 'json') {
        const texts = records.map(
          (record, i) => `${found + i === 0 ? '' : ','}${JSON.stringify(jsonRecord(record))}`,
        );
        await output.write(texts.join(''));
      } else {
        // They would be too many as arguments of one call.
        for (const record of records) waiting.push(record);
        if (waiting.length >= TABLE_SAMPLE) await flush();
      }
      found += records.length;
    }
    await flush();
    if (format === 'json') await output.write(`],${JSON.stringify(beside()).slice(1)}\n`);
    return found;
  });
}

/** Some terminals (`docker -t`, expect) report zero columns: nothing is truncated there. */
export function widthOf({ out }: Streams): number | undefined {
  return out.columns === 0 ? undefined : out.columns;
}

function jsonLines(records: readonly ShownRecord[]): string {
  return records.map((record) => `${JSON.stringify(jsonRecord(record))}\n`).join('');
}

async function printParquet(
  rows: AsyncIterable<readonly ShownRecord[]> | Iterable<readonly ShownRecord[]>,
  names: () => readonly string[],
  output: Output,
): Promise<number> {
  const { parquetSink } = await import('../../engine/operations/output/export.ts');
  const sink = parquetSink();
  try {
    for await (const records of rows) for (const record of records) await sink.add(record);
  } catch (error) {
    sink.abandon();
    throw error;
  }
  return sink.finish((bytes) => output.write(bytes), names());
}

/** Whether an answer is written row by row, so that its rows are not held: for files of any length. */
export function isWrittenByRow(
  { shape, ast }: Pick<RunningQuery['plan'], 'shape' | 'ast'>,
  format: Format | undefined,
): boolean {
  const isTable =
    shape === 'talkers' || shape === 'stats' || shape === 'values' || shape === 'table';
  const isFile = format === 'csv' || format === 'ndjson' || format === 'parquet';
  return isTable && isFile && ast.stages.at(-1)?.stage !== 'count';
}

/** @returns how many rows there were */
export function printTable(
  { columns, records }: AnswerTable,
  options: PrintOptions,
): Promise<number> {
  return printTo(options, async (output) => {
    if (options.format === 'parquet') return printParquet(records, () => columns, output);
    let found = 0;
    if (options.format === 'csv') await output.write(csvLines([columns], options));
    for await (const batch of records) {
      await output.write(
        options.format === 'csv'
          ? csvLines(
              batch.map((record) => columns.map((name) => cell(record[name]))),
              options,
            )
          : jsonLines(batch),
      );
      found += batch.length;
    }
    return found;
  });
}

/** @returns the count, or how many rows there were */
export async function printAnswer(answer: Answer, options: PrintOptions): Promise<number> {
  const { format, out, streams, beside } = options;
  const across =
    answer.shape === 'timeline' && (format === 'table' || format === 'csv' || format === 'parquet');
  const records = across ? bucketsAcross(recordsOf(answer)) : recordsOf(answer);
  const names = across && records.length > 0 ? namesOf(records) : [...answer.columns];
  return printTo(options, async (output) => {
    if (format === 'parquet') return printParquet([records], () => names, output);
    if (format === undefined || format === 'json') {
      await output.write(`${JSON.stringify({ ...documentOf(answer), ...beside() })}\n`);
    } else if (format === 'ndjson') {
      await output.write(jsonLines(records));
    } else if (format === 'csv') {
      await output.write(csvLines([names], options));
      for (let at = 0; at < records.length; at += TABLE_SAMPLE) {
        const portion = records.slice(at, at + TABLE_SAMPLE);
        const cells = portion.map((record) => names.map((name) => cell(record[name])));
        await output.write(csvLines(cells, options));
      }
    } else if (answer.shape === 'count') {
      // Separators are for people: a script compares the number.
      const isForPeople = out === undefined && streams.out.isTTY === true;
      const text = isForPeople ? count(Number(answer.count)) : String(answer.count);
      await output.write(`${text}\n`);
    } else {
      const width = out === undefined ? widthOf(streams) : undefined;
      await output.write(answerTable(answer, names, records, width));
    }
    return answer.shape === 'count' ? Number(answer.count) : records.length;
  });
}

/**
 * The envelope of every answer that is one JSON document: it always has `shape`, `columns` and `rows`; additional
 * properties of a shape (`count`; `rest` and `total`; `interval`, `from`, `to`, `buckets`) are named as in the
 * language. docs/json.md, engine/contract/wire/json-document.ts.
 */
function documentOf(answer: Answer): Record<string, unknown> {
  const { shape, columns } = answer;
  const rows = recordsOf(answer).map(jsonRecord);
  const envelope = { shape, columns, rows };
  switch (answer.shape) {
    case 'count':
      return { ...envelope, count: answer.count };
    case 'top':
      return { ...envelope, rest: answer.rest, total: answer.total };
    case 'timeline': {
      const { interval, from, to } = answer;
      return { ...envelope, ...{ interval, from, to }, buckets: rows };
    }
    default:
      return envelope;
  }
}

const BAR = 40;
/** The value of events that lack a field, as the window calls it. */
const NONE = '(none)';

/** A value formatted for people; files and scripts get it unformatted. */
function tableCell(name: string, value: Parameters<typeof cell>[0]): ReturnType<typeof cell> {
  return name === 'tcp_flags' && typeof value === 'number' ? tcpFlagLetters(value) : cell(value);
}

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
      ...names.map((name) => tableCell(name, bucket[name])),
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
        : tableCell(name, record[name]);
    }),
  );
  if (rows.length === 0) return '';
  const text = table(names, rows, width);
  if (answer.shape !== 'top') return text;
  const { count: events, groups } = answer.rest;
  if (Number(groups) === 0) return text;
  return `${text}${counted(Number(groups), 'more group')}, ${counted(Number(events), 'event')}\n`;
}
