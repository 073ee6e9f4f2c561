/** What a command of the command line is. */
import { DATE_ORDERS, isDateOrder, type DateOrder } from '../../engine/contract/decisions.ts';
import { DaybookError } from '../../engine/contract/errors.ts';
import type { Parsed, CommandSpec } from './arguments.ts';
import type { Streams } from './output.ts';
import type { Settings } from '../settings.ts';

export interface CommandContext {
  streams: Streams;
  /** Aborted by ctrl-C or SIGTERM. */
  signal: AbortSignal;
  settings: Settings;
}

export interface Command {
  spec: CommandSpec;
  /** Returns the exit status (0 done, 3 done with quarantined records). */
  run(parsed: Parsed, context: CommandContext): Promise<number>;
}

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
    help: 'zone of times without one, and of times shown (default UTC)',
  },
} as const;

/** What `--date-order` says. */
export function dateOrderOf(parsed: Parsed): DateOrder | undefined {
  const text = parsed.text('date-order');
  if (text === undefined || isDateOrder(text)) return text;
  throw new DaybookError(
    'usage',
    `there is no date order ${JSON.stringify(text)}`,
    `give one of ${DATE_ORDERS.join(', ')}`,
  );
}
