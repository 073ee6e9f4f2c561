/**
 * The command line except its process: finds the command, runs it, and translates errors into words and exit
 * statuses.
 */
import { DaybookError, messageOfError } from '../../engine/contract/errors.ts';
import { settings } from '../settings.ts';
import { helpText, parse } from './arguments.ts';
import { EXIT, EXIT_STATUS } from './command.ts';
import { COMMANDS, MEANT, allSpecs } from './command-list.ts';
import { refuseOnCluster } from './on-cluster.ts';
import { visible, type Streams } from './output.ts';
import { VERSION } from '../version.ts';

function overview(): string {
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length)) + 2;
  const lines = Object.entries(COMMANDS).map(
    ([name, { summary }]) => `  ${name.padEnd(width)}${summary}`,
  );
  return [
    'daybook: search packet captures, logs and flow files in one case. Nothing leaves this machine',
    'unless you name a server (attach, hand-over to s3://…).',
    '',
    'daybook COMMAND CASE …',
    '',
    ...lines,
    '',
    'daybook COMMAND --help explains a command. A case is a folder; import creates it:',
    '  daybook import acme.daybook evidence/ --recursive',
    "  daybook top acme.daybook src_ip '*'",
    '',
    'Exit status:',
    ...EXIT_STATUS.map(([status, meaning]) => `  ${String(status).padEnd(5)}${meaning}`),
    '',
  ].join('\n');
}

/** Runs one command line; returns the exit status. */
export async function runCommandLine(
  args: readonly string[],
  streams: Streams,
  signal: AbortSignal,
): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    const asked = name === undefined ? undefined : rest[0];
    if (asked !== undefined && COMMANDS[asked] !== undefined)
      return runCommandLine([asked, '--help'], streams, signal);
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
    return await command.run(parsed, {
      ...{ streams, signal, settings: settings(process.env), specs: allSpecs },
    });
  } catch (error) {
    return report(error, streams, asksForJson(rest));
  }
}

/** Whether a command prints JSON: then its error is JSON, too, whatever else is wrong with the command line. */
function asksForJson(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  const options = end < 0 ? args : args.slice(0, end);
  return (
    options.includes('--json') ||
    options.includes('--format=json') ||
    options[options.indexOf('--format') + 1] === 'json'
  );
}

/** Errors in the request rather than in the case or the machine. */
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
  streams.err.write('  this is a bug in Daybook; set DAYBOOK_DEBUG=1 for details\n');
  if (process.env['DAYBOOK_DEBUG'] === '1' && error instanceof Error)
    streams.err.write(`${error.stack ?? ''}\n`);
  return EXIT.failed;
}
