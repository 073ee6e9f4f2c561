import { expect, it } from 'vitest';
import { Scratch } from './pages.ts';

it('does not take a page for another of the same file, however many files were opened before', () => {
  const scratch = new Scratch();
  // Of a case of 500 segments each of 4,200 questions opens all.
  let file = 0;
  for (let i = 0; i < 500 * 4200; i++) file = scratch.nextFile();
  const pages = [1, 2, 3].map((byte) => Uint8Array.of(byte));
  pages.forEach((bytes, page) => scratch.keep(file, page, bytes));
  expect([0, 1, 2].map((page) => scratch.keptPage(file, page))).toEqual(pages);
  expect(scratch.keptPage(scratch.nextFile(), 0)).toBeUndefined();
});
