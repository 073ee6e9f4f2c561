/**
 * Dissection against tshark, packet by packet: the stack of protocols, addresses, lengths, checksums with their
 * verdicts, and what the application layers name. tshark is configured not to reassemble segments and fragments,
 * since packets are dissected individually here.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { EventBatch } from '../../../engine/columns/event-batch.ts';
import type { EventSink } from '../../../engine/evidence/importer.ts';
import { inputOf } from '../../shared/testing/collect.ts';
import { readCapture } from '../index.ts';
import { dissectPacket, type LayerField, type PacketLayers } from './index.ts';

const SHARED =
  process.env['DAYBOOK_SHARED'] ?? path.resolve(import.meta.dirname, '../../../../shared');
const DATA = path.join(SHARED, 'data/pcap');
const TSHARK = '/usr/bin/tshark';

const CAPTURES = [
  'ndpi-history/pcap/gre.pcap',
  'ndpi/default/pcap/dns.pcap',
  'ndpi/default/pcap/ipv6_in_gtp.pcap',
  'ndpi/default/pcap/long_tls_certificate.pcap',
  'ndpi/default/pcap/vxlan.pcap',
  'ndpi/default/pcap/whatsapp_voice_and_message.pcap',
  'pcapplusplus/ExamplesTest/pcap_examples/frag_http_req.pcap',
  'pcapplusplus/Packet++Test/PacketExamples/gtp-u.pcap',
  'pcapplusplus/Packet++Test/PacketExamples/nflogPacket.pcap',
  'pcapplusplus/Pcap++Test/PcapExamples/DnsPackets.pcap',
  'pcapplusplus/Pcap++Test/PcapExamples/sll2.pcap',
  'tcpdump/802.1D_spanning_tree.pcap',
  'tcpdump/802.1ad_QinQ.pcap',
  'tcpdump/HDLC.pcap',
  'tcpdump/LINKTYPE_IPV6.pcap',
  'tcpdump/LINKTYPE_RAW_ipv6.pcap',
  'tcpdump/arcnet-rfc1051-arp-icmp-http.pcap',
  'tcpdump/dccp_partial_csum_v6_longer.pcap',
  'tcpdump/erspan-type-ii-3.pcap',
  'tcpdump/geneve.pcap',
  'tcpdump/geonet_v0_and_calm_fast.pcap',
  'tcpdump/gso-ipv4-geneve-ipv4.pcap',
  'tcpdump/gso-ipv4-vxlan-ipv6.pcap',
  'tcpdump/ieee802.11_htc.pcap',
  'tcpdump/ipv4_tcp_http_xml_tso.pcap',
  'tcpdump/ipv6-srh-insert-cksum.pcap',
  'tcpdump/ipv6-srh-tlv-pad1-padn-5-trunc.pcap',
  'tcpdump/mpls-over-udp.pcap',
  'tcpdump/mpls-traceroute.pcap',
  'tcpdump/nflog.pcap',
  'tcpdump/ppp_error_hexdump.pcap',
  'tcpdump/ppp_ip_udp_dns.pcap',
  'tcpdump/pppoe.pcap',
  'zeek/chksums/ip6-hoa-udp-bad-chksum.pcap',
  'zeek/chksums/ip6-route0-tcp-good-chksum.pcap',
  'zeek/communityid/sctp.pcap',
  'zeek/dhcp/dhcp_ack_subscriber_id_and_agent_remote_id.pcap',
  'zeek/dns/hinfo.pcap',
  'zeek/dnssec/rrsig.pcap',
  'zeek/http/100-continue.pcap',
  'zeek/http/docker-http-upgrade.pcap',
  'zeek/icmp/icmp-timeexceeded.pcap',
  'zeek/icmp/icmp6-nd-options.pcap',
  'zeek/icmp/icmp6-redirect.pcap',
  'zeek/ipv4/fragmented-1.pcap',
  'zeek/linux_dlt_sll2.pcap',
  'zeek/llc.pcap',
  'zeek/mpls-in-vlan.pcap',
  'zeek/ntp.pcap',
  'zeek/snmp/snmpv3_get_next.pcap',
  'zeek/ssh/reverse-ssh.pcap',
  'zeek/ssh/ssh.client-side-half-duplex.pcap',
  'zeek/tls/tls1.2.pcap',
  'zeek/tls/tls13draft23-chrome67.0.3368.0-canary.pcap',
  'zeek/wlanmon.pcap',
];

/** tshark's short name of a layer. */
const PROTOCOLS: Readonly<Record<string, string>> = {
  '802.1Q Virtual LAN': 'vlan',
  '802.1X Authentication': 'eapol',
  'Address Resolution Protocol': 'arp',
  ARCNET: 'arcnet',
  'Authentication Header': 'ah',
  'Cisco HDLC': 'chdlc',
  'Destination Options for IPv6': 'ipv6.dstopts',
  'Domain Name System': 'dns',
  'Encapsulated Remote Switch Packet ANalysis Type II': 'erspan',
  'Encapsulated Remote Switch Packet ANalysis Type III': 'erspan',
  'Encapsulating Security Payload': 'esp',
  'Ethernet II': 'eth',
  'Fiber Distributed Data Interface': 'fddi',
  'Fragment Header for IPv6': 'ipv6.fraghdr',
  'Frame Relay': 'fr',
  'GPRS Tunneling Protocol': 'gtp',
  'Generic Network Virtualization Encapsulation': 'geneve',
  'Generic Routing Encapsulation': 'gre',
  'Hypertext Transfer Protocol': 'http',
  'IEEE 802.1ad': 'ieee8021ad',
  'IEEE 802.3 Ethernet': 'eth',
  'IPv6 Hop-by-Hop Option': 'ipv6.hopopts',
  'Internet Control Message Protocol': 'icmp',
  'Internet Control Message Protocol v6': 'icmpv6',
  'Internet Group Management Protocol': 'igmp',
  'Internet Protocol Version 4': 'ip',
  'Datagram Congestion Control Protocol': 'dccp',
  'Internet Protocol Version 6': 'ipv6',
  'Juniper Ethernet': 'juniper',
  'Lightweight User Datagram Protocol': 'udplite',
  'Link-local Multicast Name Resolution': 'llmnr',
  'Linux Netfilter NFLOG': 'nflog',
  'Linux cooked capture v1': 'sll',
  'Linux cooked capture v2': 'sll',
  'Logical-Link Control': 'llc',
  'MultiProtocol Label Switching Header': 'mpls',
  'Multicast Domain Name System': 'mdns',
  'Multilink Frame Relay': 'mfr',
  'Network Service Header': 'nsh',
  'Network Time Protocol': 'ntp',
  'Null/Loopback': 'null',
  'PPP-over-Ethernet Discovery': 'pppoed',
  'PPP-over-Ethernet Session': 'pppoes',
  'Point-to-Point Protocol': 'ppp',
  'Radiotap Header v0': 'radiotap',
  'Routing Header for IPv6': 'ipv6.routing',
  'SSH Protocol': 'ssh',
  'Serial Line Internet Protocol': 'slip',
  'Simple Network Management Protocol': 'snmp',
  'Simple Service Discovery Protocol': 'ssdp',
  'Spanning Tree Protocol': 'stp',
  'Stream Control Transmission Protocol': 'sctp',
  'Cisco MetaData': 'cmd',
  SunATM: 'atm',
  'Syslog message': 'syslog',
  'Transmission Control Protocol': 'tcp',
  'Transport Layer Security': 'tls',
  'User Datagram Protocol': 'udp',
  'Virtual eXtensible Local Area Network': 'vxlan',
};
/** Entries in tshark's list that are not layers. */
const NO_LAYERS = new Set([
  'ethertype',
  'data',
  'raw',
  'frame',
  'wlan_radio',
  'data-text-lines',
  'sap',
]);

function protocolOf(layer: string): string {
  if (layer.startsWith('IEEE 802.11')) return 'wlan';
  if (layer.startsWith('Dynamic Host Configuration')) return 'dhcp';
  return PROTOCOLS[layer] ?? layer;
}

const number = (text: string) => text.split(' ')[0]!;
/** tshark's numbers: bad, good, unverified, not present. */
const verdict = (text: string) =>
  text.includes('[incorrect')
    ? '0'
    : text.includes('[correct')
      ? '1'
      : text.includes('[none')
        ? '3'
        : '2';
const same = (text: string) => text;

/** tshark's field, the protocols it belongs to, our field, and the part of our value to compare. */
const FIELDS: readonly (readonly [string, string, string, (text: string) => string])[] = [
  ['eth.src', 'eth', 'Source', same],
  ['eth.dst', 'eth', 'Destination', same],
  ['vlan.id', 'vlan', 'ID', same],
  ['mpls.label', 'mpls', 'MPLS Label', same],
  ['arp.opcode', 'arp', 'Opcode', (text) => /\d+/.exec(text)![0]],
  ['ip.src', 'ip', 'Source Address', same],
  ['ip.dst', 'ip', 'Destination Address', same],
  ['ip.ttl', 'ip', 'Time to Live', same],
  ['ip.id', 'ip', 'Identification', number],
  ['ip.frag_offset', 'ip', 'Fragment Offset', (text) => String(Number(text) / 8)],
  ['ip.checksum', 'ip', 'Header Checksum', number],
  ['ip.checksum.status', 'ip', 'Header Checksum', verdict],
  ['ipv6.src', 'ipv6', 'Source Address', same],
  ['ipv6.dst', 'ipv6', 'Destination Address', same],
  ['ipv6.hlim', 'ipv6', 'Hop Limit', same],
  ['tcp.srcport', 'tcp', 'Source Port', same],
  ['tcp.dstport', 'tcp', 'Destination Port', same],
  ['tcp.seq_raw', 'tcp', 'Sequence Number', same],
  ['tcp.ack_raw', 'tcp', 'Acknowledgment Number', same],
  ['tcp.window_size_value', 'tcp', 'Window', same],
  ['tcp.len', 'tcp', 'TCP Segment Len', same],
  ['tcp.checksum', 'tcp', 'Checksum', number],
  ['tcp.checksum.status', 'tcp', 'Checksum', verdict],
  ['tcp.options.mss_val', 'tcp', 'MSS Value', same],
  ['tcp.options.timestamp.tsval', 'tcp', 'Timestamp value', same],
  ['udp.srcport', 'udp', 'Source Port', same],
  ['udp.dstport', 'udp', 'Destination Port', same],
  ['udp.length', 'udp', 'Length', same],
  ['udp.checksum', 'udp', 'Checksum', number],
  ['udp.checksum.status', 'udp', 'Checksum', verdict],
  ['icmp.type', 'icmp', 'Type', number],
  ['icmp.checksum.status', 'icmp', 'Checksum', verdict],
  ['icmpv6.checksum.status', 'icmpv6', 'Checksum', verdict],
  ['dns.id', 'dns mdns llmnr', 'Transaction ID', same],
  ['dns.a', 'dns mdns llmnr', 'Address', same],
  ['dns.aaaa', 'dns mdns llmnr', 'AAAA Address', same],
  ['dns.cname', 'dns mdns llmnr', 'CNAME', same],
  ['http.request.uri', 'http ssdp', 'Request URI', same],
  ['http.response.code', 'http ssdp', 'Status Code', same],
  ['tls.handshake.extensions_server_name', 'tls', 'Server Name', same],
];

interface Frame {
  bytes: Uint8Array;
  linkType: number;
  wire: number;
}

async function framesOf(file: string): Promise<Frame[]> {
  const stored = readFileSync(file);
  const bytes = file.endsWith('.gz') ? gunzipSync(stored) : stored;
  const frames: Frame[] = [];
  const batch = new EventBatch('packet', (full) => full.clear(), 1000);
  const sink: EventSink = {
    batch: () => batch,
    record() {},
    quarantine() {},
    skip() {},
    note() {},
    metadata() {},
    decide() {},
    drain: () => undefined,
  };
  await readCapture(
    inputOf(bytes),
    sink,
    { packets: true },
    {
      packet(p) {
        const bytes = new Uint8Array(p.bytes.subarray(p.start, p.end));
        frames.push({ bytes, linkType: p.linkType, wire: p.wire });
        return 0;
      },
      finish() {},
    },
  );
  return frames;
}

/** One row of cells for each packet: the protocols, then FIELDS. */
function tsharkRows(file: string): string[][] {
  const preferences = [
    'tcp.desegment_tcp_streams:FALSE',
    'ip.defragment:FALSE',
    'ipv6.defragment:FALSE',
    'ip.check_checksum:TRUE',
    'tcp.check_checksum:TRUE',
    'udp.check_checksum:TRUE',
  ];
  const args = [
    ...['-n', '-r', file, '-T', 'fields', '-E', 'occurrence=a', '-E', 'aggregator=|'],
    ...preferences.flatMap((one) => ['-o', one]),
    ...['frame.protocols', ...FIELDS.map(([field]) => field)].flatMap((one) => ['-e', one]),
  ];
  const out = execFileSync(TSHARK, args, {
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return out
    .toString()
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split('\t'));
}

function valuesOf(packet: PacketLayers, protocols: string, name: string): string[] {
  const of = protocols.split(' ');
  const below = (fields: readonly LayerField[]): LayerField[] =>
    fields.flatMap((field) => [field, ...below(field.fields ?? [])]);
  return packet.layers
    .filter((layer) => of.includes(protocolOf(layer.name)))
    .flatMap((layer) => below(layer.fields))
    .filter((field) => field.name === name)
    .map((field) => field.value);
}

/** Several records of one protocol are one layer here. */
function stack(protocols: readonly string[]): string {
  return protocols
    .filter((one, i) => one !== protocols[i - 1] || !['tls', 'dns', 'sctp', 'mpls'].includes(one))
    .join(':');
}

function differences(frame: Frame, cells: readonly string[]): string[] {
  const packet = dissectPacket(frame.bytes, frame.linkType, frame.wire);
  const out: string[] = [];
  const ours = stack(
    packet.layers
      .slice(1)
      .map((layer) => protocolOf(layer.name))
      .filter((one) => one !== 'Data'),
  );
  const theirs = stack(cells[0]!.split(':').filter((one) => !NO_LAYERS.has(one)));
  // tshark knows more protocols: it may continue where ours ends with data.
  const goesOn = theirs.startsWith(`${ours}:`) && packet.layers.at(-1)!.name === 'Data';
  if (ours !== theirs && !goesOn) out.push(`${ours} for ${theirs}`);
  FIELDS.forEach(([field, protocols, name, part], i) => {
    const mine = valuesOf(packet, protocols, name).map(part).join('|');
    const known = (cells[i + 1] ?? '')
      .split('|')
      .filter((one) => one !== '')
      .join('|');
    if (mine !== known) out.push(`${field} ${mine} for ${known}`);
  });
  return out;
}

it.skipIf(!existsSync(DATA) || !existsSync(TSHARK))(
  'agrees with tshark (skipped without tshark or the shared evidence)',
  async () => {
    let packets = 0;
    const found: string[] = [];
    for (const capture of CAPTURES) {
      const file = path.join(DATA, capture);
      const frames = await framesOf(file);
      const rows = tsharkRows(file);
      expect([capture, frames.length]).toEqual([capture, rows.length]);
      frames.forEach((frame, i) => {
        for (const one of differences(frame, rows[i]!)) found.push(`${capture} #${i + 1}: ${one}`);
      });
      packets += frames.length;
    }
    expect(found).toEqual([]);
    console.log(`${packets} packets of ${CAPTURES.length} captures agree with tshark`);
  },
  120_000,
);
