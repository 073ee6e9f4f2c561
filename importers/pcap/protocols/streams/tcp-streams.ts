/**
 * Reassembles the payloads of TCP connections and passes them to the parser of their protocol, which is recognised
 * by the first bytes, not by ports.
 *
 * An early segment is buffered until the preceding bytes arrive. Bytes that the other side has acknowledged, and
 * those still missing when too much is buffered or the connection ends, are a gap. Of repeated bytes the first are
 * used, as most receivers do.
 *
 * A connection that has sent only the beginning of its first message, or nothing recognisable, is a single object
 * until another segment arrives: attacks begin a million connections that never continue.
 *
 * Invariants: memory is bounded by MAX_HELD_BYTES for connections, early segments and incomplete messages together;
 * the cost of a packet does not depend on the number of open connections; connections of an unknown protocol cost
 * one bit each.
 */
import { AgedMap } from '../../../shared/aged-map.ts';
import type { Packet } from '../../decode/packet.ts';
import type {
  Endpoints,
  ExpectedConnection,
  MessageSink,
  Ports,
  Stamp,
  StreamParser,
  StreamProtocol,
} from '../messages.ts';
import { STREAM_PROTOCOLS } from './stream-protocols.ts';

/** Early segments of one direction. */
const MAX_EARLY = 64;
const MAX_EARLY_BYTES = 1 << 20;
const MAX_HELD_BYTES = 64 << 20;
/** Approximate memory of a connection's objects and its parser. */
const CONNECTION_BYTES = 2048;
/** First bytes of one direction that are too few to recognise the protocol. */
const MAX_FIRST_BYTES = 16_384;
/**
 * Number of segments in which a protocol is searched: a connection may have been captured from the middle, or begin
 * with a proxy's handshake.
 */
const MOST_TRIES = 8;
/** Maximum number of expected connections that others have negotiated. */
const MAX_EXPECTED = 1024;
const NO_BYTES = new Uint8Array(0);
const [FIN, SYN, RST, ACK] = [1, 2, 4, 16];
/** RFC 7323: a window has less than 2^30 bytes; captures of one have gaps far below it. */
const MAX_JUMP = 1 << 26;
/** Maximum distance of a RST from the next byte. */
const MAX_RESET_JUMP = 1 << 20;

interface Held {
  readonly bytes: Uint8Array;
  readonly at: Stamp;
}
interface Early extends Held {
  readonly seq: number;
}

/** A connection with one segment that is not sufficient yet. */
interface Begun extends Early {
  readonly sourcePort: number;
  readonly isFromOriginator: boolean;
  /** Whether its protocol is known from the segment. */
  readonly isNamed: boolean;
  readonly tries: number;
}

class Direction {
  /** Sequence number of the next byte; -1 before the first. */
  next = -1;
  early: Early[] | undefined;
  earlyBytes = 0;
  /** Sequence number after its last byte; -1 before a FIN. */
  fin = -1;
  hasEnded = false;
  /** Bytes that arrived before the protocol is known. */
  first: Held | undefined;
}

/** State of the flow of the last packet. */
export interface FlowBeginnings {
  /** Whether it was seen from its SYN on. */
  readonly isFromStart: boolean;
  /** Sequence number of the first byte of the side that has sent the packet. */
  readonly firstSequence: number;
  /** Whether the sender of the packet opened the flow, as far as known. */
  readonly isFromOriginator: boolean;
  /** Application protocols by the number of the flow. */
  readonly services: Map<number, string>;
}

interface Recognised {
  readonly protocol: StreamProtocol;
  readonly from: 'client' | 'server';
}

class Connection {
  readonly sides = [new Direction(), new Direction()] as const;
  parser: StreamParser | undefined;
  /** The protocol recognised in the segment about to be read. */
  found: Recognised | undefined;
  ends: Endpoints;
  /** Segments that may yet show the protocol. */
  tries = MOST_TRIES;
  isNamed = false;
  /** Whether the side with the lower number in `sides` is the client. */
  isFirstClient: boolean;
  private readonly first4: number;
  private readonly first6: Uint8Array | undefined;
  private readonly firstPort: number;

  /**
   * @param p one of its packets
   * @param isFirstClient whether the first side to send payload is the client
   * @param isFromFirst whether the packet is from that side
   */
  constructor(p: Packet, ends: Endpoints, isFirstClient: boolean, isFromFirst: boolean) {
    this.ends = ends;
    this.isFirstClient = isFirstClient;
    this.first4 = isFromFirst ? p.src4 : p.dst4;
    const { client, server } = ends;
    this.first6 = p.ipVersion !== 6 ? undefined : isFirstClient ? client : server;
    this.firstPort = isFromFirst ? p.srcPort : p.dstPort;
  }

  /** The side that sent a packet. */
  sideOf(p: Packet): 0 | 1 {
    if (p.srcPort !== this.firstPort) return 1;
    if (p.srcPort !== p.dstPort) return 0;
    if (this.first6 === undefined) return p.src4 === this.first4 ? 0 : 1;
    return Buffer.compare(this.first6, p.bytes.subarray(p.src6, p.src6 + 16)) === 0 ? 0 : 1;
  }

  isClient(side: 0 | 1): boolean {
    return (side === 0) === this.isFirstClient;
  }

  setClient(side: 0 | 1, isClient: boolean): void {
    if (this.isClient(side) === isClient) return;
    this.isFirstClient = !this.isFirstClient;
    const { client, server, clientPort, serverPort, ...rest } = this.ends;
    const turned = { client: server, server: client };
    this.ends = { ...rest, ...turned, clientPort: serverPort, serverPort: clientPort };
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
  /** Number of connections that were dropped because too much was open. */
  evicted = 0;
  private readonly sink: MessageSink;
  private readonly flows: FlowBeginnings;
  private readonly protocols: readonly StreamProtocol[];
  private readonly open = new AgedMap<number, Connection>();
  private readonly begun = new AgedMap<number, Begun>();
  private readonly done = new FlowBits();
  private readonly expected = new Map<string, ExpectedConnection>();
  /** Memory of connections, including early segments and incomplete messages. */
  heldBytes = 0;

  /** @param protocols to recognise, in this order */
  constructor(
    sink: MessageSink,
    flows: FlowBeginnings,
    protocols: readonly StreamProtocol[] = STREAM_PROTOCOLS,
  ) {
    this.protocols = protocols;
    this.sink = {
      message: (ends, message) => sink.message(ends, message),
      file: (ends, isFromClient) => sink.file?.(ends, isFromClient),
      unreadExports: (bytes) => sink.unreadExports?.(bytes),
      expect: (connection) => this.expect(connection),
    };
    this.flows = flows;
  }

  /** @param flow number of the packet's flow, which the flow tracker processed last */
  packet(p: Packet, flow: number): void {
    if (this.done.has(flow)) return;
    const isControl = (p.tcpFlags & (FIN | RST)) !== 0;
    if (p.payload === 0 && !isControl) return;
    const connection = this.open.get(flow) ?? this.resume(p, flow);
    if (p.payload > 0) this.segment(p, flow, connection);
    else if (connection !== undefined) {
      this.acknowledge(p, connection);
      this.control(p, flow, connection);
    }
  }

  private expect(connection: ExpectedConnection): void {
    const { expected } = this;
    if (expected.size >= MAX_EXPECTED) expected.delete(expected.keys().next().value!);
    expected.set(placeOf(connection.address, connection.port), connection);
  }

  /** The parser of an expected connection, whose ends are those negotiated. */
  private expectedParser(connection: Connection, side: 0 | 1): StreamParser | undefined {
    if (this.expected.size === 0) return undefined;
    const { client, clientPort, server, serverPort } = connection.ends;
    for (const place of [placeOf(server, serverPort), placeOf(client, clientPort)]) {
      const found = this.expected.get(place);
      if (found === undefined) continue;
      this.expected.delete(place);
      const isClient = place === placeOf(client, clientPort);
      if (isClient !== found.isClient) connection.setClient(side, !connection.isClient(side));
      this.flows.services.set(connection.ends.flow, found.service);
      return found.parser(connection.ends, this.sink, this.flows.isFromStart);
    }
    return undefined;
  }

  finish(): void {
    for (const [flow, connection] of this.open) this.close(flow, connection);
    for (const [flow, begun] of this.begun) this.forget(flow, begun);
  }

  private segment(p: Packet, flow: number, known: Connection | undefined): void {
    const seq = (p.tcpFlags & SYN) !== 0 ? (p.tcpSeq + 1) >>> 0 : p.tcpSeq;
    const from = p.payloadStart;
    // Bytes beyond the snap length were sent, but not captured.
    const to = Math.min(p.end, from + p.payload);
    let connection = known;
    if (connection === undefined) {
      connection = this.first(p, flow, seq, to);
      if (connection === undefined) return;
    } else this.acknowledge(p, connection);
    const side = connection.sideOf(p);
    const direction = connection.sides[side];
    if (direction.next < 0) direction.next = this.firstOf(seq);
    else if (Math.abs((seq - direction.next) | 0) > MAX_JUMP) {
      // No window is that wide. Another connection with the same addresses and ports begins a protocol.
      const isClient = connection.isClient(side);
      if (this.recognise(p.bytes.subarray(from, to), connection.ends, isClient) === undefined)
        return;
      this.close(flow, connection, false);
      this.segment(p, flow, undefined);
      return;
    }
    const at = { micros: p.micros, nanos: p.nanos, digits: p.digits };
    this.accept(connection, side, seq, p.bytes, from, to, at);
    if (to - from < p.payload) this.skipTo(connection, side, (seq + p.payload) >>> 0);
    if ((p.tcpFlags & (FIN | RST)) !== 0) this.control(p, flow, connection);
    else if (direction.fin >= 0) this.endAt(connection, side);
    if (this.isOver(connection)) this.close(flow, connection);
    this.bound();
  }

  /** @param p one of its packets; the others as for `Connection` */
  private connect(
    p: Packet,
    flow: number,
    isFirstClient: boolean,
    isFromFirst: boolean,
  ): Connection {
    const ends = endpointsOf(p, flow, isFirstClient === isFromFirst);
    const connection = new Connection(p, ends, isFirstClient, isFromFirst);
    this.open.set(flow, connection);
    this.heldBytes += CONNECTION_BYTES;
    return connection;
  }

  /**
   * Takes the first segment of a connection.
   * @param seq of its first byte
   * @param end of its payload in the bytes of the packet
   * @returns the connection, if the segment reveals more than its protocol
   */
  private first(p: Packet, flow: number, seq: number, end: number): Connection | undefined {
    const { payloadStart: start, payload, srcPort, dstPort } = p;
    const { isFromOriginator, services } = this.flows;
    // The port distinguishes the sides.
    const mayWait = end - start === payload && payload <= MAX_FIRST_BYTES && srcPort !== dstPort;
    const isControl = (p.tcpFlags & (FIN | RST)) !== 0;
    if (!mayWait || isControl || this.expected.size > 0 || this.firstOf(seq) !== seq)
      return this.connect(p, flow, isFromOriginator, true);
    const ports = isFromOriginator
      ? { clientPort: srcPort, serverPort: dstPort }
      : { clientPort: dstPort, serverPort: srcPort };
    const part = p.bytes.subarray(start, end);
    const found = this.recognise(part, ports, isFromOriginator);
    const isNamed = found !== undefined && found !== 'more';
    if (isNamed) {
      const service = found.protocol.begun?.(part, 0, payload);
      if (service === undefined) {
        const connection = this.connect(p, flow, isFromOriginator, true);
        connection.found = found;
        return connection;
      }
      services.set(flow, service);
    }
    // Bytes of an unknown protocol are not examined again.
    const isUnknown = found === undefined;
    const bytes = isUnknown ? NO_BYTES : new Uint8Array(part);
    this.begun.set(flow, {
      seq: isUnknown ? (seq + payload) >>> 0 : seq,
      bytes,
      at: { micros: p.micros, nanos: p.nanos, digits: p.digits },
      sourcePort: srcPort,
      isFromOriginator,
      isNamed,
      tries: isUnknown ? MOST_TRIES - 1 : MOST_TRIES,
    });
    this.heldBytes += CONNECTION_BYTES + bytes.length;
    this.bound();
    return undefined;
  }

  /** Another packet has arrived for a begun connection. */
  private resume(p: Packet, flow: number): Connection | undefined {
    const begun = this.begun.get(flow);
    if (begun === undefined) return undefined;
    this.forget(flow, begun);
    const { bytes, seq, at, sourcePort, isFromOriginator, tries } = begun;
    const isFromFirst = p.srcPort === sourcePort;
    const connection = this.connect(p, flow, isFromOriginator, isFromFirst);
    connection.sides[0].next = seq;
    connection.tries = tries;
    this.accept(connection, 0, seq, bytes, 0, bytes.length, at);
    return connection;
  }

  private forget(flow: number, { bytes }: Begun): void {
    this.begun.delete(flow);
    this.heldBytes -= CONNECTION_BYTES + bytes.length;
  }

  /** Start of a direction whose first captured segment begins at `seq`: others may have been sent before. */
  private firstOf(seq: number): number {
    const { isFromStart, firstSequence } = this.flows;
    const ahead = (seq - firstSequence) | 0;
    return isFromStart && ahead > 0 && ahead <= MAX_EARLY_BYTES ? firstSequence : seq;
  }

  private isOver({ parser, tries, sides }: Connection): boolean {
    if (sides[0].hasEnded && sides[1].hasEnded) return true;
    return parser === undefined ? tries <= 0 : parser.isDone && parser.isTunnel !== true;
  }

  /** Bytes that the receiver has, but the capture has not, will not arrive any more. */
  private acknowledge(p: Packet, connection: Connection): void {
    if ((p.tcpFlags & ACK) === 0) return;
    const side = connection.sideOf(p) === 0 ? 1 : 0;
    const direction = connection.sides[side];
    const { early, next, fin } = direction;
    if (next < 0 || (fin < 0 && (early === undefined || early.length === 0))) return;
    const ahead = (p.tcpAck - next) | 0;
    if (ahead <= 0 || ahead > MAX_JUMP) return;
    // A FIN is acknowledged as if it were a byte.
    const isAfterFin = fin >= 0 && ((p.tcpAck - fin) | 0) > 0;
    this.skipTo(connection, side, isAfterFin ? fin : p.tcpAck);
    if (fin >= 0) this.endAt(connection, side);
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
      if (end > start)
        this.hold(connection, side, {
          seq,
          bytes: Uint8Array.from(bytes.subarray(start, end)),
          at,
        });
      return;
    }
    const from = start - ahead;
    if (from >= end) return;
    direction.next = (direction.next + end - from) >>> 0;
    this.give(connection, side, bytes, from, end, at);
    if (direction.early !== undefined) this.drain(connection, side);
  }

  /** Early segments that are next now. */
  private drain(connection: Connection, side: 0 | 1): void {
    const direction = connection.sides[side];
    for (;;) {
      const first = direction.early?.[0];
      if (first === undefined || ((first.seq - direction.next) | 0) > 0) return;
      direction.early!.shift();
      direction.earlyBytes -= first.bytes.length;
      this.heldBytes -= first.bytes.length;
      const skip = (direction.next - first.seq) | 0;
      if (skip >= first.bytes.length) continue;
      direction.next = (first.seq + first.bytes.length) >>> 0;
      this.give(connection, side, first.bytes, skip, first.bytes.length, first.at);
    }
  }

  private hold(connection: Connection, side: 0 | 1, segment: Early): void {
    const direction = connection.sides[side];
    const early = (direction.early ??= []);
    let at = early.length;
    while (at > 0 && ((early[at - 1]!.seq - segment.seq) | 0) > 0) at -= 1;
    early.splice(at, 0, segment);
    direction.earlyBytes += segment.bytes.length;
    this.heldBytes += segment.bytes.length;
    if (early.length > MAX_EARLY || direction.earlyBytes > MAX_EARLY_BYTES)
      this.skipTo(connection, side, early[0]!.seq);
  }

  /** Missing bytes up to a position are no longer waited for; early segments before it are passed on. */
  private skipTo(connection: Connection, side: 0 | 1, seq: number): void {
    const direction = connection.sides[side];
    for (;;) {
      const left = (seq - direction.next) | 0;
      if (left <= 0) return;
      const first = direction.early?.[0];
      const before = first === undefined ? left : (first.seq - direction.next) | 0;
      this.gap(connection, side, Math.min(left, before));
      this.drain(connection, side);
    }
  }

  private gap(connection: Connection, side: 0 | 1, size: number): void {
    const direction = connection.sides[side];
    direction.next = (direction.next + size) >>> 0;
    if (connection.parser !== undefined) {
      const { parser } = connection;
      const before = parser.heldBytes;
      parser.gap(connection.isClient(side), size);
      this.heldBytes += parser.heldBytes - before;
      return;
    }
    this.dropFirst(direction);
  }

  private dropFirst(direction: Direction): void {
    this.heldBytes -= direction.first?.bytes.length ?? 0;
    direction.first = undefined;
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
      connection.isNamed = false;
      connection.tries = MOST_TRIES;
    }
    if (connection.parser === undefined) this.begin(connection, side, bytes, start, end, at);
    else this.feed(connection, connection.parser, side, bytes, start, end, at);
  }

  private feed(
    connection: Connection,
    parser: StreamParser,
    side: 0 | 1,
    bytes: Uint8Array,
    start: number,
    end: number,
    at: Stamp,
  ): void {
    const before = parser.heldBytes;
    parser.data(connection.isClient(side), bytes, start, end, at);
    this.heldBytes += parser.heldBytes - before;
    if (!connection.isNamed && parser.service !== undefined) {
      connection.isNamed = true;
      this.flows.services.set(connection.ends.flow, parser.service);
    }
    const unread = parser.isTunnel === true ? (parser.unread ?? 0) : 0;
    if (unread > 0) this.give(connection, side, bytes, end - unread, end, at);
  }

  /** Looks for the protocol in the first bytes of a side. */
  private begin(
    connection: Connection,
    side: 0 | 1,
    bytes: Uint8Array,
    start: number,
    end: number,
    at: Stamp,
  ): void {
    if (connection.tries <= 0) return;
    if (connection.tries === MOST_TRIES) {
      const parser = this.expectedParser(connection, side);
      if (parser !== undefined) {
        connection.parser = parser;
        this.heldBytes += parser.heldBytes;
        this.feed(connection, parser, side, bytes, start, end, at);
        return;
      }
    }
    const direction = connection.sides[side];
    const { first } = direction;
    const part = bytes.subarray(start, end);
    const all = first === undefined ? part : Buffer.concat([first.bytes, part]);
    const began = first?.at ?? at;
    this.dropFirst(direction);
    const found =
      connection.found ?? this.recognise(all, connection.ends, connection.isClient(side));
    connection.found = undefined;
    if (found === 'more' && all.length <= MAX_FIRST_BYTES) {
      direction.first = { bytes: Uint8Array.from(all), at: began };
      this.heldBytes += all.length;
      return;
    }
    if (found === undefined || found === 'more') {
      connection.tries -= 1;
      return;
    }
    connection.setClient(side, found.from === 'client');
    const parser = found.protocol.parser(connection.ends, this.sink);
    connection.parser = parser;
    this.heldBytes += parser.heldBytes;
    // What the other side has sent before was not sufficient, and may precede this protocol.
    const other = side === 0 ? 1 : 0;
    const before = connection.sides[other].first;
    this.dropFirst(connection.sides[other]);
    const { ends } = connection;
    const isClient = connection.isClient(other);
    if (
      before !== undefined &&
      found.protocol.recognise(before.bytes, 0, before.bytes.length, ends, isClient) !== undefined
    )
      this.feed(connection, parser, other, before.bytes, 0, before.bytes.length, before.at);
    this.feed(connection, parser, side, all, 0, all.length, began);
  }

  private control(p: Packet, flow: number, connection: Connection): void {
    const side = connection.sideOf(p);
    const direction = connection.sides[side];
    if ((p.tcpFlags & RST) !== 0) {
      // The other side would not believe a RST that is far from the next byte.
      if (direction.next >= 0 && Math.abs((p.tcpSeq - direction.next) | 0) > MAX_RESET_JUMP) return;
      this.close(flow, connection);
      return;
    }
    if ((p.tcpFlags & FIN) === 0 || direction.fin >= 0) return;
    const last = (p.tcpSeq + p.payload) >>> 0;
    if (direction.next >= 0 && Math.abs((last - direction.next) | 0) > MAX_JUMP) return;
    direction.fin = last;
    this.endAt(connection, side);
    if (this.isOver(connection)) this.close(flow, connection);
  }

  /** A direction whose FIN was seen ends once all before it was. */
  private endAt(connection: Connection, side: 0 | 1): void {
    const direction = connection.sides[side];
    if (direction.hasEnded || (direction.next >= 0 && ((direction.fin - direction.next) | 0) > 0))
      return;
    direction.hasEnded = true;
    const { parser } = connection;
    if (parser === undefined) return;
    const before = parser.heldBytes;
    parser.end(connection.isClient(side));
    this.heldBytes += parser.heldBytes - before;
  }

  /** The protocol whose first bytes these are, and which side sends them; `more`: they are too few. */
  private recognise(
    bytes: Uint8Array,
    ports: Ports,
    isClient: boolean,
  ): Recognised | 'more' | undefined {
    let mayBe = false;
    for (const protocol of this.protocols) {
      const from = protocol.recognise(bytes, 0, bytes.length, ports, isClient);
      if (from === 'more') mayBe = true;
      else if (from !== undefined) return { protocol, from };
    }
    return mayBe ? 'more' : undefined;
  }

  private bound(): void {
    while (this.heldBytes > MAX_HELD_BYTES && this.open.size + this.begun.size > 0)
      this.evictOldest();
  }

  /** Of begun connections, or of the others, whichever are more: neither can displace the other. */
  private evictOldest(): void {
    const begun = this.begun.size < this.open.size ? undefined : this.begun.oldest();
    if (begun !== undefined) {
      const [flow, first] = begun;
      if (first.isNamed) this.evicted += 1;
      this.forget(flow, first);
      this.done.add(flow);
      return;
    }
    const oldest = this.open.oldest();
    if (oldest === undefined) return;
    if (oldest[1].parser !== undefined) this.evicted += 1;
    this.close(...oldest);
  }

  /** @param isLast nothing more of the flow is read */
  private close(flow: number, connection: Connection, isLast = true): void {
    if (this.open.get(flow) !== connection) return;
    this.open.delete(flow);
    if (isLast) this.done.add(flow);
    for (const side of [0, 1] as const) {
      const direction = connection.sides[side];
      const last = direction.early?.at(-1);
      if (last !== undefined && direction.next >= 0)
        this.skipTo(connection, side, (last.seq + last.bytes.length) >>> 0);
      this.heldBytes -= direction.earlyBytes;
      direction.early = undefined;
      direction.earlyBytes = 0;
      this.dropFirst(direction);
    }
    this.heldBytes -= CONNECTION_BYTES + (connection.parser?.heldBytes ?? 0);
    connection.parser?.finish();
    connection.parser = undefined;
  }
}

/** Both ends of a packet's connection, its sender as the client or the server. */
export function endpointsOf(p: Packet, flow: number, fromClient: boolean): Endpoints {
  const [source, target] =
    p.ipVersion === 4
      ? [bytes4(p.src4), bytes4(p.dst4)]
      : [
          Uint8Array.from(p.bytes.subarray(p.src6, p.src6 + 16)),
          Uint8Array.from(p.bytes.subarray(p.dst6, p.dst6 + 16)),
        ];
  return {
    flow,
    proto: p.proto,
    vlan: p.vlan,
    client: fromClient ? source : target,
    server: fromClient ? target : source,
    clientPort: fromClient ? p.srcPort : p.dstPort,
    serverPort: fromClient ? p.dstPort : p.srcPort,
  };
}

/** A key of maps for an address and a port. */
export function placeOf(address: Uint8Array, port: number): string {
  return `${Buffer.from(address.buffer, address.byteOffset, address.length).toString('hex')} ${port}`;
}

function bytes4(address: number): Uint8Array {
  const bytes = new Uint8Array(4);
  bytes[0] = address >>> 24;
  bytes[1] = address >>> 16;
  bytes[2] = address >>> 8;
  bytes[3] = address;
  return bytes;
}
