/** The interface of a command of the command line. */
import { DATE_ORDERS, isDateOrder, type DateOrder } from '../../engine/contract/time/decisions.ts';
import { DaybookError } from '../../engine/contract/errors.ts';
import type { CommandSpec, Parsed } from './arguments.ts';
import type { Streams } from './output.ts';
import type { Settings } from '../settings.ts';

export interface CommandContext {
  streams: Streams;
  /** Aborted by ctrl-C or SIGTERM. */
  signal: AbortSignal;
  settings: Settings;
  /** All commands, each with its summary in a line. */
  specs: () => Promise<readonly (CommandSpec & { readonly line: string })[]>;
}

export interface Command {
  spec: CommandSpec;
  /** Returns the exit status, one of `EXIT`. */
  run(parsed: Parsed, context: CommandContext): Promise<number>;
}

export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  notAllRight: 3,
  nothingFound: 4,
  cancelled: 130,
} as const;

/** The meaning of each exit status. */
export const EXIT_STATUS: readonly (readonly [number, string])[] = [
  [EXIT.done, 'done'],
  [EXIT.failed, 'failed'],
  [EXIT.usage, 'wrong usage'],
  [
    EXIT.notAllRight,
    'done, but something was quarantined, was not read to its end, or has changed',
  ],
  [EXIT.nothingFound, 'nothing found (with --fail-empty)'],
  [EXIT.cancelled, 'cancelled'],
];

/** For every command that writes a file. */
export const FORCE_OPTION = {
  force: {
    type: 'boolean',
    help: 'replace a file that exists (never evidence, an input, or anything inside a case)',
  },
} as const;

export const TIME_OPTIONS = {
  from: { type: 'string', value: 'TIME', help: 'only events at or after this time' },
  to: { type: 'string', value: 'TIME', help: 'only events before this time' },
  tz: {
    type: 'string',
    value: 'ZONE',
    help: 'zone for times without one, and for the times shown (default UTC)',
  },
} as const;

/** The value of `--date-order`. */
export function dateOrderOf(parsed: Parsed): DateOrder | undefined {
  const text = parsed.text('date-order');
  if (text === undefined || isDateOrder(text)) return text;
  throw new DaybookError(
    'usage',
    `unknown date order: ${JSON.stringify(text)}`,
    `give one of ${DATE_ORDERS.join(', ')}`,
  );
}
