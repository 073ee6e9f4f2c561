/** Doubtful values of the fields' truth are told apart from our mistakes and from other choices. */
import { expect, it } from 'vitest';
import { doubtOf } from './fields-truth-doubts.ts';

const OUTBOUND =
  '%ASA-6-302013: Built outbound TCP connection 7 for outside:192.0.2.1/80 (192.0.2.1/80) to inside:198.51.100.2/1772 (198.51.100.2/1772)';
const INSIDE = {
  ...{ src_ip: '198.51.100.2', src_port: '1772', dst_ip: '192.0.2.1', dst_port: '80' },
};
const ASA = 'device/beats/cisco/asa/asa.log';
const SENT = { dst_ip: '192.0.2.1', dst_port: '53' };
const BIND = 'device/sekoia/BIND/bind.log';
const FTD = 'device/sekoia/Cisco/cisco-secure-firewall.log';
const O365 = 'cloud/elastic/o365/audit/a.ndjson';
const ESXI = 'host/sekoia/VMWare/vmware-esxi.log';
const LOGIN = 'Event 9 : User root@127.0.0.1 logged in as pyvmomi Python/3.8.13';

type Found = Readonly<Record<string, string>>;

function isDoubt(path: string, field: string, value: string, line: string, own: Found): boolean {
  return doubtOf({ path, field, value, line, found: (name) => own[name] }) >= 0;
}

it.each<[path: string, field: string, value: string, line: string, found: Found]>([
  [ASA, 'user', 'N/A', 'user="N/A"', {}],
  [ASA, 'src_ip', '192.0.2.1', OUTBOUND, INSIDE],
  [ASA, 'dst_port', '1772', OUTBOUND, INSIDE],
  [FTD, 'src_port', '14', '%ASA-6-302020: Built ICMP connection for faddr 192.0.2.1/14 gaddr', {}],
  [BIND, 'src_ip', '192.0.2.1', "timed out resolving 'a.example/A/IN': 192.0.2.1#53", SENT],
  [BIND, 'src_port', '53', "transfer of 'a.example/IN' from 192.0.2.1#53: connected", SENT],
  [O365, 'user', 'bob', '{"UserId":"bob@example.com"}', { user: 'bob@example.com' }],
  [O365, 'host', 'example.com', '{"UserId":"bob@example.com"}', {}],
  [O365, 'event_code', 'SharePoint', '{"RecordType":4,"x":1}', { event_code: '4' }],
  [ESXI, 'user', 'pyvmomi', LOGIN, { user: 'root' }],
])('is a doubt: %s %s %s', (...difference) => {
  expect(isDoubt(...difference)).toBe(true);
});

it.each<[why: string, path: string, field: string, value: string, line: string, found: Found]>([
  ['a wrong account', ASA, 'user', 'unknown', 'user=unknown', { user: 'alice' }],
  [
    'another of its addresses',
    ASA,
    'src_ip',
    '0.0.0.0',
    '0.0.0.0,192.0.2.1',
    { src_ip: '192.0.2.1' },
  ],
  ['zero as a name', ASA, 'user', '0', 'user=0', {}],
  ['a port in another message', FTD, 'src_port', '14', '%ASA-4-313009: Denied a/14', {}],
  ['a wrong port', FTD, 'src_port', '14', '%ASA-6-302020: for faddr a/140', {}],
  ['a side that is lost', ASA, 'src_ip', '192.0.2.1', OUTBOUND, {}],
  ['a wrong side', ASA, 'src_ip', '192.0.2.1', OUTBOUND, { ...INSIDE, src_ip: '203.0.113.9' }],
  ['an inbound one', ASA, 'src_ip', '192.0.2.1', OUTBOUND.replace('outbound', 'inbound'), INSIDE],
  ['a server that is lost', BIND, 'src_ip', '192.0.2.1', "resolving 'a/A/IN': 192.0.2.1#53", {}],
  ['a client', BIND, 'src_ip', '192.0.2.9', "client 192.0.2.9#7: transfer of 'a/IN'", SENT],
  ['an account stated alone', O365, 'user', 'bob', '["bob","bob@a.b"]', { user: 'bob@a.b' }],
  ['a host of the record', O365, 'host', 'web1', '{"host":"web1"}', {}],
  ['a wrong host', O365, 'host', 'a.b', '{"UserId":"bob@a.b"}', { host: 'web1' }],
  ['a wrong code', O365, 'event_code', 'SharePoint', '{"RecordType":4}', { event_code: '5' }],
  ['another account', ESXI, 'user', 'root', LOGIN, { user: 'pyvmomi' }],
])('is none: %s', (_, ...difference) => {
  expect(isDoubt(...difference)).toBe(false);
});
