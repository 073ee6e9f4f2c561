/** Names with numbers are ordered by the values of these numbers. */
import { expect, it } from 'vitest';
import { compareNaturally } from './natural-order.ts';

it.each([
  [['1', '2', '10', '11']],
  [['item_1', 'item_2', 'item_10']],
  [['a1', 'a1b9', 'a1b10']],
  [['A', 'B', 'a', 'b']],
  [['x9', 'x010', 'x10']],
  [['10', '9007199254740992', '9007199254740993']],
  [['answers', 'answers.1', 'answers.2', 'answers.10']],
])('%j', (names) => {
  expect(names.toReversed().sort(compareNaturally)).toEqual(names);
  expect(names.toSorted(compareNaturally)).toEqual(names);
});
