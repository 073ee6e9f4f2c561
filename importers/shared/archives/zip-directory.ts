/**
 * Zip archives whose directory is not in its place: other bytes follow the archive, or it is truncated, so that the
 * directory at its end is missing. A directory is then built from the members' local headers.
 *
 * Invariant: a member is listed only if its header directly follows the previous member; nothing is searched for.
 * Format: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
 */
import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { RandomAccessReader } from 'yauzl';
import { LimitError } from '../../../engine/contract/errors.ts';
import { ByteSource } from '../byte-source.ts';
import { type Decoder } from '../decompress/decompress.ts';
import { isCutOff, WHOLE_ONLY } from '../decompress/checked.ts';

const LOCAL = 0x04034b50;
const LOCAL_BYTES = 30;
const DESCRIPTOR = 0x08074b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const END_BYTES = 22;
const END64 = 0x06064b50;
const END64_BYTES = 56;
const LOCATOR = 0x07064b50;
const LOCATOR_BYTES = 20;
/** If other bytes follow the archive, its end is searched within this many bytes. */
const MOST_AFTER = 1024 * 1024;
const ZIP64 = 0x0001;
const UNKNOWN = 0xffffffff;
const SIZES_FOLLOW = 8;
const ENCRYPTED = 1;
const DEFLATE = 8;

export type ZipArchive = { readonly path: string } | { readonly bytes: Buffer };

/** How to read such an archive. */
export interface MendedZip {
  readonly reader: RandomAccessReader;
  /** Bytes that `reader` has. */
  readonly size: number;
  /** Bytes after the archive. */
  readonly after: number;
  /** Number of members that were found without a directory; undefined: it has its own. */
  readonly found: number | undefined;
  /** Position of the header of the member in which the archive ends. */
  readonly cutMember: number | undefined;
}

/** The archive's own bytes up to `end`, then `tail`. */
class Spliced extends RandomAccessReader {
  private readonly archive: ZipArchive;
  private readonly end: number;
  private readonly tail: Buffer;

  constructor(archive: ZipArchive, end: number, tail: Buffer) {
    super();
    this.archive = archive;
    this.end = end;
    this.tail = tail;
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.range(start, end), { objectMode: false });
  }

  private async *range(start: number, end: number): AsyncGenerator<Uint8Array> {
    if (start < this.end) yield* blocksOf(this.archive, start, Math.min(end, this.end));
    if (end > this.end) yield this.tail.subarray(Math.max(0, start - this.end), end - this.end);
  }
}

async function* blocksOf(
  archive: ZipArchive,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array> {
  if ('bytes' in archive) yield archive.bytes.subarray(start, end);
  else if (start < end) {
    const stream: AsyncIterable<Buffer> = createReadStream(archive.path, { start, end: end - 1 });
    yield* stream;
  }
}

/**
 * Undefined if nothing helps.
 * @param inflate decodes members whose sizes follow them
 * @param check throws LimitError for what decodes to too much
 */
export async function mendedZip(
  archive: ZipArchive,
  inflate: Decoder,
  check: (consumed: number, produced: number) => void,
): Promise<MendedZip | undefined> {
  const size = await sizeOf(archive);
  const end = await endOfArchive(archive, size);
  if (end !== undefined)
    return {
      ...{ reader: new Spliced(archive, end, Buffer.alloc(0)), size: end, after: size - end },
      ...{ found: undefined, cutMember: undefined },
    };
  const source = new ByteSource(blocksOf(archive, 0, size));
  try {
    const members = await membersOf(source, size, inflate, check);
    const [failure] = source.failure;
    if (failure !== undefined) throw failure;
    if (members.length === 0) return undefined;
    const tail = directoryOf(members, size);
    return {
      ...{ reader: new Spliced(archive, size, tail), size: size + tail.length, after: 0 },
      ...{ found: members.length, cutMember: members.find(({ isCut }) => isCut)?.offset },
    };
  } finally {
    await source.close();
  }
}

async function sizeOf(archive: ZipArchive): Promise<number> {
  if ('bytes' in archive) return archive.bytes.length;
  let handle: FileHandle | undefined;
  try {
    handle = await open(archive.path, 'r');
    return (await handle.stat()).size;
  } finally {
    await handle?.close();
  }
}

/** The end of an archive whose directory directly precedes its end record, and which other bytes follow. */
async function endOfArchive(archive: ZipArchive, size: number): Promise<number | undefined> {
  const base = Math.max(0, size - MOST_AFTER);
  const parts: Uint8Array[] = [];
  for await (const part of blocksOf(archive, base, size)) parts.push(Uint8Array.from(part));
  const tail = Buffer.concat(parts);
  for (let at = tail.length - END_BYTES; at >= 0; at--) {
    if (tail.readUInt32LE(at) !== END) continue;
    const end = at + END_BYTES + tail.readUInt16LE(at + 20);
    const start = tail.readUInt32LE(at + 16);
    const isRight = start + tail.readUInt32LE(at + 12) === base + at || isEnd64(tail, at, base);
    if (isRight && end < tail.length) return base + end;
  }
  return undefined;
}

/** Whether the end record at `at` is that of a ZIP64 archive, directly preceded by its locator and end record. */
function isEnd64(tail: Buffer, at: number, base: number): boolean {
  const [locator, end64] = [at - LOCATOR_BYTES, at - LOCATOR_BYTES - END64_BYTES];
  return (
    end64 >= 0 &&
    tail.readUInt32LE(locator) === LOCATOR &&
    tail.readUInt32LE(end64) === END64 &&
    tail.readBigUInt64LE(locator + 8) === BigInt(base + end64)
  );
}

interface FoundMember {
  readonly offset: number;
  /** From the version needed up to the date. */
  readonly head: Buffer;
  readonly name: Buffer;
  readonly extra: Buffer;
  crc: number;
  compressed: number;
  size: number;
  isCut: boolean;
}

async function membersOf(
  source: ByteSource,
  end: number,
  inflate: Decoder,
  check: (consumed: number, produced: number) => void,
): Promise<FoundMember[]> {
  const members: FoundMember[] = [];
  while (await source.ensure(LOCAL_BYTES)) {
    if (source.buffer.readUInt32LE(source.at) !== LOCAL) break;
    const member = await headerOf(source);
    if (member === undefined) break;
    const begins = source.position;
    const flags = member.head.readUInt16LE(2);
    if (member.compressed === 0 && (flags & SIZES_FOLLOW) !== 0) {
      // For other methods nothing tells where their bytes end.
      const isPlain = member.head.readUInt16LE(4) === DEFLATE && (flags & ENCRYPTED) === 0;
      if (!isPlain || !(await measure(source, member, inflate, check))) break;
    } else if (begins + member.compressed > end) {
      member.compressed = end - begins;
      member.isCut = true;
    } else {
      await source.skip(member.compressed);
      if ((flags & SIZES_FOLLOW) !== 0) await skipDescriptor(source, member);
    }
    members.push(member);
    if (member.isCut) break;
  }
  return members;
}

/** Reads the header of a member; undefined if the archive ends in it. */
async function headerOf(source: ByteSource): Promise<FoundMember | undefined> {
  const offset = source.position;
  const fixed = Buffer.from(source.buffer.subarray(source.at, source.at + LOCAL_BYTES));
  const nameBytes = fixed.readUInt16LE(26);
  const all = LOCAL_BYTES + nameBytes + fixed.readUInt16LE(28);
  if (!(await source.ensure(all))) return undefined;
  const header = Buffer.from(source.buffer.subarray(source.at, source.at + all));
  await source.skip(all);
  const extras = extrasOf(header.subarray(LOCAL_BYTES + nameBytes));
  const large = extras.find(({ id }) => id === ZIP64)?.data ?? Buffer.alloc(0);
  const sizes = [header.readUInt32LE(22), header.readUInt32LE(18)].map((size, i) =>
    size === UNKNOWN && large.length >= 8 * (i + 1) ? Number(large.readBigUInt64LE(8 * i)) : size,
  );
  return {
    offset,
    head: header.subarray(4, 14),
    name: header.subarray(LOCAL_BYTES, LOCAL_BYTES + nameBytes),
    extra: Buffer.concat(extras.filter(({ id }) => id !== ZIP64).map(({ all: field }) => field)),
    crc: header.readUInt32LE(14),
    ...{ size: sizes[0]!, compressed: sizes[1]!, isCut: false },
  };
}

function extrasOf(bytes: Buffer): { id: number; data: Buffer; all: Buffer }[] {
  const found: { id: number; data: Buffer; all: Buffer }[] = [];
  for (let at = 0; at + 4 <= bytes.length;) {
    const next = at + 4 + bytes.readUInt16LE(at + 2);
    if (next > bytes.length) break;
    const [data, all] = [bytes.subarray(at + 4, next), bytes.subarray(at, next)];
    found.push({ id: bytes.readUInt16LE(at), data, all });
    at = next;
  }
  return found;
}

/** Finds the end of a member whose sizes follow it. False if it cannot be decoded. */
async function measure(
  source: ByteSource,
  member: FoundMember,
  inflate: Decoder,
  check: (consumed: number, produced: number) => void,
): Promise<boolean> {
  const begins = source.position;
  let crc = 0;
  let produced = 0;
  try {
    for await (const block of inflate(source, [], WHOLE_ONLY)) {
      crc = crc32(block, crc);
      produced += block.length;
      check(source.position - begins, produced);
    }
  } catch (error) {
    if (error instanceof LimitError) throw error;
    if (!isCutOff(error, source)) return false;
    member.isCut = true;
  }
  member.compressed = source.position - begins;
  member.size = produced;
  member.crc = crc;
  return member.isCut || skipDescriptor(source, member);
}

/** Skips the sizes after a member. False if they do not match it. */
async function skipDescriptor(source: ByteSource, member: FoundMember): Promise<boolean> {
  await source.ensure(24);
  const { buffer, at, available } = source;
  const start = available >= 4 && buffer.readUInt32LE(at) === DESCRIPTOR ? 4 : 0;
  if (available < start + 12) {
    // The checksum of the member is missing.
    member.isCut = true;
    return true;
  }
  if (buffer.readUInt32LE(at + start) !== member.crc >>> 0) return false;
  const isLarge =
    available >= start + 20 &&
    buffer.readBigUInt64LE(at + start + 4) === BigInt(member.compressed) &&
    buffer.readBigUInt64LE(at + start + 12) === BigInt(member.size);
  await source.skip(start + (isLarge ? 20 : 12));
  return true;
}

/** A directory of the members, which begins at byte `start` of the archive. */
function directoryOf(members: readonly FoundMember[], start: number): Buffer {
  const entries = members.map((member) => {
    const { head, name, extra, crc, compressed, size, offset } = member;
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(CENTRAL, 0);
    entry.writeUInt16LE(45, 4);
    head.copy(entry, 6);
    entry.writeUInt32LE(crc >>> 0, 16);
    entry.fill(0xff, 20, 28);
    entry.writeUInt16LE(name.length, 28);
    const large = Buffer.alloc(28);
    large.writeUInt16LE(ZIP64, 0);
    large.writeUInt16LE(24, 2);
    for (const [i, value] of [size, compressed, offset].entries())
      large.writeBigUInt64LE(BigInt(value), 4 + 8 * i);
    entry.writeUInt16LE(large.length + extra.length, 30);
    entry.writeUInt32LE(UNKNOWN, 42);
    return Buffer.concat([entry, name, large, extra]);
  });
  const directory = Buffer.concat(entries);
  const end64 = Buffer.alloc(END64_BYTES);
  end64.writeUInt32LE(END64, 0);
  end64.writeBigUInt64LE(44n, 4);
  end64.writeBigUInt64LE(BigInt(members.length), 24);
  end64.writeBigUInt64LE(BigInt(members.length), 32);
  end64.writeBigUInt64LE(BigInt(directory.length), 40);
  end64.writeBigUInt64LE(BigInt(start), 48);
  const locator = Buffer.alloc(LOCATOR_BYTES);
  locator.writeUInt32LE(LOCATOR, 0);
  locator.writeBigUInt64LE(BigInt(start + directory.length), 8);
  locator.writeUInt32LE(1, 16);
  const end = Buffer.alloc(END_BYTES, 0xff);
  end.writeUInt32LE(END, 0);
  end.writeUInt32LE(0, 4);
  end.writeUInt16LE(0, 20);
  return Buffer.concat([directory, end64, locator, end]);
}
