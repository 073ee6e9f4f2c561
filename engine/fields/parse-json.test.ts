/** Members of JSON records are texts as they are written, numbers among them. */
import { describe, expect, it } from 'vitest';
import { type Flat, flatten } from './flatten.ts';
import { parseWithRepeatedNames } from './repeated-names.ts';

function members(text: string): Record<string, string> {
  const flat: Flat = { keys: [], values: [] };
  flatten(parseWithRepeatedNames(text).value, flat);
  return Object.fromEntries(flat.keys.map((key, i) => [key, String(flat.values[i])]));
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
});
