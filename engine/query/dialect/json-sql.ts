/** SQL of the members of texts that are JSON (expressions/structured.ts does the same). */
import { numberText } from './written-sql.ts';
import { type Params, textAsNumber } from './duckdb.ts';

/**
 * A single value as a text; NULL for invalid JSON, an object, a list or NaN. Of members with the same name the last
 * counts, as importers of JSON read them: DuckDB's paths lead to the first.
 */
export function jsonMember(sql: string, path: string, params: Params): string {
  const names = path.split('.');
  const plain = oneValue(lastNamed('j', path, params));
  const nested = (): string =>
    oneValue(names.reduce((of, name) => lastNamed(of, name, params), 'j'));
  const either = names.length === 1 ? plain : `coalesce(${plain}, ${nested()})`;
  return `list_transform([${sql}], lambda j: CASE WHEN regexp_matches(j, '^\\s*[{\\[]') AND json_valid(j) THEN ${either} END)[1]`;
}

/** The last member of that name of an object, or that element of a list, as JSON. */
function lastNamed(json: string, name: string, params: Params): string {
  const wanted = params.text(name);
  const pointer = params.text(`/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`);
  const fromEnd = `list_position(list_reverse(k), ${wanted})`;
  const last = `json_extract(o, '$.*')[len(k) - ${fromEnd} + 1]`;
  const isTwice = `list_position(k, ${wanted}) + ${fromEnd} <= len(k)`;
  const found = `CASE WHEN ${isTwice} THEN ${last} ELSE json_extract(o, ${pointer}) END`;
  return `list_transform([${json}], lambda o: list_transform([json_keys(o)], lambda k: ${found})[1])[1]`;
}

function oneValue(json: string): string {
  const text = `json_extract_string(v, '')`;
  const number = numberText(textAsNumber(text));
  const whole = `CASE WHEN regexp_full_match(${text}, '-?[0-9]{1,18}') THEN ${text} ELSE ${number} END`;
  return `list_transform([${json}], lambda v: CASE json_type(v) WHEN 'VARCHAR' THEN ${text} WHEN 'BOOLEAN' THEN ${text} WHEN 'BIGINT' THEN ${whole} WHEN 'UBIGINT' THEN ${whole} WHEN 'DOUBLE' THEN ${number} END)[1]`;
}

/** The members of a JSON array as texts; any other text, or NULL for an empty array, becomes the only member. */
export function jsonMembers(sql: string): string {
  const members = `json_extract_string(j, '$[*]')`;
  const list = `CASE WHEN regexp_matches(j, '^\\s*\\[') AND json_valid(j) THEN CASE WHEN len(${members}) > 0 THEN ${members} ELSE [CAST(NULL AS VARCHAR)] END ELSE [j] END`;
  return `list_transform([${sql}], lambda j: ${list})[1]`;
}

/** A row for each member of a list, with its place from 0. */
export function eachMember(list: string, member: string, place: string): string {
  return `unnest(${list}) AS ${member}, unnest(range(len(${list}))) AS ${place}`;
}
