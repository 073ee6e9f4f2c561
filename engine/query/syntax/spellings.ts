/**
 * Translates the word tests of other tools to patterns, and suggests replacements for stages that
 * this language does not have. lexemes.ts has the spellings.
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

const JOINED =
  'write where src_ip in [ query | values dst_ip ], or lookup FILE on field for the columns of a file';

/** Replacements for stages that other languages have and this one has not. */
export const STAGE_HINTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    kv: 'write parse kv(message)',
    grok: 'write extract "from {src_ip} port {src_port}"',
    ...{ join: JOINED, inputlookup: JOINED },
    distinct: 'write values field, or dedup field for the first event of each',
    uniq: 'write dedup field',
    timechart: 'write timeline 1h by field',
    bin: 'write stats count() by bin(ts, 1h)',
    bucket: 'write stats count() by bin(ts, 1h)',
    chart: 'write stats count() by field',
    by: 'write stats count() by field',
    group: 'write stats count() by field',
    regex: 'write where message:/…/',
    append: 'write union (query)',
    transaction:
      'write session by src_ip gap 30m, or sequence by user within 5m: failed then accepted',
    streamstats: 'write eval gap = delta(ts) by src_ip; prev(field) is the value of the row before',
    serialize: 'write eval gap = delta(ts) by src_ip',
    reverse: 'write sort -ts',
  }),
);
