/** The highlighted match of a pattern is the one that RE2 finds. */
import { describe, expect, it } from 'vitest';
import { patternRegExp } from './pattern-regexp.ts';
import { placesOf } from '../texts/visible-text.ts';

describe('patternRegExp', () => {
  it.each([
    ['[Ff]ailed .* root', 'x failed for root y', 'failed for root'],
    ['^sshd.*root$', 'sshd says root', 'sshd says root'],
    ['(?i)ADM', 'the admin', 'adm'],
    ['user=(?P<name>[a-z-]+)', 'user=a-b c', 'user=a-b'],
    ['\\d{1,3}\\.\\d+', 'at 10.25', '10.25'],
    ['a\\/b|c', 'x a/b', 'a/b'],
    ['\\bfoo\\b', 'foo-bar', 'foo'],
    ['[^\\s]x', '', undefined],
    ['\\w+@\\w+', 'to né@host', undefined],
    ['a-b}', 'a-b}', 'a-b}'],
    ['colou?r', 'color', 'color'],
    ['["\\-\\]]x', '-x', '-x'],
  ])('%s', (pattern, text, found) => {
    expect(patternRegExp(pattern, false)?.pattern.exec(text)?.[0]).toBe(found);
  });

  it('ignores case where it is told to', () => {
    expect(patternRegExp('root', true)?.pattern.exec('ROOT')?.[0]).toBe('ROOT');
    expect(patternRegExp('root', false)?.pattern.exec('ROOT')).toBeNull();
  });

  it.each([
    ...[
      '(a+)+$',
      '(a|b)*c',
      '(?:a?){30}',
      'a*b*c*d*',
      '[^a]+b{2,}c*?d+',
      '\\pL',
      '[[:alpha:]]',
      '\\Qa.b\\E',
      '(?s)a',
      'a**',
      '(',
    ],
  ])('shows nothing of %s, which takes long or means something else', (pattern) => {
    expect(patternRegExp(pattern, false)).toBeUndefined();
  });

  it.each([
    ['.*z', 1000],
    ['.*a.*z', 250],
    ['.*a.*a.*z', 100],
    ['.*a$', 1000],
  ])('looks for %s in the first %i characters', (pattern, most) => {
    const finds = (text: string) => [...placesOf(patternRegExp(pattern, false)!, text)].length;
    // Going back over all of a text takes minutes.
    expect(finds(`${'a'.repeat(most)}z`)).toBe(0);
    expect(finds(pattern.endsWith('z') ? `${'a'.repeat(most - 1)}z` : 'a'.repeat(most))).toBe(1);
  });
});
