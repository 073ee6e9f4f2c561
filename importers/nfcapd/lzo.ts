/**
 * Decompresses LZO1X blocks, as written by nfdump.
 *
 * Invariant: nothing is read beyond `from`, nothing written beyond `to`, whatever the bytes are.
 *
 * Format: https://docs.kernel.org/staging/lzo.html
 */
const [LITERALS, NEAR, FAR] = [17, 0x0800, 0x4000];

/** The fault of a compressed block. */
export class BadBlock extends Error {}

/** @returns bytes that were written @throws BadBlock */
export function decompressLzo(from: Uint8Array, to: Uint8Array): number {
  return new Lzo(from, to).run();
}

class Lzo {
  private readonly from: Uint8Array;
  private readonly to: Uint8Array;
  private at = 0;
  private out = 0;

  constructor(from: Uint8Array, to: Uint8Array) {
    this.from = from;
    this.to = to;
  }

  run(): number {
    let literals = 0;
    if (this.from[0]! > LITERALS) {
      literals = this.byte() - LITERALS;
      this.literals(literals);
    }
    for (;;) {
      let code = this.byte();
      if (literals === 0 && code < 16) {
        this.literals(3 + (code === 0 ? this.length(15) : code));
        literals = 4;
        continue;
      }
      const distance = this.distance(code, literals);
      if (distance === undefined) return this.out;
      this.match(distance.back, distance.length);
      code = this.from[this.at - 2]!;
      literals = code & 3;
      this.literals(literals);
    }
  }

  /** @param literals number of preceding literals: few, or 4 for more @returns undefined at the end */
  private distance(code: number, literals: number): { back: number; length: number } | undefined {
    if (code >= 64)
      return { back: 1 + ((code >>> 2) & 7) + (this.byte() << 3), length: (code >>> 5) + 1 };
    if (code >= 32) {
      const length = 2 + ((code & 31) === 0 ? this.length(31) : code & 31);
      return { back: 1 + (this.pair() >>> 2), length };
    }
    if (code >= 16) {
      const length = 2 + ((code & 7) === 0 ? this.length(7) : code & 7);
      const back = ((code & 8) << 11) + (this.pair() >>> 2);
      return back === 0 ? undefined : { back: back + FAR, length };
    }
    const back = 1 + (code >>> 2) + (this.byte() << 2);
    return literals >= 4 ? { back: back + NEAR, length: 3 } : { back, length: 2 };
  }

  private byte(): number {
    const byte = this.from[this.at++];
    if (byte === undefined) throw new BadBlock('a compressed block ends too early');
    return byte;
  }

  private pair(): number {
    return this.byte() | (this.byte() << 8);
  }

  private length(base: number): number {
    let length = base;
    for (;;) {
      const byte = this.byte();
      if (byte > 0) return length + byte;
      length += 255;
    }
  }

  private literals(count: number): void {
    const { from, to, at, out } = this;
    if (at + count > from.length) throw new BadBlock('a compressed block ends too early');
    if (out + count > to.length) throw new BadBlock('a compressed block is larger than allowed');
    for (let i = 0; i < count; i++) to[out + i] = from[at + i]!;
    this.at += count;
    this.out += count;
  }

  private match(back: number, length: number): void {
    const { to, out } = this;
    if (back > out) throw new BadBlock('a compressed block refers to bytes before its start');
    if (out + length > to.length) throw new BadBlock('a compressed block is larger than allowed');
    for (let i = 0; i < length; i++) to[out + i] = to[out + i - back]!;
    this.out += length;
  }
}
