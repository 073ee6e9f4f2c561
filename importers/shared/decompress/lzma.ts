/**
 * LZMA2 chunk by chunk, and LZMA as one stream, as used in xz and 7z. Memory is bounded by the dictionary, which
 * grows with the content and never beyond MAX_DICTIONARY.
 *
 * Format: the XZ Embedded and LZMA SDK descriptions, https://www.7-zip.org/sdk.html
 */
import { DaybookError } from '../../../engine/contract/errors.ts';
import type { ByteSource } from '../byte-source.ts';
import { CutOff } from './checked.ts';

/** `xz -9` needs 64 MiB. */
const MAX_DICTIONARY = 256 * 1024 * 1024;
const MAX_CHUNK = 2 * 1024 * 1024;
const MAX_MATCH = 273;
/** More input than one symbol takes. */
const MAX_SYMBOL = 32;
/** Bytes of LZMA that are decoded and read at a time. */
const STEP_BYTES = 256 * 1024;
const EMPTY = new Uint8Array(0);

/** The dictionary that LZMA2 states in six bits. */
export function dictionaryOf(bits: number): number {
  if (bits > 40) throw new Error('impossible dictionary');
  return bits === 40 ? 2 ** 32 - 1 : (2 | (bits & 1)) * 2 ** ((bits >>> 1) + 11);
}

/**
 * Chunks of LZMA2 up to their end. Each is valid until the next. Throws CutOff if the data ends too early, Error if
 * it is damaged.
 */
export async function* unlzma2(source: ByteSource, dictionary: number): AsyncGenerator<Uint8Array> {
  const lzma = new Lzma(dictionary);
  let dictionaryKnown = false;
  let propertiesKnown = false;
  let stateKnown = false;
  for (;;) {
    const control = (await need(source, 1, 'a block'))[0]!;
    if (control === 0) {
      source.at += 1;
      return;
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
      yield out;
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
    yield out;
    if (taken < packed) throw new CutOff('ends within a chunk');
    if (lzma.problem !== undefined) throw lzma.problem;
  }
}

/**
 * `size` bytes of LZMA, whose properties are the five bytes that 7z stores with it. Each block is valid until the
 * next. Throws like `unlzma2`.
 */
export async function* unlzma(
  source: ByteSource,
  properties: Uint8Array,
  size: number,
): AsyncGenerator<Uint8Array> {
  if (properties.length < 5) throw new Error('impossible properties');
  const dictionary = new DataView(properties.buffer, properties.byteOffset).getUint32(1, true);
  const lzma = new Lzma(Math.max(dictionary, 4096));
  lzma.setProperties(properties[0]!);
  lzma.resetState();
  const first = await need(source, 5, 'its first bytes');
  if (first[0] !== 0) throw new Error('impossible first byte');
  lzma.begin(first, 0);
  source.at += 5;
  for (let left = size; left > 0;) {
    const isMore = await source.ensure(STEP_BYTES);
    const { out, from } = lzma.next(source.buffer, source.at, source.end, {
      ...{ size: STEP_BYTES, left, isLast: !isMore },
    });
    source.at = Math.min(from, source.end);
    left -= out.length;
    if (out.length > 0) yield out;
    if (lzma.problem !== undefined) throw lzma.problem;
    if (left > 0 && !isMore && source.at === source.end) {
      if (source.failure.length > 0) throw source.failure[0];
      throw new CutOff('ends within the data');
    }
  }
}

/** The next bytes, which stay to be read. @throws CutOff if the input has fewer */
export async function need(source: ByteSource, n: number, part: string): Promise<Buffer> {
  if (!(await source.ensure(n))) throw new CutOff(`ends within ${part}`);
  return source.buffer.subarray(source.at, source.at + n);
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
// Offsets within the probabilities of a length.
const CHOICE = 0;
const CHOICE2 = 1;
const LOW = 2;
const MIDDLE = 130;
const HIGH = 258;

/** The symbols of LZMA, into a window that has the dictionary. */
class Lzma {
  /** Why the last `decode` stopped early, if the data was damaged. */
  problem: Error | undefined;
  private readonly dictionary: number;
  private window = EMPTY;
  /** End of the output in `window`, and start of the dictionary (below 0 once moved). */
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
  private stop = Infinity;

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

  /** Bytes that were stored uncompressed. Valid until the next call. */
  copy(bytes: Uint8Array): Uint8Array {
    this.makeRoom(bytes.length);
    this.window.set(bytes, this.at);
    this.at += bytes.length;
    return this.window.subarray(this.at - bytes.length, this.at);
  }

  /** Begins a stream that is not divided into chunks, with its first five bytes. */
  begin(input: Uint8Array, from: number): void {
    this.range = -1;
    this.code = new DataView(input.buffer, input.byteOffset).getInt32(from + 1);
  }

  /**
   * Decodes the next bytes of such a stream, at least `size` of the `left` ones if the input suffices, and returns
   * where in the input to continue. Valid until the next call.
   */
  next(
    input: Uint8Array,
    from: number,
    end: number,
    { size, left, isLast }: { size: number; left: number; isLast: boolean },
  ): { out: Uint8Array; from: number } {
    this.problem = undefined;
    this.makeRoom(Math.min(left, size + MAX_MATCH));
    this.input = input;
    this.from = from;
    this.limit = end;
    // A symbol is started only if all of it is available.
    this.stop = isLast ? Infinity : end - MAX_SYMBOL;
    const start = this.at;
    const most = start + Math.min(left, size + MAX_MATCH);
    this.symbols(start + Math.min(left, size), most);
    this.stop = Infinity;
    this.input = EMPTY;
    return { out: this.window.subarray(start, this.at), from: this.from };
  }

  /** Decodes `size` bytes, or as many as the input yields. Valid until the next call. */
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
    this.symbols(start + size, start + size);
    if (this.problem === undefined) {
      // At the end of a chunk, the range coder's code is 0.
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
    // Small contents get small windows: allocating a large one took longer than decoding.
    const wanted = Math.min(4 * (keep + size), 2 * keep + 2 * MAX_CHUNK);
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

  /**
   * Decodes until `end`, the input's end, or an impossible symbol, such as a match beyond `most`. Incomplete
   * symbols leave no trace.
   */
  private symbols(end: number, most: number): void {
    const { window, stop: lastFrom } = this;
    let { at, state } = this;
    while (at < end && this.from <= lastFrom) {
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
      if (this.rep0 >= this.dictionary || source < this.origin || length > most - at) {
        this.problem = new Error('a match that cannot be');
        break;
      }
      if (source < 0) {
        this.problem = new DaybookError(
          'limit-exceeded',
          `the data needs a dictionary of more than ${MAX_DICTIONARY} bytes`,
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
