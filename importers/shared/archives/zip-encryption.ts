/**
 * Encrypted members of zip archives: PKZIP's traditional encryption ("ZipCrypto") and WinZip's, AES with keys of
 * 128, 192 or 256 bits.
 *
 * Invariant: an AES-encrypted member is whole only if its authentication code matches its bytes.
 *
 * Formats: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT (6.1) and
 * https://www.winzip.com/en/support/aes-encryption/
 */
import { createCipheriv, createHmac, pbkdf2Sync, timingSafeEqual } from 'node:crypto';
import type { Entry } from 'yauzl';
import type { ByteSource } from '../byte-source.ts';
import { CutOff } from '../decompress/checked.ts';

/** The encryption of a member. */
export interface Encryption {
  readonly name: string;
  /** Compression method of the decrypted bytes. */
  readonly method: number;
  /** Whether the directory's checksum is that of its content. */
  readonly hasChecksum: boolean;
  /** Bytes at the member's beginning by which a password is checked. */
  readonly headBytes: number;
  /** Undefined: `password` is another one. */
  open(head: Uint8Array, password: string): Decryption | undefined;
}

/** Decrypts one member, from its first byte. */
export type Decryption = (source: ByteSource) => AsyncGenerator<Uint8Array>;

const AES_METHOD = 99;
const AES_FIELD = 0x9901;
const STRONG = 1 << 6;

/** Text: why it cannot be decrypted, whatever the password. */
export function encryptionOf(entry: Entry): Encryption | string {
  if ((entry.generalPurposeBitFlag & STRONG) !== 0) return 'its encryption is not supported';
  if (entry.compressionMethod !== AES_METHOD) return traditional(entry);
  const field = entry.extraFields.find(({ id }) => id === AES_FIELD)?.data;
  const bits = field === undefined ? undefined : [128, 192, 256][field[4]! - 1];
  if (field === undefined || field.length < 7 || bits === undefined)
    return 'its encryption settings in the directory are damaged';
  return aes(entry, bits, field.readUInt16LE(0), field.readUInt16LE(5));
}

// -- traditional ---------------------------------------------------------------------------------

const TRADITIONAL_HEAD = 12;
const HAS_DESCRIPTOR = 1 << 3;

const CRC_TABLE = Int32Array.from({ length: 256 }, (_, n) => {
  let crc = n;
  for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb8_8320 : 0);
  return crc;
});

function traditional(entry: Entry): Encryption {
  // One byte reveals a wrong password in all but one case of 256; the checksum reveals those.
  const expected =
    (entry.generalPurposeBitFlag & HAS_DESCRIPTOR) !== 0
      ? (entry.lastModFileTime >>> 8) & 255
      : entry.crc32 >>> 24;
  return {
    ...{ name: 'ZipCrypto', method: entry.compressionMethod, hasChecksum: true },
    headBytes: TRADITIONAL_HEAD,
    open(head, password) {
      for (const bytes of [Buffer.from(password), Buffer.from(password, 'latin1')]) {
        const start = new TraditionalKeys(bytes);
        const last = start.decrypt(Uint8Array.from(head)).at(-1);
        if (last !== expected) continue;
        return async function* (source) {
          const keys = new TraditionalKeys(bytes);
          let left = TRADITIONAL_HEAD;
          for await (const block of source.take(Infinity)) {
            const plain = keys.decrypt(Uint8Array.from(block));
            const from = Math.min(left, plain.length);
            left -= from;
            if (from < plain.length) yield plain.subarray(from);
          }
          if (source.failure.length > 0) throw source.failure[0];
        };
      }
      return undefined;
    },
  };
}

class TraditionalKeys {
  private key0 = 0x1234_5678;
  private key1 = 0x2345_6789;
  private key2 = 0x3456_7890;

  constructor(password: Uint8Array) {
    for (const byte of password) this.update(byte);
  }

  /** In place. */
  decrypt(bytes: Uint8Array): Uint8Array {
    for (let at = 0; at < bytes.length; at++) {
      const key = (this.key2 | 2) & 0xffff;
      const plain = bytes[at]! ^ ((Math.imul(key, key ^ 1) >>> 8) & 255);
      bytes[at] = plain;
      this.update(plain);
    }
    return bytes;
  }

  private update(byte: number): void {
    this.key0 = CRC_TABLE[(this.key0 ^ byte) & 255]! ^ (this.key0 >>> 8);
    this.key1 = (Math.imul(this.key1 + (this.key0 & 255), 134_775_813) + 1) | 0;
    this.key2 = CRC_TABLE[(this.key2 ^ (this.key1 >>> 24)) & 255]! ^ (this.key2 >>> 8);
  }
}

// -- AES -----------------------------------------------------------------------------------------

const AES_BLOCK = 16;
const CHECK_BYTES = 2;
const CODE_BYTES = 10;
const ITERATIONS = 1000;
/** Version 2 omits the checksum, which would reveal something about a short content. */
const WITH_CHECKSUM = 1;

function aes(entry: Entry, bits: number, version: number, method: number): Encryption {
  const keyBytes = bits / 8;
  const saltBytes = keyBytes / 2;
  const headBytes = saltBytes + CHECK_BYTES;
  const size = entry.compressedSize - headBytes - CODE_BYTES;
  return {
    ...{ name: `AES-${bits}`, method, hasChecksum: version === WITH_CHECKSUM, headBytes },
    open(head, password) {
      const salt = head.subarray(0, saltBytes);
      const check = head.subarray(saltBytes);
      for (const bytes of [Buffer.from(password), Buffer.from(password, 'latin1')]) {
        const made = pbkdf2Sync(bytes, salt, ITERATIONS, 2 * keyBytes + CHECK_BYTES, 'sha1');
        if (!made.subarray(2 * keyBytes).equals(check)) continue;
        const [key, codeKey] = [made.subarray(0, keyBytes), made.subarray(keyBytes, 2 * keyBytes)];
        return async function* (source) {
          const code = createHmac('sha1', codeKey);
          const stream = new CounterStream(key);
          await source.skip(headBytes);
          for await (const block of source.take(size)) {
            code.update(block);
            yield stream.decrypt(block);
          }
          const isWhole = await source.ensure(CODE_BYTES);
          if (source.failure.length > 0) throw source.failure[0];
          if (!isWhole) throw new CutOff('it ends before its authentication code');
          const given = source.buffer.subarray(source.at, source.at + CODE_BYTES);
          if (!timingSafeEqual(code.digest().subarray(0, CODE_BYTES), given))
            throw new Error('its authentication code differs');
        };
      }
      return undefined;
    },
  };
}

/** WinZip's mode: counters are little-endian and begin at 1, which node:crypto's CTR does not support. */
class CounterStream {
  private readonly cipher: ReturnType<typeof createCipheriv>;
  private counter = 1;
  private stream = Buffer.alloc(0);
  private used = 0;

  constructor(key: Uint8Array) {
    this.cipher = createCipheriv(`aes-${key.length * 8}-ecb`, key, null).setAutoPadding(false);
  }

  /** A copy, decrypted. */
  decrypt(block: Uint8Array): Uint8Array {
    const out = Uint8Array.from(block);
    for (let at = 0; at < out.length;) {
      if (this.used === this.stream.length) this.refill(out.length - at);
      const n = Math.min(out.length - at, this.stream.length - this.used);
      for (let i = 0; i < n; i++) out[at + i]! ^= this.stream[this.used + i]!;
      at += n;
      this.used += n;
    }
    return out;
  }

  private refill(bytes: number): void {
    const counters = Buffer.alloc(Math.ceil(bytes / AES_BLOCK) * AES_BLOCK);
    // 2^48 counters are more than any member has.
    for (let at = 0; at < counters.length; at += AES_BLOCK)
      counters.writeUIntLE(this.counter++, at, 6);
    this.stream = this.cipher.update(counters);
    this.used = 0;
  }
}
