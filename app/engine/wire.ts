/**
 * The protocol by which frames of several windows share the standard streams of the engine's process, used by both
 * sides. Also runs in Electron's main process: plain Node 12.
 *
 * Every message is a head of 8 bytes, both numbers little-endian, and its body:
 *   u32  length of the body
 *   u32  the message's type in the two highest bits, the channel in the others Types:
 *   FRAME  either way: one frame of the contract
 *   OPEN   to the engine, no body: a window is there. The engine's first frame on it is `hello`.
 *   CLOSE  either way, no body: the window was closed, or is released
 *   TAKEN  to the engine, u32: bytes of frames that the window has taken since the last TAKEN.
 *          The engine holds back parts while more than WINDOW_BYTES are in flight. When the engine's standard input
 *          ends it finishes and exits.
 */
import { MAX_FRAME_BYTES } from '../../engine/contract/wire/frame.ts';

export const FRAME = 0;
export const OPEN = 1;
export const CLOSE = 2;
export const TAKEN = 3;

/** Bytes that may be in flight to one window before its parts wait. */
export const WINDOW_BYTES = 4 << 20;
/** Number of taken bytes after which a shell sends TAKEN. */
export const TAKEN_STEP = 256 << 10;

const HEAD = 8;
const TYPE_SHIFT = 30;
const CHANNELS = 2 ** TYPE_SHIFT;

/** A message's head; its body is to follow. */
export function wireHead(type: number, channel: number, length: number): Uint8Array {
  const head = new Uint8Array(HEAD);
  const view = new DataView(head.buffer);
  view.setUint32(0, length, true);
  view.setUint32(4, type * CHANNELS + channel, true);
  return head;
}

/** A whole TAKEN message. */
export function takenMessage(channel: number, bytes: number): Uint8Array {
  const message = new Uint8Array(HEAD + 4);
  message.set(wireHead(TAKEN, channel, 4));
  new DataView(message.buffer).setUint32(HEAD, bytes, true);
  return message;
}

/** The number in a TAKEN message's body. */
export function takenBytes(body: Uint8Array): number {
  return body.length === 4 ? new DataView(body.buffer, body.byteOffset, 4).getUint32(0, true) : 0;
}

type OnMessage = (type: number, channel: number, body: Uint8Array) => void;

/** Assembles messages from chunks of any size. Each body is a separate buffer. */
export class WireReader {
  private readonly onMessage: OnMessage;
  private readonly head = new Uint8Array(HEAD);
  private headFilled = 0;
  private body: Uint8Array | undefined;
  private bodyFilled = 0;

  constructor(onMessage: OnMessage) {
    this.onMessage = onMessage;
  }

  /** @throws RangeError if the stream is invalid: it cannot be read any further */
  push(chunk: Uint8Array): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.body === undefined) {
        const size = Math.min(HEAD - this.headFilled, chunk.length - at);
        this.head.set(chunk.subarray(at, at + size), this.headFilled);
        this.headFilled += size;
        at += size;
        if (this.headFilled < HEAD) return;
        const length = new DataView(this.head.buffer).getUint32(0, true);
        if (length > MAX_FRAME_BYTES) throw new RangeError(`a frame of ${length} bytes`);
        this.body = new Uint8Array(length);
        this.bodyFilled = 0;
      }
      const size = Math.min(this.body.length - this.bodyFilled, chunk.length - at);
      this.body.set(chunk.subarray(at, at + size), this.bodyFilled);
      this.bodyFilled += size;
      at += size;
      if (this.bodyFilled < this.body.length) return;
      const word = new DataView(this.head.buffer).getUint32(4, true);
      const body = this.body;
      this.body = undefined;
      this.headFilled = 0;
      this.onMessage(Math.floor(word / CHANNELS), word % CHANNELS, body);
    }
  }
}
