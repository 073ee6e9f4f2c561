import { expect, it } from 'vitest';
import { append } from './append.ts';

it('adds more than a call takes arguments', () => {
  const list = ['first'];
  append(
    list,
    Array.from({ length: 1_000_000 }, (_, i) => String(i)),
  );
  expect([list.length, list[1], list.at(-1)]).toEqual([1_000_001, '0', '999999']);
});
