/** A dozen events of every kind that filters and stages treat differently. */
import { parseIp4 } from '../values/address.ts';
import type { TestEvent } from './test-case.ts';

export const DAY1 = Date.UTC(2026, 10, 20) * 1000;
export const DAY2 = Date.UTC(2026, 10, 21) * 1000;
const MINUTE = 60e6;

function ip(text: string): number {
  const value = parseIp4(text);
  if (value === undefined) throw new Error(`no address: ${text}`);
  return value;
}

function flow(
  seq: number,
  ts: number,
  from: string,
  to: string,
  ports: readonly [number, number],
  bytes: readonly [number, number],
  more: TestEvent['fields'] = {},
  tags: readonly number[] = [],
): TestEvent {
  return {
    kind: 'flow',
    source: 1,
    seq,
    ts,
    fields: {
      src_ip4: ip(from),
      dst_ip4: ip(to),
      src_port: ports[0],
      dst_port: ports[1],
      proto: 6,
      bytes: bytes[0],
      bytes_rev: bytes[1],
      packets: 2,
      packets_rev: 1,
      duration: 60,
      ...more,
    },
    attributes: {},
    tags,
  };
}

function log(
  seq: number,
  ts: number | undefined,
  message: string,
  fields: TestEvent['fields'],
  attributes: TestEvent['attributes'] = {},
  more: Partial<TestEvent> = {},
): TestEvent {
  return {
    kind: 'log',
    source: 2,
    seq,
    ts,
    fields: { message, ...fields },
    attributes,
    ...more,
  };
}

/** Ids: flows `1:1` … `1:4`, logs `2:1` … `2:7`, packets `3:1` … `3:3` (the last of no flow). */
export const EVENTS: readonly TestEvent[] = [
  flow(1, DAY1 + 60 * MINUTE, '10.0.0.1', '10.9.9.9', [4444, 443], [100, 1000]),
  flow(2, DAY1 + 61 * MINUTE, '10.9.9.9', '10.0.0.1', [443, 4444], [50, 5], { proto: 17 }, [1]),
  flow(3, DAY2 + 5 * MINUTE, '192.168.1.7', '10.0.0.1', [5555, 22], [7, 8], { service: 'ssh' }),
  {
    ...flow(4, DAY2 + 6 * MINUTE, '0.0.0.0', '0.0.0.0', [5353, 53], [300, 400]),
    fields: {
      src_ip6: '20010db8-0000-0000-0000-000000000001',
      dst_ip6: '20010db8-0000-0000-0000-0000000000ff',
      src_port: 5353,
      dst_port: 53,
      proto: 17,
      bytes: 300,
      bytes_rev: 400,
    },
  },
  log(
    1,
    DAY1 + 60 * MINUTE,
    'Failed password for root from 10.0.0.1 port 22 ssh2',
    { host: 'web01', program: 'sshd', severity: 3, facility: 4, ts_ns: 7, ts_digits: 9 },
    { user: 'root', status: '404' },
  ),
  log(
    2,
    DAY1 + 60 * MINUTE,
    'Accepted password for alice from 192.168.1.7 port 22 ssh2',
    { host: 'WEB01', program: 'sshd', severity: 6, facility: 10, ts_ns: 9 },
    { user: 'Alice', status: '200' },
    { tags: [1, 2] },
  ),
  log(
    3,
    DAY2 + 30 * MINUTE,
    'open("/etc/passwd") by naïve_user; fail_count=3',
    { host: 'db-2', program: 'auditd', severity: 5 },
    { 'Flow "ID"': 'a-b.c', status: '1e3' },
    { overflow: { 'odd/key': 'Needle in overflow', n: '12' } },
  ),
  log(4, DAY2 + 31 * MINUTE, 'mail sent to a@b.c AND a@b-c', { host: 'mx', event_type: 'smtp' }),
  log(5, undefined, 'no time at all, failed', { host: 'web01' }),
  log(6, DAY2 + 32 * MINUTE, 'deleted: failed', { host: 'web01' }, {}, { deleted: true }),
  log(7, DAY2 + 33 * MINUTE, '--- ', { severity: 7 }),
  {
    kind: 'packet',
    source: 3,
    seq: 1,
    ts: DAY2 + 5 * MINUTE,
    fields: {
      src_ip4: ip('192.168.1.7'),
      dst_ip4: ip('10.0.0.1'),
      src_port: 5555,
      dst_port: 22,
      proto: 6,
      bytes: 60,
      flow_id: 1,
    },
    attributes: {},
  },
  {
    kind: 'packet',
    source: 3,
    seq: 2,
    ts: DAY2 + 5 * MINUTE + 1,
    fields: { src_ip4: ip('10.0.0.1'), dst_ip4: ip('192.168.1.7'), bytes: 40, flow_id: 1 },
    attributes: {},
  },
  {
    kind: 'packet',
    source: 3,
    seq: 3,
    ts: DAY2 + 7 * MINUTE,
    fields: { bytes: 42, event_type: 'arp' },
    attributes: {},
  },
  {
    kind: 'flow',
    source: 3,
    seq: -1,
    ts: DAY2 + 5 * MINUTE,
    fields: {
      src_ip4: ip('192.168.1.7'),
      dst_ip4: ip('10.0.0.1'),
      src_port: 5555,
      dst_port: 22,
      proto: 6,
      bytes: 60,
      bytes_rev: 40,
      packets: 1,
      packets_rev: 1,
      duration: 0.5,
    },
    attributes: {},
  },
];
