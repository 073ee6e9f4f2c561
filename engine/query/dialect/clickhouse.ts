/**
 * Everything specific to ClickHouse: how texts, names, numbers and times are written, and the functions of which
 * conditions and values are made. People run the result on their own servers, so values are literals, not
 * parameters.
 *
 * Invariants: a text of a query or of a case becomes SQL only through `text`, a name only through `identifier`.
 * What ClickHouse would answer differently from Daybook is refused (`untranslated`), never printed. Reference:
 * https://clickhouse.com/docs/sql-reference
 */
import { foldsTo } from '../../util/fold.ts';
import { DaybookError } from '../../contract/errors.ts';
import type { NumberRange } from '../filters/number-range.ts';
import { onceClickHouse as once } from './once.ts';

export const TRUE_SQL = 'true';
export const FALSE_SQL = 'false';

/** A feature of a query that is not translated to ClickHouse. @param feature such as `the stage patterns` */
export function untranslated(feature: string, hint?: string): DaybookError {
  return new DaybookError(
    'usage',
    `${feature} has no translation to ClickHouse`,
    hint ??
      'run it on the case itself: daybook query CASE QUERY; docs/team.md lists what is translated',
  );
}

// -- literals --------------------------------------------------------------------------------------

const ESCAPED: Readonly<Record<string, string>> = {
  "'": "\\'",
  '`': '\\`',
  '\\': '\\\\',
  '\0': '\\0',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};
const utf8 = new TextEncoder();

/** Escapes characters that a terminal or an editor would not show faithfully, as bytes. */
function escaped(value: string, quote: "'" | '`'): string {
  return value
    .toWellFormed()
    .replace(/['`\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (char) =>
      (char === "'" || char === '`') && char !== quote
        ? char
        : (ESCAPED[char] ?? Array.from(utf8.encode(char), hexByte).join('')),
    );
}

function hexByte(byte: number): string {
  return `\\x${byte.toString(16).toUpperCase().padStart(2, '0')}`;
}

/** https://clickhouse.com/docs/sql-reference/syntax#string */
export function text(value: string): string {
  return `'${escaped(value, "'")}'`;
}

/** A name that ClickHouse reads without quotes; `count` and the like may be names, too. */
const PLAIN_NAME = /^[a-z_][a-z0-9_]*$/;
const KEYWORDS: ReadonlySet<string> = new Set([
  ...['all', 'and', 'any', 'array', 'as', 'asc', 'between', 'by', 'case', 'desc', 'distinct'],
  ...['else', 'end', 'except', 'false', 'final', 'for', 'from', 'group', 'having', 'if', 'in'],
  ...['interval', 'into', 'is', 'join', 'left', 'like', 'limit', 'not', 'null', 'offset', 'on'],
  ...['or', 'order', 'right', 'sample', 'select', 'set', 'settings', 'then', 'true', 'union'],
  ...['using', 'values', 'when', 'where', 'window', 'with'],
]);

export function identifier(name: string): string {
  return PLAIN_NAME.test(name) && !KEYWORDS.has(name) ? name : `\`${escaped(name, '`')}\``;
}

export function number(value: number): string {
  if (!Number.isFinite(value)) throw new RangeError(`${value} as a literal`);
  return Object.is(value, -0) ? '0' : String(value);
}

const FIRST_TIME = Date.UTC(1900, 0, 1) * 1000;
const LAST_TIME = Date.UTC(2299, 11, 31) * 1000;

/** A time in epoch microseconds. Texts of times are read for some centuries only. */
export function time(micros: number): string {
  if (micros < FIRST_TIME || micros >= LAST_TIME) return timeOfMicros(`toInt64(${micros})`);
  const seconds = Math.floor(micros / 1e6);
  const rest = micros - seconds * 1e6;
  const whole = new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ');
  const fraction = rest === 0 ? '' : `.${String(rest).padStart(6, '0')}`;
  return `toDateTime64('${whole}${fraction}', 6, 'UTC')`;
}

export function timeOfMicros(sql: string): string {
  return `fromUnixTimestamp64Micro(${sql}, 'UTC')`;
}

/** Microseconds of a time that there is. */
export function microsOf(ts: string): string {
  return `toUnixTimestamp64Micro(assumeNotNull(${ts}))`;
}

// -- conditions ------------------------------------------------------------------------------------

/** Conditions are TRUE for matches, FALSE or NULL otherwise; only NOT distinguishes the latter. */
export function both(conditions: readonly string[]): string {
  if (conditions.includes(FALSE_SQL)) return FALSE_SQL;
  return (
    joined(
      conditions.filter((one) => one !== TRUE_SQL),
      'AND',
    ) ?? TRUE_SQL
  );
}

export function either(conditions: readonly string[]): string {
  if (conditions.includes(TRUE_SQL)) return TRUE_SQL;
  return (
    joined(
      conditions.filter((one) => one !== FALSE_SQL),
      'OR',
    ) ?? FALSE_SQL
  );
}

function joined(conditions: readonly string[], by: 'AND' | 'OR'): string | undefined {
  const each = [...new Set(conditions)];
  return each.length > 1 ? `(${each.join(` ${by} `)})` : each[0];
}

export function negate(condition: string): string {
  if (condition === TRUE_SQL) return FALSE_SQL;
  return condition === FALSE_SQL ? TRUE_SQL : `(NOT ifNull(${condition}, false))`;
}

/** A text of rows that have no `other`. */
export function textWithout(text: string, other: string): string {
  return `if(${other} IS NULL, ${text}, NULL)`;
}

/** Whether one of a list of texts meets a condition. */
export function anyOf(list: string, condition: (sql: string) => string): string {
  return `arrayExists(v -> ifNull(${condition('v')}, false), ${list})`;
}

/** SQL that folds a text so that it can be compared with texts folded by `foldText`, ignoring case. */
export function foldingTo(texts: Iterable<string>): (sql: string) => string {
  const folds = [...foldsTo(texts)];
  const [from, to] = [0, 1].map((part) => folds.map((pair) => pair[part]!).join(''));
  return (sql) =>
    folds.length === 0
      ? `lower(${sql})`
      : `lower(translateUTF8(${sql}, ${text(from!)}, ${text(to!)}))`;
}

/** Maps literals to values; NULL for every other value. */
export function mapped(sql: string, from: readonly string[], to: readonly string[]): string {
  return `transform(${sql}, [${from.join(', ')}], [${to.join(', ')}], NULL)`;
}

/** The same with a table of lists: maps its first column to its second. */
export function mappedByTable(sql: string, table: string): string {
  // Both lists in one order, whether the server reads the table once for them or twice.
  const pairs = `(SELECT arraySort(groupArray((k0, k1))) FROM ${table})`;
  const column = (n: number): string => `arrayMap(p -> p.${n}, ${pairs})`;
  return `transform(${sql}, ${column(1)}, ${column(2)}, NULL)`;
}

/** Whether a value is one of some literals. */
export function oneOf(sql: string, literals: readonly string[]): string {
  if (literals.length === 0) return FALSE_SQL;
  return literals.length === 1 ? `${sql} = ${literals[0]}` : `${sql} IN (${literals.join(', ')})`;
}

/** A match of an RE2 pattern anywhere; by default, `.` would also match the end of a line here. */
export function matches(sql: string, pattern: string, ignoreCase: boolean): string {
  return `match(${sql}, ${text(flagged(pattern, ignoreCase))})`;
}

/** Every match of an RE2 pattern replaced by a text. The pattern must match no empty text. */
export function replacedAll(sql: string, pattern: string, by: string, ignoreCase = false): string {
  const written = by.replaceAll('\\', '\\\\');
  return `replaceRegexpAll(${sql}, ${text(flagged(pattern, ignoreCase))}, ${text(written)})`;
}

/** Quoted and escaped parts and classes of a pattern, and the beginning of a named group. */
const QUOTED_OR_NAMED =
  /\\Q[^]*?(?:\\E|$)|\\[^]|\[\^?\]?(?:\[:\^?\w+:\]|\\[^]|[^\]\\])*\]|\(\?P?<\w+>/g;

function flagged(given: string, ignoreCase: boolean): string {
  // ClickHouse takes the group's name for a required literal and finds nothing.
  const pattern = given.replace(QUOTED_OR_NAMED, (part) => (part.startsWith('(?') ? '(' : part));
  const flags = `${ignoreCase ? 'i' : ''}${pattern.includes('.') ? '-s' : ''}`;
  return flags === '' ? pattern : `(?${flags})${pattern}`;
}

/** The text of a pattern's group at its first match; NULL if it is empty. */
export function extracted(
  sql: string,
  pattern: string,
  ignoreCase: boolean,
  group: number,
): string {
  return `nullIf(regexpExtract(${sql}, ${text(flagged(pattern, ignoreCase))}, ${group}), '')`;
}

/** A number within one of some ranges. Whole numbers and real ones are compared exactly. */
export function within(sql: string, ranges: readonly NumberRange[]): string {
  const points: string[] = [];
  const parts: string[] = [];
  for (const { low, high, lowIncluded, highIncluded } of ranges) {
    if (low !== undefined && low === high) {
      if (lowIncluded && highIncluded) points.push(number(low));
      continue;
    }
    const bounds: string[] = [];
    if (low !== undefined) bounds.push(`${sql} ${lowIncluded ? '>=' : '>'} ${number(low)}`);
    if (high !== undefined) bounds.push(`${sql} ${highIncluded ? '<=' : '<'} ${number(high)}`);
    parts.push(bounds.length === 0 ? `${sql} IS NOT NULL` : both(bounds));
  }
  return either([...parts, oneOf(sql, [...new Set(points)])]);
}

/** The name of an attribute in lower case. */
export function lowerCased(name: string): string {
  return `lowerUTF8(replaceAll(${name}, 'İ', 'i'))`;
}

/** A text is the same as another whatever their case, as patterns ignore it. */
export function sameText(one: string, other: string): string {
  const same = (a: string, b: string): string =>
    `if(isValidASCII(${a}) AND isValidASCII(${b}), lower(${a}) = lower(${b}), match(${a}, concat('(?i)^', regexpQuoteMeta(${b}), '$')))`;
  return once(one, (a) => once(other, (b) => same(a, b), 'b'), 'a');
}

// -- texts as numbers ------------------------------------------------------------------------------

/**
 * What Daybook accepts as a number (batch/text-number.ts): surrounding blanks, `_` between digits, `+-` before it.
 */
const DIGITS = '[0-9]+(?:_[0-9]+)*';
const BLANKS = '[\\t\\n\\v\\f\\r ]*';
const NUMBER = `(?i)^${BLANKS}[+]?-?(?:${DIGITS}(?:[.](?:${DIGITS})?)?|[.]${DIGITS})(?:e[+-]?${DIGITS})?${BLANKS}$`;
const INFINITE = `(?i)^${BLANKS}[+]?-?inf(?:inity)?${BLANKS}$`;

/** A text as a number if it is one, otherwise NULL. Needs `EXACT_NUMBERS`. */
export function textAsNumber(sql: string): string {
  const plain = `replaceOne(replaceRegexpAll(${sql}, '[_\\\\s\\\\x0b]', ''), '+', '')`;
  return `multiIf(match(${sql}, ${text(NUMBER)}), toFloat64OrNull(${plain}), match(${sql}, ${text(INFINITE)}), if(position(${sql}, '-') > 0, -inf, inf), NULL)`;
}

/** A setting without which ClickHouse reads long fractions a little wrong. */
export const EXACT_NUMBERS = 'precise_float_parsing = 1';

/** Whether a statement reads texts as numbers. */
export function needsExactNumbers(sql: string): boolean {
  return sql.includes('toFloat64OrNull(');
}

// -- numbers ---------------------------------------------------------------------------------------

export function real(sql: string): string {
  return `toFloat64(${sql})`;
}

/** Results beyond the largest number become NULL. */
export function finite(sql: string): string {
  return once(sql, (x) => `if(isFinite(${x}), ${x}, NULL)`, 'f');
}

/** Largest difference of exponents for exact division in 256 bits. */
const MOST_SHIFTED = 200;

/**
 * Remainder, with the sign of the dividend. Exact for fractions, unlike ClickHouse's `%` of real numbers: digits
 * are divided as 256-bit integers. The statement fails if the dividend is more than 2^200 times the divisor.
 */
export function remainder(one: string, other: string): string {
  const bits = (x: string): string => `reinterpretAsUInt64(assumeNotNull(${x}))`;
  const exponent = (x: string): string => `toInt32(bitAnd(bitShiftRight(${bits(x)}, 52), 2047))`;
  const digits = (x: string): string =>
    `toUInt256(bitOr(bitAnd(${bits(x)}, 4503599627370495), 4503599627370496))`;
  const shifted = (x: string, by: string): string =>
    `bitShiftLeft(${digits(x)}, greatest(${by}, 0))`;
  const fractions = (a: string, b: string): string => {
    const more = `${exponent(a)} - ${exponent(b)}`;
    const left = `${shifted(a, more)} % ${shifted(b, `-(${more})`)}`;
    const far = `throwIf(${more} > ${MOST_SHIFTED} OR ${exponent(b)} = 0, ${text(FAR_APART)})`;
    return `if(${far} != 0, NULL, toFloat64(toUInt64(${left})) * exp2(least(${exponent(a)}, ${exponent(b)}) - 1075))`;
  };
  const wholes = (a: string, b: string): string =>
    `accurateCastOrNull(${a}, 'UInt64') % accurateCastOrNull(${b}, 'UInt64')`;
  const positive = (a: string, b: string): string =>
    `multiIf(NOT isFinite(${a}) OR ${b} = 0, NULL, ${a} < ${b}, ${a}, coalesce(toFloat64(${wholes(a, `nullIf(${b}, 0)`)}), ${fractions(a, b)}))`;
  const signed = (a: string): string =>
    `sign(${a}) * ${once(`abs(${a})`, (x) => once(`abs(${other})`, (y) => `if(${y} IS NULL OR ${x} IS NULL, NULL, ${positive(x, y)})`, 'q'), 'p')}`;
  return once(one, signed, 'o');
}
const FAR_APART = '%: the operands differ by more than 2^200; use daybook query';

/** Halves are rounded away from zero: `round` has those of even numbers. */
export function rounded(sql: string, times: number): string {
  const whole = (y: string): string =>
    `(trunc(${y}) + if(abs(${y} - trunc(${y})) >= 0.5, sign(${y}), 0)) / ${times} + 0`;
  return once(
    sql,
    (x) => `if(abs(${x}) < 1000000000, ${once(`${x} * ${times}`, whole, 'y')}, ${x})`,
    'r',
  );
}

/**
 * A time `seconds` later; NULL beyond `most` of them. A time that ClickHouse cannot represent stops the statement.
 */
export function timeLaterBy(ts: string, seconds: string, most: number): string {
  const whole = (s: string): string =>
    `toInt64(trunc(${s}) + if(abs(${s} - trunc(${s})) >= 0.5, sign(${s}), 0))`;
  const moved = (us: string): string =>
    `if(throwIf(ifNull(${us} < ${FIRST_TIME} OR ${us} >= ${LAST_TIME}, false), ${text(BEYOND_TIMES)}) != 0, NULL, ${timeOfMicros(us)})`;
  const later = (s: string): string =>
    `if(abs(${s}) <= ${most}, ${once(`${maybeMicrosOf(ts)} + ${once(`${s} * 1000000`, whole, 'f')}`, moved, 'm')}, NULL)`;
  return once(seconds, later, 's');
}
const BEYOND_TIMES =
  'a time before 1900 or after 2299, which ClickHouse has not; use daybook query';

const DAY = 86_400_000_000;
const HOUR = 3_600_000_000;
const MINUTE = 60_000_000;

/**
 * Remainder of microseconds, never negative. By a number of 64 bits without a sign ClickHouse computes without one, and
 * every remainder of a time before 1970 would be another.
 */
export function modulo(us: string, step: number): string {
  return `positiveModulo(${us}, ${step > 0xffff_ffff ? `toInt64(${step})` : step})`;
}

/** A part of a clock time, given in microseconds; weekdays from 1, Monday. */
export function clockPart(part: 'hour' | 'minute' | 'weekday', local: string): string {
  if (part === 'hour') return `intDiv(${modulo(local, DAY)}, ${HOUR})`;
  if (part === 'minute') return `intDiv(${modulo(local, HOUR)}, ${MINUTE})`;
  // 1970-01-01 was a Thursday.
  return once(
    local,
    (us) => `positiveModulo(intDiv(${us} - ${modulo(us, DAY)}, ${DAY}) + 3, 7) + 1`,
    'w',
  );
}

/**
 * A part of the calendar date, or the day as `2026-11-21`. Computed by counting days: date types cover only some
 * centuries.
 */
export function calendarPart(part: 'day' | 'month' | 'year' | 'date', local: string): string {
  // https://howardhinnant.github.io/date_algorithms.html#civil_from_days
  const days = (us: string): string => `intDiv(${us} - ${modulo(us, DAY)}, ${DAY}) + 719468`;
  const year = 'y + 400 * intDiv(n - d, 146097) + if(m < 10, 0, 1)';
  const month = 'if(m < 10, m + 3, m - 9)';
  const day = 'e - intDiv(153 * m + 2, 5) + 1';
  const parts = { day, month, year };
  const shown =
    part === 'date'
      ? `concat(leftPad(toString(${year}), 4, '0'), '-', leftPad(toString(${month}), 2, '0'), '-', leftPad(toString(${day}), 2, '0'))`
      : parts[part];
  const inYear = `arrayMap(m -> ${shown}, [intDiv(5 * e + 2, 153)])[1]`;
  const inEra = `arrayMap(y -> arrayMap(e -> ${inYear}, [d - (365 * y + intDiv(y, 4) - intDiv(y, 100))])[1], [intDiv(d - intDiv(d, 1460) + intDiv(d, 36524) - intDiv(d, 146096), 365)])[1]`;
  const ofDays = `arrayMap(n -> arrayMap(d -> ${inEra}, [positiveModulo(n, 146097)])[1], [c])[1]`;
  return once(local, (us) => `arrayMap(c -> ${ofDays}, [${days(us)}])[1]`, 'w');
}

/** Epoch microseconds of a time that may be missing. */
export function maybeMicrosOf(ts: string): string {
  return `toUnixTimestamp64Micro(${ts})`;
}

// -- addresses: texts ------------------------------------------------------------------------------

export function ip4(sql: string): string {
  return `toIPv4OrNull(${sql})`;
}

/** IPv4 addresses are `::ffff:…` here. */
export function ip6(sql: string): string {
  return `toIPv6OrNull(${sql})`;
}

/** The first address of an IPv4 address's block of `prefix` bits, as a number. */
export function maskedIp4(sql: string, prefix: number): string {
  const mask = prefix === 0 ? 0 : (0xffff_ffff << (32 - prefix)) >>> 0;
  return `bitAnd(toUInt32(${ip4(sql)}), ${mask})`;
}

const OCTETS = '[0-9]{1,3}(?:[.][0-9]{1,3}){3}';
const GROUP = '[0-9A-Fa-f]{1,4}';
const GROUPS = `(?:${GROUP}(?::${GROUP})*)?`;
const WRITTEN_IP6 = `^(?:${GROUP}(?::${GROUP}){7}|${GROUPS}::${GROUPS})$`;

/** The address that a text contains; NULL if it is not one (dialect/written-sql.ts). */
export function addressOfText(sql: string): string {
  const quad = (x: string): string =>
    `regexpExtract(${x}, ${text(`^(?:::[Ff]{4}:)?(${OCTETS})$`)}, 1)`;
  const four = (x: string): string =>
    `arrayMap(o -> if(arrayExists(b -> b > 255, o), NULL, toNullable(arrayStringConcat(arrayMap(b -> toString(b), o), '.'))), [arrayMap(b -> toUInt16OrZero(b), splitByChar('.', ${quad(x)}))])[1]`;
  const isSix = (x: string): string =>
    `match(${x}, ${text(WRITTEN_IP6)}) AND (position(${x}, '::') = 0 OR length(extractAll(${x}, '[^:]+')) < 8)`;
  return once(
    sql,
    (x) =>
      `multiIf(${x} IS NULL, NULL, ${quad(x)} != '', ${four(x)}, ${isSix(x)}, ${ip6Text(ip6(x))}, NULL)`,
    'i',
  );
}

/** An IPv6 address as text. ClickHouse writes the end of ::102:304 as IPv4, although it is not a mapped address. */
function ip6Text(sql: string): string {
  const digits = (part: string): string =>
    `lower(replaceRegexpOne(hex(${part}), '^0+(.)', '\\\\1'))`;
  const groups = (n: string): string =>
    `concat('::', ${digits(`bitShiftRight(${n}, 16)`)}, ':', ${digits(`bitAnd(${n}, 65535)`)})`;
  const written = (x: string): string =>
    `if(match(${x}, '^::[0-9]+[.]'), ${once(`IPv4StringToNumOrDefault(substring(assumeNotNull(${x}), 3))`, groups, 'g')}, ${x})`;
  return once(`toString(${sql})`, written, 's');
}

/** The same for an IPv6 address; NULL for an IPv4 one. */
export function firstIp6(sql: string, prefix: number): string {
  return `if(isIPv6String(ifNull(${sql}, '')), IPv6CIDRToRange(${ip6(sql)}, ${prefix}).1, NULL)`;
}

/** The block that an address is in, as text: of `four` bits, or of `six`. */
export function blockOf(sql: string, four: number, six: number): string {
  const start4 = four === 32 ? sql : `IPv4NumToString(${maskedIp4(sql, four)})`;
  const start6 = six === 128 ? sql : ip6Text(`IPv6CIDRToRange(${ip6(sql)}, ${six}).1`);
  return `if(${ip4(sql)} IS NULL, ${start6} || '/${six}', ${start4} || '/${four}')`;
}
