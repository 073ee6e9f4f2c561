/**
 * The interface between the layer decoders. Each decoder takes the packet and the cursor, reads its header, moves
 * the cursor after it and returns the following layer; `decode.ts` is the loop. Decoders therefore know nothing of
 * each other, nesting needs no stack and its depth is bounded in one place. Decoders only ever read `bytes[at,
 * end)`.
 */

export const DONE = 0;
/** By `linkType`. */
export const LINK = 1;
export const ETHERNET = 2;
/** By `type`, an EtherType. */
export const ETHERTYPE = 3;
/** IEEE 802.2. */
export const LLC = 4;
/** IPv4 or IPv6 by the version in the first four bits. */
export const IP = 5;
export const PPP = 6;
export const CISCO_HDLC = 7;
export const FRAME_RELAY = 8;
export const WLAN = 9;
export const RADIOTAP = 10;
export const GRE = 11;
export const VXLAN = 12;
export const VXLAN_GPE = 13;
export const GENEVE = 14;
export const GTP = 15;
export const MPLS = 16;
export const PPPOE = 17;
/** ISO network layer protocol identifier, one byte. */
export const NLPID = 18;
/** The kind of tunnel that the current layers are in, until an IP header inside proves it. */
export const NSH = 19;

/** What kind of tunnel the layers being read are in, until an IP header inside proves it. */
export const NO_TUNNEL = 0;
export const TUNNEL_KINDS = [
  '',
  'ipip',
  'gre',
  'pptp',
  'erspan',
  'vxlan',
  'geneve',
  'gtp',
  'etherip',
  'mpls-in-ip',
  'mpls-in-udp',
  'ethernet-in-ip',
  'nsh',
  'ayiya',
] as const;
type TunnelKind = (typeof TUNNEL_KINDS)[number];

export function tunnelKind(name: TunnelKind): number {
  return TUNNEL_KINDS.indexOf(name);
}

/** The position of decoding, and results that are not part of the shared Packet. One per reader. */
export class Cursor {
  at = 0;
  end = 0;
  /** EtherType for the layer ETHERTYPE. */
  type = 0;
  /** LINKTYPE for the layer LINK. */
  linkType = 0;
  /** Index into `words.ts` for a packet without an IP layer. */
  word = 0;
  /** Where the MAC addresses start; -1 when there are none. */
  srcMac = -1;
  dstMac = -1;
  /** Where the ARP packet starts, -1 when there is none. */
  arp = -1;
  /** Where the 802.11 header starts, -1 when there is none. */
  wlan = -1;
  /** Outermost MPLS label, -1 when there is none. */
  mpls = -1;
  /** Frame Relay DLCI, -1 when there is none. */
  dlci = -1;
  /** ATM virtual path and channel, -1 when there are none. */
  vpi = -1;
  vci = -1;
  /** Index into TUNNEL_KINDS. */
  tunnel = NO_TUNNEL;
  /** Tunnels entered so far. */
  tunnels = 0;
  /** Bytes of padding before a bridged frame (RFC 2684 on ATM has 2, RFC 2427 none). */
  bridgePad = 0;

  reset(start: number, end: number, linkType: number): void {
    this.at = start;
    this.end = end;
    this.type = 0;
    this.linkType = linkType;
    this.word = 0;
    this.srcMac = -1;
    this.dstMac = -1;
    this.arp = -1;
    this.wlan = -1;
    this.mpls = -1;
    this.dlci = -1;
    this.vpi = -1;
    this.vci = -1;
    this.tunnel = NO_TUNNEL;
    this.tunnels = 0;
    this.bridgePad = 0;
  }
}
