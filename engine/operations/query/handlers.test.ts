import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { evidence } from '../../../app/compose.ts';
import { writeNfdumpCsv, writeZeekConn } from '../../../fixtures/evidence/flows.ts';
import { END, START } from '../../../fixtures/evidence/story.ts';
import { writeAuthLog } from '../../../fixtures/evidence/syslog.ts';
import { cell, columnOf, rowOf, type ColumnBatch } from '../../contract/wire/column-batch.ts';
import type { OperationName, Params, Part, Result } from '../../contract/operations.ts';
import { importInProcess } from '../../ingest/testing/in-process.ts';
import { pcapOf, rfc5424 } from '../../ingest/testing/small-evidence.ts';
import { compactCase } from '../case/compact.ts';
import type { Client } from '../handler.ts';
import { startQuery, type Answer } from '../../search/query.ts';
import { called } from '../testing/called.ts';
import { smallCase, type SmallCase } from '../testing/small-case.ts';
import { markHandlers } from '../marks/handlers.ts';
import { queryHandlers } from './handlers.ts';

let small: SmallCase;
let handlers: ReturnType<typeof queryHandlers>;
const client: Client = { kept: new Map() };

/** Calls a handler as the host does, for one window. */
function ask<N extends OperationName & keyof typeof handlers>(
  name: N,
  params: Params<N>,
  signal = new AbortController().signal,
): Promise<{ result: Result<N>; parts: Part<N>[] }> {
  return called(handlers, name, params, { signal, client });
}

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-query-'));
  const at = (name: string) => join(folder, name);
  writeAuthLog(at('auth.log'), { from: START, to: END, linesPerDay: 300, seed: 5 });
  writeNfdumpCsv(at('border.csv'), { connectionsPerDay: 300, seed: 5 });
  writeZeekConn(at('conn.log'), { connectionsPerDay: 200, seed: 5 });
  const files = Object.fromEntries(
    ['auth.log', 'border.csv', 'conn.log'].map((name) => [name, readFileSync(at(name))]),
  );
  rmSync(folder, { recursive: true });
  const undated = Array.from({ length: 40 }, (_, n) => JSON.stringify({ n, note: `undated ${n}` }));
  small = await smallCase(
    { ...files, 'a.pcap': pcapOf(60), 'undated.json': undated.join('\n') + '\n' },
    evidence,
    { chunk: { rows: 700 } },
  );
  handlers = queryHandlers(small.services);
  const marks = markHandlers(small.services);
  const context = { signal: new AbortController().signal, client, part: async () => undefined };
  const target = (query: string) => ({ view: { query, zone: 'UTC' } });
  const one = { case: small.folder, remove: false };
  await marks['tag.set']({ ...one, name: 'seen', target: target('dst_port:22') }, context);
  await marks['tag.set']({ ...one, name: 'odd', target: target('n:[10 TO 20]') }, context);
  await marks['delete.run'](
    { case: small.folder, reason: 'test', target: target('dst_port:53 bytes:<200') },
    context,
  );
}, 120_000);
afterAll(() => small.dispose());

/** Ids of a query's events in its own order, by another path than that of lists. */
function ids(text: string): Promise<string[]> {
  return small.services.cases.use(small.folder, async (session) => {
    const out: string[] = [];
    const running = startQuery(session, { text, zone: 'UTC' });
    for await (const { rows } of running.rows())
      for (const row of rows) out.push(`${String(row[2])}:${String(row[3]).replace('-', 'f')}`);
    return out;
  });
}
function answer(text: string): Promise<Answer> {
  return small.services.cases.use(small.folder, (session) =>
    startQuery(session, { text, zone: 'UTC' }).answer(),
  );
}
async function count(text: string): Promise<number> {
  const found = await answer(`${text} | count`);
  return found.shape === 'count' ? Number(found.count) : NaN;
}
const column = (batch: ColumnBatch, name: string) => {
  const found = columnOf(batch, name);
  if (found === undefined) throw new Error(`no column ${name}`);
  return Array.from({ length: batch.rows }, (_, row) => cell(found, row));
};

const QUERIES = [
  '',
  'kind:*',
  'kind:log',
  'failed password',
  'dst_port:443',
  'tag:seen',
  'NOT tag:seen kind:flow',
  'day:undated',
  'nothing_that_is_there',
  'ts:[2026-10-13 TO 2026-10-14T06:00]',
  '* | head 700',
  'kind:flow | sort bytes desc',
  'kind:log | tail 300',
  'kind:flow | dedup src_ip, dst_port | sort dst_port',
  'dst_port:443 | union (dst_port:22)',
];

describe('a list of events', () => {
  it.each(QUERIES)('shows any part of %j, forwards and backwards', async (query) => {
    const own = await ids(query);
    const undated = new Set(await ids(`${query} | where day:undated`.replace(/^ \|/, '* |')));
    const chosen = query.includes('|') && !query.includes('head') && !query.includes('union');
    const orders = [
      { sort: undefined, ids: own },
      ...(chosen
        ? []
        : [
            { sort: { field: 'ts', descending: false }, ids: own },
            {
              sort: { field: 'ts', descending: true },
              ids: [
                ...own.filter((id) => !undated.has(id)).toReversed(),
                ...own.filter((id) => undated.has(id)),
              ],
            },
          ]),
    ];
    const paths = [undefined, 'scan'] as const;
    for (const [{ sort, ids: expected }, path] of orders.flatMap((order) =>
      paths.map((path) => [order, path] as const),
    )) {
      const view = { case: small.folder, query, sort, path };
      const opened = await ask('result.open', { ...view, first: 37 });
      const { result, total } = opened.result;
      expect(total).toBe(expected.length);
      expect(opened.result.undated).toBe(expected.filter((id) => undated.has(id)).length);
      expect(column(opened.parts[0]!.batch, 'event_id')).toEqual(expected.slice(0, 37));
      expect(opened.parts).toHaveLength(1);
      const all: unknown[] = [];
      for (let offset = 0; offset < total; offset += 1000) {
        const { batch } = (
          await ask('result.rows', { case: small.folder, result, offset, limit: 1000, fields: [] })
        ).result;
        all.push(...column(batch, 'event_id'));
      }
      expect(all).toEqual(expected);
      await fc.assert(
        fc.asyncProperty(fc.nat(total + 5), fc.integer({ min: 1, max: 300 }), async (offset, n) => {
          const { batch } = (
            await ask('result.rows', { case: small.folder, result, offset, limit: n, fields: [] })
          ).result;
          expect(column(batch, 'event_id')).toEqual(expected.slice(offset, offset + n));
        }),
        { seed: 7, numRuns: 4 },
      );
      await ask('result.close', { case: small.folder, result });
      await expect(
        ask('result.rows', { case: small.folder, result, offset: 0, limit: 1 }),
      ).rejects.toMatchObject({ code: 'not-found', hint: 'run the query again' });
    }
  });

  it('has the fields that are asked for, by any name, and leaves out what nobody has', async () => {
    const fields = ['summary', 'id.orig_h', 'port', 'proto', 'attrs.n', 'no such field', 'source'];
    const { parts } = await ask('result.open', {
      case: small.folder,
      query: 'source:conn.log',
      fields,
    });
    const row = rowOf(parts[0]!.batch, 0);
    expect(row['kind']).toBe('flow');
    expect(row['source']).toMatch(/conn\.log$/);
    expect(row['summary']).toMatch(
      /^\S+ (tcp|udp|icmp) .*\d+ pkts? [\d.]+ k?M?B → \d+ pkts? [\d.]+ k?M?B/,
    );
    expect(row['id.orig_h']).toMatch(/^\d+\./);
    expect(row['port']).toMatch(/^\d+ \d+$/);
    expect(row).not.toHaveProperty('no such field');
    expect(parts[0]!.batch.columns.map(({ name }) => name)).toEqual([
      ...['event_id', 'kind', 'ts', 'ts_ns', 'ts_digits', 'tags'],
      ...fields,
    ]);
    const tagged = await ask('result.open', { case: small.folder, query: 'tag:seen', fields: [] });
    expect(new Set(column(tagged.parts[0]!.batch, 'tags'))).toEqual(new Set(['seen']));
  });

  it.each([
    ['', false, undefined],
    ['', true, undefined],
    ['failed password', false, undefined],
    ['failed password', true, undefined],
    ['failed password', true, 'scan'],
  ] as const)(
    'finds the place of a time in %j (newest first: %j, %s)',
    async (query, descending, path) => {
      const { result } = await ask('result.open', {
        ...{ case: small.folder, query, path },
        sort: { field: 'ts', descending },
      });
      const times: number[] = [];
      for (let offset = 0; offset < result.total; offset += 1000) {
        const rows = await ask('result.rows', {
          ...{ case: small.folder, result: result.result, offset, limit: 1000, fields: [] },
        });
        times.push(...column(rows.result.batch, 'ts').map((time) => Number(time ?? NaN)));
      }
      const dated = times.filter((time) => !Number.isNaN(time));
      for (const ts of [0, dated[5]!, dated[5]! + 1, dated[Math.floor(dated.length / 2)]!, 4e15]) {
        const { offset } = (
          await ask('result.locate', { case: small.folder, result: result.result, ts })
        ).result;
        const expected = descending
          ? Math.max(0, dated.filter((time) => time >= ts).length - 1)
          : dated.filter((time) => time < ts).length;
        expect(offset).toBe(expected);
      }
    },
  );

  it('goes on showing what was there when events are added, deleted and compacted', async () => {
    const other = await smallCase({ 'a.log': rfc5424(300) }, evidence, { chunk: { rows: 50 } });
    try {
      const handlersOfOther = queryHandlers(other.services);
      const context = { signal: new AbortController().signal, client, part: async () => undefined };
      const view = { case: other.folder, query: '', zone: 'UTC', first: 10 };
      const opened = await handlersOfOther['result.open'](view, context);
      const rows = async () => {
        const range = { case: other.folder, result: opened.result, offset: 100, limit: 150 };
        const { batch } = await handlersOfOther['result.rows']({ ...range, fields: [] }, context);
        return column(batch, 'event_id');
      };
      const before = await rows();
      expect(before).toHaveLength(150);
      mkdirSync(join(other.root, 'more'));
      writeFileSync(join(other.root, 'more', 'b.log'), rfc5424(120).replaceAll('web', 'other'));
      await importInProcess(other.folder, [join(other.root, 'more')]);
      const { limits } = other.services.settings;
      const builder = { memoryLimit: limits.importMemory, threads: 1 };
      await compactCase(other.folder, builder);
      const again = await handlersOfOther['result.open'](view, context);
      expect(again.total).toBeGreaterThan(opened.total);
      expect(await rows()).toEqual(before);
    } finally {
      await other.dispose();
    }
  });

  it('is found again where a compaction has put it, as long as it is the same', async () => {
    const other = await smallCase({ 'a.log': rfc5424(300) }, evidence, { chunk: { rows: 50 } });
    try {
      const own = queryHandlers(other.services);
      const context = { signal: new AbortController().signal, client, part: async () => undefined };
      const view = { case: other.folder, query: 'kind:log NOT nothing', zone: 'UTC', first: 0 };
      const { result, total } = await own['result.open'](view, context);
      const range = { case: other.folder, result, offset: 200, limit: 50, fields: [] };
      const before = await own['result.rows'](range, context);
      // Another session has nothing attached.
      await other.services.cases.close();
      await compactCase(other.folder, { memoryLimit: 3e8, threads: 1 });
      const after = await own['result.rows'](range, context);
      expect(column(after.batch, 'event_id')).toEqual(column(before.batch, 'event_id'));
      const marks = markHandlers(other.services);
      const target = { events: ['1:1'] };
      await marks['delete.run']({ case: other.folder, reason: 'test', target }, context);
      await other.services.cases.close();
      await compactCase(other.folder, { memoryLimit: 3e8, threads: 1 });
      expect(total).toBe(300);
      const all = { ...range, offset: 0, limit: 300 };
      await expect(own['result.rows'](all, context)).rejects.toMatchObject({
        ...{ code: 'not-found', hint: 'run the query again' },
      });
    } finally {
      await other.dispose();
    }
  });

  it('can be cancelled', async () => {
    await expect(
      ask('result.open', { case: small.folder, query: 'failed' }, AbortSignal.abort()),
    ).rejects.toMatchObject({ code: 'cancelled' });
  });
});

describe('a timeline', () => {
  it.each([
    ['', undefined],
    ['', 'kind'],
    ['kind:flow', 'src_ip'],
    ['failed password', 'host'],
    ['kind:*', 'proto'],
    ['kind:flow | sort bytes desc | head 500', 'kind'],
    ['day:undated', undefined],
  ])('of %j by %j adds up to what the query finds', async (query, by) => {
    const { result } = await ask('timeline.run', {
      case: small.folder,
      query,
      by,
      buckets: 50,
      most: 3,
    });
    const found = (await ids(query)).length;
    expect(result.total).toBe(found);
    const sum = result.series.reduce((n, { counts }) => n + counts.reduce((a, b) => a + b, 0), 0);
    expect(sum + result.undated).toBe(found);
    expect(result.series.length).toBeLessThanOrEqual(by === undefined ? 1 : 4);
    expect(result.series.slice(0, -1).every(({ rest }) => !rest)).toBe(true);
    const { starts, width } = result;
    expect(starts.length).toBeLessThanOrEqual(50);
    expect(
      [...starts].every((start, i) => start % width === 0 && start === starts[0]! + i * width),
    ).toBe(true);
    for (const i of [0, Math.floor(starts.length / 2)]) {
      if (starts[i] === undefined) continue;
      const from = starts[i];
      const range = `ts:["${new Date(from / 1000).toISOString()}" TO "${new Date((from + width) / 1000).toISOString()}"]`;
      const own = result.series.reduce((n, { counts }) => n + (counts[i] ?? 0), 0);
      expect(own).toBe(query.includes('|') ? own : await count(`${query} ${range}`));
    }
  });

  it('covers a range that is given, empty buckets included', async () => {
    const from = Date.UTC(2026, 9, 13) * 1000;
    const { result } = await ask('timeline.run', {
      ...{
        case: small.folder,
        query: 'nothing_that_is_there',
        from,
        to: from + 6 * 3600e6,
        buckets: 6,
      },
    });
    expect([...result.starts]).toEqual([0, 1, 2, 3, 4, 5].map((h) => from + h * 3600e6));
    expect(result).toMatchObject({ width: 3600e6, total: 0, undated: 0 });
  });
});

describe('groups', () => {
  it.each([
    ['', ['kind'], { fn: 'count' as const, of: undefined }],
    ['kind:flow', ['src_ip', 'dst_port'], { fn: 'sum' as const, of: 'bytes' }],
    ['kind:flow', ['src_ip'], { fn: 'distinct' as const, of: 'dst_ip' }],
    ['tag:*', ['tag'], { fn: 'count' as const, of: undefined }],
  ])(
    'of %j by %j (%j) are those of the stage, with lines that add up',
    async (query, by, measure) => {
      const { result } = await ask('top.run', {
        ...{ case: small.folder, query, by, measure, limit: 5, sparkline: 20 },
      });
      const text = measure.of === undefined ? measure.fn : `${measure.fn}(${measure.of})`;
      const expected = await answer(`${query} | top 5 ${by.join(', ')} by ${text}`);
      if (expected.shape !== 'top') throw new Error('no top');
      const name = measure.fn === 'count' ? 'count' : 'measure';
      expect(column(result.batch, name)).toEqual(expected.rows.map((row) => row[text]));
      for (const one of by)
        expect(column(result.batch, one)).toEqual(expected.rows.map((row) => row[one]));
      expect(result.total).toMatchObject({
        count: expected.total['count'],
        groups: expected.total['groups'],
      });
      expect(result.rest).toMatchObject({ count: expected.rest['count'] });
      if (measure.fn === 'sum') expect(result.rest.measure).toBe(expected.rest[text]);
      const lines = result.sparklines!;
      expect(lines.buckets).toBeLessThanOrEqual(20);
      column(result.batch, 'count').forEach((n, row) => {
        const line = lines.counts.slice(row * lines.buckets, (row + 1) * lines.buckets);
        if (by[0] !== 'kind' && by[0] !== 'tag') expect(line.reduce((a, b) => a + b, 0)).toBe(n);
        else expect(line.reduce((a, b) => a + b, 0)).toBeLessThanOrEqual(Number(n));
      });
    },
  );

  it('have lines over the time of the view, not of the whole case', async () => {
    const top = (query: string, more: object) =>
      ask('top.run', {
        ...{ case: small.folder, query, by: ['kind'], limit: 5, sparkline: 8, ...more },
      });
    const ends = async (query: string): Promise<{ low: number; high: number }> => {
      const found = await answer(`${query} | stats min(ts), max(ts)`);
      if (!('rows' in found)) throw new Error('no stats');
      const at = (name: string): number => Date.parse(String(found.rows[0]?.[name])) * 1000;
      return { low: at('min(ts)'), high: at('max(ts)') };
    };
    const [first] = await ids('kind:log | head 1');
    const { low } = await ends(`event_id:${first ?? ''}`);
    const alone = (await top(`event_id:${first ?? ''}`, {})).result.sparklines!;
    expect(Math.abs(alone.from - low)).toBeLessThan(1e6);
    expect(alone.width * alone.buckets).toBeLessThan(1e6);
    expect(alone.covered).toEqual({ from: low, to: low + 1 });
    // A given range is shown unchanged.
    const from = low - 3_600e6;
    const ranged = await top('', { from, to: from + 7_200e6 });
    const { from: start, width, buckets, covered } = ranged.result.sparklines!;
    expect(covered).toEqual({ from, to: from + 7_200e6 });
    expect(start).toBeLessThanOrEqual(from);
    expect(start).toBeGreaterThan(from - width);
    expect(start + width * buckets).toBeGreaterThanOrEqual(from + 7_200e6);
    expect(start + width * buckets).toBeLessThanOrEqual(from + 7_200e6 + width);
    const all = await ends('');
    const whole = (await top('', {})).result.sparklines!;
    expect(whole.from).toBeLessThanOrEqual(all.low);
    expect(whole.from + whole.width * whole.buckets).toBeGreaterThan(all.high);
  });

  it.each(['kind', 'dst_port', 'ip', 'host', 'n', 'tag', 'event_id'])(
    'are the values of %s',
    async (field) => {
      const { result } = await ask('field.values', {
        case: small.folder,
        query: '',
        field,
        limit: 7,
      });
      const expected = await answer(`* | values ${field}`);
      if (!('rows' in expected)) throw new Error('no values');
      expect(result.values.map(({ count: n }) => n)).toEqual(
        expected.rows.slice(0, 7).map((row) => row['count']),
      );
      expect(result.values.map(({ value }) => value)).toEqual(
        expected.rows.slice(0, 7).map((row) => row[field]),
      );
      expect(result.distinct).toBe(expected.rows.length);
      const there = ['kind', 'event_id'].includes(field) ? '*' : `${field}:*`;
      expect(result.present).toBe(await count(there));
    },
  );
});

describe('conversations', () => {
  it('are the pairs that talkers finds, with ports and states', async () => {
    const { result } = await ask('conversations.run', {
      case: small.folder,
      query: '',
      limit: 10_000,
    });
    const talkers = await answer('kind:flow | talkers');
    if (!('rows' in talkers)) throw new Error('no table');
    expect(result.total.pairs).toBe(talkers.rows.length);
    const mine = Array.from({ length: result.batch.rows }, (_, row) => rowOf(result.batch, row));
    // Pairs with the same sums are in either order.
    expect(
      mine
        .map(({ a, b, flows, bytes_ab, bytes_ba, duration }) => [
          ...[a, b, flows, bytes_ab, bytes_ba, duration],
        ])
        .map(String)
        .sort(),
    ).toEqual(
      talkers.rows
        .map((row) => [
          ...[row['src_ip'], row['dst_ip'], row['events'], row['bytes'], row['bytes_rev']],
          row['duration'],
        ])
        .map(String)
        .sort(),
    );
    expect(result.total.flows).toBe(mine.reduce((n, { flows }) => n + Number(flows), 0));
    const [first] = mine;
    const pair = `(src_ip:${first!['a']} dst_ip:${first!['b']} OR src_ip:${first!['b']} dst_ip:${first!['a']}) kind:flow`;
    const ports = await answer(`${pair} dst_port:* | top 5 dst_port`);
    if (ports.shape !== 'top') throw new Error('no top');
    expect(first!['ports']).toBe(ports.rows.map((row) => String(row['dst_port'])).join(','));
    const protos = await answer(`${pair} | values proto`);
    if (!('rows' in protos)) throw new Error('no table');
    expect(first!['protos']).toBe(protos.rows.map((row) => String(row['proto'])).join(','));
  });

  it.each(['bytes', 'flows', 'packets', 'last'] as const)('are ordered by %s', async (order) => {
    const { result } = await ask('conversations.run', {
      case: small.folder,
      query: '',
      order,
      limit: 20,
    });
    const value = (row: number): number => {
      const one = rowOf(result.batch, row);
      const of = (name: string) => Number(one[name] ?? 0);
      return order === 'bytes' || order === 'packets'
        ? of(`${order}_ab`) + of(`${order}_ba`)
        : of(order);
    };
    const values = Array.from({ length: result.batch.rows }, (_, row) => value(row));
    expect(values).toEqual(values.toSorted((a, b) => b - a));
    expect(values.length).toBe(20);
  });
});

describe('a query', () => {
  it('is taken apart', async () => {
    const query = 'web -host:db* (a OR b) bytes:>10 | where x > 1 | sort ts | top 3 host | head 2';
    const { result } = await ask('query.parse', { query });
    expect(result.events).toBe('web -host:db* (a OR b) bytes:>10 | where x > 1 | sort ts');
    expect(result.shape).toBe('table');
    expect(result.filter).toEqual({ start: 0, end: 32 });
    expect(
      result.stages.map(({ name, text, start, end }) => [name, text, query.slice(start, end)]),
    ).toEqual(
      ['where x > 1', 'sort ts', 'top 3 host', 'head 2'].map((text) => [
        text.split(' ')[0],
        text,
        text,
      ]),
    );
    expect(
      result.terms?.map(({ text, type, negated, field, operator, value }) => [
        text,
        type,
        negated,
        field,
        operator,
        value,
      ]),
    ).toEqual([
      ['web', 'text', false, undefined, 'word', 'web'],
      ['-host:db*', 'field', true, 'host', 'word', 'db*'],
      ['(a OR b)', 'group', false, undefined, undefined, undefined],
      ['bytes:>10', 'field', false, 'bytes', 'compare', '>10'],
    ]);
    expect((await ask('query.parse', { query: 'a OR b' })).result.terms).toBeUndefined();
    expect((await ask('query.parse', { query: '* | values host' })).result.shape).toBe('values');
  });

  it.each([
    ['host:web "open', 9, 14, 'host:web "open'],
    ['a | tpo 3 host', 4, 7, 'tpo'],
    ['a | top 3 nofield', 10, 17, 'nofield'],
    ['a (b', 2, 3, '('],
  ])('that is wrong says where: %j', async (query, start, end) => {
    const { result } = await ask('query.parse', { case: small.folder, query });
    expect(result.error).toMatchObject({ start, end });
  });

  it('is never refused, whatever it is', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 60 }), async (query) => {
        await ask('query.parse', { case: small.folder, query });
        await ask('query.parse', { query: `host:${query} | ${query}` });
      }),
      { seed: 3, numRuns: 200 },
    );
  });

  it.each([
    '',
    'failed password',
    'kind:flow | fields src_ip, bytes',
    'kind:log | stats count() by host',
    '* | timeline 1d by kind',
    'kind:flow | top 2 dst_port',
    '* | count',
  ])('is answered: %j', async (query) => {
    const { result } = await ask('query.run', { case: small.folder, query, limit: 50 });
    if (result.shape === 'rows') {
      const found = await ids(query);
      expect(result.batch.rows).toBe(Math.min(50, found.length));
      expect(result.left).toBe(found.length > 50 ? undefined : 0);
    } else expect(result.batch.rows).toBeGreaterThan(0);
    expect(result.batch.columns.map(({ name }) => name)).toEqual(result.columns);
  });

  it.each([
    ['ho', 'host', 'host:'],
    ['kind:', 'dns', undefined],
    ['kind:fl', 'flow', undefined],
    ['a | ti', 'timeline', undefined],
    ['a | top 3 dst_', 'dst_port', undefined],
    ['proto:t', 'tcp', undefined],
    ['tag:s', 'seen', undefined],
    ['dst_port:(22 OR 44', '443', undefined],
    ['note:"undated 1', 'undated 1', '"undated 1"'],
    ['* | eval gap = delta(ts) b', 'by', undefined],
    ['* | lookup hosts.csv o', 'on', undefined],
    ['* | session by src_ip g', 'gap', undefined],
    ['* | sequence by src_ip within 5m: ho', 'host', 'host:'],
    ['* | sequence by src_ip within 5m: failed x2 th', 'then', undefined],
    ['* | sequence by src_ip within 5m: failed then proto:t', 'tcp', undefined],
  ])('is completed: %j may go on with %j', async (query, label, apply) => {
    // Values that a busy machine cannot count in time are omitted: then ask again.
    const option = await vi.waitUntil(
      async () => {
        const { result } = await ask('query.complete', {
          ...{ case: small.folder, query, at: query.length },
        });
        return result.options.find((one) => one.label === label);
      },
      { timeout: 120_000 },
    );
    expect(option.apply).toBe(apply);
  });

  it('that is explained says what it reads', async () => {
    const { result } = await ask('query.explain', { case: small.folder, query: 'kind:log' });
    expect(result.lines.join('\n')).toContain('left out by kind');
  });
});

it('lists the fields that events have', async () => {
  const { result } = await ask('field.list', { case: small.folder });
  const named = new Map(result.fields.map((field) => [field.field, field]));
  expect(named.get('bytes')).toMatchObject({ numeric: true, attribute: false });
  expect(named.get('dst_port')).toMatchObject({ numeric: false });
  expect(named.get('host')?.events).toBe(await count('host:* kind:*'));
});
