/**
 * Sets of characters as in RE2: ranges of code points, case folding, named classes.
 *
 * Invariant: a set is a flat list `low, high, low, high, …` of ascending ranges that do not touch.
 * https://github.com/google/re2/wiki/Syntax, https://www.unicode.org/Public/UNIDATA/CaseFolding.txt
 */
import { isUncasedInRe2 } from '../../util/fold.ts';
import { once } from '../../util/once.ts';

export type CodeSet = readonly number[];

const MAX_CODE = 0x10ffff;
export const ANY: CodeSet = [0, MAX_CODE];
export const NOT_NEWLINE: CodeSet = [0, 9, 11, MAX_CODE];

/** Ranges in any order, overlapping or not, as a set. */
export function normal(ranges: readonly number[]): CodeSet {
  const pairs: [number, number][] = [];
  for (let i = 0; i + 1 < ranges.length; i += 2) pairs.push([ranges[i]!, ranges[i + 1]!]);
  pairs.sort((a, b) => a[0] - b[0]);
  const out: number[] = [];
  for (const [low, high] of pairs) {
    const last = out.length - 1;
    if (last > 0 && low <= out[last]! + 1) out[last] = Math.max(out[last]!, high);
    else out.push(low, high);
  }
  return out;
}

export function negated(set: CodeSet): CodeSet {
  const out: number[] = [];
  let from = 0;
  for (let i = 0; i + 1 < set.length; i += 2) {
    if (set[i]! > from) out.push(from, set[i]! - 1);
    from = set[i + 1]! + 1;
  }
  if (from <= MAX_CODE) out.push(from, MAX_CODE);
  return out;
}

function contains(set: CodeSet, code: number): boolean {
  for (let i = 0; i + 1 < set.length; i += 2) {
    if (code >= set[i]! && code <= set[i + 1]!) return true;
  }
  return false;
}

const KELVIN = 0x212a;
const LONG_S = 0x017f;

/** Adds every character that differs from a member only in case (Unicode simple folding). */
export function folded(set: CodeSet): CodeSet {
  const out = [...set];
  const last = set.at(-1);
  if (last === undefined) return set;
  if (last < 128) {
    for (let code = 65; code <= 90; code++) {
      const other = code + 32;
      if (contains(set, code)) out.push(other, other);
      else if (contains(set, other)) out.push(code, code);
      else continue;
      if (code === 75) out.push(KELVIN, KELVIN);
      if (code === 83) out.push(LONG_S, LONG_S);
    }
    return normal(out);
  }
  for (const orbit of orbits()) {
    if (!orbit.some((code) => contains(set, code))) continue;
    for (const code of orbit) out.push(code, code);
  }
  return normal(out);
}

/** All letters with case are below this. */
const CASED = 0x1e944;

/** Characters that are equal except for case, as JavaScript's `iu` folds them: simple folding, too. */
const orbits = once((): readonly (readonly number[])[] => {
  const of = new Map<number, Set<number>>();
  const join = (a: number, b: number) => {
    const one = of.get(a) ?? new Set([a]);
    const other = of.get(b) ?? new Set([b]);
    if (one === other) return;
    for (const code of other) one.add(code);
    for (const code of one) of.set(code, one);
  };
  for (let code = 0; code < CASED; code++) {
    if (isUncasedInRe2(code)) continue;
    const text = String.fromCodePoint(code);
    for (const mapped of [text.toLowerCase(), text.toUpperCase()]) {
      const other = mapped.codePointAt(0)!;
      if (other === code || mapped.length !== (other > 0xffff ? 2 : 1)) continue;
      if (isUncasedInRe2(other)) continue;
      if (new RegExp(`^\\u{${other.toString(16)}}$`, 'iu').test(text)) join(code, other);
    }
  }
  return [...new Set(of.values())].map((orbit) => [...orbit]);
});

const DIGIT: CodeSet = [48, 57];
const SPACE: CodeSet = [9, 10, 12, 13, 32, 32];
const WORD: CodeSet = [48, 57, 65, 90, 95, 95, 97, 122];

/** `\d`, `\s`, `\w`, by their small letter. */
export const PERL: Readonly<Record<string, CodeSet>> = { d: DIGIT, s: SPACE, w: WORD };

/** `[:alpha:]` and the like. */
export const POSIX: Readonly<Record<string, CodeSet>> = {
  alnum: [48, 57, 65, 90, 97, 122],
  alpha: [65, 90, 97, 122],
  ascii: [0, 127],
  blank: [9, 9, 32, 32],
  cntrl: [0, 31, 127, 127],
  digit: DIGIT,
  graph: [33, 126],
  lower: [97, 122],
  print: [32, 126],
  punct: [33, 47, 58, 64, 91, 96, 123, 126],
  space: [9, 13, 32, 32],
  upper: [65, 90],
  word: WORD,
  xdigit: [48, 57, 65, 70, 97, 102],
};

const SCRIPT = /^[A-Z][a-z]{2,}$/;

/**
 * A general category or script by its name, such as `L`, `Nd`, `Greek`: the runtime's, which includes characters of
 * newer Unicode versions than RE2's.
 */
export function unicodeClass(name: string): CodeSet {
  if (name === 'Any') return ANY;
  const property = SCRIPT.test(name) ? `\\p{Script=${name}}` : `\\p{${name}}`;
  // An unassigned character is in none of RE2's classes.
  const pattern = new RegExp(`^(?!\\p{Cn})${property}$`, 'u');
  const out: number[] = [];
  let from = -1;
  for (let code = 0; code <= MAX_CODE; code++) {
    if (pattern.test(String.fromCodePoint(code))) {
      if (from < 0) from = code;
    } else if (from >= 0) {
      out.push(from, code - 1);
      from = -1;
    }
  }
  if (from >= 0) out.push(from, MAX_CODE);
  return out;
}
