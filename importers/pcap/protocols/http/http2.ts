/**
 * HTTP/2 in clear text (RFC 9113): with its preface, or after an upgrade from HTTP/1 (`Upgrade: h2c`, RFC 7540,
 * 3.2). One event per request, with its response, as for HTTP/1; bodies are files, too.
 *
 * Invariants: header blocks and the number of open streams are bounded, and events report overflow. Headers are
 * decoded relative to all previous ones, so after missing bytes outside of a body nothing more of a side is read:
 * the events say so.
 */
import { u24, u32 } from '../../bytes.ts';
import { HeldBytes } from '../streams/held-bytes.ts';
import { type Header, HpackTable } from './hpack.ts';
import {
  type Body,
  type BodyBeginning,
  bodyBeginning,
  carriedFile,
  describe,
  endBody,
  HEAD_COST,
  type HttpBody,
  type HttpRequest,
  type HttpResponse,
  KEPT_HEADERS,
  lengthProblem,
  newBody,
  statedLength,
} from './http-message.ts';
import {
  type Endpoints,
  type MessageSink,
  type Stamp,
  type StreamParser,
  type StreamProtocol,
  textOf,
} from '../messages.ts';

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');
const FRAME_HEADER = 9;
const MAX_BLOCK_BYTES = 65_536;
/** Limit of a block's headers that are kept, decoded. */
const MAX_KEPT_BYTES = 65_536;
const MAX_STREAMS = 256;
const [DATA, HEADERS, RST_STREAM, PUSH_PROMISE, CONTINUATION] = [0, 1, 3, 5, 9];
const [END_STREAM, END_HEADERS, PADDED, PRIORITY] = [1, 4, 8, 32];
const PRIORITY_BYTES = 5;
const STREAM_BYTES = 1024;
/** Without the reserved bit. */
const STREAM_MASK = 0x7fff_ffff;

const ERRORS: readonly string[] = [
  ...['NO_ERROR', 'PROTOCOL_ERROR', 'INTERNAL_ERROR', 'FLOW_CONTROL_ERROR', 'SETTINGS_TIMEOUT'],
  ...['STREAM_CLOSED', 'FRAME_SIZE_ERROR', 'REFUSED_STREAM', 'CANCEL', 'COMPRESSION_ERROR'],
  ...['CONNECT_ERROR', 'ENHANCE_YOUR_CALM', 'INADEQUATE_SECURITY', 'HTTP_1_1_REQUIRED'],
];

const CUT_SHORT = 'one side of the connection could not be read further';
const LONG_HEAD = `${CUT_SHORT}: a head has more than 64 KiB as it was sent`;
/** Problem of the request and the response that are not joined. */
const TOO_MANY = `more than ${MAX_STREAMS} streams were open`;
const GIVEN_UP = `${TOO_MANY}: what came later of this one is another event, or left out`;
const RESPONSE_ALONE = `${TOO_MANY}: its request is another event`;

/** A request and its response. */
interface Exchange {
  request: HttpRequest | undefined;
  response: HttpResponse | undefined;
  information: Pick<HttpResponse, 'status' | 'phrase'> | undefined;
  /** Sides that have ended, the client's first. */
  readonly hasEnded: [boolean, boolean];
  problem: string | undefined;
  /** By the client: the server may have sent more before it noticed. */
  isReset: boolean;
  /** Whether it is a response to an abandoned request. */
  readonly isLate: boolean;
}

interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  /** Start of its content. */
  readonly start: number;
  readonly end: number;
}

/** The frames of one side. */
class Side {
  readonly held = new HeldBytes();
  readonly table = new HpackTable();
  /** Headers that continue in the next frame. */
  block:
    | {
        /** The stream that the headers belong to. */
        readonly stream: number;
        /** The stream of its frames: a promise's differs (RFC 9113, 6.6). */
        readonly frameStream: number;
        readonly endsStream: boolean;
        readonly bytes: HeldBytes;
      }
    | undefined;
  /** Remaining bytes of a data frame, and of its padding. */
  left = 0;
  padding = 0;
  /** The stream of the data. */
  stream = 0;
  endsStream = false;
  /** Bytes left of a frame that is passed over. */
  skip = 0;
  prefaceLeft = 0;
  /** Why it cannot be read further. */
  lost: string | undefined;

  get isLost(): boolean {
    return this.lost !== undefined;
  }
}

export class Http2Stream implements StreamParser {
  readonly service = 'http';
  isDone = false;
  private readonly ends: Endpoints;
  private readonly sink: MessageSink;
  private readonly takeBody: (beginning: BodyBeginning) => HttpBody;
  private readonly sides = [new Side(), new Side()] as const;
  private readonly exchanges = new Map<number, Exchange>();
  private headBytes = 0;
  /** The last streams that were abandoned for newer ones, of those opened by a server and by a client. */
  private readonly givenUpTo: [number, number] = [0, 0];

  /** @param upgraded the HTTP/1 request that asked for the upgrade: the first stream has its response */
  constructor(
    ends: Endpoints,
    sink: MessageSink,
    takeBody = carriedFile,
    upgraded?: Pick<Exchange, 'request' | 'information'>,
  ) {
    this.ends = ends;
    this.sink = sink;
    this.takeBody = takeBody;
    this.sides[0].prefaceLeft = PREFACE.length;
    if (upgraded === undefined) return;
    this.exchanges.set(1, {
      ...{
        ...upgraded,
        response: undefined,
        hasEnded: [true, false],
        problem: undefined,
        isReset: false,
        isLate: false,
      },
    });
    this.headBytes = HEAD_COST * (upgraded.request?.size ?? 0);
  }

  get heldBytes(): number {
    let held = this.headBytes + STREAM_BYTES * this.exchanges.size;
    for (const { held: begun, block, table } of this.sides)
      held += begun.capacity + table.heldBytes + (block?.bytes.capacity ?? 0);
    for (const { request, response } of this.exchanges.values())
      held += (request?.body.file?.heldBytes ?? 0) + (response?.body.file?.heldBytes ?? 0);
    return held;
  }

  data(isClient: boolean, bytes: Uint8Array, start: number, end: number, at: Stamp): void {
    const side = this.sides[isClient ? 0 : 1];
    if (side.isLost || this.isDone) return;
    const part = bytes.subarray(start, end);
    const { held } = side;
    if (held.length === 0) {
      const read = this.frames(side, isClient, part, start, at);
      if (read < part.length && !side.isLost) held.append(part.subarray(read));
      return;
    }
    const before = held.length;
    held.append(part);
    const read = this.frames(side, isClient, held.bytes, start - before, at);
    if (side.isLost) held.clear();
    else held.drop(read);
  }

  /** @param base start of `bytes` in the bytes given to the parser @returns number of bytes consumed */
  private frames(
    side: Side,
    isClient: boolean,
    bytes: Uint8Array,
    base: number,
    at: Stamp,
  ): number {
    let from = 0;
    while (from < bytes.length && !side.isLost && !this.isDone) {
      const available = bytes.length - from;
      if (side.prefaceLeft > 0) {
        const size = Math.min(side.prefaceLeft, available);
        const expected = PREFACE.subarray(PREFACE.length - side.prefaceLeft).subarray(0, size);
        if (Buffer.compare(bytes.subarray(from, from + size), expected) !== 0) this.lose(isClient);
        side.prefaceLeft -= size;
        from += size;
      } else if (side.left > 0) {
        const size = Math.min(side.left, available);
        this.bodyBytes(side, isClient, bytes.subarray(from, from + size), base + from, at);
        from += size;
      } else if (side.skip > 0) {
        const size = Math.min(side.skip, available);
        side.skip -= size;
        from += size;
      } else {
        const size = this.frame(side, isClient, bytes, from, at);
        if (size === 0) return from;
        from += size;
      }
    }
    return from;
  }

  /** Reads a frame, of one with data its beginning. @returns its bytes; 0: more are needed */
  private frame(side: Side, isClient: boolean, bytes: Uint8Array, from: number, at: Stamp): number {
    const available = bytes.length - from;
    if (available < FRAME_HEADER) return 0;
    const size = u24(bytes, from);
    const [type, flags] = [bytes[from + 3]!, bytes[from + 4]!];
    const stream = u32(bytes, from + 5) & STREAM_MASK;
    if (side.block !== undefined && (type !== CONTINUATION || stream !== side.block.frameStream)) {
      this.lose(isClient);
      return FRAME_HEADER;
    }
    if (type === DATA) {
      const isPadded = (flags & PADDED) !== 0 && size > 0;
      if (isPadded && available === FRAME_HEADER) return 0;
      const padding = isPadded ? Math.min(bytes[from + FRAME_HEADER]!, size - 1) : 0;
      side.stream = stream;
      side.endsStream = (flags & END_STREAM) !== 0;
      side.padding = padding;
      side.left = size - padding - (isPadded ? 1 : 0);
      if (side.left === 0) this.endData(side, isClient);
      return FRAME_HEADER + (isPadded ? 1 : 0);
    }
    const isWanted = type === HEADERS || type === PUSH_PROMISE || type === CONTINUATION;
    if (!isWanted && type !== RST_STREAM) {
      side.skip = size;
      return FRAME_HEADER;
    }
    if (size > MAX_BLOCK_BYTES) {
      this.lose(isClient, LONG_HEAD);
      return FRAME_HEADER;
    }
    if (available < FRAME_HEADER + size) return 0;
    const start = from + FRAME_HEADER;
    const frame = { type, flags, stream, start, end: start + size };
    if (isWanted) this.headers(side, isClient, bytes, frame, at);
    else if (size === 4) this.reset(stream, isClient, u32(bytes, start));
    return FRAME_HEADER + size;
  }

  private headers(
    side: Side,
    isClient: boolean,
    bytes: Uint8Array,
    { type, flags, stream, start, end }: Frame,
    at: Stamp,
  ): void {
    let [from, to] = [start, end];
    if (type !== CONTINUATION) {
      if ((flags & PADDED) !== 0) {
        to -= bytes[from] ?? 0;
        from += 1;
      }
      if (type === HEADERS && (flags & PRIORITY) !== 0) from += PRIORITY_BYTES;
      // A server that promises a response to a request that was not sent names that one's stream.
      const isPromise = type === PUSH_PROMISE && from + 4 <= to;
      const about = isPromise ? u32(bytes, from) & STREAM_MASK : stream;
      if (type === PUSH_PROMISE) from += 4;
      const endsStream = type === HEADERS && (flags & END_STREAM) !== 0;
      side.block = { stream: about, frameStream: stream, endsStream, bytes: new HeldBytes() };
    }
    const { block } = side;
    if (block === undefined || from > to) {
      this.lose(isClient);
      return;
    }
    if (block.bytes.length + to - from > MAX_BLOCK_BYTES) {
      this.lose(isClient, LONG_HEAD);
      return;
    }
    block.bytes.append(bytes.subarray(from, to));
    if ((flags & END_HEADERS) === 0) return;
    side.block = undefined;
    let list: Header[];
    try {
      list = side.table.decode(block.bytes.bytes);
    } catch {
      // Nothing after it can be decoded.
      this.lose(isClient);
      return;
    }
    this.message(isClient, block.stream, headOf(list), at);
    if (block.endsStream) this.endSide(block.stream, isClient);
  }

  private message(
    isClient: boolean,
    stream: number,
    { pseudo, headers, size, problem }: Head,
    at: Stamp,
  ): void {
    const [method, status] = [pseudo.get(':method'), pseudo.get(':status')];
    // Trailers have neither.
    if (method === undefined && status === undefined) return;
    const exchange = this.exchanges.get(stream) ?? this.open(stream);
    const common = { at, headers, size, body: newBody() };
    const length = headers.get('content-length');
    common.body.total = statedLength(length);
    common.body.problem = problem ?? lengthProblem(undefined, length, isClient);
    if (method !== undefined && exchange.request === undefined) {
      const target = pseudo.get(':path') ?? pseudo.get(':authority') ?? '';
      const authority = pseudo.get(':authority');
      if (authority !== undefined) headers.set('host', authority);
      const scheme = pseudo.get(':scheme');
      exchange.request = { ...common, method, target, version: '2', scheme };
      this.headBytes += HEAD_COST * size;
      // The client did not send what a server promises.
      if (!isClient) this.endSide(stream, true);
    } else if (status !== undefined && !isClient && exchange.response === undefined) {
      if (/^1\d\d$/.test(status)) exchange.information = { status, phrase: '' };
      else {
        exchange.response = { ...common, version: '2', status, phrase: '' };
        this.headBytes += HEAD_COST * size;
      }
    }
  }

  /** Up to 256, and as many late ones: these must not displace those whose responses are pending. */
  private open(stream: number): Exchange {
    const isLate = stream <= this.givenUpTo[stream % 2 === 0 ? 0 : 1];
    const sameAge = [...this.exchanges].filter(([, one]) => one.isLate === isLate);
    if (sameAge.length >= MAX_STREAMS)
      this.giveUp(...(sameAge.find(([, { isReset }]) => isReset) ?? sameAge[0]!));
    const exchange: Exchange = {
      ...{ request: undefined, response: undefined, information: undefined },
      // Nothing is expected for its request.
      ...{ hasEnded: [isLate, false], problem: isLate ? RESPONSE_ALONE : undefined },
      ...{ isReset: false, isLate },
    };
    this.exchanges.set(stream, exchange);
    return exchange;
  }

  /** Abandons it for a newer one. */
  private giveUp(stream: number, exchange: Exchange): void {
    const side = stream % 2 === 0 ? 0 : 1;
    this.givenUpTo[side] = Math.max(this.givenUpTo[side], stream);
    exchange.problem =
      exchange.problem === undefined ? GIVEN_UP : `${exchange.problem}; ${GIVEN_UP}`;
    this.give(stream, exchange);
  }

  private bodyBytes(
    side: Side,
    isClient: boolean,
    part: Uint8Array,
    start: number,
    at: Stamp,
  ): void {
    const found = this.bodyOf(side.stream, isClient, start, at);
    side.left -= part.length;
    if (found !== undefined) {
      const { body, file } = found;
      file.add(part, body.size === 0 && side.left === 0 && side.endsStream);
      body.size += part.length;
      if (side.left === 0) file.endChunk?.();
    }
    if (side.left === 0) this.endData(side, isClient);
  }

  private endData(side: Side, isClient: boolean): void {
    side.skip = side.padding;
    if (side.endsStream) this.endSide(side.stream, isClient);
  }

  /** The body of a message; undefined without one: tunnelled data is not one. */
  private bodyOf(
    stream: number,
    isClient: boolean,
    start: number,
    at?: Stamp,
  ): { readonly body: Body; readonly file: HttpBody } | undefined {
    const exchange = this.exchanges.get(stream);
    const message = isClient ? exchange?.request : exchange?.response;
    if (message === undefined || exchange?.request?.method === 'CONNECT') return undefined;
    const { body } = message;
    const file = (body.file ??= this.file(message, stream, isClient, at ?? message.at, start));
    return { body, file };
  }

  private file(
    message: HttpRequest | HttpResponse,
    stream: number,
    isFromClient: boolean,
    at: Stamp,
    start: number,
  ): HttpBody {
    const { ends, sink } = this;
    const place = { ends, sink, at, isFromClient, framing: 'frames', start } as const;
    return this.takeBody(bodyBeginning(message, this.exchanges.get(stream)?.request, place));
  }

  private endSide(stream: number, isClient: boolean): void {
    const exchange = this.exchanges.get(stream);
    if (exchange === undefined) return;
    this.endBody(exchange, isClient, true);
    exchange.hasEnded[isClient ? 0 : 1] = true;
    if (exchange.hasEnded[0] && exchange.hasEnded[1]) this.give(stream, exchange);
  }

  private endBody(exchange: Exchange, isClient: boolean, isWhole: boolean): void {
    const message = isClient ? exchange.request : exchange.response;
    if (message !== undefined && !message.body.isWhole && !exchange.hasEnded[isClient ? 0 : 1])
      endBody(message, exchange.request, this.ends, isWhole);
  }

  private reset(stream: number, isClient: boolean, code: number): void {
    const exchange = this.exchanges.get(stream);
    if (exchange === undefined) return;
    // By NO_ERROR a server that has answered may tell the client not to send the rest.
    if (code !== 0 || !exchange.hasEnded[1])
      exchange.problem ??= `the stream was reset: ${ERRORS[code] ?? `error ${code}`}`;
    if (isClient && !exchange.hasEnded[1]) {
      this.endBody(exchange, true, false);
      exchange.hasEnded[0] = true;
      exchange.isReset = true;
      return;
    }
    this.give(stream, exchange);
  }

  private give(stream: number, exchange: Exchange): void {
    this.exchanges.delete(stream);
    this.endBody(exchange, true, false);
    this.endBody(exchange, false, false);
    const { request, response, information } = exchange;
    const problem = exchange.problem ?? this.sides.find(({ isLost }) => isLost)?.lost;
    this.headBytes -= HEAD_COST * ((request?.size ?? 0) + (response?.size ?? 0));
    if (request === undefined && response === undefined) return;
    this.sink.message(this.ends, describe(this.ends, request, response, { information, problem }));
  }

  gap(isClient: boolean, size: number): void {
    const side = this.sides[isClient ? 0 : 1];
    if (side.isLost || this.isDone) return;
    const inFrame = side.left > 0 ? side.left + side.padding : side.skip;
    if (side.held.length > 0 || size > inFrame) {
      this.lose(isClient);
      return;
    }
    const missing = Math.min(size, side.left);
    if (missing > 0) {
      side.left -= missing;
      const found = this.bodyOf(side.stream, isClient, 0);
      if (found !== undefined) {
        found.body.missing += missing;
        found.file.skip(missing);
      }
      if (side.left === 0) this.endData(side, isClient);
    }
    side.skip -= Math.min(side.skip, size - missing);
  }

  /** Neither the start of the next frame nor the meaning of its headers is known. */
  private lose(isClient: boolean, why = CUT_SHORT): void {
    const side = this.sides[isClient ? 0 : 1];
    side.lost = why;
    side.held.clear();
    side.block = undefined;
    if (this.sides[0].isLost && this.sides[1].isLost) this.finish();
  }

  end(): void {
    // Streams report that themselves when they end.
  }

  finish(): void {
    if (this.isDone) return;
    this.isDone = true;
    for (const [stream, exchange] of this.exchanges) this.give(stream, exchange);
  }
}

interface Head {
  readonly pseudo: ReadonlyMap<string, string>;
  readonly headers: Map<string, string>;
  /** Bytes of both, decoded. */
  readonly size: number;
  /** Set if some were omitted because of their size. */
  readonly problem: string | undefined;
}

/** Pseudo-headers (RFC 9113, 8.3) that are kept, in order of precedence for space. */
const PSEUDO = [':method', ':status', ':scheme', ':authority', ':path'];

/**
 * Pseudo-headers and the headers that are kept; values of a repeated name are joined. If space is short,
 * pseudo-headers are truncated, and others omitted.
 */
function headOf(list: readonly Header[]): Head {
  const pseudo = new Map<string, string>();
  const headers = new Map<string, string>();
  let room = MAX_KEPT_BYTES;
  let problem: string | undefined;
  const keep = (to: Map<string, string>, name: string, bytes: string): void => {
    room -= name.length + bytes.length;
    const raw = Buffer.from(bytes, 'latin1');
    const value = textOf(raw, 0, raw.length);
    const before = to.get(name);
    to.set(name, before === undefined ? value : `${before}, ${value}`);
  };
  for (const wanted of PSEUDO)
    for (const [name, bytes] of list) {
      if (name !== wanted) continue;
      const most = Math.max(0, room - name.length);
      if (bytes.length > most) problem = 'has pseudo-headers of more than 64 KiB, which are cut';
      if (bytes.length <= most || !pseudo.has(name)) keep(pseudo, name, bytes.slice(0, most));
    }
  for (const [name, bytes] of list) {
    if (!KEPT_HEADERS.has(name)) continue;
    if (name.length + bytes.length > room)
      problem ??= 'has headers of more than 64 KiB, of which some are left out';
    else keep(headers, name, bytes);
  }
  return { pseudo, headers, size: MAX_KEPT_BYTES - room, problem };
}

export const HTTP2: StreamProtocol = {
  recognise(bytes, start, end) {
    if (bytes[start] !== PREFACE[0]) return undefined;
    const size = Math.min(end - start, PREFACE.length);
    const isBegun =
      Buffer.compare(bytes.subarray(start, start + size), PREFACE.subarray(0, size)) === 0;
    if (!isBegun || size === 0) return undefined;
    return size === PREFACE.length ? 'client' : 'more';
  },
  parser: (ends, sink) => new Http2Stream(ends, sink),
};
