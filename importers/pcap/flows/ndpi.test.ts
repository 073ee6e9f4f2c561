/**
 * Packets per flow against the lists that nDPI's test suite expects of the same captures: which
 * packets belong together, on a few hundred captures of every kind.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import type { Importer } from '../../../engine/evidence/importer.ts';
import { collect, inputOf } from '../../shared/testing/collect.ts';
import { readCapture } from '../index.ts';
import { FlowTracker } from './index.ts';

const SHARED =
  process.env['DAYBOOK_SHARED'] ?? path.resolve(import.meta.dirname, '../../../../shared');
const EXPECTED = path.join(SHARED, 'data/other/ndpi-expected');
const CAPTURES = path.join(SHARED, 'data/pcap/ndpi/default/pcap');

/**
 * The remaining differences: nDPI ignores later fragments and packets it considers broken, looks into CAPWAP, has
 * port 0 for SCTP, and prints some IPv6 addresses with the zeros in the wrong place.
 */
const FLOOR = 0.975;

const FLOW =
  /^\s+\d+\s+(TCP|UDP) (\S+):(\d+) (?:->|<->) (\S+):(\d+) .*?\[(\d+) pkts\/\d+ bytes (?:->|<->) (\d+) pkts\//gm;

const tracking: Importer = {
  id: 'flows',
  title: 'flows',
  version: 1,
  appendOnly: false,
  formats: [],
  sniff: () => undefined,
  read: (input, sink) =>
    readCapture(input, sink, { packets: false }, new FlowTracker(sink.batch('flow'))),
};

function hex(text: string): string {
  const bare = text.replace(/[[\]]/g, '');
  if (!bare.includes(':')) {
    return Buffer.from(bare.split('.').map(Number)).toString('hex');
  }
  const [head = '', tail] = bare.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  return [...left, ...Array<string>(zeros).fill('0'), ...right]
    .map((word) => word.padStart(4, '0'))
    .join('');
}

function key(proto: unknown, a: string, aPort: unknown, b: string, bPort: unknown): string {
  return `${String(proto)} ${[`${a}:${String(aPort)}`, `${b}:${String(bPort)}`].sort().join(' ')}`;
}

function add(into: Map<string, number>, name: string, packets: number): void {
  into.set(name, (into.get(name) ?? 0) + packets);
}

it.skipIf(!existsSync(EXPECTED))(
  'flows have the packets that nDPI counts (skipped without the shared evidence)',
  async () => {
    let flows = 0;
    let same = 0;
    const other: string[] = [];
    for (const name of readdirSync(EXPECTED)) {
      const capture = path.join(CAPTURES, name.replace(/\.out$/, ''));
      if (!existsSync(capture)) continue;
      const wanted = new Map<string, number>();
      for (const flow of readFileSync(path.join(EXPECTED, name), 'utf8').matchAll(FLOW)) {
        const [, proto, a = '', aPort, b = '', bPort, forth, back] = flow;
        const ends = key(proto === 'TCP' ? 6 : 17, hex(a), aPort, hex(b), bPort);
        add(wanted, ends, Number(forth) + Number(back));
      }
      const out = await collect(tracking, inputOf(readFileSync(capture)));
      const ours = new Map<string, number>();
      for (const row of out.rows) {
        const address = (ip4: unknown, ip6: unknown): string =>
          typeof ip4 === 'number' ? ip4.toString(16).padStart(8, '0') : String(ip6);
        const ends = key(
          row['proto'],
          address(row['src_ip4'], row['src_ip6']),
          row['src_port'],
          address(row['dst_ip4'], row['dst_ip6']),
          row['dst_port'],
        );
        add(ours, ends, Number(row['packets']) + Number(row['packets_rev']));
      }
      for (const [ends, packets] of wanted) {
        flows += 1;
        if (ours.get(ends) === packets) same += 1;
        else other.push(`${name} ${ends}: ${packets}, ours ${ours.get(ends) ?? 'none'}`);
      }
    }
    console.info(`${same} of ${flows} flows have the packets that nDPI counts`);
    expect(flows).toBeGreaterThan(1000);
    expect(same / flows, other.join('\n')).toBeGreaterThan(FLOOR);
  },
  60_000,
);
