/**
 * Evidence as text that hides nothing: control, bidirectional, format and unusual space characters become escapes,
 * and the length is limited. Never reversed: values for queries and the clipboard come from the evidence, not from
 * here.
 */

/**
 * Everything that would be invisible, move the text around it or look like a plain space: control and format
 * characters, lone surrogates, line and paragraph separators, spaces other than U+0020, and letters without a
 * visible glyph.
 */
const HIDDEN =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\ufe00-\ufe0f\u034f]/u;
const EACH_HIDDEN = new RegExp(HIDDEN.source, 'gu');

const NAMED: Readonly<Record<string, string>> = {
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\0': '\\0',
};

/** `\n`, `\x1b`, `\u202e`, `\u{e0001}`. */
function escapeOf(char: string): string {
  const named = NAMED[char];
  if (named !== undefined) return named;
  const code = char.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\u{${hex}}`;
}

/** The first `max` UTF-16 units of a text, without half a character at the end. */
function bounded(text: string, max: number): { text: string; cut: boolean } {
  if (text.length <= max) return { text, cut: false };
  const last = text.charCodeAt(max - 1);
  const half = last >= 0xd800 && last <= 0xdbff;
  return { text: text.slice(0, half ? max - 1 : max), cut: true };
}

/** Text with every hidden character as an escape; at most `max` units of the original and `…`. */
export function visibleText(text: string, max = 2000): string {
  const { text: shown, cut } = bounded(text, max);
  const escaped = HIDDEN.test(shown) ? shown.replace(EACH_HIDDEN, escapeOf) : shown;
  return cut ? `${escaped}…` : escaped;
}

type PieceType = 'plain' | 'hit' | 'escape';

interface Piece {
  readonly type: PieceType;
  readonly text: string;
}

/** Something to find in a text. */
export interface TextPattern {
  readonly pattern: RegExp;
  /** How much of a text is searched, from its beginning. */
  readonly longest: number;
}

/** Every match of it in a text. */
export function* placesOf(
  { pattern, longest }: TextPattern,
  text: string,
): Generator<{ readonly start: number; readonly end: number }> {
  const looked = text.slice(0, longest);
  for (const { index, 0: found } of looked.matchAll(pattern)) {
    const end = index + found.length;
    // A match that ends where the text was truncated may end there only for that reason.
    const isCut = end === looked.length && looked.length < text.length;
    if (found !== '' && !isCut) yield { start: index, end };
  }
}

/** All matches in a text, from left to right; of overlapping ones, a character counts once. */
function hitsOf(
  text: string,
  patterns: readonly TextPattern[],
): readonly { readonly start: number; readonly end: number }[] {
  const hits = patterns
    .flatMap((one) => [...placesOf(one, text)])
    .sort((a, b) => a.start - b.start);
  const merged: { start: number; end: number }[] = [];
  for (const { start, end } of hits) {
    const last = merged[merged.length - 1];
    if (last === undefined || start >= last.end) merged.push({ start, end });
    else last.end = Math.max(last.end, end);
  }
  return merged;
}

/** The same as pieces; the matches are `hit`s. */
export function visiblePieces(
  text: string,
  max: number,
  patterns: readonly TextPattern[],
): Piece[] {
  const { text: shown, cut } = bounded(text, max);
  const pieces: Piece[] = [];
  let at = 0;
  for (const { start, end } of hitsOf(shown, patterns)) {
    addVisible(pieces, 'plain', shown.slice(at, start));
    addVisible(pieces, 'hit', shown.slice(start, end));
    at = end;
  }
  addVisible(pieces, 'plain', shown.slice(at));
  if (cut) pieces.push({ type: 'plain', text: '…' });
  return pieces;
}

function addVisible(pieces: Piece[], type: PieceType, text: string): void {
  if (text === '') return;
  if (!HIDDEN.test(text)) {
    pieces.push({ type, text });
    return;
  }
  let at = 0;
  for (const match of text.matchAll(EACH_HIDDEN)) {
    if (match.index > at) pieces.push({ type, text: text.slice(at, match.index) });
    pieces.push({ type: 'escape', text: escapeOf(match[0]) });
    at = match.index + match[0].length;
  }
  if (at < text.length) pieces.push({ type, text: text.slice(at) });
}

const WORD = '[\\p{L}\\p{N}_]';
const MOST_WORDS = 50;

/**
 * Finds searched words as whole words, ignoring case; `*` and `?` are wildcards, any other character stands for
 * itself.
 */
export function wordPattern(words: readonly string[]): RegExp | undefined {
  const parts = words
    .filter((word) => /[\p{L}\p{N}]/u.test(word) && word.length <= 200)
    .slice(0, MOST_WORDS)
    .map((word) => {
      const body = word
        .replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
        .replace(/(?:\\\*)+/g, `${WORD}*`)
        .replace(/\\\?/g, WORD)
        .replace(/\s+/g, '\\s+');
      const before = /^[\p{L}\p{N}_*?]/u.test(word) ? `(?<!${WORD})` : '';
      const after = /[\p{L}\p{N}_*?]$/u.test(word) ? `(?!${WORD})` : '';
      return `${before}${body}${after}`;
    });
  return parts.length === 0 ? undefined : new RegExp(parts.join('|'), 'giu');
}
