import { expect, it } from 'vitest';
import type { ShownValue } from '../../query/index.ts';
import { summaryFields, summaryOf } from './event-summary.ts';

const told = (kind: string, fields: Readonly<Record<string, ShownValue>>): string | null =>
  summaryOf(kind, (name) => fields[name] ?? null);

it.each<[string, Record<string, ShownValue>, string]>([
  [
    'file',
    {
      event_type: 'files',
      'attrs.tx_hosts': '["192.0.2.1","192.0.2.2"]',
      'attrs.rx_hosts': ['198.51.100.7'],
      'attrs.source': 'HTTP',
      'attrs.mime_type': 'text/plain',
      'attrs.seen_bytes': '2593',
      'attrs.sha1': 'ab12',
      'attrs.md5': 'cd34',
    },
    'files 192.0.2.1, 192.0.2.2 → 198.51.100.7 HTTP text/plain 2.6 kB ab12',
  ],
  ['file', { event_type: 'fileinfo', 'attrs.fileinfo.filename': '/a.exe' }, 'fileinfo /a.exe'],
  [
    'other',
    {
      event_type: 'dhcp',
      'attrs.msg_types': ['DISCOVER', 'OFFER'],
      'attrs.host_name': 'host1',
      'attrs.assigned_addr': '192.0.2.9',
    },
    'dhcp DISCOVER, OFFER host1 192.0.2.9',
  ],
  [
    'flow',
    { conn_state: 'SF', proto: 'tcp', packets: 12345, bytes: 3700, packets_rev: 1, bytes_rev: 44 },
    'SF tcp 12,345 pkts 3.7 kB → 1 pkt 44 B',
  ],
  ['dns', { event_type: 'dns', 'attrs.dns.rrname': 'example.com' }, 'dns example.com'],
])('tells a %s %j', (kind, fields, text) => {
  expect(told(kind, fields)).toBe(text);
  const asked = new Set(summaryFields(new Set([kind as 'file'])));
  expect(Object.keys(fields).filter((name) => !asked.has(name))).toEqual([]);
});
