/** A window's open lists of events, by number. They are closed with the window. */
import { DaybookError } from '../contract/errors.ts';
import type { Client } from './handler.ts';

/** Maximum number of open lists of a window; beyond it the oldest is closed. */
const MOST_OPEN = 32;

interface OpenList {
  dispose(): void;
}

export class OpenLists<L extends OpenList> {
  private readonly lists = new Map<number, L>();
  /** Numbers are never reused: the number of a closed list refers to no other. */
  private last = 0;

  open(list: L): number {
    const [oldest] = this.lists.keys();
    if (oldest !== undefined && this.lists.size >= MOST_OPEN) this.close(oldest);
    this.lists.set(++this.last, list);
    return this.last;
  }

  /** @throws DaybookError not-found */
  find(number: number): L {
    const list = this.lists.get(number);
    if (list !== undefined) return list;
    throw new DaybookError('not-found', `there is no open list ${number}`, 'run the query again');
  }

  /** Closing a missing list does nothing. */
  close(number: number): void {
    this.lists.get(number)?.dispose();
    this.lists.delete(number);
  }

  dispose(): void {
    for (const number of [...this.lists.keys()]) this.close(number);
  }
}

/** The lists of a window, of one kind. */
export function openListsOf<O extends OpenLists<OpenList>>(
  { kept }: Client,
  key: string,
  kind: new () => O,
): O {
  const known = kept.get(key);
  if (known instanceof kind) return known;
  const made = new kind();
  kept.set(key, made);
  return made;
}
