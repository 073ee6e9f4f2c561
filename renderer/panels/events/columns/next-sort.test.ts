/** Clicking a heading cycles through the orders and returns to time. */
import { expect, it } from 'vitest';
import { nextSort } from './next-sort.ts';

it.each([
  ['ts', undefined, { field: 'ts', descending: true }],
  ['ts', { field: 'ts', descending: true }, undefined],
  ['ts', { field: 'ts', descending: false }, { field: 'ts', descending: true }],
  ['ts', { field: 'host', descending: false }, undefined],
  ['host', undefined, { field: 'host', descending: false }],
  ['host', { field: 'host', descending: false }, { field: 'host', descending: true }],
  ['host', { field: 'host', descending: true }, undefined],
  ['host', { field: 'user', descending: true }, { field: 'host', descending: false }],
])('%s after %j', (name, sort, next) => {
  expect(nextSort(name, sort)).toEqual(next);
});
