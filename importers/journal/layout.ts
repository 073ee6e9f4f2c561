/**
 * The layout of a binary journal of systemd: a header, then objects one after another, each at a multiple of eight bytes.
 * Numbers are little-endian.
 *
 * Source: https://systemd.io/JOURNAL_FILE_FORMAT/ and systemd's `journal-def.h`.
 */
export const SIGNATURE = Buffer.from('LPKSHHRH', 'latin1');
/** Size of the first version's header; later ones are longer. */
export const MIN_HEADER_BYTES = 208;
export const MAX_HEADER_BYTES = 4096;
export const OBJECT_HEADER_BYTES = 16;

export const TYPE = {
  ...{ data: 1, field: 2, entry: 3, dataTable: 4, fieldTable: 5, entryArray: 6, tag: 7 },
} as const;
type ObjectType = (typeof TYPE)[keyof typeof TYPE];
const TAG_BYTES = 64;
/** An entry has at most 1,024 fields, and a field's name at most 64 bytes. */
const MAX_FIELDS = 1024;
const MAX_NAME_BYTES = 64;
const EQUALS = 0x3d;

/** Features without which a file cannot be read. */
export const FEATURE = { xz: 1, lz4: 2, keyedHash: 4, zstd: 8, compact: 16 } as const;
const KNOWN_FEATURES = 31;

/** Compression of a data object's payload, in its flags. */
export const COMPRESSED = { xz: 1, lz4: 2, zstd: 4 } as const;

export interface JournalHeader {
  /** Size of the header itself. */
  readonly size: number;
  /** Including the header; 0: not stated. */
  readonly fileSize: number;
  readonly fileId: Buffer;
  readonly machineId: string;
  readonly sequenceId: string;
  readonly isCompact: boolean;
  readonly isKeyedHash: boolean;
  readonly unknownFeatures: number;
  readonly state: 'offline' | 'online' | 'archived' | 'unknown';
  readonly entries: number;
  /** Start of the two tables, including their headers. */
  readonly tables: readonly number[];
}

/** For a number too large for a double, one that no file reaches. */
function u64(bytes: Buffer, at: number): number {
  return bytes.readUInt32LE(at + 4) * 2 ** 32 + bytes.readUInt32LE(at);
}

/** @param bytes `MIN_HEADER_BYTES` at least */
export function headerOf(bytes: Buffer): JournalHeader {
  const features = bytes.readUInt32LE(12);
  const size = u64(bytes, 88);
  const isSane = size >= MIN_HEADER_BYTES && size <= MAX_HEADER_BYTES && size % 8 === 0;
  return {
    size: isSane ? size : MIN_HEADER_BYTES,
    fileSize: isSane ? size + u64(bytes, 96) : 0,
    fileId: Buffer.from(bytes.subarray(24, 40)),
    machineId: bytes.toString('hex', 40, 56),
    sequenceId: bytes.toString('hex', 72, 88),
    isCompact: (features & FEATURE.compact) !== 0,
    isKeyedHash: (features & FEATURE.keyedHash) !== 0,
    unknownFeatures: (features & ~KNOWN_FEATURES) >>> 0,
    state: (['offline', 'online', 'archived'] as const)[bytes[16]!] ?? 'unknown',
    entries: u64(bytes, 152),
    tables: [u64(bytes, 104), u64(bytes, 120)].map((at) => at - OBJECT_HEADER_BYTES),
  };
}

export interface ObjectHeader {
  readonly type: ObjectType;
  readonly flags: number;
  /** Including its header, without padding to a multiple of eight. */
  readonly size: number;
}

/** Bytes in front of the payload of a data object, of an entry's fields, and of a field's name. */
export function fixedBytes(type: ObjectType, isCompact: boolean): number {
  if (type === TYPE.data) return isCompact ? 72 : 64;
  if (type === TYPE.entry) return 64;
  if (type === TYPE.field) return 40;
  return type === TYPE.entryArray ? 24 : OBJECT_HEADER_BYTES;
}

/** Bytes of a place in an entry, with the hash that follows it in files that are not compact. */
function itemBytes(isCompact: boolean): number {
  return isCompact ? 4 : 16;
}

/**
 * The header of an object at a position, which is `offset` in the file, if it may be one.
 * @param bytes at least `OBJECT_HEADER_BYTES` from `at` on
 */
export function objectAt(
  bytes: Buffer,
  at: number,
  offset: number,
  { isCompact, fileSize, tables }: JournalHeader,
): ObjectHeader | undefined {
  const type = bytes[at]!;
  const flags = bytes[at + 1]!;
  if (
    type < TYPE.data ||
    type > TYPE.tag ||
    (bytes.readUInt32LE(at + 2) | bytes.readUInt16LE(at + 6)) !== 0
  )
    return undefined;
  const known = type;
  const size = u64(bytes, at + 8);
  const rest = size - fixedBytes(known, isCompact);
  if (rest < 0 || (fileSize > 0 && offset + size > fileSize)) return undefined;
  const isCompressed = known === TYPE.data && (flags === 1 || flags === 2 || flags === 4);
  if (flags !== 0 && !isCompressed) return undefined;
  const isTable = known === TYPE.dataTable || known === TYPE.fieldTable;
  if (isTable && !tables.includes(offset)) return undefined;
  if (known === TYPE.tag && size !== TAG_BYTES) return undefined;
  if (known === TYPE.entry && rest > MAX_FIELDS * itemBytes(isCompact)) return undefined;
  const isRight =
    known === TYPE.data || known === TYPE.field
      ? rest > 0
      : rest % (known === TYPE.entry ? itemBytes(isCompact) : isCompact ? 4 : 8) === 0;
  return isRight ? { type: known, flags, size } : undefined;
}

/**
 * Whether an object's content is valid for its type.
 * @param bytes the whole object
 */
export function isSound(
  bytes: Buffer,
  offset: number,
  { type, flags }: ObjectHeader,
  isCompact: boolean,
): boolean {
  const start = fixedBytes(type, isCompact);
  switch (type) {
    case TYPE.data:
      return flags === 0
        ? bytes[nameEnd(bytes, start)] === EQUALS
        : isCompressed(bytes.subarray(start), flags);
    case TYPE.field:
      return nameEnd(bytes, start) === bytes.length;
    case TYPE.entry:
      return (
        u64(bytes, 16) > 0 && u64(bytes, 24) < 2 ** 53 && hasPlaces(bytes, start, offset, isCompact)
      );
    default:
      return true;
  }
}

/** Fields are written before the entry that names them. */
function hasPlaces(bytes: Buffer, start: number, offset: number, isCompact: boolean): boolean {
  const step = itemBytes(isCompact);
  for (let at = start; at < bytes.length; at += step) {
    const place = isCompact ? bytes.readUInt32LE(at) : u64(bytes, at);
    if (place === 0 || place % 8 !== 0 || place >= offset) return false;
  }
  return true;
}

function isCompressed(payload: Buffer, flags: number): boolean {
  if (flags === COMPRESSED.zstd)
    return payload.length > 4 && payload.readUInt32LE(0) === 0xfd2fb528;
  if (flags === COMPRESSED.xz) return payload.toString('latin1', 0, 6) === '\xfd7zXZ\0';
  return payload.length > 8 && payload.readUInt32LE(4) === 0;
}

/** The end of a field's name; -1: none begins there. */
function nameEnd(bytes: Buffer, start: number): number {
  let at = start;
  for (; at < bytes.length && bytes[at] !== EQUALS; at++) {
    const c = bytes[at]!;
    const isName = (c >= 0x41 && c <= 0x5a) || (c >= 0x30 && c <= 0x39) || c === 0x5f;
    if (!isName || at - start >= MAX_NAME_BYTES) return -1;
  }
  return at > start ? at : -1;
}

export interface EntryHead {
  readonly sequence: bigint;
  /** Microseconds since 1970. */
  readonly realtime: bigint;
  /** Microseconds since the boot. */
  readonly monotonic: bigint;
  readonly bootId: string;
  readonly xorHash: bigint;
}

export function entryHead(bytes: Buffer): EntryHead {
  return {
    sequence: bytes.readBigUInt64LE(16),
    realtime: bytes.readBigUInt64LE(24),
    monotonic: bytes.readBigUInt64LE(32),
    bootId: bytes.toString('hex', 40, 56),
    xorHash: bytes.readBigUInt64LE(56),
  };
}

/** Places in the file of an entry's fields. */
export function* fieldPlaces(bytes: Buffer, isCompact: boolean): Generator<number> {
  const step = itemBytes(isCompact);
  for (let at = fixedBytes(TYPE.entry, isCompact); at + step <= bytes.length; at += step)
    yield isCompact ? bytes.readUInt32LE(at) : u64(bytes, at);
}

/** The hash that a data object states for its payload, and the number of entries that refer to it. */
export function dataHead(bytes: Buffer): { hash: bigint; uses: number } {
  return { hash: bytes.readBigUInt64LE(16), uses: u64(bytes, 56) };
}
