/** Numbers of varying length (LEB128) and byte strings, one after another; checked by CRC-32. */
import { crc32 } from 'node:zlib';
import { damagedText } from './damaged.ts';

export class ByteWriter {
  private data = new Uint8Array(1024);
  size = 0;

  /** A whole number of up to 53 bits. */
  number(value: number): void {
    let rest = value;
    this.room(8);
    while (rest >= 0x80) {
      this.data[this.size++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.data[this.size++] = rest;
  }

  raw(bytes: Uint8Array): void {
    this.room(bytes.length);
    this.data.set(bytes, this.size);
    this.size += bytes.length;
  }

  /** Length and bytes. */
  string(bytes: Uint8Array): void {
    this.number(bytes.length);
    this.raw(bytes);
  }

  /** A view; later writes may change it. */
  bytes(): Uint8Array {
    return this.data.subarray(0, this.size);
  }

  clear(): void {
    this.size = 0;
  }

  private room(more: number): void {
    if (this.size + more <= this.data.length) return;
    const bigger = new Uint8Array(Math.max(this.size + more, this.data.length * 2));
    bigger.set(this.bytes());
    this.data = bigger;
  }
}

/** Reads what a ByteWriter wrote. @throws DaybookError case-damaged */
export class ByteReader {
  at = 0;
  readonly data: Uint8Array;

  constructor(data: Uint8Array) {
    this.data = data;
  }

  number(): number {
    const first = this.data[this.at];
    if (first !== undefined && first < 0x80) {
      this.at += 1;
      return first;
    }
    let value = 0;
    let scale = 1;
    for (let i = 0; i < 8; i++) {
      const byte = this.data[this.at++];
      if (byte === undefined) break;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 0x80;
    }
    throw damagedText();
  }

  raw(length: number): Uint8Array {
    const from = this.past(length);
    return this.data.subarray(from, this.at);
  }

  /** Skips `length` bytes; returns where in `data` they start. */
  past(length: number): number {
    const from = this.at;
    if (from + length > this.data.length) throw damagedText();
    this.at = from + length;
    return from;
  }

  string(): Uint8Array {
    return this.raw(this.number());
  }

  get done(): boolean {
    return this.at >= this.data.length;
  }
}

const CHECK = 4;

/** `bytes` and their CRC-32, in a new array. */
export function withCheck(bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array(bytes.length + CHECK);
  out.set(bytes);
  new DataView(out.buffer).setUint32(bytes.length, crc32(bytes), true);
  return out;
}

/** Reverses `withCheck`. @throws DaybookError case-damaged */
export function checked(bytes: Uint8Array | undefined, length: number): Uint8Array {
  if (bytes?.length !== length || length < CHECK) throw damagedText();
  const content = bytes.subarray(0, length - CHECK);
  const stated = new DataView(bytes.buffer, bytes.byteOffset).getUint32(length - CHECK, true);
  if (crc32(content) !== stated) throw damagedText();
  return content;
}
