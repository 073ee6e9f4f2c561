import { afterEach, beforeEach, expect, it } from 'vitest';
import { evidence } from '../../../app/compose.ts';
import { rfc5424 } from '../../ingest/testing/small-evidence.ts';
import { caseInfo } from '../case/case-info.ts';
import { recentOperations } from '../case/latency.ts';
import { called } from '../testing/called.ts';
import { smallCase, type SmallCase } from '../testing/small-case.ts';
import { findingLines } from './findings.ts';
import { markHandlers } from './handlers.ts';

let small: SmallCase;
let handlers: ReturnType<typeof markHandlers>;
/** Two notes, the later event first, and three tags; one tag has lost its only event. */
beforeEach(async () => {
  small = await smallCase({ 'a.log': rfc5424(40) }, evidence);
  handlers = markHandlers(small.services);
  await called(handlers, 'note.set', { case: small.folder, event: '1:20', text: 'the end' });
  await called(handlers, 'note.set', { case: small.folder, event: '1:3', text: 'the beginning' });
  for (const name of ['web', 'guessed', 'unused'])
    await called(handlers, 'tag.set', { case: small.folder, name, target: { events: ['1:3'] } });
  await called(handlers, 'tag.set', {
    case: small.folder,
    name: 'unused',
    remove: true,
    target: { events: ['1:3'] },
  });
});
afterEach(() => small.dispose());

const list = async () =>
  (await called(handlers, 'finding.list', { case: small.folder })).result.findings;
const order = async (): Promise<string[]> =>
  (await list()).map((one) => (one.kind === 'tag' ? one.tag : one.event));
const set = (name: string, change: object) =>
  called(handlers, 'finding.set', {
    case: small.folder,
    finding: name.includes(':') ? { event: name } : { tag: name },
    ...change,
  });
const inCatalog = <T>(work: (catalog: Parameters<typeof findingLines>[0]) => T): Promise<T> =>
  small.services.cases.use(small.folder, async ({ catalog }) => work(catalog));

it('orders notes by the time of their event, then tags by name, by default', async () => {
  expect(await list()).toMatchObject([
    { kind: 'note', place: 1, event: '1:3', text: 'the beginning', hidden: false },
    { kind: 'note', place: 2, event: '1:20', text: 'the end' },
    { kind: 'tag', place: 3, tag: 'guessed', count: 1 },
    { kind: 'tag', place: 4, tag: 'web', count: 1 },
  ]);
  expect((await list()).every(({ severity }) => severity === undefined)).toBe(true);
});

it('puts the most severe first, and moved findings at their place', async () => {
  await set('web', { severity: 'low' });
  await set('1:20', { severity: 'critical' });
  expect(await order()).toEqual(['1:20', 'web', '1:3', 'guessed']);
  await set('guessed', { place: 2 });
  expect(await order()).toEqual(['1:20', 'guessed', 'web', '1:3']);
  // A finding without a place comes after those with one, however severe it is.
  await set('1:3', { severity: 'high' });
  expect(await order()).toEqual(['1:20', 'guessed', '1:3', 'web']);
  // A place beyond the end means the end.
  await set('1:20', { place: 99 });
  expect(await order()).toEqual(['guessed', '1:3', 'web', '1:20']);
  await set('guessed', { place: null });
  expect(await order()).toEqual(['1:3', 'web', '1:20', 'guessed']);
  await called(handlers, 'finding.reset-order', { case: small.folder });
  expect(await order()).toEqual(['1:20', '1:3', 'web', 'guessed']);
  await set('1:20', { severity: null });
  expect(await order()).toEqual(['1:3', 'web', '1:20', 'guessed']);
});

it('records each change in the audit log, and leaves the catalog consistent', async () => {
  await set('WEB', { severity: 'high', color: 'red' });
  await set('WEB', { severity: 'high' });
  await set('1:20', { place: 1 });
  await called(handlers, 'finding.reset-order', { case: small.folder });
  await called(handlers, 'finding.reset-order', { case: small.folder });
  const entries = await inCatalog(({ audit }) =>
    audit.entries().filter(({ operation }) => operation.startsWith('finding')),
  );
  expect(entries.map(({ operation, detail }) => [operation, detail])).toEqual([
    ['finding', { tag: 'web', before: {}, after: { severity: 'high', color: 'red' } }],
    ['finding', { event: '1:20', before: { place: 3 }, after: { place: 1 } }],
    ['finding-order', { order: 'by severity' }],
  ]);
  expect(await inCatalog((catalog) => catalog.integrityProblems())).toEqual([]);
});

it('keeps the severity of a note whose text changes, and deletes it with the note', async () => {
  await set('1:20', { severity: 'medium', place: 1 });
  await called(handlers, 'note.set', { case: small.folder, event: '1:20', text: 'said better' });
  expect((await list())[0]).toMatchObject({ text: 'said better', severity: 'medium', place: 1 });
  await called(handlers, 'note.set', { case: small.folder, event: '1:20', text: '' });
  await called(handlers, 'note.set', { case: small.folder, event: '1:20', text: 'new' });
  const [note] = (await list()).filter((one) => one.kind === 'note' && one.text === 'new');
  expect(note).toMatchObject({ place: 2 });
  expect(note).not.toHaveProperty('severity');
});

it('lists a note on an event that was deleted, and says so', async () => {
  await called(handlers, 'delete.run', {
    case: small.folder,
    reason: 'privileged',
    target: { events: ['1:3'] },
  });
  expect(await list()).toMatchObject([
    { event: '1:20', hidden: false },
    { event: '1:3', hidden: true },
    { tag: 'guessed', count: 0 },
    { tag: 'web', count: 0 },
  ]);
});

it('counts the visible events of a tag', async () => {
  const target = { events: ['1:5', '1:6', '1:7'] };
  await called(handlers, 'tag.set', { case: small.folder, name: 'bad', target });
  await called(handlers, 'delete.run', {
    case: small.folder,
    reason: 'privileged',
    target: { events: ['1:3', '1:4', '1:5', '1:7', '1:8'] },
  });
  expect((await list()).find((one) => one.kind === 'tag' && one.tag === 'bad')).toMatchObject({
    count: 1,
  });
  const info = await small.services.cases.use(small.folder, async (session) => caseInfo(session));
  expect(info.tags).toMatchObject([
    { name: 'bad', count: 1 },
    { name: 'guessed', count: 0 },
    { name: 'unused', count: 0 },
    { name: 'web', count: 0 },
  ]);
});

it('says when the visible events of a tag happened, in its list and by its name', async () => {
  const target = { events: ['1:5', '1:6', '1:9'] };
  await called(handlers, 'tag.set', { case: small.folder, name: 'bad', target });
  const delete9 = { reason: 'privileged', target: { events: ['1:9'] } };
  await called(handlers, 'delete.run', { case: small.folder, ...delete9 });
  const log = rfc5424(40).split('\n');
  const timeOf = (line: number): string => log[line - 1]?.split(' ')[1] ?? '';
  const span = { first: timeOf(5), last: timeOf(6) };
  expect(span.first).toMatch(/^2\d{3}-.*Z$/);
  expect((await list()).find((one) => one.kind === 'tag' && one.tag === 'bad')).toMatchObject(span);
  await called(handlers, 'delete.run', {
    ...{ case: small.folder, reason: 'privileged', target: { events: ['1:5', '1:6'] } },
  });
  const [hidden] = (await list()).filter((one) => one.kind === 'tag' && one.tag === 'bad');
  expect(hidden).toMatchObject({ count: 0 });
  expect(hidden).not.toHaveProperty('first');
});

it('orders notes by times that differ by less than a millisecond', async () => {
  const stamps = ['00.0005', '00.0002', '00', '00.001'];
  const log = stamps.map((at) => `<38>1 2026-03-04T10:00:${at}Z host app 1 - - here\n`);
  const other = await smallCase({ 'b.log': log.join('') }, evidence);
  try {
    const ofOther = markHandlers(other.services);
    for (let seq = 1; seq <= stamps.length; seq++)
      await called(ofOther, 'note.set', { case: other.folder, event: `1:${seq}`, text: 'here' });
    const { findings } = (await called(ofOther, 'finding.list', { case: other.folder })).result;
    expect(findings.map((one) => one.kind === 'note' && one.time)).toEqual([
      '2026-03-04T10:00:00Z',
      '2026-03-04T10:00:00.0002Z',
      '2026-03-04T10:00:00.0005Z',
      '2026-03-04T10:00:00.001Z',
    ]);
  } finally {
    await other.dispose();
  }
});

it('looks up times of events only if the order depends on them', async () => {
  const lookUps = (): Promise<number> =>
    small.services.cases.use(
      small.folder,
      async (session) =>
        recentOperations(session, 100).filter(({ operation }) => operation === 'finding.times')
          .length,
    );
  await set('1:3', { severity: 'high' });
  await set('web', { color: 'red', severity: null });
  expect(await lookUps()).toBe(0);
  await set('web', { place: 1 });
  expect(await lookUps()).toBe(1);
});

it('gives the stored rating of each finding to hand over', async () => {
  await set('web', { severity: 'info', color: 'violet', place: 1 });
  const none = { tag: null, event_id: null, severity: null, place: null, color: null };
  const [guessed, unused, web, ...notes] = await inCatalog(findingLines);
  expect([guessed?.tag, unused?.tag]).toEqual(['guessed', 'unused']);
  expect(web).toEqual({
    ...none,
    ...{ tag: 'web', severity: 'info', place: 1, color: 'violet' },
  });
  expect(notes).toEqual([
    { ...none, event_id: '1:3' },
    { ...none, event_id: '1:20' },
  ]);
});

it('refuses what is not a finding, and a colour for a note', async () => {
  await expect(set('unused', { severity: 'low' })).rejects.toMatchObject({ code: 'not-found' });
  await expect(set('1:4', { severity: 'low' })).rejects.toMatchObject({ code: 'not-found' });
  await expect(set('1:3', { color: 'red', severity: 'low' })).rejects.toMatchObject({
    code: 'usage',
  });
  expect((await list())[0]).not.toHaveProperty('severity');
});
