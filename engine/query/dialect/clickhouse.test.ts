/** What is printed for ClickHouse of texts, names, numbers and times: they come from a query or a case, which may be hostile. */
import { describe, expect, it } from 'vitest';
import { both, either, identifier, matches, negate, number, text, time } from './clickhouse.ts';

describe('literals', () => {
  it.each([
    ['plain', "'plain'"],
    ["it's", String.raw`'it\'s'`],
    ['a\\', String.raw`'a\\'`],
    ["\\' OR 1 = 1 --", String.raw`'\\\' OR 1 = 1 --'`],
    ['a\0b\nc', String.raw`'a\0b\nc'`],
    ['ü日', "'ü日'"],
  ])('text %j', (value, sql) => expect(text(value)).toBe(sql));

  it.each([
    ['src_ip', 'src_ip'],
    ['select', '`select`'],
    ['sum(bytes)', '`sum(bytes)`'],
    ['a`; DROP TABLE events; --', String.raw`${'`'}a\`; DROP TABLE events; --${'`'}`],
  ])('name %j', (name, sql) => expect(identifier(name)).toBe(sql));

  it('numbers and times', () => {
    expect([number(-0), number(1e21), number(0.5)]).toEqual(['0', '1e+21', '0.5']);
    expect(() => number(NaN)).toThrow(RangeError);
    expect(time(1_790_000_000_000_001)).toBe(
      "toDateTime64('2026-09-21 14:13:20.000001', 6, 'UTC')",
    );
    expect(time(-9e15)).toBe("fromUnixTimestamp64Micro(toInt64(-9000000000000000), 'UTC')");
  });
});

it('conditions that are always so, or never, leave nothing behind', () => {
  expect(both(['true', 'a', 'a'])).toBe('a');
  expect(both(['a', 'false'])).toBe('false');
  expect(either(['a', 'b', 'false'])).toBe('(a OR b)');
  expect(negate('a')).toBe('(NOT ifNull(a, false))');
});

it('a dot of a pattern is no end of a line', () => {
  expect(matches('message', 'a.b', true)).toBe("match(message, '(?i-s)a.b')");
  expect(matches('message', 'ab', false)).toBe("match(message, 'ab')");
});
