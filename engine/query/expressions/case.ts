/**
 * Lower and upper case as in DuckDB, character by character: Unicode's simple mappings, in DuckDB's version of
 * Unicode. https://www.unicode.org/Public/UNIDATA/UnicodeData.txt
 */
import { isUncasedInRe2 } from '../../util/fold.ts';

/** Small letters whose simple capital is a title case letter, and how far apart they are. */
const TITLED: readonly (readonly [first: number, last: number, distance: number])[] = [
  [0x1f80, 0x1f87, 8],
  [0x1f90, 0x1f97, 8],
  [0x1fa0, 0x1fa7, 8],
  [0x1fb3, 0x1fb3, 9],
  [0x1fc3, 0x1fc3, 9],
  [0x1ff3, 0x1ff3, 9],
];

function mappedBy(text: string, map: (character: string) => string): string {
  let out = '';
  for (const character of text) {
    const point = character.codePointAt(0)!;
    if (point >= 0x80 && isUncasedInRe2(point)) {
      out += character;
      continue;
    }
    const other = map(character);
    const found = other.codePointAt(0)!;
    const isOne = other.length === (found > 0xffff ? 2 : 1);
    out += isOne && !(found >= 0x80 && isUncasedInRe2(found)) ? other : character;
  }
  return out;
}

/** Letters with another mapping than that of whole texts: pairs. */
export const SIMPLE_CASE: Readonly<
  Record<'lower' | 'upper', readonly (readonly [string, string])[]>
> = {
  lower: [['\u0130', 'i']],
  upper: [
    ['\u00df', '\u1e9e'],
    ...TITLED.flatMap(([first, last, distance]) =>
      Array.from({ length: last - first + 1 }, (_, i): [string, string] => [
        String.fromCodePoint(first + i),
        String.fromCodePoint(first + i + distance),
      ]),
    ),
  ],
};

const ASCII = /^[\x00-\x7f]*$/;

export const foldless = {
  lower: (text: string): string =>
    ASCII.test(text)
      ? text.toLowerCase()
      : mappedBy(text, (one) => (one === '\u0130' ? 'i' : one.toLowerCase())),
  upper: (text: string): string => {
    if (ASCII.test(text)) return text.toUpperCase();
    return mappedBy(text, (one) => {
      if (one === '\u00df') return '\u1e9e';
      const point = one.codePointAt(0)!;
      const titled = TITLED.find(([first, last]) => point >= first && point <= last);
      return titled === undefined ? one.toUpperCase() : String.fromCodePoint(point + titled[2]);
    });
  },
};
