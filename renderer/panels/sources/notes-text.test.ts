import { expect, it } from 'vitest';
import { notesText } from './notes-text.ts';

it.each([
  [0, ''],
  [1, 'a.1'],
  [3, 'a.1; a.2; a.3'],
  [4, 'a.1; a.2; a.3; and 1 more'],
  [1503, 'a.1; a.2; a.3; and 1,500 more'],
])('of %i notes tells some, and how many are left', (n, text) => {
  expect(notesText(Array.from({ length: n }, (_, i) => `a.${i + 1}`))).toBe(text);
});
