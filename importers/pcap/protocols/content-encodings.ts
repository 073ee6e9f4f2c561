/** How HTTP encodes bodies (RFC 9110, 8.4.1), and gives them back. */
import {
  brotliDecompressSync,
  constants,
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

export interface Decoded {
  readonly content: Uint8Array;
  /** Whether its checksum or length is wrong, or other bytes follow it. Browsers show it all the same. */
  readonly endsWrongly: boolean;
}

type Decoder = (bytes: Uint8Array, options: DecodeOptions) => Decoded;

const zlibOptions = ({ maxOutputLength, isPartial = false }: DecodeOptions) => ({
  maxOutputLength,
  ...(isPartial ? { finishFlush: constants.Z_SYNC_FLUSH } : {}),
});

/** Some servers send deflate without the header that it should have. */
const inflate: Decoder = (bytes, options) =>
  leniently(zlibOptions(options), bytes, inflateSync, zlibHeaderSize(bytes) ?? 0);

const gunzip: Decoder = (bytes, options) =>
  leniently(zlibOptions(options), bytes, gunzipSync, gzipHeaderSize(bytes));

/** @param header bytes before the compressed data, which are read alone if the whole has a flaw; undefined: it is none */
function leniently(
  options: ReturnType<typeof zlibOptions>,
  bytes: Uint8Array,
  decode: typeof gunzipSync,
  header: number | undefined,
): Decoded {
  try {
    return { content: decode(bytes, options), endsWrongly: false };
  } catch (error) {
    const isData = error instanceof Error && 'code' in error && error.code === 'Z_DATA_ERROR';
    if (header === undefined || !isData) throw error;
    const content = inflateRawSync(bytes.subarray(header), options);
    return { content, endsWrongly: header > 0 };
  }
}

/** RFC 1950, 2.2. */
function zlibHeaderSize(bytes: Uint8Array): number | undefined {
  const [first = 0, second = 0] = bytes;
  return (first & 15) === 8 && ((first << 8) | second) % 31 === 0 ? 2 : undefined;
}

/** RFC 1952, 2.3; undefined: it has fields that senders of HTTP leave out. */
function gzipHeaderSize(bytes: Uint8Array): number | undefined {
  const FIXED = 10;
  return bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 8 && bytes[3] === 0
    ? FIXED
    : undefined;
}

const DECODERS: ReadonlyMap<string, Decoder> = new Map([
  ['gzip', gunzip],
  ['x-gzip', gunzip],
  ['deflate', inflate],
  [
    'br',
    (bytes, { maxOutputLength, isPartial = false }) => ({
      content: brotliDecompressSync(bytes, {
        maxOutputLength,
        ...(isPartial ? { finishFlush: constants.BROTLI_OPERATION_FLUSH } : {}),
      }),
      endsWrongly: false,
    }),
  ],
  [
    'zstd',
    (bytes, { maxOutputLength, isPartial = false }) => ({
      content: zstdDecompressSync(bytes, {
        maxOutputLength,
        ...(isPartial ? { finishFlush: constants.ZSTD_e_flush } : {}),
      }),
      endsWrongly: false,
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
