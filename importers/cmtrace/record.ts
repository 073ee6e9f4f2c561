/**
 * Records as CMTrace shows them: what Configuration Manager, Intune's agent and scripts of deployment write.
 *
 * `<![LOG[text, which may be of several lines]LOG]!><time="07:03:10.647-330" date="12-23-2014" component="Access"
 * context="" type="1" thread="6744" file="access.cpp:1861">`, or `text  $$<component><12-23-2014
 * 07:03:10.647-330><thread=6744 (0x1A58)>` on one line.
 */

export interface RecordEnd {
  /** Where the text ends and where the record does, in characters of the line. */
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
  /** It states an offset whose sign is not certain. */
  readonly isUncertain: boolean;
}

export const BEGIN = '<![LOG[';
const TIME = String.raw`(\d{1,2}):(\d\d):(\d\d)(?:\.(\d{1,9}))?([+-]\d{1,4})?`;
const END = new RegExp(
  String.raw`\]LOG\]!><time="${TIME}" date="(\d{1,2})-(\d{1,2})-(\d{4})"((?: \w+="[^"]*")*)>`,
);
const LEGACY_END = new RegExp(
  String.raw`\s*\$\$<([^<>]*)><(\d{1,2})-(\d{1,2})-(\d{4}) ${TIME}><thread=(\d+)[^<>]*>\s*$`,
);
const ATTRIBUTE = /(\w+)="([^"]*)"/g;
/** How Configuration Manager itself names the place in its code that wrote a record. */
const NATIVE_FILE = /\.(?:c|cc|cpp|cxx|h|hpp|inl):\d+$/i;
/** By `type`: information, warning, error. */
const SEVERITIES: Readonly<Record<string, number>> = { 1: 6, 2: 4, 3: 3 };

/** The end of a record that began before or in this line. */
export function recordEnd(line: string): RecordEnd | undefined {
  const found = END.exec(line);
  if (found === null) return undefined;
  const [, hour, minute, second, fraction, bias, month, day, year, rest] = found;
  const { component, type, ...others } = attributesOf(rest ?? '');
  const isNative = NATIVE_FILE.test(others['file'] ?? '');
  const time = timeOf([year, month, day, hour, minute, second], fraction, bias, isNative);
  const attributes: Record<string, string> = {};
  for (const name of ['thread', 'context', 'file']) {
    const value = others[name];
    if (value !== undefined && value !== '') attributes[name] = value;
  }
  return {
    textEnd: found.index,
    end: found.index + found[0].length,
    time,
    component: component ?? '',
    severity: SEVERITIES[type ?? ''],
    attributes,
  };
}

/** The end of a record of one line, as servers of a site and task sequences write it. */
export function legacyEnd(line: string): RecordEnd | undefined {
  const found = LEGACY_END.exec(line);
  if (found === null) return undefined;
  const [, component, month, day, year, hour, minute, second, fraction, bias, thread] = found;
  return {
    textEnd: found.index,
    end: line.length,
    time: timeOf([year, month, day, hour, minute, second], fraction, bias, true),
    component: component ?? '',
    severity: undefined,
    attributes: { thread: thread! },
  };
}

function attributesOf(text: string): Record<string, string> {
  const out: Record<string, string> = {};
  for (const [, name, value] of text.matchAll(ATTRIBUTE)) out[name!] = value!;
  return out;
}

/**
 * @param parts year, month, day, hour, minute, second
 * @param bias minutes. Configuration Manager adds them to the local time to have UTC, scripts that imitate it write
 *   the opposite: only of the former is the sign certain
 */
function timeOf(
  parts: readonly (string | undefined)[],
  fraction = '',
  bias: string | undefined,
  isNative: boolean,
): RecordTime | undefined {
  const [year, month, day, hour, minute, second] = parts.map(Number) as [
    ...[number, number, number, number, number, number],
  ];
  const date = new Date(Date.UTC(year, month - 1, day));
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  if (year < 1970 || hour > 23 || minute > 59 || second > 59) return undefined;
  const minutes = Number(bias);
  const isCertain = bias !== undefined && (isNative || minutes === 0) && Math.abs(minutes) <= 840;
  return {
    localSeconds: date.getTime() / 1000 + hour * 3600 + minute * 60 + second,
    nanos: Number(fraction.padEnd(9, '0')),
    digits: fraction.length,
    offset: isCertain ? 0 - minutes * 60 : undefined,
    isUncertain: bias !== undefined && !isCertain,
  };
}
