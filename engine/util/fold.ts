/**
 * Case folding: each character becomes the representative of all those that are equal ignoring case, by Unicode
 * simple case folding (https://www.unicode.org/reports/tr44/#CaseFolding.txt) as in RE2.
 *
 * The runtime's case tables are newer than RE2's: letters that RE2 does not fold are left unchanged.
 */
import { once } from './once.ts';

/** Version of the foldings: those of another one may differ. */
export const FOLD_VERSION = `unicode ${process.versions['unicode'] ?? '?'}`;

/** Cased letters of Unicode 16 and 17, which the RE2 in DuckDB 1.5 treats as uncased. */
const UNCASED_IN_RE2: readonly (readonly [number, number])[] = [
  [0x1c89, 0x1c8a],
  [0xa7cb, 0xa7cf],
  [0xa7d2, 0xa7d5],
  [0xa7da, 0xa7dc],
  [0x10d50, 0x10d85],
  [0x16ea0, 0x16ed3],
];
/** Whether a character has case only for a newer Unicode than RE2's. */
export function isUncasedInRe2(point: number): boolean {
  return UNCASED_IN_RE2.some(([from, to]) => point >= from && point <= to);
}

/** Cased scripts end before this. */
const CASED_END = 0x1f000;

/** Folds of the non-ASCII characters whose fold differs from themselves. */
const foldTable = once((): ReadonlyMap<number, number> => {
  const leader = new Map<number, number>();
  const lead = (point: number): number => {
    let at = point;
    for (let next = leader.get(at); next !== undefined && next !== at; next = leader.get(at)) {
      at = next;
    }
    return at;
  };
  for (let point = 0x80; point < CASED_END; point++) {
    if (point >= 0xd800 && point < 0xe000) continue;
    if (isUncasedInRe2(point)) continue;
    const text = String.fromCodePoint(point);
    for (const other of [text.toLowerCase(), text.toUpperCase()]) {
      if (other === text || [...other].length !== 1) continue;
      const found = other.codePointAt(0)!;
      if (isUncasedInRe2(found)) continue;
      if (!new RegExp(`^\\u{${point.toString(16)}}$`, 'iu').test(other)) continue;
      const a = lead(point);
      const b = lead(found);
      leader.set(Math.max(a, b), Math.min(a, b));
    }
  }
  const table = new Map<number, number>();
  for (const point of leader.keys()) {
    const least = lead(point);
    const fold = least >= 0x41 && least <= 0x5a ? least + 0x20 : least;
    if (fold !== point) table.set(point, fold);
  }
  return table;
});

export function foldText(text: string): string {
  if (/^[\x00-\x7f]*$/.test(text)) return text.toLowerCase();
  const table = foldTable();
  let out = '';
  for (const char of text.toWellFormed()) {
    const point = char.codePointAt(0)!;
    if (point < 0x80) out += char.toLowerCase();
    else {
      const fold = table.get(point);
      out += fold === undefined ? char : String.fromCodePoint(fold);
    }
  }
  return out;
}

/** By result of folding: the non-ASCII characters that it changes. */
const unfoldTable = once((): ReadonlyMap<string, readonly string[]> => {
  const table = new Map<string, string[]>();
  for (const [point, fold] of foldTable()) {
    const to = String.fromCodePoint(fold);
    table.set(to, [...(table.get(to) ?? []), String.fromCodePoint(point)]);
  }
  return table;
});

/** The non-ASCII characters that fold to characters of some folded texts, with their folds. */
export function foldsTo(texts: Iterable<string>): Map<string, string> {
  const found = new Map<string, string>();
  for (const char of new Set([...texts].flatMap((text) => [...text])))
    for (const from of unfoldTable().get(char) ?? []) found.set(from, char);
  return found;
}

const utf8 = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

export function foldedBytes(text: string): Uint8Array {
  return utf8.encode(foldText(text));
}

/** Folds UTF-8. */
export function foldBytes(bytes: Uint8Array): Uint8Array {
  return foldedBytes(decoder.decode(bytes));
}
