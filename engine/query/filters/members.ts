/**
 * Attributes that are lists: the text of a JSON array of plain values, such as `["a","b"]` or `[60,300]`. A test of
 * a value holds for such an attribute if it holds for the whole text or for one of the members.
 *
 * Invariant: members are defined by patterns that RE2 and the runtime read alike, so that they are the same in SQL
 * and in a scan. Nested arrays and objects have no members.
 */
import { text as textSql } from '../dialect/clickhouse.ts';
import {
  eachMatch,
  jsonStringText,
  matchesAcrossLines,
  startsWith,
  textAsNumber,
} from '../dialect/duckdb.ts';
import { compilePattern } from '../re2/matcher.ts';
import { escapeRe2, valuePattern } from './wildcard.ts';

const BLANK = '[ \\t\\r\\n]*';
const STRING = '"(?:[^"\\\\]|\\\\.)*"';
/** A member as written; empty between two commas. */
const MEMBER = `${BLANK}(?:${STRING}|[^",\\[\\]{}]*)${BLANK}`;
const ARRAY = `^\\[${MEMBER}(?:,${MEMBER})*\\]$`;
/** A member without the blanks around it. */
const PLAIN = `${STRING}|[^",\\[\\]{} \\t\\r\\n]+`;

export function isArrayText(sql: string): string {
  return startsWith(sql, '[');
}

/** RE2 pattern of an array with a member that, quoted or not, matches one of some patterns. */
export function arrayPattern(members: readonly string[]): string {
  const any = members.length === 1 ? members[0]! : `(?:${members.join('|')})`;
  return `^\\[(?:${MEMBER},)*${BLANK}${any}${BLANK}(?:,${MEMBER})*\\]$`;
}

/** A member that may be unquoted. */
const BARE_VALUE = '^[0-9A-Za-z_.+-]+$';

const OTHER = '(?:[^"\\\\]|\\\\.)';
const BARE = '[^",\\[\\]{} \\t\\r\\n]';

/** RE2 of a member that is `text`. */
export function memberPattern(text: string, wildcards: boolean): string {
  let quoted = '';
  let bare = '';
  let isBare = true;
  for (const char of text.toWellFormed()) {
    if (wildcards && (char === '*' || char === '?')) {
      quoted += char === '*' ? `${OTHER}*` : OTHER;
      bare += char === '*' ? `${BARE}*` : BARE;
      continue;
    }
    quoted += escapedChar(char);
    bare += escapeRe2(char);
    isBare &&= /[\w.+-]/.test(char);
  }
  return isBare && text !== '' ? `(?:"${quoted}"|${bare})` : `"${quoted}"`;
}

const SHORT: Readonly<Record<string, string>> = {
  '"': '\\\\"',
  '\\': '\\\\\\\\',
  '/': '\\\\?/',
  '\b': '\\\\b',
  '\f': '\\\\f',
  '\n': '\\\\n',
  '\r': '\\\\r',
  '\t': '\\\\t',
};

/** A character as a JSON string may have it: https://www.rfc-editor.org/rfc/rfc8259#section-7. */
function escapedChar(char: string): string {
  const short = SHORT[char];
  if (/^[\x20-\x7e]$/.test(char)) return short ?? escapeRe2(char);
  const units = Array.from(
    { length: char.length },
    (_, i) => `\\\\u${char.charCodeAt(i).toString(16).padStart(4, '0')}`,
  );
  return `(?:${[...(short === undefined ? [escapeRe2(char)] : [short]), units.join('')].join('|')})`;
}

const OPEN = 0x5b;

/** Whether a text in UTF-8 is an array with such a member. */
export function memberTest(
  patterns: readonly string[],
): (bytes: Uint8Array, start: number, end: number) => boolean {
  const matcher = compilePattern(arrayPattern(patterns), true);
  return (bytes, start, end) => bytes[start] === OPEN && matcher.test(bytes, start, end);
}

/** Whether a text is `text`, or has a member that is. */
export function valueTest(text: string, wildcards: boolean): (value: string) => boolean {
  const whole = compilePattern(valuePattern(text, wildcards), true);
  const member = memberTest([memberPattern(text, wildcards)]);
  const utf8 = new TextEncoder();
  return (value) => {
    const bytes = utf8.encode(value);
    return whole.test(bytes, 0, bytes.length) || member(bytes, 0, bytes.length);
  };
}

/** SQL: the members of a text, each in the form that `memberPattern` matches; NULL if it is not an array. */
export function memberValues(sql: string): string {
  const isArray = `${isArrayText(sql)} AND ${matchesAcrossLines(sql, ARRAY)}`;
  const values = eachMatch(
    sql,
    PLAIN,
    (member) =>
      `CASE WHEN ${startsWith(member, '"')} THEN ${jsonStringText(member)} WHEN ${matchesAcrossLines(member, BARE_VALUE)} THEN ${member} END`,
  );
  return `CASE WHEN ${isArray} THEN ${values} END`;
}

/** The same in ClickHouse: empty if it is not an array. */
export function memberValuesClickHouse(sql: string): string {
  const isArray = `(startsWith(${sql}, '[') AND match(${sql}, ${textSql(ARRAY)}))`;
  const members = `extractAll(assumeNotNull(${sql}), ${textSql(PLAIN)})`;
  const value = `if(startsWith(m, '"'), JSONExtractString(m), if(match(m, ${textSql(BARE_VALUE)}), m, ''))`;
  return `if(ifNull(${isArray}, false), arrayMap(m -> ${value}, ${members}), [])`;
}

/** SQL: the members of a text that are numbers; NULL if it is not an array. */
export function memberNumbers(sql: string): string {
  const isArray = `${isArrayText(sql)} AND ${matchesAcrossLines(sql, ARRAY)}`;
  const numbers = eachMatch(sql, PLAIN, (member) => textAsNumber(`trim(${member}, '"')`));
  return `CASE WHEN ${isArray} THEN ${numbers} END`;
}

/** ClickHouse: the members of a text, each without its quotes; empty if it is not an array. */
export function memberTexts(sql: string): string {
  const isArray = `(startsWith(${sql}, '[') AND match(${sql}, ${textSql(ARRAY)}))`;
  const members = `extractAll(assumeNotNull(${sql}), ${textSql(PLAIN)})`;
  return `if(ifNull(${isArray}, false), arrayMap(m -> trim(BOTH '"' FROM m), ${members}), [])`;
}

const IS_ARRAY = new RegExp(ARRAY, 's');
const MEMBERS = new RegExp(PLAIN, 'gs');

/** The members of a text, each without its quotes; undefined if it is not an array. */
export function membersOf(text: string): string[] | undefined {
  if (!text.startsWith('[') || !IS_ARRAY.test(text)) return undefined;
  return Array.from(text.matchAll(MEMBERS), ([member]) => member.replace(/^"+|"+$/g, ''));
}
