/**
 * ClickHouse: members of texts that are JSON arrays, with the results of DuckDB (json-sql.ts). The two differ in
 * what they accept as JSON and in how they write numbers: where that would be visible, the statement stops with an
 * error at run time.
 */
import { text, textAsNumber } from './clickhouse.ts';
import { numberText } from './clickhouse-texts.ts';
import { onceClickHouse as once } from './once.ts';

const BLANK = '[ \\t\\r\\n]*';
const STRING = '"(?:[^"\\\\]|\\\\.)*"';
/** Everything that DuckDB may accept as JSON: trailing commas and invalid numbers are allowed. */
const TOKENS = `^${BLANK}\\[(?:${STRING}|[-+0-9.eE]+|(?i:true|false|null|nan|inf|infinity)|[,:{}\\[\\]]|[ \\t\\r\\n])*\\]${BLANK}$`;
/** Numbers that are written in another way, of texts without strings: `1.0`, `1e5`, `-0`, many digits. */
const REWRITTEN = '[0-9][eE]|[.]0*(?:[^0-9]|$)|-0(?:[^.]|$)|[0-9.]{16}';
/** Escapes that an object or a list may have after it was read and written again. */
const ESCAPED = '\\\\[u/]|[\\x{7f}\\x{2028}\\x{2029}]';

/** The members of a JSON array; any other text is its only member, NULL if the array is empty. */
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
    // It must be the only condition, or it might not be evaluated.
    `if(throwIf(${isOther(j)}, ${text(OTHER)}) != 0, [], if(${valid(j)}, if(empty(${listed(j)}), [NULL], ${listed(j)}), [toNullable(${j})]))`;
  return once(sql, given, 'j');
}

/** Escapes of characters in strings, and of half a character, which is invalid JSON. */
const WHOLE_ESCAPE = '\\\\(?:[^u]|u[dD][89abAB]..\\\\u[dD][c-fC-F]..)';
const HALF_ESCAPE = '\\\\u[dD][89a-fA-F]';
/** Everything that DuckDB may accept as JSON objects or lists. */
const MORE_THAN_JSON = TOKENS.replace('\\[(?:', '[\\[{](?:').replace(')*\\]', ')*[\\]}]');

/**
 * The member of a JSON object at a path, with the results of DuckDB (json-sql.ts): a single value as a text; NULL
 * if there is none. Of members with the same name the last counts.
 */
export function jsonMember(sql: string, path: string): string {
  const names = path.split('.');
  const plain = oneValue(lastNamed('j', path));
  const nested = (): string => oneValue(names.reduce(lastNamed, 'j'));
  const found = names.length === 1 ? plain : `coalesce(${plain}, ${nested()})`;
  const isHalf = (j: string): string =>
    `match(replaceRegexpAll(${j}, ${text(`(?s)${WHOLE_ESCAPE}`)}, ''), ${text(HALF_ESCAPE)})`;
  const isOther = (j: string): string =>
    `NOT ${isHalf(j)} AND if(isValidJSON(${j}), match(${bareOf(j)}, ${text('(?:^|[^0-9.eE+-])-0(?:[.]0*)?(?:[eE]|[^0-9.]|$)')}), match(${j}, ${text(`(?s)${MORE_THAN_JSON}`)}))`;
  const given = (j: string): string =>
    `if(throwIf(${isOther(j)}, ${text(OTHER_MEMBER)}) != 0 OR NOT isValidJSON(${j}) OR ${isHalf(j)}, NULL, ${found})`;
  return once(
    sql,
    (x) =>
      `if(match(ifNull(${x}, ''), '^\\\\s*[{\\\\[]'), arrayMap(j -> ${given('j')}, [assumeNotNull(${x})])[1], NULL)`,
    't',
  );
}
const OTHER_MEMBER =
  'parse json: a text that ClickHouse reads in another way, such as {"a":1,}; use daybook query';

function bareOf(j: string): string {
  return `replaceRegexpAll(${j}, ${text(`(?s)${STRING}`)}, '""')`;
}

/** The last member of that name of an object, or that element of a list, as JSON; empty if there is none. */
function lastNamed(json: string, name: string): string {
  const member = `arrayLast(p -> p.1 = ${text(name)}, JSONExtractKeysAndValuesRaw(o)).2`;
  const element = /^(?:0|[1-9]\d{0,8})$/.test(name)
    ? `if(JSONType(o) = 'Array', JSONExtractRaw(o, ${Number(name) + 1}), ${member})`
    : member;
  return `arrayMap(o -> ${element}, [${json}])[1]`;
}

function oneValue(json: string): string {
  const value = `multiIf(v = '', NULL, JSONType(v) = 'String', JSONExtractString(v), JSONType(v) = 'Bool', v, JSONType(v) IN ('Int64', 'UInt64', 'Double'), if(match(v, '^-?[0-9]{1,18}$'), v, ${numberText(textAsNumber('v'))}), NULL)`;
  return `arrayMap(v -> ${value}, [${json}])[1]`;
}

const OTHER =
  'unnest: a list that ClickHouse would write in another way, such as [1.0] or [1,]; use daybook query';
