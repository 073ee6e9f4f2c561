/**
 * The events of a template (`patterns` in docs/query-language.md) as terms of the query language: a
 * pattern that matches its messages and no others, and a phrase of it that an index can look up.
 */
import { quoteValue } from '../../panel-api.ts';

/** Longer patterns cannot be written into a query. */
const LONGEST = 1900;
/** A token that a template leaves open: one with a digit, a non-ASCII character, or more than 64 letters. */
const OPEN = '(?:\\w*[\\d[:^ascii:]][\\w[:^ascii:]]*|\\w{65,})';
const SPECIAL = /[\\^$.|?*+()[\]{}/]/g;
const CONTROL = /[\u0000-\u001f\u007f]/g;

/** Undefined when it is too long. */
export function templateTerms(template: string): string[] | undefined {
  const runs = template.split('<*>');
  const escaped = runs.map((run) =>
    run.replace(SPECIAL, '\\$&').replace(CONTROL, (c) => `\\x{${c.charCodeAt(0).toString(16)}}`),
  );
  const pattern = `message:/^${escaped.join(OPEN)}$/`;
  if (pattern.length > LONGEST) return undefined;
  // Runs end where tokens do, so that the tokens of one are whole.
  const phrases = runs
    .map((run) => /\w.*\w|\w/.exec(run)?.[0] ?? '')
    .filter((phrase) => phrase.length > 1 && !/["\\]/.test(phrase) && phrase.search(CONTROL) < 0)
    .sort((a, b) => b.length - a.length);
  return [...phrases.slice(0, 1).map((phrase) => `message:${quoteValue(phrase)}`), pattern];
}
