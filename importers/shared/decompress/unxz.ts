/**
 * xz decoder: blocks from a stream (lzma.ts), verifying every checksum. Why our own:
 * docs/adr/0003-decompression-libraries.md.
 *
 * Format: https://tukaani.org/xz/xz-file-format.txt
 */
import { createHash, type Hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { branchFilter, type Filter } from './branch-filters.ts';
import type { ByteSource } from '../byte-source.ts';
import type { Sums } from './checked.ts';
import { dictionaryOf, need, unlzma2 } from './lzma.ts';
import { ReadOn, type UnitKind } from './read-on.ts';

const LZMA2 = 0x21;
const EMPTY = new Uint8Array(0);

/** Sizes of the checks by their number. */
const CHECK_SIZES = [0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64];

const MAGIC = Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0]);
/** Recognises a block or a stream after damage. */
const UNITS: UnitKind = {
  ...{ begins: isStream, find: findUnit, magicBytes: MAGIC.length, headerBytes: 1024 },
  name: 'a stream',
};

/**
 * Concatenated streams are one content. Blocks are yielded before their checksum is known: `sums` is told when it
 * matched. After damage it continues with the next block or stream whose header has a valid checksum. Throws CutOff
 * if the data ends too early, Error if it is damaged.
 */
export async function* unxz(
  source: ByteSource,
  notes: string[],
  sums: Sums,
): AsyncGenerator<Uint8Array> {
  const readOn = new ReadOn(source, sums, UNITS);
  let check: Check | undefined;
  for (let isFirst = true; ; isFirst = false) {
    if (check === undefined && !isFirst && !(await readOn.next(notes))) return;
    const from = source.position;
    try {
      if (check === undefined) {
        check = isFirst || isStream(source) ? await streamHeader(source) : { ...UNKNOWN };
        continue;
      }
      if ((await need(source, 1, 'a block'))[0]! !== 0) {
        sums.unit(yield* readBlock(source, check));
        continue;
      }
      await readIndex(source, check.blocks);
      const footer = await need(source, 12, 'the footer of a stream');
      if (footer.readUInt32LE(0) !== crc32(footer.subarray(4, 10)) || footer[10] !== 0x59) {
        throw new Error('footer of a stream is damaged');
      }
      source.at += 12;
      check = undefined;
    } catch (error) {
      await readOn.after(from, error);
      // The header of another stream may be part of the damage.
      check = isStream(source)
        ? undefined
        : { kind: check?.kind, isSure: false, blocks: undefined };
    }
  }
}

/** The checksum of a stream's blocks, as far as known. */
interface Check {
  /** The number of their checksum's kind. */
  kind: number | undefined;
  isSure: boolean;
  /** Blocks so far; undefined after damage. */
  blocks: number | undefined;
}

const UNKNOWN: Check = { kind: undefined, isSure: false, blocks: undefined };
/** CRC-64, CRC-32, SHA-256, by frequency of use. */
const KINDS = [4, 1, 10];

async function streamHeader(source: ByteSource): Promise<Check> {
  const header = await need(source, 12, 'the header of a stream');
  if (header.readUInt32LE(8) !== crc32(header.subarray(6, 8)) || header[6] !== 0) {
    throw new Error('header of a stream is damaged');
  }
  source.at += 12;
  return { kind: header[7]! & 15, isSure: true, blocks: 0 };
}

function isStream({ buffer, at, end }: ByteSource): boolean {
  return buffer.subarray(at, Math.min(end, at + MAGIC.length)).equals(MAGIC);
}

function findUnit(buffer: Buffer, at: number, end: number): number {
  for (let from = at; from < end; from++)
    if (isBlockHeader(buffer, from, end) || isStreamHeader(buffer, from, end)) return from;
  return -1;
}

function isStreamHeader(buffer: Buffer, at: number, end: number): boolean {
  return (
    buffer[at] === MAGIC[0] &&
    at + 12 <= end &&
    MAGIC.every((byte, i) => buffer[at + i] === byte) &&
    buffer.readUInt32LE(at + 8) === crc32(buffer.subarray(at + 6, at + 8))
  );
}

/** Whether a header is there that ends in LZMA2 and has its checksum. */
function isBlockHeader(buffer: Buffer, at: number, end: number): boolean {
  const size = (buffer[at]! + 1) * 4;
  if (size < 12 || at + size > end) return false;
  const flags = buffer[at + 1]!;
  if ((flags & 0x3c) !== 0) return false;
  let place = at + 2;
  for (const flag of [0x40, 0x80]) {
    if ((flags & flag) === 0) continue;
    while (buffer[place]! >= 0x80) if (++place >= at + size) return false;
    place += 1;
  }
  for (let filters = flags & 3; filters > 0; filters--) place += 2 + buffer[place + 1]!;
  return (
    place + 7 <= at + size &&
    buffer[place] === LZMA2 &&
    buffer[place + 1] === 1 &&
    buffer.readUInt32LE(at + size - 4) === crc32(buffer.subarray(at, at + size - 4))
  );
}

/** A number with 7 bits per byte in `bytes` from `at`; the second result is the position after it. */
function variable(bytes: Uint8Array, at: number): [number, number] {
  let value = 0;
  for (let i = 0; i < 9; i++) {
    const byte = bytes[at + i];
    if (byte === undefined) break;
    value += (byte & 0x7f) * 2 ** (7 * i);
    if (byte < 0x80) return [value, at + i + 1];
  }
  throw new Error('impossible number');
}

/** @param blocks that it must have; undefined: some are lost */
async function readIndex(source: ByteSource, blocks: number | undefined): Promise<void> {
  const from = source.position;
  let crc = 0;
  const take = async (): Promise<number> => {
    const byte = await need(source, 1, 'the index');
    crc = crc32(byte, crc);
    source.at += 1;
    return byte[0]!;
  };
  const number = async (): Promise<number> => {
    let value = 0;
    for (let i = 0; i < 9; i++) {
      const byte = await take();
      value += (byte & 0x7f) * 2 ** (7 * i);
      if (byte < 0x80) return value;
    }
    throw new Error('impossible number');
  };
  await take();
  const records = await number();
  if (blocks !== undefined && records !== blocks) throw new Error('index does not fit the blocks');
  for (let i = 0; i < 2 * records; i++) await number();
  while ((source.position - from) % 4 !== 0) await take();
  const stored = (await need(source, 4, 'the index')).readUInt32LE(0);
  if (stored !== crc) throw new Error('index is damaged');
  source.at += 4;
}

/** Gives whether a checksum agreed, and counts the block in `check`. */
async function* readBlock(source: ByteSource, check: Check): AsyncGenerator<Uint8Array, boolean> {
  const headerSize = ((await need(source, 1, 'a block'))[0]! + 1) * 4;
  const header = await need(source, headerSize, 'the header of a block');
  if (header.readUInt32LE(headerSize - 4) !== crc32(header.subarray(0, headerSize - 4))) {
    throw new Error('header of a block is damaged');
  }
  const flags = header[1]!;
  let at = 2;
  if ((flags & 0x40) !== 0) [, at] = variable(header, at);
  if ((flags & 0x80) !== 0) [, at] = variable(header, at);
  /** In decoding order. */
  const filters: Filter[] = [];
  let id = 0;
  for (let i = 0; i < (flags & 3); i++) {
    let size = 0;
    [id, at] = variable(header, at);
    [size, at] = variable(header, at);
    filters.unshift(branchFilter(id, header.subarray(at, at + size)));
    at += size;
  }
  [id, at] = variable(header, at);
  if (id !== LZMA2) throw new Error(`filter 0x${id.toString(16)} where LZMA2 is to be`);
  [, at] = variable(header, at);
  const dictionary = dictionaryOf(header[at]! & 63);
  source.at += headerSize;

  const from = source.position;
  const checksums = new Map(kindsOf(check).map((kind) => [kind, checksum(kind)]));
  /** Out of the window, which the next chunk overwrites, and through the filters. */
  function* give(decoded: Uint8Array, isLast = false): Generator<Uint8Array> {
    let out = Uint8Array.from(decoded);
    for (const filter of filters) out = filter.undo(out, isLast);
    for (const sum of checksums.values()) sum?.update(out);
    if (out.length > 0) yield out;
  }
  for await (const out of unlzma2(source, dictionary)) yield* give(out);
  yield* give(EMPTY, true);
  const padding = (4 - ((source.position - from) % 4)) % 4;
  await need(source, padding, 'a block');
  source.at += padding;
  const isChecked = await readCheck(source, check, checksums);
  if (check.blocks !== undefined) check.blocks += 1;
  return isChecked;
}

/** The kinds of checksum that a block may have: after damage its stream may be another. */
function kindsOf({ kind, isSure }: Check): number[] {
  if (kind === undefined) return KINDS;
  if (isSure) return [kind];
  return checksum(kind) === undefined ? [...KINDS, kind] : KINDS;
}

/** Reads a block's checksum, and remembers its kind; returns whether there is one. Throws if none matches. */
async function readCheck(
  source: ByteSource,
  check: Check,
  checksums: ReadonlyMap<number, Checksum | undefined>,
): Promise<boolean> {
  for (const [kind, sum] of checksums) {
    const size = CHECK_SIZES[kind]!;
    if (!check.isSure && !(await source.ensure(size))) continue;
    const stored = await need(source, size, 'a block');
    if (sum !== undefined && !stored.equals(sum.digest())) continue;
    source.at += size;
    check.kind = kind;
    check.isSure = true;
    return sum !== undefined;
  }
  throw new Error('checksum of a block differs');
}

interface Checksum {
  update(bytes: Uint8Array): void;
  digest(): Buffer;
}

function checksum(check: number): Checksum | undefined {
  switch (check) {
    case 1:
      return new Crc32();
    case 4:
      return new Crc64();
    case 10:
      return new Sha256();
    default:
      return undefined;
  }
}

class Crc32 implements Checksum {
  private value = 0;
  update(bytes: Uint8Array): void {
    this.value = crc32(bytes, this.value);
  }
  digest(): Buffer {
    const out = Buffer.alloc(4);
    out.writeUInt32LE(this.value);
    return out;
  }
}

class Sha256 implements Checksum {
  private readonly hash: Hash = createHash('sha256');
  update(bytes: Uint8Array): void {
    this.hash.update(bytes);
  }
  digest(): Buffer {
    return this.hash.digest();
  }
}

const CRC64_LOW = new Int32Array(256);
const CRC64_HIGH = new Int32Array(256);
for (let n = 0; n < 256; n++) {
  let crc = BigInt(n);
  for (let bit = 0; bit < 8; bit++) {
    crc = (crc & 1n) === 1n ? (crc >> 1n) ^ 0xc96c5795d7870f42n : crc >> 1n;
  }
  CRC64_LOW[n] = Number(BigInt.asIntN(32, crc));
  CRC64_HIGH[n] = Number(BigInt.asIntN(32, crc >> 32n));
}

class Crc64 implements Checksum {
  private low = -1;
  private high = -1;
  update(bytes: Uint8Array): void {
    let { low, high } = this;
    for (let i = 0; i < bytes.length; i++) {
      const entry = (low ^ bytes[i]!) & 0xff;
      low = ((low >>> 8) | (high << 24)) ^ CRC64_LOW[entry]!;
      high = (high >>> 8) ^ CRC64_HIGH[entry]!;
    }
    this.low = low;
    this.high = high;
  }
  digest(): Buffer {
    const out = Buffer.alloc(8);
    out.writeInt32LE(~this.low, 0);
    out.writeInt32LE(~this.high, 4);
    return out;
  }
}
