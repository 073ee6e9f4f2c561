import { describe, expect, it } from 'vitest';
import { compilePattern } from '../re2/matcher.ts';
import {
  FALSE_SQL,
  TRUE_SQL,
  both,
  either,
  identifier,
  matches,
  negate,
  number,
  oneOf,
  text,
  time,
  within,
} from './clickhouse.ts';

describe('literals', () => {
  it.each([
    ['plain', `'plain'`],
    [`it's`, `'it\\'s'`],
    ['a\\', `'a\\\\'`],
    [`\\'; DROP TABLE events; --`, `'\\\\\\'; DROP TABLE events; --'`],
    ['a\0b\nc\td\re', `'a\\0b\\nc\\td\\re'`],
    ['\u0007\u001b[0m', `'\\x07\\x1B[0m'`],
    ['\u202eabc\u2028', `'\\xE2\\x80\\xAEabc\\xE2\\x80\\xA8'`],
    ['\u0085', `'\\xC2\\x85'`],
    ['`é日', `'\`é日'`],
    // Half a character is not a character.
    ['\ud800', `'\ufffd'`],
  ])('writes the text %j', (value, sql) => {
    expect(text(value)).toBe(sql);
  });

  it.each([
    ['src_ip', 'src_ip'],
    ['offset', '`offset`'],
    ['sum(bytes)', '`sum(bytes)`'],
    ['Flow Bytes/s', '`Flow Bytes/s`'],
    ['a`b', '`a\\`b`'],
    [`a'b"`, '`a\'b"`'],
    ['a\\', '`a\\\\`'],
    ['a\nb', '`a\\nb`'],
    ['', '``'],
  ])('writes the name %j', (name, sql) => {
    expect(identifier(name)).toBe(sql);
  });

  it.each([
    [0, '0'],
    [-0, '0'],
    [1.5, '1.5'],
    [-7, '-7'],
    [1e300, '1e+300'],
  ])('writes the number %d', (value, sql) => {
    expect(number(value)).toBe(sql);
  });
  it('has no literal for what is no number', () => {
    expect(() => number(Infinity)).toThrow(RangeError);
    expect(() => number(NaN)).toThrow(RangeError);
  });

  it.each([
    ['2026-11-21T12:00:00Z', 0, `toDateTime64('2026-11-21 12:00:00', 6, 'UTC')`],
    ['2026-11-21T12:00:00Z', 250_000, `toDateTime64('2026-11-21 12:00:00.250000', 6, 'UTC')`],
    ['1969-12-31T23:59:59Z', 1, `toDateTime64('1969-12-31 23:59:59.000001', 6, 'UTC')`],
    ['1601-01-01T00:00:00Z', 0, `fromUnixTimestamp64Micro(toInt64(-11644473600000000), 'UTC')`],
  ])('writes the time %s and %d microseconds', (at, more, sql) => {
    expect(time(Date.parse(at) * 1000 + more)).toBe(sql);
  });
});

describe('conditions', () => {
  it.each([
    [both([]), TRUE_SQL],
    [both(['a', TRUE_SQL]), 'a'],
    [both(['a', 'b', 'a']), '(a AND b)'],
    [both(['a', FALSE_SQL]), FALSE_SQL],
    [either([]), FALSE_SQL],
    [either(['a', 'b']), '(a OR b)'],
    [either(['a', TRUE_SQL]), TRUE_SQL],
    [negate('a = 1'), '(NOT ifNull(a = 1, false))'],
    [negate(TRUE_SQL), FALSE_SQL],
    [oneOf('a', []), FALSE_SQL],
    [oneOf('a', ['1']), 'a = 1'],
    [oneOf('a', ['1', '2']), 'a IN (1, 2)'],
  ])('%s', (sql, expected) => {
    expect(sql).toBe(expected);
  });

  it.each([
    ['a|b', false, `match(x, 'a|b')`],
    ['a.b', false, `match(x, '(?-s)a.b')`],
    ['a', true, `match(x, '(?i)a')`],
    ['^a.*$', true, `match(x, '(?i-s)^a.*$')`],
    ['\\d', false, `match(x, '\\\\d')`],
    ['a(?P<name>b)', false, `match(x, 'a(b)')`],
    ['\\(?P<n>', false, `match(x, '\\\\(?P<n>')`],
    ['[]^(?P<n>](?P<n>b)', false, `match(x, '[]^(?P<n>](b)')`],
    ['\\Q(?P<n>\\E(?P<n>b)', false, `match(x, '\\\\Q(?P<n>\\\\E(b)')`],
  ])('matches /%s/', (pattern, ignoreCase, sql) => {
    expect(matches('x', pattern, ignoreCase)).toBe(sql);
    expect(() => compilePattern(pattern, ignoreCase)).not.toThrow();
  });

  const open = { low: undefined, high: undefined, lowIncluded: true, highIncluded: true };
  it.each([
    [[{ ...open, low: 5, high: 5 }], 'x = 5'],
    [[{ ...open, low: 5, high: 5, lowIncluded: false }], FALSE_SQL],
    [[{ ...open, low: 1 }], 'x >= 1'],
    [[{ ...open, low: 1, high: 2, highIncluded: false }], '(x >= 1 AND x < 2)'],
    [[open], 'x IS NOT NULL'],
    [
      [
        { ...open, low: 1, high: 1 },
        { ...open, low: 3, high: 3 },
        { ...open, low: 9, lowIncluded: false },
      ],
      '(x > 9 OR x IN (1, 3))',
    ],
  ])('tests a number: %j', (ranges, sql) => {
    expect(within('x', ranges)).toBe(sql);
  });
});
