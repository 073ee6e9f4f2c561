/**
 * Remote desktop ([MS-RDPBCGR]): the beginning of a connection. One event per connection, with the account or token
 * that the client names before encryption. TLS mostly follows.
 */
import { u16, u16le, u32le } from '../../bytes.ts';
import { HeldBytes } from '../streams/held-bytes.ts';
import {
  type Endpoints,
  type MessageSink,
  type Stamp,
  type StreamParser,
  type StreamProtocol,
  textOf,
} from '../messages.ts';

/** RFC 1006: version and length before each message. */
const TPKT_BYTES = 4;
const MAX_MESSAGE_BYTES = 16_384;
const [CONNECTION_REQUEST, CONNECTION_CONFIRM] = [0xe0, 0xd0];
const X224_BYTES = 7;
const [NEGOTIATION_REQUEST, NEGOTIATION_RESPONSE, NEGOTIATION_FAILURE] = [1, 2, 3];
const PROTOCOLS: Readonly<Record<number, string>> = {
  ...{ 0: 'RDP', 1: 'TLS', 2: 'CredSSP', 4: 'RDSTLS', 8: 'CredSSP-EX', 16: 'RDS-AAD' },
};
const FAILURES: Readonly<Record<number, string>> = {
  ...{ 1: 'SSL_REQUIRED_BY_SERVER', 2: 'SSL_NOT_ALLOWED_BY_SERVER', 3: 'SSL_CERT_NOT_ON_SERVER' },
  ...{ 4: 'INCONSISTENT_FLAGS', 5: 'HYBRID_REQUIRED_BY_SERVER' },
};
/** Header of the client's core data in the MCS connect request. */
const CORE = [0x01, 0xc0] as const;

class RdpStream implements StreamParser {
  readonly service = 'rdp';
  isDone = false;
  isTunnel = false;
  unread = 0;
  private readonly ends: Endpoints;
  private readonly sink: MessageSink;
  private readonly held = [new HeldBytes(), new HeldBytes()] as const;
  private at: Stamp | undefined;
  private cookie: string | undefined;
  private requested: string[] = [];
  private selected: string | undefined;
  private failure: string | undefined;
  private client: { name: string; build: string; layout: string } | undefined;

  constructor(ends: Endpoints, sink: MessageSink) {
    this.ends = ends;
    this.sink = sink;
  }

  get heldBytes(): number {
    return this.held[0].capacity + this.held[1].capacity;
  }

  data(isClient: boolean, bytes: Uint8Array, start: number, end: number, at: Stamp): void {
    this.at ??= at;
    const held = this.held[isClient ? 0 : 1];
    held.append(bytes.subarray(start, end));
    while (held.length >= TPKT_BYTES && !this.isDone) {
      const all = held.bytes;
      const size = u16(all, 2);
      if (all[0] !== 3 || size < TPKT_BYTES || size > MAX_MESSAGE_BYTES) {
        this.conclude();
        return;
      }
      if (all.length < size) return;
      if (isClient) this.fromClient(all.subarray(TPKT_BYTES, size));
      else this.fromServer(all.subarray(TPKT_BYTES, size));
      held.drop(size);
      if (this.isTunnel) this.unread = held.length;
    }
  }

  private fromClient(message: Uint8Array): void {
    if (message[1] === CONNECTION_REQUEST) {
      const text = textOf(message, X224_BYTES, message.length);
      this.cookie = /^Cookie: ([^\r\n]{1,256})\r\n/.exec(text)?.[1];
      const at = this.cookie === undefined ? X224_BYTES : message.length - 8;
      if (at + 8 <= message.length && message[at] === NEGOTIATION_REQUEST) {
        const flags = u32le(message, at + 4);
        this.requested = Object.entries(PROTOCOLS)
          .filter(([bit]) => (flags & Number(bit)) !== 0)
          .map(([, name]) => name);
      }
      return;
    }
    this.core(message);
    this.conclude();
  }

  /** Name and version of the client, if the connection is not encrypted by then. */
  private core(message: Uint8Array): void {
    for (let at = 0; at + 132 <= message.length; at++) {
      if (message[at] !== CORE[0] || message[at + 1] !== CORE[1]) continue;
      const size = u16le(message, at + 2);
      if (size < 132 || size > 512) continue;
      const name = Buffer.from(message.subarray(at + 24, at + 56)).toString('utf16le');
      this.client = {
        name: name.split('\0', 1)[0]!,
        build: String(u32le(message, at + 20)),
        layout: `0x${u32le(message, at + 16).toString(16)}`,
      };
      return;
    }
  }

  private fromServer(message: Uint8Array): void {
    if (message[1] !== CONNECTION_CONFIRM) return;
    const at = X224_BYTES;
    const isTold = at + 8 <= message.length;
    if (isTold && message[at] === NEGOTIATION_RESPONSE) {
      const number = u32le(message, at + 4);
      this.selected = PROTOCOLS[number] ?? String(number);
      if (number === 0) return;
      this.isTunnel = true;
    } else if (isTold && message[at] === NEGOTIATION_FAILURE) {
      const number = u32le(message, at + 4);
      this.failure = FAILURES[number] ?? String(number);
    } else {
      this.selected = PROTOCOLS[0];
      return;
    }
    this.conclude();
  }

  private conclude(): void {
    if (this.isDone) return;
    this.isDone = true;
    this.tell();
  }

  private tell(): void {
    const { cookie, requested, selected, failure, client } = this;
    const user = /^mstshash=(.*)$/.exec(cookie ?? '')?.[1];
    this.sink.message(this.ends, {
      ...{ kind: 'rdp', type: 'connection', at: this.at! },
      text: [user ?? cookie, client?.name, selected, failure]
        .filter((part) => part !== undefined && part !== '')
        .join(' '),
      columns: {
        user,
        src_domain: client?.name === '' ? undefined : client?.name,
        outcome: failure === undefined ? undefined : 'failure',
        reason: failure,
      },
      attributes: {
        cookie,
        requested_protocols: requested.length === 0 ? undefined : requested,
        security_protocol: selected,
        result: failure,
        ...{
          client_name: client?.name,
          client_build: client?.build,
          keyboard_layout: client?.layout,
        },
      },
    });
  }

  gap(): void {
    this.conclude();
  }

  end(): void {
    // The other side may still answer.
  }

  finish(): void {
    if (this.at !== undefined) this.conclude();
  }
}

export const RDP: StreamProtocol = {
  /** A TPKT with a connection request or its confirmation. */
  recognise(bytes, start, end) {
    if (bytes[start] !== 3 || (end - start > 1 && bytes[start + 1] !== 0)) return undefined;
    if (end - start < TPKT_BYTES + X224_BYTES) return 'more';
    const size = u16(bytes, start + 2);
    if (size > 512 || bytes[start + 4] !== size - TPKT_BYTES - 1) return undefined;
    const code = bytes[start + 5];
    // Siemens' S7 and MMS begin in the same way: their requests carry parameters instead.
    const after = bytes[start + TPKT_BYTES + X224_BYTES];
    const isOther = after !== undefined && after >= 0xc0 && after <= 0xc2 && size > 11;
    if (isOther) return undefined;
    if (code === CONNECTION_REQUEST) return 'client';
    return code === CONNECTION_CONFIRM ? 'server' : undefined;
  },
  parser: (ends, sink) => new RdpStream(ends, sink),
};
