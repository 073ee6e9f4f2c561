/** A window's open lists: bounded, and numbers are never reused. */
import { expect, it } from 'vitest';
import type { Client } from './handler.ts';
import { OpenLists, openListsOf } from './open-lists.ts';

class Named {
  readonly name: string;
  isOpen = true;

  constructor(name: string) {
    this.name = name;
  }

  dispose(): void {
    this.isOpen = false;
  }
}

class NamedLists extends OpenLists<Named> {}

const window = (): Client => ({ kept: new Map() });
const listsOf = (client: Client): NamedLists => openListsOf(client, 'named', NamedLists);

it('finds a list by its number until it is closed; its number is never that of another', () => {
  const lists = listsOf(window());
  const first = new Named('first');
  const number = lists.open(first);
  expect(lists.find(number)).toBe(first);
  lists.close(number);
  expect(first.isOpen).toBe(false);
  expect(lists.open(new Named('second'))).not.toBe(number);
  expect(() => lists.find(number)).toThrow('no open list');
  lists.close(number);
});

it('closes the oldest where there are too many, and all with their window', () => {
  const client = window();
  const all = Array.from({ length: 33 }, (_, at) => new Named(String(at)));
  for (const one of all) listsOf(client).open(one);
  expect(all.filter(({ isOpen }) => !isOpen).map(({ name }) => name)).toEqual(['0']);
  for (const kept of client.kept.values()) kept.dispose();
  expect(all.some(({ isOpen }) => isOpen)).toBe(false);
});

it('counts for each window by itself', () => {
  const [one, other] = [window(), window()];
  const number = listsOf(one).open(new Named('of one'));
  expect(() => listsOf(other).find(number)).toThrow('no open list');
  expect(listsOf(other).open(new Named('of the other'))).toBe(number);
});
