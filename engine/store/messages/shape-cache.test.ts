import { expect, it } from 'vitest';
import type { MessageShape } from './message-cutter.ts';
import { ShapeCache } from './shape-cache.ts';

const shape = (...constants: string[]): MessageShape => ({
  constants,
  widths: constants.slice(1).map(() => 0),
});
const text = (...shapes: MessageShape[]): string => JSON.stringify(shapes);
const [ONE, TWO, THREE] = [shape('one ', ''), shape('two ', ' of ', ''), shape('three')];

it('gives back what a table says, until the segment goes', () => {
  const cache = new ShapeCache();
  expect(cache.get(1)).toBeUndefined();
  expect(cache.set(1, text(ONE, TWO))).toEqual([ONE, TWO]);
  expect(cache.get(1)).toEqual([ONE, TWO]);
  cache.delete(1);
  expect(cache.get(1)).toBeUndefined();
});

it.each([[null], [''], ['{}'], ['[1]'], ['[{"constants":["a"],"widths":[0]}]'], ['[']])(
  'keeps nothing of %j',
  (damaged) => {
    const cache = new ShapeCache();
    expect(cache.set(1, damaged)).toBeUndefined();
    expect(cache.get(1)).toBeUndefined();
  },
);

it('has shapes of several segments once', () => {
  const cache = new ShapeCache();
  const [, two] = cache.set(1, text(ONE, TWO))!;
  const [again, other] = cache.set(2, text(TWO, THREE))!;
  expect(again).toBe(two);
  expect(other).toEqual(THREE);
  // The same texts around a variable of another width.
  expect(cache.set(3, text({ ...ONE, widths: [1] }))).toEqual([{ ...ONE, widths: [1] }]);
});

it('keeps those used last, and none that alone are too many', () => {
  const cache = new ShapeCache();
  const large = (letter: string) => text(shape(letter.repeat(5e6)));
  for (const [id, letter] of ['a', 'b', 'c'].entries()) cache.set(id, large(letter));
  expect(cache.get(0)).toBeDefined();
  cache.set(3, large('d'));
  expect([0, 1, 2, 3].map((id) => cache.get(id) !== undefined)).toEqual([true, false, true, true]);
  // Setting a segment again replaces its entry.
  cache.set(3, text(ONE));
  cache.set(4, large('e'));
  expect([0, 2, 3, 4].map((id) => cache.get(id) !== undefined)).toEqual([true, true, true, true]);
  expect(cache.set(5, text(shape('f'.repeat(17e6))))).toHaveLength(1);
  const left = [0, 2, 3, 4, 5].map((id) => cache.get(id) !== undefined);
  expect(left).toEqual([true, true, true, true, false]);
});
