/**
 * Decodes HTTP bodies in the payload of a connection: dechunked and decompressed.
 *
 * Invariants: compressed bodies are buffered up to a limit each and a limit in total; of a longer one, or one that
 * was not captured to its end, the beginning is decoded, and its end says so.
 */
import type { BodyOutcome, BodyPlace, BodyTaker } from '../../../engine/evidence/payloads.ts';
import {
  decodeContent,
  isContentEncoding,
  isTooLarge,
} from '../protocols/http/content-encodings.ts';
import { HeldBytes } from '../protocols/streams/held-bytes.ts';
import type { BodyBeginning, HttpBody } from '../protocols/http/http-message.ts';
import { HTTP, HttpStream } from '../protocols/http/http.ts';
import { HTTP2, Http2Stream } from '../protocols/http/http2.ts';
import type { Endpoints, MessageSink, Stamp, StreamParser } from '../protocols/messages.ts';

/** Limit of one body as sent. */
const MOST_ENCODED_BYTES = 4 << 20;
/** Limit of one body when decoded. */
const MOST_DECODED_BYTES = 64 << 20;
/** Limit of all open bodies. */
const MOST_HELD_BYTES = 32 << 20;
/** First bytes that are too few to decide whether they are a head. */
const MOST_FIRST_BYTES = 16_384;
const MOST_MESSAGE = 200;
/** Decoded bytes that are passed on at a time. */
const PIECE_BYTES = 1 << 16;

/** Bytes that all bodies of a capture may hold. */
export class BodyRoom {
  private held = 0;
  take(size: number): boolean {
    if (this.held + size > MOST_HELD_BYTES) return false;
    this.held += size;
    return true;
  }
  give(size: number): void {
    this.held -= size;
  }
}

/** No events are made when reading again. */
const SINK: MessageSink = { message: () => 0 };

interface Side {
  /** Bytes that it sent, missing ones included. */
  sent: number;
  /** Bytes that arrived before it is known whether this is HTTP. */
  readonly first: HeldBytes;
}

/** Finds the bodies of one connection. */
export class HttpBodies {
  isDone = false;
  private readonly ends: Endpoints;
  private readonly begin: (place: BodyPlace) => BodyTaker;
  private readonly room: BodyRoom;
  private readonly sides: readonly [Side, Side] = [
    { sent: 0, first: new HeldBytes() },
    { sent: 0, first: new HeldBytes() },
  ];
  private parser: StreamParser | undefined;
  /** Whether the client is the side assumed to be the server: a capture may begin within a connection. */
  private isTurned = false;
  /** Bytes passed to the parser, and the offset of the first of them in what the side sent. */
  private fed: Uint8Array = new Uint8Array(0);
  private base = 0;

  constructor(ends: Endpoints, begin: (place: BodyPlace) => BodyTaker, room: BodyRoom) {
    this.ends = ends;
    this.begin = begin;
    this.room = room;
  }

  get heldBytes(): number {
    const [client, server] = this.sides;
    return client.first.capacity + server.first.capacity + (this.parser?.heldBytes ?? 0);
  }

  data(isClient: boolean, bytes: Uint8Array, at: Stamp): void {
    const side = this.sides[isClient ? 0 : 1];
    const before = side.sent;
    side.sent += bytes.length;
    if (this.parser === undefined) this.find(isClient, bytes, at);
    else this.feed(isClient, bytes, before, at);
  }

  /** Looks for HTTP in the last bytes that a side sent. */
  private find(isClient: boolean, bytes: Uint8Array, at: Stamp): void {
    const side = this.sides[isClient ? 0 : 1];
    const { first } = side;
    if (first.length > 0) first.append(bytes);
    const all = first.length > 0 ? first.bytes : bytes;
    const second = HTTP2.recognise(all, 0, all.length, this.ends, isClient);
    const sender = second ?? HTTP.recognise(all, 0, all.length, this.ends, isClient);
    if (sender === 'more' && all.length <= MOST_FIRST_BYTES) {
      if (first.length === 0) first.append(bytes);
      return;
    }
    first.clear();
    if (sender !== 'client' && sender !== 'server') return;
    this.isTurned = (sender === 'client') !== isClient;
    const Parser = second === undefined ? HttpStream : Http2Stream;
    this.parser = new Parser(this.ends, SINK, (beginning) => this.body(beginning));
    const other = this.sides[isClient ? 1 : 0];
    const held = other.first.bytes;
    other.first.clear();
    this.feed(isClient, all, side.sent - all.length, at);
    if (held.length > 0) this.feed(!isClient, held, other.sent - held.length, at);
  }

  private feed(isClient: boolean, bytes: Uint8Array, base: number, at: Stamp): void {
    const { parser } = this;
    if (parser === undefined || this.isDone) return;
    this.fed = bytes;
    this.base = base;
    parser.data(isClient !== this.isTurned, bytes, 0, bytes.length, at);
    this.isDone = parser.isDone;
    if (parser.isTunnel !== true) return;
    // After a proxy has connected, HTTP may follow as well.
    this.parser = undefined;
    this.isDone = false;
    const unread = parser.unread ?? 0;
    if (unread > 0) this.find(isClient, bytes.subarray(bytes.length - unread), at);
  }

  gap(isClient: boolean, size: number): void {
    const side = this.sides[isClient ? 0 : 1];
    side.first.clear();
    this.base = side.sent;
    side.sent += size;
    if (!this.isDone) this.parser?.gap(isClient !== this.isTurned, size);
  }

  end(isClient: boolean): void {
    if (!this.isDone) this.parser?.end(isClient !== this.isTurned);
  }

  finish(): void {
    this.parser?.finish();
    this.isDone = true;
  }

  private body(beginning: BodyBeginning): HttpBody {
    const encodings = encodingsOf(beginning);
    if (encodings.length === 0 && beginning.framing === undefined) return AS_SENT;
    const place = this.placeOf(beginning);
    const taker = this.begin(place);
    const body =
      encodings.length === 0
        ? new ChunkedBody(taker)
        : new EncodedBody(taker, encodings, this.room);
    let until = place.start;
    return {
      // The room over all counts them.
      heldBytes: 0,
      add: (part) => {
        until = this.base + part.byteOffset + part.length - this.fed.byteOffset;
        body.add(part);
      },
      skip: (size) => {
        until += size;
        body.skip();
      },
      endChunk: () => body.endChunk(),
      end: ({ isWhole }, at) => {
        taker.end({ ...body.end(isWhole), end: at === undefined ? until : this.base + at });
        return undefined;
      },
    };
  }

  private placeOf(beginning: BodyBeginning): BodyPlace {
    const { at, isFromClient, framing = [], message, start } = beginning;
    const encodings = encodingsOf(beginning);
    return {
      isFromClient: isFromClient !== this.isTurned,
      message: message.slice(0, MOST_MESSAGE),
      start: this.base + start,
      encoding: encodings.concat(framing).join(', ').slice(0, MOST_MESSAGE),
      ts: Number.isNaN(at.micros) ? undefined : at.micros,
    };
  }
}

/** Without those that change nothing, in the order in which they were applied. */
function encodingsOf({ encoding }: BodyBeginning): string[] {
  return encoding
    .toLowerCase()
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '' && one !== 'identity');
}

/** A body sent unencoded needs no decoding. */
const AS_SENT: HttpBody = {
  heldBytes: 0,
  add() {
    // It is in what the connection carried.
  },
  skip() {
    // So is what is missing.
  },
  end: () => undefined,
};

type Outcome = Omit<BodyOutcome, 'end'>;

class ChunkedBody {
  private readonly taker: BodyTaker;
  private isOver = false;

  constructor(taker: BodyTaker) {
    this.taker = taker;
  }

  add(part: Uint8Array): void {
    if (!this.isOver) this.taker.data(part);
  }

  endChunk(): void {
    this.taker.chunkBoundary();
  }

  skip(): void {
    this.isOver = true;
  }

  end(isWhole: boolean): Outcome {
    return { problem: isWhole && !this.isOver ? undefined : 'their ends were not captured' };
  }
}

class EncodedBody {
  private readonly taker: BodyTaker;
  /** In the order in which they were applied. */
  private readonly encodings: readonly string[];
  private readonly room: BodyRoom;
  private readonly held = new HeldBytes();
  /** Why it is not completely buffered. */
  private problem: string | undefined;
  private flaw: string | undefined;

  constructor(taker: BodyTaker, encodings: readonly string[], room: BodyRoom) {
    this.taker = taker;
    this.encodings = encodings;
    this.room = room;
    const unknown = encodings.find((one) => !isContentEncoding(one));
    if (unknown !== undefined) this.problem = `they are encoded as ${unknown.slice(0, 40)}`;
  }

  add(part: Uint8Array): void {
    if (this.problem !== undefined) return;
    const { held } = this;
    const taken = part.subarray(0, MOST_ENCODED_BYTES - held.length);
    if (taken.length < part.length)
      this.problem = `only the first ${MOST_ENCODED_BYTES >> 20} MiB as sent are decoded`;
    if (this.room.take(taken.length)) held.append(taken);
    else this.problem = 'too many were open at once';
  }

  endChunk(): void {
    // Compressed bytes have no chunk boundaries.
  }

  skip(): void {
    this.problem ??= 'bytes of them were not captured';
  }

  end(isWhole: boolean): Outcome {
    const { held, taker } = this;
    if (!isWhole) this.problem ??= 'their ends were not captured';
    const decoded = held.length === 0 ? undefined : this.decoded();
    this.room.give(held.length);
    held.clear();
    if (decoded !== undefined)
      for (let at = 0; at < decoded.length; at += PIECE_BYTES)
        taker.data(decoded.subarray(at, at + PIECE_BYTES));
    return { problem: this.problem, flaw: this.flaw };
  }

  /** As far as possible; `problem` says why not all. */
  private decoded(): Uint8Array | undefined {
    let content = this.held.bytes;
    for (const encoding of this.encodings.toReversed()) {
      const decode = (isPartial: boolean): Uint8Array => {
        const options = { maxOutputLength: MOST_DECODED_BYTES, isPartial };
        const decoded = decodeContent(content, encoding, options);
        if (decoded.flaw !== undefined)
          this.flaw = `the ${encoding} encoding of a body has ${decoded.flaw}`;
        return decoded.content;
      };
      try {
        content = decode(this.problem !== undefined);
      } catch (error) {
        if (isTooLarge(error)) {
          this.problem = `they have more than ${MOST_DECODED_BYTES >> 20} MiB when decoded`;
          return undefined;
        }
        const problem = `they cannot be decoded as ${encoding}`;
        const isTried = this.problem !== undefined;
        this.problem = problem;
        if (isTried) return undefined;
        try {
          content = decode(true);
        } catch {
          return undefined;
        }
      }
    }
    return content;
  }
}
