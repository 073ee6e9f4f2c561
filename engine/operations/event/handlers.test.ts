import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { evidence } from '../../../app/compose.ts';
import { cell, columnOf, type ColumnBatch } from '../../contract/wire/column-batch.ts';
import type { Params } from '../../contract/operations.ts';
import {
  datagram,
  eveJson,
  pcapngOf,
  pcapOf,
  rfc3164,
  rfc5424,
  zipOf,
} from '../../ingest/testing/small-evidence.ts';
import type { CaseSession } from '../../search/session/case-session.ts';
import { shownRows, startQuery } from '../../search/query.ts';
import { called } from '../testing/called.ts';
import { smallCase, type SmallCase } from '../testing/small-case.ts';
import { eventHandlers } from './handlers.ts';

const hasTshark = spawnSync('tshark', ['--version']).status === 0;

let small: SmallCase;
let handlers: ReturnType<typeof eventHandlers>;

/** A question for the address of `hostN.example`. */
const question = (n: number): Buffer =>
  datagram(
    1000 + n,
    Buffer.concat([
      Buffer.from([0, n, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]),
      Buffer.from(`\x05host${n}\x07example\0`, 'latin1'),
      Buffer.from([0, 1, 0, 1]),
    ]),
  );

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
      'dns.pcap': pcapOf(3, question),
      'b.log': rfc3164(20),
      'c.log': TIES,
      'd.json': eveJson(4),
      'e.log': rfc5424(3),
      'f.json': '{"time":"2026-03-04T10:00:00Z","item_10":"c","item_2":"b","item_1":"a"}\n',
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
    async (session) =>
      session
        .snapshot()
        .sources()
        .find((source) => source.name === name)!.id,
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

  it('tells attributes in the order of the numbers in their names', async () => {
    const { fields } = await get(`${await sourceOf('f.json')}:1`);
    const names = fields.filter(({ attribute }) => attribute).map(({ name }) => name);
    expect(names.filter((name) => name.startsWith('item_'))).toEqual([
      ...['item_1', 'item_2', 'item_10'],
    ]);
  });

  it('says nothing of the time where the source states it', async () => {
    expect((await get(`${await sourceOf('e.log')}:1`)).timeNotes).toEqual([]);
  });

  it('gives the error of the clock, and the time that the record states', async () => {
    const wrong = await smallCase({ 'e.log': rfc5424(3) }, evidence, {
      options: { clock: '1m30s slow' },
    });
    try {
      const stated = (await get(`${await sourceOf('e.log')}:1`)).ts!;
      const { result } = await called(eventHandlers(wrong.services), 'event.get', {
        case: wrong.folder,
        event: '1:1',
      });
      expect(result.ts).toBe(stated + 90e6);
      const text = new Date(stated / 1000).toISOString().replace('T', ' ');
      expect(result.timeNotes).toEqual([
        `The clock of this source was 1m30s slow, as decided for it; uncorrected, the time is ${text}.`,
      ]);
    } finally {
      await wrong.dispose();
    }
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

  it('leads from what a protocol said to its flow, and to the packets of that', async () => {
    const dns = await sourceOf('dns.pcap');
    const said = await get(`${dns}:p2`);
    expect(said).toMatchObject({ kind: 'dns', flow: `${dns}:f2`, cut: undefined });
    expect(said.fields.find(({ name }) => name === 'query')?.value).toBe('host1.example');
    expect(await ids(said.packets!)).toEqual([`${dns}:2`]);
    const about = { case: small.folder, query: '', zone: 'UTC' };
    const byView = { ...about, query: 'kind:dns query:host1.example' };
    for (const view of [{ ...about, event: said.event }, byView]) {
      const { result, parts } = await called(handlers, 'packets.slice', view);
      expect(result.packets).toBe(1);
      const bytes = Buffer.concat(parts.flatMap((part) => ('bytes' in part ? [part.bytes] : [])));
      expect(bytes.includes(question(1))).toBe(true);
    }
  });

  it.each(['1:999999', '77:1', '1:f999', '1:p999'])(
    'says that there is no event %s',
    async (event) => {
      await expect(get(event)).rejects.toMatchObject({ code: 'not-found' });
    },
  );
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
        // The list continues with undated events, which are not near any time.
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

  it('has the fields that were asked for, as lists have them', async () => {
    const c = await sourceOf('c.log');
    const { batch } = await context(`${c}:1`, 'host', 0, 1, ['message', 'pid']);
    expect(batch.columns.map(({ name }) => name)).toEqual([
      ...['event_id', 'kind', 'ts', 'ts_ns', 'ts_digits', 'tags', 'message', 'pid'],
    ]);
    const other = await context(`${c}:1`, 'host', 0, 1, ['no_such', 'summary', 'attrs.signature']);
    expect(texts(other.batch, 'no_such')).toEqual([null, null]);
    expect(texts(other.batch, 'summary')).toEqual(['same 0', 'same 1']);
    const d = await sourceOf('d.json');
    const alert = await context(`${d}:2`, 'source', 0, 0, ['attrs.alert.signature_id', 'src_ip']);
    expect(texts(alert.batch, 'attrs.alert.signature_id')).toEqual(['1']);
    expect(texts(alert.batch, 'src_ip')).toEqual(['10.0.0.1']);
  });
});

describe('bytes from the evidence', () => {
  let files: SmallCase;
  let calls: ReturnType<typeof eventHandlers>;
  const log = Buffer.from(rfc3164(40));
  const capture = pcapOf(300);
  beforeAll(async () => {
    files = await smallCase(
      {
        'a.log': log,
        'b.log.gz': gzipSync(Buffer.from(rfc3164(10).replaceAll('gate', 'zipped'))),
        'c.zip': zipOf([{ name: 'in/d.log', content: rfc3164(5).replaceAll('gate', 'member') }]),
        'e.pcap': capture,
        'f.pcapng.gz': gzipSync(pcapngOf(6)),
        'g.log': `<38>1 2026-03-04T10:00:00Z long app 1 - - ${'y'.repeat(900_000)}\n`,
      },
      evidence,
    );
    calls = eventHandlers(files.services);
  });
  afterAll(() => files.dispose());

  const all = (text: string) =>
    files.services.cases.use(files.folder, async (session) => {
      const out: string[] = [];
      for await (const { rows } of startQuery(session, { text, zone: 'UTC' }).rows())
        for (const row of rows) out.push(`${String(row[2])}:${String(row[3]).replace('-', 'f')}`);
      return out;
    });
  const raw = async (event: string) =>
    (await called(calls, 'event.raw', { case: files.folder, event })).result;
  const packet = async (event: string) =>
    (await called(calls, 'event.packet', { case: files.folder, event })).result;

  it('gives each line as it stands in its file, plain, compressed or in an archive', async () => {
    for (const [host, text] of [
      ['gate', log.toString()],
      ['zipped', rfc3164(10).replaceAll('gate', 'zipped')],
      ['member', rfc3164(5).replaceAll('gate', 'member')],
    ] as const) {
      const events = await all(`host:${host}`);
      const lines = text.trimEnd().split('\n');
      expect(events).toHaveLength(lines.length);
      for (const event of events) {
        const { bytes, offset, length, truncated } = await raw(event);
        const line = lines[Number(event.split(':')[1]) - 1];
        expect(Buffer.from(bytes).toString().trimEnd()).toBe(line);
        expect(text.slice(offset, offset + length).trimEnd()).toBe(line);
        expect(truncated).toBe(false);
      }
    }
  });

  it('gives all of a long record', async () => {
    const [event = ''] = await all('host:long');
    const { bytes, length, truncated } = await raw(event);
    expect(bytes.length).toBe(length);
    expect(length).toBeGreaterThan(900_000);
    expect(truncated).toBe(false);
  });

  it('gives frames as they lie in the capture, with their layers', async () => {
    const events = await all('kind:packet source:e.pcap');
    for (const event of events.slice(0, 5)) {
      const { frame, offset, linkType, wireLength, layers } = await packet(event);
      expect(Buffer.from(frame)).toEqual(capture.subarray(offset, offset + frame.length));
      expect({ linkType, wireLength }).toEqual({ linkType: 1, wireLength: 46 });
      const names = layers.map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(['Frame', 'Internet Protocol Version 4']));
    }
    const [zipped = ''] = await all('kind:packet source:"f.pcapng.gz"');
    expect(Buffer.from((await packet(zipped)).frame)).toEqual(datagram(0));
  });

  it('says what to do for events without a record or without a frame', async () => {
    const [flow = ''] = await all('kind:flow source:e.pcap');
    await expect(raw(flow)).rejects.toMatchObject({
      code: 'not-found',
      hint: /kind:packet source_id/,
    });
    const [line = ''] = await all('host:gate');
    await expect(packet(line)).rejects.toMatchObject({ code: 'usage' });
  });

  describe('packets.slice', () => {
    const slice = async (
      params: Omit<Params<'packets.slice'>, 'case'>,
      how: { signal?: AbortSignal } = {},
    ) => {
      const { result, parts } = await called(
        calls,
        'packets.slice',
        { case: files.folder, ...params },
        how,
      );
      const bytes = Buffer.concat(parts.flatMap((part) => ('bytes' in part ? [part.bytes] : [])));
      return { result, bytes };
    };
    /** Time, length and ends of each packet of a capture, as our importer reads it. */
    const imported = async (bytes: Uint8Array, query = 'kind:packet') => {
      const other = await smallCase({ 'slice.pcapng': bytes }, evidence);
      try {
        return await other.services.cases.use(other.folder, (session) => facts(session, query));
      } finally {
        await other.dispose();
      }
    };
    const facts = async (session: CaseSession, query: string) => {
      const text = `${query} | fields ts, src_ip, src_port, dst_ip, dst_port, bytes, captured`;
      const out: unknown[] = [];
      for await (const rows of shownRows(startQuery(session, { text, zone: 'UTC' }), 'UTC'))
        for (const { ts, ...row } of rows) out.push({ ...row, ts: Date.parse(String(ts)) });
      return out;
    };

    it.each([
      ['kind:packet source:e.pcap', 'kind:packet source:e.pcap', 300],
      ['kind:packet src_port:[40010 TO 40019] source:e.pcap', undefined, 10],
      // Flows bring their packets.
      ['kind:flow src_port:40003 source:e.pcap', 'kind:packet src_port:40003 source:e.pcap', 1],
      ['source:"f.pcapng.gz"', 'kind:packet source:"f.pcapng.gz"', 6],
      ['src_port:40001', 'kind:packet src_port:40001', 2],
    ])(
      'writes the packets of %s so that they are read as they were',
      async (query, same, count) => {
        const { result, bytes } = await slice({ query });
        expect(result).toMatchObject({ packets: count, bytes: bytes.length });
        expect(result.sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
        const before = await files.services.cases.use(files.folder, (session) =>
          facts(session, same ?? query),
        );
        expect(await imported(bytes)).toEqual(before);
      },
    );

    it('writes the packets of one event', async () => {
      const [flow = ''] = await all('kind:flow source:e.pcap src_port:40007');
      const [one = ''] = await all('kind:packet source:e.pcap src_port:40007');
      for (const event of [flow, one]) {
        const { result, bytes } = await slice({ query: '', event });
        expect(result.packets).toBe(1);
        expect(bytes.includes(datagram(7))).toBe(true);
      }
    });

    it.skipIf(!hasTshark)('is read by tshark (skipped where there is none)', async () => {
      const path = join(files.root, 'slice.pcapng');
      const { result } = await slice({ query: 'kind:packet', path });
      expect(result.path).toBe(path);
      const { stdout, stderr } = spawnSync(
        'tshark',
        ['-r', path, '-T', 'fields', '-e', 'frame.time_epoch', '-e', 'udp.srcport'],
        { encoding: 'utf8' },
      );
      expect(stderr.replace(/^Running as user.*\n/, '')).toBe('');
      const lines = stdout.trimEnd().split('\n');
      expect(lines).toHaveLength(306);
      expect(lines[3]).toMatch(/^1760000003\.003000000\t40003$/);
    });

    it('refuses what has no packets, and says what to do', async () => {
      for (const query of ['host:gate', 'kind:packet nothing', 'kind:packet | count'])
        await expect(slice({ query }), query).rejects.toMatchObject({ code: 'usage' });
      const [line = ''] = await all('host:gate');
      await expect(slice({ query: '', event: line })).rejects.toMatchObject({ code: 'usage' });
    });

    it('stops when it is cancelled and leaves no file', async () => {
      const controller = new AbortController();
      controller.abort();
      const path = join(files.root, 'cancelled.pcapng');
      await expect(
        slice({ query: 'kind:packet', path }, { signal: controller.signal }),
      ).rejects.toMatchObject({ code: 'cancelled' });
      expect(readdirSync(files.root).filter((name) => name.includes('cancelled'))).toEqual([]);
    });
  });

  it('says which fields were cut out of the message, and by what', async () => {
    const [event = ''] = await all('extractor:openssh* outcome:failure');
    const { result } = await called(calls, 'event.get', { case: files.folder, event });
    expect(result.cut?.extractor).toBe('openssh');
    expect(result.cut?.version).toMatch(/^\d+$/);
    expect(result.cut?.fields).toEqual(
      expect.arrayContaining(['src_ip', 'src_port', 'user', 'outcome']),
    );
    expect(result.cut?.fields).not.toContain('host');
    const [packet = ''] = await all('kind:packet');
    expect(
      (await called(calls, 'event.get', { case: files.folder, event: packet })).result.cut,
    ).toBeUndefined();
  });

  // Last, for they change the evidence.
  it('shows nothing of evidence that has changed, and what is unchanged of a log that grew', async () => {
    const path = join(files.evidence, 'a.log');
    const [event = ''] = await all('host:gate');
    writeFileSync(path, Buffer.concat([log, Buffer.from('one more line\n')]));
    expect(Buffer.from((await raw(event)).bytes).toString()).toContain('Failed password');
    const changed = Buffer.from(log);
    changed.write('X', 20);
    for (const content of [changed, log.subarray(0, -100)]) {
      writeFileSync(path, content);
      utimesSync(path, 1, 1);
      await expect(raw(event)).rejects.toMatchObject({ code: 'unreadable', hint: /verify/ });
    }
    rmSync(path);
    await expect(raw(event)).rejects.toMatchObject({ code: 'not-found', hint: /verify/ });
    const { result } = await called(calls, 'event.get', { case: files.folder, event });
    expect(result.source.exists).toBe(false);
  });

  it('slices nothing of a capture that is gone', async () => {
    rmSync(join(files.evidence, 'e.pcap'));
    await expect(
      called(calls, 'packets.slice', { case: files.folder, query: 'kind:packet' }),
    ).rejects.toMatchObject({ code: 'not-found', hint: /put the file back there, or .* --locate/ });
  });
});
