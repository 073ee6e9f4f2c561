/**
 * Words that every match of a pattern contains, as the token index looks for them.
 *
 * Invariant: a text that does not have them does not match, whatever case its letters have; one that has may.
 */
import { tokensIn } from '../../util/tokens.ts';
import type { IndexedPhrase } from '../plan/known-rows/index-view.ts';
import type { CodeSet } from '../re2/code-set.ts';
import { longestRun } from '../re2/required.ts';
import { parsePattern } from '../re2/syntax.ts';

interface Pattern {
  readonly pattern: string;
  readonly ignoreCase: boolean;
}

/** Characters of words; fewer are in most texts. */
const LEAST_CHARACTERS = 3;
const KELVIN = 0x212a;
const LONG_S = 0x017f;
const queries = new WeakMap<Pattern, IndexedPhrase | 'none'>();

/** Undefined: there are none, or only short ones. */
export function requiredWords(filter: Pattern): IndexedPhrase | undefined {
  let query = queries.get(filter);
  if (query === undefined) {
    const node = parsePattern(filter.pattern, filter.ignoreCase);
    const run = longestRun(node, (set) => characterOf(set) !== undefined);
    query = wordsIn(run.map((set) => characterOf(set) ?? '').join('')) ?? 'none';
    queries.set(filter, query);
  }
  return query === 'none' ? undefined : query;
}

/** The character that a set stands for, if all of its members differ only in case. */
function characterOf(set: CodeSet): string | undefined {
  const [low, , next, , third] = set;
  if (low === undefined) return undefined;
  if (set.length === 2) {
    const surrogate = low >= 0xd800 && low <= 0xdfff;
    return low === set[1] && !surrogate ? String.fromCodePoint(low) : undefined;
  }
  const cased =
    low >= 0x41 && low <= 0x5a && low === set[1] && next === low + 32 && next === set[3];
  if (!cased) return undefined;
  const others = set.length === 4 || (set.length === 6 && (third === KELVIN || third === LONG_S));
  return others && (set.length === 4 || set[5] === third) ? String.fromCodePoint(next) : undefined;
}

/**
 * The text may continue a word before and after: its first and last word may be incomplete. The first is dropped if
 * there are others: a word whose beginning is unknown would be searched among all words.
 */
function wordsIn(text: string): IndexedPhrase | undefined {
  const found = [...tokensIn(text)];
  const words = found.map(({ 0: word, index }) => {
    const before = index === 0 ? '*' : '';
    const behind = index + word.length === text.length ? '*' : '';
    const wildcard = before !== '' || behind !== '';
    return { word, index, text: `${before}${word}${behind}`, wildcard };
  });
  const length = (list: typeof words) => list.reduce((sum, { word }) => sum + word.length, 0);
  const known = words.filter((word) => !word.text.startsWith('*'));
  const used = length(known) >= LEAST_CHARACTERS ? known : words;
  if (length(used) < LEAST_CHARACTERS) return undefined;
  return {
    tokens: used.map(({ text: part, wildcard }) => ({ text: part, wildcard })),
    between: used.slice(1).map(({ index }, i) => {
      const before = used[i]!;
      return text.slice(before.index + before.word.length, index);
    }),
  };
}
