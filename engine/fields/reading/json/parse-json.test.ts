/** Members of JSON records are texts as written, including numbers. */
import { describe, expect, it } from 'vitest';
import { type Flat, flatten, unwrap, writtenText } from './flatten.ts';
import { parseWithRepeatedNames } from './repeated-names.ts';

function members(text: string): Record<string, string> {
  const flat: Flat = { keys: [], values: [] };
  flatten(parseWithRepeatedNames(text).value, flat);
  return Object.fromEntries(flat.keys.map((key, i) => [key, writtenText(flat, i)]));
}

describe('numbers of JSON', () => {
  it.each([
    ...['0', '-0', '7', '-7', '1.5', '0.1', '10', '100.25', '1593351576.123456'],
    ...[
      '2.10',
      '0.000000',
      '-0.0',
      '1593351576.123450',
      '78.376632690429688',
      '0.20696377754211426',
    ],
    ...['12345678901234567890', '9007199254740993', '-12345678901234567890'],
    ...['1e400', '1E5', '1.0e5', '-1.5e-7', '1.234567890123456E-07', '0e0'],
  ])('keep the text %s', (number) => {
    expect(members(`{"a":${number},"b":{"c": ${number} },"d":[1,${number}],"e":"1.0"}`)).toEqual({
      ...{ a: number, 'b.c': number, d: `[1,${number}]`, e: '1.0' },
    });
  });

  it('keep it where a name is stated twice, too', () => {
    expect(members('{"a":1.50,"b":{"x":2},"a":2.10}')).toEqual({
      ...{ 'a.1': '1.50', 'b.x': '2', a: '2.10' },
    });
  });

  it.each([
    ['443.0', 443],
    ['8.0e1', 80],
    ['1.772600767123E9', 1_772_600_767.123],
    ['12345678901234567890', '12345678901234567890'],
    ['1e400', '1e400'],
  ])('%s counts as %s', (number, value) => {
    const flat: Flat = { keys: [], values: [] };
    flatten(parseWithRepeatedNames(`{"a":${number}}`).value, flat);
    expect(flat.values).toEqual([value]);
  });

  it('keep it in a record that a member wraps, where another has its name', () => {
    const flat: Flat = { keys: [], values: [] };
    flatten(parseWithRepeatedNames(`{"v":1.0,"_raw":"{\\"v\\":2.10,\\"w\\":3.0}"}`).value, flat);
    unwrap(flat);
    expect(flat.keys.map((key, i) => [key, writtenText(flat, i)])).toEqual([
      ...[
        ['v', '1.0'],
        ['_raw.v', '2.10'],
        ['w', '3.0'],
      ],
    ]);
  });
});
