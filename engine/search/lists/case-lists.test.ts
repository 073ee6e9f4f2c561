/** Which lists have tables: those used by statements, however many others arrive and whatever fails. */
import { beforeEach, expect, it } from 'vitest';
import type { MatchList, SegmentInfo } from '../../query/index.ts';
import type { ListTable } from '../../store/reading/list-tables.ts';
import { CaseLists } from './case-lists.ts';

/** Creates and drops names of tables. */
class Store {
  readonly tables = new Set<string>();
  made = 0;
  fails = false;
  busy = false;
  inUse(): boolean {
    return this.busy;
  }
  async createList({ name }: ListTable): Promise<void> {
    this.made += 1;
    this.tables.add(name);
    await Promise.resolve();
    if (this.fails) throw new Error('no memory');
  }
  async dropLists(names: readonly string[]): Promise<void> {
    for (const name of names) this.tables.delete(name);
    await Promise.resolve();
  }
}

let store: Store;
let lists: CaseLists;
beforeEach(() => {
  store = new Store();
  lists = new CaseLists();
});

const read = (n: number): MatchList => lists.read({ bytes: Buffer.from(`dst_port\n${n}\n`) }, []);
const tableOf = ({ groups: [group] }: MatchList): string => group!.table;

it('makes tables again after that has failed, and leaves none half made', async () => {
  const list = read(1);
  store.fails = true;
  await expect(lists.load(list, store)).rejects.toThrow('no memory');
  expect(store.tables.size).toBe(0);
  store.fails = false;
  await lists.load(read(2), store);
  await lists.load(list, store);
  expect(store.tables).toEqual(new Set([tableOf(list), tableOf(read(2))]));
});

it('makes the tables of an evicted list again for operations that still need it', async () => {
  const list = read(0);
  await lists.load(list, store);
  for (let n = 1; n <= 20; n++) await lists.load(read(n), store);
  expect(store.tables.has(tableOf(list))).toBe(false);
  expect(store.tables.size).toBe(16);
  await lists.load(list, store);
  expect(store.tables.has(tableOf(list))).toBe(true);
  expect(store.tables.size).toBe(16);
});

it('makes no table twice, and drops none while operations may be using it', async () => {
  store.busy = true;
  const all = Array.from({ length: 20 }, (_, n) => read(n));
  for (const list of all) await lists.load(list, store);
  await Promise.all(all.map((list) => lists.load(list, store)));
  expect([store.tables.size, store.made]).toEqual([20, 20]);
});

it('forgets lists that were read and never needed a table', () => {
  const first = read(0);
  expect(read(0)).toBe(first);
  for (let n = 1; n <= 20; n++) read(n);
  expect(read(0)).not.toBe(first);
});

it('reads a list again where events have other attributes than before', () => {
  const columns = new Set(['host', 'a:account']);
  const segment: SegmentInfo = {
    ...{ id: 1, kind: 'log', day: 'undated', rows: 1, minTs: undefined, maxTs: undefined },
    ...{ columns, hasDeletes: false, tags: new Set(), unflowedPackets: 0, sources: new Set() },
  };
  const given = { bytes: Buffer.from('account\nalice\n') };
  const [before, behind] = [lists.read(given, []), lists.read(given, [segment])];
  expect([before.fields, before.lines]).toEqual([['text'], [1, 2]]);
  expect([behind.fields, behind.lines]).toEqual([['account'], [2]]);
  expect(before.digest).not.toBe(behind.digest);
  expect(lists.read(given, [{ ...segment, id: 2 }])).toBe(behind);
});
