import { expect, it } from 'vitest';
import { actionOf, nextColumn, nextRow } from './grid-keys.ts';

const key = (
  name: string,
  held: { readonly ctrlKey?: boolean; readonly shiftKey?: boolean } = {},
) => ({
  ...{ key: name, shiftKey: false, ctrlKey: false, metaKey: false },
  ...held,
});

it.each([
  ['ContextMenu', {}, 'menu', 'menu'],
  ['F10', { shiftKey: true }, 'menu', 'menu'],
  ['F10', {}, undefined, undefined],
  ['Enter', {}, 'sort', 'details'],
  ['+', {}, 'widen', undefined],
  ['-', {}, 'narrow', undefined],
  [' ', {}, undefined, 'bookmark'],
  ['t', {}, undefined, 'tag'],
  ['t', { ctrlKey: true }, undefined, undefined],
  ['Escape', {}, undefined, undefined],
])('%s with %o: %s in the heading, %s in the rows', (name, held, inHeading, inRows) => {
  expect(actionOf(key(name, held), true, false)).toBe(inHeading);
  expect(actionOf(key(name, held), false, false)).toBe(inRows);
});

it('takes the marks away by Escape, wherever the cursor is', () => {
  for (const inHeading of [true, false])
    expect(actionOf(key('Escape'), inHeading, true)).toBe('unmark');
});

it.each([
  ['ArrowDown', false, 5, 6],
  ['ArrowUp', false, 0, -1],
  ['PageDown', false, 5, 25],
  ['PageUp', false, 5, 0],
  ['Home', false, 5, 0],
  ['Home', false, -1, undefined],
  ['Home', true, -1, 0],
  ['End', true, 5, 99],
  ['ArrowDown', true, 5, undefined],
  ['Enter', false, 5, undefined],
])('%s (held: %s) leads from row %i to %s', (name, held, from, to) => {
  expect(nextRow(name, held, from, 20, 100)).toBe(to);
});

it.each([
  ['ArrowRight', 1, 2],
  ['ArrowRight', 3, 3],
  ['ArrowLeft', 0, 0],
  ['ArrowDown', 1, undefined],
])('%s leads from column %i to %s', (name, from, to) => {
  expect(nextColumn(name, from, 4)).toBe(to);
});
