/**
 * Converts patterns of the query language (RE2) to regular expressions of the browser, to highlight their matches.
 * Only those that mean the same in both and cannot take long on any text: a browser backtracks, RE2 does not.
 */
import type { TextPattern } from '../texts/visible-text.ts';

/**
 * How much of a text is searched, by the number of parts of a pattern that may match many characters: the time
 * grows with the length to the power of that number plus one, and is a few milliseconds at most.
 */
const LONGEST = [Infinity, 1000, 250, 100];

/** The same for a text with wildcards, which is matched at one position; undefined: there are too many. */
export function longestWithWildcards(text: string): number | undefined {
  const { length } = text.match(/\*+/g) ?? [];
  return LONGEST[Math.max(0, length - 1)];
}

/** Parts of a pattern, and how each is written with the flag `u`; the first that matches is taken. */
const PARTS: readonly (readonly [part: RegExp, written: (found: string) => string])[] = [
  [/^[\^$|)]/, (found) => found],
  [/^\((?!\?)|^\(\?:/, () => '(?:'],
  [/^\(\?P?<\w+>/, () => '(?:'],
  [/^\./, () => '[^\\n]'],
  [/^\\[dD]/, (found) => found],
  [/^\\[bB]/, (found) => found],
  [/^\\w/, () => '[0-9A-Za-z_]'],
  [/^\\W/, () => '[^0-9A-Za-z_]'],
  [/^\\s/, () => '[\\t\\n\\f\\r ]'],
  [/^\\S/, () => '[^\\t\\n\\f\\r ]'],
  [/^\\(?:[nrt]|x[0-9A-Fa-f]{2})/, (found) => found],
  [/^\\[!-/:-@[-`{-~]/, (found) => literal(found.slice(1))],
  // A class of single characters and ranges; other contents are rare.
  [/^\[\^?(?:[^\\[\]]|\\[dw]|\\[!-/:-@[-`{-~])+\]/, setOf],
  [/^[^\\()[\]{}*+?]/u, literal],
  [/^[}\]]/, literal],
];
const REPEAT = /^(?:[*+]|\{\d{1,3}(?:,\d{0,3})?\})\??/;

/** @returns undefined for a pattern that cannot be shown */
export function patternRegExp(pattern: string, ignoreCase: boolean): TextPattern | undefined {
  const folds = pattern.startsWith('(?i)');
  let rest = folds ? pattern.slice(4) : pattern;
  let written = '';
  let repeats = 0;
  while (rest !== '') {
    const [part, write] = PARTS.find(([one]) => one.test(rest)) ?? [];
    const found = part?.exec(rest)?.[0];
    if (found === undefined || write === undefined) return undefined;
    written += write(found);
    rest = rest.slice(found.length);
    const repeat = REPEAT.exec(rest)?.[0];
    if (repeat !== undefined) {
      repeats += 1;
      // A repeated group may take exponential time.
      if (found === ')') return undefined;
      written += repeat;
      rest = rest.slice(repeat.length);
    } else if (/^\?/.test(rest)) {
      written += '?';
      rest = rest.slice(1);
    }
  }
  const longest = LONGEST[repeats];
  if (longest === undefined) return undefined;
  try {
    const flags = folds || ignoreCase ? 'giu' : 'gu';
    return { pattern: new RegExp(written, flags), longest };
  } catch {
    return undefined;
  }
}

function literal(character: string): string {
  return character.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&');
}

function setOf(found: string): string {
  return found.replace(/\\([!-/:-@[-`{-~])/g, (_, character: string) =>
    /[\\^\-\]]/.test(character) ? `\\${character}` : literal(character),
  );
}
