/**
 * xz decoder: LZMA2 chunk by chunk, from a stream, with every checksum checked. Memory is bounded
 * by the dictionary, which grows with the content and never beyond MAX_DICTIONARY. Why our own:
 * docs/adr/0003-decompression-libraries.md.
 *
 * Format: https://tukaani.org/xz/xz-file-format.txt; LZMA and LZMA2: the XZ Embedded and LZMA SDK
 * descriptions, https://www.7-zip.org/sdk.html
 */
import { nounOf } from '../../engine/contract/counted.ts';
import { createHash, type Hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { DaybookError } from '../../engine/contract/errors.ts';
import { branchFilter, type Filter } from './branch-filters.ts';
import type { ByteSource } from './byte-source.ts';
import { CutOff, type Sums } from './checked.ts';

/** `xz -9` needs 64 MiB. */
const MAX_DICTIONARY = 256 * 1024 * 1024;
const MAX_CHUNK = 2 * 1024 * 1024;
const LZMA2 = 0x21;

/** Sizes of the checks by their number. */
const CHECK_SIZES = [0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64];

/**
 * Streams that follow each other are one content. Blocks are given before their checksum is known:
 * `sums` says when it agreed. Throws CutOff where the data ends too early, Error when it is damaged.
 */
export async function* unxz(
  source: ByteSource,
  notes: string[],
  sums: Sums,
): AsyncGenerator<Uint8Array> {
  for (let stream = 0; ; stream++) {
    if (stream > 0 && !(await nextStream(source, notes))) return;
    const header = await need(source, 12, 'the header of a stream');
    if (header.readUInt32LE(8) !== crc32(header.subarray(6, 8)) || header[6] !== 0) {
      throw new Error('header of a stream is damaged');
    }
    const check = header[7]! & 15;
    source.at += 12;
    let blocks = 0;
    for (;;) {
      const first = (await need(source, 1, 'a block'))[0]!;
      if (first === 0) break;
      sums.unit(yield* readBlock(source, (first + 1) * 4, check));
      blocks += 1;
    }
    await readIndex(source, blocks);
    const footer = await need(source, 12, 'the footer of a stream');
    if (footer.readUInt32LE(0) !== crc32(footer.subarray(4, 10)) || footer[10] !== 0x59) {
      throw new Error('footer of a stream is damaged');
    }
    source.at += 12;
  }
}

async function need(source: ByteSource, n: number, what: string): Promise<Buffer> {
  if (!(await source.ensure(n))) throw new CutOff(`ends within ${what}`);
  return source.buffer.subarray(source.at, source.at + n);
}

async function nextStream(source: ByteSource, notes: string[]): Promise<boolean> {
  for (;;) {
    while (source.at < source.end && source.buffer[source.at] === 0) source.at += 1;
    if (source.at < source.end) break;
    if (!(await source.more())) {
      if (source.failure.length > 0) throw source.failure[0];
      return false;
    }
  }
  await source.ensure(6);
  if (source.buffer.toString('latin1', source.at, source.at + 6) === '\xfd7zXZ\0') return true;
  const from = source.position;
  do source.at = source.end;
  while (await source.more());
  notes.push(
    `${source.position - from} ${nounOf(source.position - from, 'byte')} after the end of the compressed data, at byte ${from} of the file, were not read`,
  );
  return false;
}

/** A number of 7 bits a byte in `bytes` from `at`; the place after it comes second. */
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

async function readIndex(source: ByteSource, blocks: number): Promise<void> {
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
  if (records !== blocks) throw new Error('index does not fit the blocks');
  for (let i = 0; i < 2 * records; i++) await number();
  while ((source.position - from) % 4 !== 0) await take();
  const stored = (await need(source, 4, 'the index')).readUInt32LE(0);
  if (stored !== crc) throw new Error('index is damaged');
  source.at += 4;
}

async function* readBlock(
  source: ByteSource,
  headerSize: number,
  check: number,
): AsyncGenerator<Uint8Array, boolean> {
  const header = await need(source, headerSize, 'the header of a block');
  if (header.readUInt32LE(headerSize - 4) !== crc32(header.subarray(0, headerSize - 4))) {
    throw new Error('header of a block is damaged');
  }
  const flags = header[1]!;
  let at = 2;
  if ((flags & 0x40) !== 0) [, at] = variable(header, at);
  if ((flags & 0x80) !== 0) [, at] = variable(header, at);
  /** In the order in which they are undone. */
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
  const bits = header[at]! & 63;
  if (bits > 40) throw new Error('impossible dictionary');
  const dictionary = bits === 40 ? 2 ** 32 - 1 : (2 | (bits & 1)) * 2 ** ((bits >>> 1) + 11);
  source.at += headerSize;

  const from = source.position;
  const sum = checksum(check);
  const lzma = new Lzma(dictionary);
  /** Out of the window, which the next chunk overwrites, and through the filters. */
  function* give(decoded: Uint8Array, isLast = false): Generator<Uint8Array> {
    let out = Uint8Array.from(decoded);
    for (const filter of filters) out = filter.undo(out, isLast);
    sum?.update(out);
    if (out.length > 0) yield out;
  }
  let dictionaryKnown = false;
  let propertiesKnown = false;
  let stateKnown = false;
  for (;;) {
    const control = (await need(source, 1, 'a block'))[0]!;
    if (control === 0) {
      yield* give(EMPTY, true);
      break;
    }
    if (control > 2 && control < 0x80) throw new Error('impossible chunk');
    const reset = control >= 0x80 ? (control >>> 5) & 3 : control === 1 ? 3 : 0;
    if (reset === 3) {
      lzma.resetDictionary();
      dictionaryKnown = true;
    }
    if (!dictionaryKnown) throw new Error('a chunk without a dictionary');
    if (control < 0x80) {
      const size = (await need(source, 3, 'a chunk')).readUInt16BE(1) + 1;
      source.at += 3;
      await source.ensure(size);
      const taken = Math.min(size, source.available);
      const out = lzma.copy(source.buffer.subarray(source.at, source.at + taken));
      source.at += taken;
      yield* give(out);
      if (taken < size) throw new CutOff('ends within a chunk');
      continue;
    }
    const chunk = await need(source, reset >= 2 ? 6 : 5, 'a chunk');
    const size = ((control & 0x1f) << 16) + chunk.readUInt16BE(1) + 1;
    const packed = chunk.readUInt16BE(3) + 1;
    if (reset >= 2) {
      lzma.setProperties(chunk[5]!);
      propertiesKnown = true;
    }
    source.at += chunk.length;
    if (!propertiesKnown) throw new Error('a chunk without properties');
    if (reset >= 1) {
      lzma.resetState();
      stateKnown = true;
    }
    if (!stateKnown) throw new Error('a chunk without a state');
    await source.ensure(packed);
    const taken = Math.min(packed, source.available);
    const out = lzma.decode(source.buffer, source.at, source.at + taken, size);
    source.at += taken;
    yield* give(out);
    if (taken < packed) throw new CutOff('ends within a chunk');
    if (lzma.problem !== undefined) throw lzma.problem;
  }
  source.at += 1;
  const padding = (4 - ((source.position - from) % 4)) % 4;
  await need(source, padding, 'a block');
  source.at += padding;
  const stored = await need(source, CHECK_SIZES[check]!, 'a block');
  if (sum !== undefined && !stored.equals(sum.digest())) {
    throw new Error('checksum of a block differs');
  }
  source.at += stored.length;
  return sum !== undefined;
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

// Places of the probabilities.
const IS_MATCH = 0;
const IS_REP = 192;
const IS_REP0 = 204;
const IS_REP1 = 216;
const IS_REP2 = 228;
const IS_REP0_LONG = 240;
const DIST_SLOT = 432;
const DIST_SPECIAL = 688;
const DIST_ALIGN = 816;
const MATCH_LENGTH = 832;
const REP_LENGTH = 1346;
const LITERAL = 1860;
// Within those of a length.
const CHOICE = 0;
const CHOICE2 = 1;
const LOW = 2;
const MIDDLE = 130;
const HIGH = 258;

const EMPTY = new Uint8Array(0);

class Lzma {
  /** What made the last `decode` stop short, if the data was damaged. */
  problem: Error | undefined;
  private readonly dictionary: number;
  private window = new Uint8Array(2 * MAX_CHUNK);
  /** End of what was written in `window`, and where the dictionary began (below 0 once moved). */
  private at = 0;
  private origin = 0;
  private readonly probabilities = new Uint16Array(LITERAL + (0x300 << 4));
  private literalContext = 0;
  private literalMask = 0;
  private positionMask = 0;
  private state = 0;
  private rep0 = 0;
  private rep1 = 0;
  private rep2 = 0;
  private rep3 = 0;
  private range = 0;
  private code = 0;
  private input: Uint8Array = EMPTY;
  private from = 0;
  private limit = 0;

  constructor(dictionary: number) {
    this.dictionary = dictionary;
  }

  resetDictionary(): void {
    this.at = 0;
    this.origin = 0;
  }

  setProperties(byte: number): void {
    const lc = byte % 9;
    const lp = Math.floor(byte / 9) % 5;
    const pb = Math.floor(byte / 45);
    if (pb > 4 || lc + lp > 4) throw new Error('impossible properties');
    this.literalContext = lc;
    this.literalMask = (1 << lp) - 1;
    this.positionMask = (1 << pb) - 1;
  }

  resetState(): void {
    this.state = 0;
    this.rep0 = 0;
    this.rep1 = 0;
    this.rep2 = 0;
    this.rep3 = 0;
    this.probabilities.fill(1024);
  }

  /** Bytes that were stored as they are. Valid until the next call. */
  copy(bytes: Uint8Array): Uint8Array {
    this.makeRoom(bytes.length);
    this.window.set(bytes, this.at);
    this.at += bytes.length;
    return this.window.subarray(this.at - bytes.length, this.at);
  }

  /** Decodes `size` bytes, or as many as the input gives. Valid until the next call. */
  decode(input: Uint8Array, from: number, end: number, size: number): Uint8Array {
    this.problem = undefined;
    if (end - from < 5) {
      this.problem = new Error('impossible chunk');
      return EMPTY;
    }
    this.makeRoom(size);
    this.input = input;
    this.limit = end;
    this.range = -1;
    this.code =
      (input[from + 1]! << 24) |
      (input[from + 2]! << 16) |
      (input[from + 3]! << 8) |
      input[from + 4]!;
    this.from = from + 5;
    const start = this.at;
    this.symbols(start + size);
    if (this.problem === undefined) {
      // Where a chunk ends, the range coder's code is 0.
      this.normalize();
      if (this.at !== start + size || this.from !== this.limit || this.code !== 0) {
        this.problem = new Error('a chunk does not decode');
      }
    }
    this.input = EMPTY;
    return this.window.subarray(start, this.at);
  }

  private makeRoom(size: number): void {
    if (this.at + size <= this.window.length) return;
    const keep = Math.min(this.at - Math.max(this.origin, 0), this.dictionary, MAX_DICTIONARY);
    const from = this.at - keep;
    const wanted = 2 * keep + 2 * MAX_CHUNK;
    if (this.window.length < wanted) {
      const larger = new Uint8Array(wanted);
      larger.set(this.window.subarray(from, this.at));
      this.window = larger;
    } else {
      this.window.copyWithin(0, from, this.at);
    }
    this.origin -= from;
    this.at = keep;
  }

  private normalize(): void {
    if ((this.range & 0xff000000) === 0) {
      this.range <<= 8;
      this.code = (this.code << 8) | this.input[this.from++]!;
    }
  }

  private bit(index: number): number {
    const probabilities = this.probabilities;
    if ((this.range & 0xff000000) === 0) {
      this.range <<= 8;
      this.code = (this.code << 8) | this.input[this.from++]!;
    }
    const probability = probabilities[index]!;
    const bound = Math.imul(this.range >>> 11, probability);
    if (this.code >>> 0 < bound >>> 0) {
      this.range = bound;
      probabilities[index] = probability + ((2048 - probability) >>> 5);
      return 0;
    }
    this.range = (this.range - bound) | 0;
    this.code = (this.code - bound) | 0;
    probabilities[index] = probability - (probability >>> 5);
    return 1;
  }

  private tree(base: number, bits: number): number {
    let symbol = 1;
    for (let i = 0; i < bits; i++) symbol = (symbol << 1) | this.bit(base + symbol);
    return symbol - (1 << bits);
  }

  private reverse(base: number, bits: number): number {
    let symbol = 1;
    let value = 0;
    for (let i = 0; i < bits; i++) {
      const bit = this.bit(base + symbol);
      symbol = (symbol << 1) | bit;
      value |= bit << i;
    }
    return value;
  }

  private direct(bits: number): number {
    let value = 0;
    for (let i = 0; i < bits; i++) {
      this.normalize();
      this.range >>>= 1;
      const bit = this.code >>> 0 >= this.range >>> 0 ? 1 : 0;
      if (bit === 1) this.code = (this.code - this.range) | 0;
      value = (value << 1) | bit;
    }
    return value;
  }

  private length(base: number, position: number): number {
    if (this.bit(base + CHOICE) === 0) return 2 + this.tree(base + LOW + position * 8, 3);
    if (this.bit(base + CHOICE2) === 0) return 10 + this.tree(base + MIDDLE + position * 8, 3);
    return 18 + this.tree(base + HIGH, 8);
  }

  private distance(length: number): number {
    const slot = this.tree(DIST_SLOT + Math.min(length - 2, 3) * 64, 6);
    if (slot < 4) return slot;
    const bits = (slot >>> 1) - 1;
    const base = (2 | (slot & 1)) << bits;
    if (slot < 14) return base + this.reverse(DIST_SPECIAL + base - slot - 1, bits);
    return (base | (this.direct(bits - 4) << 4)) + this.reverse(DIST_ALIGN, 4);
  }

  /** Until `end`, the input's end, or what cannot be. Half-read symbols leave nothing behind. */
  private symbols(end: number): void {
    const window = this.window;
    let { at, state } = this;
    while (at < end) {
      const position = (at - this.origin) & this.positionMask;
      let length = 0;
      if (this.bit(IS_MATCH + state * 16 + position) === 0) {
        const previous = at > this.origin && at > 0 ? window[at - 1]! : 0;
        const context =
          (((at - this.origin) & this.literalMask) << this.literalContext) |
          (previous >>> (8 - this.literalContext));
        const base = LITERAL + context * 0x300;
        let symbol = 1;
        if (state < 7) {
          while (symbol < 0x100) symbol = (symbol << 1) | this.bit(base + symbol);
        } else {
          let match = at - this.rep0 - 1 >= 0 ? window[at - this.rep0 - 1]! : 0;
          let offset = 0x100;
          while (symbol < 0x100) {
            match <<= 1;
            const matchBit = match & offset;
            const bit = this.bit(base + offset + matchBit + symbol);
            symbol = (symbol << 1) | bit;
            offset &= bit === 1 ? matchBit : ~matchBit;
          }
        }
        if (this.from > this.limit) break;
        window[at++] = symbol & 0xff;
        state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
        continue;
      }
      if (this.bit(IS_REP + state) === 0) {
        this.rep3 = this.rep2;
        this.rep2 = this.rep1;
        this.rep1 = this.rep0;
        length = this.length(MATCH_LENGTH, position);
        this.rep0 = this.distance(length) >>> 0;
        state = state < 7 ? 7 : 10;
      } else if (this.bit(IS_REP0 + state) === 0) {
        if (this.bit(IS_REP0_LONG + state * 16 + position) === 0) {
          state = state < 7 ? 9 : 11;
          length = 1;
        } else {
          length = this.length(REP_LENGTH, position);
          state = state < 7 ? 8 : 11;
        }
      } else {
        let distance = this.rep1;
        if (this.bit(IS_REP1 + state) === 1) {
          distance = this.rep2;
          if (this.bit(IS_REP2 + state) === 1) {
            distance = this.rep3;
            this.rep3 = this.rep2;
          }
          this.rep2 = this.rep1;
        }
        this.rep1 = this.rep0;
        this.rep0 = distance;
        length = this.length(REP_LENGTH, position);
        state = state < 7 ? 8 : 11;
      }
      if (this.from > this.limit) break;
      let source = at - this.rep0 - 1;
      if (this.rep0 >= this.dictionary || source < this.origin || length > end - at) {
        this.problem = new Error('a match that cannot be');
        break;
      }
      if (source < 0) {
        this.problem = new DaybookError(
          'limit-exceeded',
          `xz data needs a dictionary of more than ${MAX_DICTIONARY} bytes`,
          'decompress it first',
        );
        break;
      }
      for (const stop = at + length; at < stop;) window[at++] = window[source++]!;
    }
    this.at = at;
    this.state = state;
  }
}
