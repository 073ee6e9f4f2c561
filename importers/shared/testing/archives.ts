/** For tests: writes tar and zip archives, well-formed or hostile, byte by byte. */
import { crc32, deflateRawSync } from 'node:zlib';

interface TarEntry {
  name: string | Buffer;
  content?: Uint8Array | string;
  type?: string;
  /** Seconds since 1970. */
  time?: number;
  /** The size in the header, if it differs from the content's. */
  size?: number;
}

export function tarHeader(entry: TarEntry): Buffer {
  const block = Buffer.alloc(512);
  const content = Buffer.from(entry.content ?? '');
  Buffer.from(entry.name).copy(block, 0, 0, 100);
  block.write('0000644\0', 100, 'latin1');
  block.write('0000000\0', 108, 'latin1');
  block.write('0000000\0', 116, 'latin1');
  block.write((entry.size ?? content.length).toString(8).padStart(11, '0') + '\0', 124, 'latin1');
  block.write((entry.time ?? 1_700_000_000).toString(8).padStart(11, '0') + '\0', 136, 'latin1');
  block.write(entry.type ?? '0', 156, 'latin1');
  block.write('ustar\x0000', 257, 'latin1');
  block.fill(32, 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(sum.toString(8).padStart(6, '0') + '\0 ', 148, 'latin1');
  return block;
}

export function tarOf(entries: readonly TarEntry[], ending = true): Buffer {
  const parts: Buffer[] = [];
  for (const entry of entries) {
    const content = Buffer.from(entry.content ?? '');
    parts.push(tarHeader(entry), content, Buffer.alloc((512 - (content.length % 512)) % 512));
  }
  if (ending) parts.push(Buffer.alloc(1024));
  return Buffer.concat(parts);
}

/** A pax header for the entry that follows. */
export function paxEntry(records: Record<string, string>): TarEntry {
  let content = '';
  for (const [key, value] of Object.entries(records)) {
    const rest = Buffer.byteLength(` ${key}=${value}\n`);
    let length = rest + 1;
    while (rest + String(length).length !== length) length += 1;
    content += `${length} ${key}=${value}\n`;
  }
  return { name: 'pax', type: 'x', content };
}

interface ZipEntry {
  name: string | Buffer;
  content?: Uint8Array | string;
  method?: number;
  flags?: number;
  /** Sizes and checksum follow the data, and the local header has none. */
  descriptor?: boolean;
  /** Sizes of the directory are in a ZIP64 field. */
  zip64?: boolean;
  mode?: number;
  /** The size in the directory, if it differs from the content's. */
  size?: number;
}

/** 2023-11-14 22:13:20 in DOS form. */
const DOS_TIME = (22 << 11) | (13 << 5) | 10;
const DOS_DATE = (43 << 9) | (11 << 5) | 14;

export function zipOf(entries: readonly ZipEntry[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const entry of entries) {
    const name = Buffer.from(entry.name);
    const content = Buffer.from(entry.content ?? '');
    const method = entry.method ?? 8;
    const data = method === 8 ? deflateRawSync(content) : content;
    const size = entry.size ?? content.length;
    const flags = (entry.flags ?? 0) | 0x800 | (entry.descriptor === true ? 8 : 0);
    const known = entry.descriptor === true ? 0 : 1;
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(20, 4);
    local.writeUInt16LE(flags, 6);
    local.writeUInt16LE(method, 8);
    local.writeUInt16LE(DOS_TIME, 10);
    local.writeUInt16LE(DOS_DATE, 12);
    local.writeUInt32LE(crc32(content) * known, 14);
    local.writeUInt32LE(data.length * known, 18);
    local.writeUInt32LE(size * known, 22);
    local.writeUInt16LE(name.length, 26);
    const extra = Buffer.alloc(entry.zip64 === true ? 20 : 0);
    if (entry.zip64 === true) {
      extra.writeUInt16LE(1, 0);
      extra.writeUInt16LE(16, 2);
      extra.writeBigUInt64LE(BigInt(size), 4);
      extra.writeBigUInt64LE(BigInt(data.length), 12);
    }
    const central = Buffer.alloc(46);
    central.writeUInt32LE(0x02014b50, 0);
    central.writeUInt16LE((3 << 8) | 20, 4);
    central.writeUInt16LE(20, 6);
    central.writeUInt16LE(flags, 8);
    central.writeUInt16LE(method, 10);
    central.writeUInt16LE(DOS_TIME, 12);
    central.writeUInt16LE(DOS_DATE, 14);
    central.writeUInt32LE(crc32(content), 16);
    central.writeUInt32LE(entry.zip64 === true ? 0xffffffff : data.length, 20);
    central.writeUInt32LE(entry.zip64 === true ? 0xffffffff : size, 24);
    central.writeUInt16LE(name.length, 28);
    central.writeUInt16LE(extra.length, 30);
    central.writeUInt32LE(((entry.mode ?? 0o100644) << 16) >>> 0, 38);
    central.writeUInt32LE(at, 42);
    directory.push(central, name, extra);
    const descriptor = Buffer.alloc(entry.descriptor === true ? 16 : 0);
    if (entry.descriptor === true) {
      descriptor.writeUInt32LE(0x08074b50, 0);
      descriptor.writeUInt32LE(crc32(content), 4);
      descriptor.writeUInt32LE(data.length, 8);
      descriptor.writeUInt32LE(size, 12);
    }
    parts.push(local, name, data, descriptor);
    at += local.length + name.length + data.length + descriptor.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, central, end]);
}
