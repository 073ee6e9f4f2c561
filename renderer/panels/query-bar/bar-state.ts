/**
 * What the query bar's parts know of the text in its editor. It changes when the text has been taken
 * apart, not with each key.
 */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Result } from '../../../engine/contract/operations.ts';

export type Parsed = Result<'query.parse'>;

interface BarState {
  /** The text that `parsed` is of. */
  readonly text: string;
  readonly parsed: Parsed | undefined;
  /** Whether there is text in the editor. */
  readonly filled: boolean;
  /** Whether the text differs from the query that is shown. */
  readonly edited: boolean;
  /** Whether this text was run and is wrong; the problem itself is hidden when the bar is left. */
  readonly isRefused: boolean;
  /** Why the text was not run. */
  readonly problem: { readonly message: string; readonly hint?: string | undefined } | undefined;
}

export type BarStore = StoreApi<BarState>;

export function createBarStore(): BarStore {
  return createStore<BarState>(() => ({
    text: '',
    parsed: undefined,
    filled: false,
    edited: false,
    isRefused: false,
    problem: undefined,
  }));
}

/** Sets what differs only, so that a key that changes nothing here wakes nobody. */
export function setBar(store: BarStore, change: Partial<BarState>): void {
  const now = store.getState();
  const keys = Object.keys(change) as (keyof BarState)[];
  if (keys.some((key) => now[key] !== change[key])) store.setState(change);
}
