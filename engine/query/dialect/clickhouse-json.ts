/**
 * ClickHouse: members of texts that are JSON arrays, as DuckDB has them (json-sql.ts). The two differ in what they take for
 * JSON and in how they write numbers: where that would show, the statement stops with an error when it is run.
 */
import { once, text } from './clickhouse.ts';

const BLANK = '[ \\t\\r\\n]*';
const STRING = '"(?:[^"\\\\]|\\\\.)*"';
/** Whatever DuckDB may take for JSON: trailing commas and numbers that are none are let through. */
const TOKENS = `^${BLANK}\\[(?:${STRING}|[-+0-9.eE]+|(?i:true|false|null|nan|inf|infinity)|[,:{}\\[\\]]|[ \\t\\r\\n])*\\]${BLANK}$`;
/** Numbers that are written in another way, of texts without strings: `1.0`, `1e5`, `-0`, many digits. */
const REWRITTEN = '[0-9][eE]|[.]0*(?:[^0-9]|$)|-0(?:[^.]|$)|[0-9.]{16}';
/** Escapes that an object or a list may have after it was read and written again. */
const ESCAPED = '\\\\[u/]|[\\x{7f}\\x{2028}\\x{2029}]';

/** The members of a JSON array; a text that is none, or NULL where the array is empty, is alone. */
export function jsonMembers(sql: string): string {
  const starts = (j: string): string => `ifNull(match(${j}, '^\\\\s*\\\\['), false)`;
  const bare = (j: string): string => `replaceRegexpAll(${j}, ${text(`(?s)${STRING}`)}, '')`;
  const valid = (j: string): string => `(${starts(j)} AND isValidJSON(ifNull(${j}, '')))`;
  const isOther = (j: string): string =>
    `(${starts(j)} AND if(isValidJSON(ifNull(${j}, '')), match(ifNull(${bare(j)}, ''), ${text(REWRITTEN)}) OR (match(ifNull(${bare(j)}, ''), ${text('[\\[{][^\\[{]*[\\[{]')}) AND match(ifNull(${j}, ''), ${text(ESCAPED)})), match(ifNull(${j}, ''), ${text(`(?s)${TOKENS}`)})))`;
  const member = `multiIf(m = 'null', NULL, startsWith(m, '"'), JSONExtractString(m), m)`;
  const listed = (j: string): string =>
    `arrayMap(m -> toNullable(${member}), JSONExtractArrayRaw(ifNull(${j}, '')))`;
  const given = (j: string): string =>
    // Alone in a condition, or it might not be asked.
    `if(throwIf(${isOther(j)}, ${text(OTHER)}) != 0, [], if(${valid(j)}, if(empty(${listed(j)}), [NULL], ${listed(j)}), [toNullable(${j})]))`;
  return once(sql, given, 'j');
}

const OTHER =
  'unnest: a list that ClickHouse would write in another way, such as [1.0] or [1,]; use daybook query';
