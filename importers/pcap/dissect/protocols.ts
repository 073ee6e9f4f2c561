/**
 * The dissected protocols, and the numbers that identify them: link types, EtherTypes, IP protocol numbers.
 * Dissectors name the following layer by these and know nothing of each other; `table.ts` has the dissector of
 * each.
 */
import { hex16, named } from './text.ts';
import { PROTOCOLS } from '../../../engine/contract/event.ts';

export type Protocol =
  | 'ah'
  | 'arcnet'
  | 'arp'
  | 'atm-llc'
  | 'avs'
  | 'cisco-hdlc'
  | 'cisco-meta-data'
  | 'cisco-meta-data-gre'
  | 'data'
  | 'dccp'
  | 'dhcp'
  | 'dns'
  | 'dns-tcp'
  | 'dsa'
  | 'eapol'
  | 'edsa'
  | 'e-tag'
  | 'erspan'
  | 'erspan3'
  | 'esp'
  | 'etherip'
  | 'ethernet'
  | 'fabric-path'
  | 'fddi'
  | 'frame-relay'
  | 'ayiya'
  | 'geneve'
  | 'gre'
  | 'gtp'
  | 'http'
  | 'icmp'
  | 'icmpv6'
  | 'ieee1394'
  | 'igmp'
  | 'ip'
  | 'ip-over-fc'
  | 'ipnet'
  | 'ipoib'
  | 'ipv4'
  | 'ipv6'
  | 'ipv6-destination'
  | 'ipv6-fragment'
  | 'ipv6-hop-by-hop'
  | 'ipv6-routing'
  | 'juniper-ethernet'
  | 'linux-sll'
  | 'linux-sll2'
  | 'llc'
  | 'macsec'
  | 'mfr'
  | 'mpacket'
  | 'mpls'
  | 'nflog'
  | 'nlpid'
  | 'nsh'
  | 'ntp'
  | 'null'
  | 'pbb'
  | 'pktap'
  | 'ppi'
  | 'ppp'
  | 'pppoe'
  | 'pppoe-discovery'
  | 'ppp-hdlc'
  | 'prism'
  | 'pseudo-direction-fr'
  | 'pseudo-direction-hdlc'
  | 'pseudo-direction-ppp'
  | 'radiotap'
  | 'sctp'
  | 'slip'
  | 'snmp'
  | 'ssh'
  | 'stp'
  | 'sun-atm'
  | 'syslog'
  | 'tag-broadcom'
  | 'tag-broadcom-prepended'
  | 'tcp'
  | 'tls'
  | 'token-ring'
  | 'udp'
  | 'udplite'
  | 'vlan'
  | 'vlan-service'
  | 'vn-tag'
  | 'vxlan'
  | 'vxlan-gpe'
  | 'wlan';

const LINK_TYPES: Readonly<Record<number, Protocol>> = {
  0: 'null',
  1: 'ethernet',
  6: 'token-ring',
  8: 'slip',
  9: 'ppp-hdlc',
  10: 'fddi',
  11: 'atm-llc',
  12: 'ip',
  14: 'ip',
  50: 'ppp-hdlc',
  51: 'pppoe',
  100: 'atm-llc',
  101: 'ip',
  104: 'cisco-hdlc',
  105: 'wlan',
  106: 'atm-llc',
  107: 'frame-relay',
  108: 'null',
  113: 'linux-sll',
  119: 'prism',
  122: 'ip-over-fc',
  123: 'sun-atm',
  127: 'radiotap',
  129: 'arcnet',
  138: 'ieee1394',
  149: 'pktap',
  163: 'avs',
  166: 'ppp',
  178: 'juniper-ethernet',
  182: 'mfr',
  192: 'ppi',
  204: 'pseudo-direction-ppp',
  205: 'pseudo-direction-hdlc',
  206: 'pseudo-direction-fr',
  226: 'ipnet',
  228: 'ip',
  229: 'ip',
  239: 'nflog',
  242: 'ipoib',
  248: 'sctp',
  258: 'pktap',
  274: 'mpacket',
  276: 'linux-sll2',
  281: 'tag-broadcom',
  282: 'tag-broadcom-prepended',
  284: 'dsa',
  285: 'edsa',
};

/** The first layer of a link type's frames: https://www.tcpdump.org/linktypes.html */
export function linkProtocol(linkType: number): Protocol {
  return LINK_TYPES[linkType] ?? 'data';
}

const ETHER_TYPES: Readonly<Record<number, Protocol>> = {
  0x0004: 'llc',
  0x00fe: 'nlpid',
  0x0800: 'ipv4',
  0x0806: 'arp',
  0x6558: 'ethernet',
  0x8035: 'arp',
  0x8100: 'vlan',
  0x86dd: 'ipv6',
  0x8847: 'mpls',
  0x8848: 'mpls',
  0x8863: 'pppoe-discovery',
  0x8864: 'pppoe',
  0x8870: 'llc',
  0x880b: 'ppp',
  0x888e: 'eapol',
  0x88a8: 'vlan-service',
  0x88e5: 'macsec',
  0x88e7: 'pbb',
  0x8903: 'fabric-path',
  0x8909: 'cisco-meta-data',
  0x8926: 'vn-tag',
  0x893f: 'e-tag',
  0x894f: 'nsh',
  0x9100: 'vlan',
  0x9200: 'vlan',
  0x9300: 'vlan',
  0xfefe: 'nlpid',
};

/** The protocol of an EtherType: https://www.iana.org/assignments/ieee-802-numbers */
export function etherTypeProtocol(type: number): Protocol {
  return ETHER_TYPES[type] ?? 'data';
}

export const etherTypeText = named(
  {
    0x0800: 'IPv4',
    0x0806: 'ARP',
    0x0842: 'Wake on LAN',
    0x22f3: 'TRILL',
    0x6003: 'DECnet',
    0x6558: 'Transparent Ethernet bridging',
    0x8035: 'RARP',
    0x809b: 'AppleTalk',
    0x80f3: 'AppleTalk ARP',
    0x8100: '802.1Q Virtual LAN',
    0x8137: 'IPX',
    0x86dd: 'IPv6',
    0x8809: 'Slow Protocols',
    0x880b: 'PPP',
    0x8847: 'MPLS label switched packet',
    0x8848: 'MPLS multicast',
    0x8863: 'PPPoE Discovery',
    0x8864: 'PPPoE Session',
    0x8870: 'Jumbo LLC',
    0x888e: '802.1X Authentication',
    0x8892: 'PROFINET',
    0x88a4: 'EtherCAT',
    0x88a8: '802.1ad Provider Bridge',
    0x88b8: 'IEC 61850 GOOSE',
    0x88ba: 'IEC 61850 Sampled Values',
    0x88cc: '802.1 Link Layer Discovery Protocol',
    0x88e1: 'HomePlug AV',
    0x88e5: '802.1AE (MACsec)',
    0x88e7: '802.1ah Provider Backbone Bridge',
    0x88f7: 'PTPv2 over Ethernet',
    0x8902: '802.1ag Connectivity Fault Management',
    0x8906: 'FCoE',
    0x8926: 'VN-Tag',
    0x893f: '802.1BR E-Tag',
    0x894f: 'Network Service Header',
    0x9000: 'Loopback',
  },
  hex16,
);

const IP_PROTOCOLS: Readonly<Record<number, Protocol>> = {
  0: 'ipv6-hop-by-hop',
  1: 'icmp',
  2: 'igmp',
  4: 'ipv4',
  6: 'tcp',
  17: 'udp',
  33: 'dccp',
  41: 'ipv6',
  43: 'ipv6-routing',
  44: 'ipv6-fragment',
  47: 'gre',
  50: 'esp',
  51: 'ah',
  58: 'icmpv6',
  60: 'ipv6-destination',
  97: 'etherip',
  132: 'sctp',
  136: 'udplite',
  137: 'mpls',
  143: 'ethernet',
};

/** The protocol of an IP protocol number: https://www.iana.org/assignments/protocol-numbers */
export function ipProtocol(number: number): Protocol {
  return IP_PROTOCOLS[number] ?? 'data';
}

const IP_NAMES: Readonly<Record<number, string>> = Object.fromEntries(
  Object.entries(PROTOCOLS).map(([name, number]) => [number, name.toUpperCase()]),
);
export const ipProtocolText = named({ ...IP_NAMES, 58: 'ICMPv6' });
