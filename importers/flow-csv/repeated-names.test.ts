/** Records that state a name more than once keep every value. */
import { describe, expect, it } from 'vitest';
import { collect, inputOf } from '../shared/testing/collect.ts';
import { flowCsvImporter } from './index.ts';
import { hasRepeatedNames, numberRepeatedNames } from './repeated-names.ts';

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
    const bytes = Buffer.from(text);
    const isRepeated = hasRepeatedNames(bytes, 0, bytes.length, JSON.parse(text));
    expect(isRepeated).toBe(numbered !== undefined);
    expect(numberRepeatedNames(text)).toBe(numbered ?? text);
  });
});

it('reads long strings', () => {
  const long = `{"a":"${'x'.repeat(9e6)}${String.raw`\n`.repeat(4e6)}","a":`;
  expect(numberRepeatedNames(`${long}1}`)).toBe(`${long.replace('"a"', '"a.1"')}1}`);
});

it('a record keeps what it states first, and the import says so', async () => {
  const record = (second: string): string =>
    `{"timestamp":"2026-01-01T00:00:00Z","user":"alice",${second}"o":{"x":"one"}}\n`;
  const bytes = Buffer.from(record('') + record('"user":"mallory","o":{"y":"two"},'));
  const format = flowCsvImporter.sniff(bytes, { name: 'x', complete: true })!.format;
  const { rows, notes } = await collect(flowCsvImporter, inputOf(bytes), { format });
  expect(rows.map((row) => [row['user'], row.attrs])).toEqual([
    ['alice', { 'o.x': 'one' }],
    ['mallory', { 'user.1': 'alice', 'o.1.y': 'two', 'o.x': 'one' }],
  ]);
  expect(notes.join()).toContain('1 record states a name more than once');
});
