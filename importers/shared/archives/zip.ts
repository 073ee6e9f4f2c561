/**
 * zip archives through yauzl: members from the central directory, contents through our own decoders, so that the
 * intact part of a damaged member is delivered.
 *
 * Format: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
 */
import type { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import {
  getFileNameLowLevel,
  fromBufferPromise,
  fromRandomAccessReaderPromise,
  openPromise,
  type Entry,
  type ZipFile,
} from 'yauzl';
import { nounOf } from '../../../engine/contract/words/counted.ts';
import { LimitError, SourceError, messageOfError } from '../../../engine/contract/errors.ts';
import { LOCKED, NOT_UNLOCKED } from '../../../engine/contract/left-out.ts';
import { bunzip2 } from '../decompress/bunzip2.ts';
import { ByteSource } from '../byte-source.ts';
import { checked, CutOff, WHOLE_ONLY, type Sums } from '../decompress/checked.ts';
import {
  checkLimits,
  inflateRaw,
  unzstd,
  type DecompressionLimits,
  type Decoder,
} from '../decompress/decompress.ts';
import { unxz } from '../decompress/unxz.ts';
import { mendedZip, type MendedZip, type ZipArchive } from './zip-directory.ts';
import { type Decryption, type Encryption, encryptionOf } from './zip-encryption.ts';

const LOCAL_HEADER_BYTES = 30;

/** By compression method; stored (0) needs none. */
const METHODS: ReadonlyMap<number, Decoder> = new Map<number, Decoder>([
  [8, (source) => inflateRaw(source)],
  [12, bunzip2],
  [93, unzstd],
  [95, unxz],
]);

export interface ZipMember {
  readonly name: string;
  readonly size: number;
  readonly modifiedMs: number | undefined;
  readonly type: 'file' | 'folder' | { readonly reason: string; readonly failed?: boolean };
  /** The method of its encryption, if it is encrypted. */
  readonly encryption: string | undefined;
  /** The member's bytes, decrypted and decompressed; may be called again while the archive is open. */
  blocks(): AsyncGenerator<Uint8Array>;
}

export function isZip(head: Uint8Array): boolean {
  if (head.length < 4 || head[0] !== 0x50 || head[1] !== 0x4b) return false;
  const kind = head[2]! * 256 + head[3]!;
  return kind === 0x0304 || kind === 0x0506 || kind === 0x0708;
}

export type { ZipArchive } from './zip-directory.ts';

/**
 * The members in the order of the central directory. The archive is closed when the loop ends.
 * @param limits of each member
 * @param passwords candidates for encrypted members, requested for each
 */
export async function* zipMembers(
  archive: ZipArchive,
  limits: () => DecompressionLimits,
  passwords: () => readonly string[] = () => [],
): AsyncGenerator<ZipMember> {
  let mended: MendedZip | undefined;
  for await (const { zip, entry, ...found } of entriesOf(archive, limits)) {
    ({ mended } = found);
    yield await memberOf({ zip, mended }, entry, limits(), passwords());
  }
  if (mended === undefined) return;
  const { after, found, size } = mended;
  if (found === undefined) {
    const reason = `${after} ${nounOf(after, 'byte')} after the end of the archive were not read`;
    yield { ...NO_MEMBER, name: 'what follows it', type: { reason } };
  } else
    throw new SourceError(
      `the directory of the zip archive cannot be read, as if it was cut off: ${found} ${nounOf(found, 'member')} found by their local headers`,
      size,
    );
}

const NO_MEMBER = {
  ...{ size: 0, modifiedMs: undefined, encryption: undefined },
  blocks(): AsyncGenerator<Uint8Array> {
    throw new Error('no member');
  },
};

/**
 * Indexes in the directory of members that share bytes of the archive with another one. No tool writes such an
 * archive, and a small one decodes to petabytes. https://www.bamsoftware.com/hacks/zipbomb/
 * @throws LimitError for more than `maxMembers`
 */
export async function overlappingMembers(
  archive: ZipArchive,
  maxMembers: number,
  limits: () => DecompressionLimits,
): Promise<ReadonlySet<number>> {
  const starts: number[] = [];
  const ends: number[] = [];
  for await (const { entry } of entriesOf(archive, limits)) {
    if (starts.length >= maxMembers) throw tooManyMembers(maxMembers);
    const start = entry.relativeOffsetOfLocalHeader;
    starts.push(start);
    // The local header has the name again, and maybe more.
    ends.push(start + LOCAL_HEADER_BYTES + entry.fileNameRaw.length + entry.compressedSize);
  }
  const order = starts.map((_, i) => i).sort((a, b) => starts[a]! - starts[b]!);
  const found = new Set<number>();
  let furthest = -1;
  for (const i of order) {
    if (furthest >= 0 && starts[i]! < ends[furthest]!) found.add(i).add(furthest);
    if (furthest < 0 || ends[i]! > ends[furthest]!) furthest = i;
  }
  return found;
}

export function tooManyMembers(maxMembers: number): LimitError {
  return new LimitError(
    `an archive of more than ${maxMembers} members (--max-members)`,
    '--max-members',
  );
}

/** An open archive, and how it is read if its directory is not in its place. */
interface OpenZip {
  readonly zip: ZipFile;
  readonly mended: MendedZip | undefined;
}

const OPEN = { autoClose: false, decodeStrings: false, validateEntrySizes: false };

async function openZip(archive: ZipArchive, limits: () => DecompressionLimits): Promise<OpenZip> {
  try {
    const zip =
      'path' in archive
        ? await openPromise(archive.path, OPEN)
        : await fromBufferPromise(archive.bytes, OPEN);
    return { zip, mended: undefined };
  } catch (error) {
    // Bytes decoded to find the end of a member are counted when it is read.
    const { meter: _, ...uncounted } = limits();
    const mended = await mendedZip(archive, inflateRaw, (consumed, produced) =>
      checkLimits(uncounted, 'zip', consumed, produced),
    ).catch((other: unknown) => {
      if (other instanceof LimitError) throw other;
      return undefined;
    });
    if (mended === undefined) throw zipError(error);
    const zip = await fromRandomAccessReaderPromise(mended.reader, mended.size, OPEN);
    return { zip, mended };
  }
}

async function* entriesOf(
  archive: ZipArchive,
  limits: () => DecompressionLimits,
): AsyncGenerator<OpenZip & { entry: Entry }> {
  const opened = await openZip(archive, limits);
  const { zip } = opened;
  try {
    const entries = zip.eachEntry();
    for (;;) {
      let next: IteratorResult<Entry>;
      try {
        next = await entries.next();
      } catch (error) {
        throw zipError(error);
      }
      if (next.done === true) return;
      yield { ...opened, entry: next.value };
    }
  } finally {
    zip.close();
  }
}

function zipError(error: unknown): SourceError {
  const reason = messageOfError(error);
  return new SourceError(`the zip archive cannot be read: ${reason}`, 0, error);
}

async function memberOf(
  { zip, mended }: OpenZip,
  entry: Entry,
  limits: DecompressionLimits,
  passwords: readonly string[],
): Promise<ZipMember> {
  const name = getFileNameLowLevel(
    entry.generalPurposeBitFlag,
    entry.fileNameRaw,
    entry.extraFields,
    true,
  );
  const time = entry.getLastModDate({ timezone: 'UTC' }).getTime();
  const encryption = entry.isEncrypted() ? encryptionOf(entry) : undefined;
  let type = typeOf(entry, name, encryption);
  let decrypt: Decryption | undefined;
  if (type === 'file' && typeof encryption === 'object') {
    decrypt = await decryptionOf(zip, entry, encryption, passwords, limits);
    if (decrypt === undefined)
      type = passwords.length > 0 ? { reason: NOT_UNLOCKED, failed: true } : { reason: LOCKED };
  }
  return {
    name,
    size: entry.uncompressedSize,
    modifiedMs: time > 0 ? time : undefined,
    type,
    encryption: typeof encryption === 'object' ? encryption.name : undefined,
    blocks: () =>
      contentOf(zip, entry, limits, {
        encrypted: encryptedBy(encryption, decrypt),
        isCut: entry.relativeOffsetOfLocalHeader === mended?.cutMember,
      }),
  };
}

function typeOf(
  entry: Entry,
  name: string,
  encryption: Encryption | string | undefined,
): ZipMember['type'] {
  if (name.endsWith('/')) return 'folder';
  // The upper half is the Unix mode, if the archive was made there.
  const mode = (entry.externalFileAttributes >>> 28) & 15;
  if (entry.versionMadeBy >>> 8 === 3) {
    if (mode === 10) return { reason: 'symbolic link' };
    if (mode !== 0 && mode !== 8) return { reason: 'not a regular file' };
  }
  if (typeof encryption === 'string') return { reason: encryption };
  const method = encryption?.method ?? entry.compressionMethod;
  if (method !== 0 && !METHODS.has(method))
    return { reason: `compression method ${method} is not supported` };
  return 'file';
}

interface Encrypted {
  readonly encryption: Encryption;
  readonly decrypt: Decryption;
}

function encryptedBy(
  encryption: Encryption | string | undefined,
  decrypt: Decryption | undefined,
): Encrypted | undefined {
  return typeof encryption === 'object' && decrypt !== undefined
    ? { encryption, decrypt }
    : undefined;
}

/** Decrypts by the first of the passwords that is the member's. */
async function decryptionOf(
  zip: ZipFile,
  entry: Entry,
  encryption: Encryption,
  passwords: readonly string[],
  limits: DecompressionLimits,
): Promise<Decryption | undefined> {
  if (passwords.length === 0) return undefined;
  const source = new ByteSource(storedBytes(zip, entry));
  await source.ensure(encryption.headBytes);
  const head = Uint8Array.from(
    source.buffer.subarray(source.at, Math.min(source.end, source.at + encryption.headBytes)),
  );
  await source.close();
  if (head.length < encryption.headBytes) {
    // For any password: errors are reported when it is read.
    return async function* (content) {
      yield* content.take(0);
      await content.skip(encryption.headBytes);
      throw content.failure[0] ?? new CutOff('it ends within its encryption header');
    };
  }
  const found = passwords
    .map((password) => encryption.open(head, password))
    .filter((one) => one !== undefined);
  if (found.length < 2) return found[0];
  // Few wrong passwords look right: the content decides.
  for (const decrypt of found) {
    try {
      const encrypted = { encryption, decrypt };
      const blocks = contentOf(zip, entry, { ...limits, holdBytes: 0 }, { encrypted });
      for await (const block of blocks) void block;
      return decrypt;
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
    }
  }
  return found[0];
}

/** The promise that yauzl 3.4.0 returns for this calls another function. */
function rawStream(zip: ZipFile, start: number, size: number): Promise<Readable> {
  return new Promise((resolve, reject) => {
    zip.openReadStreamLowLevel(start, size, 0, size, false, null, (error, stream) => {
      if (error === null) resolve(stream);
      else reject(error);
    });
  });
}

async function* contentOf(
  zip: ZipFile,
  entry: Entry,
  limits: DecompressionLimits,
  { encrypted, isCut = false }: { encrypted: Encrypted | undefined; isCut?: boolean },
): AsyncGenerator<Uint8Array> {
  const stored = new ByteSource(storedBytes(zip, entry));
  const source = encrypted === undefined ? stored : new ByteSource(encrypted.decrypt(stored));
  const decoder = METHODS.get(encrypted?.encryption.method ?? entry.compressionMethod) ?? copies;
  async function* member(sums: Sums): AsyncGenerator<Uint8Array> {
    let produced = 0;
    let crc = 0;
    // The member's own checksum counts, which covers all its bytes.
    for await (const block of decoder(source, [], WHOLE_ONLY)) {
      produced += block.length;
      if (produced > entry.uncompressedSize && !isCut)
        throw new Error('more than the directory says');
      crc = crc32(block, crc);
      yield block;
    }
    // The code by which an encrypted member is known to be whole is at its end.
    if (encrypted !== undefined) await source.skip(Infinity);
    if (source.failure.length > 0) throw source.failure[0];
    if (isCut) throw new CutOff('the archive ends within it');
    if (produced < entry.uncompressedSize) throw new Error('less than the directory says');
    if (crc !== entry.crc32 && encrypted?.encryption.hasChecksum !== false)
      throw new Error(
        encrypted === undefined
          ? 'checksum differs'
          : 'checksum differs, or it has another password',
      );
    sums.unit(true);
  }
  try {
    yield* checked(source, member, {
      content: 'archive member',
      holdBytes: limits.holdBytes,
      unchecked: limits.unchecked,
      checkLimits: (produced) => checkLimits(limits, 'zip', source.position, produced),
    });
  } finally {
    await source.close();
    await stored.close();
  }
}

/** The stored bytes of a member. */
async function* storedBytes(zip: ZipFile, entry: Entry): AsyncGenerator<Uint8Array> {
  let stream: Readable;
  try {
    const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true });
    stream = await rawStream(zip, fileDataStart, entry.compressedSize);
  } catch (error) {
    const reason = messageOfError(error);
    throw new SourceError(`the archive's header of the member cannot be read: ${reason}`, 0, error);
  }
  try {
    for await (const block of stream) if (block instanceof Uint8Array) yield block;
  } catch (error) {
    const reason = messageOfError(error);
    throw new SourceError(`the member's bytes cannot be read: ${reason}`, 0, error);
  }
}

/** For an uncompressed member. */
async function* copies(source: ByteSource): AsyncGenerator<Uint8Array> {
  for await (const block of source.take(Infinity)) yield Uint8Array.from(block);
}
