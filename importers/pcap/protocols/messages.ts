/**
 * The interface of protocol parsers: their results for a connection or a datagram, which `protocol-events.ts`
 * writes.
 */
import { isAscii, isUtf8 } from 'node:buffer';
import type { FileReceiver } from '../../../engine/evidence/carried-files.ts';
import type { PROTOCOL_KINDS } from '../../../engine/contract/event.ts';

/** When a packet was captured. */
export interface Stamp {
  /** UTC microseconds since 1970, NaN for none. */
  readonly micros: number;
  readonly nanos: number;
  readonly digits: number;
}

/**
 * Both ends of a connection, the client's first. An address may be unknown (no bytes), and so may a port or
 * protocol (-1).
 */
export interface Endpoints {
  /** Number of its flow in the capture. */
  readonly flow: number;
  readonly proto: number;
  /** 4, 16 or no bytes each. */
  readonly client: Uint8Array;
  readonly server: Uint8Array;
  readonly clientPort: number;
  readonly serverPort: number;
  /** -1: none. */
  readonly vlan: number;
}

export type Ports = Pick<Endpoints, 'clientPort' | 'serverPort'>;

export type ProtocolKind = (typeof PROTOCOL_KINDS)[number];

/** One event. */
export interface ProtocolMessage {
  readonly kind: ProtocolKind;
  /** Written as `event_type`. */
  readonly type: string;
  readonly at: Stamp;
  readonly text: string;
  /** Written as `service`; by default, the kind. */
  readonly service?: string;
  /** Columns of numbers by name. */
  readonly numbers?: Readonly<
    Partial<
      Record<
        'bytes' | 'packets' | 'bytes_rev' | 'packets_rev' | 'tcp_flags' | 'duration',
        number | undefined
      >
    >
  >;
  /** Columns of texts by name. */
  readonly columns: Readonly<Record<string, string | undefined>>;
  /** Attributes, by their names in Zeek; lists as JSON. */
  readonly attributes: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** Receives the events of parsers. */
export interface MessageSink {
  /** @returns the number of the event in its source */
  message(ends: Endpoints, message: ProtocolMessage): number;
  /** Called at the first byte of a file; undefined: its bytes are not wanted. */
  file?(ends: Endpoints, isFromClient: boolean): FileReceiver | undefined;
  /** Reports bytes of exported flows that cannot be read because their template never arrived. */
  unreadExports?(bytes: number): void;
  /** A connection that is agreed on in another one. */
  expect?(connection: ExpectedConnection): void;
}

export interface ExpectedConnection {
  /** Address of the side that listens, 4 or 16 bytes. */
  readonly address: Uint8Array;
  readonly port: number;
  /** Its name unless it turns out to be something else. */
  readonly service: string;
  /** Whether that is the client. */
  readonly isClient: boolean;
  /**
   * Called at its first bytes; undefined: it is none of those.
   * @param isFromStart whether no bytes preceded
   */
  parser(ends: Endpoints, sink: MessageSink, isFromStart: boolean): StreamParser | undefined;
}

/**
 * Reads both directions of one connection, each in order. `bytes` are valid during the call only. Nothing is fed
 * after `done`.
 */
export interface StreamParser {
  readonly service: string | undefined;
  readonly isDone: boolean;
  /** Number of bytes that are buffered until more arrive. */
  readonly heldBytes: number;
  /** Whether the rest belongs to another protocol, still to be recognised: a proxy's tunnel. */
  readonly isTunnel?: boolean;
  /** Last bytes of those that were fed last that are already of the other protocol. */
  readonly unread?: number;
  /** Bytes of one side, from `start` up to `end`. */
  data(isClient: boolean, bytes: Uint8Array, start: number, end: number, at: Stamp): void;
  /** Reports `size` missing bytes of one side. */
  gap(isClient: boolean, size: number): void;
  /** One side has ended. */
  end(isClient: boolean): void;
  /** The connection has ended, or is no longer followed: emits what is pending. */
  finish(): void;
}

/** A protocol over TCP. */
export interface StreamProtocol {
  /**
   * The side that sends these first bytes of a direction, if they are of this protocol; `more`: possible, but there
   * are too few bytes. Called for the first segments of every connection.
   * @param isClient whether they come from the side that opened the connection, as far as known
   */
  recognise(
    bytes: Uint8Array,
    start: number,
    end: number,
    ports: Ports,
    isClient: boolean,
  ): 'client' | 'server' | 'more' | undefined;
  /**
   * The protocol's name if recognised bytes begin a message that does not end in them: they are not sufficient yet.
   */
  begun?(bytes: Uint8Array, start: number, end: number): string | undefined;
  parser(ends: Endpoints, sink: MessageSink): StreamParser;
}

/** A datagram whose protocol is not recognised yet: its payload is `bytes[start, end)`. */
export interface Datagram {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
  readonly srcPort: number;
  readonly dstPort: number;
  readonly at: Stamp;
}

/** A protocol over UDP each of whose messages is an event. */
export interface DatagramProtocol {
  readonly service: string;
  /** The content of a datagram, and whether a client sent it; undefined: it is not of this protocol. */
  read(datagram: Datagram): { message: ProtocolMessage; isFromClient: boolean } | undefined;
}

const utf8 = new TextDecoder();

/** Text from the network: invalid UTF-8 is read as Latin-1. */
export function textOf(bytes: Uint8Array, start: number, end: number): string {
  const part = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start);
  // A decoder that throws costs more than all other work on the first bytes of a connection.
  return isAscii(part) || !isUtf8(part) ? part.toString('latin1') : utf8.decode(part);
}

/** `0.012345`; undefined if a time is missing or they are in reverse order. */
export function secondsBetween(from: Stamp, to: Stamp): string | undefined {
  const micros = to.micros - from.micros;
  return micros >= 0 ? (micros / 1e6).toFixed(6) : undefined;
}
