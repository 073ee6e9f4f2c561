import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endOf, nameParts } from './source-name-parts.ts';

describe('endOf', () => {
  it.each([
    ['auth.log', '', 'auth.log'],
    [
      'trail_us-east-1_20260710T1215Z_P0WZuP2z.json',
      'trail_us-east-1_20260710T1215Z_P',
      '0WZuP2z.json',
    ],
    ['\u{1f4c4}'.repeat(25), '\u{1f4c4}'.repeat(13), '\u{1f4c4}'.repeat(12)],
  ])('%s', (last, start, end) => expect(endOf(last)).toEqual({ start, end }));
});

describe('nameParts', () => {
  it.each([
    ['auth.log', '', 'auth.log'],
    ['logs.tar.gz!var/log/auth.log', 'logs.tar.gz!var/log/', 'auth.log'],
    ['logs.tar.gz!auth.log', 'logs.tar.gz!', 'auth.log'],
    ['C:\\cases\\a.pcap', 'C:\\cases\\', 'a.pcap'],
    ['folder/', '', 'folder/'],
    ['a/b/', 'a/', 'b/'],
    ['/', '', '/'],
    ['', '', ''],
  ])('%s', (name, path, last) => expect(nameParts(name)).toEqual({ path, last }));

  it('loses nothing, and keeps something of every name', () => {
    const names = fc.string({ unit: fc.constantFrom('a', '/', '\\', '!', '\u{1f4c4}') });
    fc.assert(
      fc.property(names, (name) => {
        const { path, last } = nameParts(name);
        expect(path + last).toBe(name);
        expect(last === '').toBe(name === '');
      }),
    );
  });
});
