/** Payloads of a capture's connections, read again from the capture. */
import type { EpochMicros } from './event.ts';

/** Both ends of a flow, the client's first. */
export interface FlowEnds {
  /** Number of the flow in its capture. */
  readonly flow: number;
  readonly proto: number;
  /** 4 or 16 bytes each. */
  readonly client: Uint8Array;
  readonly server: Uint8Array;
  readonly clientPort: number;
  readonly serverPort: number;
}

/** An HTTP body that was sent compressed, chunked or in frames of HTTP/2. */
export interface BodyPlace {
  readonly isFromClient: boolean;
  /** Its message, such as `200 OK for GET /`, cut to 200 characters. */
  readonly message: string;
  /** Offset of its first byte in what the side sent, missing bytes included. */
  readonly start: number;
  /** Encodings that it was sent in, such as `gzip`, `br, chunked` or `frames`. */
  readonly encoding: string;
  /** Time of its first byte. */
  readonly ts: EpochMicros | undefined;
}

/** Takes a decoded body in order. `bytes` are valid during the call only. */
export interface BodyTaker {
  data(bytes: Uint8Array): void;
  /** Chunk boundary: the next bytes were not adjacent on the wire. Only for bodies that were chunked, not compressed. */
  chunkBoundary(): void;
  end(outcome: BodyOutcome): void;
}

export interface BodyOutcome {
  /** Why it was not decoded, or not completely. */
  readonly problem: string | undefined;
  /** What is wrong with how it was encoded, though it was decoded. */
  readonly flaw?: string | undefined;
  /** Offset of what follows it in what the side sent; of frames, of what follows its last bytes there. */
  readonly end: number;
}

/** Takes what both sides of a TCP connection sent, each in order. `bytes` are valid during the call only. */
export interface StreamTaker {
  /** @param ts when the bytes came; undefined: the capture does not say */
  data(isFromClient: boolean, bytes: Uint8Array, ts: EpochMicros | undefined): void;
  /** Number of bytes that were not captured. */
  gap(isFromClient: boolean, size: number): void;
  /** Called at the first bytes of a body; absent if decoded bodies are not wanted. */
  body?(place: BodyPlace): BodyTaker;
  /** The connection is over, or is followed no longer. */
  end(): void;
}

export interface PayloadTaker {
  /** Whether anything of a flow is wanted. */
  wants(flow: number): boolean;
  /** Asked when the first bytes of a connection come. */
  stream(ends: FlowEnds): StreamTaker;
  /**
   * A datagram of UDP.
   * @param missing bytes at its end that were not captured
   */
  datagram(
    ends: FlowEnds,
    isFromClient: boolean,
    bytes: Uint8Array,
    missing: number,
    ts: EpochMicros | undefined,
  ): void;
  /** All was read. @param evicted connections that were given up because too much was open at a time */
  finish(evicted: number): void;
}
