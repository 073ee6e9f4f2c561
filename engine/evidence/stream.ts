/** Payload of both sides of a connection, read from a capture. */
import type { EpochMicros } from '../contract/event.ts';

interface StreamPart {
  readonly isFromClient: boolean;
  /** In order; empty for a gap. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** For HTTP with chunked or compressed bodies: the decoded bytes, and the problems met. */
  readonly decoded?: {
    readonly bytes: Uint8Array<ArrayBuffer>;
    readonly problems: string[];
  };
  /** Number of bytes that were not captured. */
  readonly missing: number;
  /** When its first byte was captured. */
  readonly ts: EpochMicros | undefined;
}

export interface StreamContent {
  /** Of both sides, in order of arrival, up to the requested number of bytes. */
  readonly parts: readonly StreamPart[];
  /** All bytes that each side sent, without gaps. */
  readonly fromClient: number;
  readonly fromServer: number;
}
