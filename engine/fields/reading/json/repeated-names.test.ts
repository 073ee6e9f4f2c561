/** Names that a JSON object states more than once. */
import { describe, expect, it } from 'vitest';
import { numberRepeatedNames, parseWithRepeatedNames } from './repeated-names.ts';

describe('numberRepeatedNames', () => {
  it.each([
    ['{"a":1,"b":{"a":2},"c":[{"a":3},{"a":4}]}', undefined],
    ['{"a":1,"a":2}', '{"a.1":1,"a":2}'],
    ['{"a":1,"a":2,"a":3}', '{"a.1":1,"a.2":2,"a":3}'],
    ['{"a":1,"a.1":2,"a" : 3}', '{"a.2":1,"a.1":2,"a" : 3}'],
    ['{"\\u0061":1,"a":2}', '{"\\u0061.1":1,"a":2}'],
    ['{"o":{"x":1},"o":{"x":2,"x":3}}', '{"o.1":{"x":1},"o":{"x.1":2,"x":3}}'],
    ['[{"a":"}\\"{:","a":"{"}]', '[{"a.1":"}\\"{:","a":"{"}]'],
    ['{"__proto__":1,"__proto__":{"a":1}}', '{"__proto__.1":1,"__proto__":{"a":1}}'],
    ['{"":null,"":[]}', '{".1":null,"":[]}'],
  ])('%s', (text, numbered) => {
    expect(numberRepeatedNames(text)).toBe(numbered ?? text);
    expect(parseWithRepeatedNames(text)).toEqual({
      value: JSON.parse(numbered ?? text) as unknown,
      isRepeated: numbered !== undefined,
    });
  });
});

it('reads long strings', () => {
  const long = `{"a":"${'x'.repeat(9e6)}${String.raw`\n`.repeat(4e6)}","a":`;
  expect(numberRepeatedNames(`${long}1}`)).toBe(`${long.replace('"a"', '"a.1"')}1}`);
});
