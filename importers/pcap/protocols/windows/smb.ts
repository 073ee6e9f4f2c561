/**
 * SMB 1 ([MS-CIFS], [MS-SMB]), 2 and 3 ([MS-SMB2]) over TCP, if it is not encrypted: connected shares, files that
 * are opened, read, written, renamed and deleted, DCE/RPC calls in pipes, and NTLM logins.
 *
 * Invariants: messages are buffered up to a limit, file data as described in `smb-files.ts`, and the connection's
 * state as in `smb-session.ts`.
 */
import { u24 } from '../../bytes.ts';
import { HeldBytes } from '../streams/held-bytes.ts';
import type { Endpoints, MessageSink, Stamp, StreamParser, StreamProtocol } from '../messages.ts';
import { type Data, SmbSession } from './smb-session.ts';
import { Smb1, SMB1_FLAGS, SMB1_IS_REPLY } from './smb1.ts';
import { COMMAND, IS_RESPONSE, Smb2, SMB2_HEADER_BYTES } from './smb2.ts';

const FRAME_BYTES = 4;
/** Header and fields of a message of SMB 2 that reads or writes. */
const DATA_HEADER_BYTES = 112;
const MAX_MESSAGE_BYTES = 65_536;
const [SMB1, SMB2] = [0xff534d42, 0xfe534d42];

/** One direction: frames of NetBIOS' session service, one after another. */
class Side {
  readonly held = new HeldBytes();
  /** Bytes of the message that are left to skip. */
  skip = 0;
  /** The part that belongs to a file. */
  data: Data | undefined;
  /** Bytes are missing: the start of the next message is unknown. */
  isLost = false;
}

class SmbStream implements StreamParser {
  readonly service = 'smb';
  readonly isDone = false;
  private readonly sides = [new Side(), new Side()] as const;
  private readonly known: SmbSession;
  private readonly smb1: Smb1;
  private readonly smb2: Smb2;

  constructor(ends: Endpoints, sink: MessageSink) {
    this.known = new SmbSession(ends, sink);
    this.smb1 = new Smb1(this.known);
    this.smb2 = new Smb2(this.known);
  }

  get heldBytes(): number {
    const { sides, known } = this;
    return sides[0].held.capacity + sides[1].held.capacity + known.heldBytes;
  }

  data(isClient: boolean, bytes: Uint8Array, start: number, end: number, at: Stamp): void {
    const side = this.sides[isClient ? 0 : 1];
    let from = start;
    if (side.isLost) {
      if (frameAt(bytes, start, end) !== true) return;
      side.isLost = false;
    }
    while (from < end) {
      if (side.skip > 0) {
        const skipped = Math.min(side.skip, end - from);
        side.skip -= skipped;
        if (side.data !== undefined)
          this.known.carryOn(side.data, isClient, bytes.subarray(from, from + skipped), at);
        if (side.skip === 0) side.data = undefined;
        from += skipped;
        continue;
      }
      const before = side.held.length;
      if (before === 0 && end - from >= FRAME_BYTES) {
        const size = u24(bytes, from + 1);
        const isWhole = end - from >= FRAME_BYTES + size;
        if (isWhole) {
          this.message(isClient, bytes, from + FRAME_BYTES, from + FRAME_BYTES + size, at);
          from += FRAME_BYTES + size;
          continue;
        }
      }
      from = this.hold(side, isClient, bytes, from, end, at);
    }
  }

  /** Takes bytes of an incomplete message. @returns start of what follows */
  private hold(
    side: Side,
    isClient: boolean,
    bytes: Uint8Array,
    start: number,
    end: number,
    at: Stamp,
  ): number {
    const { held } = side;
    const before = held.length;
    const known = before >= FRAME_BYTES ? u24(held.bytes, 1) : MAX_MESSAGE_BYTES;
    const wanted = before < FRAME_BYTES ? FRAME_BYTES : FRAME_BYTES + this.wantedOf(held, known);
    const taken = Math.min(wanted - before, end - start);
    held.append(bytes.subarray(start, start + taken));
    if (held.length < FRAME_BYTES) return start + taken;
    const all = held.bytes;
    const size = u24(all, 1);
    const least = FRAME_BYTES + this.wantedOf(held, size);
    if (held.length >= least) {
      this.message(isClient, all, FRAME_BYTES, least, at);
      side.skip = FRAME_BYTES + size - least;
      side.data = side.skip > 0 ? this.known.rest : undefined;
      held.clear();
    }
    return start + taken;
  }

  /** Number of bytes to buffer of a message: none of its file data. */
  private wantedOf(held: HeldBytes, size: number): number {
    const { bytes } = held;
    if (bytes.length < FRAME_BYTES + SMB2_HEADER_BYTES) return Math.min(size, SMB2_HEADER_BYTES);
    const view = Buffer.from(bytes.buffer, bytes.byteOffset + FRAME_BYTES, SMB2_HEADER_BYTES);
    const command = view.readUInt16LE(12);
    const isAlone = view.readUInt32LE(20) === 0;
    const isData = command === COMMAND.read || command === COMMAND.write;
    return view.readUInt32BE(0) === SMB2 && isAlone && isData
      ? Math.min(size, DATA_HEADER_BYTES)
      : Math.min(size, MAX_MESSAGE_BYTES);
  }

  private message(
    isClient: boolean,
    bytes: Uint8Array,
    start: number,
    end: number,
    at: Stamp,
  ): void {
    const all = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start);
    if (all.length < 5) return;
    const signature = all.readUInt32BE(0);
    this.known.rest = undefined;
    if (signature === SMB1) this.smb1.message(isClient, all, at);
    else if (signature === SMB2) this.smb2.message(isClient, all, at);
  }

  gap(isClient: boolean, size: number): void {
    const side = this.sides[isClient ? 0 : 1];
    if (side.held.length === 0 && size <= side.skip) {
      side.skip -= size;
      if (side.data !== undefined) this.known.gapIn(side.data, isClient, size);
      return;
    }
    this.known.lose(isClient);
    side.isLost = true;
    side.skip = 0;
    side.data = undefined;
    side.held.clear();
  }

  end(): void {
    // The other side may still answer.
  }

  finish(): void {
    this.known.finish();
  }
}

/** Whether a frame with an SMB message begins there; undefined: too few bytes to decide. */
function frameAt(bytes: Uint8Array, start: number, end: number): boolean | undefined {
  const size = end - start;
  if (bytes[start] !== 0 || (size > 4 && bytes[start + 4]! < 0xfd)) return false;
  if (size < 8) return undefined;
  return bytes[start + 5] === 0x53 && bytes[start + 6] === 0x4d && bytes[start + 7] === 0x42;
}

export const SMB: StreamProtocol = {
  /** A frame of the NetBIOS session service with an SMB message in it. */
  recognise(bytes, start, end, _, isClient) {
    const isFrame = frameAt(bytes, start, end);
    if (isFrame !== true) return isFrame === undefined ? 'more' : undefined;
    // A bit of the flags tells which side sends.
    if (bytes[start + 4] === 0xfd) return isClient ? 'client' : 'server';
    const at = bytes[start + 4] === 0xff ? start + FRAME_BYTES + SMB1_FLAGS : start + 20;
    const bit = bytes[start + 4] === 0xff ? SMB1_IS_REPLY : IS_RESPONSE;
    if (at >= end) return isClient ? 'client' : 'server';
    return (bytes[at]! & bit) === 0 ? 'client' : 'server';
  },
  parser: (ends, sink) => new SmbStream(ends, sink),
};
