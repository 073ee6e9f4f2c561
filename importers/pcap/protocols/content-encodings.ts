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

type Decoder = (bytes: Uint8Array, options: DecodeOptions) => Uint8Array;

const zlibOptions = ({ maxOutputLength, isPartial = false }: DecodeOptions) => ({
  maxOutputLength,
  ...(isPartial ? { finishFlush: constants.Z_SYNC_FLUSH } : {}),
});

/** Some servers send deflate without the header that it should have. */
const inflate: Decoder = (bytes, options) => {
  try {
    return inflateSync(bytes, zlibOptions(options));
  } catch {
    return inflateRawSync(bytes, zlibOptions(options));
  }
};

const gunzip: Decoder = (bytes, options) => gunzipSync(bytes, zlibOptions(options));

const DECODERS: ReadonlyMap<string, Decoder> = new Map([
  ['gzip', gunzip],
  ['x-gzip', gunzip],
  ['deflate', inflate],
  [
    'br',
    (bytes, { maxOutputLength, isPartial = false }) =>
      brotliDecompressSync(bytes, {
        maxOutputLength,
        ...(isPartial ? { finishFlush: constants.BROTLI_OPERATION_FLUSH } : {}),
      }),
  ],
  [
    'zstd',
    (bytes, { maxOutputLength, isPartial = false }) =>
      zstdDecompressSync(bytes, {
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
): Uint8Array {
  const decoder = DECODERS.get(encoding);
  if (decoder === undefined) throw new Error(`there is no encoding ${encoding}`);
  return decoder(bytes, options);
}
