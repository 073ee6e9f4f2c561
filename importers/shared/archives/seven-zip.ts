/**
 * 7z archives: members in directory order, which is that of their packed streams, so that files that are compressed
 * together are decoded once, from a stream. Why our own: docs/adr/0033-7z-by-our-own-decoders.md.
 *
 * Invariants: a member counts as whole only if its checksum matches; packed streams are within the archive and do
 * not overlap; memory is bounded by the dictionaries (lzma.ts) and the directory.
 */
import { createDecipheriv, createHash } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { LimitError, SourceError, messageOfError } from '../../../engine/contract/errors.ts';
import { LOCKED, NOT_UNLOCKED } from '../../../engine/contract/left-out.ts';
import { branchFilter } from '../decompress/branch-filters.ts';
import { bunzip2 } from '../decompress/bunzip2.ts';
import { ByteSource } from '../byte-source.ts';
import { checked, CutOff, DamagedAt, WHOLE_ONLY } from '../decompress/checked.ts';
import { checkLimits, inflateRaw, type DecompressionLimits } from '../decompress/decompress.ts';
import { dictionaryOf, unlzma, unlzma2 } from '../decompress/lzma.ts';
import {
  type Coder,
  type Folder,
  type Member,
  parseDirectory,
  unsupported,
} from './seven-zip-directory.ts';
import { fileBlocks, fileProblem } from '../files/stored-bytes.ts';
import type { ZipArchive } from './zip.ts';

const SIGNATURE = Buffer.from('377abcaf271c', 'hex');
const HEADER_BYTES = 32;
/** A directory of a million files has some hundred megabytes. */
const MOST_DIRECTORY_BYTES = 256 * 1024 * 1024;
const BLOCK_BYTES = 256 * 1024;
/** Bytes from which to judge whether a password is right. */
const TRIAL_BYTES = 64 * 1024;
const ENCRYPTION = 'AES-256';
/** 7-Zip accepts no more rounds of its key derivation. */
const MOST_ROUNDS_POWER = 24;
/** Limit of rounds for all keys of an archive: 7-Zip derives one, with 2^19 rounds. */
const MOST_ROUNDS = 2 ** 26;
/** The power that means: the password is the key, without hashing. */
const NO_ROUNDS = 63;

interface SevenZipMember {
  /** Undefined: the entry is about the archive, whose names are encrypted. */
  readonly name: string | undefined;
  readonly size: number;
  readonly modifiedMs: number | undefined;
  readonly type: 'file' | 'folder' | { readonly reason: string; readonly failed?: boolean };
  readonly encryption: string | undefined;
  /** The member's bytes; readable once, before the next member is requested. */
  blocks(): AsyncGenerator<Uint8Array>;
}

interface SevenZipOptions {
  /** For each member. */
  limits(): DecompressionLimits;
  readonly maxMembers?: number;
  /** Candidate passwords of encrypted archives. */
  passwords?(): readonly string[];
  /** Whether a member's bytes may be requested: others are not decoded if that can be avoided. */
  wanted?(member: Member): boolean;
}

export function isSevenZip(head: Uint8Array): boolean {
  return head.length >= HEADER_BYTES && SIGNATURE.equals(head.subarray(0, SIGNATURE.length));
}

/**
 * The members. After damage, later ones in the same packed stream are returned with the reason why they cannot be
 * read.
 * @throws SourceError if the directory cannot be read, LimitError for too many members
 */
export async function* sevenZipMembers(
  archive: ZipArchive,
  { limits, maxMembers = Infinity, passwords = () => [], wanted = () => true }: SevenZipOptions,
): AsyncGenerator<SevenZipMember> {
  const reader = new Reader(archive, passwords());
  const directory = await reader.directory(limits(), maxMembers);
  if (typeof directory === 'string') {
    const failed = directory === NOT_UNLOCKED;
    yield { ...EMPTY_MEMBER, name: undefined, type: { reason: directory, failed } };
    return;
  }
  const { folders, members } = directory;
  for (let at = 0; at < members.length;) {
    const { folder } = members[at]!;
    if (folder === undefined) {
      yield emptyMember(members[at++]!);
      continue;
    }
    const together: Member[] = [];
    // There may be members without bytes in between.
    while (at < members.length && (members[at]!.folder ?? folder) === folder)
      together.push(members[at++]!);
    yield* folderMembers(reader, folders[folder]!, together, limits, wanted);
  }
}

const EMPTY_MEMBER: Omit<SevenZipMember, 'name'> = {
  size: 0,
  modifiedMs: undefined,
  type: 'file',
  encryption: undefined,
  async *blocks() {
    // It has none.
  },
};

function emptyMember({ name, modifiedMs, isFolder }: Member): SevenZipMember {
  return { ...EMPTY_MEMBER, name, modifiedMs, type: isFolder ? 'folder' : 'file' };
}

async function* folderMembers(
  reader: Reader,
  folder: Folder,
  members: readonly Member[],
  limits: () => DecompressionLimits,
  wanted: (member: Member) => boolean,
): AsyncGenerator<SevenZipMember> {
  const { coders } = folder;
  const encryption =
    typeof coders !== 'string' && coders.some(({ method }) => method === AES)
      ? ENCRYPTION
      : undefined;
  const unknown = unknownCoder(folder);
  const lastWanted = members.findLastIndex((member) => wanted(member));
  let keys: Keys | string | undefined;
  const inAll = limits();
  if (lastWanted >= 0) keys = unknown ?? (await reader.keysOf(folder, encryption, inAll));
  const reason = typeof keys === 'string' ? keys : undefined;
  const decoded =
    keys === undefined || typeof keys === 'string' ? undefined : reader.decode(folder, keys, inAll);
  const source = decoded === undefined ? undefined : new ByteSource(decoded.blocks);
  let file = 0;
  try {
    for (const [i, member] of members.entries()) {
      if (member.folder === undefined) {
        yield emptyMember(member);
        continue;
      }
      const { size, crc } = folder.files[file++]!;
      const common = { name: member.name, size, modifiedMs: member.modifiedMs, encryption };
      if (i > lastWanted || source === undefined || decoded === undefined) {
        const failed = reason !== undefined && reason === NOT_UNLOCKED;
        const type = { reason: reason ?? 'not asked for', ...(failed ? { failed } : {}) };
        yield { ...EMPTY_MEMBER, ...common, type: modeReason(member) ?? type };
        continue;
      }
      const end = source.position + size;
      const damage = source.failure[0];
      if (damage !== undefined) {
        const state = damage instanceof LimitError ? 'too large' : 'damaged';
        const broken = `cannot be read, because data packed before it is ${state}: ${messageOfError(damage)}`;
        yield { ...EMPTY_MEMBER, ...common, type: { reason: broken, failed: true } };
        continue;
      }
      yield {
        ...common,
        type: modeReason(member) ?? 'file',
        blocks: () => content(source, { size, end, crc, encryption }, decoded),
      };
      await source.skip(end - source.position);
    }
  } finally {
    await source?.close();
  }
}

/** Why a folder cannot be decoded. */
function unknownCoder({ coders }: Folder): string | undefined {
  if (typeof coders === 'string') return coders;
  const unknown = coders.find(({ method }) => !isKnown(method));
  return unknown === undefined ? undefined : unsupported(unknown.method);
}

function modeReason({ mode = 0 }: Member): { readonly reason: string } | undefined {
  const kind = (mode >>> 12) & 15;
  if (kind === 10) return { reason: 'symbolic link' };
  return kind === 0 || kind === 8 ? undefined : { reason: 'not a regular file' };
}

interface Decoded {
  readonly blocks: AsyncGenerator<Uint8Array>;
  readonly limits: DecompressionLimits;
  /** Up to which byte of the archive it has read. */
  position(): number;
}

/** The bytes of a folder up to `end`, which are a member of `size`. */
async function* content(
  source: ByteSource,
  {
    size,
    end,
    crc: expected,
    encryption,
  }: { size: number; end: number; crc: number | undefined; encryption: string | undefined },
  decoded: Decoded,
): AsyncGenerator<Uint8Array> {
  const { holdBytes, unchecked } = decoded.limits;
  yield* checked(
    source,
    async function* (sums) {
      let crc = 0;
      let left = size;
      // Previously delivered bytes are not repeated, nor bytes of the next member delivered.
      for await (const block of source.take(end - source.position)) {
        crc = crc32(block, crc);
        left -= block.length;
        yield Uint8Array.from(block);
      }
      if (left > 0) throw new DamagedAt(decoded.position(), 'less than the directory says');
      if (expected !== undefined && crc !== expected)
        throw new DamagedAt(
          decoded.position(),
          encryption === undefined
            ? 'checksum differs'
            : 'checksum differs, or it has another password',
        );
      sums.unit(expected !== undefined);
    },
    {
      ...{ content: '7z archive', holdBytes, unchecked },
      // `decode` checks them, including skipped bytes.
      checkLimits: () => undefined,
    },
  );
}

// -- packed streams ------------------------------------------------------------------------------

const AES = '06f10701';
/** Keys of one folder; none if nothing is encrypted. */
type Keys = readonly Buffer[];

class Reader {
  private readonly archive: ZipArchive;
  private readonly passwords: readonly string[];
  private readonly derived = new Map<string, Buffer>();

  constructor(archive: ZipArchive, passwords: readonly string[]) {
    this.archive = archive;
    this.passwords = passwords;
  }

  /** Text: it is encrypted, and why it cannot be read. */
  async directory(
    limits: DecompressionLimits,
    maxMembers: number,
  ): Promise<Exclude<ReturnType<typeof parseDirectory>, { encoded: unknown }> | string> {
    const header = await this.bytes(0, HEADER_BYTES);
    if (header.length < HEADER_BYTES || crc32(header.subarray(12)) !== header.readUInt32LE(8))
      throw damaged('its first header is damaged', 0);
    const offset = Number(header.readBigUInt64LE(12));
    const size = Number(header.readBigUInt64LE(20));
    if (size === 0) return { folders: [], members: [] };
    if (size > MOST_DIRECTORY_BYTES) throw damaged('its directory is too large', HEADER_BYTES);
    const start = HEADER_BYTES + offset;
    let bytes = await this.bytes(start, size);
    if (bytes.length < size)
      throw new SourceError(
        `the 7z archive is cut off, or the first of several volumes: its directory would be at byte ${start}, and nothing can be read without it`,
        0,
        undefined,
        { state: 'partial', fileOffset: await this.size() },
      );
    if (crc32(bytes) !== header.readUInt32LE(28))
      throw damaged('the checksum of its directory differs', start);
    try {
      // Encoded once, or, as some write it, several times over.
      for (let layer = 0; layer < 4; layer++) {
        const parsed = parseDirectory(bytes, maxMembers);
        const folders = 'encoded' in parsed ? [parsed.encoded] : parsed.folders;
        if (folders.some((one) => one.start + one.packedSize > offset))
          throw new Error('packed data beyond the archive');
        refuseManyKeys(folders);
        if (!('encoded' in parsed)) return parsed;
        const decoded = await this.decodeDirectory(parsed.encoded, limits);
        if (typeof decoded === 'string') return decoded;
        bytes = decoded;
      }
    } catch (error) {
      if (error instanceof SourceError || error instanceof LimitError) throw error;
      throw damaged(messageOfError(error), start);
    }
    throw damaged('its directory is encoded too often', start);
  }

  private async decodeDirectory(
    folder: Folder,
    limits: DecompressionLimits,
  ): Promise<Buffer | string> {
    const { coders, crc, size } = folder;
    const unknown = unknownCoder(folder);
    if (unknown !== undefined || typeof coders === 'string') throw new Error(unknown);
    if (size > MOST_DIRECTORY_BYTES) throw new Error('its directory is too large');
    const isEncrypted = coders.some(({ method }) => method === AES);
    if (isEncrypted && this.passwords.length === 0) return LOCKED;
    for (const password of isEncrypted ? this.passwords : ['']) {
      const keys = this.keysBy(coders, password);
      try {
        const parts: Uint8Array[] = [];
        for await (const block of this.decode(folder, keys, limits).blocks)
          parts.push(Uint8Array.from(block));
        const bytes = Buffer.concat(parts);
        if (crc !== undefined && crc32(bytes) !== crc) throw new Error('checksum differs');
        return bytes;
      } catch (error) {
        if (!isEncrypted || error instanceof LimitError) throw error;
      }
    }
    return NOT_UNLOCKED;
  }

  /** Text: why it cannot be decrypted. */
  async keysOf(
    folder: Folder,
    encryption: string | undefined,
    limits: DecompressionLimits,
  ): Promise<Keys | string> {
    if (encryption === undefined) return [];
    const coders = folder.coders as readonly Coder[];
    if (this.passwords.length === 0) return LOCKED;
    for (const password of this.passwords) {
      const keys = this.keysBy(coders, password);
      if (await this.opens(folder, keys, limits)) return keys;
    }
    return NOT_UNLOCKED;
  }

  /** Whether a folder decodes with `keys`: judged by its first bytes, or its first file if any bytes decode. */
  private async opens(folder: Folder, keys: Keys, limits: DecompressionLimits): Promise<boolean> {
    // An empty file proves nothing about a key.
    const first = folder.files.find(({ size }) => size > 0);
    if (first === undefined) return true;
    const coders = folder.coders as readonly Coder[];
    const isWhole =
      first.size <= TRIAL_BYTES || coders.every(({ method }) => takesAnything(method));
    let crc = 0;
    let left = isWhole ? first.size : TRIAL_BYTES;
    const source = new ByteSource(this.decode(folder, keys, limits).blocks);
    try {
      for await (const block of source.take(left)) {
        crc = crc32(block, crc);
        left -= block.length;
      }
    } finally {
      await source.close();
    }
    return left === 0 && (!isWhole || first.crc === undefined || crc === first.crc);
  }

  /** The decoded content of a folder's packed stream, limited by `limits`. Throws DamagedAt, LimitError. */
  decode(folder: Folder, keys: Keys, limits: DecompressionLimits): Decoded {
    const { coders, start: offset, packedSize, size } = folder;
    const start = HEADER_BYTES + offset;
    const packed = new ByteSource(this.blocks(start, start + packedSize));
    const chain = async function* (): AsyncGenerator<Uint8Array> {
      if (typeof coders === 'string') throw new Error(coders);
      let source = packed;
      let key = 0;
      for (const coder of coders) {
        const from = source;
        const out = undo(coder, from, coder.method === AES ? keys[key++] : undefined);
        source = new ByteSource(
          upTo(out, coder.size, (produced) =>
            checkLimits(
              coder === coders.at(-1) ? limits : { ...limits, meter: () => undefined },
              ...(['7z', Math.max(packed.position, 1), produced] as const),
            ),
          ),
        );
      }
      try {
        let left = size;
        for await (const block of source.take(size)) {
          left -= block.length;
          yield block;
        }
        if (source.failure.length > 0) throw source.failure[0];
        if (left > 0) throw new CutOff('less than the directory says');
      } catch (error) {
        const [below = error] = packed.failure;
        if (below instanceof SourceError || below instanceof LimitError) throw below;
        throw new DamagedAt(start + packed.position, messageOfError(below));
      } finally {
        await packed.close();
      }
    };
    return {
      ...{ blocks: chain(), limits },
      position: () => start + packed.position,
    };
  }

  private keysBy(coders: readonly Coder[], password: string): Keys {
    return coders.flatMap((coder) => (coder.method === AES ? [this.key(coder, password)] : []));
  }

  /** Key of AES, which takes long to derive. */
  private key({ properties }: Coder, password: string): Buffer {
    const { power, salt } = aesProperties(properties);
    const name = JSON.stringify([power, salt.toString('hex'), password]);
    let key = this.derived.get(name);
    if (key === undefined) this.derived.set(name, (key = derive(power, salt, password)));
    return key;
  }

  private async size(): Promise<number> {
    return 'bytes' in this.archive
      ? this.archive.bytes.length
      : (await stat(this.archive.path)).size;
  }

  /** As many of the bytes from `start` as there are. */
  private async bytes(start: number, size: number): Promise<Buffer> {
    if ('bytes' in this.archive) return this.archive.bytes.subarray(start, start + size);
    const { path } = this.archive;
    const handle = await open(path, 'r').catch((error: unknown) => {
      throw fileProblem(error, path);
    });
    try {
      const there = Math.max(0, Math.min(size, (await handle.stat()).size - start));
      const bytes = Buffer.alloc(there);
      for (let at = 0; at < there;) {
        const { bytesRead } = await handle.read(bytes, at, there - at, start + at);
        if (bytesRead === 0) return bytes.subarray(0, at);
        at += bytesRead;
      }
      return bytes;
    } finally {
      await handle.close();
    }
  }

  private async *blocks(start: number, end: number): AsyncGenerator<Uint8Array> {
    if ('path' in this.archive) {
      yield* fileBlocks(this.archive.path, start, end);
      return;
    }
    const { bytes } = this.archive;
    for (let at = start; at < end; at += BLOCK_BYTES)
      yield bytes.subarray(at, Math.min(end, at + BLOCK_BYTES));
  }
}

function damaged(reason: string, fileOffset: number): SourceError {
  return new SourceError(
    `the 7z archive is damaged at its byte ${fileOffset} (${reason}): none of it was read`,
    0,
    undefined,
    { fileOffset },
  );
}

// -- coders --------------------------------------------------------------------------------------

/** Methods of 7z by the numbers of xz's filters. */
const FILTERS: Readonly<Record<string, number>> = {
  '03': 3,
  '04': 4,
  '03030103': 4,
  '05': 5,
  '03030205': 5,
  '06': 6,
  '03030401': 6,
  '07': 7,
  '03030501': 7,
  '08': 8,
  '03030701': 8,
  '09': 9,
  '03030805': 9,
  '0a': 10,
};

/** Whether something undoes a method. */
function isKnown(method: string): boolean {
  return ['00', '21', '030101', '040108', '040202', AES].includes(method) || method in FILTERS;
}

/** Whether a method decodes arbitrary bytes, so that it never reveals a wrong key. */
function takesAnything(method: string): boolean {
  return method === '00' || method === AES || method in FILTERS;
}

/** The first `size` bytes of `blocks`; `check` is called with the number of bytes so far. */
async function* upTo(
  blocks: AsyncIterable<Uint8Array>,
  size: number,
  check: (produced: number) => void,
): AsyncGenerator<Uint8Array> {
  let produced = 0;
  for await (const block of blocks) {
    const part = block.subarray(0, size - produced);
    produced += part.length;
    check(produced);
    if (part.length > 0) yield part;
    if (produced === size) return;
  }
}

/** Undoes one coder. */
async function* undo(
  { method, properties, size }: Coder,
  source: ByteSource,
  key: Buffer | undefined,
): AsyncGenerator<Uint8Array> {
  try {
    if (method === '00') yield* source.take(size);
    else if (method === '21') yield* unlzma2(source, dictionaryOf(properties[0] ?? 255));
    else if (method === '030101') yield* unlzma(source, properties, size);
    else if (method === '040108') yield* inflateRaw(source);
    else if (method === '040202') yield* bunzip2(source, [], WHOLE_ONLY);
    else if (method === AES) yield* decrypted(source, properties, key!);
    else yield* filtered(source, FILTERS[method]!, properties);
    if (source.failure.length > 0) throw source.failure[0];
  } finally {
    await source.close();
  }
}

async function* filtered(
  source: ByteSource,
  id: number,
  properties: Buffer,
): AsyncGenerator<Uint8Array> {
  const filter = branchFilter(id, properties);
  for await (const block of source.take(Infinity)) {
    const out = filter.undo(Uint8Array.from(block), false);
    if (out.length > 0) yield out;
  }
  yield filter.undo(new Uint8Array(0), true);
}

interface AesProperties {
  /** Exponent of two: how often the hash is fed. */
  readonly power: number;
  readonly salt: Buffer;
  readonly iv: Buffer;
}

function aesProperties(properties: Buffer): AesProperties {
  const [first = 0, second = 0] = properties;
  const saltBytes = (first & 0x80) === 0 && second >>> 4 === 0 ? 0 : (first >>> 7) + (second >>> 4);
  const ivBytes = ((first >>> 6) & 1) + (second & 15);
  if ((first & 0xc0) !== 0 && properties.length < 2 + saltBytes + ivBytes)
    throw new Error('its encryption settings are damaged');
  const iv = Buffer.alloc(16);
  properties.copy(iv, 0, 2 + saltBytes, 2 + saltBytes + ivBytes);
  const power = first & 63;
  if (power > MOST_ROUNDS_POWER && power !== NO_ROUNDS)
    throw new Error('its encryption settings are damaged');
  return { power, salt: properties.subarray(2, 2 + saltBytes), iv };
}

/** A directory may require a separate key for each folder, each of which takes seconds. */
function refuseManyKeys(folders: readonly Folder[]): void {
  const asked = new Map<string, number>();
  for (const { coders } of folders) {
    if (typeof coders === 'string') continue;
    for (const { method, properties } of coders) {
      if (method !== AES) continue;
      const { power, salt } = aesProperties(properties);
      if (power !== NO_ROUNDS) asked.set(`${power} ${salt.toString('hex')}`, 2 ** power);
    }
  }
  const rounds = [...asked.values()].reduce((sum, one) => sum + one, 0);
  if (rounds > MOST_ROUNDS) throw new Error('it asks for more keys than an archive needs');
}

/** SHA-256 over salt, password and a counter, 2^power times. */
function derive(power: number, salt: Buffer, password: string): Buffer {
  const text = Buffer.from(password, 'utf16le');
  if (power === NO_ROUNDS) {
    const key = Buffer.alloc(32);
    Buffer.concat([salt, text]).copy(key);
    return key;
  }
  const hash = createHash('sha256');
  const size = salt.length + text.length + 8;
  const rounds = 2 ** power;
  const many = Math.min(rounds, 4096);
  const buffer = Buffer.concat(
    Array.from({ length: many }, () => Buffer.concat([salt, text, Buffer.alloc(8)])),
  );
  for (let round = 0; round < rounds; round += many) {
    for (let i = 0; i < many; i++) buffer.writeUIntLE(round + i, (i + 1) * size - 8, 6);
    hash.update(buffer);
  }
  return hash.digest();
}

async function* decrypted(
  source: ByteSource,
  properties: Buffer,
  key: Buffer,
): AsyncGenerator<Uint8Array> {
  const { iv } = aesProperties(properties);
  const cipher = createDecipheriv('aes-256-cbc', key, iv).setAutoPadding(false);
  for await (const block of source.take(Infinity)) {
    const out = cipher.update(block);
    if (out.length > 0) yield out;
  }
  cipher.final();
}
