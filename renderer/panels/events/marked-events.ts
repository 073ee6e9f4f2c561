/** Events that are marked together, to be tagged: by their ids, in no order. */
import { createStore, type StoreApi } from 'zustand/vanilla';

interface MarkedEvents {
  readonly store: StoreApi<{ readonly events: ReadonlySet<string> }>;
  set(events: Iterable<string>): void;
  toggle(event: string): void;
  clear(): void;
}

/** More cannot be tagged one by one; the view as a whole can. */
export const MOST_MARKED = 10_000;

export function createMarkedEvents(): MarkedEvents {
  const none: ReadonlySet<string> = new Set();
  const store = createStore<{ readonly events: ReadonlySet<string> }>(() => ({ events: none }));
  return {
    store,
    set: (events) => store.setState({ events: new Set(events) }),
    toggle(event) {
      const events = new Set(store.getState().events);
      if (!events.delete(event)) events.add(event);
      store.setState({ events });
    },
    clear() {
      if (store.getState().events.size > 0) store.setState({ events: none });
    },
  };
}
