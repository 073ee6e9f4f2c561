/**
 * What is looked at: a query, a range of time, the tab and how it is arranged; and the history of it.
 * Views are values: a change makes a new one, and back and forward walk them.
 */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { ViewList } from './lists.ts';

export const TABS = ['events', 'talkers', 'conversations', 'answer', 'sources', 'latency'] as const;
export type Tab = (typeof TABS)[number];

export interface View {
  readonly query: string;
  /** UTC microseconds; half-open. */
  readonly from: number | undefined;
  readonly to: number | undefined;
  /** Only events that meet one of its rows. Not part of a view's string. */
  readonly list: ViewList | undefined;
  readonly tab: Tab;
  /** Order of the events; by time, oldest first, when undefined. */
  readonly sort: { readonly field: string; readonly descending: boolean } | undefined;
  /** What top talkers are grouped by. */
  readonly by: readonly string[];
  /** `count`, `sum(bytes)`, `distinct(dst_ip)`, …: what top talkers are measured by. */
  readonly measure: string;
  /** What the timeline is stacked by; empty for one series. */
  readonly stack: string;
}

/** Everything is found. */
export const ALL = { query: '', from: undefined, to: undefined, list: undefined } as const;

export const FIRST_VIEW: View = {
  ...ALL,
  tab: 'events',
  sort: undefined,
  by: ['src_ip'],
  measure: 'count',
  stack: 'kind',
};

export interface ViewState {
  readonly view: View;
  readonly past: readonly View[];
  readonly future: readonly View[];
  /** Raised when the same view is asked for again (Run on an unchanged query). */
  readonly runs: number;
}

export interface Views {
  readonly store: StoreApi<ViewState>;
  /**
   * Shows a changed view. Changes of what is found go into the history; changes of tab and
   * arrangement alone replace the current view.
   */
  show(change: Partial<View>): void;
  /** Asks again for what is shown. */
  run(): void;
  back(): void;
  forward(): void;
  reset(): void;
}

const MOST_PAST = 200;

export function createViews(): Views {
  const first: ViewState = { view: FIRST_VIEW, past: [], future: [], runs: 0 };
  const store = createStore<ViewState>(() => first);
  return {
    store,
    show(change) {
      store.setState((state) => {
        const view = { ...state.view, ...change };
        const found =
          view.query !== state.view.query ||
          view.from !== state.view.from ||
          view.to !== state.view.to ||
          view.list !== state.view.list;
        if (!found) return { view };
        return { view, past: [...state.past, state.view].slice(-MOST_PAST), future: [] };
      });
    },
    run: () => store.setState(({ runs }) => ({ runs: runs + 1 })),
    back() {
      store.setState((state) => {
        const view = state.past[state.past.length - 1];
        if (view === undefined) return state;
        return { view, past: state.past.slice(0, -1), future: [state.view, ...state.future] };
      });
    },
    forward() {
      store.setState((state) => {
        const [view, ...future] = state.future;
        if (view === undefined) return state;
        return { view, past: [...state.past, state.view], future };
      });
    },
    reset: () => store.setState(first),
  };
}
