/**
 * Captures of frame relay and of ATM links, as Tribeca read them. Seeded, classic pcap.
 *
 * Frame relay (LINKTYPE_FRELAY; Q.922, RFC 2427): twelve circuits of very unlike load; IPv4 in both of
 * its forms (by NLPID and by SNAP), link management, and some CLNP; whole frames, about 280 bytes on
 * average. ATM (LINKTYPE_SUNATM): records of a cell's size on 300 circuits, the first ones the busiest.
 */
import { ByteFile, type WrittenFile } from '../../fixtures/evidence/byte-file.ts';
import { Random } from '../../fixtures/evidence/random.ts';

const FRELAY = 107;
const SUNATM = 123;
const START_SECONDS = Date.UTC(2026, 10, 3) / 1000;
/** A busy T3: some 20,000 frames a second. */
const MEAN_GAP_MICROS = 50;

/** The circuit that queries ask for: neither the busiest nor the last. */
export const ASKED = { dlci: 103, vci: 105, vpi: 1 } as const;
const CIRCUITS = 12;
const FIRST_DLCI = 100;
const VIRTUAL_CHANNELS = 300;
const FIRST_VCI = 100;
const PATHS = 2;
const PORTS = [80, 443, 25, 53, 20, 23, 119, 110];

export interface Trace extends WrittenFile {
  readonly packets: number;
}

class CaptureWriter {
  private readonly file: ByteFile;
  private readonly random: Random;
  private micros = 0;
  packets = 0;

  constructor(path: string, linkType: number, random: Random) {
    this.file = new ByteFile(path);
    this.random = random;
    const { file } = this;
    file.reserve(24);
    for (const word of [0xa1b2_c3d4, 0x0004_0002, 0, 0, 65_535, linkType])
      file.at = file.buffer.writeUInt32LE(word, file.at);
  }

  get size(): number {
    return this.file.size;
  }

  /** A record's head; its `bytes` bytes may then be written at the returned place. */
  record(bytes: number): { buffer: Buffer; at: number } {
    const { file, random } = this;
    this.micros += Math.floor(-Math.log(1 - random.next()) * MEAN_GAP_MICROS);
    file.reserve(16 + bytes);
    const { buffer } = file;
    const seconds = Math.floor(this.micros / 1e6);
    buffer.writeUInt32LE(START_SECONDS + seconds, file.at);
    buffer.writeUInt32LE(this.micros - seconds * 1e6, file.at + 4);
    buffer.writeUInt32LE(bytes, file.at + 8);
    buffer.writeUInt32LE(bytes, file.at + 12);
    const at = file.at + 16;
    file.at = at + bytes;
    this.packets++;
    return { buffer, at };
  }

  close(): Trace {
    return { ...this.file.close(), packets: this.packets };
  }
}

/** Concurrent conversations, and packets that one has on average. */
const CONVERSATIONS = 4_000;
const PACKETS_EACH = 25;

/** TCP and UDP conversations that begin and end. */
class Conversations {
  private readonly random: Random;
  private readonly heads = Array.from({ length: CONVERSATIONS }, () => Buffer.alloc(24));

  constructor(random: Random) {
    this.random = random;
    for (const head of this.heads) this.renew(head);
  }

  /** The head of the next packet's conversation: the IPv4 header and both ports. */
  next(): Buffer {
    const { random, heads } = this;
    const head = heads[Math.floor(CONVERSATIONS * random.next() * random.next())]!;
    if (random.below(PACKETS_EACH) === 0) this.renew(head);
    return head;
  }

  private renew(head: Buffer): void {
    const { random } = this;
    head.writeUInt16BE(0x4500, 0);
    head.writeUInt32BE(0x0000_4000, 4);
    head.writeUInt16BE(0x4000 | (random.next() < 0.8 ? 6 : 17), 8);
    head.writeUInt32BE(0x0a00_0000 + Math.floor(4000 ** random.next()), 12);
    head.writeUInt32BE(0xc633_6400 + Math.floor(250 ** random.next()), 16);
    head.writeUInt16BE(random.between(1024, 65_000), 20);
    head.writeUInt16BE(PORTS[Math.floor(PORTS.length * random.next() * random.next())]!, 22);
  }
}

/** Writes an IPv4 packet of `size` bytes; the header's checksum is right, TCP's and UDP's are 0. */
function writeIp(buffer: Buffer, at: number, size: number, head: Buffer): void {
  head.copy(buffer, at);
  buffer.writeUInt16BE(size, at + 2);
  buffer.writeUInt16BE(0, at + 10);
  let sum = 0;
  for (let i = 0; i < 20; i += 2) sum += buffer.readUInt16BE(at + i);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  buffer.writeUInt16BE(~sum & 0xffff, at + 10);
  buffer.fill(0, at + 24, at + Math.min(size, 40));
  if (head[9] === 6) buffer.writeUInt16BE(0x5010, at + 32);
  else buffer.writeUInt16BE(size - 20, at + 24);
}

/** Sizes of IP packets: half are bare acknowledgements, some fill a frame; 275 on average. */
function ipSize(random: Random): number {
  const choice = random.next();
  return choice < 0.5 ? 40 : choice < 0.88 ? random.between(41, 576) : random.between(577, 1500);
}

/** Writes frame relay of about `bytes` bytes. */
export function writeFrameRelay(path: string, bytes: number, seed = 7): Trace {
  const random = new Random(seed);
  const conversations = new Conversations(random);
  const out = new CaptureWriter(path, FRELAY, random);
  while (out.size < bytes) {
    const choice = random.next();
    const circuit = FIRST_DLCI + Math.floor(CIRCUITS * random.next() * random.next());
    const management = choice < 0.02;
    const dlci = management ? 0 : circuit;
    const snap = choice >= 0.67 && choice < 0.92;
    const head = snap ? 10 : 4;
    const isIp = choice >= 0.02 && choice < 0.92;
    const size = isIp ? ipSize(random) : random.between(12, 60);
    const { buffer, at } = out.record(head + size);
    // Ten bits of DLCI over two bytes, the second with the bit that ends the address.
    buffer.writeUInt16BE(((dlci >>> 4) << 10) | ((dlci & 15) << 4) | 1, at);
    if (snap) {
      buffer.writeUInt32BE(0x0300_8000, at + 2);
      buffer.writeUInt32BE(0x0000_0800, at + 6);
    } else {
      buffer.writeUInt16BE(management ? 0x0308 : isIp ? 0x03cc : 0x0381, at + 2);
    }
    if (isIp) writeIp(buffer, at + head, size, conversations.next());
    else buffer.fill(0, at + head, at + head + size);
  }
  return out.close();
}

/** Bytes of a record: SunATM's four and a cell's payload. */
const CELL = 52;

/** Writes cells of about `bytes` bytes together, each with the start of an IP packet in LLC and SNAP. */
export function writeAtm(path: string, bytes: number, seed = 8): Trace {
  const random = new Random(seed);
  const conversations = new Conversations(random);
  const out = new CaptureWriter(path, SUNATM, random);
  while (out.size < bytes) {
    const rank = Math.floor(VIRTUAL_CHANNELS ** random.next());
    const { buffer, at } = out.record(CELL);
    buffer[at] = 0x02;
    buffer[at + 1] = random.below(PATHS);
    buffer.writeUInt16BE(FIRST_VCI + rank, at + 2);
    buffer.writeUInt32BE(0xaaaa_0300, at + 4);
    buffer.writeUInt32BE(0x0000_0800, at + 8);
    writeIp(buffer, at + 12, CELL - 12, conversations.next());
  }
  return out.close();
}
