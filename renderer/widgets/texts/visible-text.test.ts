/** Evidence cannot hide characters from its readers, and is bounded. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { visiblePieces, visibleText, wordPattern, type TextPattern } from './visible-text.ts';

describe('visibleText', () => {
  it.each([
    ['plain text stays', 'Failed password für root', 'Failed password für root'],
    ['line ends', 'a\r\nb', 'a\\r\\nb'],
    ['terminal escapes', '\u001b[31mred', '\\x1b[31mred'],
    ['a text that runs backwards', 'gpj.\u202eexe', 'gpj.\\u202eexe'],
    ['isolates', '\u2066x\u2069', '\\u2066x\\u2069'],
    ['nothing between letters', 'ad\u200bmin\ufeff', 'ad\\u200bmin\\ufeff'],
    ['spaces that are none', 'a\u00a0b\u3000c', 'a\\xa0b\\u3000c'],
    ['tags beyond the first plane', 'x\u{e0041}', 'x\\u{e0041}'],
    ['half a character', 'a\ud800b', 'a\\ud800b'],
    ['letters drawn as nothing', 'a\u3164b', 'a\\u3164b'],
    ['a null byte', 'a\0b', 'a\\0b'],
    ['characters of two units', 'ok 😀', 'ok 😀'],
  ])('%s', (_, text, shown) => {
    expect(visibleText(text)).toBe(shown);
  });

  it('is bounded and says so', () => {
    expect(visibleText('abcdef', 3)).toBe('abc…');
    expect(visibleText('abc', 3)).toBe('abc');
    expect(visibleText('ab😀', 3)).toBe('ab…');
  });

  it('never shows a control, format or separator character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        expect(visibleText(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
      }),
    );
  });
});

const patternsOf = (words: string[]): TextPattern[] =>
  words.flatMap((word) => {
    const pattern = wordPattern([word]);
    return pattern === undefined ? [] : [{ pattern, longest: Infinity }];
  });

describe('visiblePieces', () => {
  const hits = (text: string, words: string[]): string[] =>
    visiblePieces(text, 1000, patternsOf(words))
      .filter(({ type }) => type === 'hit')
      .map((piece) => piece.text);

  it.each([
    ['whole words, case ignored', 'Failed for ADMIN, administrator', ['admin'], ['ADMIN']],
    ['wildcards', 'adm admin administrator', ['admin*'], ['admin', 'administrator']],
    ['one character', 'web01 web1 web012', ['web0?'], ['web01']],
    ['phrases over any space', 'accepted  password', ['accepted password'], ['accepted  password']],
    ['characters that mean something in patterns', 'a.b axb', ['a.b'], ['a.b']],
    ['what overlaps, once', 'ab cd ef', ['ab cd', 'cd ef'], ['ab cd ef']],
    ['nothing to find', 'abc', ['*'], []],
  ])('%s', (_, text, words, found) => {
    expect(hits(text, words)).toEqual(found);
  });

  it('together are what visibleText gives', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), fc.nat(90), (text, max) => {
        const pieces = visiblePieces(text, max + 1, patternsOf(['a', 'b*']));
        expect(pieces.map((piece) => piece.text).join('')).toBe(visibleText(text, max + 1));
      }),
    );
  });
});
