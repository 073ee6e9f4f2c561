/**
 * The filters of xz before LZMA2: delta, and the branch converters (BCJ) that turn the relative addresses of a
 * processor's calls into absolute ones. `xz --x86`, `--arm`, … use them; xz's presets never do.
 *
 * Format: https://tukaani.org/xz/xz-file-format.txt, 5.3; the converters follow the LZMA SDK (Bra.c).
 */

/** Undoes one filter on a stream of bytes. */
export interface Filter {
  /** Takes the next bytes, which it may modify; returns the finished ones, all of them if they are the last. */
  undo(bytes: Uint8Array<ArrayBuffer>, isLast: boolean): Uint8Array<ArrayBuffer>;
}

/** @throws Error for an unknown filter, or impossible properties */
export function branchFilter(id: number, properties: Uint8Array): Filter {
  if (id === 3) return new Delta((properties[0] ?? 0) + 1);
  const converter = CONVERTERS.get(id);
  if (converter === undefined) {
    throw new Error(
      `filter 0x${id.toString(16)} is not supported: xz -dc FILE | xz -c > FILE.plain.xz rewrites it without`,
    );
  }
  if (properties.length !== 0 && properties.length !== 4) throw new Error('impossible filter');
  const start =
    properties.length === 4
      ? (properties[0]! |
          (properties[1]! << 8) |
          (properties[2]! << 16) |
          (properties[3]! << 24)) >>>
        0
      : 0;
  return new Branch(converter(), start);
}

class Delta implements Filter {
  private readonly history: Uint8Array;
  private at = 0;
  constructor(distance: number) {
    this.history = new Uint8Array(distance);
  }
  undo(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    const { history } = this;
    for (let i = 0; i < bytes.length; i++) {
      const value = (bytes[i]! + history[this.at]!) & 0xff;
      bytes[i] = value;
      history[this.at] = value;
      this.at = (this.at + 1) % history.length;
    }
    return bytes;
  }
}

/** Converts `bytes`, which begin at `position` of the program; returns the number of finished bytes. */
type Converter = (bytes: Uint8Array, position: number) => number;

/** A converter needs whole instructions: an incomplete last one waits for the next bytes. */
class Branch implements Filter {
  private readonly convert: Converter;
  private position: number;
  private rest: Uint8Array<ArrayBuffer> = new Uint8Array(0);
  constructor(convert: Converter, start: number) {
    this.convert = convert;
    this.position = start;
  }
  undo(bytes: Uint8Array<ArrayBuffer>, isLast: boolean): Uint8Array<ArrayBuffer> {
    const all = new Uint8Array(this.rest.length + bytes.length);
    all.set(this.rest);
    all.set(bytes, this.rest.length);
    const done = this.convert(all, this.position);
    const end = isLast ? all.length : done;
    this.position = (this.position + done) >>> 0;
    this.rest = all.slice(end);
    return all.subarray(0, end);
  }
}

const little = (b: Uint8Array, i: number): number =>
  (b[i]! | (b[i + 1]! << 8) | (b[i + 2]! << 16) | (b[i + 3]! << 24)) >>> 0;
const big = (b: Uint8Array, i: number): number =>
  ((b[i]! << 24) | (b[i + 1]! << 16) | (b[i + 2]! << 8) | b[i + 3]!) >>> 0;
function putLittle(b: Uint8Array, i: number, value: number): void {
  b[i] = value;
  b[i + 1] = value >>> 8;
  b[i + 2] = value >>> 16;
  b[i + 3] = value >>> 24;
}
function putBig(b: Uint8Array, i: number, value: number): void {
  b[i] = value >>> 24;
  b[i + 1] = value >>> 16;
  b[i + 2] = value >>> 8;
  b[i + 3] = value;
}

/**
 * CALL and JMP with a 32-bit address whose upper byte is a sign. What looks like an opcode within the
 * three bytes before makes an address doubtful: `mask` has a bit for each of these.
 */
function x86(): Converter {
  const isAllowed = [true, true, true, false, true, false, false, false];
  const bytesBack = [0, 1, 2, 2, 3, 3, 3, 3];
  const isSign = (byte: number) => byte === 0 || byte === 0xff;
  const shifted = (value: number, distance: number) =>
    distance > 3 ? 0 : (value << (distance - 1)) & 7;
  let mask = 0;
  return (b, position) => {
    // The opcode before these bytes is in the mask alone.
    let previous = -1;
    let i = 0;
    for (; i + 4 < b.length; i++) {
      if ((b[i]! & 0xfe) !== 0xe8) continue;
      mask = shifted(mask, i - previous);
      previous = i;
      const doubtful = mask !== 0 && (!isAllowed[mask]! || isSign(b[i + 4 - bytesBack[mask]!]!));
      if (doubtful || !isSign(b[i + 4]!)) {
        mask = (mask << 1) | 1;
        continue;
      }
      let source = little(b, i + 1);
      let target: number;
      for (;;) {
        target = (source - (position + i + 5)) >>> 0;
        if (mask === 0) break;
        const bits = bytesBack[mask]! * 8;
        if (!isSign((target >>> (24 - bits)) & 0xff)) break;
        source = (target ^ (2 ** (32 - bits) - 1)) >>> 0;
      }
      putLittle(b, i + 1, (target & 0x01ffffff) | ((target & 0x01000000) !== 0 ? 0xff000000 : 0));
      i += 4;
    }
    if (i > 0) mask = shifted(mask, i - previous);
    return i;
  };
}

/** A converter of instructions that are `size` bytes and aligned to `step`. */
function aligned(
  size: number,
  step: number,
  one: (b: Uint8Array, i: number, position: number) => number | void,
): Converter {
  return (b, position) => {
    let i = 0;
    for (; i + size <= b.length; i += step) {
      const more = one(b, i, (position + i) >>> 0);
      if (more !== undefined) i += more;
    }
    return i;
  };
}

const powerpc = aligned(4, 4, (b, i, position) => {
  const word = big(b, i);
  if ((word & 0xfc000003) >>> 0 !== 0x48000001) return;
  putBig(b, i, (0x48000001 | (((word & 0x03fffffc) - position) & 0x03fffffc)) >>> 0);
});

const arm = aligned(4, 4, (b, i, position) => {
  if (b[i + 3] !== 0xeb) return;
  const source = (b[i]! | (b[i + 1]! << 8) | (b[i + 2]! << 16)) << 2;
  const target = (source - (position + 8)) >>> 2;
  b[i] = target;
  b[i + 1] = target >>> 8;
  b[i + 2] = target >>> 16;
});

const armThumb = aligned(4, 2, (b, i, position) => {
  if ((b[i + 1]! & 0xf8) !== 0xf0 || (b[i + 3]! & 0xf8) !== 0xf8) return;
  const source =
    (((b[i + 1]! & 7) << 19) | (b[i]! << 11) | ((b[i + 3]! & 7) << 8) | b[i + 2]!) << 1;
  const target = (source - (position + 4)) >>> 1;
  b[i + 1] = 0xf0 | ((target >>> 19) & 7);
  b[i] = target >>> 11;
  b[i + 3] = 0xf8 | ((target >>> 8) & 7);
  b[i + 2] = target;
  return 2;
});

const sparc = aligned(4, 4, (b, i, position) => {
  const word = big(b, i);
  const top = word >>> 22;
  if (top !== 0x100 && top !== 0x1ff) return;
  const target = ((word << 2) - position) >>> 2;
  putBig(
    b,
    i,
    ((((0 - ((target >>> 22) & 1)) << 22) & 0x3fffffff) | (target & 0x3fffff) | 0x40000000) >>> 0,
  );
});

const arm64 = aligned(4, 4, (b, i, position) => {
  const word = little(b, i);
  if (word >>> 26 === 0x25) {
    putLittle(b, i, (0x94000000 | ((word - (position >>> 2)) & 0x03ffffff)) >>> 0);
  } else if ((word & 0x9f000000) >>> 0 === 0x90000000) {
    const source = ((word >>> 29) & 3) | ((word >>> 3) & 0x1ffffc);
    // Only pages within 512 MiB were converted.
    if (((source + 0x020000) & 0x1c0000) !== 0) return;
    const target = source - (position >>> 12);
    let out = word & 0x9000001f;
    out |= (target & 3) << 29;
    out |= (target & 0x03fffc) << 3;
    out |= (0 - (target & 0x020000)) & 0xe00000;
    putLittle(b, i, out >>> 0);
  }
});

/** Bundles of 16 bytes with three slots of 41 bits; the template tells which may be branches. */
const ia64 = ((): Converter => {
  const BRANCHES = [
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 4, 6, 6, 0, 0, 7, 7, 4, 4, 0, 0, 4, 4, 0, 0,
  ];
  return aligned(16, 16, (b, i, position) => {
    const mask = BRANCHES[b[i]! & 0x1f]!;
    for (let slot = 0, bit = 5; slot < 3; slot++, bit += 41) {
      if (((mask >>> slot) & 1) === 0) continue;
      const from = i + (bit >>> 3);
      const shift = BigInt(bit & 7);
      let bytes = 0n;
      for (let j = 0; j < 6; j++) bytes |= BigInt(b[from + j]!) << BigInt(8 * j);
      let code = bytes >> shift;
      if (((code >> 37n) & 0xfn) !== 5n || ((code >> 9n) & 7n) !== 0n) continue;
      let source = Number((code >> 13n) & 0xfffffn);
      source |= Number((code >> 36n) & 1n) << 20;
      const target = ((source << 4) - position) >>> 4;
      code &= ~(0x8fffffn << 13n);
      code |= BigInt(target & 0xfffff) << 13n;
      code |= BigInt(target & 0x100000) << 16n;
      bytes = (bytes & ((1n << shift) - 1n)) | (code << shift);
      for (let j = 0; j < 6; j++) b[from + j] = Number((bytes >> BigInt(8 * j)) & 0xffn);
    }
  });
})();

const CONVERTERS: ReadonlyMap<number, () => Converter> = new Map<number, () => Converter>([
  [4, x86],
  [5, () => powerpc],
  [6, () => ia64],
  [7, () => arm],
  [8, () => armThumb],
  [9, () => sparc],
  [0xa, () => arm64],
]);
