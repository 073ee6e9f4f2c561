/**
 * bzip2 decoder: block by block, from a stream, verifying every checksum. A whole block is collected before it is
 * decoded, so memory is bounded by the format: 900 kB of input, 3.6 MB of transform. After a damaged block the next
 * one is searched bit by bit, by the magic number with which each begins. Why our own:
 * docs/adr/0003-decompression-libraries.md.
 *
 * Format: https://github.com/dsnet/compress/blob/master/doc/bzip2-format.pdf
 */
import { nounOf } from '../../../engine/contract/words/counted.ts';
import { messageOfError } from '../../../engine/contract/errors.ts';
import type { ByteSource } from '../byte-source.ts';
import { CutOff, DamagedAt, type Sums } from './checked.ts';

const MAX_CODE = 20;
const GROUP_SIZE = 50;
const OUT_BYTES = 256 * 1024;
/** More than a block of 100 kB can have as input: Huffman codes of up to 20 bits, and its tables. */
const INPUT_PER_LEVEL = 290_000;
const BLOCK_MAGIC = 0x314159265359;
const END_MAGIC = 0x177245385090;
/** Bytes that a magic number takes part of, wherever its first bit is. */
const MAGIC_SPAN = 7;
const MOST_LEVEL = 9;
/** A content may consist of beginnings of blocks only, each of which takes time. */
const MOST_FAILURES = 1000;

const CRC_TABLE = new Uint32Array(256);
for (let n = 0; n < 256; n++) {
  let crc = n << 24;
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x80000000 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
  CRC_TABLE[n] = crc >>> 0;
}

class Bits {
  private readonly source: ByteSource;
  private held = 0;
  private count = 0;
  constructor(source: ByteSource) {
    this.source = source;
  }
  /** `n` bits, at most 24, as a number. */
  read(n: number): number {
    while (this.count < n) {
      const { source } = this;
      if (source.at === source.end) {
        // A block has no more input than was gathered; only the end of the file makes it a cut.
        throw source.ended
          ? new CutOff('ends within a block')
          : new Error('a block without an end');
      }
      this.held = (this.held << 8) | source.buffer[source.at++]!;
      this.count += 8;
    }
    this.count -= n;
    return (this.held >>> this.count) & ((1 << n) - 1);
  }
  word(): number {
    return this.read(16) * 65536 + this.read(16);
  }
  alignToByte(): void {
    this.count -= this.count & 7;
    // Returns whole bytes that were read too early.
    this.source.at -= this.count >>> 3;
    this.count = 0;
  }
  /** The byte of the file in which the next bit is. */
  get position(): number {
    return this.source.position - (this.count > 0 ? 1 : 0);
  }
  /** The position of the next bit, for `goTo`, until more is requested of the source. */
  get place(): number {
    return this.source.at * 8 - this.count;
  }
  goTo(place: number): void {
    this.source.at = place >>> 3;
    this.held = 0;
    this.count = 0;
    this.read(place & 7);
  }
  /**
   * Moves to the next magic number of a block or of the end of a stream, from `place` on; false if there is none.
   */
  async seek(place: number): Promise<boolean> {
    const { source } = this;
    source.at = place >>> 3;
    let shift = place & 7;
    for (;;) {
      const { buffer, end } = source;
      let word = 0;
      for (let at = source.at; at < Math.min(source.at + 3, end); at++)
        word = (word << 8) | buffer[at]!;
      for (let at = source.at; at + MAGIC_SPAN <= end; at++) {
        word = (word << 8) | buffer[at + 3]!;
        for (; shift < 8; shift++) {
          const high = (word << shift) >>> 8;
          if (high !== 0x314159 && high !== 0x177245) continue;
          const low = (buffer.readInt32BE(at + 3) << shift) >>> 8;
          if (low !== (high === 0x314159 ? 0x265359 : 0x385090)) continue;
          this.goTo(at * 8 + shift);
          return true;
        }
        shift = 0;
      }
      source.at = Math.max(source.at, end - MAGIC_SPAN + 1);
      if (await source.more()) continue;
      source.at = source.end;
      return false;
    }
  }
}

interface HuffmanTable {
  /** By code length: the largest code, and the offset of its index in `symbols`. */
  limit: Int32Array;
  base: Int32Array;
  symbols: Uint16Array;
  shortest: number;
}

function huffmanTable(lengths: Uint8Array, size: number): HuffmanTable {
  const counts = new Int32Array(MAX_CODE + 2);
  let shortest = MAX_CODE;
  for (let i = 0; i < size; i++) {
    counts[lengths[i]!]! += 1;
    if (lengths[i]! < shortest) shortest = lengths[i]!;
  }
  const limit = new Int32Array(MAX_CODE + 2).fill(-1);
  const base = new Int32Array(MAX_CODE + 2);
  const symbols = new Uint16Array(size);
  let at = 0;
  let code = 0;
  for (let length = 1; length <= MAX_CODE; length++) {
    base[length] = code - at;
    for (let i = 0; i < size; i++) if (lengths[i] === length) symbols[at++] = i;
    code += counts[length]!;
    limit[length] = code - 1;
    if (code > 1 << length) throw new Error('impossible code lengths');
    code <<= 1;
  }
  return { limit, base, symbols, shortest };
}

/**
 * Concatenated streams are one content. A block's bytes are yielded once its checksum matches. After damage it
 * continues with the next block whose checksum matches, and reports the skipped bytes to `sums`. Throws CutOff if
 * the data ends too early, Error if it is damaged and no whole block follows.
 */
export async function* bunzip2(
  source: ByteSource,
  notes: string[],
  sums: Sums,
): AsyncGenerator<Uint8Array> {
  const bits = new Bits(source);
  let transform = new Uint32Array(0);
  /** The first error since the last whole block. */
  let damage: { readonly from: number; readonly error: unknown } | undefined;
  let failures = 0;
  /** Of the stream; 0 between streams. */
  let level = 0;
  /** Of the stream's blocks so far; undefined if some are unknown. */
  let streamCrc: number | undefined;
  for (let isFirst = true; ; isFirst = false) {
    if (level === 0) {
      if (!isFirst && !(await source.ensure(1))) {
        if (source.failure.length > 0) throw source.failure[0];
        return;
      }
      const from = source.position;
      level = await streamLevel(source);
      streamCrc = 0;
      if (level === 0) {
        if (isFirst) throw new Error('unknown header');
        if (!(await skipZeros(source))) return;
        if (!(await bits.seek(bits.place))) {
          if (source.failure.length > 0) throw source.failure[0];
          notes.push(
            `${source.position - from} ${nounOf(source.position - from, 'byte')} after the end of the compressed data, at byte ${from} of the file, were not read`,
          );
          return;
        }
        damage = { from, error: new Error('no header where a stream should begin') };
        level = MOST_LEVEL;
        streamCrc = undefined;
      }
    }
    await source.ensure(level * INPUT_PER_LEVEL);
    // Each number is written before it is read: that of a short block costs nothing.
    if (transform.length < level * 100_000)
      transform = new Uint32Array(Buffer.allocUnsafeSlow(level * 400_000).buffer);
    const { place, position } = bits;
    let block: Uint8Array[] | undefined;
    let crc: number;
    try {
      [block, crc] = readUnit(bits, transform, level * 100_000);
    } catch (error) {
      damage ??= { from: position, error };
      if (++failures > MOST_FAILURES) throw new DamagedAt(damage.from, 'too many damaged blocks');
      if (!(await bits.seek(place + 1)))
        throw error instanceof CutOff && damage.error === error
          ? error
          : new DamagedAt(damage.from, messageOfError(damage.error));
      if (error instanceof CutOff && damage.error === error)
        damage = { from: position, error: new Error('a block without an end') };
      // The header of a stream may be part of the damage.
      level = MOST_LEVEL;
      streamCrc = undefined;
      continue;
    }
    if (damage !== undefined) {
      sums.lost(damage.from, position, messageOfError(damage.error));
      damage = undefined;
    }
    if (block === undefined) {
      if (streamCrc !== undefined && crc !== streamCrc)
        sums.lost(position, position, 'checksum of the stream differs');
      bits.alignToByte();
      level = 0;
      continue;
    }
    yield* block;
    sums.unit(true);
    if (streamCrc !== undefined) streamCrc = (((streamCrc << 1) | (streamCrc >>> 31)) ^ crc) >>> 0;
  }
}

/** Reads the header of a stream; 0 if there is none. */
async function streamLevel(source: ByteSource): Promise<number> {
  await source.ensure(4);
  const { buffer, at } = source;
  const magic = buffer.toString('latin1', at, Math.min(at + 3, source.end));
  if (source.available > 0 && source.available < 4 && 'BZh'.startsWith(magic))
    throw new CutOff('ends within a header');
  const level = source.available < 4 || magic !== 'BZh' ? 0 : buffer[at + 3]! - 0x30;
  if (level < 1 || level > MOST_LEVEL) return 0;
  source.at += 4;
  return level;
}

/** False if nothing else follows. */
async function skipZeros(source: ByteSource): Promise<boolean> {
  for (;;) {
    while (source.at < source.end && source.buffer[source.at] === 0) source.at += 1;
    if (source.at < source.end) return true;
    if (await source.more()) continue;
    if (source.failure.length > 0) throw source.failure[0];
    return false;
  }
}

/** A block whose checksum agrees, or the end of a stream and its checksum. */
function readUnit(
  bits: Bits,
  transform: Uint32Array,
  limit: number,
): [block: Uint8Array[] | undefined, crc: number] {
  const kind = bits.read(24) * 0x1000000 + bits.read(24);
  const crc = bits.word();
  if (kind === END_MAGIC) return [undefined, crc];
  if (kind !== BLOCK_MAGIC) throw new Error('no block where one should begin');
  const { size, origin } = readBlock(bits, transform, limit);
  let blockCrc = 0xffffffff;
  // All of a block: at most 46 MB, if it is one long run.
  const block: Uint8Array[] = [];
  for (const out of expand(transform, size, origin)) {
    for (let i = 0; i < out.length; i++) {
      blockCrc = (blockCrc << 8) ^ CRC_TABLE[((blockCrc >>> 24) ^ out[i]!) & 0xff]!;
    }
    block.push(out);
  }
  if (~blockCrc >>> 0 !== crc) throw new Error('checksum of a block differs');
  return [block, crc];
}

/** Huffman codes, move to front and zero runs; leaves the sorted block and its links in `transform`. */
function readBlock(
  bits: Bits,
  transform: Uint32Array,
  limit: number,
): { size: number; origin: number } {
  if (bits.read(1) !== 0) throw new Error('randomised blocks are not supported');
  const origin = bits.read(24);
  const used = bits.read(16);
  const front = new Uint8Array(256);
  let symbols = 0;
  for (let i = 0; i < 16; i++) {
    if ((used & (0x8000 >>> i)) === 0) continue;
    const row = bits.read(16);
    for (let j = 0; j < 16; j++) if ((row & (0x8000 >>> j)) !== 0) front[symbols++] = i * 16 + j;
  }
  if (symbols === 0) throw new Error('a block without symbols');
  const tables = bits.read(3);
  const selectors = bits.read(15);
  if (tables < 2 || tables > 6 || selectors === 0) throw new Error('impossible tables');
  const selector = readSelectors(bits, tables, selectors);
  const huffman = readTables(bits, tables, symbols + 2);
  const end = symbols + 1;
  const counts = new Uint32Array(256);
  let size = 0;
  let run = 0;
  let runBit = 1;
  let group = 0;
  let left = 0;
  let table = huffman[0]!;
  for (;;) {
    if (left === 0) {
      if (group >= selectors) throw new Error('too few selectors');
      table = huffman[selector[group++]!]!;
      left = GROUP_SIZE;
    }
    left -= 1;
    let length = table.shortest;
    let code = bits.read(length);
    while (code > table.limit[length]!) {
      if (++length > MAX_CODE) throw new Error('impossible code');
      code = (code << 1) | bits.read(1);
    }
    const symbol = table.symbols[code - table.base[length]!];
    if (symbol === undefined) throw new Error('impossible code');
    if (symbol <= 1) {
      // Bijective base 2; a length beyond the block size is damage, and must not overflow.
      run += runBit << symbol;
      runBit <<= 1;
      if (run > limit) throw new Error('a run beyond the block');
      continue;
    }
    if (run > 0) {
      if (size + run > limit) throw new Error('a run beyond the block');
      const byte = front[0]!;
      counts[byte]! += run;
      transform.fill(byte, size, size + run);
      size += run;
      run = 0;
      runBit = 1;
    }
    if (symbol === end) break;
    if (size >= limit) throw new Error('a block beyond its size');
    const place = symbol - 1;
    const byte = front[place]!;
    if (place < 16) for (let i = place; i > 0; i--) front[i] = front[i - 1]!;
    else front.copyWithin(1, 0, place);
    front[0] = byte;
    counts[byte]! += 1;
    transform[size++] = byte;
  }
  if (size === 0 ? origin !== 0 : origin >= size) throw new Error('impossible origin');
  link(transform, size, counts);
  return { size, origin };
}

/** The table that each group of symbols uses, in move-to-front coding. */
function readSelectors(bits: Bits, tables: number, selectors: number): Uint8Array {
  const order = [0, 1, 2, 3, 4, 5];
  const selector = new Uint8Array(selectors);
  for (let i = 0; i < selectors; i++) {
    let place = 0;
    while (bits.read(1) === 1) if (++place >= tables) throw new Error('impossible selector');
    const table = order[place]!;
    order.copyWithin(1, 0, place);
    order[0] = table;
    selector[i] = table;
  }
  return selector;
}

/** The tables, whose code lengths are stored as differences. */
function readTables(bits: Bits, tables: number, alphabet: number): HuffmanTable[] {
  const huffman: HuffmanTable[] = [];
  const lengths = new Uint8Array(alphabet);
  for (let table = 0; table < tables; table++) {
    let length = bits.read(5);
    for (let i = 0; i < alphabet; i++) {
      for (;;) {
        if (length < 1 || length > MAX_CODE) throw new Error('impossible code lengths');
        if (bits.read(1) === 0) break;
        length += bits.read(1) === 0 ? 1 : -1;
      }
      lengths[i] = length;
    }
    huffman.push(huffmanTable(lengths, alphabet));
  }
  return huffman;
}

/** Stores the position of the next byte above each byte of the sorted block. @param counts of each byte value */
function link(transform: Uint32Array, size: number, counts: Uint32Array): void {
  let sum = 0;
  for (let i = 0; i < 256; i++) {
    const count = counts[i]!;
    counts[i] = sum;
    sum += count;
  }
  for (let i = 0; i < size; i++) {
    const byte = transform[i]! & 0xff;
    transform[counts[byte]!++]! |= i << 8;
  }
}

/** Follows the links and undoes the first run-length coding, in blocks of bounded size. */
function* expand(transform: Uint32Array, size: number, origin: number): Generator<Uint8Array> {
  if (size === 0) return;
  let out = new Uint8Array(OUT_BYTES);
  let filled = 0;
  let at = transform[origin]! >>> 8;
  let last = -1;
  let same = 0;
  for (let i = 0; i < size; i++) {
    const entry = transform[at]!;
    const byte = entry & 0xff;
    at = entry >>> 8;
    if (filled > OUT_BYTES - 256) {
      yield out.subarray(0, filled);
      out = new Uint8Array(OUT_BYTES);
      filled = 0;
    }
    if (same === 4) {
      out.fill(last, filled, filled + byte);
      filled += byte;
      same = 0;
      last = -1;
      continue;
    }
    same = byte === last ? same + 1 : 1;
    last = byte;
    out[filled++] = byte;
  }
  if (filled > 0) yield out.subarray(0, filled);
}
