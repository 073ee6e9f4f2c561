/**
 * JSON objects that state a name more than once. Parsers keep one of the values, so that a sender could hide the
 * others. Here none is lost: the last has the name, as in `JSON.parse`, and earlier ones get `.1`, `.2`, ….
 */
import { endOfString, jsonStrings } from './json-strings.ts';
import { numberText, parseJson } from './parse-json.ts';

const COLON = 58;
const COLON_NEXT = /\s*:/y;

/** @throws the errors of `parseJson` */
export function parseWithRepeatedNames(text: string): {
  readonly value: unknown;
  readonly isRepeated: boolean;
} {
  const value = parseJson(text);
  if (countColons(text) === countNames(value)) return { value, isRepeated: false };
  return { value: parseJson(numberRepeatedNames(text)), isRepeated: true };
}

/** Colons in a JSON text outside of strings: there is one for each name. */
function countColons(text: string): number {
  let colons = 0;
  for (let at = 0; at < text.length;) {
    const quote = text.indexOf('"', at);
    const end = quote < 0 ? text.length : quote;
    for (; at < end; at++) if (text.charCodeAt(at) === COLON) colons += 1;
    if (quote >= 0) at = endOfString(text, quote);
  }
  return colons;
}

function countNames(value: unknown): number {
  if (typeof value !== 'object' || value === null || numberText(value) !== undefined) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const element of value) count += countNames(element);
    return count;
  }
  for (const name in value) {
    const member: unknown = (value as Record<string, unknown>)[name];
    count += 1;
    if (typeof member === 'object') count += countNames(member);
  }
  return count;
}

/** The end of each occurrence of each name of an object. */
type Names = Map<string, number[]>;

interface Insertion {
  readonly at: number;
  readonly text: string;
}

/** The JSON `text` with all but the last of equal names in an object numbered. */
export function numberRepeatedNames(text: string): string {
  const insertions: Insertion[] = [];
  const open: Names[] = [];
  let outside = 0;
  for (const { start, end } of jsonStrings(text)) {
    braces(text, outside, start, open, insertions);
    outside = end;
    COLON_NEXT.lastIndex = end;
    if (!COLON_NEXT.test(text)) continue;
    const name = String(JSON.parse(text.slice(start, end)));
    const ends = open.at(-1)?.get(name);
    if (ends === undefined) open.at(-1)?.set(name, [end - 1]);
    else ends.push(end - 1);
  }
  braces(text, outside, text.length, open, insertions);
  let from = 0;
  let numbered = '';
  for (const { at, text: number } of insertions.toSorted((a, b) => a.at - b.at)) {
    numbered += text.slice(from, at) + number;
    from = at;
  }
  return numbered + text.slice(from);
}

function braces(
  text: string,
  start: number,
  end: number,
  open: Names[],
  insertions: Insertion[],
): void {
  for (let at = start; at < end; at++) {
    if (text[at] === '{') open.push(new Map());
    else if (text[at] === '}') numberNames(open.pop() ?? new Map<string, number[]>(), insertions);
  }
}

function numberNames(names: Names, insertions: Insertion[]): void {
  for (const [name, ends] of names) {
    let number = 0;
    for (const at of ends.slice(0, -1)) {
      do number += 1;
      while (names.has(`${name}.${number}`));
      insertions.push({ at, text: `.${number}` });
    }
  }
}
