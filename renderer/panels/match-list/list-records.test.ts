import { expect, it } from 'vitest';
import { firstNumber, recordAt } from './list-records.ts';

const LINES = ['# feed', '', 'a,b', '"x', 'y",1', '{"k":"\\""}', 'say "hi', '2'];

it.each([
  [3, 'a,b'],
  [4, '"x\ny",1'],
  [6, '{"k":"\\""}'],
  // A quote that is never closed belongs to its line.
  [7, 'say "hi'],
  [99, ''],
])('line %i is %j', (number, record) => {
  expect(recordAt(LINES, number)).toBe(record);
});

it('a quote that is never closed is not looked for to the end of a long list', () => {
  const lines = ['"', ...Array.from({ length: 1_000_000 }, () => 'x')];
  expect(recordAt(lines, 1)).toBe('"');
});

it('remarks and empty lines are no header', () => {
  expect(firstNumber(LINES)).toBe(3);
  expect(firstNumber(['', '#'])).toBeUndefined();
});
