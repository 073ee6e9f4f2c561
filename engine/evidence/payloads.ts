/** Payloads of a capture's connections, read from the capture again. */
import type { EpochMicros } from '../contract/event.ts';

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
  /** Its message, such as `200 OK for GET /`, truncated to 200 characters. */
  readonly message: string;
  /** Position of its first byte in what the side sent, missing bytes included. */
  readonly start: number;
  /** The encodings in which it was sent, such as `gzip`, `br, chunked` or `frames`. */
  readonly encoding: string;
  /** Time of its first byte. */
  readonly ts: EpochMicros | undefined;
}

/** Receives a decoded body in order. `bytes` are valid during the call only. */
export interface BodyTaker {
  data(bytes: Uint8Array): void;
  /**
   * Chunk boundary: the next bytes were not adjacent on the wire. Called only for bodies that were chunked but not
   * compressed.
   */
  chunkBoundary(): void;
  end(outcome: BodyOutcome): void;
}

export interface BodyOutcome {
  /** Why it was not decoded, or not completely. */
  readonly problem: string | undefined;
  /** A fault in its encoding that did not prevent decoding. */
  readonly flaw?: string | undefined;
  /** Position in what the side sent after the body; for frames, after their last bytes. */
  readonly end: number;
}

/** Receives what both sides of a TCP connection sent, each in order. `bytes` are valid during the call only. */
export interface StreamTaker {
  /** @param ts when the bytes were captured; undefined if the capture has no time */
  data(isFromClient: boolean, bytes: Uint8Array, ts: EpochMicros | undefined): void;
  /** Called for `size` bytes that were not captured. */
  gap(isFromClient: boolean, size: number): void;
  /** Called at the first bytes of a body; absent if decoded bodies are not wanted. */
  body?(place: BodyPlace): BodyTaker;
  /** The connection has ended, or is no longer followed. */
  end(): void;
}

export interface PayloadTaker {
  /** Whether any payload of a flow is wanted. */
  wants(flow: number): boolean;
  /** Called at the first bytes of a connection. */
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
  /**
   * Called after everything was read. @param evicted connections that were dropped because too much was open at a
   * time
   */
  finish(evicted: number): void;
}
