/**
 * Our flows against Zeek's own conn.log of the same captures (the baselines of Zeek's test suite).
 * Baselines write times as X, so connections are paired by their addresses, ports and protocol, in
 * the order of their start.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Importer } from '../../../engine/evidence/importer.ts';
import { collect, inputOf, type CollectedRow } from '../../shared/testing/collect.ts';
import { readCapture } from '../index.ts';
import { FlowTracker } from './index.ts';

const SHARED =
  process.env['DAYBOOK_SHARED'] ?? path.resolve(import.meta.dirname, '../../../../shared');
const DATA = path.join(SHARED, 'data');
const PAIRS = path.join(DATA, 'other/zeek-pairs.tsv');

/** Tests that change how Zeek processes packets: their logs do not describe the capture. */
const ALTERED: Record<string, string> = {
  'frameworks/netcontrol/packetfilter': 'drops packets of connections by a script',
  'core/pcap/dynamic-filter': 'changes the capture filter while reading',
  'core/pcap/read-trace-with-filter': 'reads with a capture filter',
  'frameworks/analyzer/request-analyzer': 'packets are not counted',
  'logging/field-extension': 'runs without the list of likely server ports',
  'protocols/ftp/gridftp': 'a script stops following one connection',
};

/**
 * Connections whose every field is Zeek's, of those compared. What is left: docs/importers/flows-from-packets.md.
 */
const EXACT_FLOOR = 0.94;

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

function ip4(value: number): string {
  return [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255].join('.');
}

/** IPv6 as 32 hex digits, IPv4 unchanged. */
function address(text: string): string {
  if (!text.includes(':')) return text;
  const dotted = /(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(text);
  let plain = text;
  if (dotted !== null) {
    const [a, b, c, d] = dotted.slice(1).map(Number);
    const high = ((a! << 8) | b!).toString(16);
    const low = ((c! << 8) | d!).toString(16);
    plain = `${text.slice(0, dotted.index)}${high}:${low}`;
  }
  const [head = '', tail] = plain.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const middle = tail === undefined ? [] : Array<string>(8 - left.length - right.length).fill('0');
  return [...left, ...middle, ...right].map((word) => word.padStart(4, '0')).join('');
}

function keyOf(row: CollectedRow): string {
  const side = (ip: unknown, ip6: unknown): string =>
    typeof ip === 'number' ? ip4(ip) : String(ip6);
  // Zeek knows the ports of TCP, UDP and ICMP only.
  const ports = [1, 6, 17, 58].includes(Number(row['proto']));
  return [
    side(row['src_ip4'], row['src_ip6']),
    ports ? row['src_port'] : 0,
    side(row['dst_ip4'], row['dst_ip6']),
    ports ? row['dst_port'] : 0,
    row['proto'],
  ].join(' ');
}

interface Comparison {
  compared: number;
  paired: number;
  exact: number;
  extra: number;
  differences: string[];
  byField: Record<string, number>;
}

const FIELDS = {
  conn_state: 'conn_state',
  history: 'history',
  orig_pkts: 'packets',
  orig_ip_bytes: 'bytes',
  resp_pkts: 'packets_rev',
  resp_ip_bytes: 'bytes_rev',
  orig_bytes: 'orig_bytes',
  resp_bytes: 'resp_bytes',
  missed_bytes: 'missed_bytes',
} as const;
/** Zeek leaves them out without a duration, and has 0 for protocols it does not know. */
const SOFT = new Set(['orig_bytes', 'resp_bytes', 'missed_bytes']);

async function compare(pcap: string, log: string, into: Comparison): Promise<void> {
  const lines = readFileSync(path.join(DATA, log), 'utf8').split('\n');
  const names = lines
    .find((line) => line.startsWith('#fields'))
    ?.split('\t')
    .slice(1);
  // Some tests keep a few columns only, or rename them.
  if (names === undefined || !names.includes('id.orig_h') || !names.includes('history')) return;
  const raw = readFileSync(path.join(DATA, pcap));
  const out = await collect(tracking, inputOf(pcap.endsWith('.gz') ? gunzipSync(raw) : raw));
  const ours = new Map<string, CollectedRow[]>();
  const rows = out.rows.sort((a, b) => Number(b['seq']) - Number(a['seq']));
  for (const row of rows) {
    const key = keyOf(row);
    ours.set(key, [...(ours.get(key) ?? []), row]);
  }
  let found = 0;
  for (const line of lines) {
    if (line === '' || line.startsWith('#')) continue;
    const values = line.split('\t');
    const value = (name: string): string => values[names.indexOf(name)] ?? '-';
    const known: Record<string, string> = { tcp: '6', udp: '17', icmp: '1' };
    const proto = names.includes('ip_proto') ? value('ip_proto') : known[value('proto')];
    const key = [
      address(value('id.orig_h')),
      value('id.orig_p'),
      address(value('id.resp_h')),
      value('id.resp_p'),
      proto,
    ].join(' ');
    into.compared += 1;
    const row = ours.get(key)?.shift();
    const where = `${path.basename(path.dirname(log))}: ${key}`;
    if (row === undefined) {
      into.differences.push(`${where}: not found`);
      into.byField['not found'] = (into.byField['not found'] ?? 0) + 1;
      continue;
    }
    into.paired += 1;
    found += 1;
    const wrong: string[] = [];
    for (const [theirs, mine] of Object.entries(FIELDS)) {
      const expected = value(theirs);
      const field = row[mine];
      const got = typeof field === 'number' || typeof field === 'string' ? `${field}` : '-';
      if (expected === got) continue;
      if (SOFT.has(theirs) && (expected === '-' || got === '-')) continue;
      wrong.push(theirs);
    }
    const expected = value('duration');
    const got = typeof row['duration'] === 'number' ? row['duration'] : undefined;
    if (expected === '-' ? got !== undefined : Math.abs(Number(expected) - (got ?? 0)) > 2e-6) {
      wrong.push('duration');
    }
    if (wrong.length === 0) into.exact += 1;
    else into.differences.push(`${where}: ${wrong.join(', ')}`);
    for (const name of wrong) into.byField[name] = (into.byField[name] ?? 0) + 1;
  }
  into.extra += rows.length - found;
}

const present = existsSync(PAIRS);

describe('flows against Zeek', () => {
  it.skipIf(!present)(
    'have the fields of conn.log (skipped without the shared evidence)',
    async () => {
      const total: Comparison = {
        compared: 0,
        paired: 0,
        exact: 0,
        extra: 0,
        differences: [],
        byField: {},
      };
      const pairs = readFileSync(PAIRS, 'utf8').trim().split('\n').slice(1);
      for (const pair of pairs) {
        const [pcap = '', log = '', test = ''] = pair.split('\t');
        if (Object.keys(ALTERED).some((name) => test.includes(name))) continue;
        if (!existsSync(path.join(DATA, pcap)) || !existsSync(path.join(DATA, log))) continue;
        await compare(pcap, log, total);
      }
      console.info(
        `${total.compared} connections, ${total.paired} paired, ${total.exact} exact, ` +
          `${total.extra} of ours besides; by field: ${JSON.stringify(total.byField)}`,
      );
      expect(total.compared).toBeGreaterThan(190);
      expect(total.exact / total.compared, total.differences.join('\n')).toBeGreaterThan(
        EXACT_FLOOR,
      );
      expect(total.paired / total.compared).toBeGreaterThan(0.98);
    },
    60_000,
  );
});
