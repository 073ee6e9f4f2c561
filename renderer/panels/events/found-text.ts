/** Excerpts around searched words in an event, for when the visible part of its row contains none of them. */
import { isToldByEnd, SUMMARY } from '../../widgets/event-columns.ts';
import {
  isLookedForIn,
  isSearched,
  isSearchedColumn,
  type Searched,
} from '../../widgets/query/searched-words.ts';
import { placesOf } from '../../widgets/texts/visible-text.ts';

export interface FoundText {
  /** Undefined: the text that the row shows the beginning of. */
  readonly field: string | undefined;
  /** A few characters around the word. */
  readonly excerpt: string;
}

/** Texts of an event by field, in the order in which they are searched. */
export type EventTexts = ReadonlyMap<string, string>;

/** Characters around a word, and where the column is too narrow for these. */
const AROUND = { before: 10, after: 8 };
const LESS_AROUND = { before: 3, after: 2 };
/** Characters that the frame of an excerpt takes. */
const FRAME = 2;
/** Characters of a pattern's match. */
const LONGEST = 80;
/** Excerpts shown of an event. */
const MOST = 2;

/** A text that a row shows, by its column. */
export type SeenTexts = ReadonlyMap<string, string>;

function has(one: Searched, text: string): boolean {
  return placesOf(one, text).next().done !== true;
}

/** The words that none of the visible texts contains. */
export function missingWords(searched: readonly Searched[], seen: SeenTexts): readonly Searched[] {
  const texts = [...seen];
  return searched.filter(
    (one) =>
      !texts.some(
        ([column, text]) => isLookedForIn(one, column, isSearchedColumn(column)) && has(one, text),
      ),
  );
}

/** This index, or the one before it if it is inside a surrogate pair. */
function wholeFrom(text: string, at: number): number {
  return at > 0 && text.codePointAt(at - 1)! > 0xffff ? at - 1 : at;
}

function excerptOf(
  text: string,
  one: Searched,
  { before, after }: typeof AROUND,
): string | undefined {
  const [place] = placesOf(one, text);
  if (place === undefined) return undefined;
  const from = wholeFrom(text, Math.max(0, place.start - before));
  const end = Math.min(place.end, place.start + LONGEST);
  const to = wholeFrom(text, Math.min(text.length, end + after));
  return `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`;
}

/**
 * Excerpts that show why an event matched.
 * @param rest the hidden part of the row's text
 * @param texts all texts of the event; undefined while they are not known
 * @param room characters of the column in which they are shown
 */
export function foundTexts(
  searched: readonly Searched[],
  rest: string,
  texts: EventTexts | undefined,
  room: number,
): readonly FoundText[] {
  const found = excerptsOf(searched, rest, texts, AROUND);
  const length = found.reduce(
    (sum, { field = '', excerpt }) => sum + field.length + excerpt.length + FRAME,
    0,
  );
  // A match that is cut off shows nothing.
  return length <= room ? found : excerptsOf(searched, rest, texts, LESS_AROUND);
}

function excerptsOf(
  searched: readonly Searched[],
  rest: string,
  texts: EventTexts | undefined,
  around: typeof AROUND,
): readonly FoundText[] {
  const found: FoundText[] = [];
  for (const one of searched) {
    if (found.length === MOST) break;
    if (found.some(({ excerpt }) => has(one, excerpt))) continue;
    const here = isLookedForIn(one, SUMMARY, true) ? excerptOf(rest, one, around) : undefined;
    if (here !== undefined) {
      found.push({ field: undefined, excerpt: here });
      continue;
    }
    for (const [field, text] of texts ?? []) {
      const excerpt = isLookedForIn(one, field, true) ? excerptOf(text, one, around) : undefined;
      if (excerpt === undefined) continue;
      found.push({ field: field === 'message' ? undefined : field, excerpt });
      break;
    }
  }
  return found;
}

/** The texts of an event in which words are searched. */
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

/** The part of a text that a column `characters` wide shows. */
export function seenPart(column: string, text: string, characters: number): string {
  if (text.length <= characters) return text;
  // One character is the sign that it is cut off.
  const kept = Math.max(0, characters - 1);
  return isToldByEnd(column) ? text.slice(text.length - kept) : text.slice(0, kept);
}
