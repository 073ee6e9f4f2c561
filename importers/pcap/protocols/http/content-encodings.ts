/** How HTTP encodes bodies (RFC 9110, 8.4.1), and gives them back. */
import {
  brotliDecompressSync,
  constants,
  crc32,
  gunzipSync,
  inflateRawSync,
  inflateSync,
  zstdDecompressSync,
} from 'node:zlib';

interface DecodeOptions {
  readonly maxOutputLength: number;
  /** Whether bytes that end too early are decoded as far as they go. */
  readonly isPartial?: boolean;
}

/** What is wrong with encoded bytes that browsers decode all the same. */
type Flaw = 'a wrong checksum' | 'other bytes after its end';

export interface Decoded {
  readonly content: Uint8Array;
  readonly flaw: Flaw | undefined;
}

type Decoder = (bytes: Uint8Array, options: DecodeOptions) => Decoded;

const zlibOptions = ({ maxOutputLength, isPartial = false }: DecodeOptions) => ({
  maxOutputLength,
  ...(isPartial ? { finishFlush: constants.Z_SYNC_FLUSH } : {}),
});

/** Bytes of the checksum after the compressed data, of gzip with the length. */
const [ZLIB_END, GZIP_END] = [4, 8];

const inflate: Decoder = (bytes, options) => {
  try {
    return decoded(inflateSync, bytes, zlibOptions(options));
  } catch (error) {
    if (isTooLarge(error)) throw error;
    const found = compressed(bytes, options, zlibHeaderSize(bytes));
    if (found !== undefined && found.end + ZLIB_END === bytes.length)
      return { content: found.content, flaw: 'a wrong checksum' };
    // Some servers send deflate without the header that it should have.
    return decoded(inflateRawSync, bytes, zlibOptions(options));
  }
};

const gunzip: Decoder = (bytes, options) => {
  try {
    return decoded(gunzipSync, bytes, zlibOptions(options));
  } catch (error) {
    if (isTooLarge(error)) throw error;
    const found = compressed(bytes, options, gzipHeaderSize(bytes));
    if (found === undefined || found.end + GZIP_END > bytes.length) throw error;
    const { content, end } = found;
    const sums = Buffer.from(bytes.buffer, bytes.byteOffset + end, GZIP_END);
    const isSure =
      sums.readUInt32LE(0) === crc32(content) && sums.readUInt32LE(4) === content.length >>> 0;
    const rest = bytes.subarray(end + GZIP_END);
    if (rest.length === 0 && !isSure) return { content, flaw: 'a wrong checksum' };
    // What begins as another member is a part of the content.
    if (isSure && rest[0] !== GZIP_MAGIC) return { content, flaw: 'other bytes after its end' };
    throw error;
  }
};

type Decompress = (bytes: Uint8Array, options: object) => Uint8Array;

/** What comes out, and how many bytes of the encoded ones were read for it. */
function withInfo(
  decompress: Decompress,
  bytes: Uint8Array,
  options: object,
): { readonly content: Uint8Array; readonly read: number } {
  // The types do not know what `info` gives.
  const { buffer, engine } = decompress(bytes, { ...options, info: true }) as unknown as {
    readonly buffer: Uint8Array;
    readonly engine: { readonly bytesWritten: number };
  };
  return { content: buffer, read: engine.bytesWritten };
}

/** What `decompress` takes without an error. It passes over what comes after its end. */
function decoded(decompress: Decompress, bytes: Uint8Array, options: object): Decoded {
  const { content, read } = withInfo(decompress, bytes, options);
  return { content, flaw: read < bytes.length ? 'other bytes after its end' : undefined };
}

/** Whether content is larger than it may become: decoding it once more would take as long, for nothing. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
}

/** The compressed data after a header, and where it ends; undefined: it is none, or there is no header. */
function compressed(
  bytes: Uint8Array,
  options: DecodeOptions,
  header: number | undefined,
): { readonly content: Uint8Array; readonly end: number } | undefined {
  if (header === undefined) return undefined;
  try {
    const { content, read } = withInfo(
      inflateRawSync,
      bytes.subarray(header),
      zlibOptions(options),
    );
    return { content, end: header + read };
  } catch {
    return undefined;
  }
}

/** RFC 1950, 2.2. */
function zlibHeaderSize(bytes: Uint8Array): number | undefined {
  const [first = 0, second = 0] = bytes;
  return (first & 15) === 8 && ((first << 8) | second) % 31 === 0 ? 2 : undefined;
}

/** The first byte of gzip. */
const GZIP_MAGIC = 0x1f;

/** RFC 1952, 2.3; undefined: it has fields that senders of HTTP leave out. */
function gzipHeaderSize(bytes: Uint8Array): number | undefined {
  const FIXED = 10;
  return bytes[0] === GZIP_MAGIC && bytes[1] === 0x8b && bytes[2] === 8 && bytes[3] === 0
    ? FIXED
    : undefined;
}

const DECODERS: ReadonlyMap<string, Decoder> = new Map([
  ['gzip', gunzip],
  ['x-gzip', gunzip],
  ['deflate', inflate],
  [
    'br',
    (bytes, { maxOutputLength, isPartial = false }) =>
      decoded(brotliDecompressSync, bytes, {
        maxOutputLength,
        ...(isPartial ? { finishFlush: constants.BROTLI_OPERATION_FLUSH } : {}),
      }),
  ],
  [
    'zstd',
    (bytes, { maxOutputLength, isPartial = false }) =>
      decoded(zstdDecompressSync, bytes, {
        maxOutputLength,
        ...(isPartial ? { finishFlush: constants.ZSTD_e_flush } : {}),
      }),
  ],
]);

/** @param encoding in lower case */
export function isContentEncoding(encoding: string): boolean {
  return DECODERS.has(encoding);
}

/** @throws Error where the bytes are not so encoded, or more come out than they may */
export function decodeContent(
  bytes: Uint8Array,
  encoding: string,
  options: DecodeOptions,
): Decoded {
  const decoder = DECODERS.get(encoding);
  if (decoder === undefined) throw new Error(`there is no encoding ${encoding}`);
  return decoder(bytes, options);
}
