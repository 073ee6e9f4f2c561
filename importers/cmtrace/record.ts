/**
 * Records as CMTrace shows them: what Configuration Manager, Intune's agent and scripts of deployment write.
 *
 * `<![LOG[text, which may be of several lines]LOG]!><time="07:03:10.647-330" date="12-23-2014" component="Access"
 * context="" type="1" thread="6744" file="access.cpp:1861">`, or `text  $$<component><12-23-2014
 * 07:03:10.647-330><thread=6744 (0x1A58)>` on one line.
 */

export interface RecordEnd {
  /** The ends of the text and of the record, in characters of the line. */
  readonly textEnd: number;
  readonly end: number;
  readonly time: RecordTime | undefined;
  readonly component: string;
  readonly severity: number | undefined;
  readonly attributes: Readonly<Record<string, string>>;
}

export interface RecordTime {
  /** Seconds since 1970 of the clock on the wall. */
  readonly localSeconds: number;
  readonly nanos: number;
  /** Of the fraction. */
  readonly digits: number;
  /** Seconds east of UTC; undefined where the record does not say, or not in a way that is certain. */
  readonly offset: number | undefined;
  /** It states an offset that is not certain. */
  readonly isUncertain: boolean;
}

export const BEGIN = '<![LOG[';
const TEXT_END = ']LOG]!><time="';
const END = /\]LOG\]!><time="([^"]*)" date="([^"]*)"((?: \w+="[^"]*")*)>/y;
const LEGACY_BEGIN = '$$<';
const LEGACY_END = /\$\$<([^<>]*)><(\S+) ([^<>]+)><thread=(\d+)([^<>]*)>\s*$/y;
const DATE = /^(\d{1,2})-(\d{1,2})-(\d{4})$/;
const TIME = /^(\d{1,2}):(\d\d):(\d\d)(?:\.(\d{1,9}))?([+-]{1,2}\d{1,4})?$/;
const ATTRIBUTE = /(\w+)="([^"]*)"/g;
/** How Configuration Manager itself names the place in its code that wrote a record, and the thread. */
const NATIVE_FILE = /\.(?:c|cc|cpp|cxx|h|hpp|inl):\d+$/i;
const NATIVE_THREAD = /^ \(0x/;
/** By `type`: information, warning, error. */
const SEVERITIES: Readonly<Record<string, number>> = { 1: 6, 2: 4, 3: 3 };

/** The end of a record that began before or in this line: the last one, since a text may have the like. */
export function recordEnd(line: string): RecordEnd | undefined {
  const at = line.lastIndexOf(TEXT_END);
  const found = at < 0 ? null : matchAt(END, line, at);
  if (found === null) return undefined;
  const [, time, date, rest] = found;
  const { component, type, ...others } = attributesOf(rest!);
  const attributes: Record<string, string> = {};
  for (const name of ['thread', 'context', 'file']) {
    const value = others[name];
    if (value !== undefined && value !== '') attributes[name] = value;
  }
  return {
    textEnd: at,
    end: at + found[0].length,
    time: timeOf(date!, time!, NATIVE_FILE.test(others['file'] ?? '')),
    component: component ?? '',
    severity: SEVERITIES[type ?? ''],
    attributes,
  };
}

/** The end of a record of one line, as servers of a site and task sequences write it. */
export function legacyEnd(line: string): RecordEnd | undefined {
  const at = line.lastIndexOf(LEGACY_BEGIN);
  const found = at < 0 ? null : matchAt(LEGACY_END, line, at);
  if (found === null) return undefined;
  const [, component, date, time, thread, rest] = found;
  return {
    textEnd: line.slice(0, at).trimEnd().length,
    end: line.length,
    time: timeOf(date!, time!, NATIVE_THREAD.test(rest!)),
    component: component!,
    severity: undefined,
    attributes: { thread: thread! },
  };
}

/** Only there: searching for white space before an end would take the square of a line's length. */
function matchAt(pattern: RegExp, line: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(line);
}

function attributesOf(text: string): Record<string, string> {
  const out: Record<string, string> = {};
  for (const [, name, value] of text.matchAll(ATTRIBUTE)) out[name!] = value!;
  return out;
}

/**
 * @param isNative whether Configuration Manager itself wrote it, whose offset is minutes to add to the local time to
 *   have UTC. Scripts write the opposite, or 0 whatever the zone is
 */
function timeOf(dateText: string, timeText: string, isNative: boolean): RecordTime | undefined {
  const [, month, day, year] = DATE.exec(dateText)?.map(Number) ?? [];
  const found = TIME.exec(timeText);
  if (month === undefined || day === undefined || year === undefined || found === null)
    return undefined;
  const [, hour, minute, second] = found.map(Number) as [number, number, number, number];
  const [, , , , digits = '', bias] = found;
  const date = new Date(Date.UTC(year, month - 1, day));
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  if (year < 1970 || hour > 23 || minute > 59 || second > 59) return undefined;
  const fraction = certainDigits(digits, bias !== undefined);
  const minutes = Number(bias);
  const isCertain = isNative && Math.abs(minutes) <= 840;
  return {
    localSeconds: date.getTime() / 1000 + hour * 3600 + minute * 60 + second,
    nanos: Number(fraction.padEnd(9, '0')),
    digits: fraction.length,
    offset: isCertain ? 0 - minutes * 60 : undefined,
    isUncertain: bias !== undefined && !isCertain,
  };
}

/** Scripts write milliseconds without the zeros before them, or an offset without a sign after them. */
function certainDigits(fraction: string, isSigned: boolean): string {
  if (fraction.length < 3) return '';
  return isSigned || fraction.length > 6 ? fraction : fraction.slice(0, 3);
}
