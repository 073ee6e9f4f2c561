/**
 * Everything specific to DuckDB: types, quoting, functions, parameters. The rest of the compiler composes these, so
 * that a second dialect can be added next to this file.
 *
 * Invariant: text of a query becomes SQL only as a value of `Params`; identifiers are either ours or were found in
 * a segment, and are quoted. Reference: https://duckdb.org/docs/stable/sql/introduction
 */
import type { ColumnType } from '../../contract/event.ts';

export type BoundValue = string | number;

const MOST_MICROS = 2 ** 53;
const MARK = /\0(\d+)\0/g;

export const SQL_TYPES: Readonly<Record<ColumnType, string>> = {
  u8: 'UTINYINT',
  u16: 'USMALLINT',
  u32: 'UINTEGER',
  i32: 'INTEGER',
  u64: 'BIGINT',
  i64: 'BIGINT',
  f64: 'DOUBLE',
  ip6: 'UUID',
  micros: 'TIMESTAMP',
  text: 'VARCHAR',
};

/** Smallest and largest whole number of a type; 64-bit columns hold whole numbers up to 2^53. */
export const INTEGER_RANGES: Readonly<Record<string, readonly [number, number]>> = {
  UTINYINT: [0, 255],
  USMALLINT: [0, 65_535],
  UINTEGER: [0, 4_294_967_295],
  INTEGER: [-2_147_483_648, 2_147_483_647],
  BIGINT: [-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  HUGEINT: [-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
};

/**
 * The values of one statement; equal values of equal type are bound once. Until `finish` a value is a placeholder
 * in the SQL that no identifier can contain, so that only used values are bound.
 */
export class Params {
  private readonly known = new Map<string, string>();
  private readonly all: BoundValue[] = [];

  /**
   * An expression of `type` with this value. Whole numbers are inlined: a statement with bound values is planned
   * twice, which takes a tenth of the time of one that reads few rows of many segments.
   */
  bind(value: BoundValue, type: string): string {
    if (Number.isSafeInteger(value)) return `CAST(${value} AS ${type})`;
    const key = `${type} ${value}`;
    let sql = this.known.get(key);
    if (sql === undefined) {
      this.all.push(value);
      sql = `CAST(\0${this.all.length - 1}\0 AS ${type})`;
      this.known.set(key, sql);
    }
    return sql;
  }

  /** The statement in the form that the database takes: `$1`, `$2`, … in the order of first use. */
  finish(sql: string): { sql: string; params: BoundValue[] } {
    const numbers = new Map<string, number>();
    const params: BoundValue[] = [];
    const finished = sql.replace(MARK, (_, index: string) => {
      let number = numbers.get(index);
      if (number === undefined) {
        number = params.push(this.all[Number(index)]!);
        numbers.set(index, number);
      }
      return `$${number}`;
    });
    return { sql: finished, params };
  }

  text(value: string): string {
    return this.bind(value, 'VARCHAR');
  }
  /** A time in epoch microseconds as a TIMESTAMP; times of events are all nearer than 2^53. */
  time(micros: number): string {
    const near = Math.min(Math.max(micros, -MOST_MICROS), MOST_MICROS);
    return `make_timestamp(${this.bind(near, 'BIGINT')})`;
  }
}

/** A text constant of ours, such as a kind of events: never one of a query or of evidence. */
export function constantText(value: string): string {
  return `CAST('${value.replaceAll("'", "''")}' AS VARCHAR)`;
}

/** Throws RangeError for a name that cannot be quoted: plans omit such columns. */
export function quoteIdentifier(name: string): string {
  if (name.includes('\0')) throw new RangeError('a column name with NUL');
  return `"${name.replaceAll('"', '""')}"`;
}

/**
 * The events of a segment, for a statement that uses `columns` of it (any SQL that names them). Where messages are
 * cut, events are a view that assembles them: it is avoided if no message is used, since planning it takes a
 * millisecond per segment.
 */
export function segmentTable(
  { id, cut }: { readonly id: number; readonly cut?: boolean | undefined },
  columns: string,
): string {
  if (cut === true && !columns.includes('"message"')) return storedTable(id);
  if (!Number.isSafeInteger(id) || id < 0) throw new RangeError(`segment number ${id}`);
  return `seg_${id}.events`;
}

/** The UTC day of a time that there is, as days are written. */
export function dayOfTime(sql: string): string {
  return `strftime(${sql}, '%Y-%m-%d')`;
}

/** A number as a real one: whole numbers beyond 64 bits cannot be bound. */
export function realNumber(value: number): string {
  return `CAST('${value}' AS DOUBLE)`;
}

/** A part of a time, such as `hour`, as a real number. */
export function dayPart(part: string, sql: string): string {
  return `CAST(date_part('${part}', ${sql}) AS DOUBLE)`;
}

/** The table beneath that view: whose messages are shapes and variables. */
export function storedTable(id: number): string {
  if (!Number.isSafeInteger(id) || id < 0) throw new RangeError(`segment number ${id}`);
  return `seg_${id}.stored`;
}

/** A table of a list's values, in the database for lists. */
export function listTable(name: string): string {
  return `lists.main.${quoteIdentifier(name)}`;
}

export function nullOf(type: string): string {
  return `CAST(NULL AS ${type})`;
}

/** Lists longer than this are bound as one value rather than one by one. */
const MAX_LIST = 32;

/** Whether a value is one of `values`, each of `type`. */
export function oneOf(
  sql: string,
  values: readonly (string | number)[],
  type: string,
  params: Params,
): string {
  if (values.length === 1) return `${sql} = ${params.bind(values[0]!, type)}`;
  if (values.length <= MAX_LIST) {
    return `${sql} IN (${values.map((value) => params.bind(value, type)).join(', ')})`;
  }
  const list = `CAST(string_split(${params.text(values.join(','))}, ',') AS ${type}[])`;
  return `${sql} IN (SELECT unnest(${list}))`;
}

/** Whether a row's number is among a few; numbers come from an index, so they are inlined. */
export function rowIn(rows: Iterable<number>): string {
  return `rowid IN (${[...rows].join(', ')})`;
}

/**
 * Whether a row's bit is set. `bits` are base64, with the first row in the highest bit of the first byte. There
 * must be a bit for every row of the segment: a missing one is an error.
 */
export function bitOf(bits: string, params: Params): string {
  return `get_bit(CAST(from_base64(${params.text(bits)}) AS BIT), CAST(rowid AS INTEGER)) = 1`;
}

/** Aggregate: the bits of the rows, of `total`, in the form of `bitOf`; NULL if there are no rows. */
export function bitsOfRows(total: number): string {
  const last = Math.ceil(total / 8) * 8 - 1;
  return `to_base64(CAST(bitstring_agg(CAST(rowid AS INTEGER), 0, ${last}) AS BLOB))`;
}

/** Partial match of an RE2 pattern. RE2's `i` is Unicode simple folding. */
export function matches(sql: string, pattern: string, ignoreCase: boolean): string {
  return `regexp_matches(${sql}, ${pattern}, '${ignoreCase ? 'i' : 'c'}')`;
}

/** Several texts joined by NULs; NULLs are omitted. */
export function joinedTexts(texts: readonly string[]): string {
  return `concat_ws(chr(0), ${texts.join(', ')})`;
}

/** A text of rows that have no `other`. */
export function textWithout(text: string, other: string): string {
  return `CASE WHEN ${other} IS NULL THEN ${text} END`;
}

/** A text with every match of an RE2 pattern replaced by a text, leftmost and longest first. */
export function replaceAll(sql: string, pattern: string, by: string): string {
  return `regexp_replace(${sql}, ${pattern}, ${by}, 'g')`;
}

/** The text of an RE2 pattern's group; NULL if it is empty. */
export function extracted(sql: string, pattern: string, group: number): string {
  return `nullif(regexp_extract(${sql}, ${pattern}, ${group}), '')`;
}

/** Whether `predicate` holds for any value of a JSON object of strings. */
export function anyJsonValue(json: string, predicate: (value: string) => string): string {
  return anyOfList(`json_extract_string(${json}, '$.*')`, predicate);
}

/** All values of a JSON object of strings as one text, one per line. */
export function allJsonText(json: string): string {
  return `array_to_string(json_extract_string(${json}, '$.*'), chr(10))`;
}

/** The values of a JSON object of strings whose name, in lower case, is `lower`: a list of texts. */
export function jsonValuesNamed(json: string, lower: string): string {
  const names = `list_filter(json_keys(${json}), lambda k: lower(k) = ${lower})`;
  // JSON pointers: https://www.rfc-editor.org/rfc/rfc6901
  const pointer = `'/' || replace(replace(k, '~', '~0'), '/', '~1')`;
  return `list_transform(${names}, lambda k: json_extract_string(${json}, ${pointer}))`;
}

/** Whether `predicate` holds for any text of a list. */
export function anyOfList(list: string, predicate: (value: string) => string): string {
  return `len(list_filter(${list}, lambda v: ${predicate('v')})) > 0`;
}

/** The text of a JSON string; NULL if it is not one. */
export function jsonStringText(sql: string): string {
  return `CASE WHEN json_valid(${sql}) THEN json_extract_string(${sql}, '$') END`;
}

/** A text as a number; NULL if it is not one (NaN included, so that it compares with nothing). */
export function textAsNumber(sql: string): string {
  return `nullif(TRY_CAST(${sql} AS DOUBLE), CAST('NaN' AS DOUBLE))`;
}

export function micros(ts: string): string {
  return `epoch_us(${ts})`;
}

/** When an event of `seconds` that began at `ts` ended, in microseconds as a DOUBLE. */
export function endMicros(ts: string, seconds: string): string {
  return `CAST(${micros(ts)} AS DOUBLE) + coalesce(greatest(${seconds}, 0), 0) * 1e6`;
}

/** Seconds from a time to an end computed by `endMicros`. */
export function secondsUntil(ts: string, ended: string): string {
  return `(${ended} - ${micros(ts)}) / 1e6`;
}

export function timeFromMicros(sql: string): string {
  return `make_timestamp(${sql})`;
}

export function quantile(sql: string, fraction: number): string {
  return `quantile_cont(${sql}, ${fraction})`;
}

/** Aggregates: of a sample; the first value in an order; all values as one text. */
export function standardDeviation(sql: string): string {
  return `stddev_samp(CAST(${sql} AS DOUBLE))`;
}
export function firstInOrder(sql: string, order: readonly string[], descending: boolean): string {
  const direction = descending ? 'DESC' : 'ASC';
  const keys = order.map((one) => `${one} ${direction} NULLS LAST`);
  return `first(${sql} ORDER BY ${keys.join(', ')}) FILTER (WHERE ${sql} IS NOT NULL)`;
}
export function valuesAsText(sql: string, most: number): string {
  const all = `list(DISTINCT ${sql}) FILTER (WHERE ${sql} IS NOT NULL)`;
  const named = `array_to_string(list_slice(list_sort(${all}), 1, ${most}), ', ')`;
  return `CASE WHEN len(${all}) > ${most} THEN ${named} || ', … ' || (len(${all}) - ${most}) || ' more' ELSE ${named} END`;
}

/** Aggregate: how many different values two columns have between them, NULL not counted. */
export function distinctOfBoth(a: string, b: string): string {
  return `coalesce(len(list_distinct(list_concat(list(DISTINCT ${a}), list(DISTINCT ${b})))), 0)`;
}

/**
 * Community ID version 1 with seed 0 of a flow or packet, NULL if it has no addresses.
 * https://github.com/corelight/community-id-spec
 */
export function communityId(parts: {
  source: string;
  target: string;
  sourcePort: string;
  targetPort: string;
  proto: string;
}): string {
  const { source, target, sourcePort, targetPort, proto } = parts;
  // Types of ICMP messages that form pairs serve as the two ports; others are one-way and never swapped.
  const pair = (cases: readonly (readonly [number, number])[]) =>
    `CASE ${sourcePort} ${cases.map(([from, to]) => `WHEN ${from} THEN ${to}`).join(' ')} END`;
  const answer = `(CASE ${proto} WHEN 1 THEN ${pair(ICMP_PAIRS)} WHEN 58 THEN ${pair(ICMP6_PAIRS)} END)`;
  const second = `coalesce(${answer}, ${targetPort})`;
  const oneWay = `(${proto} IN (1, 58) AND ${sourcePort} IS NOT NULL AND ${answer} IS NULL)`;
  const ordered = `${source} < ${target} OR (${source} = ${target} AND ${sourcePort} <= ${second}) OR ${oneWay}`;
  const hex = (value: string, digits: number) =>
    `printf('%0${digits}x', CAST(${value} AS INTEGER))`;
  const ports = (from: string, to: string) =>
    `coalesce(CASE WHEN ${proto} IN (1, 6, 17, 58, 132) THEN ${hex(from, 4)} || ${hex(to, 4)} END, '')`;
  const forth = `${source} || ${target} || ${hex(proto, 2)} || '00' || ${ports(sourcePort, second)}`;
  const back = `${target} || ${source} || ${hex(proto, 2)} || '00' || ${ports(second, sourcePort)}`;
  const bytes = `'0000' || CASE WHEN ${ordered} THEN ${forth} ELSE ${back} END`;
  // Addresses of two versions do not form a flow.
  return `CASE WHEN length(${source}) = length(${target}) THEN '1:' || base64(unhex(sha1(unhex(${bytes})))) END`;
}

/** Types of requests and of their answers, as listed in the specification's reference code. */
export const ICMP_PAIRS = [
  [8, 0],
  [0, 8],
  [10, 9],
  [9, 10],
  [13, 14],
  [14, 13],
  [15, 16],
  [16, 15],
  [17, 18],
  [18, 17],
] as const;
export const ICMP6_PAIRS = [
  [128, 129],
  [129, 128],
  [130, 131],
  [131, 130],
  [133, 134],
  [134, 133],
  [135, 136],
  [136, 135],
  [139, 140],
  [140, 139],
  [144, 145],
  [145, 144],
] as const;

/** An IPv4 address as 8 hexadecimal digits. */
export function ip4Hex(sql: string): string {
  return `printf('%08x', CAST(${sql} AS BIGINT))`;
}
export function ip6Hex(sql: string): string {
  return `replace(CAST(${sql} AS VARCHAR), '-', '')`;
}

const OCTET = '(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])';
/** Four octets; an adjacent non-ASCII character belongs to the same token, and is included to be noticed. */
const BESIDE = '[\\x{80}-\\x{10ffff}]?';
const QUAD = `${BESIDE}\\b${[OCTET, OCTET, OCTET, OCTET].join('\\.')}\\b${BESIDE}`;
/** More than four tokens in a row with dots between them hold several quads that overlap. */
const TOKEN = '[0-9A-Za-z_\\x{80}-\\x{10ffff}]+';
const LONG = `${TOKEN}(?:\\.${TOKEN}){4,}`;

/**
 * The IPv4 addresses in a text, as numbers: four consecutive tokens that are octets, with dots between them, as a
 * phrase finds them. NULL for other matches.
 */
export function writtenIp4(sql: string): string {
  const quads = `regexp_extract_all(${sql}, '${QUAD}')`;
  const octet = (quad: string, at: number) =>
    `TRY_CAST(split_part(${quad}, '.', ${at}) AS UINTEGER)`;
  const number = (quad: string) =>
    `${octet(quad, 1)} * 16777216 + ${octet(quad, 2)} * 65536 + ${octet(quad, 3)} * 256 + ${octet(quad, 4)}`;
  const parts = `list_transform(regexp_extract_all(${sql}, '${LONG}'), lambda r: string_split(r, '.'))`;
  const windows = `flatten(list_transform(${parts}, lambda t: list_transform(range(1, len(t) - 2), lambda i: array_to_string(t[i:i+3], '.'))))`;
  const isQuad = (text: string) =>
    `regexp_full_match(${text}, '${[OCTET, OCTET, OCTET, OCTET].join('\\.')}')`;
  const all = `CASE WHEN regexp_matches(${sql}, '${LONG}') THEN list_concat(${quads}, list_filter(${windows}, lambda w: ${isQuad('w')})) ELSE ${quads} END`;
  return `list_transform(${all}, lambda q: CAST(${number('q')} AS UINTEGER))`;
}

/** The block of `prefix` bits that an IPv4 address is in, as its first address. */
export function blockOfIp4(sql: string, prefix: number): string {
  if (prefix === 32) return sql;
  const mask = prefix === 0 ? 0 : (0xffff_ffff << (32 - prefix)) >>> 0;
  return `(${sql} & CAST(${mask} AS UINTEGER))`;
}

/** Hexadecimal digits, with as many of the lower bits cleared as the index says. */
const CLEARED = [0, 8, 12, 14].map((mask) =>
  Array.from({ length: 16 }, (_, digit) => (digit & mask).toString(16)).join(''),
);

/** Characters of an address as UUID text up to its hexadecimal digit number `digits`. */
export function uuidLength(digits: number): number {
  return digits + [8, 12, 16, 20].filter((hyphen) => digits > hyphen).length;
}

/** The block of `prefix` bits that an IPv6 address is in: the text of the digits that decide it. */
export function blockOfIp6(sql: string, prefix: number): string {
  const uuid = `CAST(${sql} AS VARCHAR)`;
  const digits = prefix >> 2;
  const whole = `left(${uuid}, ${uuidLength(digits)})`;
  if (prefix % 4 === 0) return whole;
  const next = `substr(${uuid}, ${uuidLength(digits + 1)}, 1)`;
  return `(${whole} || translate(${next}, '0123456789abcdef', '${CLEARED[prefix % 4]}'))`;
}

/** The same for the first address of a block, as UUID text. */
export function ip6BlockKey(uuid: string, prefix: number): string {
  const digits = prefix >> 2;
  const whole = uuid.slice(0, uuidLength(digits));
  return prefix % 4 === 0 ? whole : whole + uuid[uuidLength(digits + 1) - 1]!;
}

/** A statement for a table of lists, all as long, each bound as the text of a JSON array. */
export function boundLists(
  columns: readonly { readonly name: string; readonly type: string; readonly json: string }[],
): string {
  const each = columns.map(
    ({ name, type, json }) =>
      `unnest(from_json(${json}, '["${type}"]')) AS ${quoteIdentifier(name)}`,
  );
  return `SELECT ${each.join(', ')}`;
}

/** The first address of the block: hexadecimal digits beyond the prefix are zeros. */
export function blockStartOfIp6(sql: string, bits: number): string {
  const hex = `replace(CAST(${sql} AS VARCHAR), '-', '')`;
  const digits = bits >> 2;
  const rest = bits % 4;
  const next =
    rest === 0
      ? `''`
      : `translate(substr(${hex}, ${digits + 1}, 1), '0123456789abcdef', '${CLEARED[rest]}')`;
  const kept = digits + (rest === 0 ? 0 : 1);
  const whole = `(left(${hex}, ${digits}) || ${next} || '${'0'.repeat(32 - kept)}')`;
  return `CAST(${whole} AS UUID)`;
}

/** Several values as one comparable value; a single one stays unchanged. */
export function tuple(values: readonly string[]): string {
  return values.length === 1 ? values[0]! : `(${values.join(', ')})`;
}

/** Whether a member of a list is among the rows of a subquery: never NULL. */
export function isSomeAmong(list: string, rows: string): string {
  return `EXISTS (SELECT 1 FROM (SELECT ${eachOf(list)} AS m) AS each WHERE each.m IN ${rows})`;
}

/** Whether a member of a list is in a column of a subquery; each list is compared with all of its rows. */
export function isSomeListed(list: string, column: string, rows: string): string {
  return `coalesce(list_has_any(${list}, (SELECT list(${column}) FROM ${rows})), FALSE)`;
}

/** A condition that is evaluated only for rows for which the others hold. */
export function whenAll(conditions: readonly string[], condition: string): string {
  return `CASE WHEN ${conditions.join(' AND ')} THEN ${condition} ELSE FALSE END`;
}

/** A list of all combinations of the lists' members, each as the tuple that `make` makes of them. */
export function combinations(
  lists: readonly string[],
  make: (members: readonly string[]) => string,
): string {
  const names = lists.map((_, at) => `m${at}`);
  return lists.reduceRight(
    (inner, list, at) =>
      at === lists.length - 1
        ? `list_transform(${list}, lambda ${names[at]}: ${inner})`
        : `flatten(list_transform(${list}, lambda ${names[at]}: ${inner}))`,
    make(names),
  );
}

/** Whether a value is among the rows of a subquery: never NULL. */
export function isAmong(value: string, rows: string): string {
  return `coalesce(${value} IN ${rows}, FALSE)`;
}

/**
 * Folds a text: two texts are equal exactly if they are the same ignoring case, in the way `matches` ignores it.
 * Lower case of upper case does that except for the two Turkish letters, which are no case of `i`.
 */
export function foldedText(sql: string): string {
  const chr = (point: number) => `chr(${point})`;
  const escaped = `replace(replace(replace(${sql}, ${chr(1)}, ${chr(1)} || 'x'), ${chr(304)}, ${chr(1)} || 'y'), ${chr(305)}, ${chr(1)} || 'z')`;
  return `lower(upper(${escaped}))`;
}

// -- rows of a segment -----------------------------------------------------------------------------

/** The number of a row in its segment, as a column. */
export const ROW_NUMBER = 'rowid';

/** The number of a row of the table `alias`. */
export function rowNumberOf(alias: string): string {
  return `${alias}.${ROW_NUMBER}`;
}

/** Whether a row's number equals this one or is in `[low, high]`: numbers are the engine's own. */
export function rowIs(row: number): string {
  return `${ROW_NUMBER} = ${row}`;
}
export function rowBetween(low: number, high: number): string {
  return `${ROW_NUMBER} >= ${low} AND ${ROW_NUMBER} <= ${high}`;
}

/** Whether a row of a segment was deleted or carries a tag, by the tables of marks. */
export function notDeleted(segment: string): string {
  return `${ROW_NUMBER} NOT IN (SELECT row FROM marks.deleted WHERE segment = ${segment})`;
}
export function rowTagged(segment: string, tags: string): string {
  return `${ROW_NUMBER} IN (SELECT row FROM marks.tagged WHERE segment = ${segment} AND tag IN (${tags}))`;
}

/** Aggregate: values in the order of their rows, as a list. */
export function listedByRow(sql: string): string {
  return `list(${sql} ORDER BY ${ROW_NUMBER})`;
}

// -- lists -----------------------------------------------------------------------------------------

/** One row for each member of a list. */
export function eachOf(list: string): string {
  return `unnest(${list})`;
}

/** The whole numbers from `from` up to `to`, the last not included, as a list. */
export function numbersBetween(from: string, to: string): string {
  return `range(${from}, ${to})`;
}
export function numbersBelow(to: string): string {
  return `range(${to})`;
}

/** The first member of a list, NULL of an empty one. */
export function firstOf(list: string): string {
  return `(${list})[1]`;
}

export function joinedLists(lists: readonly string[]): string {
  return lists.length === 1 ? lists[0]! : `list_concat(${lists.join(', ')})`;
}

/** A list with the result of `make` for each member. */
export function eachMade(list: string, make: (member: string) => string): string {
  return `list_transform(${list}, lambda v: ${make('v')})`;
}

/** The members of the lists that are made of each member of a list. */
export function eachJoined(list: string, make: (member: string) => string): string {
  return `flatten(${eachMade(list, (member) => `coalesce(${make(member)}, [])`)})`;
}

/** Whole numbers, bound as one list. */
export function boundNumbers(values: readonly number[], params: Params): string {
  return `CAST(string_split(${params.text(values.join(','))}, ',') AS BIGINT[])`;
}

/** Texts, bound as one list of `type`; times are given in microseconds. */
export function boundList(texts: readonly (string | null)[], type: string, params: Params): string {
  const list = `from_json(${params.text(JSON.stringify(texts))}, '["VARCHAR"]')`;
  return type === 'TIMESTAMP'
    ? `list_transform(${list}, lambda x: make_timestamp(CAST(x AS BIGINT)))`
    : `CAST(${list} AS ${type}[])`;
}

/** Aggregates: how many different values there are, and the `most` smallest of them as one text. */
export function distinctCount(sql: string): string {
  return `count(DISTINCT ${sql})`;
}
export function smallestAsText(sql: string, most: number): string {
  const all = `list(DISTINCT ${sql}) FILTER (WHERE ${sql} IS NOT NULL)`;
  return `array_to_string(list_slice(list_sort(${all}), 1, ${most}), ',')`;
}

/** Whether a pattern of ours matches a text; `.` is any character, ends of lines too. */
export function matchesAcrossLines(sql: string, pattern: string): string {
  return `regexp_matches(${sql}, '${pattern}', 's')`;
}
/** The same pattern's matches, each converted by `make`: a list. */
export function eachMatch(sql: string, pattern: string, make: (match: string) => string): string {
  const found = `regexp_extract_all(${sql}, '${pattern}', 0, 's')`;
  return `list_transform(${found}, lambda m: ${make('m')})`;
}

export function startsWith(sql: string, prefix: string): string {
  return `starts_with(${sql}, '${prefix}')`;
}

// -- rows of a result ------------------------------------------------------------------------------

/** Keeps the first row, in an order, of each combination of values: a FROM clause. */
export function firstOfEach(keys: readonly string[], order: string): string {
  return `QUALIFY row_number() OVER (PARTITION BY ${keys.join(', ')} ORDER BY ${order}) = 1`;
}

/**
 * Keeps the first `most` rows in an order of each partition by `part`; rows that satisfy `also` are kept in
 * addition.
 */
export function firstRanked(
  order: string,
  most: string,
  { part, also }: { readonly part?: string; readonly also?: string } = {},
): string {
  const within = part === undefined ? '' : `PARTITION BY ${part} `;
  const beside = also === undefined ? '' : `${also} OR `;
  return `QUALIFY ${beside}row_number() OVER (${within}ORDER BY ${order}) <= ${most}`;
}

/** Keeps rows by a column that the same SELECT computed from its groups. */
export function keptWhere(condition: string): string {
  return `QUALIFY ${condition}`;
}

/** Several values as one, compared from the first to the last; and one of them. */
export function record(parts: readonly (readonly [name: string, sql: string])[]): string {
  return `{${parts.map(([name, sql]) => `'${name}': ${sql}`).join(', ')}}`;
}
export function recordPart(sql: string, name: string): string {
  return `${sql}['${name}']`;
}

/** A time and a number of seconds, which may have a fraction. */
export function plusSeconds(ts: string, seconds: string): string {
  return `${ts} + to_microseconds(CAST(round(${seconds} * 1000000) AS BIGINT))`;
}

/** The type of an IPv6 address, and the form of an address in a result: text. */
export const IP6_TYPE = 'UUID';
export function ip6Text(sql: string): string {
  return `CAST(${sql} AS VARCHAR)`;
}

// -- rows that are put aside -----------------------------------------------------------------------

function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Writes a table to Parquet files, with a folder for the rows of each number in `part`. */
export function copyInParts(table: string, folder: string, part: string, name: string): string {
  return `COPY ${table} TO ${quoteText(folder)} (FORMAT parquet, COMPRESSION snappy, PARTITION_BY (${part}), WRITE_PARTITION_COLUMNS false, OVERWRITE_OR_IGNORE, FILENAME_PATTERN ${quoteText(`${name}_{i}`)})`;
}

/** All files of one part, as a FROM clause. */
export function partFiles(folder: string, part: string, number: number): string {
  return `read_parquet(${quoteText(`${folder}/${part}=${number}/*.parquet`)})`;
}
