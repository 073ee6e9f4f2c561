/** SQL of the members of texts that are JSON (expressions/structured.ts does the same). */
import { numberText } from './written-sql.ts';
import type { Params } from './duckdb.ts';

/** What is one value, as a text; NULL for what is no JSON, or an object or a list. */
export function jsonMember(sql: string, path: string, params: Params): string {
  const pointer = (names: readonly string[]): string =>
    params.text(
      names.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''),
    );
  const names = path.split('.');
  const plain = pointer([path]);
  const nested = pointer(names);
  const found = (at: string): string => {
    const text = `json_extract_string(j, ${at})`;
    const number = numberText(`CAST(${text} AS DOUBLE)`);
    const whole = `CASE WHEN regexp_full_match(${text}, '-?[0-9]{1,18}') THEN ${text} ELSE ${number} END`;
    return `CASE json_type(j, ${at}) WHEN 'VARCHAR' THEN ${text} WHEN 'BOOLEAN' THEN ${text} WHEN 'BIGINT' THEN ${whole} WHEN 'UBIGINT' THEN ${whole} WHEN 'DOUBLE' THEN ${number} END`;
  };
  const either = names.length === 1 ? found(plain) : `coalesce(${found(plain)}, ${found(nested)})`;
  return `list_transform([${sql}], lambda j: CASE WHEN regexp_matches(j, '^\\s*[{\\[]') AND json_valid(j) THEN ${either} END)[1]`;
}

/** The members of a JSON array as texts; one text that is none, or NULL where it is empty, is a list of itself. */
export function jsonMembers(sql: string): string {
  const members = `json_extract_string(j, '$[*]')`;
  const list = `CASE WHEN regexp_matches(j, '^\\s*\\[') AND json_valid(j) THEN CASE WHEN len(${members}) > 0 THEN ${members} ELSE [CAST(NULL AS VARCHAR)] END ELSE [j] END`;
  return `list_transform([${sql}], lambda j: ${list})[1]`;
}

/** A row for each member of a list, with its place from 0. */
export function eachMember(list: string, member: string, place: string): string {
  return `unnest(${list}) AS ${member}, unnest(range(len(${list}))) AS ${place}`;
}
