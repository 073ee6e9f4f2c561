/** For tests: a packet of each protocol, with the layers it has. Checksums are right. */
import {
  ACK,
  arp,
  ascii,
  cat,
  ethernet,
  hex,
  icmp,
  ip4,
  ip6,
  MAC_A,
  n16,
  n32,
  PSH,
  snap,
  SYN,
  tcp,
  udp,
  vlanTag,
  type Bytes,
} from '../../testing/build.ts';

const A = '10.0.0.1';
const B = '10.0.0.2';
const A6 = 'fe80::1';
const B6 = 'fe80::2';
const TCP = 6;
const UDP = 17;

export const over4 = (proto: number, payload: Bytes): Bytes =>
  ip4({ src: A, dst: B, proto }, payload);
const over6 = (proto: number, payload: Bytes): Bytes => ip6({ src: A6, dst: B6, proto }, payload);
const eth4 = (proto: number, payload: Bytes) => ethernet(0x0800, over4(proto, payload));
const eth6 = (proto: number, payload: Bytes) => ethernet(0x86dd, over6(proto, payload));
const onUdp = (src: number, dst: number, payload: Bytes) => eth4(UDP, udp(src, dst, payload));
const onTcp = (src: number, dst: number, payload: Bytes) =>
  eth4(TCP, tcp({ src, dst, flags: PSH | ACK, seq: 1000, ack: 2000 }, payload));
const sized = (payload: Bytes, bytes: 1 | 2 | 3 = 2) =>
  cat(n32(payload.length).subarray(4 - bytes), payload);

const PING = over4(1, icmp(8, 0, hex('0001 0002 61626364')));
const DATAGRAM = over4(UDP, udp(5000, 6000, ascii('hello')));

const QUESTION = cat('07', ascii('example'), '03', ascii('com'), '00');
export const DNS_QUERY = cat('abcd 0100 0001 0000 0000 0000', QUESTION, '0001 0001');
const NETBIOS_RESPONSE = cat(
  'abcd 8500 0000 0001 0000 0000',
  cat('20', ascii('ENFJFAEDCACACACACACACACACACACAAA'), '00'),
  '0020 0001 00000e10 0006 6000 0a000005',
);
/** The name has a dot and a control character in its first label. */
const DNS_EXTENDED = cat(
  'abcd 8187 0001 0000 0000 0001',
  cat('05', ascii('a.b\x01c'), '02', ascii('de'), '00 0001 0001'),
  '00 0029 04d0 01 00 8000 0000',
);
const DNS_RESPONSE = cat(
  'abcd 8180 0001 0003 0001 0001',
  cat(QUESTION, '0001 0001'),
  // A compressed CNAME, its address, and a text.
  cat('c00c 0005 0001 0000003c 0006', '03', ascii('www'), 'c00c'),
  cat('c029 0001 0001 0000003c 0004 5db8d822'),
  cat('c00c 0010 0001 0000003c 0006 05', ascii('v=spf')),
  cat('c00c 0006 0001 00000e10 001a c00c c00c', n32(7), n32(1), n32(2), n32(3), n32(4), '0000'),
  cat('00 0029 1000 00000000 0000'),
);

const CLIENT_HELLO = cat(
  '0303',
  new Uint8Array(32).fill(7),
  '00',
  sized(hex('1301 1302 c02f 00ff')),
  '01 00',
  sized(
    cat(
      cat('0000', sized(sized(cat('00', sized(ascii('www.example.com')))))),
      cat('0010', sized(sized(cat('02', ascii('h2'), '08', ascii('http/1.1'))))),
      cat('002b 0005 04 0304 0303'),
      cat('000a 0004 0002 001d'),
    ),
  ),
);
const SERVER_HELLO = cat(
  '0303',
  new Uint8Array(32).fill(9),
  '00 1301 00',
  sized(hex('002b 0002 0304')),
);
/** Of draft 18 of TLS 1.3, without session and compression. */
const DRAFT_SERVER_HELLO = cat(
  '7f12',
  new Uint8Array(32).fill(9),
  '1301',
  sized(hex('0028 0002 001d')),
);
const record = (type: string, version: string, body: Bytes) => cat(type, version, sized(body));
const handshake = (type: string, body: Bytes) => record('16', '0301', cat(type, sized(body, 3)));

const DHCP = cat(
  '01 01 06 00 12345678 0000 8000',
  new Uint8Array(16),
  cat(MAC_A, new Uint8Array(10)),
  new Uint8Array(64 + 128),
  '63825363',
  '35 01 01',
  '32 04 0a000005',
  cat('0c 06', ascii('laptop')),
  '37 03 01 03 06',
  'ff',
);
const NTP = cat(
  '24 02 06 ec 00000100 00000200 0a000001',
  'e8f00000 80000000',
  'e8f00000 80000000',
  '0000000000000000',
  'e8f00001 40000000',
);
const SNMP = hex(
  '30 29 02 01 01 04 06 7075626c6963 a0 1c 02 04 11223344 02 01 00 02 01 00 30 0e 30 0c 06 08 2b06010201010100 05 00',
);
const BPDU = cat('0000 00 00 01 8000', MAC_A, '00000004 8001', MAC_A, '8002 0100 1400 0200 0f00');
const BEACON = cat(
  '80 00 0000 ffffffffffff',
  MAC_A,
  MAC_A,
  '1000',
  '0102030405060708 6400 3104',
  cat('00 05', ascii('guest')),
  '01 04 82848b96',
  '03 01 06',
);
const WLAN_DATA = cat(
  '08 01 0000',
  MAC_A,
  MAC_A,
  'ffffffffffff',
  '2000',
  snap('000000', 0x0800, PING),
);
const V6_OPTIONS = hex('00 00 0502 0000 0100');
const FRAGMENT = hex('00 00 0001 deadbeef');
const ROUTING = cat('00 02 00 01 00000000', new Uint8Array(15), '05');
const AH = cat('11 04 0000 00000100 00000007', new Uint8Array(12));

/** Layers that most samples have. */
const NAMES: Readonly<Record<string, string>> = {
  eth: 'Ethernet II',
  ip4: 'Internet Protocol Version 4',
  ip6: 'Internet Protocol Version 6',
  udp: 'User Datagram Protocol',
  tcp: 'Transmission Control Protocol',
  icmp: 'Internet Control Message Protocol',
  icmp6: 'Internet Control Message Protocol v6',
  data: 'Data',
};

interface SamplePacket {
  readonly name: string;
  readonly linkType: number;
  readonly frame: Bytes;
  /** Names of the layers after `Frame`. */
  readonly layers: readonly string[];
}

const sample = (name: string, linkType: number, frame: Bytes, layers: string): SamplePacket => ({
  ...{ name, linkType, frame },
  layers: layers.split(' / ').map((layer) => NAMES[layer] ?? layer),
});

export const SAMPLES: readonly SamplePacket[] = [
  sample(
    'TCP with options',
    1,
    eth4(
      TCP,
      tcp({
        src: 1,
        dst: 2,
        flags: SYN,
        seq: 5,
        options: hex('020405b4 01 030307 0402 080a 00000001 00000000'),
      }),
    ),
    'eth / ip4 / tcp',
  ),
  sample(
    'TCP with SACK',
    1,
    eth6(TCP, tcp({ src: 1, dst: 2, flags: ACK, options: hex('0101 050a 00000001 00000002') })),
    'eth / ip6 / tcp',
  ),
  sample('UDP', 1, ethernet(0x0800, DATAGRAM), 'eth / ip4 / udp / data'),
  sample(
    'UDP with padding',
    1,
    cat(eth4(UDP, udp(9, 10, hex('01'))), new Uint8Array(17)),
    'eth / ip4 / udp / data',
  ),
  sample(
    'IPv4 options',
    1,
    ethernet(
      0x0800,
      ip4({ src: A, dst: B, proto: 2, options: hex('94040000') }, hex('1600 e9fe 00000001')),
    ),
    'eth / ip4 / Internet Group Management Protocol',
  ),
  sample(
    'IPv4 record route',
    1,
    ethernet(
      0x0800,
      ip4(
        { src: A, dst: B, proto: UDP, options: hex('01 07 0b 08 01020304 05060708') },
        udp(1, 2, hex('00')),
      ),
    ),
    'eth / ip4 / udp / data',
  ),
  sample(
    'IPv4 first fragment',
    1,
    ethernet(
      0x0800,
      ip4({ src: A, dst: B, proto: UDP, id: 7, more: true }, udp(1, 2, new Uint8Array(24))),
    ),
    'eth / ip4 / udp / data',
  ),
  sample(
    'IPv4 later fragment',
    1,
    ethernet(0x0800, ip4({ src: A, dst: B, proto: UDP, id: 7, offset: 32 }, ascii('rest'))),
    'eth / ip4 / data',
  ),
  sample(
    'IPv6 extension headers',
    1,
    ethernet(
      0x86dd,
      ip6(
        {
          src: A6,
          dst: B6,
          proto: UDP,
          extensions: [
            { type: 0, body: V6_OPTIONS },
            { type: 60, body: V6_OPTIONS },
          ],
        },
        udp(1, 2, ascii('x')),
      ),
    ),
    'eth / ip6 / IPv6 Hop-by-Hop Option / Destination Options for IPv6 / udp / data',
  ),
  sample(
    'IPv6 routing and fragment',
    1,
    ethernet(
      0x86dd,
      ip6(
        {
          src: A6,
          dst: B6,
          proto: UDP,
          extensions: [
            { type: 43, body: ROUTING },
            { type: 44, body: FRAGMENT },
          ],
        },
        udp(1, 2, ascii('x')),
      ),
    ),
    'eth / ip6 / Routing Header for IPv6 / Fragment Header for IPv6 / udp / data',
  ),
  sample(
    'authentication header',
    1,
    eth4(51, cat(AH, udp(1, 2, ascii('x')))),
    'eth / ip4 / Authentication Header / udp / data',
  ),
  sample(
    'ESP',
    1,
    eth4(50, hex('00000001 00000002 aabbccdd')),
    'eth / ip4 / Encapsulating Security Payload / data',
  ),
  sample('ICMP echo', 1, ethernet(0x0800, PING), 'eth / ip4 / icmp / data'),
  sample(
    'ICMP quoting a packet',
    1,
    eth4(1, icmp(3, 3, cat('00000000', DATAGRAM.subarray(0, 28)))),
    'eth / ip4 / icmp / ip4 / udp',
  ),
  sample(
    'ICMP redirect',
    1,
    eth4(1, icmp(5, 1, cat('0a0000fe', DATAGRAM.subarray(0, 24)))),
    'eth / ip4 / icmp / ip4 / udp',
  ),
  sample(
    'ICMPv6 echo',
    1,
    eth6(58, icmp(128, 0, hex('0001 0002 6162'))),
    'eth / ip6 / icmp6 / data',
  ),
  sample(
    'neighbor solicitation',
    1,
    eth6(58, icmp(135, 0, cat('00000000 fe80000000000000 0000000000000005', '0101', MAC_A))),
    'eth / ip6 / icmp6',
  ),
  sample(
    'router advertisement',
    1,
    eth6(
      58,
      icmp(
        134,
        0,
        cat(
          '40 c0 0708 00000000 00000000',
          '0304 40 c0 00015180 00003840 00000000 20010db8000000000000000000000000',
          '0501 0000 000005dc',
          '1903 0000 00000e10 20010db8000000000000000000000053',
        ),
      ),
    ),
    'eth / ip6 / icmp6',
  ),
  sample(
    'multicast listener report',
    1,
    eth6(58, icmp(143, 0, hex('0000 0001 04 00 0000 ff020000000000000000000000000016'))),
    'eth / ip6 / icmp6',
  ),
  sample(
    'ICMPv6 quoting a packet',
    1,
    eth6(58, icmp(1, 4, cat('00000000', over6(UDP, udp(1, 2, ascii('x')))))),
    'eth / ip6 / icmp6 / ip6 / udp / data',
  ),
  sample(
    'IGMPv3 report',
    1,
    eth4(2, hex('22 00 f902 0000 0001 04 00 0000 e00000fb')),
    'eth / ip4 / Internet Group Management Protocol',
  ),
  sample(
    'DCCP',
    1,
    eth4(33, cat('1388 1389 04 00 0000 04 000007', hex('01020304'), ascii('data'))),
    'eth / ip4 / Datagram Congestion Control Protocol / data',
  ),
  sample(
    'DCCP with long numbers',
    1,
    eth4(33, cat('1388 1389 06 00 0000 07 00 000000000008 0000 000000000009')),
    'eth / ip4 / Datagram Congestion Control Protocol',
  ),
  sample(
    'SCTP',
    1,
    eth4(
      132,
      cat(
        '1388 1389 00000001 00000000',
        '01 00 0014 00000001 00010000 000a 000a 00000005',
        '00 03 0014 00000001 0001 0002 00000000',
        ascii('data'),
      ),
    ),
    'eth / ip4 / Stream Control Transmission Protocol',
  ),
  sample(
    'UDP-Lite',
    1,
    eth4(136, hex('0001 0002 0008 1234 6162')),
    'eth / ip4 / Lightweight User Datagram Protocol / data',
  ),
  sample(
    'VLAN',
    1,
    ethernet(0x8100, vlanTag(0x2005, 0x0800, PING)),
    'eth / 802.1Q Virtual LAN / ip4 / icmp / data',
  ),
  sample(
    'VN-Tag and VLAN',
    1,
    ethernet(0x8926, cat('80010002 8100', vlanTag(5, 0x0800, PING))),
    'eth / VN-Tag / 802.1Q Virtual LAN / ip4 / icmp / data',
  ),
  sample(
    'E-Tag',
    1,
    ethernet(0x893f, cat('e0021003 0000 0800', PING)),
    'eth / 802.1BR E-Tag / ip4 / icmp / data',
  ),
  sample(
    'QinQ',
    1,
    ethernet(0x88a8, vlanTag(200, 0x8100, vlanTag(2001, 0x0806, arp(1, A, B)))),
    'eth / IEEE 802.1ad / 802.1Q Virtual LAN / Address Resolution Protocol',
  ),
  sample(
    'MPLS',
    1,
    ethernet(0x8847, cat('00010040 00011140', PING)),
    'eth / MultiProtocol Label Switching Header / MultiProtocol Label Switching Header / ip4 / icmp / data',
  ),
  sample(
    'MPLS pseudowire',
    1,
    ethernet(0x8847, cat('00011140 00000000', ethernet(0x0800, PING))),
    'eth / MultiProtocol Label Switching Header / eth / ip4 / icmp / data',
  ),
  sample(
    'ARP reply',
    1,
    cat(ethernet(0x0806, arp(2, A, B)), new Uint8Array(18)),
    'eth / Address Resolution Protocol',
  ),
  sample(
    'spanning tree',
    1,
    ethernet(BPDU.length + 3, cat('42 42 03', BPDU)),
    'IEEE 802.3 Ethernet / Logical-Link Control / Spanning Tree Protocol',
  ),
  sample(
    'SNAP',
    1,
    ethernet(PING.length + 8, snap('000000', 0x0800, PING)),
    'IEEE 802.3 Ethernet / Logical-Link Control / ip4 / icmp / data',
  ),
  sample(
    'ISL',
    1,
    cat('01000c000000 000000000000 0000 aaaa03000000 0014 0000 0000', ethernet(0x0800, PING)),
    'Cisco ISL / eth / ip4 / icmp / data',
  ),
  sample(
    'EAPOL',
    1,
    ethernet(0x888e, cat('01 00 0009 02 01 0009 01', ascii('user'))),
    'eth / 802.1X Authentication',
  ),
  sample(
    'PPPoE session',
    1,
    ethernet(0x8864, cat('11 00 0011', n16(PING.length + 2), '0021', PING)),
    'eth / PPP-over-Ethernet Session / Point-to-Point Protocol / ip4 / icmp / data',
  ),
  sample(
    'PPPoE discovery',
    1,
    ethernet(0x8863, cat('11 09 0000 000c 0101 0000 0103 0004 01020304')),
    'eth / PPP-over-Ethernet Discovery',
  ),
  sample(
    'backbone bridging',
    1,
    ethernet(0x88e7, cat('00000064', ethernet(0x0800, PING))),
    'eth / IEEE 802.1ah / eth / ip4 / icmp / data',
  ),
  sample(
    'MACsec',
    1,
    ethernet(0x88e5, cat('00 00 00000001 0800', PING)),
    'eth / 802.1AE Security tag / ip4 / icmp / data',
  ),
  sample('IP in IP', 1, eth4(4, PING), 'eth / ip4 / ip4 / icmp / data'),
  sample(
    'IPv6 in IPv4',
    1,
    eth4(41, over6(UDP, udp(1, 2, ascii('x')))),
    'eth / ip4 / ip6 / udp / data',
  ),
  sample(
    'GRE',
    1,
    eth4(47, cat('b000 0800 1234 0000 00000063 00000001', PING)),
    'eth / ip4 / Generic Routing Encapsulation / ip4 / icmp / data',
  ),
  sample(
    'Cisco MetaData on GRE',
    1,
    eth4(47, cat('0000 8909 0800 01 01 0001 0007', PING)),
    'eth / ip4 / Generic Routing Encapsulation / Cisco MetaData / ip4 / icmp / data',
  ),
  sample(
    'Cisco MetaData',
    1,
    ethernet(0x8909, cat('01 01 0001 0007 0800', PING)),
    'eth / Cisco MetaData / ip4 / icmp / data',
  ),
  sample(
    'PPTP',
    1,
    eth4(47, cat('3081 880b 0020 0001 00000005 00000004 ff03 0021', PING)),
    'eth / ip4 / Generic Routing Encapsulation / Point-to-Point Protocol / ip4 / icmp / data',
  ),
  sample(
    'ERSPAN',
    1,
    eth4(47, cat('1000 88be 00000001 1005 0064 00000000', ethernet(0x0800, PING))),
    'eth / ip4 / Generic Routing Encapsulation / Encapsulated Remote Switch Packet ANalysis Type II / eth / ip4 / icmp / data',
  ),
  sample(
    'ERSPAN III',
    1,
    eth4(47, cat('1000 22eb 00000001 2005 0064 00000001 0000 0000', ethernet(0x0800, PING))),
    'eth / ip4 / Generic Routing Encapsulation / Encapsulated Remote Switch Packet ANalysis Type III / eth / ip4 / icmp / data',
  ),
  sample(
    'VXLAN',
    1,
    onUdp(50_000, 4789, cat('0800 0000 000064 00', ethernet(0x0800, PING))),
    'eth / ip4 / udp / Virtual eXtensible Local Area Network / eth / ip4 / icmp / data',
  ),
  sample(
    'VXLAN-GPE',
    1,
    onUdp(50_000, 4790, cat('0c 0000 01 000064 00', PING)),
    'eth / ip4 / udp / Virtual eXtensible Local Area Network (GPE) / ip4 / icmp / data',
  ),
  sample(
    'GENEVE',
    1,
    onUdp(50_000, 6081, cat('01 00 6558 000064 00 0102 03 00', ethernet(0x0800, PING))),
    'eth / ip4 / udp / Generic Network Virtualization Encapsulation / eth / ip4 / icmp / data',
  ),
  sample(
    'GTP',
    1,
    onUdp(2152, 2152, cat('32 ff', n16(PING.length + 4), '00000007 0001 00 00', PING)),
    'eth / ip4 / udp / GPRS Tunneling Protocol / ip4 / icmp / data',
  ),
  sample(
    'EtherIP',
    1,
    eth4(97, cat('3000', ethernet(0x0800, PING))),
    'eth / ip4 / Ethernet over IP / eth / ip4 / icmp / data',
  ),
  sample(
    'NSH',
    1,
    ethernet(0x894f, cat('0fc2 02 01 00000a ff', PING)),
    'eth / Network Service Header / ip4 / icmp / data',
  ),
  sample('DNS query', 1, onUdp(50_000, 53, DNS_QUERY), 'eth / ip4 / udp / Domain Name System'),
  sample(
    'DNS response',
    1,
    onUdp(53, 50_000, DNS_RESPONSE),
    'eth / ip4 / udp / Domain Name System',
  ),
  sample(
    'DNS response with an extended code',
    1,
    onUdp(53, 50_000, DNS_EXTENDED),
    'eth / ip4 / udp / Domain Name System',
  ),
  sample(
    'DNS on another port',
    1,
    onUdp(50_000, 5300, DNS_QUERY),
    'eth / ip4 / udp / Domain Name System',
  ),
  sample(
    'NetBIOS name',
    1,
    onUdp(137, 50_000, NETBIOS_RESPONSE),
    'eth / ip4 / udp / NetBIOS Name Service',
  ),
  sample('mDNS', 1, onUdp(5353, 5353, DNS_QUERY), 'eth / ip4 / udp / Multicast Domain Name System'),
  sample(
    'DNS on TCP',
    1,
    onTcp(53, 50_000, cat(sized(DNS_RESPONSE), sized(DNS_QUERY))),
    'eth / ip4 / tcp / Domain Name System / Domain Name System',
  ),
  sample(
    'HTTP request',
    1,
    onTcp(
      50_000,
      8080,
      ascii('GET /index.html HTTP/1.1\r\nHost: example.com\r\nUser-Agent: x\r\n\r\n'),
    ),
    'eth / ip4 / tcp / Hypertext Transfer Protocol',
  ),
  sample(
    'HTTP request with a blank in its target',
    1,
    onTcp(50_000, 8080, ascii('GET /cgi;cat /etc/passwd| HTTP/1.1\r\nHost: a\r\n\r\n')),
    'eth / ip4 / tcp / Hypertext Transfer Protocol',
  ),
  sample(
    'HTTP response',
    1,
    onTcp(80, 50_000, ascii('HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nbody')),
    'eth / ip4 / tcp / Hypertext Transfer Protocol / data',
  ),
  sample(
    'SSDP',
    1,
    onUdp(50_000, 1900, ascii('M-SEARCH * HTTP/1.1\r\nHost: 239.255.255.250:1900\r\n\r\n')),
    'eth / ip4 / udp / Simple Service Discovery Protocol',
  ),
  sample(
    'TLS client hello',
    1,
    onTcp(50_000, 443, handshake('01', CLIENT_HELLO)),
    'eth / ip4 / tcp / Transport Layer Security',
  ),
  sample(
    'TLS server hello',
    1,
    onTcp(
      443,
      50_000,
      cat(
        handshake('02', SERVER_HELLO),
        record('14', '0303', hex('01')),
        record('17', '0303', ascii('secret')),
      ),
    ),
    'eth / ip4 / tcp / Transport Layer Security',
  ),
  sample(
    'TLS server hello of a draft',
    1,
    onTcp(443, 50_000, handshake('02', DRAFT_SERVER_HELLO)),
    'eth / ip4 / tcp / Transport Layer Security',
  ),
  sample(
    'TLS alert',
    1,
    onTcp(443, 50_000, record('15', '0303', hex('0228'))),
    'eth / ip4 / tcp / Transport Layer Security',
  ),
  sample(
    'SSH',
    1,
    onTcp(22, 50_000, ascii('SSH-2.0-OpenSSH_9.6\r\n')),
    'eth / ip4 / tcp / SSH Protocol',
  ),
  sample(
    'DHCP',
    1,
    onUdp(68, 67, DHCP),
    'eth / ip4 / udp / Dynamic Host Configuration Protocol (Discover)',
  ),
  sample('NTP', 1, onUdp(123, 123, NTP), 'eth / ip4 / udp / Network Time Protocol'),
  sample(
    'SNMP',
    1,
    onUdp(50_000, 161, SNMP),
    'eth / ip4 / udp / Simple Network Management Protocol',
  ),
  sample(
    'syslog',
    1,
    onUdp(50_000, 514, ascii('<34>su: failed')),
    'eth / ip4 / udp / Syslog message',
  ),
  sample('loopback', 0, cat('02000000', PING), 'Null/Loopback / ip4 / icmp / data'),
  sample(
    'loopback, big-endian',
    108,
    cat('0000001e', over6(UDP, udp(1, 2, ascii('x')))),
    'Null/Loopback / ip6 / udp / data',
  ),
  sample('raw IP', 101, PING, 'ip4 / icmp / data'),
  sample('raw IPv6', 229, over6(UDP, udp(1, 2, ascii('x'))), 'ip6 / udp / data'),
  sample(
    'Linux cooked',
    113,
    cat('0000 0001 0006', MAC_A, '0000 0800', PING),
    'Linux cooked capture v1 / ip4 / icmp / data',
  ),
  sample(
    'Linux cooked 2',
    276,
    cat('0800 0000 00000002 0001 04 06', MAC_A, '0000', PING),
    'Linux cooked capture v2 / ip4 / icmp / data',
  ),
  sample('PPP', 9, cat('ff03 0021', PING), 'Point-to-Point Protocol / ip4 / icmp / data'),
  sample('PPP LCP', 50, hex('ff03 c021 01 05 0008 0104 05dc'), 'Point-to-Point Protocol'),
  sample(
    'PPP with direction',
    204,
    cat('00 ff03 21', PING),
    'PPP direction / Point-to-Point Protocol / ip4 / icmp / data',
  ),
  sample('Cisco HDLC', 104, cat('0f00 0800', PING), 'Cisco HDLC / ip4 / icmp / data'),
  sample(
    'Frame Relay',
    107,
    cat('1841 03 cc', PING),
    'Frame Relay / Network Layer Protocol Identifier / ip4 / icmp / data',
  ),
  sample('Frame Relay, Cisco', 107, cat('1841 0800', PING), 'Frame Relay / ip4 / icmp / data'),
  sample(
    'multilink Frame Relay',
    182,
    cat('c001 1841 03 cc', PING),
    'Multilink Frame Relay / Frame Relay / Network Layer Protocol Identifier / ip4 / icmp / data',
  ),
  sample(
    'SLIP',
    8,
    cat('00', new Uint8Array(15).fill(0x45), PING),
    'Serial Line Internet Protocol / ip4 / icmp / data',
  ),
  sample('ATM', 100, snap('000000', 0x0800, PING), 'Logical-Link Control / ip4 / icmp / data'),
  sample(
    'SunATM',
    123,
    cat('02 00 0064', snap('000000', 0x0800, PING)),
    'SunATM / Logical-Link Control / ip4 / icmp / data',
  ),
  sample(
    'FDDI',
    10,
    cat('50', MAC_A, MAC_A, snap('000000', 0x0800, PING)),
    'Fiber Distributed Data Interface / Logical-Link Control / ip4 / icmp / data',
  ),
  sample(
    'token ring',
    6,
    cat('10 40', MAC_A, '82 00 00 00 00 0a 0630 0011 0020', snap('000000', 0x0800, PING)),
    'Token-Ring / Logical-Link Control / ip4 / icmp / data',
  ),
  sample('ARCNET', 129, cat('01 02 0000 d4 00 0001', PING), 'ARCNET / ip4 / icmp / data'),
  sample(
    'IEEE 1394',
    138,
    cat(new Uint8Array(16), '0800', PING),
    'Apple IP-over-IEEE 1394 / ip4 / icmp / data',
  ),
  sample(
    'Fibre Channel',
    122,
    cat(new Uint8Array(16), snap('000000', 0x0800, PING)),
    'IP over Fibre Channel / Logical-Link Control / ip4 / icmp / data',
  ),
  sample(
    'InfiniBand',
    242,
    cat(new Uint8Array(40), '0800 0000', PING),
    'IP over InfiniBand / ip4 / icmp / data',
  ),
  sample('IPNET', 226, cat('01 02', new Uint8Array(22), PING), 'Solaris IPNET / ip4 / icmp / data'),
  sample(
    'NFLOG',
    239,
    cat('02 00 0000 0800 0a00 65746800', n16(PING.length + 4, true), '0900', PING),
    'Linux Netfilter NFLOG / ip4 / icmp / data',
  ),
  sample(
    'PPI',
    192,
    cat('00 00 0800 01000000', ethernet(0x0800, PING)),
    'PPI version 0 / eth / ip4 / icmp / data',
  ),
  sample(
    'PKTAP',
    258,
    cat('6c000000 01000000 01000000', ascii('en0'), new Uint8Array(93), ethernet(0x0800, PING)),
    'PKTAP packet header / eth / ip4 / icmp / data',
  ),
  sample(
    'Juniper Ethernet',
    178,
    cat('4d4743 80 0002 0000', ethernet(0x0800, PING)),
    'Juniper Ethernet / eth / ip4 / icmp / data',
  ),
  sample(
    'mPacket',
    274,
    cat('55555555555555d5', ethernet(0x0800, PING)),
    'IEEE 802.3br mPackets / eth / ip4 / icmp / data',
  ),
  sample(
    'DSA',
    284,
    cat(MAC_A, MAC_A, '40000001 0800', PING),
    'Ethernet II with DSA tag / ip4 / icmp / data',
  ),
  sample('802.11 beacon', 105, BEACON, 'IEEE 802.11 Beacon frame'),
  sample(
    '802.11 data',
    105,
    WLAN_DATA,
    'IEEE 802.11 Data / Logical-Link Control / ip4 / icmp / data',
  ),
  sample('802.11 acknowledgment', 105, cat('d4 00 0000', MAC_A), 'IEEE 802.11 Acknowledgement'),
  sample(
    '802.11 protected',
    105,
    cat('08 41 0000', MAC_A, MAC_A, MAC_A, '2000 01020304 aabbccdd'),
    'IEEE 802.11 Data / data',
  ),
  sample(
    'radiotap',
    127,
    cat('00 00 1000 2e000000 10 02 6c09 a000 d6 00', WLAN_DATA, '01020304'),
    'Radiotap Header v0 / IEEE 802.11 Data / Logical-Link Control / ip4 / icmp / data',
  ),
  sample(
    'Prism',
    119,
    cat('44000000 90000000', new Uint8Array(136), BEACON),
    'Prism capture header / IEEE 802.11 Beacon frame',
  ),
  sample(
    'AVS',
    163,
    cat('80211001 00000040', new Uint8Array(56), BEACON),
    'AVS WLAN Capture header / IEEE 802.11 Beacon frame',
  ),
  sample('an unknown link type', 147, hex('01020304'), 'data'),
];
