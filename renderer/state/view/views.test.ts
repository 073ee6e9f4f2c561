import { expect, it } from 'vitest';
import { createViews } from './views.ts';

it('has an entry of the history for each tab and each thing that is looked for', () => {
  const views = createViews();
  const shown = () => views.store.getState().view;
  views.show({ query: 'a' });
  views.show({ tab: 'talkers' });
  views.show({ by: ['host'] });
  views.show({ query: 'b' });
  expect(views.store.getState().steps).toBe(3);
  expect(views.walk(-1)).toBe(true);
  expect(shown()).toMatchObject({ query: 'a', tab: 'talkers', by: ['host'] });
  expect(views.walk(-2)).toBe(true);
  expect(shown()).toMatchObject({ query: '', tab: 'events' });
  expect(views.walk(-1)).toBe(false);
  expect(views.walk(3)).toBe(true);
  expect(shown()).toMatchObject({ query: 'b', tab: 'talkers' });
});

it('shows what is found on the tab of the events when the tab shows none', () => {
  const views = createViews();
  views.show({ query: 'a' });
  for (const tab of ['sources', 'findings', 'latency'] as const) {
    views.show({ tab });
    views.search('a');
    expect(views.store.getState().view.tab).toBe('events');
    views.show({ tab });
    views.show({ from: 1, to: 2 });
    expect(views.store.getState().view.tab).toBe('events');
    views.show({ from: undefined, to: undefined });
  }
  views.show({ tab: 'talkers' });
  views.search('b');
  expect(views.store.getState().view.tab).toBe('talkers');
});

it('asks again for a query that is entered again, without another entry', () => {
  const views = createViews();
  views.search('a');
  const { steps, runs } = views.store.getState();
  views.search('a');
  expect(views.store.getState()).toMatchObject({ steps, runs: runs + 1 });
});
