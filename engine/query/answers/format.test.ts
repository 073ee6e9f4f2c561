/** Values as people see them. */
import { describe, expect, it } from 'vitest';
import {
  formatIp4,
  formatIp6,
  ip6ToUuid,
  parseAddress,
  parseIp6,
  uuidToIp6,
} from '../values/address.ts';
import { formatNumber, formatTime, formatter } from './format.ts';
import type { RawValue } from '../values/raw-value.ts';
import type { OutputColumn } from '../statements/outputs.ts';

describe('addresses', () => {
  it.each([
    ['::', '::'],
    ['::1', '::1'],
    ['2001:DB8::1', '2001:db8::1'],
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['2001:0:0:1:0:0:0:1', '2001:0:0:1::1'],
    ['1:0:2:3:4:5:6:7', '1:0:2:3:4:5:6:7'],
    ['1:2:3:4:5:6:7:0', '1:2:3:4:5:6:7:0'],
    ['fe80::', 'fe80::'],
    ['::ffff:1.2.3.4', '::ffff:1.2.3.4'],
    ['64:ff9b::1.2.3.4', '64:ff9b::102:304'],
  ])('%s is shown as %s', (text, shown) => {
    const value = parseIp6(text);
    expect(value).toBeDefined();
    expect(formatIp6(value!)).toBe(shown);
    expect(uuidToIp6(ip6ToUuid(value!))).toBe(value);
  });

  it.each([
    '1.2.3',
    '1.2.3.256',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '12345::',
    '10.0.0.0/33',
    '::/129',
    'a',
    '',
  ])('%j is no address', (text) => {
    expect(parseAddress(text)).toBeUndefined();
  });

  it('reads blocks with host bits', () => {
    expect(parseAddress('10.1.2.3/8')).toEqual({ version: 4, low: 0x0a000000, high: 0x0affffff });
    expect(parseAddress('0.0.0.0/0')).toEqual({ version: 4, low: 0, high: 0xffffffff });
    expect(parseAddress('2001:db8::5/127')).toMatchObject({ version: 6 });
    expect(formatIp4(0xffffffff)).toBe('255.255.255.255');
  });
});

describe('times', () => {
  const micros = Date.UTC(2026, 10, 21, 12, 30, 5) * 1000 + 123_456;
  it.each<[number, number, string, string]>([
    [0, 0, 'UTC', '2026-11-21T12:30:05Z'],
    [0, 3, 'UTC', '2026-11-21T12:30:05.123Z'],
    [789, 9, 'UTC', '2026-11-21T12:30:05.123456789Z'],
    [7, 9, 'UTC', '2026-11-21T12:30:05.123456007Z'],
    [0, 6, 'Europe/Rome', '2026-11-21T13:30:05.123456+01:00'],
    [0, 0, '-03:30', '2026-11-21T09:00:05-03:30'],
  ])('%i ns, %i digits, %s', (nanos, digits, zone, text) => {
    expect(formatTime(micros, nanos, digits, zone)).toBe(text);
  });
  it('before 1970', () => {
    expect(formatTime(-1)).toBe('1969-12-31T23:59:59.999999Z');
  });
});

it('numbers stay exact', () => {
  expect(formatNumber(5n)).toBe(5);
  expect(formatNumber(9_007_199_254_740_993n)).toBe('9007199254740993');
  expect(formatNumber(null)).toBeNull();
  expect(formatNumber(Infinity)).toBe('Infinity');
});

it('names from evidence are names, whatever they are', () => {
  const { event, record } = formatter({ sources: () => [{ id: 1, name: 'a.log' }], tags: [] });
  const column = (name: string, type: OutputColumn['type'], at: number): OutputColumn => ({
    name,
    type,
    parts: [{ role: 'value', at }],
  });
  const columns = [
    column('source', 'source', 0),
    column('__proto__', 'attribute', 1),
    column('attrs', 'overflow', 2),
    column('proto', 'proto', 3),
    column('facility', 'facility', 4),
  ];
  const row: RawValue[] = [1, 'x', '{"__proto__":"y","constructor":"z"}', 58, null];
  const shown = event(columns, row);
  expect(JSON.stringify(shown)).toBe(
    '{"source":"a.log","proto":"ipv6-icmp","attrs":{"__proto__":"y","constructor":"z"}}',
  );
  expect(Object.keys(record(columns, row))).toHaveLength(5);
});
