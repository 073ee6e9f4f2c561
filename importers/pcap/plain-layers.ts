/**
 * The layers of a frame that was found to be plain, read where they lie: what `decode.ts` would have made of
 * it, as far as flows are followed by it.
 */
import { u16, u32 } from './bytes.ts';
import type { Packet } from './packet.ts';
import type { PlainRun } from './packet-tracker.ts';

const TCP = 6;
const UDP_HEADER = 8;
const IP6_HEADER = 40;

/** Makes `p`, which has the bytes and a number, the packet of frame `i`: TCP or UDP in IP, whole, no fragment. */
export function setPlain(p: Packet, { found, sorted }: PlainRun, i: number): void {
  p.micros = found.micros[i]!;
  p.nanos = found.nanos[i]!;
  p.start = found.frames[i]!;
  p.end = found.ends[i]!;
  p.wire = found.wires[i]!;
  p.resetLayers();
  setLayers(p, p.bytes, sorted.networks[i]!, sorted.transports[i]!);
}

function setLayers(p: Packet, bytes: Uint8Array, at: number, transport: number): void {
  let length: number;
  if (bytes[at]! >>> 4 === 4) {
    p.ipVersion = 4;
    p.src4 = u32(bytes, at + 12);
    p.dst4 = u32(bytes, at + 16);
    p.ipLength = u16(bytes, at + 2);
    p.ipHeaderLength = transport - at;
    p.proto = bytes[at + 9]!;
    length = p.ipLength - p.ipHeaderLength;
  } else {
    p.ipVersion = 6;
    p.src6 = at + 8;
    p.dst6 = at + 24;
    length = u16(bytes, at + 4);
    p.ipLength = length + IP6_HEADER;
    p.ipHeaderLength = IP6_HEADER;
    p.proto = bytes[at + 6]!;
  }
  p.transport = transport;
  p.srcPort = u16(bytes, transport);
  p.dstPort = u16(bytes, transport + 2);
  let header = UDP_HEADER;
  if (p.proto === TCP) {
    const flags = u16(bytes, transport + 12);
    header = (flags >>> 12) * 4;
    p.tcpSeq = u32(bytes, transport + 4);
    p.tcpAck = u32(bytes, transport + 8);
    p.tcpFlags = flags & 0x1ff;
    p.tcpWindow = u16(bytes, transport + 14);
  }
  p.payload = Math.max(length - header, 0);
  p.payloadStart = transport + header;
}
