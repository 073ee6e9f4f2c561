/**
 * A capture with one packet of every flow, at the flow's time: `nfpcapd` makes nfdump's files from it, so that
 * nfdump is asked about the same flows. Ethernet, IPv4, checksums left 0.
 */
import { ByteFile, type WrittenFile } from '../../fixtures/evidence/byte-file.ts';
import { DAY_MS, FLOW_DAY, type Flow } from './five-tuples.ts';

const FRAME = 54;
const SYN = 0x5002;

export function writeFlowPackets(path: string, flows: readonly Flow[]): WrittenFile {
  const file = new ByteFile(path);
  file.reserve(24);
  for (const word of [0xa1b2_c3d4, 0x0004_0002, 0, 0, 65_535, 1])
    file.at = file.buffer.writeUInt32LE(word, file.at);
  for (let i = 0; i < flows.length; i++) {
    const { src, srcPort, dst, dstPort, proto } = flows[i]!;
    const ms = FLOW_DAY + Math.floor((i * DAY_MS) / flows.length);
    file.reserve(16 + FRAME);
    const { buffer, at } = file;
    buffer.fill(0, at, at + 16 + FRAME);
    buffer.writeUInt32LE(Math.floor(ms / 1000), at);
    buffer.writeUInt32LE((ms % 1000) * 1000, at + 4);
    buffer.writeUInt32LE(FRAME, at + 8);
    buffer.writeUInt32LE(FRAME, at + 12);
    const ip = at + 16 + 14;
    buffer.writeUInt16BE(0x0800, ip - 2);
    buffer.writeUInt16BE(0x4500, ip);
    buffer.writeUInt16BE(FRAME - 14, ip + 2);
    buffer.writeUInt16BE(0x4000 | (proto === 'TCP' ? 6 : 17), ip + 8);
    writeAddress(buffer, ip + 12, src);
    writeAddress(buffer, ip + 16, dst);
    buffer.writeUInt16BE(srcPort, ip + 20);
    buffer.writeUInt16BE(dstPort, ip + 22);
    if (proto === 'TCP') buffer.writeUInt16BE(SYN, ip + 32);
    else buffer.writeUInt16BE(FRAME - 34, ip + 24);
    file.at = at + 16 + FRAME;
  }
  return file.close();
}

function writeAddress(buffer: Buffer, at: number, text: string): void {
  for (const [i, part] of text.split('.').entries()) buffer[at + i] = Number(part);
}
