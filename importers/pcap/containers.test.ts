/** The container formats: golden results, damage, truncation, and notes about a source. */
import { describe, expect, it } from 'vitest';
import { SourceError } from '../../engine/contract/errors.ts';
import { EventBatch } from '../../engine/columns/event-batch.ts';
import type { EventSink } from '../../engine/evidence/importer.ts';
import { collect, DEFAULT_OPTIONS, inputOf, type Collected } from '../shared/testing/collect.ts';
import {
  ascii,
  cat,
  classicFile,
  classicHeader,
  classicRecord,
  ethernet,
  hex,
  ip4,
  ip4Bytes,
  n32,
  Section,
  udp,
  type Bytes,
  type ClassicFile,
} from './testing/build.ts';
import { pcapImporter } from './index.ts';
import { TRUNCATION_FILES } from './testing/variants.ts';

const frame = (port: number) =>
  ethernet(
    0x0800,
    ip4({ src: '10.0.0.1', dst: '10.0.0.2', proto: 17 }, udp(port, 53, ascii('hello'))),
  );
const FRAME = frame(1);
const DATA = ascii('anything');

const read = (bytes: Bytes, blockSize = 1 << 20, packets = true) =>
  collect(pcapImporter, inputOf(bytes, 'x', blockSize), { packets, flows: false }, 7);

/** Nothing is lost and nothing is counted twice. */
function checkLedger(result: Collected): void {
  const skipped = Object.values(result.skipped).reduce((sum, n) => sum + n, 0);
  expect(result.read).toBe(result.records + result.quarantined.length + skipped);
  expect(result.rows.filter((row) => row.kind === 'packet')).toHaveLength(result.records);
}

describe('classic', () => {
  const forms: [string, ClassicFile, number, number, number][] = [
    ['little-endian microseconds', {}, 123_456, 123_456, 0],
    ['big-endian microseconds', { little: false }, 123_456, 123_456, 0],
    ['little-endian nanoseconds', { nano: true }, 123_456_789, 123_456, 789],
    ['big-endian nanoseconds', { little: false, nano: true }, 123_456_789, 123_456, 789],
    ['modified little-endian', { modified: true }, 123_456, 123_456, 0],
    ['modified big-endian', { modified: true, little: false }, 123_456, 123_456, 0],
    ['with an FCS length above the link type', { linkType: 0x2400_0001 }, 123_456, 123_456, 0],
  ];
  it.each(forms)('%s', async (_, form, fraction, micros, nanos) => {
    const header = form.modified === true ? 24 : 16;
    const file = classicFile(form, [
      { seconds: 1_700_000_000, fraction, bytes: FRAME },
      { seconds: 1_700_000_001, fraction, bytes: frame(2).subarray(0, 40), wire: 900 },
    ]);
    expect(pcapImporter.sniff(file, { name: 'a.txt', complete: true })?.score).toBe(1);
    const result = await read(file);
    checkLedger(result);
    expect(result.notes).toEqual([]);
    expect(result.rows).toHaveLength(2);
    expect(result.rows[0]).toMatchObject({
      seq: 1,
      ts: 1_700_000_000_000_000 + micros,
      ts_ns: nanos,
      ts_digits: form.nano === true ? 9 : 6,
      offset: 24,
      length: header + FRAME.length,
      captured: FRAME.length,
      bytes: FRAME.length,
      src_port: 1,
    });
    expect(result.rows[1]).toMatchObject({
      seq: 2,
      offset: 24 + header + FRAME.length,
      captured: 40,
      bytes: 900,
    });
    expect(result.metadata).toMatchObject({ link_type: 'ETHERNET', snap_length: 262_144 });
  });

  it('reads lengths the other way round in old versions', async () => {
    const record = cat(n32(5, true), n32(0, true), n32(900, true), n32(40, true));
    const file = cat(classicHeader({ minor: 2 }), record, FRAME.subarray(0, 40));
    const result = await read(file);
    expect(result.rows[0]).toMatchObject({ captured: 40, bytes: 900 });
  });

  it('keeps the raw stamp beside a time whose fraction is above a second', async () => {
    const file = classicFile({}, [{ seconds: 10, fraction: 4_000_000, bytes: FRAME }]);
    const result = await read(file);
    expect(result.rows[0]).toMatchObject({ ts: 14_000_000, attrs: { raw_time: '10.4000000' } });
  });

  it('goes on after a record with an absurd length', async () => {
    const records = Array.from({ length: 10 }, (_, i) =>
      classicRecord({}, { seconds: 1_700_000_000 + i, fraction: i, bytes: frame(i + 1) }),
    );
    records[4]!.set(n32(0x7fff_ffff, true), 8);
    const file = cat(classicHeader({}), ...records);
    for (const blockSize of [1 << 20, 64, 7]) {
      const result = await read(file, blockSize);
      checkLedger(result);
      expect(result.rows.map((row) => row['src_port'])).toEqual([1, 2, 3, 4, 6, 7, 8, 9, 10]);
      expect(result.rows.map((row) => row['seq'])).toEqual([1, 2, 3, 4, 6, 7, 8, 9, 10]);
      expect(result.quarantined).toEqual([
        {
          offset: 24 + 4 * records[0]!.length,
          reason: `record claims 2147483647 bytes (${records[0]!.length} bytes)`,
          raw: records[4],
        },
      ]);
      expect(result.notes).toHaveLength(1);
    }
  });

  it('goes on after a record that claims to reach beyond the end', async () => {
    const records = Array.from({ length: 5 }, (_, i) =>
      classicRecord({}, { seconds: 1_700_000_000 + i, fraction: i, bytes: frame(i + 1) }),
    );
    records[2]!.set(n32(100_000, true), 8);
    const result = await read(cat(classicHeader({}), ...records));
    checkLedger(result);
    expect(result.rows.map((row) => row['src_port'])).toEqual([1, 2, 4, 5]);
    expect(result.quarantined[0]!.raw).toEqual(records[2]);
  });

  it.each([
    ['little-endian', {}],
    ['modified', { modified: true }],
  ] satisfies [string, ClassicFile][])(
    'takes zeros for no packets of 1970: %s',
    async (_, form) => {
      const records = [1, 2, 3].map((n) => ({
        seconds: 1_700_000_000 + n,
        fraction: 0,
        bytes: FRAME,
      }));
      const file = classicFile(form, records);
      const bytes = cat(file, new Uint8Array(1040), file.subarray(24), new Uint8Array(4096));
      for (const size of [100, 1 << 20]) {
        const result = await read(bytes, size);
        checkLedger(result);
        expect(result.records).toBe(6);
        expect(result.rows.map((row) => row.ts)).not.toContain(0);
        expect(result.quarantined).toMatchObject([
          { offset: file.length, reason: 'zeros where a record begins (1040 bytes)' },
          {
            offset: 2 * file.length - 24 + 1040,
            reason: 'zeros where a record begins (4096 bytes to the end)',
          },
        ]);
      }
    },
  );

  it.each<[string, ClassicFile]>([
    ['little-endian', {}],
    ['big-endian nanoseconds', { little: false, nano: true }],
    ['modified', { modified: true }],
  ])('goes on after a sector of zeros, too few to be none: %s', async (_, form) => {
    const size = (form.modified === true ? 24 : 16) + FRAME.length;
    const records = Array.from({ length: 60 }, (_, i) => ({
      seconds: 1_700_000_000 + i,
      fraction: i,
      bytes: frame(i + 1),
    }));
    const bytes = classicFile(form, records);
    // From within one record to within another.
    const from = 24 + 20 * size + 20;
    bytes.fill(0, from, from + 512);
    const hit = Math.ceil(532 / size);
    for (const block of [100, 1 << 20]) {
      const result = await read(bytes, block);
      checkLedger(result);
      const ports = result.rows.filter((row) => row.ts !== 0).map((row) => row['src_port']);
      expect(ports.slice(-(60 - 20 - hit))).toEqual(records.map((_, i) => i + 1).slice(20 + hit));
    }
  });

  it('keeps packets of which nothing was captured, and few zeros as packets of nothing', async () => {
    const none = { seconds: 1_700_000_000, fraction: 0, bytes: new Uint8Array(0), wire: 60 };
    const bytes = cat(classicFile({}, [none, none]), new Uint8Array(160));
    for (const size of [100, 1 << 20]) {
      const result = await read(bytes, size);
      expect(result.records).toBe(12);
      expect(result.quarantined).toEqual([]);
    }
  });

  it('quarantines what is no record up to the end', async () => {
    const file = cat(classicFile({}, [{ seconds: 1, fraction: 0, bytes: FRAME }]), 'ff'.repeat(99));
    const result = await read(file);
    checkLedger(result);
    expect(result.records).toBe(1);
    expect(result.quarantined).toHaveLength(1);
    expect(result.quarantined[0]!.raw).toHaveLength(99);
    expect(result.notes[0]).toContain(`offset ${24 + 16 + FRAME.length}`);
  });

  it('counts packets that are not kept', async () => {
    const file = classicFile(
      {},
      Array.from({ length: 30 }, (_, i) => ({ seconds: i, fraction: 0, bytes: FRAME })),
    );
    const result = await read(file, 100, false);
    expect(result.rows).toEqual([]);
    expect(result.skipped).toEqual({ 'packet not kept (--no-packets)': 30 });
  });
});

describe('pcapng', () => {
  it('reads sections, interfaces, clocks and options', async () => {
    const le = new Section(true);
    const be = new Section(false);
    const stamp = 1_700_000_000n;
    const opt = le.option.bind(le);
    const file = cat(
      le.header(opt(1, 'case 7'), opt(2, 'laptop'), opt(3, 'Linux'), opt(4, 'sniffer')),
      le.interface(1, 0, opt(2, 'eth0'), opt(3, 'uplink'), opt(11, cat('00', ascii('udp')))),
      le.interface(101, 20, opt(9, hex('09')), opt(14, cat(n32(3600, true), n32(0)))),
      le.interface(1, 0, opt(9, hex('8a'))),
      le.interface(1, 0, opt(9, hex('0c'))),
      le.interface(1, 0, opt(9, hex('03'))),
      le.packet(
        0,
        stamp * 1_000_000n + 123_456n,
        FRAME,
        FRAME.length,
        opt(1, 'look'),
        opt(1, 'here'),
      ),
      le.packet(1, stamp * 1_000_000_000n + 123_456_789n, FRAME.subarray(14)),
      le.packet(2, stamp * 1024n + 512n, FRAME),
      le.packet(3, 1_700_000n * 1_000_000_000_000n + 123_456_789_012n, FRAME),
      le.packet(4, stamp * 1000n + 5n, FRAME),
      le.simple(FRAME, 2000),
      le.obsolete(0, stamp * 1_000_000n, FRAME),
      le.packet(0, 1n << 63n, FRAME),
      le.names({ address: ip4Bytes('10.0.0.1'), name: 'host.example' }),
      le.statistics(0, opt(4, cat(n32(9, true), n32(0)))),
      le.secrets('CLIENT_RANDOM'),
      le.block(0x0bad, DATA),
      be.header(),
      be.interface(0, 0),
      be.packet(0, stamp * 1_000_000n + 7n, cat(n32(2), FRAME.subarray(14))),
    );
    expect(pcapImporter.sniff(file, { name: 'a.txt', complete: true })).toEqual({
      score: 1,
      format: 'pcapng',
    });
    const base = 1_700_000_000_000_000;
    const times: [number | undefined, number | undefined, number | undefined][] = [
      [base + 123_456, 0, 6],
      [base + 3_600_000_000 + 123_456, 789, 9],
      [base + 500_000, 0, 4],
      [1_700_000_123_456, 789, 9],
      [base + 5000, 0, 3],
      [undefined, undefined, undefined],
      [base, 0, 6],
      [undefined, undefined, undefined],
      [base + 7, 0, 6],
    ];
    for (const blockSize of [1 << 20, 50, 3]) {
      const result = await read(file, blockSize);
      checkLedger(result);
      expect(result.notes).toEqual([]);
      expect(result.rows.map((row) => [row['ts'], row['ts_ns'], row['ts_digits']])).toEqual(times);
      expect(result.rows.map((row) => row['seq'])).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
      for (const row of result.rows) expect(row['src_port']).toBe(1);
      expect(result.rows[0]!.attrs).toEqual({ comment: 'look\nhere' });
      expect(result.rows[5]).toMatchObject({ captured: FRAME.length + 1, bytes: 2000 });
      expect(result.rows[7]!.attrs).toEqual({ raw_time: String(1n << 63n) });
      expect(result.skipped).toEqual({ 'pcapng block of a type that holds no packet': 1 });
      expect(result.metadata).toMatchObject({
        sections: 2,
        byte_order: ['little', 'big'],
        hardware: 'laptop',
        os: 'Linux',
        application: 'sniffer',
        comments: ['case 7'],
        names: [{ address: '10.0.0.1', name: 'host.example' }],
        decryption_secrets: { blocks: 1, bytes: 13 },
        unknown_blocks: { '0xbad': 1 },
      });
      const interfaces = result.metadata['interfaces'];
      expect(interfaces).toMatchObject([
        { name: 'eth0', description: 'uplink', filter: 'udp', statistics: { received: 9 } },
        { link_type: 'RAW', resolution: '10^-9 s', time_offset_seconds: 3600, snap_length: 20 },
        { resolution: '2^-10 s' },
        { resolution: '10^-12 s' },
        { resolution: '10^-3 s' },
        { section: 2, link_type: 'NULL' },
      ]);
    }
  });

  const s = new Section();
  const good = (port: number) => s.packet(0, 1_700_000_000_000_000n, frame(port));
  const damaged: [string, Bytes, string][] = [
    [
      'a block with an absurd length',
      cat(n32(6, true), 'ffffff7f'),
      'block claims 2147483647 bytes',
    ],
    [
      'a block that ends otherwise',
      cat(good(9).subarray(0, -1), 'ff'),
      'block without its length at the end',
    ],
    [
      'a packet that claims more than its block',
      s.block(6, cat(new Uint8Array(12), n32(99, true), n32(99, true))),
      'packet claims 99 bytes',
    ],
    [
      'an interface nobody described',
      s.packet(7, 0n, FRAME),
      'packet of an interface that is not described',
    ],
    ['a packet block that is too short', s.block(6, new Uint8Array(8)), 'packet block too short'],
  ];
  it.each(damaged)('goes on after %s', async (_, bad, reason) => {
    const file = cat(s.header(), s.interface(1, 0), good(1), bad, good(3), good(4));
    for (const blockSize of [1 << 20, 11]) {
      const result = await read(file, blockSize);
      checkLedger(result);
      expect(result.rows.map((row) => row['src_port'])).toEqual([1, 3, 4]);
      expect(result.rows.map((row) => row['seq'])).toEqual([1, 3, 4]);
      expect(result.quarantined).toHaveLength(1);
      expect(result.quarantined[0]!.reason).toContain(reason);
      expect(result.quarantined[0]!.raw).toEqual(bad);
    }
  });
});

describe('truncation', () => {
  it.each(TRUNCATION_FILES)('%s: every prefix gives its whole records', async (_, file) => {
    const whole = await read(file);
    expect(whole.records).toBe(3);
    for (let size = 1; size < file.length; size++) {
      const result = await read(file.subarray(0, size), 64);
      checkLedger(result);
      const complete = whole.rows.filter(
        (row) => Number(row['offset']) + Number(row['length']) <= size,
      );
      expect(result.rows).toEqual(complete);
      const end = result.quarantined.at(-1);
      if (end !== undefined) {
        // The remainder is kept byte for byte, and reported.
        expect(end.raw).toEqual(file.slice(end.offset, size));
        expect(result.quarantined).toHaveLength(1);
        expect(result.notes.join()).toMatch(/offset \d+/);
      }
    }
  });
  it('says that a file is empty', async () => {
    const result = await read(new Uint8Array(0));
    expect(result.read).toBe(0);
    expect(result.notes).toEqual(['the file is empty']);
  });
  it('refuses another format without losing it', async () => {
    const result = await read(ascii('Nov 21 09:00:00 host sshd: hello\n'));
    checkLedger(result);
    expect(result.quarantined[0]).toMatchObject({
      offset: 0,
      reason: 'no capture file header (33 bytes to the end)',
    });
  });
});

it('reads snoop', async () => {
  const record = (port: number) => {
    const bytes = frame(port);
    const size = n32(24 + bytes.length + 2);
    const length = n32(bytes.length);
    return cat(length, length, size, n32(0), n32(1_700_000_000), n32(5), bytes, '0000');
  };
  const file = cat(ascii('snoop'), '000000', n32(2), n32(4), record(1), record(2));
  const result = await read(file, 33);
  expect(result.rows.map((row) => [row['src_port'], row['ts'], row['offset']])).toEqual([
    [1, 1_700_000_000_000_005, 16],
    [2, 1_700_000_000_000_005, 16 + 26 + FRAME.length],
  ]);
  const cut = await read(file.subarray(0, -5));
  checkLedger(cut);
  expect(cut.records).toBe(1);
  expect(cut.quarantined).toHaveLength(1);
});

it('tells each packet its flow', async () => {
  const at = (i: number, port: number) => ({
    seconds: 1_700_000_000 + i,
    fraction: 0,
    bytes: frame(port),
  });
  const file = classicFile({}, [at(0, 1), at(1, 2), at(2, 1)]);
  for (const packets of [true, false]) {
    const result = await collect(pcapImporter, inputOf(file), { packets });
    const flows = result.rows.filter((row) => row.kind === 'flow');
    expect(flows.map((row) => [row['seq'], row['src_port'], row['packets']])).toEqual([
      [-1, 1, 2],
      [-2, 2, 1],
    ]);
    const kept = result.rows.filter((row) => row.kind === 'packet');
    expect(kept.map((row) => row['flow_id'])).toEqual(packets ? [1, 2, 1] : []);
    expect(result.read).toBe(3);
  }
});

it('tells the flows of a source that cannot be read to its end', async () => {
  const file = classicFile({}, [{ seconds: 1, fraction: 0, bytes: FRAME }]);
  const rows: string[] = [];
  const broken = new SourceError('gzip ends early', file.length);
  const input = {
    name: 'x',
    size: undefined,
    modifiedMs: undefined,
    async *blocks() {
      yield file;
      throw broken;
    },
  };
  const packets = new EventBatch('packet', () => {});
  const flows = new EventBatch('flow', () => {});
  const sink: EventSink = {
    batch: (kind) => (kind === 'flow' ? flows : packets),
    record: () => rows.push('record'),
    quarantine: () => rows.push('quarantine'),
    skip: () => rows.push('skip'),
    note: () => {},
    metadata: () => {},
    decide: () => {},
    drain: () => undefined,
  };
  await expect(pcapImporter.read(input, sink, DEFAULT_OPTIONS)).rejects.toBe(broken);
  expect(rows).toEqual(['record']);
  expect([packets.length, flows.length]).toEqual([1, 1]);
});

it('judges by content alone', () => {
  const hint = { name: 'capture.pcap', complete: true };
  for (const head of [
    new Uint8Array(0),
    hex('0a'),
    hex('0a0d0d0a 00000000 00000000'),
    ascii('snoop!!!'),
    ascii('hello world'),
    hex('1f8b0800'),
  ]) {
    expect(pcapImporter.sniff(head, hint)).toBeUndefined();
  }
});

it('keeps a bounded part of a large damaged region', async () => {
  // A stream of garbage after the header: 40 MB, of which the quarantine keeps a bounded part.
  const header = classicHeader({ snapLength: 0xffff_ffff });
  const result = await collect(pcapImporter, {
    name: 'x',
    size: undefined,
    modifiedMs: undefined,
    async *blocks() {
      yield header;
      for (let i = 0; i < 40; i++) {
        yield new Uint8Array(1 << 20).fill(0xff);
      }
    },
  });
  checkLedger(result);
  expect(result.quarantined).toHaveLength(1);
  expect(result.quarantined[0]!.reason).toContain(`${40 << 20} bytes to the end`);
  expect(result.quarantined[0]!.raw.length).toBeLessThanOrEqual(262_144);
});
