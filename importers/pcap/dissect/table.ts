/** The dissector of each protocol, and the name its layer has until it knows better. */
import { arp } from './link/arp.ts';
import {
  ipnet,
  ipoib,
  juniperEthernet,
  mpacket,
  nflog,
  pktap,
  ppi,
  prependedTag,
  switchTag,
} from './link/capture-headers.ts';
import { data } from './data.ts';
import { dccp } from './internet/dccp.ts';
import { dhcp } from './application/dhcp.ts';
import { dns, dnsOnTcp } from './application/dns.ts';
import { eapol } from './link/eapol.ts';
import { ethernet } from './link/ethernet.ts';
import { erspan, erspan3, gre } from './internet/gre.ts';
import { http } from './application/http.ts';
import { icmp } from './internet/icmp.ts';
import { icmpv6 } from './internet/icmpv6.ts';
import { igmp } from './internet/igmp.ts';
import { ipv4 } from './internet/ipv4.ts';
import {
  authenticationHeader,
  encapsulatingSecurity,
  extensionFragment,
  extensionOptions,
  extensionRouting,
  ipv6,
} from './internet/ipv6.ts';
import { arcnet, fddi, ieee1394, ipOverFibreChannel, tokenRing } from './link/lan.ts';
import { linuxCooked, linuxCooked2 } from './link/linux-cooked.ts';
import { llc, nlpid } from './link/llc.ts';
import { loopback } from './link/loopback.ts';
import { mpls } from './link/mpls.ts';
import { ntp } from './application/ntp.ts';
import { ppp, pppoe, pppoeDiscovery } from './link/ppp.ts';
import type { Protocol } from './protocols.ts';
import type { Dissector } from './reader.ts';
import { sctp } from './internet/sctp.ts';
import {
  atmLlc,
  ciscoHdlc,
  directed,
  frameRelay,
  multilinkFrameRelay,
  slip,
  sunAtm,
} from './link/serial.ts';
import { snmp } from './application/snmp.ts';
import { spanningTree } from './link/spanning-tree.ts';
import { ssh } from './application/ssh.ts';
import { syslog } from './application/syslog.ts';
import { tcp } from './internet/tcp.ts';
import { tls } from './application/tls.ts';
import {
  ayiya,
  etherIp,
  geneve,
  gtp,
  networkService,
  vxlan,
  vxlanGpe,
} from './internet/tunnels.ts';
import { udp, udpLite } from './internet/udp.ts';
import {
  ciscoMetaData,
  ciscoMetaDataOnGre,
  eTag,
  fabricPath,
  macsec,
  providerBackbone,
  vlan,
  vnTag,
} from './link/vlan.ts';
import { avs, prism, radiotap, wlan } from './link/wlan.ts';

/** Protocols without a layer of their own that select another one by the first byte. */
export type Chooser = 'ip' | 'ppp-hdlc';

export const DISSECTORS: Readonly<
  Record<Exclude<Protocol, Chooser>, readonly [string, Dissector]>
> = {
  ah: ['Authentication Header', authenticationHeader],
  arcnet: ['ARCNET', arcnet],
  arp: ['Address Resolution Protocol', arp],
  'atm-llc': ['ATM', atmLlc],
  avs: ['AVS WLAN Capture header', avs],
  'cisco-hdlc': ['Cisco HDLC', ciscoHdlc],
  'cisco-meta-data': ['Cisco MetaData', ciscoMetaData],
  'cisco-meta-data-gre': ['Cisco MetaData', ciscoMetaDataOnGre],
  data: ['Data', data],
  dccp: ['Datagram Congestion Control Protocol', dccp],
  dhcp: ['Dynamic Host Configuration Protocol', dhcp],
  dns: ['Domain Name System', dns],
  'dns-tcp': ['Domain Name System', dnsOnTcp],
  dsa: ['Ethernet II with DSA tag', switchTag(4)],
  eapol: ['802.1X Authentication', eapol],
  'e-tag': ['802.1BR E-Tag', eTag],
  edsa: ['Ethernet II with EDSA tag', switchTag(8)],
  erspan: ['Encapsulated Remote Switch Packet ANalysis Type II', erspan],
  erspan3: ['Encapsulated Remote Switch Packet ANalysis Type III', erspan3],
  esp: ['Encapsulating Security Payload', encapsulatingSecurity],
  etherip: ['Ethernet over IP', etherIp],
  ethernet: ['Ethernet II', ethernet],
  'fabric-path': ['Cisco FabricPath', fabricPath],
  fddi: ['Fiber Distributed Data Interface', fddi],
  'frame-relay': ['Frame Relay', frameRelay],
  ayiya: ['Anything In Anything', ayiya],
  geneve: ['Generic Network Virtualization Encapsulation', geneve],
  gre: ['Generic Routing Encapsulation', gre],
  gtp: ['GPRS Tunneling Protocol', gtp],
  http: ['Hypertext Transfer Protocol', http],
  icmp: ['Internet Control Message Protocol', icmp],
  icmpv6: ['Internet Control Message Protocol v6', icmpv6],
  ieee1394: ['Apple IP-over-IEEE 1394', ieee1394],
  igmp: ['Internet Group Management Protocol', igmp],
  'ip-over-fc': ['IP over Fibre Channel', ipOverFibreChannel],
  ipnet: ['Solaris IPNET', ipnet],
  ipoib: ['IP over InfiniBand', ipoib],
  ipv4: ['Internet Protocol Version 4', ipv4],
  ipv6: ['Internet Protocol Version 6', ipv6],
  'ipv6-destination': ['Destination Options for IPv6', extensionOptions],
  'ipv6-fragment': ['Fragment Header for IPv6', extensionFragment],
  'ipv6-hop-by-hop': ['IPv6 Hop-by-Hop Option', extensionOptions],
  'ipv6-routing': ['Routing Header for IPv6', extensionRouting],
  'juniper-ethernet': ['Juniper Ethernet', juniperEthernet],
  'linux-sll': ['Linux cooked capture v1', linuxCooked],
  'linux-sll2': ['Linux cooked capture v2', linuxCooked2],
  llc: ['Logical-Link Control', llc],
  macsec: ['802.1AE Security tag', macsec],
  mfr: ['Multilink Frame Relay', multilinkFrameRelay],
  mpacket: ['IEEE 802.3br mPackets', mpacket],
  mpls: ['MultiProtocol Label Switching Header', mpls],
  nflog: ['Linux Netfilter NFLOG', nflog],
  nlpid: ['Network Layer Protocol Identifier', nlpid],
  nsh: ['Network Service Header', networkService],
  ntp: ['Network Time Protocol', ntp],
  null: ['Null/Loopback', loopback],
  pbb: ['IEEE 802.1ah', providerBackbone],
  pktap: ['PKTAP packet header', pktap],
  ppi: ['PPI version 0', ppi],
  ppp: ['Point-to-Point Protocol', ppp],
  pppoe: ['PPP-over-Ethernet Session', pppoe],
  'pppoe-discovery': ['PPP-over-Ethernet Discovery', pppoeDiscovery],
  prism: ['Prism capture header', prism],
  'pseudo-direction-fr': ['Frame Relay direction', directed('frame-relay')],
  'pseudo-direction-hdlc': ['Cisco HDLC direction', directed('cisco-hdlc')],
  'pseudo-direction-ppp': ['PPP direction', directed('ppp')],
  radiotap: ['Radiotap Header v0', radiotap],
  sctp: ['Stream Control Transmission Protocol', sctp],
  slip: ['Serial Line Internet Protocol', slip],
  snmp: ['Simple Network Management Protocol', snmp],
  ssh: ['SSH Protocol', ssh],
  stp: ['Spanning Tree Protocol', spanningTree],
  'sun-atm': ['SunATM', sunAtm],
  syslog: ['Syslog message', syslog],
  'tag-broadcom': ['Ethernet II with Broadcom tag', switchTag(4)],
  'tag-broadcom-prepended': ['Broadcom tag', prependedTag],
  tcp: ['Transmission Control Protocol', tcp],
  tls: ['Transport Layer Security', tls],
  'token-ring': ['Token-Ring', tokenRing],
  udp: ['User Datagram Protocol', udp],
  udplite: ['Lightweight User Datagram Protocol', udpLite],
  vlan: ['802.1Q Virtual LAN', vlan],
  'vlan-service': ['IEEE 802.1ad', vlan],
  'vn-tag': ['VN-Tag', vnTag],
  vxlan: ['Virtual eXtensible Local Area Network', vxlan],
  'vxlan-gpe': ['Virtual eXtensible Local Area Network (GPE)', vxlanGpe],
  wlan: ['IEEE 802.11', wlan],
};
