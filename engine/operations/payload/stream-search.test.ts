/** Matches in streams, however their packets are divided. */
import { describe, expect, it } from 'vitest';
import { LONGEST_MATCH, parsePayloadPattern } from './payload-pattern.ts';
import { type FoundBytes, searchDatagram, StreamSearch } from './stream-search.ts';

const ascii = (text: string): Uint8Array => Buffer.from(text, 'latin1');
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

/** Offset, length and text of each match; strings are what one side sends, numbers are gaps. */
function searched(pattern: string, ...parts: readonly (string | number)[]): unknown[] {
  const found: unknown[] = [];
  const search = new StreamSearch(parsePayloadPattern(pattern), ({ offset, length, match }) =>
    found.push([offset, length, text(match)]),
  );
  for (const part of parts)
    if (typeof part === 'number') search.gap(true, part);
    else search.data(true, ascii(part), 0);
  search.end();
  return found;
}

describe('a pattern', () => {
  it.each<[string, string, unknown[]]>([
    ['jndi', 'x:JnDi:ldap', [[2, 4, 'JnDi']]],
    [
      'aa',
      'aaaaa',
      [
        [0, 2, 'aa'],
        [2, 2, 'aa'],
      ],
    ],
    [
      'pass',
      'p\0a\0s\0S\0 pass',
      [
        [0, 8, 'p\0a\0s\0S\0'],
        [9, 4, 'pass'],
      ],
    ],
    [
      'é',
      '\xc3\xa9 \xe9\0',
      [
        [0, 2, '\xc3\xa9'],
        [3, 2, '\xe9\0'],
      ],
    ],
    ['hex:4D 5a:90', 'xMZ\x90 mz\x90', [[1, 3, 'MZ\x90']]],
    ['/user=[a-z]+/', 'user=alice&User=bob', [[0, 10, 'user=alice']]],
    [
      '/user=[a-z]+/i',
      'user=alice&User=bob',
      [
        [0, 10, 'user=alice'],
        [11, 8, 'User=bob'],
      ],
    ],
    ['/^GET/', 'GET GET', [[0, 3, 'GET']]],
    ['/\\bcat\\b/', 'concat cat', [[7, 3, 'cat']]],
    ['/x*$/', 'axx', [[1, 2, 'xx']]],
    ['nothing', 'noth ing', []],
  ])('%s in %j', (pattern, content, expected) => {
    expect(searched(pattern, content)).toEqual(expected);
    // The same, wherever packets are divided.
    for (let at = 1; at < content.length; at++)
      expect(searched(pattern, content.slice(0, at), content.slice(at))).toEqual(expected);
    expect(searched(pattern, ...content)).toEqual(expected);
  });

  it.each(['', 'hex:', 'hex:4', 'hex:xy', '/(/', 'x'.repeat(2000)])('is none: %s', (pattern) => {
    expect(() => parsePayloadPattern(pattern)).toThrow();
  });
});

describe('a stream', () => {
  it('is searched on through many packets, each match once', () => {
    const packets = Array.from({ length: 400 }, (_, i) => `${'.'.repeat(97)}ab${i % 2 ? 'c' : ''}`);
    const all = packets.join('');
    for (const pattern of ['abc', '/abc/', 'hex:616263']) {
      const found = searched(pattern, ...packets) as [number, number, string][];
      expect(found).toHaveLength(200);
      for (const [offset] of found) expect(all.slice(offset, offset + 3)).toBe('abc');
    }
  });

  it('has no match across a gap, and counts what is missing', () => {
    expect(searched('abcd', 'ab', 100, 'cd abcd')).toEqual([[105, 4, 'abcd']]);
    expect(searched('/a+/', 'aa', 5, 'aa')).toEqual([
      [0, 2, 'aa'],
      [7, 2, 'aa'],
    ]);
  });

  it('has long matches as far as they are found', () => {
    const long = 'x'.repeat(3 * LONGEST_MATCH);
    const found = searched('/ax+b/', `a${long}b `, `a${'x'.repeat(1000)}b`);
    expect(found).toContainEqual([3 * LONGEST_MATCH + 3, 1002, `a${'x'.repeat(127)}`]);
  });

  it('says when a match came, what is around it, and who sent it', () => {
    const found: FoundBytes[] = [];
    const search = new StreamSearch(parsePayloadPattern('needle'), (one) => found.push(one));
    search.data(true, ascii('x'.repeat(9000)), 1);
    search.data(false, ascii('nee'), 2);
    search.data(true, ascii('a needle here'), 3);
    search.data(false, ascii('dle'), 4);
    search.end();
    expect(found.map(({ ts, isFromClient, offset }) => [ts, isFromClient, offset])).toEqual([
      [3, true, 9002],
      [2, false, 0],
    ]);
    expect([text(found[0]!.before).slice(-4), text(found[0]!.after)]).toEqual(['xxa ', ' here']);
  });

  it.each(['needle', '/needle/', 'hex:6e6565646c65'])(
    'shows what comes behind a match in later packets: %s',
    (pattern) => {
      const found: FoundBytes[] = [];
      const search = new StreamSearch(parsePayloadPattern(pattern), (one) => found.push(one));
      search.data(true, ascii(`${'x'.repeat(8186)}needle`), 1);
      search.data(true, ascii(` ${'y'.repeat(9000)}`), 2);
      search.end();
      expect(found.map(({ ts, after }) => [ts, text(after).slice(0, 3)])).toEqual([[1, ' yy']]);
    },
  );

  it('of datagrams, each is one of its own', () => {
    const found: unknown[] = [];
    const pattern = parsePayloadPattern('ab');
    for (const part of ['xab', 'a', 'b', 'ab'])
      searchDatagram(pattern, true, ascii(part), 5, ({ offset }) => found.push([part, offset]));
    expect(found).toEqual([
      ['xab', 1],
      ['ab', 0],
    ]);
  });
});
