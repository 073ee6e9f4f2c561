/**
 * The hashes of data in a journal: SipHash-2-4 with the file's identity as its key, and in files from before 2020
 * Bob Jenkins' `lookup3`. A payload with another hash was changed or damaged.
 *
 * Sources: https://www.aumasson.jp/siphash/siphash.pdf and http://burtleburtle.net/bob/c/lookup3.c
 */

import type { JournalHeader } from './layout.ts';

/** The hash that a data object with this payload must have. */
export function dataHash(payload: Buffer, { isKeyedHash, fileId }: JournalHeader): bigint {
  return isKeyedHash ? sipHash(payload, fileId) : jenkinsHash(payload);
}

/** 64 bits as two halves: pairs of numbers are several times as fast as bigints. */
class Halves {
  high = 0;
  low = 0;

  set(high: number, low: number): void {
    this.high = high | 0;
    this.low = low | 0;
  }

  add({ high, low }: Halves): void {
    const sum = (this.low >>> 0) + (low >>> 0);
    this.low = sum | 0;
    this.high = (this.high + high + (sum > 0xffffffff ? 1 : 0)) | 0;
  }

  xor({ high, low }: Halves): void {
    this.high ^= high;
    this.low ^= low;
  }

  rotate(by: number): void {
    const { high, low } = this;
    if (by === 32) {
      this.high = low;
      this.low = high;
      return;
    }
    this.high = (high << by) | (low >>> (32 - by));
    this.low = (low << by) | (high >>> (32 - by));
  }
}

const [V0, V1, V2, V3] = [new Halves(), new Halves(), new Halves(), new Halves()] as const;
const WORD = new Halves();

function rounds(count: number): void {
  for (let i = 0; i < count; i++) {
    V0.add(V1);
    V1.rotate(13);
    V1.xor(V0);
    V0.rotate(32);
    V2.add(V3);
    V3.rotate(16);
    V3.xor(V2);
    V0.add(V3);
    V3.rotate(21);
    V3.xor(V0);
    V2.add(V1);
    V1.rotate(17);
    V1.xor(V2);
    V2.rotate(32);
  }
}

function takeWord(high: number, low: number): void {
  WORD.set(high, low);
  V3.xor(WORD);
  rounds(2);
  V0.xor(WORD);
}

/** @param key 16 bytes */
export function sipHash(bytes: Buffer, key: Buffer): bigint {
  const [k0, k1, k2, k3] = [0, 4, 8, 12].map((at) => key.readUInt32LE(at)) as [
    number,
    number,
    number,
    number,
  ];
  V0.set(0x736f6d65 ^ k1, 0x70736575 ^ k0);
  V1.set(0x646f7261 ^ k3, 0x6e646f6d ^ k2);
  V2.set(0x6c796765 ^ k1, 0x6e657261 ^ k0);
  V3.set(0x74656462 ^ k3, 0x79746573 ^ k2);
  const { length } = bytes;
  const whole = length - (length % 8);
  let at = 0;
  for (; at < whole; at += 8) takeWord(bytes.readInt32LE(at + 4), bytes.readInt32LE(at));
  let high = (length & 255) << 24;
  let low = 0;
  for (let i = 0; at + i < length; i++)
    if (i < 4) low |= bytes[at + i]! << (8 * i);
    else high |= bytes[at + i]! << (8 * (i - 4));
  takeWord(high, low);
  V2.low ^= 0xff;
  rounds(4);
  V0.xor(V1);
  V0.xor(V2);
  V0.xor(V3);
  return join(V0.high, V0.low);
}

/** `lookup3` of two halves: the first is the upper one. */
export function jenkinsHash(bytes: Buffer): bigint {
  const { length } = bytes;
  let a = (0xdeadbeef + length) | 0;
  let b = a;
  let c = a;
  const rotated = (x: number, by: number): number => (x << by) | (x >>> (32 - by));
  let at = 0;
  for (; length - at > 12; at += 12) {
    a = (a + bytes.readInt32LE(at)) | 0;
    b = (b + bytes.readInt32LE(at + 4)) | 0;
    c = (c + bytes.readInt32LE(at + 8)) | 0;
    a = (a - c) ^ rotated(c, 4);
    c = (c + b) | 0;
    b = (b - a) ^ rotated(a, 6);
    a = (a + c) | 0;
    c = (c - b) ^ rotated(b, 8);
    b = (b + a) | 0;
    a = (a - c) ^ rotated(c, 16);
    c = (c + b) | 0;
    b = (b - a) ^ rotated(a, 19);
    a = (a + c) | 0;
    c = (c - b) ^ rotated(b, 4);
    b = (b + a) | 0;
  }
  if (at === length) return join(c, b);
  const last = Buffer.alloc(12);
  bytes.copy(last, 0, at);
  a = (a + last.readInt32LE(0)) | 0;
  b = (b + last.readInt32LE(4)) | 0;
  c = (c + last.readInt32LE(8)) | 0;
  c = ((c ^ b) - rotated(b, 14)) | 0;
  a = ((a ^ c) - rotated(c, 11)) | 0;
  b = ((b ^ a) - rotated(a, 25)) | 0;
  c = ((c ^ b) - rotated(b, 16)) | 0;
  a = ((a ^ c) - rotated(c, 4)) | 0;
  b = ((b ^ a) - rotated(a, 14)) | 0;
  c = ((c ^ b) - rotated(b, 24)) | 0;
  return join(c, b);
}

function join(high: number, low: number): bigint {
  return (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);
}
