import { afterEach, beforeEach, expect, it } from 'vitest';
import { evidence } from '../../../app/compose.ts';
import { pcapOf, rfc5424 } from '../../ingest/testing/small-evidence.ts';
import { startQuery } from '../../search/query.ts';
import { runQuery } from '../query/run-query.ts';
import { called } from '../testing/called.ts';
import { smallCase, type SmallCase } from '../testing/small-case.ts';
import { markHandlers } from './handlers.ts';

let small: SmallCase;
let handlers: ReturnType<typeof markHandlers>;
beforeEach(async () => {
  small = await smallCase({ 'a.log': rfc5424(40), 'b.pcap': pcapOf(5) }, evidence);
  handlers = markHandlers(small.services);
});
afterEach(() => small.dispose());

/** Ids of the events that a query finds. */
async function found(text: string): Promise<string[]> {
  return small.services.cases.use(small.folder, async (session) => {
    const out: string[] = [];
    const running = startQuery(session, { text, zone: 'UTC' });
    for await (const { rows } of running.rows())
      for (const row of rows) out.push(`${String(row[2])}:${String(row[3]).replace('-', 'f')}`);
    return out.sort();
  });
}
const audit = () =>
  small.services.cases.use(small.folder, async (session) =>
    session.catalog.audit.entries().filter(({ operation }) => operation !== 'import'),
  );

it('tags events by id, each once, and takes the tag away again', async () => {
  const set = (events: string[], remove = false) =>
    called(handlers, 'tag.set', { case: small.folder, name: 'odd', remove, target: { events } });
  expect((await set(['1:2', '1:3', '1:3', '1:999', '9:1', '2:f1', '2:4'])).result).toEqual({
    matched: 4,
    changed: 4,
  });
  expect(await found('tag:odd kind:*')).toEqual(['1:2', '1:3', '2:4', '2:f1']);
  expect((await set(['1:3', '1:4'])).result).toEqual({ matched: 2, changed: 1 });
  expect((await set(['1:2', '2:4'], true)).result).toEqual({ matched: 2, changed: 2 });
  expect(await found('tag:odd kind:*')).toEqual(['1:3', '1:4', '2:f1']);
  const entries = await audit();
  expect(entries.map(({ operation }) => operation)).toEqual(['tag', 'tag', 'untag']);
  expect(entries[2]?.detail).toEqual({
    ...{ events: ['1:2', '2:4'], name: 'odd' },
    ...{ matched: 2, changed: 2 },
  });
  expect(entries.every(({ intact }) => intact)).toBe(true);
});

it('tags what a view finds within its range', async () => {
  const from = Date.UTC(2026, 2, 4, 10, 10) * 1000;
  const { result } = await called(handlers, 'tag.set', {
    case: small.folder,
    name: 'later',
    target: { view: { query: 'kind:log', from, to: from + 120e6 } },
  });
  expect(result).toEqual({ matched: 2, changed: 2 });
  expect(await found('tag:later')).toEqual(['1:11', '1:12']);
});

it('refuses a view that is a table', async () => {
  await expect(
    called(handlers, 'tag.set', {
      case: small.folder,
      name: 'x',
      target: { view: { query: '* | count' } },
    }),
  ).rejects.toMatchObject({ code: 'usage' });
});

it('deletes events by id and by view, with the reason in the audit log', async () => {
  const run = (target: { events: string[] } | { view: { query: string } }) =>
    called(handlers, 'delete.run', { case: small.folder, reason: 'privileged', target });
  expect((await run({ events: ['1:1', '1:2'] })).result).toEqual({ matched: 2, changed: 2 });
  expect((await run({ events: ['1:1'] })).result).toEqual({ matched: 0, changed: 0 });
  expect((await run({ view: { query: 'kind:packet' } })).result).toEqual({
    matched: 5,
    changed: 5,
  });
  expect((await found('kind:*')).length).toBe(38 + 5);
  const entries = await audit();
  expect(entries.map(({ operation, detail }) => [operation, detail])).toEqual([
    ['delete', { events: ['1:1', '1:2'], reason: 'privileged', matched: 2, changed: 2 }],
    ['delete', { query: 'kind:packet', reason: 'privileged', matched: 5, changed: 5 }],
  ]);
});

it('keeps notes, lists them with the events tagged by hand, and takes them away', async () => {
  const note = (event: string, text: string) =>
    called(handlers, 'note.set', { case: small.folder, event, text });
  const list = async () =>
    (await called(handlers, 'note.list', { case: small.folder })).result.notes.map(
      ({ event, text }) => `${event} ${text}`,
    );
  await note('1:7', ' first ');
  await note('2:f3', '<script>alert(1)</script>');
  await note('1:7', 'second');
  await called(handlers, 'tag.set', {
    case: small.folder,
    name: 'seen',
    target: { events: ['1:7', '1:9'] },
  });
  await called(handlers, 'tag.set', {
    case: small.folder,
    name: 'all',
    target: { view: { query: 'kind:log' } },
  });
  expect((await list()).sort()).toEqual(['1:7 second', '1:9 ', '2:f3 <script>alert(1)</script>']);
  await note('1:7', '');
  expect((await list()).sort()).toEqual(['1:7 ', '1:9 ', '2:f3 <script>alert(1)</script>']);
  await called(handlers, 'tag.set', {
    case: small.folder,
    name: 'seen',
    remove: true,
    target: { view: { query: 'kind:log' } },
  });
  expect(await list()).toEqual(['2:f3 <script>alert(1)</script>']);
  await expect(note('1:4000', 'nothing there')).rejects.toMatchObject({ code: 'not-found' });
  const notes = (await audit()).filter(({ operation }) => operation === 'note');
  expect(notes.map(({ detail }) => detail)).toEqual([
    { event: '1:7', text: 'first', before: '' },
    { event: '2:f3', text: '<script>alert(1)</script>', before: '' },
    { event: '1:7', text: 'second', before: 'first' },
    { event: '1:7', text: '', before: 'second' },
  ]);
});

it('saves, replaces and deletes searches', async () => {
  const save = (name: string, id?: number) =>
    called(handlers, 'search.save', { case: small.folder, id, name, view: '?q=root' });
  const first = (await save('b')).result;
  expect(first).toMatchObject({ name: 'b', view: '?q=root', note: '' });
  await save('a');
  expect((await save('c', first.id)).result).toEqual({ ...first, name: 'c' });
  const names = async () =>
    (await called(handlers, 'search.list', { case: small.folder })).result.searches.map(
      ({ name }) => name,
    );
  expect(await names()).toEqual(['a', 'c']);
  await called(handlers, 'search.delete', { case: small.folder, id: first.id });
  expect(await names()).toEqual(['a']);
  for (const gone of [first.id, 99])
    await expect(
      called(handlers, 'search.delete', { case: small.folder, id: gone }),
    ).rejects.toMatchObject({ code: 'not-found' });
  await expect(save('d', first.id)).rejects.toMatchObject({ code: 'not-found' });
  expect((await audit()).map(({ operation }) => operation)).toEqual([
    'search',
    'search',
    'search',
    'search-delete',
  ]);
});

it('remembers queries, each once, the last first, and not what operations ask for themselves', async () => {
  for (const text of ['root', 'kind:log', 'root', 'no_such_field:1']) {
    await found(text).catch(() => undefined);
  }
  await called(handlers, 'tag.set', {
    case: small.folder,
    name: 'x',
    target: { view: { query: 'gate' } },
  });
  await small.services.cases.use(small.folder, (session) =>
    runQuery(
      session,
      { query: 'kind:flow', zone: 'UTC', limit: 5, aside: true },
      new AbortController().signal,
    ),
  );
  const { queries } = (await called(handlers, 'query.history', { case: small.folder })).result;
  expect(queries.map(({ query, count }) => [query, count])).toEqual([
    ['root', 2],
    ['kind:log', 1],
  ]);
});
