/**
 * Spellings of words, comparisons, stages and functions, also those of other tools' query languages (Splunk, KQL,
 * SQL, Wireshark, Perl). docs/query-language.md, "Spellings of other tools".
 *
 * All patterns but GLUED_AND, NUMBER and MAC are sticky: set `lastIndex` first.
 */

const NAME = '[A-Za-z_@\\u0080-\\uffff][\\w.@\\-\\u0080-\\uffff]*';
/** Where a word ends in a filter. */
export const WORD = /[^\s\u0000()|"]+/y;
/** Within square brackets, which hold a query, a closing bracket ends it as well. */
export const WORD_IN_QUERY = /[^\s\u0000()|"\]]+/y;
/** Within the arguments of a function a comma ends it as well. */
export const WORD_IN_CALL = /[^\s\u0000()|",]+/y;
/** A value inside the brackets of a range ends at them as well. */
export const RANGE_WORD = /[^\s\u0000()|"\]}]+/y;
/** A field's name before its colon. Names with other characters need quotes. */
export const FIELD = new RegExp(`(${NAME}):`, 'y');
export const IDENTIFIER = /[\w@\u0080-\uffff][\w.@\-\u0080-\uffff]*/y;
export const REGEX_END = /\/(i?)(?=[\s\u0000()|]|$)/y;
/** Where a pattern ends within the brackets of a function: a comma may follow. */
export const REGEX_END_IN_CALL = /\/(i?)(?=[\s\u0000()|,]|$)/y;
/** A word that is a number, with or without a unit. */
export const NUMBER = /^[-+]?(?:0x[0-9a-f]+|\d+(?:\.\d+)?(?:e[-+]?\d+)?)(?:ms|s|m|h|d|w)?$/i;
/** An Ethernet address is not a field with a value. */
export const MAC = /^(?:[0-9a-f]{1,2}:){5}[0-9a-f]{1,2}$/i;

/** In the order in which the window offers them. */
export const STAGE_NAMES = [
  ...(['count', 'top', 'rare', 'timeline', 'stats', 'values', 'talkers', 'patterns'] as const),
  ...(['session', 'sequence'] as const),
  ...([
    'where',
    'eval',
    'extract',
    'parse',
    'lookup',
    'unnest',
    'fields',
    'rename',
    'sort',
    'head',
    'tail',
    'dedup',
    'union',
  ] as const),
];

export const FUNCTIONS = [
  ...(['count', 'countif', 'sum', 'avg', 'min', 'max', 'distinct', 'median'] as const),
  ...(['p50', 'p95', 'p99', 'stddev', 'first', 'last', 'values'] as const),
];
/** Functions of expressions, in the order in which they are offered. */
export const VALUE_FUNCTION_NAMES = [
  ...['if', 'case', 'coalesce', 'isnull', 'isnotnull'],
  ...['lower', 'upper', 'len', 'trim', 'ltrim', 'rtrim', 'replace', 'split', 'substr', 'concat'],
  ...['reverse', 'indexof', 'match', 'tostring'],
  ...['abs', 'floor', 'ceil', 'round', 'sqrt', 'tonumber'],
  ...[
    'hour',
    'minute',
    'monthday',
    'month',
    'year',
    'weekday',
    'date',
    'epoch',
    'date_diff',
    'bin',
  ],
  ...['cidr', 'toip', 'base64', 'hexdecode', 'urldecode', 'prev', 'delta'],
];
const VALUE_FUNCTIONS: ReadonlySet<string> = new Set(VALUE_FUNCTION_NAMES);
/** Functions of the row before. */
export const PREVIOUS_NAMES: ReadonlySet<string> = new Set(['prev', 'delta']);

/** @param name in lower case */
export function isValueFunction(name: string): boolean {
  return VALUE_FUNCTIONS.has(name);
}

/** The end of a step of a sequence: `failed x10 then accepted`. */
export const STEP_END = /^(?:then|x\d+)$/i;
/** A percentile: `p50`, `p99.9`. */
export const PERCENTILE = /^p(\d{1,2}(?:\.\d{1,3})?|100)$/;

const QUOTED = '"((?:[^"\\\\]|\\\\.)*)"';
/** `=>`, `->`, `<<` and `>>` are not comparisons. */
const SIGN = '(>=(?!>)|<=(?![>=])|!=|==(?![=>])|=~|!~|>(?!>)|<(?![<>])|=(?![=>~]))';

/** `name` and a sign: 1 quoted name, 2 name, 3 space, 4 sign. */
export const COMPARISON = new RegExp(`(?:${QUOTED}|(${NAME}(?<!-)))(\\s*)${SIGN}`, 'y');
/**
 * The beginning of an expression: 1 the name of a function before its bracket; otherwise an operator surrounded by
 * spaces follows.
 */
export const EXPRESSION_AHEAD = new RegExp(
  `([A-Za-z_]\\w*)\\(|(?:${NAME}|\\d[\\w.]*)\\s+[-+*/%]\\s+[\\w("@]|${NAME}/\\d{1,3}(?=\\s*[=!])`,
  'y',
);
/** Operators after a name that begin an expression. */
export const SIGN_AHEAD = /\s*[*/%+]\s*[\w(@]|\s+-\s+[\w(@]/y;
/** In `where` a name may be that of a computed column: `sum(bytes) >= 5`. */
export const STAGE_COMPARISON = new RegExp(
  `(?:${QUOTED}|(${NAME}(?:\\([\\w.@\\- \\u0080-\\uffff]*\\))?))(\\s*)${SIGN}`,
  'y',
);
/** `name` and a word: 1 name, 2 not, 3 word. */
export const WORD_TEST = new RegExp(
  `(${NAME})\\s+(not\\s+|!\\s*)?(in(?=\\s*[({[])|(?:contains|startswith|endswith|matches(?:\\s+regex)?|like)(?=\\s|["'])|has(?=\\s*["']))\\s*`,
  'iy',
);
/** Where the value of a comparison ends without a space: `a=1&&b=2`. */
export const GLUED_AND = new RegExp(`&&(?=!?(?:\\(|"|${NAME}(?::|[=<>!])))`);
/** A range, not a text in brackets such as `[DROP]`. */
export const RANGE = /[[{]\s*(?:"[^"]*"|'[^']*'|[^\s"'\]}]+)\s+TO\s/iy;
/** Text after `not` that makes it an operator everywhere: a test, a bracket, a phrase. */
export const TEST_AHEAD = new RegExp(
  `\\s+(?:\\(|["']|${NAME}(?::[^\\s\\u0000)|]|${SIGN})|${NAME}\\s+${SIGN}|${NAME}\\s+(?:not\\s+)?in\\s*[({])`,
  'iy',
);

/** Whether `/…/` without a field is a pattern rather than a path: `/etc/` has no sign of a pattern. */
export function isBarePattern(between: string, ignoreCase: boolean): boolean {
  return ignoreCase || /[\\^$*+?()[\]{}|]/.test(between);
}

// Maps: names of objects' own properties are no stages.
export const STAGE_ALIASES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    limit: 'head',
    take: 'head',
    first: 'head',
    table: 'fields',
    project: 'fields',
    select: 'fields',
    order: 'sort',
    summarize: 'stats',
    extend: 'eval',
    put: 'eval',
    rex: 'extract',
    mvexpand: 'unnest',
    'mv-expand': 'unnest',
    explode: 'unnest',
    search: 'where',
    filter: 'where',
  }),
);

export const FUNCTION_ALIASES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    dc: 'distinct',
    dcount: 'distinct',
    distinct_count: 'distinct',
    mean: 'avg',
    count_if: 'countif',
    stdev: 'stddev',
    earliest: 'first',
    latest: 'last',
    make_set: 'values',
  }),
);
