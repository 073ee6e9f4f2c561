/** Golden results of decoding: one frame per line, with every column and attribute it must give. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { collect, inputOf, type CollectedRow } from '../../shared/testing/collect.ts';
import {
  ACK,
  arp,
  ascii,
  cat,
  classicFile,
  ethernet,
  icmp,
  Section,
  ip4,
  ip6,
  ip6Bytes,
  MAC_A,
  MAC_B,
  n16,
  n32,
  snap,
  SYN,
  tcp,
  udp,
  vlanTag,
  type Bytes,
} from '../testing/build.ts';
import { pcapImporter } from '../index.ts';

const A = '10.0.0.1';
const B = '10.0.0.2';
const C = '192.168.1.1';
const D = '192.168.1.2';
const A6 = '2001:db8::1';
const B6 = '2001:db8::2';
const num = (address: string) => address.split('.').reduce((sum, part) => sum * 256 + +part, 0);
const hex6 = (address: string) => Buffer.from(ip6Bytes(address)).toString('hex');

const DATA = ascii('payload!');
const tcpSegment = tcp({ src: 1234, dst: 80, flags: SYN | ACK, seq: 7, ack: 9, window: 100 }, DATA);
const udpDatagram = udp(5000, 53, DATA);
const tcpPacket = ip4({ src: A, dst: B, proto: 6 }, tcpSegment);
const tcp6Packet = ip6({ src: A6, dst: B6, proto: 6 }, tcpSegment);
const outer = (proto: number, payload: Bytes) => ip4({ src: C, dst: D, proto }, payload);

const V4 = { src_ip4: num(A), dst_ip4: num(B) };
const V6 = { src_ip6: hex6(A6), dst_ip6: hex6(B6) };
const TCP_COLUMNS = {
  proto: 6,
  src_port: 1234,
  dst_port: 80,
  tcp_flags: SYN | ACK,
  event_type: 'tcp',
};
const TCP = { ...V4, ...TCP_COLUMNS };
const TCP6 = { ...V6, ...TCP_COLUMNS };
const UDP = { ...V4, proto: 17, src_port: 5000, dst_port: 53, event_type: 'udp' };
const OUTER = { src_ip4: num(C), dst_ip4: num(D) };
const MACS = { src_mac: '02:00:00:00:00:0a', dst_mac: '02:00:00:00:00:0b' };

type Expected = Record<string, unknown> & { attrs?: Record<string, string> };
type Case = [name: string, linkType: number, frame: Bytes, expected: Expected];

const e = (payload: Bytes, type = 0x0800) => ethernet(type, payload);
const tunnelled = (kind: string) => ({ attrs: { tunnel: `${kind} ${C}>${D}` } });
const wlanData = (body: Bytes) => cat('08 01 0000', MAC_B, MAC_A, MAC_B, '0000', body);
const beacon = cat(
  '80 00 0000',
  'ffffffffffff',
  MAC_A,
  MAC_A,
  '0000',
  '0000000000000000 6400 0104',
  '00 04',
  ascii('net\n'),
);
const WLAN_MACS = { src_mac: '02:00:00:00:00:0a', dst_mac: 'ff:ff:ff:ff:ff:ff' };

const LINK_CASES: Case[] = [
  ['ethernet', 1, e(tcpPacket), TCP],
  ['ethernet with ipv6', 1, e(tcp6Packet, 0x86dd), TCP6],
  ['vlan', 1, e(vlanTag(100, 0x0800, tcpPacket), 0x8100), { ...TCP, vlan: 100 }],
  ['priority tag', 1, e(vlanTag(0xe000, 0x0800, tcpPacket), 0x8100), TCP],
  [
    'qinq',
    1,
    e(vlanTag(100, 0x8100, vlanTag(200, 0x86dd, tcp6Packet)), 0x88a8),
    { ...TCP6, vlan: 100, attrs: { inner_vlan: '200' } },
  ],
  [
    'mpls',
    1,
    e(cat('00064 0 40', '000c8 1 40', tcpPacket), 0x8847),
    { ...TCP, attrs: { mpls_label: '100' } },
  ],
  [
    'mpls pseudowire with control word',
    1,
    e(cat('00064 1 40', '00000000', e(tcpPacket)), 0x8847),
    { ...TCP, attrs: { mpls_label: '100' } },
  ],
  ['pppoe', 1, e(cat('11 00 0001', n16(tcpPacket.length + 2), '0021', tcpPacket), 0x8864), TCP],
  [
    'pppoe discovery',
    1,
    e(cat('11 09 0000 0000'), 0x8863),
    { event_type: 'pppoe-discovery', attrs: MACS },
  ],
  ['snap', 1, e(snap('000000', 0x0800, tcpPacket), 8 + tcpPacket.length), TCP],
  ['stp', 1, e(cat('42 42 03', new Uint8Array(35)), 38), { event_type: 'stp', attrs: MACS }],
  ['cdp', 1, e(snap('00000c', 0x2000, DATA), 16), { event_type: 'cdp', attrs: MACS }],
  ['lldp', 1, e(DATA, 0x88cc), { event_type: 'lldp', attrs: MACS }],
  ['eapol', 1, e(DATA, 0x888e), { event_type: 'eapol', attrs: MACS }],
  ['lacp', 1, e(cat('01'), 0x8809), { event_type: 'lacp', attrs: MACS }],
  [
    'unknown type',
    1,
    e(DATA, 0x1234),
    { event_type: 'ethernet', attrs: { ...MACS, ether_type: '0x1234' } },
  ],
  [
    'arp request',
    1,
    e(arp(1, A, B), 0x0806),
    { event_type: 'arp', message: `who-has ${B} tell ${A}`, attrs: MACS },
  ],
  [
    'arp reply',
    1,
    e(arp(2, A, B), 0x0806),
    { event_type: 'arp', message: `${A} is-at 02:00:00:00:00:0a`, attrs: MACS },
  ],
  ['macsec in the clear', 1, e(cat('00 00 00000001', '0800', tcpPacket), 0x88e5), TCP],
  [
    'macsec encrypted',
    1,
    e(cat('0c 00 00000001', DATA), 0x88e5),
    { event_type: 'macsec', attrs: MACS },
  ],
  ['provider backbone bridge', 1, e(cat('00000001', e(tcpPacket)), 0x88e7), TCP],
  ['raw 12', 12, tcpPacket, TCP],
  ['raw 14', 14, tcpPacket, TCP],
  ['raw 101', 101, tcp6Packet, TCP6],
  ['ipv4 228', 228, tcpPacket, TCP],
  ['ipv6 229', 229, tcp6Packet, TCP6],
  ['null little-endian', 0, cat(n32(2, true), tcpPacket), TCP],
  ['null big-endian', 0, cat(n32(2), tcpPacket), TCP],
  ['null ipv6 of macos', 0, cat(n32(30, true), tcp6Packet), TCP6],
  ['loop', 108, cat(n32(24), tcp6Packet), TCP6],
  ['linux sll', 113, cat('0000 0001 0006', MAC_A, '0000 0800', tcpPacket), TCP],
  [
    'linux sll with vlan',
    113,
    cat('0000 0001 0006', MAC_A, '0000 8100', vlanTag(5, 0x0800, tcpPacket)),
    { ...TCP, vlan: 5 },
  ],
  ['linux sll2', 276, cat('86dd 0000 00000001 0001 00 06', MAC_A, '0000', tcp6Packet), TCP6],
  ['802.11 data', 105, wlanData(snap('000000', 0x0800, tcpPacket)), TCP],
  [
    '802.11 qos data',
    105,
    cat('88 01 0000', MAC_B, MAC_A, MAC_B, '0000', '0000', snap('000000', 0x0800, tcpPacket)),
    TCP,
  ],
  [
    '802.11 protected',
    105,
    cat('08 41 0000', MAC_B, MAC_A, MAC_B, '0000', DATA),
    { event_type: '802.11-data-protected', attrs: MACS },
  ],
  [
    '802.11 beacon',
    105,
    beacon,
    { event_type: '802.11-beacon', message: 'beacon ssid net\\x0a', attrs: WLAN_MACS },
  ],
  [
    '802.11 deauthentication',
    105,
    cat('c0 00 0000', MAC_B, MAC_A, MAC_A, '0000', '0700'),
    {
      event_type: '802.11-deauthentication',
      message: 'deauthentication reason 7',
      attrs: MACS,
    },
  ],
  ['802.11 ack', 105, cat('d4 00 0000', MAC_A), { event_type: '802.11-ack' }],
  ['radiotap', 127, cat('00 00 0800 00000000', wlanData(snap('000000', 0x86dd, tcp6Packet))), TCP6],
  [
    'radiotap with fcs flag and padding',
    127,
    // TSFT, flags 0x30: FCS at the end, header padded to four bytes.
    cat(
      '00 00 1100 03000000',
      '0000000000000000 30',
      '88 01 0000',
      MAC_B,
      MAC_A,
      MAC_B,
      '0000 0000',
      '0000',
      snap('000000', 0x0800, tcpPacket),
      'cccccccc',
    ),
    TCP,
  ],
  ['ppi', 192, cat('00 00 0800 69000000', wlanData(snap('000000', 0x0800, tcpPacket))), TCP],
  [
    'prism',
    119,
    cat('44000000 90000000', new Uint8Array(136), wlanData(snap('000000', 0x0800, tcpPacket))),
    TCP,
  ],
  [
    'avs',
    163,
    cat('80211001 00000040', new Uint8Array(56), wlanData(snap('000000', 0x0800, tcpPacket))),
    TCP,
  ],
  ['ppp', 9, cat('ff 03 0021', tcpPacket), TCP],
  ['ppp compressed', 9, cat('21', tcpPacket), TCP],
  ['ppp hdlc', 50, cat('ff 03 0057', tcp6Packet), TCP6],
  ['ppp hdlc that is cisco', 50, cat('0f 00 0800', tcpPacket), TCP],
  ['ppp lcp', 9, cat('ff 03 c021', DATA), { event_type: 'ppp-lcp' }],
  ['pppoe link', 51, cat('11 00 0001', n16(tcpPacket.length + 2), '0021', tcpPacket), TCP],
  ['cisco hdlc', 104, cat('0f 00 86dd', tcp6Packet), TCP6],
  ['slarp', 104, cat('8f 00 8035', DATA), { event_type: 'slarp' }],
  ['frame relay nlpid', 107, cat('1841 03 cc', tcpPacket), { ...TCP, attrs: { dlci: '100' } }],
  [
    'frame relay snap',
    107,
    cat('1841 03 00 80 000000 86dd', tcp6Packet),
    { ...TCP6, attrs: { dlci: '100' } },
  ],
  ['frame relay cisco', 107, cat('1841 0800', tcpPacket), { ...TCP, attrs: { dlci: '100' } }],
  [
    'frame relay bridged',
    107,
    cat('1841 03 00 80 0080c2 0007', e(tcpPacket)),
    { ...TCP, attrs: { dlci: '100' } },
  ],
  ['frf.16', 182, cat('c001 1841 03 cc', tcpPacket), { ...TCP, attrs: { dlci: '100' } }],
  [
    'sunatm llc',
    123,
    cat('02 03 0064', snap('000000', 0x0800, tcpPacket)),
    { ...TCP, attrs: { vpi: '3', vci: '100' } },
  ],
  [
    'sunatm lane',
    123,
    cat('01 00 0064 0001', e(tcpPacket)),
    { ...TCP, attrs: { vpi: '0', vci: '100' } },
  ],
  [
    'sunatm ilmi',
    123,
    cat('05 00 0010', DATA),
    { event_type: 'atm-ilmi', attrs: { vpi: '0', vci: '16' } },
  ],
  ['rfc 1483', 100, snap('000000', 0x0800, tcpPacket), TCP],
  ['rfc 1483 bridged', 100, cat(snap('0080c2', 0x0007, cat('0000', e(tcpPacket)))), TCP],
  ['atm clip', 106, tcpPacket, TCP],
  [
    'nflog little-endian',
    239,
    cat('02 00 0000', '0800 0100 0000 0000', n16(tcpPacket.length + 4, true), '0900', tcpPacket),
    TCP,
  ],
  [
    'nflog big-endian',
    239,
    cat('02 00 0000', '0008 0001 0000 0000', n16(tcpPacket.length + 4), '0009', tcpPacket),
    TCP,
  ],
  ['slip', 8, tcpPacket, TCP],
  ['slip with header', 8, cat('00 45', new Uint8Array(14), tcpPacket), TCP],
  ['pktap', 258, cat(n32(12, true), n32(1, true), n32(1, true), e(tcpPacket)), TCP],
  ['ipnet', 226, cat('01 02', new Uint8Array(22), tcpPacket), TCP],
  ['fddi', 10, cat('50', MAC_B, MAC_A, snap('000000', 0x0800, tcpPacket)), TCP],
  ['token ring', 6, cat('1040', MAC_B, MAC_A, snap('000000', 0x0800, tcpPacket)), TCP],
  ['juniper ethernet', 178, cat('4d4743 80 0002 0000', e(tcpPacket)), TCP],
  ['dsa tag', 284, cat(MAC_B, MAC_A, 'c0000001', '0800', tcpPacket), TCP],
  ['usb', 220, DATA, { event_type: 'usb' }],
  ['user link type', 147, DATA, { event_type: 'undecoded' }],
];

const frag = (offset: number, more: boolean, payload: Bytes) =>
  ip4({ src: A, dst: B, proto: 17, id: 9, offset, more }, payload);
const fragment6 = (offset: number, more: boolean) => ({
  type: 44,
  body: cat('00 00', n16(offset | (more ? 1 : 0)), n32(77)),
});
const gre = (flags: string, type: string, payload: Bytes) => outer(47, cat(flags, type, payload));
const echo = { attrs: { icmp_type: '8', icmp_code: '0' } };

const NETWORK_CASES: Case[] = [
  ['options', 101, ip4({ src: A, dst: B, proto: 6, options: n32(0x01010100) }, tcpSegment), TCP],
  ['first fragment', 101, frag(0, true, udpDatagram), UDP],
  ['later fragment', 101, frag(16, false, DATA), { ...V4, proto: 17, event_type: 'udp' }],
  [
    'icmp echo',
    101,
    ip4({ src: A, dst: B, proto: 1 }, icmp(8, 0)),
    { ...V4, proto: 1, event_type: 'icmp', message: 'echo request', ...echo },
  ],
  [
    'icmp unreachable quotes, and is no tcp',
    101,
    ip4({ src: A, dst: B, proto: 1 }, cat(icmp(3, 3), tcpPacket)),
    {
      ...V4,
      proto: 1,
      event_type: 'icmp',
      message: 'destination unreachable: port unreachable',
      attrs: { icmp_type: '3', icmp_code: '3' },
    },
  ],
  [
    'icmpv6',
    101,
    ip6({ src: A6, dst: B6, proto: 58 }, icmp(135, 0, new Uint8Array(20))),
    {
      ...V6,
      proto: 58,
      event_type: 'icmpv6',
      message: 'neighbor solicitation',
      attrs: { icmp_type: '135', icmp_code: '0' },
    },
  ],
  ['igmp', 101, ip4({ src: A, dst: B, proto: 2 }, DATA), { ...V4, proto: 2, event_type: 'igmp' }],
  [
    'sctp',
    101,
    ip4({ src: A, dst: B, proto: 132 }, cat(n16(9), n16(10), n32(0), n32(0))),
    { ...V4, proto: 132, src_port: 9, dst_port: 10, event_type: 'sctp' },
  ],
  [
    'unassigned protocol',
    101,
    ip4({ src: A, dst: B, proto: 253 }, DATA),
    { ...V4, proto: 253, event_type: 'ip-proto-253' },
  ],
  [
    'ipv6 extension headers',
    101,
    ip6(
      {
        src: A6,
        dst: B6,
        proto: 6,
        extensions: [
          { type: 0, body: new Uint8Array(8) },
          { type: 43, body: new Uint8Array(8) },
          { type: 60, body: cat('0001', new Uint8Array(14)) },
        ],
      },
      tcpSegment,
    ),
    TCP6,
  ],
  [
    'ipv6 first fragment',
    101,
    ip6({ src: A6, dst: B6, proto: 17, extensions: [fragment6(0, true)] }, udpDatagram),
    { ...UDP, src_ip4: undefined, dst_ip4: undefined, ...V6 },
  ],
  [
    'ipv6 later fragment',
    101,
    ip6({ src: A6, dst: B6, proto: 17, extensions: [fragment6(16, false)] }, DATA),
    { ...V6, proto: 17, event_type: 'udp' },
  ],
  [
    'authentication header',
    101,
    outer(51, cat('06 01 0000 00000001 00000001', tcpSegment)),
    { ...OUTER, ...TCP_COLUMNS },
  ],
  ['esp', 101, outer(50, DATA), { ...OUTER, proto: 50, event_type: 'esp' }],
  ['total length 0', 101, ip4({ src: A, dst: B, proto: 6, total: 0 }, tcpSegment), TCP],
  ['4 in 4', 101, outer(4, tcpPacket), { ...TCP, ...tunnelled('ipip') }],
  ['6 in 4', 101, outer(41, tcp6Packet), { ...TCP6, ...tunnelled('ipip') }],
  [
    '4 in 6',
    101,
    ip6({ src: A6, dst: B6, proto: 4 }, tcpPacket),
    { ...TCP, attrs: { tunnel: `ipip ${A6}>${B6}` } },
  ],
  ['gre', 101, gre('0000', '0800', tcpPacket), { ...TCP, ...tunnelled('gre') }],
  [
    'gre with checksum, key and sequence',
    101,
    gre('b000', '86dd', cat(n32(0), n32(5), n32(6), tcp6Packet)),
    { ...TCP6, ...tunnelled('gre') },
  ],
  [
    'gre with ethernet',
    101,
    gre('2000', '6558', cat(n32(5), e(tcpPacket))),
    { ...TCP, ...tunnelled('gre') },
  ],
  [
    'pptp',
    101,
    gre('3001', '880b', cat(n32(0), n32(1), 'ff03 0021', tcpPacket)),
    { ...TCP, ...tunnelled('pptp') },
  ],
  [
    'pptp acknowledgement',
    101,
    gre('2081', '880b', cat(n32(0), n32(1))),
    { ...OUTER, proto: 47, event_type: 'gre' },
  ],
  ['erspan I', 101, gre('0000', '88be', e(tcpPacket)), { ...TCP, ...tunnelled('erspan') }],
  [
    'erspan II',
    101,
    gre('1000', '88be', cat(n32(1), new Uint8Array(8), e(tcpPacket))),
    { ...TCP, ...tunnelled('erspan') },
  ],
  [
    'erspan III',
    101,
    gre('1000', '22eb', cat(n32(1), new Uint8Array(11), '01', new Uint8Array(8), e(tcpPacket))),
    { ...TCP, ...tunnelled('erspan') },
  ],
  [
    'gre with something else inside keeps its own addresses',
    101,
    gre('0000', '0806', arp(1, A, B)),
    { ...OUTER, proto: 47, event_type: 'gre' },
  ],
  [
    'vxlan',
    101,
    outer(
      17,
      udp(40_000, 4789, cat('08000000 00006400', e(vlanTag(7, 0x0800, tcpPacket), 0x8100))),
    ),
    { ...TCP, vlan: 7, ...tunnelled('vxlan') },
  ],
  [
    'vxlan with reserved bits set, which are ignored',
    101,
    outer(17, udp(40_000, 4789, cat('0c000003 00006401', e(tcpPacket)))),
    { ...TCP, ...tunnelled('vxlan') },
  ],
  [
    'gre in udp',
    101,
    outer(17, udp(40_000, 4754, cat('0000 0800', tcpPacket))),
    { ...TCP, ...tunnelled('gre') },
  ],
  [
    '802.11 in gre, as Aruba sends it',
    101,
    gre('0000', '8200', cat('0801 0000', new Uint8Array(20), 'aaaa 0300 0000 0800', tcpPacket)),
    { ...TCP, ...tunnelled('gre') },
  ],
  [
    'ayiya',
    101,
    outer(17, udp(40_000, 5072, cat('42 52 11 29 00000000', new Uint8Array(16 + 20), tcp6Packet))),
    { ...TCP6, ...tunnelled('ayiya') },
  ],
  [
    'not ayiya on its port',
    101,
    ip4({ src: A, dst: B, proto: 17 }, udp(5000, 5072, new Uint8Array(90))),
    { ...V4, proto: 17, src_port: 5000, dst_port: 5072, event_type: 'udp' },
  ],
  [
    'not vxlan on its port',
    101,
    ip4({ src: A, dst: B, proto: 17 }, udp(5000, 4789, new Uint8Array(60))),
    { ...V4, proto: 17, src_port: 5000, dst_port: 4789, event_type: 'udp' },
  ],
  [
    'geneve with options',
    101,
    outer(17, udp(40_000, 6081, cat('01 00 6558 00006400 00000000', e(tcp6Packet, 0x86dd)))),
    { ...TCP6, ...tunnelled('geneve') },
  ],
  [
    'gtp-u with an extension',
    101,
    outer(17, udp(2152, 2152, cat('34 ff 0000 00000001 0000 00 85', '01 0000 00', tcpPacket))),
    { ...TCP, ...tunnelled('gtp') },
  ],
  [
    'tunnel in a tunnel',
    101,
    outer(4, ip4({ src: D, dst: C, proto: 47 }, cat('0000 0800', tcpPacket))),
    { ...TCP, attrs: { tunnel: `ipip ${C}>${D}, gre ${D}>${C}` } },
  ],
];

const cutTcp = ip4({ src: A, dst: B, proto: 6 }, tcpSegment);
const BROKEN_CASES: Case[] = [
  [
    'ethernet cut',
    1,
    e(DATA).subarray(0, 10),
    { event_type: 'ethernet', attrs: { problem: 'ethernet header cut' } },
  ],
  [
    'ip cut',
    1,
    e(tcpPacket).subarray(0, 26),
    {
      event_type: 'ethernet',
      attrs: { ...MACS, ether_type: '0x0800', problem: 'ip header cut at 12 bytes' },
    },
  ],
  [
    'tcp cut after its ports',
    101,
    cutTcp.subarray(0, 24),
    {
      ...V4,
      proto: 6,
      src_port: 1234,
      dst_port: 80,
      event_type: 'tcp',
      attrs: { problem: 'tcp header cut' },
    },
  ],
  [
    'ip header too short',
    101,
    cat('41', tcpPacket.subarray(1)),
    { event_type: 'undecoded', attrs: { problem: 'ip header length below 20 bytes' } },
  ],
  [
    'ip packet longer than its frame',
    101,
    ip4({ src: A, dst: B, proto: 6, total: 60 }, tcpSegment),
    { ...TCP, attrs: { problem: 'ip packet longer than its frame' } },
  ],
  [
    'radiotap that says the frame is damaged',
    127,
    cat('00 00 0900 02000000 40', 'd4 00 0000', MAC_A),
    { event_type: '802.11-ack', attrs: { problem: 'bad frame check sequence' } },
  ],
  [
    'ip version',
    101,
    cat('75', tcpPacket.subarray(1)),
    { event_type: 'undecoded', attrs: { problem: 'ip version is neither 4 nor 6' } },
  ],
  [
    'tcp header length below 20',
    101,
    ip4(
      { src: A, dst: B, proto: 6 },
      cat(tcpSegment.subarray(0, 12), '1012', tcpSegment.subarray(14)),
    ),
    { ...TCP, attrs: { problem: 'tcp header length below 20 bytes' } },
  ],
];

async function decodeOne(linkType: number, frame: Bytes) {
  const file = classicFile({ linkType }, [{ seconds: 1_700_000_000, fraction: 5, bytes: frame }]);
  const { rows, quarantined } = await collect(pcapImporter, inputOf(file), { flows: false });
  expect(quarantined).toEqual([]);
  expect(rows).toHaveLength(1);
  return rows[0]!;
}

describe('columns that are of no interest are left out', () => {
  const file = classicFile({ linkType: 107 }, [
    { seconds: 1_700_000_000, fraction: 5, bytes: cat('1841 03 cc', tcpPacket) },
  ]);
  it.each([
    ['bytes', { bytes: tcpPacket.length + 4 }],
    ['a:dlci', { attrs: { dlci: '100' } }],
    ['a:*', { attrs: { dlci: '100' } }],
    ['src_port', { src_port: TCP.src_port }],
    ['event_type', { event_type: TCP.event_type }],
    ['flow_id', {}],
  ])('%s', async (name, expected) => {
    const options = { flows: false, columns: new Set([name]) };
    const { rows, records } = await collect(pcapImporter, inputOf(file), options);
    expect(records).toBe(1);
    // The length of a record may be written to know when a batch is full.
    delete rows[0]?.['length'];
    expect(rows).toEqual([{ kind: 'packet', attrs: {}, ...expected }]);
  });
});

/** Possible selections of a scan: each takes a different path through a frame. */
const WANTED: readonly (readonly string[])[] = [
  ['bytes', 'seq', 'ts', 'ts_ns', 'ts_digits', 'offset', 'length', 'captured', 'packets'],
  ['a:comment', 'ts', 'ts_ns', 'ts_digits'],
  ['a:dlci', 'a:vpi', 'a:vci'],
  ['a:vci'],
  ['src_ip4', 'src_ip6'],
  ['dst_ip4', 'dst_ip6', 'tcp_flags', 'event_type'],
  ['src_port'],
  ['src_port', 'dst_port', 'proto'],
  ['event_type', 'a:dlci'],
  ['proto', 'a:vpi', 'bytes'],
  [
    ...['src_ip4', 'src_port', 'proto', 'tcp_flags', 'vlan', 'event_type', 'message', 'a:problem'],
    ...['a:tunnel', 'a:dlci', 'a:vpi', 'a:vci', 'a:icmp_type', 'a:mpls_label', 'a:src_mac'],
  ],
];
/** Frames that a scan processes many at a time. */
const PLAIN_CASES = [
  tcpPacket,
  tcp6Packet,
  ip4({ src: A, dst: B, proto: 17 }, udpDatagram),
  ip6({ src: A6, dst: B6, proto: 17 }, udpDatagram),
  ip4({ src: A, dst: B, proto: 1 }, cat('08 00 0000 0001 0001')),
  ip6({ src: A6, dst: B6, proto: 58 }, cat('80 00 0000 0001 0001')),
].flatMap((packet): [string, number, Bytes][] => {
  const type = packet[0]! >>> 4 === 4 ? '0800' : '86dd';
  return [
    ['ethernet', 1, cat(MAC_B, MAC_A, type, packet)],
    ['raw', 101, packet],
    ['frame relay', 107, cat('1841 03 cc', packet)],
    ['frame relay, SNAP', 107, cat('1841 03 00 80 000000', type, packet)],
    ['frame relay without IP', 107, cat('1841 03 81', packet)],
    ['frame relay, link management', 107, cat('0001 03 08', packet)],
    ['atm', 123, cat('02 01 0069 aaaa03 000000', type, packet)],
  ];
});
describe('columns of a scan, which takes many frames at a time, are what an import stores', () => {
  async function compare(linkType: number, frames: readonly Bytes[], nano = false): Promise<void> {
    const records = frames.flatMap((bytes, i) => [
      { seconds: 1_700_000_000 + i, fraction: 7, bytes },
      // Answers, and frames that were cut.
      { seconds: 1_700_000_000 + i, fraction: 999_999, bytes, wire: bytes.length + i },
      ...(i % 4 === 1 ? [{ seconds: 1_700_000_000, fraction: 4_000_000_000, bytes }] : []),
    ]);
    await compareFile(classicFile({ linkType, nano }, records));
    for (const clock of nano ? [9, 11, 0x94] : [6, 7, 3])
      await compareFile(blocks(linkType, frames, clock));
  }

  /** Packets of two interfaces, one of which has another clock, with and without options. */
  function blocks(linkType: number, frames: readonly Bytes[], clock: number): Bytes {
    const section = new Section(clock !== 7);
    const ticks = (i: number) =>
      BigInt(Math.floor(1_700_000_000.25 + i)) * 10n ** BigInt(clock & 15);
    const packets = frames.flatMap((bytes, i) => [
      section.packet(0, ticks(i) + 7n, bytes),
      section.packet(0, ticks(i) + 123_456_789n, bytes, bytes.length + 9),
      ...(i % 2 === 0 ? [section.packet(0, 1n, bytes, 99, section.option(1, 'a note'))] : []),
      ...(i % 3 === 0 ? [section.packet(1, ticks(i), bytes), section.simple(bytes)] : []),
      section.packet(0, 2n ** 63n, bytes),
      section.packet(0, ticks(i) + 1n, bytes),
    ]);
    const resolution = section.option(9, Uint8Array.of(clock));
    const described = [section.interface(linkType, 0, resolution), section.interface(linkType, 0)];
    return cat(section.header(), ...described, ...packets);
  }

  async function compareFile(file: Bytes): Promise<void> {
    const input = inputOf(file);
    const all = await collect(pcapImporter, input, { flows: false }, 40);
    for (const wanted of WANTED) {
      const columns = new Set(wanted);
      const found = await collect(pcapImporter, input, { flows: false, columns }, 40);
      const pick = (row: CollectedRow) => [
        ...wanted.map((name) => row[name]),
        ...wanted.map((name) => row.attrs[name.slice(2)]),
      ];
      expect(found.rows.map(pick), wanted.join()).toEqual(all.rows.map(pick));
      expect(found.records).toBe(all.records);
    }
  }

  const cases = [...LINK_CASES, ...NETWORK_CASES, ...BROKEN_CASES];
  it('of every link and network', async () => {
    for (const [, linkType, frame] of cases) await compare(linkType, [frame]);
  });

  it('of frames with wrong bytes, cut anywhere', async () => {
    const places = fc.array(fc.tuple(fc.nat({ max: 70 }), fc.nat({ max: 255 })), { maxLength: 2 });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...cases, ...PLAIN_CASES, ...PLAIN_CASES),
        fc.array(fc.tuple(places, fc.nat({ max: 90 })), { minLength: 1, maxLength: 5 }),
        fc.boolean(),
        async ([, linkType, frame], changes, nano) => {
          const frames = changes.map(([list, cut]) => {
            const changed = new Uint8Array(frame.subarray(0, cut > 60 ? frame.length : cut));
            for (const [at, value] of list) if (at < changed.length) changed[at] = value;
            return changed;
          });
          await compare(linkType, frames, nano);
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe.each([
  ['link types', LINK_CASES],
  ['networks and tunnels', NETWORK_CASES],
  ['broken packets', BROKEN_CASES],
])('%s', (_, cases) => {
  it.each(cases)('%s', async (_name, linkType, frame, expected) => {
    const row = await decodeOne(linkType, frame);
    const wanted = Object.fromEntries(
      Object.entries(expected).filter(([, value]) => value !== undefined),
    );
    expect(row).toEqual({
      kind: 'packet',
      seq: 1,
      ts: 1_700_000_000_000_005,
      ts_ns: 0,
      ts_digits: 6,
      packets: 1,
      bytes: frame.length,
      captured: frame.length,
      offset: 24,
      length: frame.length + 16,
      attrs: {},
      ...wanted,
    });
  });
});

it('survives every prefix of every frame', async () => {
  for (const [, linkType, frame] of [...LINK_CASES, ...NETWORK_CASES, ...BROKEN_CASES]) {
    const records = Array.from({ length: frame.length }, (_, size) => ({
      seconds: 1,
      fraction: 0,
      bytes: frame.subarray(0, size),
      wire: frame.length,
    }));
    const result = await collect(pcapImporter, inputOf(classicFile({ linkType }, records)));
    expect(result.records).toBe(frame.length);
  }
});

it('bounds tunnels in tunnels', async () => {
  let packet = tcpPacket;
  for (let i = 0; i < 100; i++) packet = outer(4, packet);
  const row = await decodeOne(101, packet);
  expect(row.attrs['problem']).toBe('too many tunnels');
});
