/** Decodes HTTP's content encodings (RFC 9110, 8.4.1). */
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
  /** Whether truncated bytes are decoded as far as possible. */
  readonly isPartial?: boolean;
}

/** Faults of encoded bytes that browsers nevertheless decode. */
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
    // Some servers send deflate without its header.
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
    // Bytes that begin like another member belong to the content.
    if (isSure && rest[0] !== GZIP_MAGIC) return { content, flaw: 'other bytes after its end' };
    throw error;
  }
};

type Decompress = (bytes: Uint8Array, options: object) => Uint8Array;

/** The output, and the number of encoded bytes consumed for it. */
function withInfo(
  decompress: Decompress,
  bytes: Uint8Array,
  options: object,
): { readonly content: Uint8Array; readonly read: number } {
  // The types do not describe the result of `info`.
  const { buffer, engine } = decompress(bytes, { ...options, info: true }) as unknown as {
    readonly buffer: Uint8Array;
    readonly engine: { readonly bytesWritten: number };
  };
  return { content: buffer, read: engine.bytesWritten };
}

/** What `decompress` accepts without an error. It ignores bytes after the end. */
function decoded(decompress: Decompress, bytes: Uint8Array, options: object): Decoded {
  const { content, read } = withInfo(decompress, bytes, options);
  return { content, flaw: read < bytes.length ? 'other bytes after its end' : undefined };
}

/** Whether content is larger than it may become: decoding it once more would take as long, for nothing. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
}

/** The compressed data after a header, and its end; undefined if there is no header. */
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

/** @throws Error if the bytes are not encoded so, or the output exceeds the limit */
export function decodeContent(
  bytes: Uint8Array,
  encoding: string,
  options: DecodeOptions,
): Decoded {
  const decoder = DECODERS.get(encoding);
  if (decoder === undefined) throw new Error(`there is no encoding ${encoding}`);
  return decoder(bytes, options);
}
