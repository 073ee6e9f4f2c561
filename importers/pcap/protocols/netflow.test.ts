/** NetFlow and IPFIX in datagrams. */
import { describe, expect, it } from 'vitest';
import { ascii, cat, n16, n32 } from '../testing/build.ts';
import { CLIENT, datagram, of, read, stream } from './testing/frames.ts';
import { chance } from './testing/mutated.ts';

const EXPORTED = Date.UTC(2026, 10, 21, 10) / 1000;
/** Milliseconds that the exporter had run. */
const UPTIME = 100_000;

const field = (id: number, size: number): Uint8Array => cat(n16(id), n16(size));
const set = (id: number, ...parts: (Uint8Array | string)[]): Uint8Array => {
  const content = cat(...parts);
  return cat(n16(id), n16(content.length + 4), content);
};
function version9(...sets: Uint8Array[]): Uint8Array {
  return cat(n16(9), n16(sets.length), n32(UPTIME), n32(EXPORTED), n32(1), n32(7), ...sets);
}
function ipfix(...sets: Uint8Array[]): Uint8Array {
  const content = cat(...sets);
  return cat(n16(10), n16(content.length + 16), n32(EXPORTED), n32(1), n32(7), content);
}
const flow5 = (proto: number, ports: string): Uint8Array =>
  cat(
    ...['c0000201', 'c6336402', '0a000001', n16(3), n16(4), n32(10), n32(5000)],
    ...[n32(40_000), n32(42_500), ports, '00', '1b', Uint8Array.of(proto), '00'],
    ...[n16(64_500), n16(64_501), '1808', '0000'],
  );
const version5 = (...records: Uint8Array[]): Uint8Array =>
  cat(
    ...[n16(5), n16(records.length), n32(UPTIME), n32(EXPORTED), n32(500_000_000), n32(1)],
    ...['0102', n16(0x4000 + 100), ...records],
  );

it('reads records of version 5', async () => {
  const payload = version5(flow5(6, 'd43101bb'), flow5(1, '00000303'));
  const [tcp, icmp, ...more] = await of('netflow', [datagram(true, 2055, payload)]);
  expect(more).toEqual([]);
  expect(tcp).toMatchObject({
    ...{ src_ip4: 0xc0000201, dst_ip4: 0xc6336402, src_port: 54_321, dst_port: 443, proto: 6 },
    ...{ packets: 10, bytes: 5000, tcp_flags: 27, duration: 2.5, event_type: 'v5' },
    // 60 s before it was exported.
    ...{ ts: (EXPORTED - 60) * 1e6 + 500_000, iface_in: '3', iface_out: '4', flow_id: 1 },
    message: `10 packets, 5000 bytes, reported by ${CLIENT}`,
  });
  expect(tcp?.attrs).toMatchObject({
    ...{ exporter: CLIENT, ipNextHopIPv4Address: '10.0.0.1', samplingInterval: '100' },
    ...{ bgpSourceAsNumber: '64500', sourceIPv4PrefixLength: '24', engine: '258' },
  });
  expect(icmp).toMatchObject({ proto: 1, src_port: 3, dst_port: 3 });
});

const FIELDS = [field(8, 4), field(12, 4), field(22, 4), field(1, 4), field(4, 1)];
const TEMPLATE = set(0, n16(260), n16(FIELDS.length), ...FIELDS);
const record = (first: number): Uint8Array =>
  cat('c0000201', 'c6336402', n32(first), n32(77), '11');

it('waits for the template of a record', async () => {
  const frames = [
    datagram(true, 9995, version9(set(260, record(90_000), record(91_000), '0000'))),
    datagram(true, 9995, version9(TEMPLATE)),
    datagram(true, 9995, version9(set(260, record(92_000)))),
  ];
  const rows = await of('netflow', frames);
  expect(rows.map(({ ts, bytes, proto }) => ({ ts, bytes, proto }))).toEqual(
    [10, 9, 8].map((ago) => ({ ts: (EXPORTED - ago) * 1e6, bytes: 77, proto: 17 })),
  );
});

it('counts what has no template', async () => {
  const frames = [datagram(true, 9995, version9(set(260, record(90_000))))];
  expect(await of('netflow', frames)).toEqual([]);
  expect((await read(frames)).notes).toContain(
    '17 bytes of NetFlow records cannot be read: the capture lacks their templates',
  );
});

it('knows the templates of each exporter apart', async () => {
  const frames = [
    datagram(true, 9995, version9(TEMPLATE)),
    // From the other side.
    datagram(false, 9995, version9(set(260, record(90_000)))),
  ];
  expect(await of('netflow', frames)).toEqual([]);
});

it('takes a time before the clock of the exporter began again', async () => {
  const frames = [datagram(true, 9995, version9(TEMPLATE, set(260, record(2 ** 32 - 5000))))];
  const [row] = await of('netflow', frames);
  expect(row?.ts).toBe((EXPORTED - 105) * 1e6);
});

it('reads options of version 9', async () => {
  const options = set(1, n16(261), n16(4), n16(8), field(2, 2), field(10, 2), field(82, 4), '0000');
  const frames = [datagram(true, 9995, version9(options, set(261, n16(5), n16(6), ascii('eth0'))))];
  const [row, ...more] = await of('netflow', frames);
  expect(more).toEqual([]);
  expect(row).toMatchObject({ event_type: 'options', ts: EXPORTED * 1e6 });
  expect(row?.attrs).toMatchObject({ scopeInterface: '5', interfaceName: 'eth0' });
});

it('reads IPFIX: lengths that vary, the other direction, elements of makers', async () => {
  const vendorField = (id: number, size: number, maker: number): Uint8Array =>
    cat(field(0x8000 + id, size), n32(maker));
  const fields = [
    ...[field(27, 16), field(28, 16), field(7, 2), field(11, 2), field(4, 1), field(152, 8)],
    ...[
      field(153, 8),
      field(1, 8),
      vendorField(1, 8, 29_305),
      field(371, 65_535),
      vendorField(9, 2, 6871),
    ],
  ];
  const template = set(2, n16(300), n16(fields.length), ...fields);
  const start = EXPORTED * 1000 - 1500;
  const u64 = (value: number): Uint8Array =>
    cat(n32(Math.floor(value / 2 ** 32)), n32(value >>> 0));
  const data = set(
    300,
    ...['20010db8000000000000000000000001', '20010db8000000000000000000000002'],
    ...[n16(50_000), n16(22), '06', u64(start), u64(start + 1250), u64(1000), u64(2000)],
    ...['05', ascii('alice'), 'beef'],
  );
  const [row, ...more] = await of('netflow', [datagram(true, 4739, ipfix(template, data))]);
  expect(more).toEqual([]);
  expect(row).toMatchObject({
    ...{ src_port: 50_000, dst_port: 22, proto: 6, bytes: 1000, bytes_rev: 2000, user: 'alice' },
    ...{ ts: start * 1000, ts_digits: 3, duration: 1.25, event_type: 'ipfix' },
    message: `1000 bytes, reported by ${CLIENT}`,
  });
  expect(row?.src_ip6).toBe('20010db8000000000000000000000001');
  expect(row?.attrs).toMatchObject({ element_6871_9: 'beef', userName: 'alice' });
});

it('counts from the start of an exporter that its options name', async () => {
  const options = set(3, n16(301), n16(2), n16(1), field(149, 4), field(160, 8));
  const booted = EXPORTED * 1000 - 50_000;
  const about = set(301, n32(7), n32(Math.floor(booted / 2 ** 32)), n32(booted >>> 0));
  const template = set(2, n16(302), n16(2), field(8, 4), field(22, 4));
  const data = set(302, 'c0000201', n32(20_000));
  const rows = await of('netflow', [datagram(true, 4739, ipfix(options, about, template, data))]);
  expect(rows.at(-1)?.ts).toBe((EXPORTED - 30) * 1e6);
});

it.each([
  ['a version 5 of another length', cat(version5(flow5(6, '00010002')), '00')],
  ['sets that do not fill the datagram', cat(version9(TEMPLATE), '0000')],
  ['another length of the message', cat(ipfix(TEMPLATE), '00')],
])('takes %s for nothing', async (_, payload) => {
  expect(await of('netflow', [datagram(true, 2055, payload)])).toEqual([]);
});

it('names the flow', async () => {
  const rows = await of('flow', [datagram(true, 2055, version5(flow5(6, '00010002')))]);
  expect(rows).toMatchObject([{ service: 'netflow' }]);
});

it('survives whatever becomes of it', async () => {
  const templates = [TEMPLATE, set(1, n16(261), n16(4), n16(8), field(2, 2), field(10, 2))];
  const payloads = [
    version9(...templates, set(260, record(90_000))),
    ipfix(set(2, n16(300), n16(2), field(371, 65_535), field(8, 4)), set(300, '03616263c0000201')),
    version5(flow5(6, '00010002')),
  ];
  let events = 0;
  for (let seed = 1; seed <= 300; seed++) {
    const random = chance(seed);
    const frames = Array.from({ length: 4 }, () => {
      const payload = Uint8Array.from(payloads[random(payloads.length)]!);
      for (let n = random(6); n > 0; n--) payload[random(payload.length)] = random(256);
      return datagram(true, 2055, payload);
    });
    events += (await of('netflow', frames)).length;
  }
  expect(events).toBeGreaterThan(100);
});

describe('IPFIX over TCP', () => {
  const template = set(2, n16(300), n16(FIELDS.length), ...FIELDS);
  const data = set(300, record(90_000), record(91_000));
  const both = cat(ipfix(template), ipfix(data), ipfix(set(300, record(92_000))));

  const segments = (port: number, bytes: Uint8Array, size: number): Uint8Array[] =>
    Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
      stream(port).client(1 + i * size, bytes.subarray(i * size, (i + 1) * size)),
    );

  it.each([1, 7, 40, 1000])('is put together from segments of %d bytes', async (size) => {
    const rows = await of('netflow', segments(4739, both, size));
    expect(
      rows.map(({ event_type, bytes, src_ip4, flow_id }) => [event_type, bytes, src_ip4, flow_id]),
    ).toEqual(Array.from({ length: 3 }, () => ['ipfix', 77, 0xc0000201, 1]));
    expect(rows[0]?.attrs).toMatchObject({ exporter: CLIENT });
  });

  it('is known on other ports by its first message alone', async () => {
    expect(await of('netflow', segments(9995, both, 1000))).toHaveLength(3);
    expect(await of('netflow', segments(9995, ipfix(data), 1000))).toEqual([]);
  });

  it('reads on after a gap', async () => {
    const [begin, one] = [ipfix(template), ipfix(data)];
    const frames = [0, 1, 3, 4].map((n) =>
      stream(4739).client(
        1 + (n === 0 ? 0 : begin.length + (n - 1) * one.length),
        n === 0 ? begin : one,
      ),
    );
    expect(await of('netflow', frames)).toHaveLength(6);
  });

  it('keeps templates of connections apart, and says what it could not read', async () => {
    const { notes, rows } = await read([
      ...segments(9995, ipfix(template), 1000),
      ...segments(4739, ipfix(data), 1000),
    ]);
    expect(rows.filter(({ kind }) => kind === 'netflow')).toEqual([]);
    expect(notes.join()).toMatch(/34 bytes of NetFlow records cannot be read/);
  });
});
