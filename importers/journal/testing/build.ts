/** Binary journals for tests, object by object. */
import { zstdCompressSync } from 'node:zlib';
import { jenkinsHash, sipHash } from '../hashes.ts';
import { COMPRESSED, FEATURE, TYPE } from '../layout.ts';

export interface BuiltEntry {
  /** Microseconds since 1970. */
  readonly realtime: number;
  /** `NAME=value`; bytes for non-text; `stored` for a payload in another form. */
  readonly fields: readonly (string | Buffer | StoredField)[];
}

export interface StoredField {
  readonly content: Buffer;
  readonly stored: Buffer;
  readonly flags: number;
}

interface BuiltOptions {
  readonly isCompact?: boolean;
  readonly isKeyedHash?: boolean;
  readonly state?: number;
  /** The number in the header; by default, the real one. */
  readonly entries?: number;
  /** Size of the table for finding entries. */
  readonly tableBytes?: number;
}

interface BuiltJournal {
  readonly bytes: Buffer;
  /** Position of each entry, and of each field by its text. */
  readonly entries: readonly number[];
  readonly fields: ReadonlyMap<string, number>;
}

const FILE_ID = Buffer.from('00112233445566778899aabbccddeeff', 'hex');
export const SEQUENCE_ID = 'a'.repeat(32);
export const BOOT_ID = 'b'.repeat(32);
const HEADER_BYTES = 272;

export function zstdField(content: Buffer): StoredField {
  return { content, stored: zstdCompressSync(content), flags: COMPRESSED.zstd };
}

/** As an LZ4 block of literals and one match, which repeats the last byte. */
export function lz4Field(content: Buffer, repeated: number): StoredField {
  const whole = Buffer.concat([content, Buffer.alloc(repeated, content.at(-1))]);
  const size = Buffer.alloc(8);
  size.writeUInt32LE(whole.length);
  const rest = (length: number): number[] => {
    const bytes: number[] = [];
    for (let left = length - 15; left >= 0; left -= 255) bytes.push(Math.min(left, 255));
    if ((length - 15) % 255 === 0 && length >= 15 && bytes.at(-1) === 255) bytes.push(0);
    return bytes;
  };
  const match = repeated - 4;
  const token = (Math.min(content.length, 15) << 4) | Math.min(match, 15);
  const block = Buffer.from([token, ...rest(content.length), ...content, 1, 0, ...rest(match)]);
  return { content: whole, stored: Buffer.concat([size, block]), flags: COMPRESSED.lz4 };
}

export function journalOf(
  entries: readonly BuiltEntry[],
  {
    isCompact = false,
    isKeyedHash = true,
    state = 0,
    entries: stated,
    tableBytes = 64,
  }: BuiltOptions = {},
): BuiltJournal {
  const objects: Buffer[] = [];
  let end = HEADER_BYTES;
  const add = (type: number, flags: number, content: Buffer): number => {
    const at = end;
    const size = 16 + content.length;
    const bytes = Buffer.alloc(size + ((8 - (size % 8)) % 8));
    bytes[0] = type;
    bytes[1] = flags;
    bytes.writeUInt32LE(size, 8);
    content.copy(bytes, 16);
    objects.push(bytes);
    end += bytes.length;
    return at;
  };
  const hashOf = (content: Buffer): bigint =>
    isKeyedHash ? sipHash(content, FILE_ID) : jenkinsHash(content);

  add(TYPE.dataTable, 0, Buffer.alloc(tableBytes));
  const fields = new Map<string, number>();
  const places: number[] = [];
  let features = (isCompact ? FEATURE.compact : 0) | (isKeyedHash ? FEATURE.keyedHash : 0);
  entries.forEach(({ realtime, fields: entryFields }, i) => {
    const items = entryFields.map((field) => {
      const isStored = typeof field === 'object' && 'stored' in field;
      const content = isStored ? field.content : Buffer.from(field);
      const key = content.toString('latin1');
      const known = fields.get(key);
      if (known !== undefined) return { at: known, hash: hashOf(content) };
      if (isStored) features |= FEATURE.zstd;
      const head = Buffer.alloc(isCompact ? 56 : 48);
      head.writeBigUInt64LE(hashOf(content));
      head.writeUInt32LE(1, 40);
      const payload = isStored ? field.stored : content;
      const flags = isStored ? field.flags : 0;
      const at = add(TYPE.data, flags, Buffer.concat([head, payload]));
      fields.set(key, at);
      const name = content.subarray(0, content.indexOf(0x3d));
      add(TYPE.field, 0, Buffer.concat([Buffer.alloc(24), name]));
      return { at, hash: hashOf(content) };
    });
    const entry = Buffer.alloc(48 + items.length * (isCompact ? 4 : 16));
    entry.writeUInt32LE(i + 1, 0);
    entry.writeBigUInt64LE(BigInt(realtime), 8);
    entry.writeUInt32LE(1000 * (i + 1), 16);
    entry.write(BOOT_ID, 24, 'hex');
    entry.writeUInt32LE(0xabc, 40);
    items.forEach(({ at, hash }, n) => {
      entry.writeUInt32LE(at, 48 + n * (isCompact ? 4 : 16));
      if (!isCompact) entry.writeBigUInt64LE(hash, 56 + n * 16);
    });
    places.push(add(TYPE.entry, 0, entry));
  });
  const array = Buffer.alloc(8 + places.length * (isCompact ? 4 : 8));
  places.forEach((at, i) => array.writeUInt32LE(at, 8 + i * (isCompact ? 4 : 8)));
  add(TYPE.entryArray, 0, array);

  const header = Buffer.alloc(HEADER_BYTES);
  header.write('LPKSHHRH', 'latin1');
  header.writeUInt32LE(features, 12);
  header[16] = state;
  FILE_ID.copy(header, 24);
  header.write('c'.repeat(32), 40, 'hex');
  header.write(SEQUENCE_ID, 72, 'hex');
  header.writeUInt32LE(HEADER_BYTES, 88);
  // A journal has room for more.
  const room = Buffer.alloc(512);
  header.writeUInt32LE(end + room.length - HEADER_BYTES, 96);
  header.writeUInt32LE(HEADER_BYTES + 16, 104);
  header.writeUInt32LE(stated ?? entries.length, 152);
  return { bytes: Buffer.concat([header, ...objects, room]), entries: places, fields };
}
