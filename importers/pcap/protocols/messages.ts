/** What the parsers of protocols say of a connection or a datagram, for `protocol-events.ts` to write. */
import { isAscii, isUtf8 } from 'node:buffer';
import type { FileReceiver } from '../../../engine/contract/carried-files.ts';
import type { PROTOCOL_KINDS } from '../../../engine/contract/event.ts';

/** When a packet was captured. */
export interface Stamp {
  /** UTC microseconds since 1970, NaN for none. */
  readonly micros: number;
  readonly nanos: number;
  readonly digits: number;
}

/** Both ends of a connection, the client's first. An address may be unknown (no bytes), a port or protocol, too (-1). */
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
  /** What is written as `event_type`. */
  readonly type: string;
  readonly at: Stamp;
  readonly text: string;
  /** What is written as `service`; the kind, if it is none. */
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
  /** Attributes, by the names that Zeek gives them; lists as JSON. */
  readonly attributes: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** Where parsers give their events. */
export interface MessageSink {
  /** @returns the number of the event in its source */
  message(ends: Endpoints, message: ProtocolMessage): number;
  /** Asked when the first byte of a file comes; undefined: nobody wants its bytes. */
  file?(ends: Endpoints, isFromClient: boolean): FileReceiver | undefined;
  /** So many bytes of exported flows cannot be read, as their template never came. */
  unreadExports?(bytes: number): void;
  /** A connection that is agreed on in another one. */
  expect?(connection: ExpectedConnection): void;
}

export interface ExpectedConnection {
  /** Address of the side that listens, 4 or 16 bytes. */
  readonly address: Uint8Array;
  readonly port: number;
  /** Its name where it turns out to be nothing else. */
  readonly service: string;
  /** Whether that is the client. */
  readonly isClient: boolean;
  /**
   * Asked when its first bytes come; undefined: it is none of those.
   * @param isFromStart whether none came before
   */
  parser(ends: Endpoints, sink: MessageSink, isFromStart: boolean): StreamParser | undefined;
}

/**
 * Reads both directions of one connection, each in order. `bytes` are valid during the call only. What is fed after
 * `done` is not wanted.
 */
export interface StreamParser {
  readonly service: string | undefined;
  readonly isDone: boolean;
  /** Bytes that are kept until more come. */
  readonly heldBytes: number;
  /** What comes after is of another protocol, which has yet to be found: a proxy's tunnel. */
  readonly isTunnel?: boolean;
  /** Last bytes of those that were fed last that are already of the other protocol. */
  readonly unread?: number;
  /** Bytes of one side, from `start` up to `end`. */
  data(isClient: boolean, bytes: Uint8Array, start: number, end: number, at: Stamp): void;
  /** So many bytes of one side are missing. */
  gap(isClient: boolean, size: number): void;
  /** One side has ended. */
  end(isClient: boolean): void;
  /** The connection is over, or is followed no longer: gives up what is held back. */
  finish(): void;
}

/** A protocol over TCP. */
export interface StreamProtocol {
  /**
   * Which side sends these first bytes of a direction, if they are of this protocol; `more`: they may be, but are too few to
   * tell. It is asked for the first segments of every connection.
   * @param isClient whether they come from the side that has opened the connection, as far as that is known
   */
  recognise(
    bytes: Uint8Array,
    start: number,
    end: number,
    ports: Ports,
    isClient: boolean,
  ): 'client' | 'server' | 'more' | undefined;
  /** The protocol's name if bytes that are recognised begin a message that does not end in them: they say nothing yet. */
  begun?(bytes: Uint8Array, start: number, end: number): string | undefined;
  parser(ends: Endpoints, sink: MessageSink): StreamParser;
}

/** A datagram whose protocol is looked for: its payload is `bytes[start, end)`. */
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
  /** What a datagram says, and whether a client sends it; undefined: it is not of this protocol. */
  read(datagram: Datagram): { message: ProtocolMessage; isFromClient: boolean } | undefined;
}

const utf8 = new TextDecoder();

/** Text that comes from the network: what is no UTF-8 is read as Latin-1. */
export function textOf(bytes: Uint8Array, start: number, end: number): string {
  const part = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start);
  // A decoder that throws costs more than all else that is done with the first bytes of a connection.
  return isAscii(part) || !isUtf8(part) ? part.toString('latin1') : utf8.decode(part);
}

/** `0.012345`; undefined where a time is missing or runs backwards. */
export function secondsBetween(from: Stamp, to: Stamp): string | undefined {
  const micros = to.micros - from.micros;
  return micros >= 0 ? (micros / 1e6).toFixed(6) : undefined;
}
