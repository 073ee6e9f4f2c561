/**
 * Puts the payloads of TCP connections in order and gives them to the parser of their protocol, which is found by what
 * the first bytes are, not by ports.
 *
 * A segment that comes early is held until what is before it comes; where too much is held, or the connection ends, the
 * missing bytes are a gap. Of bytes that come twice the first are taken, as most receivers do.
 *
 * Invariants: memory is bounded by MAX_OPEN connections and MAX_HELD_BYTES of early segments and begun messages over all; the cost of
 * a packet does not depend on how many connections are open; connections of no protocol that is known cost a bit each.
 */
import type { Packet } from '../packet.ts';
import { DnsStream, isDnsStream } from './dns.ts';
import { HttpStream, isHttpRequest, isHttpResponse } from './http.ts';
import type { Endpoints, MessageSink, Stamp, StreamParser } from './messages.ts';
import { isTls, TlsStream } from './tls.ts';

const MAX_OPEN = 65_536;
/** Early segments of one direction. */
const MAX_EARLY = 64;
const MAX_EARLY_BYTES = 1 << 20;
const MAX_HELD_BYTES = 64 << 20;
const [FIN, SYN, RST, ACK] = [1, 2, 4, 16];
const DNS_PORT = 53;
/** RFC 7323: a window has less than 2^30 bytes; captures of one have gaps far below it. */
const MAX_JUMP = 1 << 26;

interface Early {
  readonly seq: number;
  readonly bytes: Uint8Array;
  readonly at: Stamp;
}

class Direction {
  /** Sequence number of the byte that comes next; -1 before the first. */
  next = -1;
  early: Early[] = [];
  earlyBytes = 0;
  hasEnded = false;
  /** Where its FIN is. */
  fin = -1;
}

class Connection {
  readonly sides = [new Direction(), new Direction()] as const;
  parser: StreamParser | undefined;
  ends: Endpoints;
  /** Whether the side with the lower number in `sides` is the client. */
  isFirstClient: boolean;
  readonly first4: number;
  readonly first6: Uint8Array | undefined;
  readonly firstPort: number;

  constructor(p: Packet, ends: Endpoints, isFirstClient: boolean) {
    this.ends = ends;
    this.isFirstClient = isFirstClient;
    this.first4 = p.src4;
    this.first6 = p.ipVersion === 6 ? p.bytes.slice(p.src6, p.src6 + 16) : undefined;
    this.firstPort = p.srcPort;
  }

  /** Which of the sides has sent a packet. */
  sideOf(p: Packet): 0 | 1 {
    if (p.srcPort !== this.firstPort) return 1;
    if (p.srcPort !== p.dstPort) return 0;
    if (this.first6 === undefined) return p.src4 === this.first4 ? 0 : 1;
    return Buffer.compare(this.first6, p.bytes.subarray(p.src6, p.src6 + 16)) === 0 ? 0 : 1;
  }
}

/** Connections that are not read any more, by the number of their flow. */
class FlowBits {
  private bits = new Uint8Array(1024);
  has(flow: number): boolean {
    return ((this.bits[flow >>> 3] ?? 0) & (1 << (flow & 7))) !== 0;
  }
  add(flow: number): void {
    const at = flow >>> 3;
    if (at >= this.bits.length) {
      const bigger = new Uint8Array(Math.max(at + 1, this.bits.length * 2));
      bigger.set(this.bits);
      this.bits = bigger;
    }
    this.bits[at]! |= 1 << (flow & 7);
  }
}

export class TcpStreams {
  /** Connections that were given up because too many were open at a time. */
  evicted = 0;
  private readonly sink: MessageSink;
  private readonly services: Map<number, string>;
  private readonly open = new Map<number, Connection>();
  private readonly done = new FlowBits();
  private heldBytes = 0;

  /** @param services gets the protocol of each connection, by the number of its flow */
  constructor(sink: MessageSink, services: Map<number, string>) {
    this.sink = sink;
    this.services = services;
  }

  /** Whether nothing more of a flow is read. */
  isDone(flow: number): boolean {
    return this.done.has(flow);
  }

  /** @param flow number of the packet's flow */
  packet(p: Packet, flow: number): void {
    if (this.done.has(flow)) return;
    const connection = this.open.get(flow);
    if (p.payload > 0) this.segment(p, flow, connection);
    else if (connection !== undefined && (p.tcpFlags & (FIN | RST | SYN)) !== 0)
      this.control(p, flow, connection);
  }

  finish(): void {
    for (const [flow, connection] of this.open) this.close(flow, connection);
  }

  private segment(p: Packet, flow: number, known: Connection | undefined): void {
    let connection = known;
    if (connection === undefined) {
      // Payload in a SYN is a matter of TCP Fast Open, which waits for its acknowledgement.
      connection = new Connection(p, endpointsOf(p, flow, true), true);
      if (this.open.size >= MAX_OPEN) this.evictOldest();
      this.open.set(flow, connection);
    }
    const side = connection.sideOf(p);
    const direction = connection.sides[side];
    const seq = (p.tcpFlags & SYN) !== 0 ? (p.tcpSeq + 1) >>> 0 : p.tcpSeq;
    if (direction.next < 0) direction.next = seq;
    else if (Math.abs((seq - direction.next) | 0) > MAX_JUMP) {
      // No window is as wide: another connection has the same addresses and ports.
      this.close(flow, connection, false);
      this.segment(p, flow, undefined);
      return;
    }
    const from = p.payloadStart;
    // Bytes beyond the snap length were sent, but not captured.
    const to = Math.min(p.end, from + p.payload);
    const at = { micros: p.micros, nanos: p.nanos, digits: p.digits };
    this.accept(connection, side, seq, p.bytes, from, to, at);
    if (to - from < p.payload) this.skipTo(connection, side, (seq + p.payload) >>> 0);
    if ((p.tcpFlags & (FIN | RST)) !== 0) this.control(p, flow, connection);
    const { parser } = connection;
    if (parser?.isDone === true && parser.isTunnel !== true) this.close(flow, connection);
    while (this.heldBytes > MAX_HELD_BYTES && this.open.size > 0) this.evictOldest();
  }

  private accept(
    connection: Connection,
    side: 0 | 1,
    seq: number,
    bytes: Uint8Array,
    start: number,
    end: number,
    at: Stamp,
  ): void {
    const direction = connection.sides[side];
    const ahead = (seq - direction.next) | 0;
    if (ahead > 0) {
      this.hold(connection, side, { seq, bytes: bytes.slice(start, end), at });
      return;
    }
    const from = start - ahead;
    if (from >= end) return;
    direction.next = (direction.next + end - from) >>> 0;
    this.give(connection, side, bytes, from, end, at);
    this.drain(connection, side);
  }

  /** Early segments that come next now. */
  private drain(connection: Connection, side: 0 | 1): void {
    const direction = connection.sides[side];
    while (direction.early.length > 0) {
      const [first] = direction.early;
      if (((first!.seq - direction.next) | 0) > 0) return;
      this.release(direction);
      const skip = (direction.next - first!.seq) | 0;
      if (skip >= first!.bytes.length) continue;
      direction.next = (first!.seq + first!.bytes.length) >>> 0;
      this.give(connection, side, first!.bytes, skip, first!.bytes.length, first!.at);
    }
  }

  private release(direction: Direction): void {
    const first = direction.early.shift()!;
    direction.earlyBytes -= first.bytes.length;
    this.heldBytes -= first.bytes.length;
  }

  private hold(connection: Connection, side: 0 | 1, segment: Early): void {
    const direction = connection.sides[side];
    let at = direction.early.length;
    while (at > 0 && ((direction.early[at - 1]!.seq - segment.seq) | 0) > 0) at -= 1;
    direction.early.splice(at, 0, segment);
    direction.earlyBytes += segment.bytes.length;
    this.heldBytes += segment.bytes.length;
    if (direction.early.length > MAX_EARLY || direction.earlyBytes > MAX_EARLY_BYTES)
      this.skipTo(connection, side, direction.early[0]!.seq);
  }

  /** What is missing up to a place is not waited for any longer. */
  private skipTo(connection: Connection, side: 0 | 1, seq: number): void {
    const direction = connection.sides[side];
    const size = (seq - direction.next) | 0;
    if (size <= 0) return;
    // Early segments before that place are given first.
    const [first] = direction.early;
    if (
      first !== undefined &&
      ((first.seq - seq) | 0) < 0 &&
      ((first.seq - direction.next) | 0) > 0
    )
      this.skipTo(connection, side, first.seq);
    const left = (seq - direction.next) | 0;
    if (left <= 0) return;
    direction.next = seq;
    connection.parser?.gap(this.isClient(connection, side), left);
    this.drain(connection, side);
  }

  private isClient({ isFirstClient }: Connection, side: 0 | 1): boolean {
    return (side === 0) === isFirstClient;
  }

  private give(
    connection: Connection,
    side: 0 | 1,
    bytes: Uint8Array,
    start: number,
    end: number,
    at: Stamp,
  ): void {
    if (connection.parser?.isTunnel === true) {
      this.heldBytes -= connection.parser.heldBytes;
      connection.parser = undefined;
    }
    if (connection.parser === undefined) {
      connection.parser = this.parserFor(connection, side, bytes, start, end);
      const { service } = connection.parser;
      if (service !== undefined) this.services.set(connection.ends.flow, service);
    }
    const { parser } = connection;
    const before = parser.heldBytes;
    parser.data(this.isClient(connection, side), bytes, start, end, at);
    this.heldBytes += parser.heldBytes - before;
  }

  /** By the first bytes that a connection has, whichever side they are of. */
  private parserFor(
    connection: Connection,
    side: 0 | 1,
    bytes: Uint8Array,
    start: number,
    end: number,
  ): StreamParser {
    const { sink } = this;
    if (isTls(bytes, start, end)) {
      // 1: a ClientHello, 2: a ServerHello.
      this.setClient(connection, side, bytes[start + 5] === 1);
      return new TlsStream(connection.ends, sink);
    }
    if (isHttpRequest(bytes, start, end)) {
      this.setClient(connection, side, true);
      return new HttpStream(connection.ends, sink);
    }
    if (isHttpResponse(bytes, start, end)) {
      this.setClient(connection, side, false);
      return new HttpStream(connection.ends, sink);
    }
    const { clientPort, serverPort } = connection.ends;
    if ((clientPort === DNS_PORT || serverPort === DNS_PORT) && isDnsStream(bytes, start, end)) {
      // The bit that says that a message is a response.
      this.setClient(connection, side, (bytes[start + 4]! & 0x80) === 0);
      return new DnsStream(connection.ends, sink);
    }
    return UNKNOWN;
  }

  private setClient(connection: Connection, side: 0 | 1, isClient: boolean): void {
    if (this.isClient(connection, side) === isClient) return;
    connection.isFirstClient = !connection.isFirstClient;
    const { client, server, clientPort, serverPort, ...rest } = connection.ends;
    connection.ends = {
      ...rest,
      ...{ client: server, server: client, clientPort: serverPort, serverPort: clientPort },
    };
  }

  private control(p: Packet, flow: number, connection: Connection): void {
    const side = connection.sideOf(p);
    const direction = connection.sides[side];
    if ((p.tcpFlags & RST) !== 0) {
      this.close(flow, connection);
      return;
    }
    if ((p.tcpFlags & (SYN | ACK)) === SYN) return;
    if ((p.tcpFlags & FIN) === 0 || direction.hasEnded) return;
    direction.hasEnded = true;
    const last = (p.tcpSeq + p.payload) >>> 0;
    if (direction.next >= 0) this.skipTo(connection, side, last);
    connection.parser?.end(this.isClient(connection, side));
    if (connection.sides[0].hasEnded && connection.sides[1].hasEnded) this.close(flow, connection);
  }

  private evictOldest(): void {
    const [oldest] = this.open;
    if (oldest === undefined) return;
    this.evicted += 1;
    this.close(...oldest);
  }

  /** @param isOver nothing more of the flow is read */
  private close(flow: number, connection: Connection, isOver = true): void {
    this.open.delete(flow);
    if (isOver) this.done.add(flow);
    for (const direction of connection.sides) this.heldBytes -= direction.earlyBytes;
    this.heldBytes -= connection.parser?.heldBytes ?? 0;
    connection.parser?.finish();
  }
}

/** For connections of no protocol that is known. */
const UNKNOWN: StreamParser = {
  heldBytes: 0,
  service: undefined,
  isDone: true,
  data() {
    // Not read.
  },
  gap() {
    // Not read.
  },
  end() {
    // Not read.
  },
  finish() {
    // Nothing is held.
  },
};

/** Both ends of a packet's connection, its sender as the client or the server. */
export function endpointsOf(p: Packet, flow: number, fromClient: boolean): Endpoints {
  const [source, target] =
    p.ipVersion === 4
      ? [bytes4(p.src4), bytes4(p.dst4)]
      : [p.bytes.slice(p.src6, p.src6 + 16), p.bytes.slice(p.dst6, p.dst6 + 16)];
  return {
    ...{ flow, proto: p.proto, vlan: p.vlan },
    client: fromClient ? source : target,
    server: fromClient ? target : source,
    clientPort: fromClient ? p.srcPort : p.dstPort,
    serverPort: fromClient ? p.dstPort : p.srcPort,
  };
}

function bytes4(address: number): Uint8Array {
  return Uint8Array.of(address >>> 24, address >>> 16, address >>> 8, address);
}
