/**
 * Modbus over TCP (Modbus Messaging on TCP/IP, 1.0b): one event per request, with its response.
 *
 * Invariants: up to 260 bytes of a message are buffered; pending requests are bounded.
 */
import { u16 } from '../../bytes.ts';
import { FramedStream } from '../streams/framed.ts';
import {
  type Endpoints,
  type MessageSink,
  secondsBetween,
  type Stamp,
  type StreamProtocol,
} from '../messages.ts';

const PORT = 502;
/** Transaction, protocol, length, unit; a function follows. */
const HEADER_BYTES = 7;
const MAX_MESSAGE_BYTES = 260;
const MAX_WAITING = 256;
const EXCEPTION = 0x80;

/** Named as in Zeek. */
const FUNCTIONS: Readonly<Record<number, string>> = {
  ...{ 1: 'READ_COILS', 2: 'READ_DISCRETE_INPUTS', 3: 'READ_HOLDING_REGISTERS' },
  ...{ 4: 'READ_INPUT_REGISTERS', 5: 'WRITE_SINGLE_COIL', 6: 'WRITE_SINGLE_REGISTER' },
  ...{ 7: 'READ_EXCEPTION_STATUS', 8: 'DIAGNOSTICS', 11: 'GET_COMM_EVENT_COUNTER' },
  ...{ 12: 'GET_COMM_EVENT_LOG', 15: 'WRITE_MULTIPLE_COILS', 16: 'WRITE_MULTIPLE_REGISTERS' },
  ...{ 17: 'REPORT_SLAVE_ID', 20: 'READ_FILE_RECORD', 21: 'WRITE_FILE_RECORD' },
  ...{ 22: 'MASK_WRITE_REGISTER', 23: 'READ_WRITE_MULTIPLE_REGISTERS', 24: 'READ_FIFO_QUEUE' },
  ...{ 43: 'ENCAP_INTERFACE_TRANSPORT' },
};
const EXCEPTIONS: Readonly<Record<number, string>> = {
  ...{ 1: 'ILLEGAL_FUNCTION', 2: 'ILLEGAL_DATA_ADDRESS', 3: 'ILLEGAL_DATA_VALUE' },
  ...{ 4: 'SLAVE_DEVICE_FAILURE', 5: 'ACKNOWLEDGE', 6: 'SLAVE_DEVICE_BUSY' },
  ...{
    8: 'MEMORY_PARITY_ERROR',
    10: 'GATEWAY_PATH_UNAVAILABLE',
    11: 'GATEWAY_TARGET_DEVICE_FAILED_TO_RESPOND',
  },
};
/** Functions whose requests begin with an address and a number of places, or a value. */
const ADDRESSED: ReadonlySet<number> = new Set([1, 2, 3, 4, 5, 6, 15, 16, 22, 23]);
const WRITES_ONE: ReadonlySet<number> = new Set([5, 6]);

interface Request {
  readonly at: Stamp;
  /** Number of the transaction. */
  readonly id: number;
  readonly unit: number;
  readonly code: number;
  readonly address: number | undefined;
  /** The number of registers, or the value of one. */
  readonly number: number | undefined;
}

class ModbusStream extends FramedStream {
  readonly service = 'modbus';
  private readonly ends: Endpoints;
  private readonly sink: MessageSink;
  private readonly waiting = new Map<number, Request>();

  constructor(ends: Endpoints, sink: MessageSink) {
    super();
    this.ends = ends;
    this.sink = sink;
  }

  protected override waitingBytes(): number {
    return 128 * this.waiting.size;
  }

  protected begins(bytes: Uint8Array, start: number, end: number): boolean {
    return isMessage(bytes, start, end);
  }

  protected read(bytes: Uint8Array, isClient: boolean, at: Stamp): number | undefined {
    if (bytes.length <= HEADER_BYTES) return 0;
    const size = 6 + u16(bytes, 4);
    if (u16(bytes, 2) !== 0 || size > MAX_MESSAGE_BYTES || size <= HEADER_BYTES) return undefined;
    if (bytes.length < size) return 0;
    const message = bytes.subarray(0, size);
    if (isClient) this.request(message, at);
    else this.response(message, at);
    return size;
  }

  private request(message: Uint8Array, at: Stamp): void {
    const { waiting } = this;
    const id = u16(message, 0);
    const code = message[HEADER_BYTES]!;
    const isAddressed = ADDRESSED.has(code) && message.length >= HEADER_BYTES + 5;
    // A number that is reused before it was answered belongs to another request.
    const before = waiting.get(id) ?? (waiting.size >= MAX_WAITING ? first(waiting) : undefined);
    if (before !== undefined) {
      for (const [key, one] of waiting) if (one === before) waiting.delete(key);
      this.tell(before, undefined, undefined);
    }
    waiting.set(id, {
      ...{ at, id, unit: message[6]!, code },
      address: isAddressed ? u16(message, HEADER_BYTES + 1) : undefined,
      number: isAddressed ? u16(message, HEADER_BYTES + 3) : undefined,
    });
  }

  private response(message: Uint8Array, at: Stamp): void {
    const id = u16(message, 0);
    const waiting = this.waiting.get(id);
    const code = message[HEADER_BYTES]!;
    const unknown = {
      ...{
        at,
        id,
        unit: message[6]!,
        code: code & ~EXCEPTION,
        address: undefined,
        number: undefined,
      },
    };
    const isOfThat = waiting?.unit === unknown.unit && waiting.code === unknown.code;
    const request = isOfThat ? waiting : undefined;
    if (isOfThat) this.waiting.delete(id);
    const exception = (code & EXCEPTION) === 0 ? 0 : (message[HEADER_BYTES + 1] ?? 0);
    this.tell(request ?? unknown, exception, at);
  }

  /** @param exception 0: none; undefined: there was no response */
  private tell(request: Request, exception: number | undefined, answered: Stamp | undefined): void {
    const { at, id, unit, code, address, number } = request;
    const name = FUNCTIONS[code] ?? `function ${code}`;
    const isRefused = exception !== undefined && exception !== 0;
    const word = isRefused ? (EXCEPTIONS[exception] ?? `exception ${exception}`) : undefined;
    const isOne = WRITES_ONE.has(code);
    this.sink.message(this.ends, {
      ...{ kind: 'modbus', type: name, at },
      text: [name, `unit ${unit}`, address === undefined ? undefined : `at ${address}`, word]
        .filter((part) => part !== undefined)
        .join(' '),
      columns: {
        outcome: exception === undefined ? undefined : isRefused ? 'failure' : 'success',
        reason: word,
      },
      attributes: {
        ...{ func: name, tid: String(id), unit: String(unit), exception: word },
        address: address === undefined ? undefined : String(address),
        quantity: isOne || number === undefined ? undefined : String(number),
        value: isOne && number !== undefined ? String(number) : undefined,
        response_time: answered === undefined ? undefined : secondsBetween(at, answered),
      },
    });
  }

  /** Numbers of requests are reused: the next answer may belong to a lost one. */
  protected override lost(isClient: boolean): void {
    if (isClient) this.finish();
  }

  finish(): void {
    for (const request of this.waiting.values()) this.tell(request, undefined, undefined);
    this.waiting.clear();
  }
}

function first<T>(map: ReadonlyMap<number, T>): T | undefined {
  for (const value of map.values()) return value;
  return undefined;
}

function isMessage(bytes: Uint8Array, start: number, end: number): boolean {
  const size = u16(bytes, start + 4);
  if (end - start <= HEADER_BYTES || u16(bytes, start + 2) !== 0) return false;
  return (
    size >= 2 &&
    6 + size <= MAX_MESSAGE_BYTES &&
    (bytes[start + HEADER_BYTES]! & ~EXCEPTION) in FUNCTIONS
  );
}

export const MODBUS: StreamProtocol = {
  /** Its header has too little structure to be recognised on any port. */
  recognise(bytes, start, end, { serverPort, clientPort }, isClient) {
    if (serverPort !== PORT && clientPort !== PORT) return undefined;
    if (end - start <= HEADER_BYTES) return 'more';
    if (!isMessage(bytes, start, end)) return undefined;
    return (serverPort === PORT) === isClient ? 'client' : 'server';
  },
  parser: (ends, sink) => new ModbusStream(ends, sink),
};
