/**
 * State of the text in the query bar's editor, for the bar's parts. It changes when the text has been parsed, not
 * with each key.
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
  /** Whether this text was run and is wrong; the problem itself is hidden once the bar loses the focus. */
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

/** Sets only what differs, so that a key that changes nothing here causes no render. */
export function setBar(store: BarStore, change: Partial<BarState>): void {
  const now = store.getState();
  const keys = Object.keys(change) as (keyof BarState)[];
  if (keys.some((key) => now[key] !== change[key])) store.setState(change);
}
