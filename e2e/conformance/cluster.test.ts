/**
 * The contract on a case that was attached to a cluster, compared with the same operations on the case itself: a
 * window uses both alike (the server is described in e2e/clickhouse-http.ts). Skipped where chdb cannot be fetched;
 * the test's name says why.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rowOf, type ColumnBatch } from '../../engine/contract/wire/column-batch.ts';
import type { EngineProcess } from '../../app/engine/process.ts';
import { Connection } from '../../engine/contract/wire/client.ts';
import {
  operations,
  type OperationName,
  type Params,
  type Part,
} from '../../engine/contract/operations.ts';
import { daybook } from '../cli/harness.ts';
import { type ClickHouseServer, clickhouseServer } from '../clickhouse-server.ts';
import { generateEvidence, writeTotals } from '../harness.ts';
import { clickhouseModule, whyNot } from '../provision/index.ts';
import { reached, scratch, startEngine } from './shell.ts';

const space = scratch();
const reason = whyNot('clickhouse');
const acme = path.join(space.folder, 'acme.daybook');
let server: ClickHouseServer | undefined;
let running: EngineProcess | undefined;
let engine: Connection;
let there: string;

async function run(...args: string[]): Promise<string> {
  const { status, out, err } = await daybook(args);
  expect(status, `${args.join(' ')}: ${err}`).toBe(0);
  return out;
}

beforeAll(async () => {
  const module = clickhouseModule();
  if (reason !== undefined || module === undefined) return;
  await generateEvidence(space.folder, '--scale', '0.3');
  // Events of one instant, and without a time.
  writeFileSync(
    path.join(space.folder, 'evidence', 'ties.jsonl'),
    [...Array.from({ length: 9 }, (_, i) => `"2026-10-13T10:00:00Z","n":${i}`), '"no time","n":9']
      .map((more) => `{"time":${more},"message":"tied"}\n`)
      .join(''),
  );
  writeTotals(path.join(space.folder, 'evidence'));
  await run('import', acme, path.join(space.folder, 'evidence'), '--recursive');
  await run('tag', acme, 'failed', 'odd');
  await run('event', acme, '1:5', '--note', 'handed over');
  await run('event', acme, '1:8', '--note', 'of this time');
  await run('findings', acme, '1:8', '--severity', 'high');
  await run('findings', acme, 'tag:odd', '--place', '1', '--color', 'red');
  await run(
    'searches',
    acme,
    'names asked for',
    '--save',
    'kind:dns | top 5 query',
    '--note',
    'why',
  );
  const handedOver = path.join(space.folder, 'handed-over');
  await run('hand-over', acme, handedOver);
  const folder = path.join(space.folder, 'server');
  mkdirSync(folder);
  server = await clickhouseServer(module, folder);
  there = `clickhouse://127.0.0.1:${server.port}/acme`;
  await run('attach', there, handedOver);
  running = startEngine({
    DAYBOOK_STATE: path.join(space.folder, 'state'),
    DAYBOOK_CASES: path.join(space.folder, 'cases'),
    DAYBOOK_CLUSTER: there,
  }).engine;
  engine = new Connection(running.openChannel());
  await reached(engine, 'ready');
});
afterAll(async () => {
  engine?.close();
  await running?.stop();
  await server?.close();
  space.remove();
});

/** The part that must be the same for both: values of batches by row, without the cost of a question. */
function comparable(value: unknown): unknown {
  const plain = JSON.stringify(value, (name, one: unknown) => {
    if (['timings', 'notes', 'result', 'case'].includes(name)) return undefined;
    if (isBatch(one)) return Array.from({ length: one.rows }, (_, row) => rowOf(one, row));
    if (ArrayBuffer.isView(one)) return [...(one as Float64Array)];
    // Sums of fractions depend on the order in which they are added.
    return typeof one === 'number' && !Number.isInteger(one) ? Number(one.toPrecision(9)) : one;
  });
  return JSON.parse(plain) as unknown;
}

function isBatch(value: unknown): value is ColumnBatch {
  return typeof value === 'object' && value !== null && 'rows' in value && 'columns' in value;
}

type Question<N extends OperationName> = readonly [N, Omit<Params<N>, 'case'>];
const ask = <N extends OperationName>(...question: Question<N>): Question<OperationName> =>
  question;

const QUESTIONS = [
  ask('field.list', {}),
  ask('query.parse', { query: 'host:web* src_ip:10.0.0.0/8 | top 3 nosuchfield' }),
  ask('query.parse', { query: 'kind:flow | stats sum(bytes) by proto' }),
  ask('query.run', { query: 'kind:log failed | fields ts, host, message', limit: 5 }),
  ask('query.run', { query: 'kind:flow | stats sum(bytes), avg(duration) by proto' }),
  ask('query.run', { query: 'kind:log | patterns 5 desc' }),
  ask('query.run', { query: 'kind:* | timeline 1d by kind' }),
  ask('query.run', { query: 'kind:* | count' }),
  ask('timeline.run', { query: '' }),
  ask('timeline.run', { query: 'kind:*', by: 'kind', most: 2 }),
  ask('timeline.run', { query: 'kind:flow', by: 'src_ip', most: 3, buckets: 20 }),
  ask('timeline.run', { query: 'kind:flow', by: 'proto' }),
  ask('timeline.run', { query: 'kind:*', by: 'source', most: 4 }),
  ask('timeline.run', { query: 'kind:*', by: 'tag' }),
  ask('timeline.run', { query: 'kind:log', from: 1_791_849_600e6, to: 1_791_936_000e6 }),
  ask('timeline.run', { query: 'host:nosuch' }),
  ask('top.run', { query: 'kind:flow', by: ['src_ip'], limit: 5, sparkline: 12 }),
  ask('top.run', {
    ...{ query: 'kind:flow', by: ['src_ip', 'dst_port'], limit: 5, sparkline: 7 },
    measure: { fn: 'sum', of: 'bytes' },
  }),
  ask('top.run', { query: 'kind:*', by: ['tag'], limit: 5, sparkline: 3 }),
  ask('top.run', {
    ...{ query: '*', by: ['kind'], limit: 3 },
    measure: { fn: 'distinct', of: 'host' },
  }),
  ask('field.values', { query: 'kind:flow', field: 'dst_port' }),
  ask('field.values', { query: '', field: 'kind' }),
  ask('field.values', { query: 'kind:flow', field: 'ip' }),
  ask('field.values', { query: 'kind:*', field: 'source' }),
  ask('field.values', { query: 'kind:*', field: 'severity' }),
  ask('conversations.run', { query: '' }),
  ask('conversations.run', { query: '', order: 'flows', limit: 3 }),
  ask('conversations.run', { query: 'kind:flow', order: 'last', limit: 7 }),
  ask('conversations.run', { query: 'ip:10.9.0.7' }),
  ask('hosts.run', { query: '', limit: 20 }),
  ask('hosts.run', { query: 'ip:10.9.0.7', limit: 5 }),
  ask('event.context', { event: '1:5', before: 3, after: 4 }),
  ask('event.context', { event: '1:5', of: 'all', before: 30, after: 40 }),
  ask('event.context', { event: '1:5', of: 'source', before: 5, after: 0 }),
] as const;

/** Lists: query, order, and which rows of them are compared. */
const LISTS = [
  { query: '' },
  { query: 'kind:*', sort: { field: 'ts', descending: true } },
  { query: 'kind:*', sort: { field: 'ts', descending: false } },
  { query: 'kind:log | head 40', sort: { field: 'ts', descending: true } },
  { query: 'kind:flow', sort: { field: 'bytes', descending: true } },
  { query: 'kind:*', sort: { field: 'src_ip', descending: false } },
  { query: 'kind:log | sort host | head 30' },
  { query: 'kind:log | dedup host' },
  { query: 'tag:odd' },
  { query: 'tied' },
  { query: 'day:undated' },
  { query: 'kind:flow | eval twice = bytes * 2', fields: ['twice', 'src_ip'] },
] as const;

const title = reason === undefined ? 'a case on a cluster' : `a case on a cluster (${reason})`;

describe.skipIf(reason !== undefined)(title, () => {
  it('opens, and says what it cannot do', async () => {
    const [here, info] = await Promise.all([
      engine.call('case.open', { case: acme }),
      engine.call('case.open', { case: there }),
    ]);
    const { events, byKind, days, first, last, sources, name } = here;
    expect(info).toMatchObject({ case: there, readOnly: false, events, byKind, days, first, last });
    expect(info).toMatchObject({
      sources,
      name,
      tags: here.tags.map(({ name: tag, count }) => ({ name: tag, count })),
    });
    expect(info.bytes).toBeGreaterThan(0);
    expect(here.refused).toBeUndefined();
    const reasons = info.refused ?? {};
    expect(Object.keys(reasons).filter((one) => !(one in operations))).toEqual([]);
    for (const text of Object.values(reasons)) expect(text).toMatch(/^[A-Z].*\.$/);
    await expect(engine.call('event.raw', { case: there, event: '1:1' })).rejects.toMatchObject({
      info: { code: 'usage', message: reasons['event.raw'] },
    });
    await expect(engine.call('overlap.list', { case: there })).rejects.toMatchObject({
      info: { code: 'usage', message: reasons['overlap.list'] },
    });
  });

  it('has the findings and the saved searches of the hand-over', async () => {
    const [here, on] = await Promise.all(
      [acme, there].map(async (place) => {
        const { findings } = await engine.call('finding.list', { case: place });
        const { searches } = await engine.call('search.list', { case: place });
        const { tags } = await engine.call('case.open', { case: place });
        return {
          findings: findings.map((one) => ({ ...one, at: undefined })),
          searches: searches.map(({ name, view, note }) => ({ name, view, note })),
          colors: tags.map(({ name, color }) => [name, color]),
        };
      }),
    );
    expect(on).toEqual(here);
    expect(on!.findings.map(({ severity }) => severity)).toEqual([undefined, 'high', undefined]);
  });

  it('rates and orders findings for all, and keeps that when the case is attached again', async () => {
    const shown = async (place: string) =>
      (await engine.call('finding.list', { case: place })).findings.map((one) =>
        [one.kind === 'tag' ? one.tag : one.event, one.severity, one.place].join(' '),
      );
    const changes = [
      { finding: { event: '1:5' }, severity: 'critical' },
      { finding: { event: '1:5' }, place: 1 },
      { finding: { tag: 'odd' }, severity: 'low', color: 'green' },
      { finding: { event: '1:8' }, severity: null, place: null },
    ] as const;
    for (const change of changes) {
      for (const place of [acme, there])
        await engine.call('finding.set', { case: place, ...change });
      expect(await shown(there), JSON.stringify(change)).toEqual(await shown(acme));
    }
    const colored = { case: there, finding: { event: '1:5' }, color: 'red' } as const;
    await expect(engine.call('finding.set', colored)).rejects.toMatchObject({
      info: { code: 'usage' },
    });
    const unknown = { case: there, finding: { tag: 'nosuch' }, severity: 'low' } as const;
    await expect(engine.call('finding.set', unknown)).rejects.toMatchObject({
      info: { code: 'not-found' },
    });
    await run('attach', there, path.join(space.folder, 'handed-over'));
    expect(await shown(there)).toEqual(await shown(acme));
    const { tags } = await engine.call('case.open', { case: there });
    expect(tags).toContainEqual(expect.objectContaining({ name: 'odd', color: 'green' }));
    for (const place of [acme, there]) await engine.call('finding.reset-order', { case: place });
    expect(await shown(there)).toEqual(await shown(acme));
    // The command line has the same.
    const moved = await run('findings', there, 'tag:odd', '--place', 'up', '--severity', 'high');
    expect(moved).toContain('high');
  });

  it('keeps saved searches there, and keeps what became of them', async () => {
    const names = async () =>
      (await engine.call('search.list', { case: there })).searches.map(({ name, note }) =>
        [name, note].join(': '),
      );
    const [old] = (await engine.call('search.list', { case: there })).searches;
    const view = 'q=kind%3Aflow';
    const saved = await engine.call('search.save', { case: there, name: 'Flows', view, note: '' });
    expect(saved).toMatchObject({ name: 'Flows', view });
    await engine.call('search.save', { case: there, ...saved, note: 'all of them' });
    expect(await names()).toEqual(['Flows: all of them', 'names asked for: why']);
    await engine.call('search.delete', { case: there, id: old!.id });
    await run('attach', there, path.join(space.folder, 'handed-over'));
    expect(await names()).toEqual(['Flows: all of them']);
    await expect(
      engine.call('search.save', { case: there, id: old!.id, name: 'x', view, note: '' }),
    ).rejects.toMatchObject({ info: { code: 'not-found' } });
    // The command line has the same.
    await run('searches', there, 'failures', '--save', 'kind:log failed');
    const found = await run('query', there, '--saved', 'failures', '--json');
    expect(found.trim().split('\n')).toHaveLength(
      (await engine.call('timeline.run', { case: acme, query: 'kind:log failed' })).total,
    );
    await run('searches', there, 'failures', '--remove');
    expect(await names()).toEqual(['Flows: all of them']);
  });

  it.each([
    { query: 'kind:flow', sort: { field: 'bytes', descending: true }, limit: 30 },
    { query: 'kind:log failed', fields: ['ts', 'summary', 'host', 'tag'], zone: 'Europe/Berlin' },
    { query: 'kind:* | timeline 1d by kind' },
    { query: 'kind:flow | stats sum(bytes), count by proto' },
    { query: 'host:nosuch' },
    { query: 'kind:log | count' },
  ])('writes the rows of %j as the case itself', async (asked) => {
    const written = async (place: string, format: 'csv' | 'ndjson' | 'parquet') => {
      const parts: Uint8Array[] = [];
      const { rows, bytes } = await engine.call(
        'export.rows',
        { ...asked, format, case: place },
        { onPart: (part) => ('bytes' in part ? parts.push(part.bytes) : undefined) },
      );
      const all = Buffer.concat(parts);
      expect(all.length).toBe(bytes);
      const lines = all.toString().trimEnd().split('\n');
      if (format === 'csv') return { rows, lines };
      return {
        rows,
        lines:
          format === 'parquet'
            ? []
            : lines.flatMap((one) => (one === '' ? [] : [JSON.parse(one) as unknown])),
      };
    };
    for (const format of ['csv', 'ndjson'] as const)
      expect(await written(there, format)).toEqual(await written(acme, format));
    const { rows } = await written(acme, 'csv');
    expect(await written(there, 'parquet')).toEqual({ rows, lines: [] });
  });

  it.each([
    // Of any type: addresses in columns and in text, phrases.
    { list: '10.20.0.11\n192.0.2.77\n10.9.0.0/16\nfailed password\nno such words\n2001:db8::9\n' },
    { list: '10.20.0.11\n192.0.2.77\nfailed\nno such words\n', query: 'kind:log | head 5' },
    { list: 'host\nweb01\nWEB*\nnösuch\nnosuch\n', query: 'kind:log' },
    { list: 'src_ip,dst_port\n10.20.0.11,443\n10.20.0.12,1\n,53\n' },
    { list: 'src_ip,dst_ip\n10.20.0.11,192.0.2.1\n10.9.0.7,10.9.0.8\n' },
    { list: 'attrs.in\neth0\n2\nnosuch\n' },
    { list: 'tied\nnosuch\n', query: 'host:nosuch' },
  ])('finds which lines of %j no event has, as the case itself', async ({ list, query = '' }) => {
    const asked = { query, list: { bytes: Uint8Array.from(Buffer.from(list)) } };
    const [here, on] = await Promise.all(
      [acme, there].map(async (place) => {
        const { lines, of } = await engine.call('list.unmatched', { ...asked, case: place });
        return { lines: [...lines], of };
      }),
    );
    expect(on).toEqual(here);
  });

  it('writes the lines of a list that no event matches, as the case itself', async () => {
    const list = path.join(space.folder, 'hosts.txt');
    writeFileSync(
      list,
      ['host', 'nosuch', ...Array.from({ length: 1100 }, (_, i) => `web${i}`)].join('\n'),
    );
    const lines = async (place: string) => {
      const { err } = await daybook([
        ...['query', place, 'kind:log | count', '--list', list, '--list-unmatched', '-'],
      ]);
      return err.split('\n').filter((line) => /^(?:nosuch|web\d+)$/.test(line));
    };
    const unmatched = await lines(acme);
    expect(unmatched).toContain('nosuch');
    expect(await lines(there)).toEqual(unmatched);
  });

  it.each(QUESTIONS)('answers %s %j as the case itself', async (name, params) => {
    const [here, on] = await Promise.all(
      [acme, there].map(async (place) => engine.call(name, { ...params, case: place })),
    );
    expect(comparable(on)).toEqual(comparable(here));
  });

  it.each(LISTS)('lists %j as the case itself', async (asked) => {
    const [here, on] = await Promise.all(
      [acme, there].map(async (place) => {
        const first: ColumnBatch[] = [];
        const opened = await engine.call(
          'result.open',
          {
            ...asked,
            fields: [
              ...('fields' in asked
                ? asked.fields
                : ['summary', 'host', 'src_ip', 'source', 'attrs.in']),
            ],
            first: 20,
            case: place,
          },
          { onPart: ({ batch }) => first.push(batch) },
        );
        const list = { case: place, result: opened.result };
        const middle = Math.floor(opened.total / 2);
        const parts = [];
        for (const offset of [0, 7, middle, Math.max(0, opened.total - 5), opened.total])
          parts.push(await engine.call('result.rows', { ...list, offset, limit: 30 }));
        const times = [1_791_900_000e6, 0, 4e15];
        const places = [];
        for (const ts of times) places.push(await engine.call('result.locate', { ...list, ts }));
        await engine.call('result.close', list);
        // It is not known there which files have a tag.
        const { days: _, fields: names, packetsBeneath: beneath, ...counts } = opened;
        const known = asked.query.startsWith('tag:') ? {} : { names, beneath };
        return { ...counts, ...known, first, parts, places };
      }),
    );
    expect(comparable(on)).toEqual(comparable(here));
  });

  it('numbers the lists of each window by themselves', async () => {
    const list = { case: there, query: 'kind:log', fields: ['host'], first: 1 };
    const [one, two] = [1, 2].map(() => new Connection(running!.openChannel()));
    const first = await one!.call('result.open', list);
    const second = await two!.call('result.open', { ...list, query: 'kind:flow' });
    expect(second.result).toBe(first.result);
    const rows = { case: there, result: first.result, offset: 0, limit: 1 };
    await one!.call('result.close', rows);
    await expect(one!.call('result.rows', rows)).rejects.toMatchObject({
      info: { code: 'not-found' },
    });
    expect((await two!.call('result.rows', rows)).batch.rows).toBe(1);
    for (const window of [one!, two!]) window.close();
  });

  it('lists days, but for their bytes', async () => {
    const [here, on] = await Promise.all(
      [acme, there].map(async (place) => engine.call('case.days', { case: place })),
    );
    expect(on!.days).toEqual(here!.days.map(({ bytes: _, ...day }) => day));
  });

  it('shows everything about an event', async () => {
    const { batch } = await engine.call('query.run', {
      ...{ case: acme, query: 'kind:* | fields event_id | head 400', limit: 400 },
    });
    const ids = Array.from({ length: batch.rows }, (_, row) => rowOf(batch, row)['event_id']);
    for (const event of ids.filter((_, i) => i % 40 === 0).map(String)) {
      const [here, on] = await Promise.all(
        [acme, there].map(async (place) => engine.call('event.get', { case: place, event })),
      );
      const { exists: _, ...source } = here!.source;
      expect(on).toEqual({ ...here, source });
    }
  });

  it('keeps tags there with who added them, and takes them away', async () => {
    const tag = (remove: boolean, query: string) =>
      engine.call('tag.set', { case: there, name: 'seen', remove, target: { view: { query } } });
    const found = async () =>
      (await engine.call('timeline.run', { case: there, query: 'tag:seen' })).total;
    const all = await tag(false, 'kind:dns');
    expect(all.changed).toBe(all.matched);
    expect(await found()).toBe(all.matched);
    // Events that have the tag already are not tagged again.
    expect(await tag(false, 'kind:dns')).toEqual({ matched: all.matched, changed: 0 });
    const few = await tag(true, 'kind:dns | head 3');
    expect(few).toEqual({ matched: 3, changed: 3 });
    expect(await found()).toBe(all.matched - 3);
    // The results of a query may depend on the tags that it removes.
    expect(await tag(true, 'tag:seen | head 2')).toEqual({ matched: 2, changed: 2 });
    expect(await found()).toBe(all.matched - 5);
    for (const remove of [false, true])
      await expect(tag(remove, 'tag:seen | count')).rejects.toMatchObject({
        info: { code: 'usage', message: expect.stringContaining('not a table') as string },
      });
    expect(await found()).toBe(all.matched - 5);
    const one = { case: there, name: 'mine', target: { events: ['1:5', '1:6', '9:999999'] } };
    expect(await engine.call('tag.set', one)).toEqual({ matched: 2, changed: 2 });
    const info = await engine.call('case.open', { case: there });
    expect(info.tags).toContainEqual(expect.objectContaining({ name: 'mine', count: 2 }));
    const { findings } = await engine.call('finding.list', { case: there });
    expect(findings).toContainEqual(
      expect.objectContaining({ kind: 'tag', tag: 'mine', count: 2 }),
    );
    const { notes } = await engine.call('note.list', { case: there });
    // Bookmarks found by a query are not included.
    expect(notes.map(({ event }) => event).toSorted()).toEqual(['1:5', '1:6', '1:8']);
  });

  it('finds nothing by a tag that the last event has lost', async () => {
    const tag = (remove: boolean) =>
      engine.call('tag.set', { case: there, name: 'brief', remove, target: { events: ['1:3'] } });
    await tag(false);
    await tag(true);
    expect(await engine.call('timeline.run', { case: there, query: 'tag:brief' })).toMatchObject({
      total: 0,
    });
    const { findings } = await engine.call('finding.list', { case: there });
    expect(findings).not.toContainEqual(expect.objectContaining({ tag: 'brief' }));
  });

  it('opens a list again where somebody tagged what it depends on', async () => {
    const open = (query: string) =>
      engine.call('result.open', { case: there, query, first: 1, fields: ['host'] });
    const [tagged, plain] = [await open('tag:odd'), await open('kind:log')];
    const rows = ({ result }: { result: number }) =>
      engine.call('result.rows', { case: there, result, offset: 0, limit: 2 });
    const name = { case: there, name: 'odd', target: { events: ['1:4'] } };
    expect(await engine.call('tag.set', name)).toMatchObject({ changed: 1 });
    await expect(rows(tagged)).rejects.toMatchObject({ info: { code: 'not-found' } });
    expect((await rows(plain)).batch.rows).toBe(2);
    await engine.call('tag.set', { ...name, remove: true });
  });

  it('bookmarks an event that is chosen, also where a query has tagged it before', async () => {
    for (const place of [acme, there]) {
      const tag = (target: Params<'tag.set'>['target'], remove = false) =>
        engine.call('tag.set', { case: place, name: 'twice', remove, target });
      const isListed = async () =>
        (await engine.call('note.list', { case: place })).notes.some(
          ({ event }) => event === '1:9',
        );
      await tag({ view: { query: 'kind:* event_id:1:9' } });
      expect(await isListed()).toBe(false);
      expect(await tag({ events: ['1:9'] })).toEqual({ matched: 1, changed: 0 });
      expect(await isListed(), place).toBe(true);
      const { tags } = await engine.call('case.open', { case: place });
      expect(tags).toContainEqual(expect.objectContaining({ name: 'twice', count: 1 }));
      expect(await tag({ events: ['1:9'] }, true)).toEqual({ matched: 1, changed: 1 });
      expect(await isListed()).toBe(false);
    }
  });

  it('says how many bookmarks it does not list', async () => {
    const { batch } = await engine.call('query.run', {
      ...{ case: acme, query: 'kind:* | fields event_id | head 1005', limit: 1005 },
    });
    const events = Array.from({ length: batch.rows }, (_, row) =>
      String(rowOf(batch, row)['event_id']),
    );
    expect(events).toHaveLength(1005);
    const many = { case: there, name: 'many', target: { events } };
    await engine.call('tag.set', many);
    const chosen = { case: there, query: 'kind:* tag:(many OR mine)' };
    const { total } = await engine.call('timeline.run', chosen);
    const { more } = await engine.call('note.list', { case: there });
    expect(more).toBe(total - 1000);
    await engine.call('tag.set', { ...many, remove: true });
    expect(await engine.call('note.list', { case: there })).toMatchObject({ more: 0 });
  });

  it('keeps a note of each person on an event', async () => {
    const event = '1:5';
    const shown = async () => {
      const { note, otherNotes } = await engine.call('event.get', { case: there, event });
      return [note, ...(otherNotes ?? []).map(({ user, text }) => `${user}: ${text}`)];
    };
    // The same user wrote it on this machine.
    expect(await shown()).toEqual(['handed over']);
    await engine.call('note.set', { case: there, event, text: 'seen there' });
    const anna = await daybook(['event', there, event, '--note', 'I think so, too', '--json'], {
      env: { CLICKHOUSE_USER: 'anna' },
    });
    expect(anna.err).toBe('');
    expect(await shown()).toEqual(['seen there', 'anna: I think so, too']);
    const { findings } = await engine.call('finding.list', { case: there });
    expect(findings.filter((one) => one.kind === 'note' && one.event === event)).toEqual([
      expect.objectContaining({ event, text: 'I think so, too', user: 'anna', hidden: false }),
      expect.objectContaining({ event, text: 'seen there' }),
    ]);
    const bookmark = async () =>
      (await engine.call('note.list', { case: there })).notes.find((one) => one.event === event);
    expect(await bookmark()).toMatchObject({ text: 'anna: I think so, too\nseen there' });
    const listed = await run('findings', there);
    expect(listed).toContain('anna: I think so, too');
    // The next hand-over takes nothing away, and brings nothing back.
    await run('attach', there, path.join(space.folder, 'handed-over'));
    expect(await shown()).toEqual(['seen there', 'anna: I think so, too']);
    const { notes: kept } = await engine.call('note.list', { case: there });
    expect(kept).toContainEqual(expect.objectContaining({ event: '1:6', text: '' }));
    await engine.call('note.set', { case: there, event, text: '' });
    expect(await shown()).toEqual([undefined, 'anna: I think so, too']);
    expect(await bookmark()).toMatchObject({ text: 'anna: I think so, too' });
    const none = engine.call('note.set', { case: there, event: '9:999999', text: 'x' });
    await expect(none).rejects.toMatchObject({ info: { code: 'not-found' } });
  });

  it.each(['case.open', 'search.list', 'import.follow', 'query.history', 'case.latency'] as const)(
    'refuses %s of a cluster that it was not started for',
    async (name) => {
      await expect(
        engine.call(name, { case: 'clickhouse://127.0.0.1:1/acme' }),
      ).rejects.toMatchObject({ info: { code: 'usage' } });
    },
  );

  it('tells a window what another one changes', async () => {
    const stop = new AbortController();
    const told: Part<'case.watch'>[] = [];
    const onPart = (part: Part<'case.watch'>) => told.push(part);
    const other = new Connection(running!.openChannel());
    const watch = other.call('case.watch', { case: there }, { signal: stop.signal, onPart });
    watch.catch(() => undefined);
    const tag = (name: string) =>
      engine.call('tag.set', { case: there, name, remove: false, target: { events: ['1:7'] } });
    const patience = { timeout: 30_000 };
    // Until it watches.
    const first = async () => {
      await tag(`watched ${Date.now()}`);
      return told.length;
    };
    await expect.poll(first, patience).toBeGreaterThan(0);
    await tag('seen by the other');
    const names = () => told.at(-1)!.info.tags.map(({ name }) => name);
    await expect.poll(names, patience).toContain('seen by the other');
    stop.abort();
    await expect(watch).rejects.toMatchObject({ info: { code: 'cancelled' } });
    other.close();
  });

  it('lists sources with all that is known of them', async () => {
    const [here, on] = await Promise.all(
      [acme, there].map(async (place) => engine.call('case.sources', { case: place })),
    );
    const shown = here!.sources.map(
      ({ exists: _, modifiedMs: __, elapsedMs: ___, ...rest }) => rest,
    );
    expect(on!.sources).toEqual(shown);
  });
});
