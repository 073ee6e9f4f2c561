/**
 * Every capture of the shared evidence that tshark reads, against tshark's and capinfos' counts: packets, first and
 * last time to the nanosecond, and packets by transport protocol.
 *
 * Differences and their reasons are in DIFFERENCES and in docs/importers/pcap-differences.md; an unlisted
 * difference fails, and so does a listed one that does not occur.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { constants, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { EventBatch } from '../../engine/columns/event-batch.ts';
import type { EventSink } from '../../engine/evidence/importer.ts';
import { inputOf } from '../shared/testing/collect.ts';
import { pcapImporter, readCapture } from './index.ts';
import type { Packet } from './decode/packet.ts';

const SHARED =
  process.env['DAYBOOK_SHARED'] ?? path.resolve(import.meta.dirname, '../../../shared');
const DATA = path.join(SHARED, 'data');
const TRUTH = path.join(DATA, 'pcap-truth.tsv');

const FRACTION =
  'a fraction of a second of a second or more: tshark reads it as signed and does not carry it';
const PIM = 'tshark reads the packet inside a PIM register message';

/** Our values where they differ from the truth's, by the end of the file's path. */
const DIFFERENCES: Readonly<
  Record<string, { what: Readonly<Record<string, string>>; why: string }>
> = {
  'fuzz-2021-06-07-c6c72a0a56.pcap': {
    what: { first: '1953635450.562680000', last: '1953635450.562680000' },
    why: FRACTION,
  },
  'atm-oam-loopback-print-overrun.pcap': {
    what: { first: '1544489736.821166000', last: '1544489736.821166000' },
    why: FRACTION,
  },
  'rx_serviceid_oobr.pcap': { what: { first: '3841.916976000' }, why: FRACTION },
  'timestamp_invalid_micro.pcap': { what: { last: '1418147517.483648000' }, why: FRACTION },
  'timestamp_invalid_nano.pcap': {
    what: { first: '1418145369.999999999', last: '1418145372.147483648' },
    why: FRACTION,
  },
  'file_heuristics/pcapng-example.pcapng.zst': {
    what: { last: '2894531997.938836488' },
    why: 'times beyond the year 2200 are stored undated, with the raw stamp',
  },
  'PcapExamples/pcapng-example.pcapng': {
    what: { last: '2894531997.938836488' },
    why: 'times beyond the year 2200 are stored undated, with the raw stamp',
  },
  'LINKTYPE_IPV6_invalid.pcap': {
    what: { udp: '1' },
    why: 'an IPv4 packet on an IPv6 link: read by its version, where tshark refuses it',
  },
  'PIM_register_register-stop.pcap': { what: { icmp: '0' }, why: PIM },
  'pim-packet-assortment.pcap': { what: { udp: '0' }, why: PIM },
  'nhrp-trace.pcap': {
    what: { icmp: '0' },
    why: 'tshark reads the packet that an NHRP error quotes',
  },
  'ipv6-mobility-dst-opts.pcap': {
    what: { udp: '3' },
    why: 'destination options that are malformed inside: the headers name UDP; tshark stops there',
  },
  'ipv6_zero_len_ah.pcap': {
    what: { icmpv6: '9' },
    why: 'an authentication header of impossible length: what follows is not trusted',
  },
  'ipv4-internally-truncated-header.pcap': {
    what: { tcp: '1' },
    why: 'the options are cut, but the header that names TCP is whole',
  },
};

interface Row {
  readonly path: string;
  readonly get: (column: string) => string;
}

function truthRows(): Row[] {
  const [header, ...rows] = readFileSync(TRUTH, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'));
  return rows.map((cells) => {
    const get = (column: string) => cells[header!.indexOf(column)] ?? '';
    return { path: get('path'), get };
  });
}

/**
 * Counts as tshark does with defragmentation: a fragmented datagram counts once, with the fragment that completes
 * it; a first fragment that was truncated by the capture cannot be reassembled, and counts immediately. A tunnel on
 * UDP counts as UDP, the outermost transport layer.
 */
class Counter {
  first: [number, number] = [Infinity, 0];
  last: [number, number] = [-Infinity, 0];
  readonly counts: Record<string, number> = { tcp: 0, udp: 0, icmp: 0, icmpv6: 0 };
  private readonly open = new Map<
    string,
    { parts: [number, number][]; total: number; proto: number }
  >();

  packet(p: Packet): number {
    const time: [number, number] = [p.micros, p.nanos];
    if (before(time, this.first)) this.first = time;
    if (before(this.last, time)) this.last = time;
    if (p.proto < 0) return 0;
    if (/vxlan|geneve|gtp|mpls-in-udp/.test(p.tunnel)) this.count(17);
    else if (!p.moreFragments && p.fragmentOffset === 0) this.count(p.proto);
    else this.fragment(p);
    return 0;
  }

  finish(): void {
    this.open.clear();
  }

  private fragment(p: Packet): void {
    const size = p.ipLength - p.ipHeaderLength;
    const captured = p.transport < 0 ? 0 : p.end - p.transport;
    if (p.fragmentOffset === 0 && size > captured) {
      this.count(p.proto);
      return;
    }
    const addresses =
      p.ipVersion === 4
        ? `${p.src4}>${p.dst4}/${p.proto}`
        : Buffer.from(p.bytes.subarray(p.src6, p.src6 + 32)).toString('hex');
    const key = `${addresses}#${p.fragmentId}`;
    const whole = this.open.get(key) ?? { parts: [], total: -1, proto: p.proto };
    this.open.set(key, whole);
    if (p.fragmentOffset === 0) whole.proto = p.proto;
    if (!p.moreFragments) whole.total = p.fragmentOffset + size;
    whole.parts.push([p.fragmentOffset, p.fragmentOffset + size]);
    whole.parts.sort((a, b) => a[0] - b[0]);
    let reached = 0;
    for (const [start, end] of whole.parts) if (start <= reached) reached = Math.max(reached, end);
    if (whole.total < 0 || reached < whole.total) return;
    this.open.delete(key);
    this.count(whole.proto);
  }

  private count(proto: number): void {
    const name = { 1: 'icmp', 6: 'tcp', 17: 'udp', 58: 'icmpv6' }[proto];
    if (name !== undefined) this.counts[name] = this.counts[name]! + 1;
  }
}

function before(a: [number, number], b: [number, number]): boolean {
  return a[0] < b[0] || (a[0] === b[0] && a[1] < b[1]);
}

function seconds([micros, nanos]: [number, number]): string {
  if (!Number.isFinite(micros)) return '';
  const fraction = String(micros % 1_000_000).padStart(6, '0') + String(nanos).padStart(3, '0');
  return `${Math.floor(micros / 1_000_000)}.${fraction}`;
}

function content(row: Row): Uint8Array {
  const bytes = readFileSync(path.join(DATA, row.path));
  const compression = row.get('compression');
  if (compression === 'gzip') {
    return new Uint8Array(gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH }));
  }
  return new Uint8Array(compression === 'zstd' ? zstdDecompressSync(bytes) : bytes);
}

interface Reading {
  records: number;
  quarantined: number;
  counter: Counter;
}

async function readAll(bytes: Uint8Array): Promise<Reading> {
  const out: Reading = { records: 0, quarantined: 0, counter: new Counter() };
  const batch = new EventBatch('packet', (full) => full.clear(), 2000);
  const sink: EventSink = {
    batch: () => batch,
    record(n) {
      out.records += n;
    },
    quarantine() {
      out.quarantined += 1;
    },
    skip() {},
    note() {},
    metadata() {},
    decide() {},
    drain: () => undefined,
  };
  await readCapture(inputOf(bytes), sink, { packets: true }, out.counter);
  return out;
}

/** Differences from the truth: our value by its name. */
function differences(row: Row, reading: Reading): Record<string, string> {
  const out: Record<string, string> = {};
  if (String(reading.records) !== row.get('packets_capinfos')) {
    out['packets'] = String(reading.records);
  }
  const first = seconds(reading.counter.first);
  const last = seconds(reading.counter.last);
  if (first !== row.get('first_ts')) out['first'] = first;
  if (last !== row.get('last_ts')) out['last'] = last;
  for (const [name, n] of Object.entries(reading.counter.counts)) {
    const known = [row.get(`outermost_${name}`), row.get(`frames_${name}`)];
    if (!known.includes(String(n))) out[name] = String(n);
  }
  return out;
}

const listed = (row: Row) =>
  Object.entries(DIFFERENCES).find(([end]) => row.path.endsWith(`/${end}`))?.[1];

it.skipIf(!existsSync(TRUTH))(
  'agrees with tshark (skipped without the shared evidence)',
  async () => {
    const rows = truthRows().filter((row) => row.get('readable_by_tshark') === 'yes');
    const unexplained: string[] = [];
    let exact = 0;
    for (const row of rows) {
      const bytes = content(row);
      const sniffed = pcapImporter.sniff(bytes.subarray(0, 65_536), { name: '', complete: false });
      if (sniffed === undefined) unexplained.push(`${row.path}: not recognised`);
      const found = differences(row, await readAll(bytes));
      const wanted = listed(row)?.what ?? {};
      if (Object.keys(found).length === 0) exact += 1;
      const asListed =
        Object.keys(found).length === Object.keys(wanted).length &&
        Object.entries(wanted).every(([what, value]) => found[what] === value);
      if (!asListed) unexplained.push(`${row.path}: ${JSON.stringify(found)}`);
    }
    expect(unexplained).toEqual([]);
    expect(exact).toBe(rows.length - Object.keys(DIFFERENCES).length);
    console.log(`${exact} of ${rows.length} captures agree in everything`);
  },
  120_000,
);

it.skipIf(!existsSync(TRUTH))(
  'reads what tshark cannot (skipped without the shared evidence)',
  async () => {
    for (const row of truthRows().filter((row) => row.get('readable_by_tshark') === 'no')) {
      const reading = await readAll(content(row));
      const cut = row.get('raw_walk_end') === 'clean' ? 0 : 1;
      expect([row.path, reading.quarantined]).toEqual([row.path, cut]);
      if (cut === 0) expect(reading.records).toBe(Number(row.get('records_raw_walk')));
    }
  },
  60_000,
);
