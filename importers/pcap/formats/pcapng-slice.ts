/**
 * Writes packets into a new pcapng file: one section, an interface for each link type, an enhanced
 * packet block for each packet, times in nanoseconds.
 * https://datatracker.ietf.org/doc/draft-ietf-opsawg-pcapng/
 */
import type { EpochMicros } from '../../../engine/contract/event.ts';

const SECTION_HEADER = 0x0a0d0d0a;
const INTERFACE = 1;
const ENHANCED_PACKET = 6;
const COMMENT = 1;
const APPLICATION = 4;
const RESOLUTION = 9;

export interface SlicedPacket {
  readonly frame: Uint8Array;
  /** https://www.tcpdump.org/linktypes.html */
  readonly linkType: number;
  /** Bytes of the frame before the capture cut it. */
  readonly wireLength: number;
  /** Undefined for a packet without a usable time: it is written with time 0 and a comment. */
  readonly ts: EpochMicros | undefined;
  /** Nanoseconds beyond `ts`, 0 to 999. */
  readonly ts_ns: number;
}

const utf8 = new TextEncoder();

function padded(size: number): number {
  return (size + 3) & ~3;
}

/** An option as its code, length, value and padding, little-endian. */
function option(code: number, value: Uint8Array): Uint8Array {
  const out = new Uint8Array(4 + padded(value.length));
  const view = new DataView(out.buffer);
  view.setUint16(0, code, true);
  view.setUint16(2, value.length, true);
  out.set(value, 4);
  return out;
}

/** A block around `size` bytes of body and options, which `fill` writes from offset 8 on. */
function block(
  type: number,
  size: number,
  options: readonly Uint8Array[],
  fill: (view: DataView, bytes: Uint8Array) => void,
): Uint8Array {
  const optionSize = options.reduce((sum, one) => sum + one.length, 0);
  const end = options.length > 0 ? 4 : 0;
  const total = 12 + padded(size) + optionSize + end;
  const out = new Uint8Array(total);
  const view = new DataView(out.buffer);
  view.setUint32(0, type, true);
  view.setUint32(4, total, true);
  fill(view, out);
  let at = 8 + padded(size);
  for (const one of options) {
    out.set(one, at);
    at += one.length;
  }
  view.setUint32(total - 4, total, true);
  return out;
}

/** Writes a file block by block: `start` once, then `packet` for each. */
export class PcapngSlice {
  private readonly interfaces = new Map<number, number>();

  /** The start of the file. */
  start(application = 'Daybook'): Uint8Array {
    return block(SECTION_HEADER, 16, [option(APPLICATION, utf8.encode(application))], (view) => {
      view.setUint32(8, 0x1a2b3c4d, true);
      view.setUint16(12, 1, true);
      view.setUint16(14, 0, true);
      // The length of the section is not stated.
      view.setBigInt64(16, -1n, true);
    });
  }

  /** The blocks of one packet: preceded by that of its interface, if it is the first of its link type. */
  packet(packet: SlicedPacket): Uint8Array {
    const known = this.interfaces.get(packet.linkType);
    const number = known ?? this.interfaces.size;
    const bytes = packetBlock(packet, number);
    if (known !== undefined) return bytes;
    this.interfaces.set(packet.linkType, number);
    return joined([interfaceBlock(packet.linkType), bytes]);
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

function interfaceBlock(linkType: number): Uint8Array {
  return block(INTERFACE, 8, [option(RESOLUTION, Uint8Array.of(9))], (view) => {
    view.setUint16(8, linkType, true);
    // No snap length: packets were truncated, if at all, before they got here.
    view.setUint32(12, 0, true);
  });
}

function packetBlock(packet: SlicedPacket, number: number): Uint8Array {
  const { frame, ts, ts_ns } = packet;
  const stated = ts !== undefined && ts >= 0;
  const nanos = stated ? BigInt(ts) * 1000n + BigInt(ts_ns) : 0n;
  const options = stated
    ? []
    : [option(COMMENT, utf8.encode('this packet has no usable time in its source'))];
  return block(ENHANCED_PACKET, 20 + frame.length, options, (view, bytes) => {
    view.setUint32(8, number, true);
    view.setUint32(12, Number(nanos >> 32n), true);
    view.setUint32(16, Number(nanos & 0xffffffffn), true);
    view.setUint32(20, frame.length, true);
    view.setUint32(24, Math.max(packet.wireLength, frame.length), true);
    bytes.set(frame, 28);
  });
}
