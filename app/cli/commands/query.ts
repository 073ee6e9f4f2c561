/** `daybook query` and its short forms `count`, `top` and `timeline`. */
import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { DaybookError } from '../../../engine/contract/errors.ts';
import { resolveZone } from '../../../engine/contract/zone.ts';
import {
  bucketsAcross,
  countOf,
  namesOf,
  recordsOf,
} from '../../../engine/operations/answer-records.ts';
import { CaseSession } from '../../../engine/operations/case-session.ts';
import { csvLine } from '../../../engine/operations/csv.ts';
import { parquetSink } from '../../../engine/operations/export.ts';
import {
  requestRange,
  rowFieldNames,
  shownRows,
  startQuery,
  type Answer,
  type RunningQuery,
  type ShownRecord,
} from '../../../engine/operations/query.ts';
import { cell, csvCells, valueOf } from '../../../engine/operations/shown-cells.ts';
import type { OptionSpec, Parsed } from '../arguments.ts';
import { TIME_OPTIONS, type Command, type CommandContext } from '../command.ts';
import { count, packetsLeftOut, table, TableLayout, visible, write } from '../output.ts';

const FORMATS = ['table', 'ndjson', 'csv', 'json', 'parquet'] as const;
type Format = (typeof FORMATS)[number];

const OPTIONS: Readonly<Record<string, OptionSpec>> = {
  ...TIME_OPTIONS,
  limit: { type: 'string', value: 'N', help: 'at most N rows' },
  format: {
    type: 'string',
    value: 'F',
    help: `how to print: ${FORMATS.join(', ')} (default table)`,
  },
  out: { type: 'string', value: 'FILE', help: 'write the result to a file' },
  path: {
    type: 'string',
    value: 'scan',
    help: 'read the rows of every segment that may have some, use no index: the result is the same',
  },
  explain: { type: 'boolean', help: 'show what would be read, and do not run it' },
  timings: { type: 'boolean', help: 'say on standard error how long each step took' },
  json: { type: 'boolean', help: 'one JSON document with the timings; rows as NDJSON' },
};

export const queryCommand: Command = {
  spec: {
    name: 'query',
    usage: "CASE 'QUERY'",
    summary: 'Runs a query. Left of the first | which events, right of it what to do with them.',
    positionals: { least: 2, most: 2 },
    options: OPTIONS,
    details: `Examples:
  daybook query CASE 'failed password' --limit 20
  daybook query CASE 'src_ip:10.0.0.0/8 dst_port:22 | top 10 src_ip by sum(bytes)'
  daybook query CASE 'kind:log severity:<=err | timeline 1h by host'
  daybook query CASE 'kind:log host:web01 | patterns 50'
The language: docs/query-language.md.`,
  },
  run: (parsed, context) => run('query.run', parsed.positionals[1]!, parsed, context),
};

export const countCommand: Command = {
  spec: {
    name: 'count',
    usage: "CASE ['QUERY']",
    summary: 'Counts the events that a query finds; without a query, all.',
    positionals: { least: 1, most: 2 },
    options: OPTIONS,
  },
  run: (parsed, context) =>
    run('query.count', `${filterOf(parsed.positionals[1])} | count`, parsed, context),
};

export const topCommand: Command = {
  spec: {
    name: 'top',
    usage: "CASE FIELD[,FIELD…] ['QUERY']",
    summary:
      'Shows the most frequent values of one or more fields, exactly, with their share and the rest.',
    positionals: { least: 2, most: 3 },
    options: {
      ...OPTIONS,
      n: { type: 'string', value: 'N', help: 'how many groups (default 10)' },
      by: {
        type: 'string',
        value: 'MEASURE',
        help: 'what to order by, such as sum(bytes) or distinct(dst_ip) (default count)',
      },
    },
  },
  run: (parsed, context) => {
    const by = parsed.text('by');
    const stage = `top ${parsed.whole('n', 1) ?? 10} ${parsed.positionals[1]!}${by === undefined ? '' : ` by ${by}`}`;
    return run('query.top', `${filterOf(parsed.positionals[2])} | ${stage}`, parsed, context);
  },
};

export const timelineCommand: Command = {
  spec: {
    name: 'timeline',
    usage: "CASE ['QUERY']",
    summary:
      'Counts events per interval, empty ones included; without an interval, in 30 even buckets.',
    positionals: { least: 1, most: 2 },
    options: {
      ...OPTIONS,
      interval: { type: 'string', value: 'I', help: 'width of a bucket: 30s, 5m, 1h, 1d, 1w' },
      by: { type: 'string', value: 'FIELD', help: 'one series per value of this field' },
    },
  },
  run: (parsed, context) => {
    const stage = [
      'timeline',
      parsed.text('interval'),
      parsed.text('by') === undefined ? undefined : `by ${parsed.text('by')}`,
    ];
    const text = stage.filter((word) => word !== undefined).join(' ');
    return run('query.timeline', `${filterOf(parsed.positionals[1])} | ${text}`, parsed, context);
  },
};

function filterOf(text: string | undefined): string {
  return text === undefined || text.trim() === '' ? '*' : text;
}

/** Where a result goes: standard output, or a file. */
interface Output {
  write(text: string): Promise<void>;
  finish(): Promise<void>;
}

function outputTo(path: string | undefined, context: CommandContext): Output {
  if (path === undefined)
    return { write: (text) => write(context.streams.out, text), finish: async () => undefined };
  const stream = createWriteStream(path);
  const failed = once(stream, 'error').then(([error]) => {
    throw new DaybookError(
      'unreadable',
      `${path} cannot be written: ${error instanceof Error ? error.message : String(error)}`,
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

async function run(
  operation: string,
  text: string,
  parsed: Parsed,
  context: CommandContext,
): Promise<number> {
  const { streams, settings, signal } = context;
  const asked = parsed.text('format') ?? (parsed.flag('json') ? undefined : 'table');
  if (asked !== undefined && !FORMATS.some((format) => format === asked)) {
    throw new DaybookError(
      'usage',
      `there is no format ${JSON.stringify(asked)}`,
      `formats: ${FORMATS.join(', ')}`,
    );
  }
  const format = asked as Format | undefined;
  const out = parsed.text('out');
  if (format === 'parquet' && out === undefined)
    throw new DaybookError('usage', 'Parquet goes to a file', 'name it with --out FILE.parquet');
  const zone = resolveZone(parsed.text('tz') ?? 'UTC').name;
  const { from, to } = requestRange(parsed.text('from'), parsed.text('to'), zone);
  const limit = parsed.whole('limit', 0);
  const path = parsed.text('path');
  if (path !== undefined && path !== 'scan')
    throw new DaybookError(
      'usage',
      `there is no path ${JSON.stringify(path)} to choose`,
      'leave it out, or give --path scan',
    );
  const session = CaseSession.open(parsed.positionals[0]!, {
    memoryLimit: settings.queryMemory,
    threads: settings.threads,
  });
  try {
    const running = startQuery(session, { text, from, to, zone, limit, signal, operation, path });
    if (parsed.flag('explain')) {
      const lines = await running.explain();
      await write(
        streams.out,
        parsed.flag('json') ? `${JSON.stringify({ plan: lines })}\n` : `${lines.join('\n')}\n`,
      );
      return 0;
    }
    const found =
      running.plan.shape === 'rows'
        ? await printRows(running, zone, format, out, context)
        : await printAnswer(
            running,
            countOf(running, await running.answer()),
            format,
            out,
            context,
          );
    tell(running, found, format, parsed, context);
    return 0;
  } finally {
    await session.close();
  }
}

/** What people are told beside the result: how much, how long, and what lies beneath. */
function tell(
  running: RunningQuery,
  found: number,
  format: Format | undefined,
  parsed: Parsed,
  { streams }: CommandContext,
): void {
  const { plan } = running;
  const forPeople = format === 'table';
  if (forPeople && found === 0 && parsed.text('limit') !== '0') {
    const what =
      plan.segmentsUsed.length === 0 && plan.prunedSegments.length === 0
        ? 'the case holds no events'
        : 'no event matches';
    streams.err.write(
      `${what}${plan.range.from !== undefined || plan.range.to !== undefined ? ' in this time range' : ''}\n`,
    );
  }
  // A JSON document says itself how many packets lie beneath; every other form has no place for it.
  if (format !== 'json' && (format !== undefined || plan.shape === 'rows'))
    streams.err.write(packetsLeftOut(plan.packetsBeneath));
  for (const note of running.notes()) streams.err.write(`${visible(note)}\n`);
  if (forPeople ? parsed.flag('timings') || streams.err.isTTY === true : parsed.flag('timings')) {
    const timings = running.timings();
    const spans = Object.entries(timings.spans).map(([name, ms]) => `${name} ${ms.toFixed(1)}`);
    streams.err.write(
      `${count(found)} rows · ${timings.days ?? 0} of ${plan.days.total} days · ${timings.segments ?? 0} segments · ${timings.path ?? ''} · ${count(timings.rowsExamined ?? 0)} rows looked at · ${timings.totalMs.toFixed(1)} ms (${spans.join(', ')})\n`,
    );
  }
}

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

async function printRows(
  running: RunningQuery,
  zone: string,
  format: Format | undefined,
  out: string | undefined,
  context: CommandContext,
): Promise<number> {
  let found = 0;
  if (format === 'parquet') {
    const sink = parquetSink(out!);
    try {
      for await (const records of shownRows(running, zone)) {
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
  const output = outputTo(out, context);
  const width = out === undefined ? context.streams.out.columns : undefined;
  const chosen = running.plan.projection === undefined ? undefined : rowFieldNames(running.plan);
  let names: string[] | undefined = chosen;
  let waiting: ShownRecord[] = [];
  const flush = async () => {
    if (waiting.length === 0) return;
    names ??= tableNames(waiting);
    if (format === 'csv') {
      await output.write(waiting.map((record) => csvLine(csvCells(record, names!))).join(''));
    } else {
      layout ??= new TableLayout(names, width);
      const rows = waiting.map((record) => names!.map((name) => cell(valueOf(record, name))));
      await output.write(layout.add(rows));
    }
    waiting = [];
  };
  let layout: TableLayout | undefined;
  if (format === 'csv') {
    names ??= rowFieldNames(running.plan);
    await output.write(csvLine(names));
  }
  if (format === 'json') await output.write('{"rows":[');
  for await (const records of shownRows(running, zone)) {
    if (format === undefined || format === 'ndjson') {
      await output.write(records.map((record) => `${JSON.stringify(record)}\n`).join(''));
    } else if (format === 'json') {
      await output.write(
        records
          .map((record, i) => `${found + i === 0 ? '' : ','}${JSON.stringify(record)}`)
          .join(''),
      );
    } else {
      for (const record of records) {
        waiting.push(record);
        if (waiting.length >= TABLE_SAMPLE) await flush();
      }
    }
    found += records.length;
  }
  await flush();
  if (format === 'json') {
    const rest = JSON.stringify({ ...beneathOf(running), timings: running.timings() });
    await output.write(`],${rest.slice(1)}\n`);
  }
  await output.finish();
  return found;
}

function tableNames(records: readonly ShownRecord[]): string[] {
  const present = new Set(records.flatMap((record) => Object.keys(record)));
  const names = TABLE_FIELDS.filter((name) => present.has(name));
  return names.length > 0 ? names : [...present];
}

async function printAnswer(
  running: RunningQuery,
  answer: Answer,
  format: Format | undefined,
  out: string | undefined,
  context: CommandContext,
): Promise<number> {
  const records =
    answer.shape === 'timeline' && (format === 'table' || format === 'csv' || format === 'parquet')
      ? bucketsAcross(answer.buckets)
      : recordsOf(answer);
  if (format === 'parquet') {
    const sink = parquetSink(out!);
    for (const record of records) await sink.add(record);
    return sink.finish();
  }
  const output = outputTo(out, context);
  const names =
    answer.shape === 'count'
      ? ['count']
      : 'columns' in answer
        ? [...answer.columns]
        : namesOf(records);
  if (format === undefined || format === 'json') {
    const { shape: _, ...document } = answer;
    const rest = { ...beneathOf(running), timings: running.timings() };
    await output.write(`${JSON.stringify({ ...document, ...rest })}\n`);
  } else if (format === 'ndjson') {
    await output.write(records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  } else if (format === 'csv') {
    await output.write(
      csvLine(names) +
        records.map((record) => csvLine(names.map((name) => cell(record[name])))).join(''),
    );
  } else if (answer.shape === 'count') {
    await output.write(
      `${typeof answer.count === 'number' ? count(answer.count) : answer.count}\n`,
    );
  } else {
    const width = out === undefined ? context.streams.out.columns : undefined;
    await output.write(answerTable(answer, names, records, width));
  }
  await output.finish();
  return answer.shape === 'count' ? Number(answer.count) : records.length;
}

/** `packetsBeneath` of a JSON document, where a query left packets out. */
function beneathOf({ plan }: RunningQuery): {
  packetsBeneath?: { packets: number; exact: boolean };
} {
  const beneath = plan.packetsBeneath;
  return beneath === undefined || beneath.packets === 0 ? {} : { packetsBeneath: beneath };
}

const BAR = 40;

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
  const rows = records.map((record) =>
    names.map((name) =>
      name === 'share' && typeof record[name] === 'number'
        ? `${(record[name] * 100).toFixed(1)} %`
        : cell(record[name]),
    ),
  );
  if (rows.length === 0) return '';
  const text = table(names, rows, width);
  if (answer.shape !== 'top') return text;
  const { count: events, groups } = answer.rest;
  return `${text}rest: ${count(Number(events))} events in ${count(Number(groups))} groups\n`;
}
