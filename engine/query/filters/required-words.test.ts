/** Words that every matching text contains, checked against the patterns' automata. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { wholePattern } from './text.ts';
import { compilePattern } from '../re2/matcher.ts';
import { requiredWords } from './required-words.ts';

const wordsOf = (pattern: string, ignoreCase = false) => requiredWords({ pattern, ignoreCase });
const shown = (pattern: string, ignoreCase?: boolean): string | undefined => {
  const query = wordsOf(pattern, ignoreCase);
  return query?.tokens.map(({ text }, i) => `${text}${query.between[i] ?? ''}`).join('');
};

it.each([
  ['user15\\d\\d from', '*user15*'],
  ['for (?:invalid )?user (\\w+) from', '*user'],
  ['password for (\\w+) from 10', 'for'],
  ['10\\.0\\.3\\.7', '0.3.7*'],
  ['10\\.140\\.3\\.7', '140.3.7*'],
  ['user \\w+ from 10\\.14', 'from 10.14*'],
  [' Failed password ', 'Failed password'],
  ['[a-f]{4}', undefined],
  ['a|b', undefined],
  ['(?:fail|pass)ed', undefined],
  ['x{2}session closed$', 'closed*'],
  ['the session of user', 'session of user*'],
  ['(?:sshd\\[\\d+\\]: )+', '*sshd'],
  ['=é日本=', 'é日本'],
  ['\\bab\\b', undefined],
])('%s: %s', (pattern, words) => {
  expect(shown(pattern)).toBe(words);
});

it('letters of any case are small ones', () => {
  expect(shown('USER Kß', true)).toBe('*user k*');
  expect(shown('(?i)Session')).toBe('*session*');
});

it('stand in every text in which the pattern is found', () => {
  const piece = fc.constantFrom(
    ...['user', 'K', 's', '1', '.', ' ', '-', 'é', 'ſ', '_x', 'from', '\n'],
  );
  const escaped = piece.map((text) => text.replace(/[.\-]/g, '\\$&'));
  const node = fc.oneof(
    { weight: 5, arbitrary: escaped },
    fc.tuple(escaped, fc.constantFrom('+', '*', '?', '{2}')).map(([a, b]) => `(?:${a})${b}`),
    fc.tuple(escaped, escaped).map(([a, b]) => `(?:${a}|${b})`),
    fc.constantFrom('\\d', '\\b', '[a-f]', '(?i)', '.', '(user )'),
  );
  const pattern = fc.array(node, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''));
  const text = fc.array(fc.oneof(piece, fc.constantFrom('USER', 'k', '\u212a', 'x')), {
    maxLength: 12,
  });
  const utf8 = new TextEncoder();
  let held = 0;
  fc.assert(
    fc.property(pattern, text, fc.boolean(), (one, parts, ignoreCase) => {
      const query = wordsOf(one, ignoreCase);
      if (query === undefined) return;
      const like = one
        .replace(/\(\?[:i]\)?|\|[^)]*|[()+*?]|\{2\}|\\b/g, '')
        .replace(/\\d/g, '1')
        .replace(/\[a-f\]/g, 'a')
        .replaceAll('\\', '');
      for (const around of ['', like, ignoreCase ? like.toUpperCase() : like]) {
        const value = [...parts.slice(0, 3), around, ...parts.slice(3)].join('');
        const bytes = utf8.encode(value);
        if (!compilePattern(one, ignoreCase).test(bytes, 0, bytes.length)) continue;
        held += 1;
        const words = compilePattern(patternOf(query), true);
        expect([one, value, words.test(bytes, 0, bytes.length)]).toEqual([one, value, true]);
      }
    }),
    { numRuns: 1000 },
  );
  expect(held).toBeGreaterThan(100);
});

/** As the filter of the same words compiles it. */
function patternOf(query: NonNullable<ReturnType<typeof wordsOf>>): string {
  const char = '[0-9A-Za-z_\\x{80}-\\x{10ffff}]';
  const escape = (text: string) =>
    [...text].map((one) => `\\x{${one.codePointAt(0)!.toString(16)}}`).join('');
  const pattern = query.tokens
    .map(
      ({ text }, i) =>
        text.split('*').map(escape).join(`${char}*`) + escape(query.between[i] ?? ''),
    )
    .join('');
  return wholePattern({
    ...{ filter: 'text', tokens: query.tokens, between: query.between, pattern },
    ...{ openStart: false, openEnd: false, ref: undefined },
  });
}
