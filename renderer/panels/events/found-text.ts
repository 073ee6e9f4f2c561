/** Where searched words are in an event, when the part of its row that is seen has none of them. */
import { isToldByEnd } from '../../widgets/event-columns.ts';
import { isSearched } from '../../widgets/searched-words.ts';

export interface FoundText {
  /** Undefined: the text that the row shows the beginning of. */
  readonly field: string | undefined;
  /** A few characters around the word. */
  readonly excerpt: string;
}

/** Texts of an event by field, in the order in which they are looked through. */
export type EventTexts = ReadonlyMap<string, string>;

/** Characters around a word. */
const BEFORE = 10;
const AFTER = 8;
/** Words that are shown beside what the row shows. */
const MOST = 2;

function has(word: RegExp, text: string): boolean {
  word.lastIndex = 0;
  return word.test(text);
}

/** The words that none of the texts has. */
export function missingWords(
  words: readonly RegExp[],
  texts: readonly string[],
): readonly RegExp[] {
  return words.filter((word) => !texts.some((text) => has(word, text)));
}

/** This place, or the one before it where it is within a character of two units. */
function wholeFrom(text: string, at: number): number {
  return at > 0 && text.codePointAt(at - 1)! > 0xffff ? at - 1 : at;
}

function excerptOf(text: string, word: RegExp): string | undefined {
  word.lastIndex = 0;
  const match = word.exec(text);
  if (match === null) return undefined;
  const end = match.index + match[0].length;
  const from = wholeFrom(text, Math.max(0, match.index - BEFORE));
  const to = wholeFrom(text, Math.min(text.length, end + AFTER));
  return `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`;
}

/**
 * What shows that an event has these words.
 * @param rest of the row's text, what is not seen
 * @param texts all of the event; undefined while they are not known
 */
export function foundTexts(
  words: readonly RegExp[],
  rest: string,
  texts: EventTexts | undefined,
): readonly FoundText[] {
  const found: FoundText[] = [];
  const isFound = (word: RegExp): boolean => found.some(({ excerpt }) => has(word, excerpt));
  for (const word of words) {
    if (found.length === MOST) break;
    if (isFound(word)) continue;
    const here = excerptOf(rest, word);
    if (here !== undefined) {
      found.push({ field: undefined, excerpt: here });
      continue;
    }
    for (const [field, text] of texts ?? []) {
      const excerpt = excerptOf(text, word);
      if (excerpt === undefined) continue;
      found.push({ field: field === 'message' ? undefined : field, excerpt });
      break;
    }
  }
  return found;
}

/** The texts of an event that words are looked for in. */
export function searchedTexts(
  names: readonly string[],
  value: (name: string) => string | number | null,
): EventTexts {
  const texts = new Map<string, string>();
  const isCut = value('extractor') !== null;
  for (const name of names) {
    if (!isSearched(name, isCut)) continue;
    const text = value(name);
    if (text !== null) texts.set(name, String(text));
  }
  return texts;
}

/** What is seen of a text in a column of so many characters. */
export function seenPart(column: string, text: string, characters: number): string {
  if (text.length <= characters) return text;
  // One character is the sign that it is cut off.
  const kept = Math.max(0, characters - 1);
  return isToldByEnd(column) ? text.slice(text.length - kept) : text.slice(0, kept);
}
