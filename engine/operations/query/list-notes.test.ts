/** Notes on fields that only attributes without a column can be. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { evidence } from '../../../app/compose.ts';
import { called } from '../testing/called.ts';
import { type SmallCase, smallCase } from '../testing/small-case.ts';
import { queryHandlers } from './handlers.ts';

let made: SmallCase;
let handlers: ReturnType<typeof queryHandlers>;
beforeAll(async () => {
  // More names than can have columns: others may be among the rest.
  const many = Array.from({ length: 300 }, (_, i) => [`n${i}`, `v${i}`]);
  const record = JSON.stringify({ ts: 1_790_000_000, ...Object.fromEntries(many) });
  made = await smallCase({ 'wide.json': `${record}\n` }, evidence);
  handlers = queryHandlers(made.services);
});
afterAll(() => made.dispose());

const inNoColumn = (name: string): unknown =>
  expect.stringMatching(new RegExp(`^"${name}": in no column`));

const open = async (query: string, sort?: string): Promise<readonly string[]> => {
  const { result } = await called(handlers, 'result.open', {
    ...{ case: made.folder, query, fields: ['ts', 'attrs.nowhere'] },
    sort: sort === undefined ? undefined : { field: sort, descending: false },
  });
  return result.notes;
};

it('says nothing of fields that the list shows and the query does not name', async () => {
  expect(await open('')).toEqual([]);
  expect(await open('attrs.elsewhere:x')).toEqual([inNoColumn('elsewhere')]);
  expect(await open('attrs.nowhere:x')).toEqual([inNoColumn('nowhere')]);
});

it.each(['nowhere', 'elsewhere'])('says so of %s where the list is sorted by it', async (name) => {
  expect(await open('', `attrs.${name}`)).toEqual([inNoColumn(name)]);
});

it('says so of the field that a timeline is stacked by', async () => {
  const notes = async (query: string): Promise<readonly string[]> => {
    const request = { case: made.folder, query, buckets: 10, by: 'attrs.nowhere' };
    return (await called(handlers, 'timeline.run', request)).result.notes;
  };
  expect(await notes('')).toEqual([inNoColumn('nowhere')]);
  expect(await notes('attrs.elsewhere:x')).toEqual([
    expect.stringMatching(/^"elsewhere", "nowhere": in no column/),
  ]);
});
