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
  expect(recordAt(LINES, number, true)).toBe(record);
});

it.each([
  ['of a value that is no table', false, ['5" disk', 'other', '6" disk']],
  ['at the start of such a value', false, ['"5', 'other', '6"']],
  ['within a cell', true, ['5" disk,1', 'other,2', '6" disk,3']],
  ['within a cell in quotes', true, ['"a ""b",1', 'other,2', '"c"" d",3']],
])('a quote %s reaches over no other row', (_, isTable, lines) => {
  expect(lines.map((_line, at) => recordAt(lines, at + 1, isTable))).toEqual(lines);
});

it('a quote that is never closed is not looked for to the end of a long list', () => {
  const lines = ['"', ...Array.from({ length: 1_000_000 }, () => 'x')];
  expect(recordAt(lines, 1, true)).toBe('"');
});

it('remarks and empty lines are no header', () => {
  expect(firstNumber(LINES)).toBe(3);
  expect(firstNumber(['', '#'])).toBeUndefined();
});
