/**
 * A capture interleaved with itself: the same packets and conversations for every degree; only the number of
 * concurrent conversations differs.
 *
 * `copies` copies of one base trace, each with its own local addresses, in groups of `degree` that run at the same
 * time; groups follow one another. Checksums are kept correct (RFC 1624).
 */
import { readFileSync } from 'node:fs';
import { ByteFile, type WrittenFile } from '../../fixtures/evidence/byte-file.ts';

interface BasePacket {
  /** Microseconds after the first. */
  readonly after: number;
  readonly wire: number;
  readonly frame: Buffer;
  readonly kind: 'ip4' | 'ip6' | 'arp';
}

const HEAD = 24;
const RECORD = 16;
const ETHERNET = 14;
/** Copies for which 10.0.0.0/8 has room, with 4,096 hosts a copy. */
const MOST_COPIES = 4096;

/** Packets of a classic little-endian Ethernet capture in microseconds. */
function readBase(path: string): { start: number; packets: BasePacket[] } {
  const bytes = readFileSync(path);
  if (bytes.readUInt32LE(0) !== 0xa1b2_c3d4 || bytes.readUInt32LE(20) !== 1)
    throw new Error(`${path} is no classic Ethernet capture`);
  const packets: BasePacket[] = [];
  let start = 0;
  for (let at = HEAD; at + RECORD <= bytes.length;) {
    const ts = bytes.readUInt32LE(at) * 1e6 + bytes.readUInt32LE(at + 4);
    const captured = bytes.readUInt32LE(at + 8);
    const frame = bytes.subarray(at + RECORD, at + RECORD + captured);
    const type = frame.readUInt16BE(12);
    if (packets.length === 0) start = ts;
    packets.push({
      after: ts - start,
      wire: bytes.readUInt32LE(at + 12),
      frame,
      kind: type === 0x0800 ? 'ip4' : type === 0x86dd ? 'ip6' : 'arp',
    });
    at += RECORD + captured;
  }
  return { start, packets };
}

const isLocal = (address: number): boolean => address >>> 24 === 10;

/** Numbers of the addresses that differ in each copy of a trace: local ones (10.0.0.0/8), mostly. */
class Locals {
  private readonly numbers = new Map<number, number>();

  /** `address` in copy `copy`. */
  of(address: number, copy: number): number {
    let number = this.numbers.get(address);
    if (number === undefined) {
      number = this.numbers.size;
      if (number >= 4096) throw new Error('the base trace has more than 4,096 local addresses');
      this.numbers.set(address, number);
    }
    return (0x0a00_0000 | (copy << 12) | number) >>> 0;
  }
}

/** One's complement difference of two addresses, to be added to a checksum's complement. */
const change = (from: number, to: number): number =>
  (~(from >>> 16) & 0xffff) + (~from & 0xffff) + (to >>> 16) + (to & 0xffff);

function adjust(out: Buffer, at: number, delta: number): void {
  let sum = (~out.readUInt16BE(at) & 0xffff) + delta;
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  out.writeUInt16BE(~sum & 0xffff, at);
}

/** Position of the checksum in TCP (6) and UDP (17). */
const CHECKSUM = new Map([
  [6, 16],
  [17, 6],
]);

function readdress(
  out: Buffer,
  at: number,
  packet: BasePacket,
  copy: number,
  locals: Locals,
): void {
  const ip = at + ETHERNET;
  if (packet.kind === 'ip6') {
    // The interface part, which the fixtures leave empty between both ends.
    out.writeUInt16BE(copy, ip + 8 + 8);
    out.writeUInt16BE(copy, ip + 24 + 8);
    return;
  }
  const places = packet.kind === 'ip4' ? [ip + 12, ip + 16] : [ip + 14, ip + 24];
  // Servers are the same for every copy, but a conversation is one copy's: also one that has no local end.
  const hasLocal = places.some((place) => isLocal(out.readUInt32BE(place)));
  let delta = 0;
  for (const place of places) {
    const before = out.readUInt32BE(place);
    const after = hasLocal && !isLocal(before) ? before : locals.of(before, copy);
    out.writeUInt32BE(after, place);
    delta += change(before, after);
  }
  if (packet.kind === 'arp') return;
  adjust(out, ip + 10, delta);
  const within = CHECKSUM.get(out[ip + 9]!);
  if (within === undefined || packet.frame.length < ETHERNET + 20 + within + 2) return;
  adjust(out, ip + 20 + within, delta);
}

interface Interleaved extends WrittenFile {
  readonly packets: number;
}

/**
 * Writes `copies` copies of the capture at `base`, `degree` of them at a time; the first one has number
 * `firstCopy`, so that several files can have different copies of the same trace.
 * About a million packets a second.
 */
export function writeInterleaved(
  base: string,
  path: string,
  copies: number,
  degree: number,
  firstCopy = 0,
): Interleaved {
  if (firstCopy + copies > MOST_COPIES) throw new Error(`at most ${MOST_COPIES} copies`);
  const { start, packets } = readBase(base);
  const locals = new Locals();
  const span = (packets.at(-1)?.after ?? 0) + 1000;
  const file = new ByteFile(path);
  file.reserve(HEAD);
  readFileSync(base).copy(file.buffer, file.at, 0, HEAD);
  file.at += HEAD;
  const afterLast = firstCopy + copies;
  let first = firstCopy;
  for (let group = 0; first < afterLast; group++) {
    const end = Math.min(afterLast, first + degree);
    for (const packet of packets) {
      const ts = start + group * span + packet.after;
      const seconds = Math.floor(ts / 1e6);
      const size = packet.frame.length;
      for (let copy = first; copy < end; copy++) {
        file.reserve(RECORD + size);
        const { buffer, at } = file;
        buffer.writeUInt32LE(seconds, at);
        buffer.writeUInt32LE(ts - seconds * 1e6, at + 4);
        buffer.writeUInt32LE(size, at + 8);
        buffer.writeUInt32LE(packet.wire, at + 12);
        buffer.set(packet.frame, at + RECORD);
        readdress(buffer, at + RECORD, packet, copy, locals);
        file.at = at + RECORD + size;
      }
    }
    first = end;
  }
  return { ...file.close(), packets: packets.length * copies };
}
