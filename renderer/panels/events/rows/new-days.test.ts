import { expect, it } from 'vitest';
import { newDays } from './new-days.ts';

const at = (text: string): number => Date.parse(`2026-03-${text}Z`) * 1000;
const TIMES = [
  ...[at('04T22:30:00'), at('04T23:30:00'), at('05T00:10:00'), at('05T09:00:00')],
  ...[undefined, at('07T01:00:00'), at('08T00:00:00')],
];

it.each([
  ['UTC', 0, 7, [2, 6]],
  ['UTC', 2, 4, [2]],
  ['UTC', 3, 4, []],
  ['Europe/Vienna', 0, 7, [1, 6]],
  ['America/New_York', 0, 7, [3, 6]],
])('in %s, of the rows %i to %i', (zone, first, end, expected) => {
  expect([...newDays(first, end, (row) => TIMES[row], zone)]).toEqual(expected);
});
