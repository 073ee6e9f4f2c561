/**
 * A packet of each protocol; invariants for every packet, whatever its bytes are: nothing is thrown, every field is
 * within the frame, text can be shown, and the size is bounded; and details of the protocols.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ascii,
  cat,
  ethernet,
  hex,
  icmp,
  ip4,
  n16,
  n32,
  SYN,
  tcp,
  udp,
  type Bytes,
} from '../testing/build.ts';
import { dissectPacket, type LayerField, type PacketLayers } from './index.ts';
import { DNS_QUERY, over4, SAMPLES } from './testing/packets.ts';

const whole = (linkType: number, frame: Bytes) => dissectPacket(frame, linkType, frame.length);
const sampled = (name: string) => {
  const found = SAMPLES.find((one) => one.name === name)!;
  return whole(found.linkType, found.frame);
};

function fieldsOf(packet: PacketLayers): LayerField[] {
  const below = (fields: readonly LayerField[]): LayerField[] =>
    fields.flatMap((field) => [field, ...below(field.fields ?? [])]);
  return packet.layers.flatMap((layer) => below(layer.fields));
}

/** The value of a field of a layer; the last one with that name unless `index` is given. */
function value(packet: PacketLayers, layer: string, field: string, index = -1): string | undefined {
  const layers = packet.layers.filter((one) => one.name === layer);
  const found = fieldsOf({ layers, notes: [] }).filter((one) => one.name === field);
  return found.at(index)?.value;
}

/** Invariants of every result. */
function check(packet: PacketLayers, frame: Bytes): void {
  const fields = fieldsOf(packet);
  expect(fields.length).toBeLessThanOrEqual(2010);
  expect(packet.layers.length).toBeLessThanOrEqual(65);
  expect(packet.notes.length).toBeLessThanOrEqual(50);
  for (const one of [...packet.layers, ...fields]) {
    const inside = one.offset >= 0 && one.length >= 0 && one.offset + one.length <= frame.length;
    if (!inside) expect.fail(`${one.name}: ${one.offset}+${one.length} of ${frame.length}`);
  }
  const texts = [
    ...fields.flatMap((field) => [field.name, field.value]),
    ...packet.layers.flatMap((layer) => [layer.name, layer.summary]),
    ...packet.notes,
  ];
  for (const text of texts) {
    if (/\p{C}/u.test(text)) expect.fail(`not shown: ${JSON.stringify(text)}`);
    if (text.length > 5000) expect.fail(`too long: ${text.length}`);
    if (text.includes('undefined') || text.includes('NaN')) expect.fail(text);
  }
}

/** Every byte of the frame that no field covers. */
function uncovered(packet: PacketLayers, frame: Bytes): number[] {
  const covered = new Uint8Array(frame.length);
  for (const field of fieldsOf(packet)) {
    covered.fill(1, field.offset, field.offset + field.length);
  }
  return [...covered.keys()].filter((at) => covered[at] === 0);
}

describe.each(SAMPLES)('$name', ({ linkType, frame, layers }) => {
  it('has its layers, nothing wrong, and a field for each byte', () => {
    const packet = whole(linkType, frame);
    check(packet, frame);
    expect(packet.layers.map((layer) => layer.name)).toEqual(['Frame', ...layers]);
    expect(packet.notes).toEqual([]);
    // The headers of BER elements have no fields of their own.
    if (!layers.includes('Simple Network Management Protocol')) {
      expect(uncovered(packet, frame)).toEqual([]);
    }
  });

  it('is read as far as it goes when it is cut anywhere', () => {
    for (let size = 0; size <= frame.length; size++) {
      const part = frame.slice(0, size);
      const captured = dissectPacket(part, linkType, frame.length);
      check(captured, part);
      // Truncated by the capture, or apparently complete: either way nothing beyond is read.
      check(dissectPacket(part, linkType, size), part);
      expect(captured.layers.length).toBeLessThanOrEqual(layers.length + 1);
    }
  });
});

it('says what was cut by the capture', () => {
  const { frame } = SAMPLES[0]!;
  const packet = dissectPacket(frame.slice(0, 40), 1, frame.length);
  expect(packet.notes).toEqual([
    'Transmission Control Protocol: cut by the capture at Sequence Number',
  ]);
  expect(value(packet, 'Transmission Control Protocol', 'Source Port')).toBe('1');
  expect(value(packet, 'Internet Protocol Version 4', 'Header Checksum')).toMatch(/\[correct\]$/);
});

describe('fields', () => {
  const FIELDS: [sample: string, layer: string, field: string, value: string][] = [
    ['TCP with options', 'Ethernet II', 'Destination', '02:00:00:00:00:0b'],
    ['TCP with options', 'Ethernet II', 'Type', 'IPv4 (0x0800)'],
    ['TCP with options', 'Internet Protocol Version 4', 'Version', '4'],
    ['TCP with options', 'Internet Protocol Version 4', 'Header Length', '20 bytes (5)'],
    ['TCP with options', 'Internet Protocol Version 4', 'Time to Live', '64'],
    ['TCP with options', 'Internet Protocol Version 4', 'Protocol', 'TCP (6)'],
    ['TCP with options', 'Internet Protocol Version 4', 'Source Address', '10.0.0.1'],
    ['TCP with options', 'Transmission Control Protocol', 'Flags', '0x002 (SYN)'],
    ['TCP with options', 'Transmission Control Protocol', 'Syn', 'Set'],
    ['TCP with options', 'Transmission Control Protocol', 'MSS Value', '1460'],
    ['TCP with options', 'Transmission Control Protocol', 'Shift count', '7'],
    ['TCP with options', 'Transmission Control Protocol', 'Timestamp value', '1'],
    ['TCP with SACK', 'Transmission Control Protocol', 'right edge', '2'],
    ['UDP with padding', 'Ethernet II', 'Padding', '00'.repeat(17)],
    ['IPv4 later fragment', 'Internet Protocol Version 4', 'Fragment Offset', '32'],
    ['IPv6 routing and fragment', 'Fragment Header for IPv6', 'More Fragments', 'Set'],
    ['neighbor solicitation', 'Internet Control Message Protocol v6', 'Target Address', 'fe80::5'],
    [
      'neighbor solicitation',
      'Internet Control Message Protocol v6',
      'Link-layer address',
      '02:00:00:00:00:0a',
    ],
    ['router advertisement', 'Internet Control Message Protocol v6', 'Prefix', '2001:db8::'],
    [
      'router advertisement',
      'Internet Control Message Protocol v6',
      'Recursive DNS Server',
      '2001:db8::53',
    ],
    ['QinQ', 'IEEE 802.1ad', 'ID', '200'],
    ['QinQ', '802.1Q Virtual LAN', 'ID', '2001'],
    ['VLAN', '802.1Q Virtual LAN', 'Priority', '1'],
    ['VN-Tag and VLAN', 'VN-Tag', 'Direction', 'From bridge'],
    ['VN-Tag and VLAN', '802.1Q Virtual LAN', 'ID', '5'],
    ['MPLS', 'MultiProtocol Label Switching Header', 'MPLS Label', '17'],
    ['spanning tree', 'Spanning Tree Protocol', 'Forward Delay', '15 s'],
    ['PPPoE discovery', 'PPP-over-Ethernet Discovery', 'Tag', 'Host-Uniq: 01020304'],
    ['GRE', 'Generic Routing Encapsulation', 'Key', '0x00000063'],
    ['VXLAN', 'Virtual eXtensible Local Area Network', 'VXLAN Network Identifier (VNI)', '100'],
    ['GTP', 'GPRS Tunneling Protocol', 'TEID', '0x00000007'],
    ['DNS response', 'Domain Name System', 'CNAME', 'www.example.com'],
    ['DNS response', 'Domain Name System', 'Address', '93.184.216.34'],
    ['DNS response', 'Domain Name System', 'TXT', 'v=spf'],
    ['DNS response', 'Domain Name System', 'Serial Number', '7'],
    ['NetBIOS name', 'NetBIOS Name Service', 'Name', 'MYPC<00>'],
    ['HTTP request', 'Hypertext Transfer Protocol', 'Request URI', '/index.html'],
    ['HTTP request', 'Hypertext Transfer Protocol', 'Host', 'example.com'],
    [
      'HTTP request with a blank in its target',
      'Hypertext Transfer Protocol',
      'Request URI',
      '/cgi;cat /etc/passwd|',
    ],
    ['HTTP response', 'Hypertext Transfer Protocol', 'Status Code', '404'],
    ['TLS client hello', 'Transport Layer Security', 'Server Name', 'www.example.com'],
    ['TLS client hello', 'Transport Layer Security', 'Cipher Suites', '4 suites'],
    ['TLS client hello', 'Transport Layer Security', 'Supported Version', 'TLS 1.2 (0x0303)'],
    ['TLS server hello of a draft', 'Transport Layer Security', 'Type', '40'],
    ['TLS alert', 'Transport Layer Security', 'Description', 'Handshake Failure (40)'],
    [
      'DHCP',
      'Dynamic Host Configuration Protocol (Discover)',
      'Client hardware address',
      '02:00:00:00:00:0a',
    ],
    ['NTP', 'Network Time Protocol', 'Transmit Timestamp', '2023-11-03 23:25:53.250000000 UTC'],
    ['SNMP', 'Simple Network Management Protocol', 'community', 'public'],
    ['SNMP', 'Simple Network Management Protocol', 'name', '1.3.6.1.2.1.1.1.0'],
    ['syslog', 'Syslog message', 'Facility', 'auth (4)'],
    ['Linux cooked 2', 'Linux cooked capture v2', 'Interface index', '2'],
    ['Frame Relay', 'Frame Relay', 'DLCI', '100'],
    ['802.11 beacon', 'IEEE 802.11 Beacon frame', 'SSID', 'guest'],
    ['802.11 beacon', 'IEEE 802.11 Beacon frame', 'Current Channel', '6'],
    ['radiotap', 'Radiotap Header v0', 'Antenna signal', '-42 dBm'],
    ['radiotap', 'IEEE 802.11 Data', 'Frame check sequence', '01020304'],
    ['ICMP quoting a packet', 'Internet Control Message Protocol', 'Code', '3 (port unreachable)'],
    ['ICMP echo', 'Internet Control Message Protocol', 'Code', '0'],
  ];
  it.each(FIELDS)('%s: %s, %s', (name, layer, field, wanted) => {
    expect(value(sampled(name), layer, field)).toBe(wanted);
  });

  const SUMMARIES: [sample: string, layer: string, summary: string][] = [
    ['ARP reply', 'Address Resolution Protocol', '10.0.0.1 is at 02:00:00:00:00:0a'],
    ['QinQ', 'Address Resolution Protocol', 'Who has 10.0.0.2? Tell 10.0.0.1'],
    ['ICMP echo', 'Internet Control Message Protocol', 'echo request, id=1, seq=2'],
    [
      'ICMP quoting a packet',
      'Internet Control Message Protocol',
      'destination unreachable: port unreachable',
    ],
    [
      'HTTP request',
      'Transmission Control Protocol',
      'Src Port: 50000, Dst Port: 8080, [PSH, ACK] Seq: 1000, Ack: 2000, Win: 65535, Len: 62',
    ],
    ['HTTP request', 'Hypertext Transfer Protocol', 'GET /index.html HTTP/1.1'],
    ['DNS query', 'Domain Name System', 'query 0xabcd, A example.com'],
    [
      'DNS response',
      'Domain Name System',
      'response 0xabcd, A example.com, CNAME www.example.com, A 93.184.216.34, TXT v=spf',
    ],
    ['NetBIOS name', 'NetBIOS Name Service', 'response 0xabcd, NB 10.0.0.5'],
    [
      'DNS response with an extended code',
      'Domain Name System',
      String.raw`response 0xabcd, code 23, A a\.b\001c.de`,
    ],
    [
      'TLS client hello',
      'Transport Layer Security',
      'Client Hello (SNI=www.example.com, ALPN=h2,http/1.1, TLS 1.3 (0x0304), 4 cipher suites)',
    ],
    [
      'TLS server hello',
      'Transport Layer Security',
      'Server Hello (TLS 1.3 (0x0304), TLS_AES_128_GCM_SHA256 (0x1301)), Change Cipher Spec, Application Data',
    ],
    [
      'TLS server hello of a draft',
      'Transport Layer Security',
      'Server Hello (0x7f12, TLS_AES_128_GCM_SHA256 (0x1301))',
    ],
    ['TLS alert', 'Transport Layer Security', 'Alert (Fatal, Handshake Failure (40))'],
    ['SSH', 'SSH Protocol', 'SSH-2.0-OpenSSH_9.6'],
    ['SNMP', 'Simple Network Management Protocol', 'v2c (1), get-request, community public'],
    ['syslog', 'Syslog message', 'auth.crit: su: failed'],
    [
      '802.11 beacon',
      'IEEE 802.11 Beacon frame',
      'Src: 02:00:00:00:00:0a, Dst: ff:ff:ff:ff:ff:ff, SSID: "guest"',
    ],
    ['E-Tag', '802.1BR E-Tag', 'E-CID: 3, Ingress E-CID: 2'],
    [
      'DCCP',
      'Datagram Congestion Control Protocol',
      'Src Port: 5000, Dst Port: 5001, Data, Seq: 7',
    ],
    [
      'DCCP with long numbers',
      'Datagram Congestion Control Protocol',
      'Src Port: 5000, Dst Port: 5001, Ack, Seq: 8',
    ],
    ['SCTP', 'Stream Control Transmission Protocol', 'Src Port: 5000, Dst Port: 5001, INIT, DATA'],
  ];
  it.each(SUMMARIES)('%s: %s', (name, layer, wanted) => {
    expect(sampled(name).layers.find((one) => one.name === layer)?.summary).toBe(wanted);
  });

  it('lie where the bytes are', () => {
    const packet = sampled('TCP with options');
    const [, ether, ip, transport] = packet.layers;
    expect([ether, ip, transport].map((layer) => [layer!.offset, layer!.length])).toEqual([
      [0, 14],
      [14, 20],
      [34, 40],
    ]);
    const place = (name: string) => {
      const field = fieldsOf(packet).findLast((one) => one.name === name)!;
      return [field.offset, field.length];
    };
    expect(place('Destination Address')).toEqual([30, 4]);
    expect(place('Sequence Number')).toEqual([38, 4]);
    expect(place('MSS Value')).toEqual([56, 2]);
  });
});

describe('checksums', () => {
  const changed = (frame: Bytes, at: number) =>
    frame.map((byte, i) => (i === at ? byte ^ 1 : byte));
  const checksums = (packet: PacketLayers) =>
    fieldsOf(packet)
      .filter((field) => field.name.endsWith('Checksum'))
      .map((field) => /\[(\w+)/.exec(field.value)?.[1]);
  const NAMES = [
    'TCP with options',
    'TCP with SACK',
    'UDP',
    'ICMP echo',
    'ICMPv6 echo',
    'IGMPv3 report',
  ];

  it.each(NAMES)('%s: right, and wrong with one bit changed', (name) => {
    const { frame } = SAMPLES.find((one) => one.name === name)!;
    expect(new Set(checksums(whole(1, frame)))).toEqual(new Set(['correct']));
    const bad = whole(1, changed(frame, frame.length - 1));
    expect(checksums(bad).at(-1)).toBe('incorrect');
    expect(
      value(
        bad,
        bad.layers.at(-1)!.name === 'Data' ? bad.layers.at(-2)!.name : bad.layers.at(-1)!.name,
        'Checksum',
      ),
    ).toMatch(/should be 0x/);
  });

  it('of the IPv4 header', () => {
    const { frame } = SAMPLES[0]!;
    const bad = whole(1, changed(frame, 22));
    expect(checksums(bad)[0]).toBe('incorrect');
    expect(bad.notes).toContain('Internet Protocol Version 4: header checksum is wrong');
  });

  it('are not judged where bytes are missing', () => {
    const { frame } = SAMPLES.find((one) => one.name === 'UDP')!;
    const cut = dissectPacket(frame.slice(0, -1), 1, frame.length);
    expect(value(cut, 'User Datagram Protocol', 'Checksum')).toMatch(
      /\[unverified: cut by the capture\]$/,
    );
    expect(value(sampled('IPv4 first fragment'), 'User Datagram Protocol', 'Checksum')).toMatch(
      /\[none\]|\[unverified: a fragment\]$/,
    );
    expect(value(sampled('ICMP quoting a packet'), 'User Datagram Protocol', 'Checksum')).toMatch(
      /unverified: only its start is quoted/,
    );
  });

  it('may be absent in UDP', () => {
    const frame = ethernet(0x0800, over4(17, udp(1, 2, ascii('x'))));
    frame.set([0, 0], 40);
    expect(value(whole(1, frame), 'User Datagram Protocol', 'Checksum')).toBe('0x0000 [none]');
  });
});

describe('hostile packets', () => {
  it('with names that are endless', () => {
    const query = (name: string) =>
      ethernet(
        0x0800,
        over4(17, udp(1, 53, cat('0001 0100 0001 0000 0000 0000', name, '0001 0001'))),
      );
    for (const [name, note] of [
      ['c00c', 'a compressed name points forward'],
      ['c0ff', 'a compressed name points forward'],
      ['01 61 c00c', 'a name is longer than 255 bytes'],
      ['c000', 'a compressed name runs beyond the message'],
      ['40', 'a name has a label of an unknown kind'],
    ] as const) {
      const frame = query(name);
      const packet = whole(1, frame);
      check(packet, frame);
      if (name !== 'c000') expect(packet.notes).toContain(`Domain Name System: ${note}`);
    }
  });

  it('with OPT among the answers', () => {
    const opt = '00 0029 04d0 01 00 8000 0000';
    const message = cat('abcd 8180 0000 0001 0000 0000', opt);
    const packet = whole(1, ethernet(0x0800, over4(17, udp(53, 1, message))));
    expect(value(packet, 'Domain Name System', 'Z')).toBe('0x8000');
    expect(packet.notes).toEqual([]);
  });

  it('with an object whose number is too large', () => {
    const oid = '06 09 2b ffffffffffffff 7f';
    const snmp = hex(
      `30 2a 020101 0406 7075626c6963 a01d 020411223344 020100 020100 300f 300d ${oid} 0500`,
    );
    const packet = whole(1, ethernet(0x0800, over4(17, udp(50_000, 161, snmp))));
    expect(value(packet, 'Simple Network Management Protocol', 'name')).toBe('2bffffffffffffff7f');
  });

  it('with more records than are shown', () => {
    const records = cat(
      ...Array.from({ length: 300 }, () => hex('00 0001 0001 00000000 0004 01020304')),
    );
    const frame = ethernet(
      0x0800,
      over4(17, udp(53, 1, cat('0001 8180 0000 012c 0000 0000', records))),
    );
    const packet = whole(1, frame);
    check(packet, frame);
    expect(packet.notes).toContain('Domain Name System: more records than the 200 that are shown');
  });

  it('with layers without end', () => {
    const labels = new Uint8Array(4000);
    const frame = ethernet(0x8847, labels);
    const packet = whole(1, frame);
    check(packet, frame);
    expect(packet.notes).toEqual(['more layers than are shown']);
  });

  it('with fields without end', () => {
    const frame = ethernet(
      0x86dd,
      cat('60000000', n16(60_000), '00 40', new Uint8Array(32), '3a ff', new Uint8Array(2046)),
    );
    const packet = whole(1, frame);
    check(packet, frame);
    expect(packet.notes).toContain('more fields than are shown');
  });

  it('with options of impossible lengths', () => {
    for (const options of ['02000000', '02ff0000', '08020000', '01010102', '05030101']) {
      const frame = ethernet(
        0x0800,
        over4(6, tcp({ src: 1, dst: 2, flags: SYN, options: hex(options) })),
      );
      const packet = whole(1, frame);
      check(packet, frame);
      expect(packet.layers.map((layer) => layer.name)).toContain('Transmission Control Protocol');
      expect(value(packet, 'Transmission Control Protocol', 'Urgent Pointer')).toBe('0');
    }
  });

  it('with text that is not what it seems', () => {
    const evil = ascii('GET /\u202egnp.exe HTTP/1.1\r\nHost: a\u0007b\u{e0041}\r\n\r\n');
    const frame = ethernet(0x0800, over4(6, tcp({ src: 1, dst: 80, flags: 24 }, evil)));
    const packet = whole(1, frame);
    check(packet, frame);
    expect(value(packet, 'Hypertext Transfer Protocol', 'Request URI')).toBe('/\\u{202e}gnp.exe');
    expect(value(packet, 'Hypertext Transfer Protocol', 'Host')).toBe('a\\x07b\\u{e0041}');
  });

  it('with lengths that lie', () => {
    const datagram = udp(1, 2, ascii('payload'));
    const longer = ethernet(
      0x0800,
      ip4({ src: '1.1.1.1', dst: '2.2.2.2', proto: 17, total: 900 }, datagram),
    );
    expect(whole(1, longer).notes).toContain('Internet Protocol Version 4: longer than its frame');
    const udpLonger = datagram.slice();
    udpLonger.set(n16(500), 4);
    expect(whole(1, ethernet(0x0800, over4(17, udpLonger))).notes).toContain(
      'User Datagram Protocol: longer than its packet',
    );
    const shorter = ethernet(
      0x0800,
      ip4({ src: '1.1.1.1', dst: '2.2.2.2', proto: 17, total: 10 }, datagram),
    );
    expect(whole(1, shorter).notes).toContain(
      'Internet Protocol Version 4: total length below its header length',
    );
    const ping = over4(1, icmp(8, 0));
    ping[0] = 0x41;
    expect(whole(101, ping).notes).toContain(
      'Internet Protocol Version 4: header length below 20 bytes',
    );
  });

  const LINK_TYPES = [
    ...new Set([
      ...SAMPLES.map((one) => one.linkType),
      11,
      12,
      14,
      106,
      149,
      166,
      205,
      206,
      248,
      281,
      282,
      285,
    ]),
  ];

  it('of any bytes', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...LINK_TYPES),
        fc.uint8Array({ maxLength: 200 }),
        fc.nat(2000),
        (linkType, frame, wire) => check(dissectPacket(frame, linkType, wire), frame),
      ),
      { numRuns: 3000 },
    );
  });

  it('that were good before some of their bytes changed', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...SAMPLES),
        fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { minLength: 1, maxLength: 6 }),
        fc.nat(400),
        ({ frame, linkType }, changes, cut) => {
          const bytes = frame.slice(0, Math.max(1, frame.length - (cut > 300 ? cut - 300 : 0)));
          for (const [at, byte] of changes) bytes[at % bytes.length] = byte;
          check(dissectPacket(bytes, linkType, frame.length), bytes);
        },
      ),
      { numRuns: 6000 },
    );
  });

  it('in little time', () => {
    // Every answer's name has the maximum length, through pointers.
    const long = cat(...Array.from({ length: 120 }, () => hex('0161')), '00');
    const answers = cat(...Array.from({ length: 5000 }, () => hex('c00c 0001 0001 00000000 0000')));
    const frame = ethernet(
      0x0800,
      over4(
        17,
        udp(
          53,
          1,
          cat('0001 8180 0001 1388 0000 0000', long, '0001 0001', answers.subarray(0, 60_000)),
        ),
      ),
    );
    check(whole(1, frame), frame);
    check(
      whole(1, cat(frame.subarray(0, 42), DNS_QUERY, n32(0))),
      cat(frame.subarray(0, 42), DNS_QUERY, n32(0)),
    );
  });
});
