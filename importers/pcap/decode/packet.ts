/**
 * One decoded packet, as the link and network decoders leave it and as the flow tracker and the event
 * writer read it. There is one object per reader, overwritten for every packet: nothing is allocated.
 *
 * Addresses, protocol, ports and TCP fields are those of the innermost IP layer that was decoded (the
 * inner flow of a tunnel); the outer layer is noted in `tunnel`.
 */

/** 2200-01-01: a later time is that of a broken record, or of an unusable clock. */
export const LATEST_MICROS = 7_258_118_400_000_000;

export class Packet {
  /** Frame number in the capture, from 1. */
  number = 0;
  /** UTC microseconds since 1970, NaN if the record has no usable time. */
  micros = 0;
  /** Nanoseconds beyond `micros`. */
  nanos = 0;
  /** Digits of the fraction that the capture's resolution has (0 to 9). */
  digits = 6;
  /** Position of the frame's bytes: `bytes[start, end)`; end - start is the captured length. */
  bytes: Uint8Array = new Uint8Array(0);
  start = 0;
  end = 0;
  /** Length on the wire. */
  wire = 0;
  /** LINKTYPE of the interface. */
  linkType = 0;

  /** 0 (no IP layer), 4 or 6. */
  ipVersion = 0;
  /** IPv4 addresses as unsigned 32-bit integers. */
  src4 = 0;
  dst4 = 0;
  /** Where the 16 bytes of the IPv6 addresses start in `bytes`. */
  src6 = 0;
  dst6 = 0;
  /** IANA protocol after extension headers; -1 without an IP layer. */
  proto = -1;
  /** -1 if there are none: other protocols, later fragments, truncated headers. */
  srcPort = -1;
  dstPort = -1;
  /** Outermost VLAN identifier, -1 when untagged. */
  vlan = -1;
  /** Second VLAN identifier (QinQ), -1 when there is none. */
  innerVlan = -1;
  /** EtherType (or an equivalent) of the outermost network layer, -1 unknown. */
  etherType = -1;
  /** Length of the IP packet according to its header (IPv4 total length, IPv6 payload + 40); 0 unknown. */
  ipLength = 0;
  /** Length of the IP header with options or extension headers. */
  ipHeaderLength = 0;
  /** Where the transport header starts in `bytes`; -1 when it was not captured. */
  transport = -1;
  /** Payload after the transport header by the IP length, including bytes that were not captured. */
  payload = 0;
  /** Where the payload starts in `bytes` (may be at or after `end`). */
  payloadStart = 0;
  /** Offset of the fragment in bytes, and whether more follow. */
  fragmentOffset = 0;
  moreFragments = false;
  /** IPv4 identification or IPv6 fragment identification; meaningful for fragments only. */
  fragmentId = 0;

  /** NS CWR ECE URG ACK PSH RST SYN FIN from bit 8 to 0; -1 without a TCP header. */
  tcpFlags = -1;
  tcpSeq = 0;
  tcpAck = 0;
  tcpWindow = 0;
  /** Type and code of ICMP or ICMPv6; -1 otherwise. */
  icmpType = -1;
  icmpCode = -1;

  /** Tunnel layers from the outermost in, such as `gre 10.0.0.1>10.0.0.2`; empty without a tunnel. */
  tunnel = '';
  /** The fault of the packet (`ip header cut at 12 bytes`); empty if there is none. */
  problem = '';

  /** Resets everything that decoding sets; keeps the fields of the record header. */
  resetLayers(): void {
    this.ipVersion = 0;
    this.src4 = 0;
    this.dst4 = 0;
    this.src6 = 0;
    this.dst6 = 0;
    this.proto = -1;
    this.srcPort = -1;
    this.dstPort = -1;
    this.vlan = -1;
    this.innerVlan = -1;
    this.etherType = -1;
    this.ipLength = 0;
    this.ipHeaderLength = 0;
    this.transport = -1;
    this.payload = 0;
    this.payloadStart = 0;
    this.fragmentOffset = 0;
    this.moreFragments = false;
    this.fragmentId = 0;
    this.tcpFlags = -1;
    this.tcpSeq = 0;
    this.tcpAck = 0;
    this.tcpWindow = 0;
    this.icmpType = -1;
    this.icmpCode = -1;
    this.tunnel = '';
    this.problem = '';
  }
}
