/**
 * Parses tests of numeric fields: `bytes:>1000`, `dst_port:22,23`, `dst_port:ssh`, `proto:tcp`, `severity:<=err`,
 * `tcp_flags:SA`. Its messages name the field as requested.
 */
import { TCP_FLAG_SETS, parseTcpFlags } from '../../contract/tcp-flags.ts';
import type { CompareOp, Test } from '../syntax/ast.ts';
import type { NumberField } from '../names/fields.ts';
import { NAMED, codeOf, codesOf } from '../filters/names.ts';
import { type NumberRange, exactly, parseNumber } from '../filters/number-range.ts';
import { hasWildcard } from '../filters/wildcard.ts';
import { didYouMean, shown, syntaxError } from '../syntax/query-error.ts';
import { SERVICES } from '../names/services.ts';

/** @param readings where is noted how a doubtful test is read */
export function numberRanges(
  field: NumberField,
  test: Test,
  at: number,
  readings: Set<string>,
): NumberRange[] {
  const read = (text: string): number => valueOf(field, text, at);
  switch (test.test) {
    case 'word':
      return test.text.includes(',')
        ? listed(field, test.text, at, readings)
        : word(field, test.text, at);
    case 'quoted':
      return [exactly(read(test.text))];
    case 'compare':
      if (field.names === 'severity' && test.op.startsWith('>')) noteSeverity(test, readings);
      return [comparison(test.op, read(test.value))];
    case 'range':
      return [
        {
          low: test.low === undefined ? undefined : read(test.low),
          high: test.high === undefined ? undefined : read(test.high),
          lowIncluded: test.lowIncluded,
          highIncluded: test.highIncluded,
        },
      ];
    default:
      throw syntaxError(`${field.name} is a number and takes no pattern`, at, hintOf(field));
  }
}

export function comparison(op: CompareOp, value: number): NumberRange {
  if (op === '=') return exactly(value);
  const up = op.startsWith('>');
  const included = op.endsWith('=');
  return {
    low: up ? value : undefined,
    high: up ? undefined : value,
    lowIncluded: included,
    highIncluded: included,
  };
}

/** `22,23`. */
function listed(
  field: NumberField,
  text: string,
  at: number,
  readings: Set<string>,
): NumberRange[] {
  const parts = text.split(',').filter((part) => part !== '');
  if (!isPort(field) && /^\d{1,3}(?:,\d{3})+$/.test(text))
    throw syntaxError(
      `${field.name}:${text} may be one number or a list`,
      at,
      `write ${field.name}:${text.replaceAll(',', '')}, or ${field.name}:(${parts.map(Number).join(' OR ')})`,
    );
  if (isFlags(field) && parts.every((part) => parseNumber(part) === undefined))
    readings.add(
      `read as: ${parts.map((part) => `${field.name}:${part}`).join(' OR ')}; for segments with all of them write ${field.name}:${parts.join('+')}`,
    );
  return parts.flatMap((part) => word(field, part, at));
}

function word(field: NumberField, text: string, at: number): NumberRange[] {
  const clock = clockRange(field, text, at);
  if (clock !== undefined) return clock;
  if (!hasWildcard(text)) return [exactly(valueOf(field, text, at))];
  if (isFlags(field)) {
    const wanted = parseTcpFlags(text.replace(/[*?]/g, ''));
    if (wanted !== undefined) return setsWith(wanted);
  }
  const codes = field.names === undefined ? [] : codesOf(field.names, text);
  if (codes.length === 0) throw noValue(field, text, at);
  return codes.map(exactly);
}

/** `hour:22-6` is from 22:00 up to 6:00; `weekday:mon-fri` has both days. */
function clockRange(
  { name, names }: NumberField,
  text: string,
  at: number,
): NumberRange[] | undefined {
  const ends = /^(\w+)-(\w+)$/.exec(text);
  if (ends === null) return undefined;
  const day = (end: string) => codeOf('weekday', end);
  const isHour = name === 'hour' && /^\d{1,2}-\d{1,2}$/.test(text);
  const low = isHour ? Number(ends[1]) : names === 'weekday' ? day(ends[1]!) : undefined;
  const high = isHour ? Number(ends[2]) : names === 'weekday' ? day(ends[2]!) : undefined;
  if (low === undefined || high === undefined) return undefined;
  if (isHour && (low > 23 || high > 24 || low === high))
    throw syntaxError(
      `${shown(text)} is not a span of hours`,
      at,
      'write hour:22-6: from 22:00 up to 6:00',
    );
  const range = (from: number, to: number): NumberRange => ({
    ...{ low: from, high: to, lowIncluded: true, highIncluded: !isHour },
  });
  if (low <= high) return [range(low, high)];
  const [first, last] = isHour ? [0, 24] : [1, 7];
  return [range(low, last), ...(high > first || !isHour ? [range(first, high)] : [])];
}

function valueOf(field: NumberField, text: string, at: number): number {
  const value =
    parseNumber(text) ??
    (field.names === undefined ? undefined : codeOf(field.names, text)) ??
    (isPort(field) ? SERVICES.get(text.toLowerCase()) : undefined) ??
    (isFlags(field) ? parseTcpFlags(text) : undefined);
  if (value === undefined) throw noValue(field, text, at);
  return value;
}

/** Every set of flags that holds these: `tcp_flags:*S*`. */
function setsWith(wanted: number): NumberRange[] {
  const out: NumberRange[] = [];
  for (let flags = 0; flags < TCP_FLAG_SETS; flags++)
    if ((flags & wanted) === wanted) out.push(exactly(flags));
  return out;
}

function noValue(field: NumberField, text: string, at: number): Error {
  return syntaxError(`${field.name} has no value ${shown(text)}`, at, hintOf(field, text));
}

function hintOf(field: NumberField, text = ''): string {
  const { name, names } = field;
  if (names !== undefined) {
    const known = [...NAMED[names].keys()];
    return didYouMean(text, known) ?? `names are ${known.slice(0, 12).join(', ')}, …`;
  }
  if (isFlags(field))
    return `write ${name}:S for SYN alone, ${name}:SA, ${name}:*S* for SYN among others, or a number`;
  if (isPort(field)) {
    const ends = /^(\d+)-(\d+)$/.exec(text);
    if (ends !== null) return `write ${name}:[${ends[1]} TO ${ends[2]}]`;
    return `write ${name}:22, ${name}:22,23, ${name}:[1 TO 1023] or the name of a service, such as ${name}:${didYouMeant(text) ?? 'ssh'}`;
  }
  return `write ${name}:1000, ${name}:>1000 or ${name}:[1 TO 1000]`;
}

function didYouMeant(text: string): string | undefined {
  return /did you mean ([\w-]+)/.exec(didYouMean(text, SERVICES.keys()) ?? '')?.[1];
}

function isPort({ name }: NumberField): boolean {
  return name === 'port' || name === 'src_port' || name === 'dst_port';
}

function isFlags({ name }: NumberField): boolean {
  return name === 'tcp_flags';
}

function noteSeverity({ op, value }: Extract<Test, { test: 'compare' }>, readings: Set<string>) {
  const less = op === '>=' ? `${value} and less severe` : `less severe than ${value}`;
  const other = op === '>=' ? `${value} and worse` : `worse than ${value}`;
  readings.add(
    `severity:${op}${value} is ${less}: severities count from 0 (emerg) to 7 (debug); for ${other} write severity:${op.replace('>', '<')}${value}`,
  );
}
