/**
 * The template of a text: the text with its variable tokens replaced by `<*>`. Once as RE2 for SQL and
 * once in JavaScript; both give the same.
 *
 * A token (see filters/text.ts) is variable when it has a digit or a non-ASCII character, or more than
 * MOST_LETTERS letters: words are shorter, and the text index keeps no longer ones apart.
 */
import { type Params, replaceAll } from '../dialect/duckdb.ts';

export const VARIABLE = '<*>';
export const MOST_LETTERS = 64;

const LETTER = '[A-Za-z_]';
const OTHER = '[0-9\\x{80}-\\x{10ffff}]';
const ANY = '[0-9A-Za-z_\\x{80}-\\x{10ffff}]';
/** Found from the left, so that it begins where its token does. */
const RE2 = `${LETTER}*(?:${OTHER}|${LETTER}{${MOST_LETTERS + 1}})${ANY}*`;

const TOKEN = /[\w\u0080-\u{10ffff}]+/gu;
const VARIES = /[^A-Za-z_]/;

/** SQL of the template of a text; NULL of NULL. */
export function templateSql(text: string, params: Params): string {
  return replaceAll(text, params.text(RE2), params.text(VARIABLE));
}

export function templateOf(text: string): string {
  return text.replace(TOKEN, (token) =>
    token.length > MOST_LETTERS || VARIES.test(token) ? VARIABLE : token,
  );
}
