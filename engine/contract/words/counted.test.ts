import { expect, it } from 'vitest';
import { counted, nounOf } from './counted.ts';

it.each([
  [0, '0 rows'],
  [1, '1 row'],
  [2, '2 rows'],
  [1234567, '1,234,567 rows'],
])('%i', (n, text) => expect(counted(n, 'row')).toBe(text));

it('takes plurals of their own', () => {
  expect(counted(2, 'entry', 'entries')).toBe('2 entries');
  expect(nounOf(1, 'is', 'are')).toBe('is');
});
