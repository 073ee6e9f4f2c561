/**
 * The view: a query, a range of time, the tab and its arrangement; and the history of views. Views are values: a
 * change makes a new one, and back and forward move between them.
 */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { ViewList } from './lists.ts';

export const TABS = [
  'events',
  'talkers',
  'conversations',
  'hosts',
  'answer',
  'sources',
  'findings',
  'latency',
] as const;
export type Tab = (typeof TABS)[number];

export interface View {
  readonly query: string;
  /** UTC microseconds; half-open. */
  readonly from: number | undefined;
  readonly to: number | undefined;
  /** Only events that match one of its rows. Not part of a view's string. */
  readonly list: ViewList | undefined;
  readonly tab: Tab;
  /** Order of the events; by time, oldest first, when undefined. */
  readonly sort: { readonly field: string; readonly descending: boolean } | undefined;
  /** The fields that top talkers are grouped by. */
  readonly by: readonly string[];
  /** The measure of top talkers: `count`, `sum(bytes)`, `distinct(dst_ip)`, …. */
  readonly measure: string;
  /** The field that the timeline is stacked by; empty for one series. */
  readonly stack: string;
}

/** Everything is found. */
export const ALL = { query: '', from: undefined, to: undefined, list: undefined } as const;

const FIRST_VIEW: View = {
  ...ALL,
  tab: 'events',
  sort: undefined,
  by: ['src_ip'],
  measure: 'count',
  stack: 'kind',
};

interface ViewState {
  readonly view: View;
  readonly past: readonly View[];
  readonly future: readonly View[];
  /** Incremented when the same view is requested again (Run on an unchanged query). */
  readonly runs: number;
  /** Raised by every view that became a new entry of the history. */
  readonly steps: number;
  /** Incremented when the history starts over, for another case. */
  readonly resets: number;
}

export interface Views {
  readonly store: StoreApi<ViewState>;
  /**
   * Shows a changed view. If the tab shows no events, new results are shown in the tab of events. Another tab or
   * other results are a new entry of the history; changes of arrangement alone replace the current entry.
   */
  show(change: Partial<View>): void;
  /** Changes the current entry of the history. */
  replace(change: Partial<View>): void;
  /** Shows the results of a query that the user entered, even if they are already shown. */
  search(query: string): void;
  /** Requests the current view again. */
  run(): void;
  /** Moves through the history: -1 is one entry back. False if there is no such entry. */
  walk(by: number): boolean;
  reset(): void;
}

const MOST_PAST = 200;

const WITHOUT_RESULTS: ReadonlySet<Tab> = new Set(['sources', 'findings', 'latency']);

/** Whether a tab shows any of the results. */
export function showsResults(tab: Tab): boolean {
  return !WITHOUT_RESULTS.has(tab);
}

function withResults(view: View): View {
  return showsResults(view.tab) ? view : { ...view, tab: 'events' };
}

export function createViews(): Views {
  const first = { view: FIRST_VIEW, past: [], future: [], runs: 0 };
  const store = createStore<ViewState>(() => ({ ...first, steps: 0, resets: 0 }));
  const views: Views = {
    store,
    show(change) {
      store.setState((state) => {
        const asked = { ...state.view, ...change };
        const found =
          asked.query !== state.view.query ||
          asked.from !== state.view.from ||
          asked.to !== state.view.to ||
          asked.list !== state.view.list;
        const view = found && change.tab === undefined ? withResults(asked) : asked;
        if (!found && view.tab === state.view.tab) return { view };
        return {
          view,
          past: [...state.past, state.view].slice(-MOST_PAST),
          future: [],
          steps: state.steps + 1,
        };
      });
    },
    replace: (change) => store.setState(({ view }) => ({ view: { ...view, ...change } })),
    search(query) {
      const { view } = store.getState();
      const isSame = query === view.query;
      views.show(withResults({ ...view, query }));
      if (isSame) views.run();
    },
    run: () => store.setState(({ runs }) => ({ runs: runs + 1 })),
    walk(by) {
      const { view, past, future } = store.getState();
      const entries = [...past, view, ...future];
      const at = past.length + by;
      const reached = entries[at];
      if (reached === undefined) return false;
      store.setState({ view: reached, past: entries.slice(0, at), future: entries.slice(at + 1) });
      return true;
    },
    reset: () => store.setState(({ resets }) => ({ ...first, resets: resets + 1 })),
  };
  return views;
}
