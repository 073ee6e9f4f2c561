import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { evidence } from '../../../app/compose.ts';
import { cell, columnOf, type ColumnBatch } from '../../contract/column-batch.ts';
import { eveJson, pcapOf, rfc3164, rfc5424 } from '../../ingest/testing/small-evidence.ts';
import { startQuery } from '../query.ts';
import { called } from '../testing/called.ts';
import { smallCase, type SmallCase } from '../testing/small-case.ts';
import { eventHandlers } from './event.ts';

let small: SmallCase;
let handlers: ReturnType<typeof eventHandlers>;

/** Lines of one instant, lines of another host, a host that has to be quoted, lines without a time. */
const TIES = [
  ...Array.from({ length: 30 }, (_, n) => `<38>1 2026-03-04T10:00:00Z tie app ${n} - - same ${n}`),
  '<38>1 2026-03-05T10:00:00Z tie app 1 - - next day',
  '<38>1 2026-05-05T10:00:00Z tie app 1 - - months later',
  '<38>1 2026-03-04T10:00:00Z other app 1 - - other host',
  '<38>1 2026-03-04T10:00:01Z we"ird\\host app 1 - - quoted',
  '<38>1 2026-03-04T10:00:02Z we"ird\\host app 1 - - quoted again',
  ...Array.from({ length: 8 }, (_, n) => `<38>1 - tie app ${n} - - undated ${n}`),
  '',
].join('\n');

beforeAll(async () => {
  small = await smallCase(
    {
      'a.pcap': pcapOf(8),
      'b.log': rfc3164(20),
      'c.log': TIES,
      'd.json': eveJson(4),
      'e.log': rfc5424(3),
    },
    evidence,
    { options: { timeZone: 'Europe/Berlin' } },
  );
  handlers = eventHandlers(small.services);
});
afterAll(() => small.dispose());

const sourceOf = (name: string): Promise<number> =>
  small.services.cases.use(
    small.folder,
    async (session) => session.snapshot().sources.find((source) => source.name === name)!.id,
  );
const get = async (event: string) =>
  (await called(handlers, 'event.get', { case: small.folder, event })).result;
const texts = (batch: ColumnBatch, name: string): unknown[] =>
  Array.from({ length: batch.rows }, (_, row) => cell(columnOf(batch, name)!, row));
async function ids(text: string): Promise<string[]> {
  return small.services.cases.use(small.folder, async (session) => {
    const out: string[] = [];
    const running = startQuery(session, { text, zone: 'UTC' });
    for await (const { rows } of running.rows())
      for (const row of rows) out.push(`${String(row[2])}:${String(row[3]).replace('-', 'f')}`);
    return out;
  });
}

describe('event.get', () => {
  it('tells all fields of a log line, and how it came by its time', async () => {
    const b = await sourceOf('b.log');
    const event = await get(`${b}:3`);
    expect(event).toMatchObject({
      event: `${b}:3`,
      kind: 'log',
      ts: Date.UTC(2026, 2, 4, 9, 2) * 1000,
      tsNs: 0,
      tsDigits: 0,
      tags: [],
      source: { id: b, name: 'b.log', exists: true },
    });
    expect(event.timeNotes.join('\n')).toMatch(/no zone.*Europe\/Berlin \(UTC\+01:00\)/);
    expect(event.timeNotes.join('\n')).toMatch(/no year.*2026/);
    const fields = Object.fromEntries(event.fields.map(({ name, value }) => [name, value]));
    expect(fields).toMatchObject({ host: 'gate', program: 'sshd', pid: 102, severity: 'info' });
    expect(event.fields.map(({ name }) => name)).not.toContain('ts_basis');
    expect(event.fiveTuple).toBeUndefined();
  });

  it('says nothing of the time where the source states it', async () => {
    expect((await get(`${await sourceOf('e.log')}:1`)).timeNotes).toEqual([]);
  });

  it('says that a record has no time', async () => {
    const event = await get(`${await sourceOf('c.log')}:36`);
    expect(event.ts).toBeUndefined();
    expect(event.timeNotes).toEqual(['The record has no time that could be read.']);
  });

  it('tells attributes apart from fields', async () => {
    const event = await get(`${await sourceOf('d.json')}:2`);
    const attributes = event.fields.filter(({ attribute }) => attribute);
    expect(attributes.map(({ name }) => name)).toContain('alert.signature_id');
    expect(event.fields.find(({ name }) => name === 'src_ip')).toEqual({
      name: 'src_ip',
      value: '10.0.0.1',
      attribute: false,
    });
  });

  it('leads from a packet to its flow, and from the flow to its packets', async () => {
    const a = await sourceOf('a.pcap');
    const packet = await get(`${a}:3`);
    expect(packet.flow).toBe(`${a}:f3`);
    expect(packet.length).toBeGreaterThan(46);
    const flow = await get(packet.flow!);
    expect(flow.kind).toBe('flow');
    expect(flow.fields.map(({ name }) => name)).toContain('community_id');
    expect(await ids(flow.packets!)).toEqual([`${a}:3`]);
    expect(flow.fiveTuple).toBe('flow:10.0.0.1:40002-10.0.0.2:53/udp');
    expect(await ids(flow.fiveTuple!)).toEqual([`${a}:f3`]);
    expect(await ids(`kind:packet ${packet.fiveTuple!}`)).toEqual([`${a}:3`]);
  });

  it.each(['1:999999', '77:1', '1:f999'])('says that there is no event %s', async (event) => {
    await expect(get(event)).rejects.toMatchObject({ code: 'not-found' });
  });
});

describe('event.context', () => {
  const context = async (
    event: string,
    of: 'host' | 'source' | 'all',
    before = 3,
    after = 3,
    fields?: string[],
  ) =>
    (
      await called(handlers, 'event.context', {
        ...{ case: small.folder, event, of, before, after, fields },
      })
    ).result;

  it.each(['host', 'source', 'all'] as const)(
    'has the neighbours that the list of all (%s) has, whatever the event',
    async (of) => {
      const c = await sourceOf('c.log');
      const list = await ids(of === 'host' ? 'host:tie' : of === 'source' ? `source_id:${c}` : '*');
      for (const event of [1, 2, 15, 29, 30, 31, 32].map((n) => `${c}:${n}`)) {
        const at = list.indexOf(event);
        const { batch, index, query } = await context(event, of, 4, 5);
        // The list goes on with undated events, which are around no time.
        const dated = await ids(`${query} NOT day:undated`);
        expect(texts(batch, 'event_id')).toEqual(dated.slice(Math.max(0, at - 4), at + 6));
        expect(texts(batch, 'event_id')[index]).toBe(event);
        expect(await ids(query)).toEqual(list);
      }
    },
  );

  it('has undated events around one without a time', async () => {
    const c = await sourceOf('c.log');
    const { batch, index } = await context(`${c}:39`, 'host', 2, 2, ['message']);
    expect(texts(batch, 'message')).toEqual([1, 2, 3, 4, 5].map((n) => `undated ${n}`));
    expect(index).toBe(2);
  });

  it('asks for a host with quotes in its name', async () => {
    const c = await sourceOf('c.log');
    const { batch, query } = await context(`${c}:34`, 'host');
    expect(texts(batch, 'event_id')).toEqual([`${c}:34`, `${c}:35`]);
    expect(query).toBe('host:"we\\"ird\\\\host"');
  });

  it('has packets around a packet only', async () => {
    const a = await sourceOf('a.pcap');
    const kinds = async (event: string) =>
      new Set(texts((await context(event, 'source', 4, 4)).batch, 'kind'));
    expect(await kinds(`${a}:4`)).toEqual(new Set(['packet', 'flow']));
    expect(await kinds(`${a}:f4`)).toEqual(new Set(['flow']));
  });

  it('falls back to the source where an event names no host, and says so', async () => {
    const d = await sourceOf('a.pcap');
    expect((await context(`${d}:f2`, 'host')).query).toBe('ip:10.0.0.1');
  });

  it('has the fields that were asked for, and refuses one that no event has', async () => {
    const c = await sourceOf('c.log');
    const { batch } = await context(`${c}:1`, 'host', 0, 1, ['message', 'pid']);
    expect(batch.columns.map(({ name }) => name)).toEqual([
      ...['event_id', 'kind', 'ts', 'ts_ns', 'ts_digits', 'tags', 'message', 'pid'],
    ]);
    await expect(context(`${c}:1`, 'host', 0, 1, ['no_such'])).rejects.toMatchObject({
      code: 'unknown-field',
    });
  });
});
