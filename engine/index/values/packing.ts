/**
 * Encoding of whole numbers and bytes in sections of a side file: numbers as byte planes (all lowest bytes, then
 * all second bytes, …), so that high bytes that are mostly zero cost next to nothing, and each run of bytes
 * compressed by zstd (RFC 8878) if that saves space.
 *
 * Reading checks every length: invalid data throws `Damaged`, never reads beyond its bytes, and allocates no more
 * than the caller's count requires.
 */
import { Compressor, Decompressor } from '../compressor.ts';

/** The bytes are not what was written. */
export class Damaged extends Error {}

/** Shorter runs of bytes are not worth calling zstd for reading them, several times when a file is opened. */
const WORTH_COMPRESSING = 512;
const LEVEL = 1;
const TWO_32 = 4_294_967_296;
const MAX_WIDTH = 7;

const STORED = 0;
const ZSTD = 1;
/** All bytes are equal. */
const SAME = 2;
/** Instead of a width: two-byte numbers, interleaved, which are read directly. */
const PAIRS = 255;
/** Whether this machine has the byte order of side files. */
const LITTLE_ENDIAN = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;

interface Packed {
  readonly method: number;
  /** Before compression. */
  readonly length: number;
  readonly bytes: Uint8Array;
}

const compressor = new Compressor(LEVEL);
const decompressor = new Decompressor();

function squeezed(bytes: Uint8Array): Packed {
  const { length } = bytes;
  if (length > 1 && allSame(bytes)) return { method: SAME, length, bytes: bytes.subarray(0, 1) };
  if (length >= WORTH_COMPRESSING) {
    const small = compressor.compress(bytes);
    if (small.length * 8 <= length * 7) return { method: ZSTD, length, bytes: small.slice() };
  }
  return { method: STORED, length, bytes };
}

export class PackWriter {
  private bytes: Uint8Array;
  private view: DataView;
  private size = 0;
  private readonly compress: boolean;

  /**
   * @param compress whether planes are compressed individually; not if the whole will be
   * @param expected estimated number of bytes
   */
  constructor(compress: boolean, expected = 256) {
    this.bytes = new Uint8Array(expected);
    this.view = new DataView(this.bytes.buffer);
    this.compress = compress;
  }

  get length(): number {
    return this.size;
  }

  u8(value: number): void {
    this.room(1);
    this.bytes[this.size++] = value;
  }

  u32(value: number): void {
    this.room(4);
    this.view.setUint32(this.size, value, true);
    this.size += 4;
  }

  f64(value: number): void {
    this.room(8);
    this.view.setFloat64(this.size, value, true);
    this.size += 8;
  }

  raw(bytes: Uint8Array): void {
    this.room(bytes.length);
    this.bytes.set(bytes, this.size);
    this.size += bytes.length;
  }

  /** Bytes with their length, compressed where that saves an eighth. */
  packed(bytes: Uint8Array): void {
    this.put(squeezed(bytes));
  }

  /** The first `n` of whole numbers from 0 to 2^53 - 1. The reader must know `n`. */
  numbers(values: Uint32Array | Float64Array, n: number = values.length): void {
    const most = values instanceof Uint32Array ? most32(values, n) : most64(values, n);
    const width = widthOf(most);
    if (!this.compress) {
      this.u8(width);
      this.room(n * width);
      const from = this.size;
      this.size += n * width;
      putPlanes(values, width, (byte) =>
        this.bytes.subarray(from + byte * n, from + (byte + 1) * n),
      );
      return;
    }
    const bytes = new Uint8Array(n * width);
    const planeOf = (byte: number): Uint8Array => bytes.subarray(byte * n, (byte + 1) * n);
    putPlanes(values, width, planeOf);
    const planes = Array.from({ length: width }, (_, byte) => squeezed(planeOf(byte)));
    if (width === 2 && planes.every(({ method }) => method === STORED)) {
      this.u8(PAIRS);
      this.raw(woven(planeOf(0), planeOf(1)));
      return;
    }
    this.u8(width);
    this.room(planes.reduce((sum, plane) => sum + plane.bytes.length + 9, 0));
    for (const plane of planes) this.put(plane);
  }

  /** The written bytes; the writer is finished. */
  finish(): Uint8Array {
    return this.bytes.subarray(0, this.size);
  }

  private put({ method, length, bytes }: Packed): void {
    this.u8(method);
    this.u32(length);
    if (method === ZSTD) this.u32(bytes.length);
    this.raw(bytes);
  }

  private room(n: number): void {
    if (this.size + n <= this.bytes.length) return;
    const bigger = new Uint8Array(Math.max(this.size + n, this.bytes.length * 2));
    bigger.set(this.bytes.subarray(0, this.size));
    this.bytes = bigger;
    this.view = new DataView(bigger.buffer);
  }
}

export type SmallNumbers = Uint8Array | Uint16Array | Uint32Array;

export class PackReader {
  private readonly bytes: Uint8Array;
  private readonly view: DataView;
  private readonly compressed: boolean;
  private at = 0;

  /** @param compressed as given to the writer */
  constructor(bytes: Uint8Array, compressed: boolean) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.compressed = compressed;
  }

  /** @throws Damaged, like all that follow */
  u8(): number {
    return this.raw(1)[0]!;
  }

  u32(): number {
    const at = this.at;
    this.raw(4);
    return this.view.getUint32(at, true);
  }

  f64(): number {
    const at = this.at;
    this.raw(8);
    return this.view.getFloat64(at, true);
  }

  /** A view of the next `n` bytes. */
  raw(n: number): Uint8Array {
    const end = this.at + n;
    if (end > this.bytes.length) throw new Damaged('cut short');
    const part = this.bytes.subarray(this.at, end);
    this.at = end;
    return part;
  }

  /** The remaining bytes. */
  rest(): Uint8Array {
    return this.raw(this.bytes.length - this.at);
  }

  /** @param most bytes that the caller is ready for. */
  packed(most: number): Uint8Array {
    const method = this.u8();
    const length = this.u32();
    if (length > most) throw new Damaged('longer than it can be');
    if (method === STORED) return this.raw(length);
    if (method === SAME) return new Uint8Array(length).fill(this.u8());
    if (method !== ZSTD) throw new Damaged('unknown method');
    const squeezed = this.raw(this.u32());
    let bytes: Uint8Array;
    try {
      bytes = decompressor.decompress(squeezed, length);
    } catch {
      throw new Damaged('zstd');
    }
    if (bytes.length !== length) throw new Damaged('another length');
    return bytes;
  }

  /** `n` numbers below 2^32, in the narrowest form: a view if they can be read in place. */
  small(n: number): SmallNumbers {
    const width = this.u8();
    if (width === PAIRS) return this.pairs(n);
    if (width > 4) throw new Damaged('too wide');
    const [a, b, c, d] = this.planes(width, n);
    if (a === undefined) return new Uint8Array(n);
    if (b === undefined) return a;
    if (c === undefined) {
      const out = new Uint16Array(n);
      for (let i = 0; i < n; i++) out[i] = a[i]! | (b[i]! << 8);
      return out;
    }
    const out = new Uint32Array(n);
    if (d === undefined) for (let i = 0; i < n; i++) out[i] = a[i]! | (b[i]! << 8) | (c[i]! << 16);
    else for (let i = 0; i < n; i++) out[i] = a[i]! | (b[i]! << 8) | (c[i]! << 16) | (d[i]! << 24);
    return out;
  }

  /** The same as 32-bit numbers, which the caller may modify. */
  numbers32(n: number): Uint32Array {
    const numbers = this.small(n);
    return numbers instanceof Uint32Array ? numbers : new Uint32Array(numbers);
  }

  /** `n` numbers below 2^53. */
  numbers53(n: number): Float64Array {
    const width = this.u8();
    if (width === PAIRS) return new Float64Array(this.pairs(n));
    if (width > MAX_WIDTH) throw new Damaged('too wide');
    const planes = this.planes(width, n);
    const out = new Float64Array(n);
    let factor = 1;
    for (const plane of planes) {
      for (let i = 0; i < n; i++) out[i]! += plane[i]! * factor;
      factor *= 256;
    }
    return out;
  }

  private pairs(n: number): Uint16Array {
    const bytes = this.raw(n * 2);
    if (LITTLE_ENDIAN) {
      const aligned = bytes.byteOffset % 2 === 0 ? bytes : bytes.slice();
      return new Uint16Array(aligned.buffer, aligned.byteOffset, n);
    }
    const out = new Uint16Array(n);
    for (let i = 0; i < n; i++) out[i] = bytes[i * 2]! | (bytes[i * 2 + 1]! << 8);
    return out;
  }

  private planes(width: number, n: number): Uint8Array[] {
    const planes: Uint8Array[] = [];
    for (let byte = 0; byte < width; byte++) {
      const plane = this.compressed ? this.packed(n) : this.raw(n);
      if (plane.length !== n) throw new Damaged('another count');
      planes.push(plane);
    }
    return planes;
  }
}

// Hot loops (CONTRIBUTING.md), over one type of array each.

/** Byte `byte` of each of the first numbers into `planeOf(byte)`, as many as fit. */
function putPlanes(
  values: Uint32Array | Float64Array,
  width: number,
  planeOf: (byte: number) => Uint8Array,
): void {
  if (width === 0) return;
  const n = planeOf(0).length;
  const words = values instanceof Uint32Array ? values : lowWords(values, n);
  for (let byte = 0; byte < width && byte < 4; byte++) putPlane(words, byte * 8, planeOf(byte));
  if (width <= 4 || values instanceof Uint32Array) return;
  const high = highWords(values, n);
  for (let byte = 4; byte < width; byte++) putPlane(high, (byte - 4) * 8, planeOf(byte));
}

function putPlane(words: Uint32Array, shift: number, plane: Uint8Array): void {
  for (let i = 0; i < plane.length; i++) plane[i] = words[i]! >>> shift;
}

function lowWords(values: Float64Array, n: number): Uint32Array {
  const words = new Uint32Array(n);
  for (let i = 0; i < n; i++) words[i] = values[i]!;
  return words;
}

function highWords(values: Float64Array, n: number): Uint32Array {
  const words = new Uint32Array(n);
  for (let i = 0; i < n; i++) words[i] = Math.floor(values[i]! / TWO_32);
  return words;
}

function most32(values: Uint32Array, n: number): number {
  let most = 0;
  for (let i = 0; i < n; i++) if (values[i]! > most) most = values[i]!;
  return most;
}

function most64(values: Float64Array, n: number): number {
  let most = 0;
  for (let i = 0; i < n; i++) if (values[i]! > most) most = values[i]!;
  return most;
}

/** Interleaves the bytes of two planes. */
function woven(low: Uint8Array, high: Uint8Array): Uint8Array {
  const out = new Uint8Array(low.length * 2);
  for (let i = 0; i < low.length; i++) {
    out[i * 2] = low[i]!;
    out[i * 2 + 1] = high[i]!;
  }
  return out;
}

/** Bytes that hold a number. */
function widthOf(most: number): number {
  let width = 0;
  for (let rest = most; rest >= 1; rest = Math.floor(rest / 256)) width += 1;
  return width;
}

function allSame(bytes: Uint8Array): boolean {
  const first = bytes[0];
  for (let i = 1; i < bytes.length; i++) if (bytes[i] !== first) return false;
  return bytes.length > 0;
}
