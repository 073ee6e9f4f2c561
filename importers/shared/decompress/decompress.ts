/**
 * Decompresses a source's bytes as a stream: gzip, bzip2, xz and zstd, recognised by their magic numbers, in
 * several layers if necessary. Memory is bounded, whatever the input is.
 *
 * Invariants: bytes are delivered once their checksum matches, as far as memory allows (checked.ts); an error
 * states what was checked; concatenated members, streams and frames are one content; limits stop a small file from
 * becoming an endless one.
 *
 * gzip: RFC 1952. zstd: RFC 8878. bzip2 and xz: see bunzip2.ts and unxz.ts.
 */
import type { Transform } from 'node:stream';
import { crc32, createInflateRaw, createZstdDecompress } from 'node:zlib';
import { LimitError } from '../../../engine/contract/errors.ts';
import { bunzip2 } from './bunzip2.ts';
import { ByteSource } from '../byte-source.ts';
import { checked, CutOff, HOLD_BYTES, type Sums } from './checked.ts';
import { ReadOn, type UnitKind } from './read-on.ts';
import { unxz } from './unxz.ts';

export type Compression = 'none' | 'gzip' | 'bzip2' | 'xz' | 'zstd';

export interface DecompressionLimits {
  /** Maximum ratio of output to input bytes, applied after `ratioFrom` bytes of output. */
  readonly maxRatio: number;
  readonly ratioFrom: number;
  /** Maximum output of one content, and of all members of one archive together. */
  readonly maxBytes: number;
  /** Layers of compression, one in the other. */
  readonly maxLayers: number;
  /** Bytes held back until their checksum matches; 0 for a look at the beginning. */
  readonly holdBytes: number;
  /** Whether bytes that fail their check are read, too. */
  readonly unchecked: boolean;
  /** Counts the bytes decompressed from one content; throws LimitError if all contents exceed the limit. */
  readonly meter?: (produced: number) => void;
}

export const DEFAULT_LIMITS: DecompressionLimits = {
  maxRatio: 1000,
  ratioFrom: 64 * 1024 * 1024,
  maxBytes: 16 * 2 ** 40,
  maxLayers: 4,
  holdBytes: HOLD_BYTES,
  unchecked: false,
};

interface Content {
  /** The outermost compression. */
  readonly compression: Compression;
  /** When the content was last modified, according to the gzip header (ms since 1970). */
  readonly modifiedMs: number | undefined;
  /** Facts found while reading that are not errors (bytes after the end). */
  readonly notes: string[];
  /** The decompressed content; can be read once. Throws SourceError, DaybookError limit-exceeded. */
  blocks(): AsyncGenerator<Uint8Array>;
  /** Releases the raw bytes if `blocks` is not read to its end. */
  close(): Promise<void>;
}

/** Throws CutOff if the data ends too early, Error if it is damaged. */
export type Decoder = (
  source: ByteSource,
  notes: string[],
  sums: Sums,
) => AsyncGenerator<Uint8Array>;

const DECODERS: Readonly<Record<Exclude<Compression, 'none'>, Decoder>> = {
  gzip: gunzip,
  bzip2: bunzip2,
  xz: unxz,
  zstd: unzstd,
};

/** Bytes passed to the native decoders at a time; limits the output of one call. */
const PIECE_BYTES = 64 * 1024;
const CHUNK_BYTES = 256 * 1024;
/** Output that may wait for its reader. */
const QUEUE_BYTES = 1024 * 1024;
/** Number of bytes that identify the compression. */
const MAGIC_BYTES = 10;

/** The compression of a content that begins with `head` (at least MAGIC_BYTES, if it has them). */
export function compressionOf(head: Uint8Array): Compression {
  if (head.length < 4) return 'none';
  const word = ((head[0]! << 24) | (head[1]! << 16) | (head[2]! << 8) | head[3]!) >>> 0;
  if (word >>> 8 === 0x1f8b08 && (head[3]! & 0xe0) === 0) return 'gzip';
  if (word === 0x28b52ffd) return 'zstd';
  if (word === 0xfd377a58 && head[4] === 0x5a && head[5] === 0) return 'xz';
  if (word >>> 8 === 0x425a68 && head[3]! >= 0x31 && head[3]! <= 0x39 && isBlockMagic(head)) {
    return 'bzip2';
  }
  return 'none';
}

/** The 48 bits after `BZh9`: those of a block, or of the end of an empty stream. */
function isBlockMagic(head: Uint8Array): boolean {
  const block = [0x31, 0x41, 0x59, 0x26, 0x53, 0x59];
  const end = [0x17, 0x72, 0x45, 0x38, 0x50, 0x90];
  const size = Math.min(6, head.length - 4);
  const equal = (magic: number[]) =>
    magic.slice(0, size).filter((b, i) => head[4 + i] === b).length;
  if (equal(block) === size || equal(end) === size) return true;
  // A damaged first block is treated as what it was: no text has control characters here.
  return size === 6 && (equal(block) > 2 || head.subarray(4, 10).some((byte) => byte < 9));
}

/** Opens a content whose stored bytes are `raw`. Reads only its first bytes. */
export async function openContent(
  raw: AsyncIterable<Uint8Array>,
  limits: DecompressionLimits = DEFAULT_LIMITS,
): Promise<Content> {
  const notes: string[] = [];
  return openLayer(new ByteSource(raw), limits, limits.maxLayers, notes);
}

async function openLayer(
  source: ByteSource,
  limits: DecompressionLimits,
  layers: number,
  notes: string[],
): Promise<Content> {
  await source.ensure(MAGIC_BYTES);
  const head = source.buffer.subarray(source.at, Math.min(source.end, source.at + MAGIC_BYTES));
  const compression = compressionOf(head);
  if (compression === 'none') {
    return {
      compression,
      modifiedMs: undefined,
      notes,
      blocks: () => rest(source),
      close: () => source.close(),
    };
  }
  if (layers === 0) {
    await source.close();
    throw new LimitError(`compressed more than ${limits.maxLayers} times over`, '--max-depth');
  }
  const seconds =
    compression === 'gzip' && head.length >= 8 ? Buffer.from(head).readUInt32LE(4) : 0;
  const decoded = decode(source, compression, limits, notes);
  const inner = await openLayer(new ByteSource(decoded), limits, layers - 1, notes);
  return {
    compression,
    modifiedMs: inner.modifiedMs ?? (seconds > 0 ? seconds * 1000 : undefined),
    notes,
    blocks: inner.blocks,
    close: async () => {
      await inner.close();
      await decoded.return(undefined);
      await source.close();
    },
  };
}

/** The rest of a source, followed by its failure. */
async function* rest(source: ByteSource): AsyncGenerator<Uint8Array> {
  try {
    do {
      if (source.available > 0) {
        const block = source.buffer.subarray(source.at, source.end);
        source.at = source.end;
        yield block;
      }
    } while (await source.more());
    if (source.failure.length > 0) throw source.failure[0];
  } finally {
    await source.close();
  }
}

/**
 * The content with stored bytes `raw`, of any compression, including intact parts after damage
 * (`SourceInput.pieces`).
 */
export async function* piecesOf(
  raw: () => AsyncIterable<Uint8Array>,
  compression: Exclude<Compression, 'none'>,
  limits: DecompressionLimits,
  notes: string[],
): AsyncGenerator<Uint8Array> {
  const source = new ByteSource(raw());
  let isFirst = true;
  for await (const block of decode(source, compression, limits, notes, true)) {
    if (isFirst && compressionOf(block) !== 'none') {
      // Two layers: of the inner one nothing can be read after damage.
      const content = await openContent(raw(), limits);
      try {
        yield* content.blocks();
      } finally {
        await content.close();
      }
      return;
    }
    isFirst = false;
    yield block;
  }
}

async function* decode(
  source: ByteSource,
  compression: Exclude<Compression, 'none'>,
  limits: DecompressionLimits,
  notes: string[],
  goOn = false,
): AsyncGenerator<Uint8Array> {
  const decoder = DECODERS[compression];
  try {
    yield* checked(source, (sums) => decoder(source, notes, sums), {
      content: `${compression} data`,
      holdBytes: limits.holdBytes,
      unchecked: limits.unchecked,
      goOn,
      checkLimits: (produced) => checkLimits(limits, compression, source.position, produced),
    });
  } finally {
    await source.close();
  }
}

/** Throws if the output exceeds the limits. */
export function checkLimits(
  limits: DecompressionLimits,
  content: string,
  consumed: number,
  produced: number,
): void {
  limits.meter?.(produced);
  if (produced > limits.maxBytes) {
    throw new LimitError(
      `${content} content is larger than ${limits.maxBytes} bytes (--max-bytes)`,
      '--max-bytes',
    );
  }
  if (produced > limits.ratioFrom && produced > consumed * limits.maxRatio) {
    throw new LimitError(
      `${content} content is more than ${limits.maxRatio} times as large as its data (--max-ratio)`,
      '--max-ratio',
    );
  }
}

/** The units of a compression, each of which is decoded separately. */
interface Units extends UnitKind {
  /** Decodes the unit at the source's position; returns whether a checksum matched. */
  readonly read: (source: ByteSource) => AsyncGenerator<Uint8Array, boolean>;
}

async function* unitsOf(
  source: ByteSource,
  notes: string[],
  sums: Sums,
  units: Units,
): AsyncGenerator<Uint8Array> {
  const readOn = new ReadOn(source, sums, units);
  for (let hasMore = true; hasMore;) {
    const from = source.position;
    try {
      sums.unit(yield* units.read(source));
    } catch (error) {
      await readOn.after(from, error);
      continue;
    }
    hasMore = await readOn.next(notes);
  }
}

const GZIP: Units = {
  ...{ read: gzipMember, begins: isGzip, find: findGzip, magicBytes: 4, headerBytes: 10 },
  name: 'one',
};

function gunzip(source: ByteSource, notes: string[], sums: Sums): AsyncGenerator<Uint8Array> {
  return unitsOf(source, notes, sums, GZIP);
}

async function* gzipMember(source: ByteSource): AsyncGenerator<Uint8Array, boolean> {
  await skipGzipHeader(source);
  let crc = 0;
  let size = 0;
  for await (const block of run(createInflateRaw({ chunkSize: CHUNK_BYTES }), source)) {
    crc = crc32(block, crc);
    size += block.length;
    yield block;
  }
  if (!(await source.ensure(8))) throw new CutOff('ends within the trailer');
  const trailer = source.buffer.subarray(source.at, source.at + 8);
  if (trailer.readUInt32LE(0) !== crc) throw new Error('checksum differs');
  if (trailer.readUInt32LE(4) !== size % 2 ** 32) throw new Error('size differs');
  source.at += 8;
  return true;
}

function isGzip(source: ByteSource): boolean {
  const { buffer, at } = source;
  return buffer[at] === 0x1f && buffer[at + 1] === 0x8b && buffer[at + 2] === 8;
}

const GZIP_MAGIC = Buffer.from([0x1f, 0x8b, 8]);
/** The last system that RFC 1952 has a number for, and the one that is unknown. */
const MOST_SYSTEM = 13;
const UNKNOWN_SYSTEM = 255;

/** With existing flags, level and system. */
function findGzip(buffer: Buffer, at: number, end: number): number {
  for (let from = at; ; from += 1) {
    from = buffer.indexOf(GZIP_MAGIC, from);
    if (from < 0 || from + 10 > end) return -1;
    const [flags, level, system] = [buffer[from + 3]!, buffer[from + 8]!, buffer[from + 9]!];
    if ((flags & 0xe0) !== 0 || (level !== 0 && level !== 2 && level !== 4)) continue;
    if (system <= MOST_SYSTEM || system === UNKNOWN_SYSTEM) return from;
  }
}

async function skipGzipHeader(source: ByteSource): Promise<void> {
  const cut = new CutOff('ends within the header');
  if (!(await source.ensure(10))) throw cut;
  const method = source.buffer[source.at + 2]!;
  const flags = source.buffer[source.at + 3]!;
  if (method !== 8 || (flags & 0xe0) !== 0) throw new Error('unknown header');
  source.at += 10;
  if ((flags & 4) !== 0) {
    if (!(await source.ensure(2))) throw cut;
    const size = source.buffer.readUInt16LE(source.at);
    if (!(await source.skip(2 + size))) throw cut;
  }
  for (const flag of [8, 16]) {
    if ((flags & flag) === 0) continue;
    for (;;) {
      if (!(await source.ensure(1))) throw cut;
      source.at += 1;
      if (source.buffer[source.at - 1] === 0) break;
    }
  }
  if ((flags & 2) !== 0 && !(await source.skip(2))) throw cut;
}

const ZSTD: Units = {
  ...{ read: zstdUnit, begins: isZstd, find: findZstd, magicBytes: 4, headerBytes: 5 },
  name: 'one',
};

export function unzstd(
  source: ByteSource,
  notes: string[],
  sums: Sums,
): AsyncGenerator<Uint8Array> {
  return unitsOf(source, notes, sums, ZSTD);
}

async function* zstdUnit(source: ByteSource): AsyncGenerator<Uint8Array, boolean> {
  const magic = (await zstdBytes(source, 4, 'a header')).readUInt32LE(0);
  if (magic !== ZSTD_MAGIC) {
    const size = (await zstdBytes(source, 8, 'a header')).readUInt32LE(4);
    if (!(await source.skip(8 + size))) throw new CutOff('ends within a frame to be skipped');
    return true;
  }
  const hasSum = ((await zstdBytes(source, 5, 'a header'))[4]! & 4) !== 0;
  // Each frame separately: the decoder would take what follows a whole one for damage of it.
  const one = new ByteSource(zstdFrame(source));
  try {
    yield* run(createZstdDecompress({ chunkSize: CHUNK_BYTES }), one);
  } catch (error) {
    throw one.failure.length > 0 ? one.failure[0] : error;
  } finally {
    await one.close();
  }
  return hasSum;
}

const ZSTD_MAGIC = 0xfd2fb528;
/** Of any block, including runs (RFC 8878, 3.1.1.2.3). */
const ZSTD_MOST_BLOCK = 128 * 1024;

async function zstdBytes(source: ByteSource, n: number, where: string): Promise<Buffer> {
  if (!(await source.ensure(n))) throw new CutOff(`ends within ${where}`);
  return source.buffer.subarray(source.at, source.at + n);
}

/** The bytes of the frame at which `source` is: its header, blocks and checksum (RFC 8878, 3.1.1). */
async function* zstdFrame(source: ByteSource): AsyncGenerator<Uint8Array> {
  const take = async function* (n: number): AsyncGenerator<Uint8Array> {
    if ((yield* source.take(n)) > 0) throw new CutOff('ends within a frame');
  };
  const descriptor = (await zstdBytes(source, 5, 'a header'))[4]!;
  const isSingle = (descriptor & 0x20) !== 0;
  const window = isSingle ? 0 : 1;
  const dictionary = [0, 1, 2, 4][descriptor & 3]!;
  const size = [isSingle ? 1 : 0, 2, 4, 8][descriptor >>> 6]!;
  yield* take(5 + window + dictionary + size);
  for (;;) {
    const header = (await zstdBytes(source, 3, 'a frame')).readUIntLE(0, 3);
    // Checked before that many bytes are consumed: there may be whole frames among them.
    if (header >>> 3 > ZSTD_MOST_BLOCK) throw new Error('impossible size of a block');
    const isRun = ((header >>> 1) & 3) === 1;
    yield* take(3 + (isRun ? 1 : header >>> 3));
    if ((header & 1) !== 0) break;
  }
  if ((descriptor & 4) !== 0) yield* take(4);
}

/** A frame, or one to be skipped (RFC 8878, 3.1.2). */
function isZstd(source: ByteSource): boolean {
  if (source.available < 4) return false;
  const magic = source.buffer.readUInt32LE(source.at);
  return magic === ZSTD_MAGIC || (magic & 0xfffffff0) >>> 0 === 0x184d2a50;
}

const ZSTD_START = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

/** A frame, not one to be skipped. */
function findZstd(buffer: Buffer, at: number, end: number): number {
  for (let from = at; ; from += 1) {
    from = buffer.indexOf(ZSTD_START, from);
    if (from < 0 || from + 5 > end) return -1;
    if ((buffer[from + 4]! & 8) === 0) return from;
  }
}

/** Raw deflate data, up to its end; what follows stays in `source`. */
export function inflateRaw(source: ByteSource): AsyncGenerator<Uint8Array> {
  return run(createInflateRaw({ chunkSize: CHUNK_BYTES }), source);
}

/**
 * Feeds one frame to a native decoder. The stream's iterator would drop decoded data on failure, so its events are
 * handled individually.
 */
async function* run(
  engine: Transform & { readonly bytesWritten: number },
  source: ByteSource,
): AsyncGenerator<Uint8Array> {
  const queue: Buffer[] = [];
  let queued = 0;
  let written = false;
  let ended = false;
  const errors: Error[] = [];
  let wake: (() => void) | undefined;
  const signal = () => {
    wake?.();
    wake = undefined;
  };
  engine.on('data', (block: Buffer) => {
    queue.push(block);
    queued += block.length;
    if (queued >= QUEUE_BYTES) {
      engine.pause();
      signal();
    }
  });
  engine.on('end', () => {
    ended = true;
    signal();
  });
  engine.on('error', (error) => {
    errors.push(error);
    signal();
  });
  const onWritten = () => {
    written = true;
    signal();
  };
  try {
    let finishing = false;
    while (!ended) {
      let size = 0;
      const before = engine.bytesWritten;
      written = false;
      if (source.available > 0 || (await source.more())) {
        size = Math.min(PIECE_BYTES, source.available);
        if (size === 0) continue;
        engine.write(source.buffer.subarray(source.at, source.at + size), onWritten);
      } else {
        finishing = true;
        engine.end();
      }
      for (;;) {
        while (queue.length > 0) {
          const block = queue.shift()!;
          queued -= block.length;
          yield block;
        }
        if (errors.length > 0) throw errors[0];
        if (ended || (written && !finishing)) break;
        const changed = new Promise<void>((resolve) => {
          wake = resolve;
        });
        engine.resume();
        await changed;
      }
      source.at += ended && !finishing ? engine.bytesWritten - before : size;
    }
  } finally {
    engine.destroy();
  }
}
