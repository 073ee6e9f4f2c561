/**
 * A capture of an attack on connection tracking: from ever new addresses a SYN that nobody answers, and the first
 * segment of an HTTP request or TLS handshake that never continues. Ethernet, IPv4, checksums left 0.
 */
import { ByteFile, type WrittenFile } from '../../fixtures/evidence/byte-file.ts';

const START = Date.UTC(2026, 10, 2) / 1000;
const HEADERS = 54;
const [SYN, PUSH_ACK] = [0x5002, 0x5018];
const SERVER = 0xac10_0001;
const HTTP = Buffer.from('GET /index.html HTTP/1.1\r\nHost: www.example.com\r\nUser-Agent: ');
/** A record of 512 bytes that begins a ClientHello, cut off in its random bytes. */
const TLS = Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3, ...Array<number>(29).fill(7)]);

/** @param connections number of connections opened; each has a SYN and, from another port, a message */
export function writeBegunConnections(path: string, connections: number): WrittenFile {
  const file = new ByteFile(path);
  file.reserve(24);
  for (const word of [0xa1b2_c3d4, 0x0004_0002, 0, 0, 65_535, 1])
    file.at = file.buffer.writeUInt32LE(word, file.at);
  for (let i = 0; i < connections; i++) {
    const [port, message] = i % 2 === 0 ? [80, HTTP] : [443, TLS];
    const source = 0x0a00_0000 + (i % 0x0100_0000);
    writeSegment(file, i, { source, port, ends: 2 * i, flags: SYN, payload: undefined });
    writeSegment(file, i, { source, port, ends: 2 * i + 1, flags: PUSH_ACK, payload: message });
  }
  return file.close();
}

interface Segment {
  readonly source: number;
  /** Source ports are made from this. */
  readonly ends: number;
  readonly port: number;
  readonly flags: number;
  readonly payload: Uint8Array | undefined;
}

/** One every millisecond. */
function writeSegment(
  file: ByteFile,
  i: number,
  { source, ends, port, flags, payload }: Segment,
): void {
  const size = HEADERS + (payload?.length ?? 0);
  file.reserve(16 + size);
  const { buffer, at } = file;
  buffer.fill(0, at, at + 16 + size);
  buffer.writeUInt32LE(START + Math.floor(i / 1000), at);
  buffer.writeUInt32LE((i % 1000) * 1000, at + 4);
  buffer.writeUInt32LE(size, at + 8);
  buffer.writeUInt32LE(size, at + 12);
  const ip = at + 16 + 14;
  buffer.writeUInt16BE(0x0800, ip - 2);
  buffer.writeUInt16BE(0x4500, ip);
  buffer.writeUInt16BE(size - 14, ip + 2);
  buffer.writeUInt16BE(0x4006, ip + 8);
  buffer.writeUInt32BE(source, ip + 12);
  buffer.writeUInt32BE(SERVER, ip + 16);
  buffer.writeUInt16BE(1024 + (ends % 60_000), ip + 20);
  buffer.writeUInt16BE(port, ip + 22);
  buffer.writeUInt32BE(1 + i, ip + 24);
  buffer.writeUInt16BE(flags, ip + 32);
  if (payload !== undefined) buffer.set(payload, at + 16 + HEADERS);
  file.at = at + 16 + size;
}
