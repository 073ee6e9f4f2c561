/**
 * zstd (RFC 8878) for many short runs of bytes. `zstdCompressSync` creates a stream and a context for each call,
 * which takes five times as long as compressing 2 KB, and `zstdDecompressSync` ten times as long as decompressing;
 * here both are reused, and the frames are the same.
 *
 * Node has no public API for that: this uses the parts of a stream that Node's `…Sync` functions use. If they have
 * changed, or fail, those functions are called instead.
 */
import {
  constants,
  createZstdCompress,
  createZstdDecompress,
  zstdCompressSync,
  zstdDecompressSync,
} from 'node:zlib';
import type { Transform } from 'node:stream';

/**
 * Larger outputs get fresh memory: allocating is a small part of their cost, and a reused buffer would hold it
 * forever.
 */
const MOST_BYTES = 1 << 18;
/** Minimum buffer size of `zstdDecompressSync`: with smaller ones it collects and joins pieces. */
const MIN_CHUNK = 64;

/** The internal handle of a `node:zlib` stream. */
interface Handle {
  /** Sets the stream's state: bytes of `out` that are left, bytes of `input` that are left. */
  writeSync(
    flush: number,
    input: Uint8Array,
    inputAt: number,
    inputSize: number,
    out: Uint8Array,
    outAt: number,
    outSize: number,
  ): void;
}

interface Engine {
  readonly stream: { readonly destroyed: boolean };
  readonly handle: Handle;
  readonly state: Uint32Array;
}

export class Compressor {
  private readonly params: Record<number, number>;
  /** Undefined until the first call; null if it is unusable. */
  private engine: Engine | null | undefined;
  private out = new Uint8Array(0);

  constructor(level: number) {
    this.params = { [constants.ZSTD_c_compressionLevel]: level };
  }

  /** `bytes` as one frame, which is good until the next call. */
  compress(bytes: Uint8Array): Uint8Array {
    const { length } = bytes;
    // In one piece: more than a frame of `length` bytes can take.
    const most = length + (length >>> 7) + 512;
    const engine = length > MOST_BYTES ? null : this.kept();
    if (engine !== null) {
      if (this.out.length < most) this.out = new Uint8Array(most);
      const { stream, handle, state } = engine;
      handle.writeSync(constants.ZSTD_e_end, bytes, 0, length, this.out, 0, this.out.length);
      const left = state[0]!;
      if (!stream.destroyed && state[1] === 0 && left > 0)
        return this.out.subarray(0, this.out.length - left);
      this.engine = null;
    }
    return zstdCompressSync(bytes, { params: this.params, chunkSize: most });
  }

  private kept(): Engine | null {
    if (this.engine === undefined)
      this.engine = engineOf(createZstdCompress({ params: this.params }));
    return this.engine;
  }
}

export class Decompressor {
  private engine: Engine | null | undefined;

  /**
   * The content of one frame, if it has `length` bytes; otherwise the result of `zstdDecompressSync`.
   * @throws its errors: damaged data, or more of it
   */
  decompress(frame: Uint8Array, length: number): Uint8Array {
    const engine = length > MOST_BYTES ? null : this.kept();
    if (engine !== null) {
      // With one byte more than needed, which must stay unchanged: that proves that all has been read.
      const out = new Uint8Array(length + 1);
      const { stream, handle, state } = engine;
      handle.writeSync(constants.ZSTD_e_end, frame, 0, frame.length, out, 0, out.length);
      if (!stream.destroyed && state[1] === 0 && state[0] === 1) return out.subarray(0, length);
      // It may be in the middle of a frame.
      this.engine = undefined;
    }
    return zstdDecompressSync(frame, {
      maxOutputLength: Math.max(1, length),
      chunkSize: Math.max(MIN_CHUNK, length),
    });
  }

  private kept(): Engine | null {
    if (this.engine === undefined) this.engine = engineOf(createZstdDecompress());
    return this.engine;
  }
}

function engineOf(stream: Transform): Engine | null {
  // An error is seen by the stream's being destroyed.
  stream.on('error', () => undefined);
  const handle: unknown = Reflect.get(stream, '_handle');
  const state: unknown = Reflect.get(stream, '_writeState');
  return isHandle(handle) && state instanceof Uint32Array && state.length === 2
    ? { stream, handle, state }
    : null;
}

function isHandle(value: unknown): value is Handle {
  return (
    typeof value === 'object' &&
    value !== null &&
    'writeSync' in value &&
    typeof value.writeSync === 'function'
  );
}
