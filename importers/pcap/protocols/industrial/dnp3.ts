/**
 * DNP3 (IEEE 1815) over TCP and UDP: one event per request with its response, and one per unsolicited response of
 * an outstation.
 *
 * A frame has checksums, so that it is recognised on any port. The first of a message's frames identifies it.
 *
 * Invariants: up to 292 bytes of a frame are buffered; one request per outstation is pending, and the number of
 * outstations is bounded.
 */
import { u16, u16le } from '../../bytes.ts';
import { FramedStream } from '../streams/framed.ts';
import {
  type Endpoints,
  type MessageSink,
  secondsBetween,
  type Stamp,
  type StreamProtocol,
} from '../messages.ts';

/** Start, length, control, both addresses and their check sum. */
const HEADER_BYTES = 10;
/** Bytes of user data that have a check sum after them. */
const BLOCK_BYTES = 16;
const SUM_BYTES = 2;
const MAX_WAITING = 256;
/** In the control byte of a frame: sent by the master; begins an exchange. */
const [FROM_MASTER, IS_PRIMARY] = [0x80, 0x40];
const [CONFIRMED_DATA, UNCONFIRMED_DATA] = [3, 4];
const FIRST_FRAME = 0x40;
/** In the control byte of a message. */
const SEQUENCE = 0x0f;
const [CONFIRM, UNSOLICITED] = [0, 130];

/** Named as in Zeek. */
const FUNCTIONS: Readonly<Record<number, string>> = {
  ...{ 0: 'CONFIRM', 1: 'READ', 2: 'WRITE', 3: 'SELECT', 4: 'OPERATE', 5: 'DIRECT_OPERATE' },
  ...{ 6: 'DIRECT_OPERATE_NR', 7: 'IMMED_FREEZE', 8: 'IMMED_FREEZE_NR', 9: 'FREEZE_CLEAR' },
  ...{ 10: 'FREEZE_CLEAR_NR', 11: 'FREEZE_AT_TIME', 12: 'FREEZE_AT_TIME_NR', 13: 'COLD_RESTART' },
  ...{ 14: 'WARM_RESTART', 15: 'INITIALIZE_DATA', 16: 'INITIALIZE_APPL', 17: 'START_APPL' },
  ...{ 18: 'STOP_APPL', 19: 'SAVE_CONFIG', 20: 'ENABLE_UNSOLICITED', 21: 'DISABLE_UNSOLICITED' },
  ...{ 22: 'ASSIGN_CLASS', 23: 'DELAY_MEASURE', 24: 'RECORD_CURRENT_TIME', 25: 'OPEN_FILE' },
  ...{ 26: 'CLOSE_FILE', 27: 'DELETE_FILE', 28: 'GET_FILE_INFO', 29: 'AUTHENTICATE_FILE' },
  ...{ 30: 'ABORT_FILE', 31: 'ACTIVATE_CONFIG', 32: 'AUTHENTICATE_REQ', 33: 'AUTHENTICATE_ERR' },
  ...{ 129: 'RESPONSE', 130: 'UNSOLICITED_RESPONSE', 131: 'AUTHENTICATE_RESP' },
};
/** Requests that have no response. */
const UNANSWERED: ReadonlySet<number> = new Set([CONFIRM, 6, 8, 10, 12, 33]);
/** Of an outstation, from the highest bit on. */
const INDICATIONS = [
  ...['DEVICE_RESTART', 'DEVICE_TROUBLE', 'LOCAL_CONTROL', 'NEED_TIME'],
  ...['CLASS_3_EVENTS', 'CLASS_2_EVENTS', 'CLASS_1_EVENTS', 'BROADCAST'],
  ...[undefined, undefined, 'CONFIG_CORRUPT', 'ALREADY_EXECUTING'],
  ...['EVENT_BUFFER_OVERFLOW', 'PARAMETER_ERROR', 'OBJECT_UNKNOWN', 'NO_FUNC_CODE_SUPPORT'],
] as const;
/** Indications that refuse a request. */
const REFUSALS: ReadonlySet<string> = new Set([
  ...['ALREADY_EXECUTING', 'PARAMETER_ERROR', 'OBJECT_UNKNOWN', 'NO_FUNC_CODE_SUPPORT'],
]);

interface Dnp3Message {
  readonly at: Stamp;
  readonly master: number;
  readonly outstation: number;
  readonly sequence: number;
  readonly code: number;
  /** For a response: the outstation's state. */
  readonly indications: number | undefined;
  /** Group and variation of the first object. */
  readonly object: string | undefined;
  readonly problem: string | undefined;
}

/** CRC-16/DNP. */
function checkSum(bytes: Uint8Array, start: number, end: number): number {
  let sum = 0;
  for (let at = start; at < end; at++) {
    sum ^= bytes[at]!;
    for (let bit = 0; bit < 8; bit++) sum = (sum & 1) === 0 ? sum >>> 1 : (sum >>> 1) ^ 0xa6bc;
  }
  return ~sum & 0xffff;
}

/** Size of the frame that begins at a position; 0: more bytes are needed; undefined: it is not one. */
function frameSize(bytes: Uint8Array, start: number, end: number): number | undefined {
  if (bytes[start] !== 5 || (end - start > 1 && bytes[start + 1] !== 0x64)) return undefined;
  if (end - start < HEADER_BYTES) return 0;
  const sumAt = start + HEADER_BYTES - SUM_BYTES;
  const user = bytes[start + 2]! - 5;
  if (user < 0 || checkSum(bytes, start, sumAt) !== u16le(bytes, sumAt)) return undefined;
  return HEADER_BYTES + user + SUM_BYTES * Math.ceil(user / BLOCK_BYTES);
}

/** Undefined: a frame that begins no message. */
function readFrame(frame: Uint8Array, at: Stamp): Dnp3Message | undefined {
  const control = frame[3]!;
  const user = frame[2]! - 5;
  const link = control & 0x0f;
  const isData = link === CONFIRMED_DATA || link === UNCONFIRMED_DATA;
  if ((control & IS_PRIMARY) === 0 || !isData || user < 3) return undefined;
  if ((frame[HEADER_BYTES]! & FIRST_FRAME) === 0) return undefined;
  const isFromMaster = (control & FROM_MASTER) !== 0;
  const [to, from] = [u16le(frame, 4), u16le(frame, 6)];
  const code = frame[HEADER_BYTES + 2]!;
  const isResponse = code > 128;
  const blockEnd = HEADER_BYTES + Math.min(user, BLOCK_BYTES);
  const objectAt = HEADER_BYTES + (isResponse ? 5 : 3);
  return {
    ...{ at, code, sequence: frame[HEADER_BYTES + 1]! & SEQUENCE },
    ...(isFromMaster ? { master: from, outstation: to } : { master: to, outstation: from }),
    indications: isResponse && user >= 5 ? u16(frame, HEADER_BYTES + 3) : undefined,
    object: objectAt + 2 <= blockEnd ? `g${frame[objectAt]!}v${frame[objectAt + 1]!}` : undefined,
    problem:
      checkSum(frame, HEADER_BYTES, blockEnd) === u16le(frame, blockEnd)
        ? undefined
        : 'its check sum is wrong',
  };
}

/** Whether the master sends a frame. */
export function isFromMaster(frame: Uint8Array, start: number): boolean {
  return (frame[start + 3]! & FROM_MASTER) !== 0;
}

/** Requests and responses of one conversation. */
export class Dnp3Exchange {
  readonly service = 'dnp3';
  private readonly ends: Endpoints;
  private readonly sink: MessageSink;
  /** Requests by the outstation. */
  private readonly waiting = new Map<number, Dnp3Message>();

  constructor(ends: Endpoints, sink: MessageSink) {
    this.ends = ends;
    this.sink = sink;
  }

  get heldBytes(): number {
    return 256 * this.waiting.size;
  }

  /** A datagram. @returns whether it is one of DNP3 */
  take(bytes: Uint8Array, start: number, end: number, at: Stamp): boolean {
    let from = start;
    for (let size = 0; from < end; from += size) {
      size = frameSize(bytes, from, end) ?? 0;
      if (size === 0 || from + size > end) break;
      this.frame(bytes.subarray(from, from + size), at);
    }
    return from > start;
  }

  frame(frame: Uint8Array, at: Stamp): void {
    const message = readFrame(frame, at);
    if (message === undefined) return;
    const { waiting } = this;
    const { outstation } = message;
    const request = waiting.get(outstation);
    if (message.code > 128) {
      const isOfThat =
        message.code !== UNSOLICITED &&
        request?.sequence === message.sequence &&
        request.master === message.master;
      if (isOfThat) waiting.delete(outstation);
      this.tell(isOfThat ? request : undefined, message);
      return;
    }
    if (UNANSWERED.has(message.code)) {
      this.tell(message, undefined);
      return;
    }
    const before = request ?? (waiting.size >= MAX_WAITING ? [...waiting.values()][0] : undefined);
    if (before !== undefined) {
      waiting.delete(before.outstation);
      this.tell(before, undefined);
    }
    waiting.set(outstation, message);
  }

  private tell(request: Dnp3Message | undefined, response: Dnp3Message | undefined): void {
    const { at, code, master, outstation, object } = (request ?? response)!;
    const nameOf = (number: number): string => FUNCTIONS[number] ?? `function ${number}`;
    const { indications } = response ?? {};
    const flags = INDICATIONS.filter(
      (name, i) => name !== undefined && ((indications ?? 0) & (0x8000 >>> i)) !== 0,
    ).filter((name) => name !== undefined);
    const refusals = flags.filter((name) => REFUSALS.has(name));
    const isRefused = refusals.length > 0;
    this.sink.message(this.ends, {
      ...{ kind: 'dnp3', type: nameOf(code), at },
      text: [nameOf(code), object, `outstation ${outstation}`, ...refusals]
        .filter((part) => part !== undefined)
        .join(' '),
      columns: {
        outcome:
          request === undefined || indications === undefined
            ? undefined
            : isRefused
              ? 'failure'
              : 'success',
        reason: isRefused ? refusals.join(', ') : undefined,
      },
      attributes: {
        fc_request: request && nameOf(request.code),
        fc_reply: response && nameOf(response.code),
        iin: indications === undefined ? undefined : String(indications),
        indications: flags.length === 0 ? undefined : flags,
        ...{ object, master: String(master), outstation: String(outstation) },
        response_time:
          request === undefined || response === undefined
            ? undefined
            : secondsBetween(request.at, response.at),
        problem: request?.problem ?? response?.problem,
      },
    });
  }

  /** Emits pending requests as unanswered. */
  finish(): void {
    for (const request of this.waiting.values()) this.tell(request, undefined);
    this.waiting.clear();
  }
}

class Dnp3Stream extends FramedStream {
  readonly service = 'dnp3';
  private readonly exchange: Dnp3Exchange;

  constructor(ends: Endpoints, sink: MessageSink) {
    super();
    this.exchange = new Dnp3Exchange(ends, sink);
  }

  protected override waitingBytes(): number {
    return this.exchange.heldBytes;
  }

  protected read(bytes: Uint8Array, _isClient: boolean, at: Stamp): number | undefined {
    const size = frameSize(bytes, 0, bytes.length);
    if (size === undefined) return undefined;
    if (size === 0 || size > bytes.length) return 0;
    this.exchange.frame(bytes.subarray(0, size), at);
    return size;
  }

  protected begins(bytes: Uint8Array, start: number, end: number): boolean {
    return frameSize(bytes, start, end) !== undefined;
  }

  /** Sequence numbers are at most 15: the next response may belong to another request. */
  protected override lost(): void {
    this.exchange.finish();
  }

  finish(): void {
    this.exchange.finish();
  }
}

export const DNP3: StreamProtocol = {
  recognise(bytes, start, end) {
    const size = frameSize(bytes, start, end);
    if (size === undefined || size === 0) return size === 0 ? 'more' : undefined;
    return isFromMaster(bytes, start) ? 'client' : 'server';
  },
  parser: (ends, sink) => new Dnp3Stream(ends, sink),
};
