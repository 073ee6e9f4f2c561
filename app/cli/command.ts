/** What a command of the command line is. */
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
