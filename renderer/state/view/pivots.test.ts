/** Pivots from a value to other events keep the view's list if they narrow the results. */
import { expect, it } from 'vitest';
import { pivotsOf, type Pivots } from './pivots.ts';
import { createViews } from './views.ts';

const LIST = { kept: '7', name: 'hosts.csv', rows: 2 };

it.each<[string, (pivots: Pivots) => void, keeps: boolean]>([
  ['a value included', (pivots) => pivots.include('proto', 6), true],
  ['a value excluded', (pivots) => pivots.exclude('proto', 6), true],
  ['a narrower filter', (pivots) => pivots.narrow('port:53 proto:6', 'events'), true],
  ['the values of a field', (pivots) => pivots.topValues('proto'), true],
  ['a range', (pivots) => pivots.range(1, 2), true],
  ['one condition alone', (pivots) => pivots.only('proto', 6), false],
  ['another filter', (pivots) => pivots.filter('proto:6'), false],
  ['what happened around a time', (pivots) => pivots.around(1, 5), false],
])('%s', (_, run, keeps) => {
  const views = createViews();
  views.show({ query: 'port:53', list: LIST });
  run(pivotsOf({ views }));
  expect(views.store.getState().view.list).toBe(keeps ? LIST : undefined);
});
