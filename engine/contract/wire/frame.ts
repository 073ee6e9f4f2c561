/**
 * Frames: the messages between a window and the engine, as bytes. One format for every pipe (a child's standard
 * streams, a WebSocket, Electron's message ports), so that shells move bytes and understand none of them.
 *
 * A frame is: u32 length of the head in bytes, the head as JSON in UTF-8 padded with spaces to a multiple of 8
 * bytes (less the 4 of the length), then the typed arrays, each aligned to 8 bytes. In the head a typed array is
 * `{"$bin": [type, from, count]}`. All numbers are little-endian.
 */
import type { ErrorCode } from '../errors.ts';

export const CONTRACT_VERSION = 1;

/** Larger frames are refused: nothing in the contract comes near this size. */
export const MAX_FRAME_BYTES = 64 << 20;

/**
 * Limit for the head of a frame from a window; anything large in the contract is binary. A mebibyte of JSON becomes
 * tens of megabytes of objects; a whole frame of it would become gigabytes.
 */
export const MAX_CALL_HEAD_BYTES = 1 << 20;
/** Nesting of objects; the contract needs about ten levels. */
const MAX_DEPTH = 64;

/** The WebSocket's subprotocol; a page offers its session's key next to it. */
export const FRAMES_PROTOCOL = 'daybook';
/** The name under which a page of the web shell finds that key in its origin's storage. */
export const KEY_NAME = 'daybook-key';

/** Number of bytes in the head of a frame. */
export function headBytes(frame: Uint8Array): number {
  return new DataView(frame.buffer, frame.byteOffset, frame.length).getUint32(0, true);
}

/** An error as people see it, wherever it happened. */
export interface ErrorInfo {
  readonly code: ErrorCode | 'engine-down';
  readonly message: string;
  /** What to do next. */
  readonly hint?: string | undefined;
  /** Position in the query's text, in UTF-16 units. */
  readonly position?: number | undefined;
}

/**
 * Window to engine. `id` is chosen by the window and unique among its running calls. `start` asks the shell to restart an
 * engine that it gave up.
 */
export type ClientFrame =
  | { readonly frame: 'call'; readonly id: number; readonly op: string; readonly params: unknown }
  | { readonly frame: 'cancel'; readonly id: number }
  | { readonly frame: 'start' };

/** Engine to window; `engine` comes from the shell that watches the engine's process. */
export type EngineFrame =
  | {
      readonly frame: 'hello';
      readonly contract: number;
      readonly version: string;
      readonly pid: number;
    }
  | { readonly frame: 'part'; readonly id: number; readonly part: unknown }
  | { readonly frame: 'done'; readonly id: number; readonly result: unknown }
  | { readonly frame: 'error'; readonly id: number; readonly error: ErrorInfo }
  | {
      readonly frame: 'engine';
      readonly state: 'starting' | 'ready' | 'down';
      /** Number of restarts since the shell started. */
      readonly restarts: number;
      readonly reason?: string | undefined;
      /**
       * State `down`: milliseconds after which the shell restarts the engine, or `on-request` if only the frame
       * `start` does. Absent if only another window can still reach an engine.
       */
      readonly restart?: number | 'on-request' | undefined;
    };

const ARRAYS = {
  u8: Uint8Array,
  u16: Uint16Array,
  u32: Uint32Array,
  i32: Int32Array,
  f64: Float64Array,
} as const;
type ArrayName = keyof typeof ARRAYS;
type Binary = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array;

const NAMES = Object.keys(ARRAYS).filter((name): name is ArrayName => name in ARRAYS);
const REFERENCE = '$bin';
const ESCAPED = '$esc';
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });

function arrayName(value: object): ArrayName | undefined {
  return NAMES.find((name) => value instanceof ARRAYS[name]);
}

const aligned = (bytes: number): number => (bytes + 7) & ~7;

/** Encodes a frame. */
export function encodeFrame(frame: ClientFrame | EngineFrame): Uint8Array {
  const binaries: { from: number; array: Binary }[] = [];
  let size = 0;
  const put = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) {
      return typeof value === 'bigint' ? value.toString() : value;
    }
    if (Array.isArray(value)) return value.map(put);
    const name = arrayName(value);
    if (name !== undefined) {
      const array = value as Binary;
      binaries.push({ from: size, array });
      const reference = { [REFERENCE]: [name, size, array.length] };
      size = aligned(size + array.byteLength);
      return reference;
    }
    const out: Record<string, unknown> = {};
    for (const [key, one] of Object.entries(value)) {
      Object.defineProperty(out, key, { value: put(one), enumerable: true });
    }
    return REFERENCE in out || ESCAPED in out ? { [ESCAPED]: out } : out;
  };
  const head = encoder.encode(JSON.stringify(put(frame)));
  const body = aligned(4 + head.length);
  const bytes = new Uint8Array(body + size).fill(32, 4 + head.length, body);
  new DataView(bytes.buffer).setUint32(0, body - 4, true);
  bytes.set(head, 4);
  for (const { from, array } of binaries) {
    bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), body + from);
  }
  return bytes;
}

/**
 * Decodes a frame. Its typed arrays are views of `bytes` (or of a copy, if `bytes` is not aligned). The types of
 * fields are not checked: the host validates them.
 * @param mostHead maximum size of the head in bytes
 * @throws RangeError if the bytes are not a frame
 */
export function decodeFrame(bytes: Uint8Array, mostHead = MAX_FRAME_BYTES): unknown {
  // Not `slice`: a Buffer's `slice` is a view with the same alignment.
  const whole = bytes.byteOffset % 8 === 0 ? bytes : new Uint8Array(bytes);
  if (whole.length < 4) throw new RangeError('a frame has at least 4 bytes');
  const head = new DataView(whole.buffer, whole.byteOffset).getUint32(0, true);
  const body = 4 + head;
  if (body > whole.length) throw new RangeError('a frame is shorter than its head says');
  if (head > mostHead) throw new RangeError(`a head of ${head} bytes: at most ${mostHead}`);
  let parsed: unknown;
  try {
    parsed = JSON.parse(decoder.decode(whole.subarray(4, body)));
  } catch {
    throw new RangeError('the head of a frame is not JSON in UTF-8');
  }
  const resolve = (value: unknown, depth: number): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (depth > MAX_DEPTH) throw new RangeError('a frame of too many objects in objects');
    if (Array.isArray(value)) return value.map((one) => resolve(one, depth + 1));
    if (REFERENCE in value) return binaryAt(whole, body, value[REFERENCE]);
    const source = ESCAPED in value ? value[ESCAPED] : value;
    if (typeof source !== 'object' || source === null) throw new RangeError('a bad escape');
    const out: Record<string, unknown> = {};
    for (const [key, one] of Object.entries(source)) {
      Object.defineProperty(out, key, {
        value: resolve(one, depth + 1),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
    return out;
  };
  return resolve(parsed, 0);
}

function binaryAt(bytes: Uint8Array, body: number, reference: unknown): Binary {
  if (!Array.isArray(reference)) throw new RangeError('a bad reference to binary data');
  const [name, from, count] = reference as unknown[];
  const array = NAMES.find((one) => one === name);
  if (
    array === undefined ||
    typeof from !== 'number' ||
    typeof count !== 'number' ||
    !Number.isSafeInteger(from) ||
    !Number.isSafeInteger(count) ||
    from < 0 ||
    count < 0 ||
    from % 8 !== 0
  ) {
    throw new RangeError('a bad reference to binary data');
  }
  const type = ARRAYS[array];
  const start = body + from;
  if (start + count * type.BYTES_PER_ELEMENT > bytes.length) {
    throw new RangeError('a reference to binary data beyond its frame');
  }
  return new type(bytes.buffer as ArrayBuffer, bytes.byteOffset + start, count);
}
