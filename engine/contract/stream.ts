/** Payload of both sides of a connection, read from a capture. */
import type { EpochMicros } from './event.ts';

interface StreamPart {
  readonly isFromClient: boolean;
  /** In order; empty for a gap. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Of HTTP, where bodies are in chunks or compressed: the same without that, and what could not be undone. */
  readonly decoded?: {
    readonly bytes: Uint8Array<ArrayBuffer>;
    readonly problems: string[];
  };
  /** Bytes that were not captured. */
  readonly missing: number;
  /** When its first byte came. */
  readonly ts: EpochMicros | undefined;
}

export interface StreamContent {
  /** Of both sides in the order in which they came, up to the bytes that were asked for. */
  readonly parts: readonly StreamPart[];
  /** All that each side sent, gaps left out. */
  readonly fromClient: number;
  readonly fromServer: number;
}
