/**
 * Finds the application protocol of a UDP datagram or a TCP segment. If the content itself is recognisable (a
 * request line, a record header), it decides on any port; otherwise the port does, if the content is possible.
 */
import { dnsInDatagram, NETBIOS_PORT } from '../protocols/dns.ts';
import { headAt } from '../protocols/http/http.ts';
import { ayiyaHeader, isGre, isVxlan } from '../decode/udp-tunnels.ts';
import { u16, u24, u32 } from '../bytes.ts';
import type { Protocol } from './protocols.ts';

/** A request of HTTP/0.9, and the start of an incomplete request line. */
const UNVERSIONED = /^GET \/[^ ]*$/;
const BEGUN = /^[A-Z_-]+ (?:\/|\*|https?:|[\w.-]+:\d)/;
const G = 0x47;
/** A longer request line is not searched for its end. */
const MAX_LINE = 16_384;

function isHttp(bytes: Uint8Array, at: number, end: number): boolean {
  const sender = headAt(bytes, at, end);
  if (sender === 'client' || sender === 'server') return true;
  // Nearly all other payloads do not begin with GET.
  if (bytes[at] !== G && sender === undefined) return false;
  const feed = bytes.subarray(at, Math.min(end, at + MAX_LINE)).indexOf(10);
  const line = Buffer.from(bytes.subarray(at, feed < 0 ? end : at + feed)).toString('latin1');
  return feed < 0 ? sender === 'more' && BEGUN.test(line) : UNVERSIONED.test(line.trimEnd());
}

const isPort = (port: number, source: number, destination: number) =>
  source === port || destination === port;

/** @param at start of the payload, before `end` */
export function applicationOnTcp(
  bytes: Uint8Array,
  at: number,
  end: number,
  source: number,
  destination: number,
): Protocol {
  const size = end - at;
  const first = bytes[at]!;
  if (size >= 3 && first >= 20 && first <= 24 && bytes[at + 1] === 3 && bytes[at + 2]! <= 4) {
    if (size < 5 || u16(bytes, at + 3) <= 18_432) return 'tls';
  }
  if (size >= 4 && u32(bytes, at) === 0x5353482d) return 'ssh';
  if (isHttp(bytes, at, end)) return 'http';
  if (isPort(53, source, destination) && size >= 14) {
    // The length of the message, and counts that fit into it.
    const length = u16(bytes, at);
    if (length >= 12 && dnsCounts(bytes, at + 2, length)) return 'dns-tcp';
  }
  return 'data';
}

/** Whether the counts of a DNS header can be of a message of `length` bytes. */
function dnsCounts(bytes: Uint8Array, at: number, length: number): boolean {
  const questions = u16(bytes, at + 4);
  const records = u16(bytes, at + 6) + u16(bytes, at + 8) + u16(bytes, at + 10);
  return 12 + questions * 5 + records * 11 <= length;
}

/** @param at start of the payload, before `end` */
export function applicationOnUdp(
  bytes: Uint8Array,
  at: number,
  end: number,
  source: number,
  destination: number,
): Protocol {
  const size = end - at;
  const first = bytes[at]!;
  const on = (port: number) => isPort(port, source, destination);
  switch (destination) {
    case 4789:
    case 8472:
      if (isVxlan(bytes, at, size)) return 'vxlan';
      break;
    case 4790:
      if (size >= 12 && (first & 0xc8) === 0x08) return 'vxlan-gpe';
      break;
    case 6081:
      if (size >= 12 && first >>> 6 === 0) return 'geneve';
      break;
    case 6635:
      if (size >= 8) return 'mpls';
      break;
    case 4754:
      if (isGre(bytes, at, size)) return 'gre';
      break;
  }
  if (on(5072) && ayiyaHeader(bytes, at, size) > 0) return 'ayiya';
  if (on(2152) && size >= 8 && (first & 0xf0) === 0x30) return 'gtp';
  if ((on(53) || on(5353) || on(5355)) && size >= 12) return 'dns';
  if (on(NETBIOS_PORT) && size >= 12 && dnsCounts(bytes, at, size)) return 'dns';
  if ((on(67) || on(68)) && size >= 240 && u32(bytes, at + 236) === 0x63825363) return 'dhcp';
  if (on(123) && size >= 48 && ((first >>> 3) & 7) >= 1) return 'ntp';
  if ((on(161) || on(162)) && first === 0x30) return 'snmp';
  if (destination === 514 && first === 0x3c) return 'syslog';
  if (on(1900) && isHttp(bytes, at, end)) return 'http';
  const datagram = { bytes, start: at, end, srcPort: source, dstPort: destination };
  return dnsInDatagram(datagram) === undefined ? 'data' : 'dns';
}

/** Whether `bytes[at]` can start a TLS handshake message of a known kind. */
export function isHandshake(bytes: Uint8Array, at: number, end: number): boolean {
  if (end - at < 4) return false;
  return HANDSHAKES.has(bytes[at]!) && u24(bytes, at + 1) <= 131_072;
}
const HANDSHAKES = new Set([0, 1, 2, 4, 5, 8, 11, 12, 13, 14, 15, 16, 20, 22, 24]);
