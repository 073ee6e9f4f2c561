/** sFlow version 5, in datagrams that are built here. */
import { expect, it } from 'vitest';
import { ascii, cat, ethernet, hex, ip4, n16, n32, tcp } from '../testing/build.ts';
import type { ProtocolMessage } from './messages.ts';
import { SflowSamples } from './sflow.ts';
import { datagram, of } from './testing/frames.ts';
import { chance, changed } from './testing/mutated.ts';

const item = (format: number, ...parts: readonly Uint8Array[]): Uint8Array => {
  const content = cat(...parts);
  return cat(n32(format), n32(content.length), content);
};
const sflow = (...samples: readonly Uint8Array[]): Uint8Array =>
  cat(
    n32(5),
    n32(1),
    hex('cb007101'),
    ...[0, 9, 1000, samples.length].map((word) => n32(word)),
    ...samples,
  );

const SEGMENT = ip4(
  { src: '192.0.2.1', dst: '198.51.100.2', proto: 6 },
  tcp({ src: 54_321, dst: 443, flags: 0x12 }, ascii('abcdef')),
);
const FRAME = ethernet(0x8100, cat(n16(7), n16(0x0800), SEGMENT));
const PADDED = cat(FRAME, new Uint8Array((4 - (FRAME.length % 4)) % 4));
/** The frame had 1,518 bytes. */
const RAW = item(1, n32(1), n32(1518), n32(4), n32(FRAME.length), PADDED);
const STATED = item(
  3,
  ...[n32(100), n32(17), hex('c0000209'), hex('c6336409'), n32(5353), n32(53), n32(0), n32(0)],
);
/** One packet of 512, from interface 3 to `output`. */
const flows = (output: number, ...records: readonly Uint8Array[]): Uint8Array =>
  item(1, ...[1, 3, 512, 9999, 0, 3, output, records.length].map((word) => n32(word)), ...records);
const COUNTERS = item(2, n32(1), n32(3), n32(1), item(1, new Uint8Array(88)));
const DATAGRAM = sflow(
  flows(4, item(1001, new Uint8Array(16)), RAW),
  COUNTERS,
  flows(0x4000_0100, STATED),
);

it('says which packets were sampled', async () => {
  const [raw, stated, ...more] = await of('netflow', [datagram(true, 6343, DATAGRAM)]);
  expect(more).toEqual([]);
  expect(raw).toMatchObject({
    ...{ src_ip4: 0xc0000201, dst_ip4: 0xc6336402, src_port: 54_321, dst_port: 443, proto: 6 },
    ...{ vlan: 7, packets: 1, bytes: 1518, tcp_flags: 0x12, iface_in: '3', iface_out: '4' },
    ...{ event_type: 'sflow', flow_id: 1, ts: 1_700_000_000_000_000 },
    message: '1 packet, 1518 bytes, one of 512, reported by 203.0.113.1',
    attrs: { exporter: '203.0.113.1', samplingInterval: '512' },
  });
  expect(stated).toMatchObject({
    ...{ src_ip4: 0xc0000209, dst_port: 53, proto: 17, bytes: 100 },
    attrs: { discarded: '256' },
  });
  expect(stated).not.toHaveProperty('iface_out');
  const [flow] = await of('flow', [datagram(true, 6343, DATAGRAM)]);
  expect(flow).toMatchObject({ service: 'sflow' });
});

it('says which packets were sampled whose addresses are not known', async () => {
  const arp = ethernet(0x0806, new Uint8Array(28));
  const padded = cat(arp, new Uint8Array((4 - (arp.length % 4)) % 4));
  const raw = item(1, n32(1), n32(60), n32(4), n32(arp.length), padded);
  const other = item(1001, new Uint8Array(16));
  const rows = await of('netflow', [
    datagram(true, 6343, sflow(flows(4, raw), flows(4, other), flows(4, raw, STATED))),
  ]);
  expect(rows.map((row) => [row['packets'], row['bytes'], row['message']])).toEqual([
    [1, 60, '1 packet, 60 bytes, one of 512, reported by 203.0.113.1'],
    [1, undefined, '1 packet, one of 512, reported by 203.0.113.1'],
    [1, 100, '1 packet, 100 bytes, one of 512, reported by 203.0.113.1'],
  ]);
  expect(rows.map((row) => row['src_ip4'])).toEqual([undefined, undefined, 0xc0000209]);
  expect(rows.map((row) => row['vlan'])).toEqual([undefined, undefined, undefined]);
});

it('says the VLAN of a sampled frame that is not IP', async () => {
  const arp = ethernet(0x8100, cat(n16(42), n16(0x0806), new Uint8Array(28)));
  const padded = cat(arp, new Uint8Array((4 - (arp.length % 4)) % 4));
  const raw = item(1, n32(1), n32(64), n32(4), n32(arp.length), padded);
  const rows = await of('netflow', [
    datagram(true, 6343, sflow(flows(4, raw), flows(4, raw, STATED), flows(4, STATED))),
  ]);
  expect(rows.map((row) => [row['src_ip4'], row['vlan']])).toEqual([
    [undefined, 42],
    [0xc0000209, 42],
    [0xc0000209, undefined],
  ]);
});

it('reads samples with interfaces of two words', async () => {
  const expanded = item(
    3,
    ...[1, 0, 3, 512, 9999, 0, 0, 70_000, 0, 70_001, 1].map((word) => n32(word)),
    RAW,
  );
  const [row] = await of('netflow', [datagram(true, 6343, sflow(expanded))]);
  expect(row).toMatchObject({ iface_in: '70000', iface_out: '70001', dst_port: 443 });
});

it('takes nothing else for sFlow', async () => {
  for (const bytes of [
    DATAGRAM.subarray(0, -4),
    cat(DATAGRAM, n32(0)),
    cat(n32(4), DATAGRAM.subarray(4)),
  ])
    expect(await of('netflow', [datagram(true, 6343, bytes)])).toEqual([]);
});

it('survives whatever becomes of it', () => {
  let events = 0;
  for (let seed = 1; seed <= 2000; seed++) {
    const messages: ProtocolMessage[] = [];
    const samples = new SflowSamples({ message: (_, one) => messages.push(one) });
    const bytes = changed(DATAGRAM, chance(seed));
    samples.take(bytes, 0, bytes.length, 1, { micros: 1, nanos: 0, digits: 6 });
    events += messages.length;
  }
  expect(events).toBeGreaterThan(500);
});
