/**
 * What other tools' tests by word mean as patterns, and what to write for stages that this language
 * has no equal for. How they are spelled: contract/query-spelling.ts.
 */

export type WordTest = 'in' | 'contains' | 'startswith' | 'endswith' | 'matches' | 'like' | 'has';

/** RE2 for a test by word of a text. All but `matches` ignore case. */
export function wordPattern(word: Exclude<WordTest, 'in'>, text: string): string {
  const escaped = text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const edge = '[\\x00-\\x2f\\x3a-\\x40\\x5b-\\x5e\\x60\\x7b-\\x7f]';
  switch (word) {
    case 'contains':
      return escaped;
    case 'has':
      return `(?:^|${edge})${escaped}(?:${edge}|$)`;
    case 'startswith':
      return `^${escaped}`;
    case 'endswith':
      return `${escaped}$`;
    case 'matches':
      return text;
    case 'like':
      return `^${likePattern(text)}$`;
  }
}

/** `%` and `*` are any characters, `_` and `?` any one of them. */
function likePattern(text: string): string {
  let out = '';
  for (const char of text) {
    if (char === '%' || char === '*') out += '(?s:.)*';
    else if (char === '_' || char === '?') out += '(?s:.)';
    else out += char.replace(/[\\^$.+()[\]{}|/]/, '\\$&');
  }
  return out;
}

const COMPUTED =
  'no stage computes columns; stats computes from many events: stats sum(bytes) as b';
const EXTRACTED =
  'no stage cuts fields out of text; find it with a pattern: message:/user=\\w+/, or group by shape: patterns';
const JOINED =
  'no stage joins; narrow a query to a list of values: daybook query CASE QUERY --list FILE';

/** What to write for stages that other languages have and this one has not. */
export const STAGE_HINTS: Readonly<Record<string, string>> = {
  ...{ eval: COMPUTED, extend: COMPUTED, put: COMPUTED },
  ...{ rex: EXTRACTED, parse: EXTRACTED, extract: EXTRACTED, grok: EXTRACTED, kv: EXTRACTED },
  ...{ join: JOINED, lookup: JOINED, inputlookup: JOINED },
  rare: 'write values field | sort count | head 10',
  distinct: 'write values field, or dedup field for the first event of each',
  uniq: 'write dedup field',
  timechart: 'write timeline 1h by field',
  bin: 'write timeline 1h by field',
  bucket: 'write timeline 1h by field',
  chart: 'write stats count() by field',
  rename: 'name a column where it is computed: stats sum(bytes) as b',
  by: 'write stats count() by field',
  group: 'write stats count() by field',
  regex: 'write where message:/…/',
  append: 'write union (query)',
  transaction: 'no stage makes sessions of events; flows of a capture are kind:flow',
  reverse: 'write sort -ts',
};
