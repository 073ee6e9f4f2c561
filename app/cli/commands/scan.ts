/** `daybook scan`: a query over evidence files in one pass; nothing is stored. */
import { counted } from '../../../engine/contract/words/counted.ts';
import { DaybookError } from '../../../engine/contract/errors.ts';
import { resolveZone } from '../../../engine/contract/time/zone.ts';
import { hintsWhenEmpty } from '../../../engine/operations/query/empty-hints.ts';
import { countOf } from '../../../engine/operations/query/answer-records.ts';
import {
  startScan,
  type RunningScan,
  rowFieldNames,
} from '../../../engine/operations/scan/scan.ts';
import { scanTools } from '../../scan-tools.ts';
import { lookupFilesOf } from '../options/lookup-files.ts';
import type { Parsed } from '../arguments.ts';
import { dateOrderOf, EXIT, TIME_OPTIONS, type Command, type CommandContext } from '../command.ts';
import { LIMIT_OPTIONS, limitsOf } from '../options/limit-options.ts';
import { count, size, visible } from '../output.ts';
import {
  RESULT_OPTIONS,
  formatOf,
  limitUnused,
  printAnswer,
  printRecords,
  type Format,
} from '../print-result.ts';
import { PASSWORD_OPTION, takePasswords } from '../options/password-option.ts';
import { ProgressLine } from '../progress.ts';
import { READ_OPTIONS } from '../options/read-options.ts';
import { givenRange } from '../options/time-range.ts';

export const scanCommand: Command = {
  spec: {
    name: 'scan',
    usage: "FILE ['QUERY']",
    summary:
      'Runs a query over a capture, log or flow file in one pass, without a case. Nothing is stored.',
    positionals: { least: 1, most: 2 },
    options: {
      ...TIME_OPTIONS,
      ...RESULT_OPTIONS,
      read: {
        type: 'string',
        value: 'ID',
        help: 'read the file as this format instead of judging its content',
      },
      'source-tz': {
        type: 'string',
        value: 'ZONE',
        help: 'zone for times in the file without one (default UTC)',
      },
      year: READ_OPTIONS.year,
      'date-order': READ_OPTIONS['date-order'],
      clock: READ_OPTIONS.clock,
      map: {
        type: 'string',
        value: 'F=COL,…',
        help: 'which column of a table is which field, as for import',
      },
      ...LIMIT_OPTIONS,
      ...PASSWORD_OPTION,
      timings: { type: 'boolean', help: 'print on standard error how long it took' },
      json: {
        type: 'boolean',
        help: 'one JSON document with the timings and the records that could not be read; rows as NDJSON',
      },
    },
    details: `FILE may be compressed, or - for standard input. A scan of a capture examines its packets; it derives
flows only for a query that names kind:flow. Rows come in the order of the file.
Examples:
  daybook scan trace.pcap 'ip:10.1.2.3 | head 20'
  daybook scan trace.pcap.gz 'dst_port:53 | top 10 src_ip by sum(bytes)'
  zcat trace.gz | daybook scan - 'kind:flow conn_state:S0 | timeline 1m'
daybook import --help lists the formats that --read may name.
docs/scan.md lists the stages that a scan supports.`,
  },
  run,
};

async function run(parsed: Parsed, context: CommandContext): Promise<number> {
  const { streams, signal } = context;
  await takePasswords(parsed);
  const { format, out } = formatOf(parsed);
  const { from, to, zone } = givenRange(parsed);
  const line = new ProgressLine(streams);
  const map = parsed.text('map');
  const query = parsed.positionals[1] ?? '';
  const running = startScan(
    {
      path: parsed.positionals[0]!,
      text: query.trim() === '' ? '*' : query,
      lookups: await lookupFilesOf(query, signal),
      from,
      to,
      zone,
      limit: parsed.whole('limit', 0),
      signal,
      format: await readAs(parsed),
      timeZone: sourceZone(parsed),
      year: yearOf(parsed),
      dateOrder: dateOrderOf(parsed),
      clock: parsed.text('clock'),
      mapping: map === undefined ? undefined : (await import('../../readers.ts')).readMapping(map),
      limits: limitsOf(parsed),
      standardInput: process.stdin,
      onProgress: (progress) => line.update({ ...progress, phase: 'scanning' }),
    },
    scanTools,
  );
  try {
    const { plan } = running;
    const beside = () => ({
      notes: running.notes(),
      ...ledgerOf(running),
      timings: running.timings(),
    });
    const input = parsed.positionals[0]!;
    const guard = { overwrite: parsed.flag('force'), inputs: input === '-' ? [] : [input] };
    const options = { format, out, guard, streams, beside };
    let found: number;
    if (plan.shape === 'rows') {
      const names = () => rowFieldNames(plan);
      const chosen = plan.projection === undefined ? undefined : names();
      const rows = cleared(running.rows(), line);
      found = await printRecords(rows, chosen, names, options);
    } else {
      const answer = await running.answer();
      line.clear();
      found = await printAnswer(countOf(running, answer), options);
    }
    tell(running, found, format, parsed, context);
    const { quarantined, broken } = running.ledger;
    return quarantined > 0 || broken.length > 0 ? EXIT.notAllRight : EXIT.done;
  } finally {
    line.clear();
  }
}

async function readAs(parsed: Parsed): Promise<string | undefined> {
  const format = parsed.text('read');
  if (format === undefined) return undefined;
  const { formats } = await import('../../readers.ts');
  if (formats().includes(format)) return format;
  throw new DaybookError(
    'usage',
    `unknown format: ${JSON.stringify(format)}`,
    `formats: ${formats().join(', ')}`,
  );
}

function sourceZone(parsed: Parsed): string | undefined {
  const zone = parsed.text('source-tz');
  if (zone !== undefined) resolveZone(zone);
  return zone;
}

function yearOf(parsed: Parsed): number | undefined {
  const year = parsed.whole('year', 1970);
  if (year === undefined || year <= 2200) return year;
  throw new DaybookError(
    'usage',
    `--year ${year} is out of range`,
    'give a year from 1970 to 2200',
  );
}

/** Rows are not printed into the line of progress. */
async function* cleared<T>(rows: AsyncGenerator<T>, line: ProgressLine): AsyncGenerator<T> {
  for await (const batch of rows) {
    line.clear();
    yield batch;
  }
}

function ledgerOf({ ledger }: RunningScan): object {
  const { problems, notes, ...counts } = ledger;
  return { read: { ...counts, quarantine: problems, notes } };
}

/** Number of records whose reasons are listed individually. */
const SHOWN_PROBLEMS = 5;

function tell(
  running: RunningScan,
  found: number,
  format: Format | undefined,
  parsed: Parsed,
  { streams }: CommandContext,
): void {
  const { ledger, plan } = running;
  const forPeople = format === 'table';
  streams.err.write(limitUnused(parsed, plan));
  for (const note of running.notes()) streams.err.write(`${visible(note)}\n`);
  if (forPeople && found === 0 && parsed.text('limit') !== '0')
    for (const line of ['no event matches', ...hintsWhenEmpty(plan)])
      streams.err.write(`${visible(line)}\n`);
  // With --json, streamed rows have no document that could state it.
  if (format === undefined && plan.shape === 'rows')
    streams.err.write(`${JSON.stringify({ ...ledgerOf(running), timings: running.timings() })}\n`);
  if (format !== undefined && format !== 'json')
    for (const { source, reason } of ledger.broken)
      streams.err.write(`${visible(source)} was not read to its end: ${visible(reason)}\n`);
  if (ledger.quarantined > 0 && format !== undefined && format !== 'json') {
    const records = counted(ledger.quarantined, 'record', 'records');
    streams.err.write(`${records} could not be read\n`);
    for (const { source, offset, reason } of ledger.problems.slice(0, SHOWN_PROBLEMS))
      streams.err.write(`  ${visible(source)} at byte ${count(offset)}: ${visible(reason)}\n`);
  }
  if (!parsed.flag('timings') && !(forPeople && streams.err.isTTY === true)) return;
  const { totalMs } = running.timings();
  const rate = totalMs > 0 ? (ledger.bytes / totalMs) * 1000 : 0;
  const records = counted(ledger.read, 'record', 'records');
  streams.err.write(
    `${counted(found, 'row', 'rows')} · ${records} read · ${size(ledger.bytes)} · ${size(rate)}/s · ${totalMs.toFixed(1)} ms\n`,
  );
}
