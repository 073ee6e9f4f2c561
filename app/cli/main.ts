/** The command line: finds the command, runs it, turns errors into words and exit statuses. */
import { DaybookError, messageOfError } from '../../engine/contract/errors.ts';
import { settings } from '../settings.ts';
import { helpText, parse } from './arguments.ts';
import type { Command } from './command.ts';
import { refuseOnCluster } from './on-cluster.ts';
import { visible, type Streams } from './output.ts';
import { VERSION } from '../version.ts';

interface Entry {
  summary: string;
  /** It changes nothing, so it may be ended at any instant. */
  reads?: true;
  load: () => Promise<Command>;
}

/** Loaded only when asked for: starting must be quick. */
const COMMANDS: Readonly<Record<string, Entry>> = {
  open: {
    summary: 'open the window',
    load: async () => (await import('./commands/open.ts')).openCommand,
  },
  serve: {
    summary: 'the window in a browser, on this machine only',
    load: async () => (await import('./commands/serve.ts')).serveCommand,
  },
  import: {
    summary: 'read evidence into a case',
    load: async () => (await import('./commands/import.ts')).importCommand,
  },
  query: {
    summary: 'search, group and count events',
    reads: true,
    load: async () => (await import('./commands/query.ts')).queryCommand,
  },
  count: {
    summary: 'how many events match',
    reads: true,
    load: async () => (await import('./commands/query.ts')).countCommand,
  },
  top: {
    summary: 'the most frequent values of fields',
    reads: true,
    load: async () => (await import('./commands/query.ts')).topCommand,
  },
  timeline: {
    summary: 'events per interval',
    reads: true,
    load: async () => (await import('./commands/query.ts')).timelineCommand,
  },
  hosts: {
    summary: 'addresses with their names, users and services',
    reads: true,
    load: async () => (await import('./commands/hosts.ts')).hostsCommand,
  },
  scan: {
    summary: 'a query over one file, without a case',
    load: async () => (await import('./commands/scan.ts')).scanCommand,
  },
  sources: {
    summary: 'what was imported, with its ledger',
    reads: true,
    load: async () => (await import('./commands/sources.ts')).sourcesCommand,
  },
  days: {
    summary: 'events by day and kind',
    reads: true,
    load: async () => (await import('./commands/days.ts')).daysCommand,
  },
  fields: {
    summary: 'which fields events have, and what cuts them out of messages',
    load: async () => (await import('./commands/fields.ts')).fieldsCommand,
  },
  watch: {
    summary: 'follow changes of a case',
    load: async () => (await import('./commands/watch.ts')).watchCommand,
  },
  describe: {
    summary: "a case's number and examiner",
    load: async () => (await import('./commands/describe.ts')).describeCommand,
  },
  tag: {
    summary: 'tag the events a query finds',
    load: async () => (await import('./commands/tag.ts')).tagCommand,
  },
  findings: {
    summary: 'tags and notes in report order: severity, colour, place',
    load: async () => (await import('./commands/findings.ts')).findingsCommand,
  },
  delete: {
    summary: 'delete the events a query finds',
    load: async () => (await import('./commands/delete.ts')).deleteCommand,
  },
  overlap: {
    summary: 'lines that sources have in common: leave them out, or show them',
    load: async () => (await import('./commands/overlap.ts')).overlapCommand,
  },
  refield: {
    summary: 'cut fields out of messages again, without the evidence',
    load: async () => (await import('./commands/refield.ts')).refieldCommand,
  },
  retime: {
    summary: 'change decisions about the times of sources',
    load: async () => (await import('./commands/retime.ts')).retimeCommand,
  },
  carve: {
    summary: 'write files that connections carried',
    load: async () => (await import('./commands/carve.ts')).carveCommand,
  },
  slice: {
    summary: 'write the packets of a query as a capture',
    load: async () => (await import('./commands/slice.ts')).sliceCommand,
  },
  payload: {
    summary: 'search what connections of captures carried',
    reads: true,
    load: async () => (await import('./commands/payload.ts')).payloadCommand,
  },
  report: {
    summary: 'write the case as one page for people',
    load: async () => (await import('./commands/report.ts')).reportCommand,
  },
  sql: {
    summary: 'show the case to DuckDB: one script, or one statement',
    load: async () => (await import('./commands/sql.ts')).sqlCommand,
  },
  'hand-over': {
    summary: 'write the case as Parquet files for others',
    load: async () => (await import('./commands/hand-over.ts')).handOverCommand,
  },
  attach: {
    summary: 'load what was handed over into a ClickHouse',
    load: async () => (await import('./commands/attach.ts')).attachCommand,
  },
  compact: {
    summary: 'merge small segments',
    load: async () => (await import('./commands/compact.ts')).compactCommand,
  },
  verify: {
    summary: 'check hashes, segments and ledgers',
    load: async () => (await import('./commands/verify.ts')).verifyCommand,
  },
  latency: {
    summary: 'how long operations took',
    reads: true,
    load: async () => (await import('./commands/latency.ts')).latencyCommand,
  },
};

/** What other tools call a command. */
const MEANT: Readonly<Record<string, string>> = {
  ...{ search: 'query', find: 'query', grep: 'query', show: 'query', export: 'query --out FILE' },
  ...{ tags: 'findings', notes: 'findings', bookmarks: 'findings' },
  ...{ add: 'import', ingest: 'import', load: 'import', histogram: 'timeline' },
  ...{ extract: 'carve', files: 'carve', payloads: 'payload', hunt: 'payload' },
  ...{ handover: 'hand-over', publish: 'hand-over', duckdb: 'sql', notebook: 'sql' },
  ...{ info: 'sources', ls: 'sources', list: 'sources', ledger: 'sources' },
  ...{ follow: 'watch', tail: 'watch', rm: 'delete', gui: 'open', web: 'serve' },
};

const EXIT = { done: 0, failed: 1, usage: 2, quarantined: 3, cancelled: 130 } as const;

function overview(): string {
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length)) + 2;
  const lines = Object.entries(COMMANDS).map(
    ([name, { summary }]) => `  ${name.padEnd(width)}${summary}`,
  );
  return [
    'daybook: search packet captures, logs and flow files in one case. Nothing leaves this machine,',
    'unless you name a server: attach, hand-over to s3://….',
    '',
    'daybook COMMAND CASE …',
    '',
    ...lines,
    '',
    'daybook COMMAND --help explains a command. A case is a folder; import creates it:',
    '  daybook import acme.daybook evidence/ --recursive',
    "  daybook top acme.daybook src_ip '*'",
    '',
    'Exit status: 0 done; 1 failed; 2 wrong usage; 3 done, but some records were quarantined; 130 cancelled.',
    '',
  ].join('\n');
}

/** Runs one command line; returns the exit status. */
export async function main(
  args: readonly string[],
  streams: Streams,
  signal: AbortSignal,
): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    const asked = name === undefined ? undefined : rest[0];
    if (asked !== undefined && COMMANDS[asked] !== undefined)
      return main([asked, '--help'], streams, signal);
    (name === undefined ? streams.err : streams.out).write(overview());
    return name === undefined ? EXIT.usage : EXIT.done;
  }
  if (name === '--version' || name === '-V') {
    streams.out.write(`daybook ${VERSION}\n`);
    return EXIT.done;
  }
  try {
    const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (entry === undefined) {
      throw new DaybookError(
        'usage',
        `there is no command ${JSON.stringify(name)}`,
        Object.hasOwn(MEANT, name)
          ? `did you mean ${MEANT[name]}? daybook --help lists the commands`
          : 'daybook --help lists the commands',
      );
    }
    const command = await entry.load();
    const parsed = parse(command.spec, rest);
    if (parsed.flag('help')) {
      streams.out.write(helpText(command.spec));
      return EXIT.done;
    }
    refuseOnCluster(name, parsed.positionals);
    return await command.run(parsed, { streams, signal, settings: settings(process.env) });
  } catch (error) {
    return report(error, streams, asksForJson(rest));
  }
}

/** Whether what a command prints is JSON: then its error is, too, whatever else is wrong with the command line. */
function asksForJson(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  const options = end < 0 ? args : args.slice(0, end);
  return (
    options.includes('--json') ||
    options.includes('--format=json') ||
    options[options.indexOf('--format') + 1] === 'json'
  );
}

/** Errors of what was asked for, not of the case or the machine. */
const WRONG_USE: ReadonlySet<string> = new Set([
  ...['usage', 'query-syntax', 'unknown-field', 'unknown-name'],
]);

function report(error: unknown, streams: Streams, asJson: boolean): number {
  if (error instanceof DaybookError) {
    const { code, message, hint } = error;
    const isCancelled = code === 'cancelled';
    if (asJson) streams.err.write(`${JSON.stringify({ error: { code, message, hint } })}\n`);
    else if (isCancelled) streams.err.write('daybook: cancelled\n');
    else {
      streams.err.write(`daybook: ${visible(message)}\n`);
      if (hint !== undefined) streams.err.write(`  ${visible(hint)}\n`);
    }
    if (isCancelled) return EXIT.cancelled;
    return WRONG_USE.has(code) ? EXIT.usage : EXIT.failed;
  }
  if (error instanceof Error && 'code' in error && error.code === 'EPIPE') return EXIT.done;
  streams.err.write(`daybook: unexpected error: ${visible(messageOfError(error))}\n`);
  streams.err.write('  this is a defect of Daybook; set DAYBOOK_DEBUG=1 for details\n');
  if (process.env['DAYBOOK_DEBUG'] === '1' && error instanceof Error)
    streams.err.write(`${error.stack ?? ''}\n`);
  return EXIT.failed;
}

// A reader that goes away (`| head`) is no error. Anything else is, a full disk behind `>` above all.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.done);
  process.stderr.write(`daybook: standard output cannot be written: ${visible(error.message)}\n`);
  process.exit(EXIT.failed);
});
// Nobody to tell.
process.stderr.on('error', () => undefined);
/** After this long a command that only reads is ended, whatever it is in the middle of. */
const PATIENCE_MS = 120;
const controller = new AbortController();
let interrupts = 0;
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => {
    interrupts += 1;
    if (interrupts > 1) process.exit(EXIT.cancelled);
    controller.abort();
    if (COMMANDS[process.argv[2] ?? '']?.reads !== true) return;
    setTimeout(() => {
      process.stderr.write('daybook: cancelled\n');
      process.exit(EXIT.cancelled);
    }, PATIENCE_MS).unref();
  });
}
process.exitCode = await main(
  process.argv.slice(2),
  { out: process.stdout, err: process.stderr },
  controller.signal,
);
