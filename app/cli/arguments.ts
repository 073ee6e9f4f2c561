/** Command-line arguments: what each command takes, validated, with help generated from the same table. */
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { DaybookError } from '../../engine/contract/errors.ts';

export interface OptionSpec {
  type: 'string' | 'boolean';
  /** Placeholder for the value in the help text. */
  value?: string;
  help: string;
}

export interface CommandSpec {
  name: string;
  /** The positional part of the usage line. */
  usage: string;
  summary: string;
  /** Shown below the options. */
  details?: string;
  positionals: { least: number; most: number };
  options: Readonly<Record<string, OptionSpec>>;
}

export interface Parsed {
  positionals: string[];
  text(name: string): string | undefined;
  flag(name: string): boolean;
  /** A whole number of at least `least`. */
  whole(name: string, least: number): number | undefined;
}

/**
 * `-failed` is a query, since no option except `-h` has a single dash. Such arguments are hidden from the option
 * parser by prefixing a character that no argument can contain.
 */
const TEXT = /^-(?!-|h$)./s;
const MARK = '\0';

function unmarked(text: string): string {
  return text.startsWith(MARK) ? text.slice(1) : text;
}

/** @throws DaybookError usage */
export function parse(spec: CommandSpec, args: readonly string[]): Parsed {
  const options: NonNullable<ParseArgsConfig['options']> = {
    help: { type: 'boolean', short: 'h' },
  };
  for (const [name, { type }] of Object.entries(spec.options)) options[name] = { type };
  const hint = `see: daybook ${spec.name} --help`;
  let result;
  try {
    result = parseArgs({
      args: args.map((arg) => (TEXT.test(arg) ? MARK + arg : arg)),
      options,
      allowPositionals: true,
      strict: true,
    });
  } catch (error) {
    throw new DaybookError(
      'usage',
      error instanceof Error ? error.message.split(/\.[ \n]/)[0]! : String(error),
      hint,
    );
  }
  const { values } = result;
  const positionals = result.positionals.map(unmarked);
  if (values['help'] !== true) {
    if (positionals.length < spec.positionals.least) {
      throw new DaybookError('usage', `daybook ${spec.name} needs ${spec.usage}`, hint);
    }
    if (positionals.length > spec.positionals.most) {
      throw new DaybookError(
        'usage',
        `daybook ${spec.name} takes only ${spec.usage}; unexpected: ${positionals.slice(spec.positionals.most).join(' ')}`,
        spec.usage.includes('QUERY') ? 'put the query in quotes' : hint,
      );
    }
  }
  const text = (name: string): string | undefined => {
    const value = values[name];
    return typeof value === 'string' ? unmarked(value) : undefined;
  };
  return {
    positionals,
    text,
    flag: (name) => values[name] === true,
    whole: (name, least) => {
      const value = text(name);
      if (value === undefined) return undefined;
      const number = Number(value);
      if (!/^\d+$/.test(value) || !Number.isSafeInteger(number) || number < least) {
        throw new DaybookError(
          'usage',
          `--${name} takes a whole number of ${least} or more, not ${JSON.stringify(value)}`,
          hint,
        );
      }
      return number;
    },
  };
}

export function helpText(spec: CommandSpec): string {
  const lines = [`daybook ${spec.name} ${spec.usage}`.trimEnd(), '', spec.summary, ''];
  const rows = Object.entries(spec.options).map(([name, option]): [string, string] => [
    `--${name}${option.type === 'string' ? ` ${option.value ?? 'TEXT'}` : ''}`,
    option.help,
  ]);
  rows.push(['-h, --help', 'show this help']);
  const width = Math.max(...rows.map(([left]) => left.length)) + 2;
  for (const [left, right] of rows) lines.push(`  ${left.padEnd(width)}${right}`);
  if (spec.details !== undefined) lines.push('', spec.details);
  return `${lines.join('\n')}\n`;
}
