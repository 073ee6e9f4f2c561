/**
 * Finds the protocols of datagrams.
 *
 * Invariant: conversations are bounded in number and in the memory of pending requests.
 */
import { AgedMap } from '../../../shared/aged-map.ts';
import type { Packet } from '../../decode/packet.ts';
import { DnsConversation, dnsInDatagram, type DnsMessage } from '../dns.ts';
import { DHCP } from '../dhcp.ts';
import { Dnp3Exchange, isFromMaster } from '../industrial/dnp3.ts';
import { DtlsConversation, dtlsSender } from '../tls/dtls.ts';
import { KERBEROS_PORT, KerberosExchange } from '../windows/kerberos.ts';
import type { DatagramProtocol, MessageSink, Stamp } from '../messages.ts';
import { mayBeginQuic, QuicConversation } from '../tls/quic.ts';
import { SflowSamples } from '../sflow.ts';
import { SIP } from '../sip.ts';
import { SNMP } from '../snmp.ts';
import { NetFlowExports } from '../netflow/index.ts';
import { endpointsOf, type FlowBeginnings, placeOf } from './tcp-streams.ts';
import { TFTP_PORT, TftpTransfer } from '../files/tftp.ts';

/** Protocols each of whose messages is an event, in the order in which they are tried. */
const DATAGRAM_PROTOCOLS: readonly DatagramProtocol[] = [DHCP, SNMP, SIP];

/** Maximum number of conversations that are followed. */
const MAX_CONVERSATIONS = 65_536;
const MAX_HELD_BYTES = 32 << 20;
const MAX_TRANSFERS = 1024;
/** Maximum number of conversations with a pending request, which have limits of their own. */
const MAX_EXCHANGES = 8192;

/** Requests and answers of one conversation. */
interface Exchange {
  readonly service: string;
  /** @returns whether it is a message of the protocol */
  take(bytes: Uint8Array, start: number, end: number, at: Stamp): boolean;
  finish(): void;
}

/** A connection that is encrypted after its hellos. */
interface Encrypted {
  readonly conversation: QuicConversation | DtlsConversation;
  /** Whether its client has opened the flow. */
  readonly isFromOriginator: boolean;
}

export class Datagrams {
  /** Number of conversations that were dropped because too many were open. */
  evicted = 0;
  private readonly sink: MessageSink;
  private readonly flows: FlowBeginnings;
  private readonly conversations = new AgedMap<number, DnsConversation>();
  private readonly encrypted = new AgedMap<number, Encrypted>();
  /** By the address and port of the client: the server answers from another port. */
  private readonly transfers = new Map<string, TftpTransfer>();
  private readonly exchanges = new Map<number, Exchange>();
  private readonly exports: NetFlowExports;
  private readonly sflow: SflowSamples;
  private heldBytes = 0;
  private encryptedBytes = 0;

  constructor(sink: MessageSink, flows: FlowBeginnings) {
    this.sink = sink;
    this.flows = flows;
    this.exports = new NetFlowExports(sink);
    this.sflow = new SflowSamples(sink);
  }

  /** @param p a datagram with its header */
  packet(p: Packet, flow: number): void {
    const end = Math.min(p.payloadStart + p.payload, p.end);
    if (end <= p.payloadStart) return;
    const { bytes, payloadStart: start, srcPort, dstPort } = p;
    const message = dnsInDatagram({ bytes, start, end, srcPort, dstPort });
    if (message !== undefined) this.dns(p, flow, message);
    else this.other(p, flow, end);
  }

  private other(p: Packet, flow: number, end: number): void {
    const { bytes, payloadStart: start, srcPort, dstPort } = p;
    const connection = this.encrypted.get(flow);
    if (connection !== undefined) {
      if (!this.isFollowed(p, end, connection)) {
        this.handshake(p, end, connection);
        return;
      }
      this.endEncrypted(flow, connection);
    }
    const at = { micros: p.micros, nanos: p.nanos, digits: p.digits };
    if (this.beginEncrypted(p, flow, end, at)) return;
    if ((dstPort === TFTP_PORT || this.transfers.size > 0) && this.tftp(p, flow, end, at)) return;
    if (this.exchanged(p, flow, end, at)) return;
    if (this.exports.datagram(p, flow, start, end)) {
      this.flows.services.set(flow, 'netflow');
      return;
    }
    if (this.sflow.take(bytes, start, end, flow, at)) {
      this.flows.services.set(flow, 'sflow');
      return;
    }
    for (const { service, read } of DATAGRAM_PROTOCOLS) {
      const found = read({ bytes, start, end, srcPort, dstPort, at });
      if (found === undefined) continue;
      this.flows.services.set(flow, service);
      this.sink.message(endpointsOf(p, flow, found.isFromClient), found.message);
      return;
    }
  }

  /** @returns whether it is of a transfer */
  private tftp(p: Packet, flow: number, end: number, at: Stamp): boolean {
    const { bytes, payloadStart: start, dstPort } = p;
    const { transfers } = this;
    const ends = endpointsOf(p, flow, true);
    const source = placeOf(ends.client, ends.clientPort);
    if (dstPort === TFTP_PORT) {
      const transfer = TftpTransfer.of(bytes, start, end);
      if (transfer === undefined) return false;
      this.endTransfer(source);
      if (transfers.size >= MAX_TRANSFERS) this.endTransfer(transfers.keys().next().value!);
      transfers.set(source, transfer);
      this.flows.services.set(flow, 'tftp');
      return true;
    }
    const isFromClient = transfers.has(source);
    const client = isFromClient ? source : placeOf(ends.server, ends.serverPort);
    const transfer = transfers.get(client);
    if (transfer === undefined) return false;
    this.flows.services.set(flow, 'tftp');
    const turned = isFromClient ? ends : endpointsOf(p, flow, false);
    const cut = start + p.payload - end;
    transfer.take(turned, this.sink, at, bytes, start, end, cut, isFromClient);
    if (transfer.isDone) transfers.delete(client);
    return true;
  }

  /** @returns whether it is a message of a protocol of requests and answers */
  private exchanged(p: Packet, flow: number, end: number, at: Stamp): boolean {
    const { exchanges } = this;
    const known = exchanges.get(flow);
    const exchange = known ?? this.begun(p, flow);
    if (exchange?.take(p.bytes, p.payloadStart, end, at) !== true) return false;
    if (known === undefined) {
      if (exchanges.size >= MAX_EXCHANGES) {
        const [[oldest, first] = []] = exchanges;
        first?.finish();
        exchanges.delete(oldest!);
      }
      exchanges.set(flow, exchange);
      this.flows.services.set(flow, exchange.service);
    }
    return true;
  }

  private begun(p: Packet, flow: number): Exchange | undefined {
    const { bytes, payloadStart: start, srcPort, dstPort } = p;
    if (srcPort === KERBEROS_PORT || dstPort === KERBEROS_PORT)
      return new KerberosExchange(endpointsOf(p, flow, dstPort === KERBEROS_PORT), this.sink);
    return bytes[start] === 5 && bytes[start + 1] === 0x64
      ? new Dnp3Exchange(endpointsOf(p, flow, isFromMaster(bytes, start)), this.sink)
      : undefined;
  }

  private endTransfer(client: string): void {
    this.transfers.get(client)?.finish();
    this.transfers.delete(client);
  }

  /** @returns whether a datagram begins a connection of QUIC or DTLS */
  private beginEncrypted(p: Packet, flow: number, end: number, at: Stamp): boolean {
    const { bytes, payloadStart: start } = p;
    let conversation: QuicConversation | DtlsConversation;
    let isFromClient = true;
    if (mayBeginQuic(bytes, start, end)) {
      conversation = new QuicConversation(endpointsOf(p, flow, true), this.sink, at);
      conversation.take(bytes, start, end, true);
      if (!conversation.isKnown) return true;
    } else {
      const sender = dtlsSender(bytes, start, end);
      if (sender === undefined) return false;
      isFromClient = sender === 'client';
      conversation = new DtlsConversation(endpointsOf(p, flow, isFromClient), this.sink, at);
      conversation.take(bytes, start, end, isFromClient);
    }
    const { services, isFromOriginator } = this.flows;
    services.set(flow, conversation.service);
    if (this.encrypted.size >= MAX_CONVERSATIONS) this.endOldestEncrypted();
    const connection = { conversation, isFromOriginator: isFromOriginator === isFromClient };
    this.encrypted.set(flow, connection);
    this.encryptedBytes += conversation.heldBytes;
    this.boundEncrypted();
    return true;
  }

  /** Whether a datagram begins another handshake of DTLS. */
  private isFollowed(p: Packet, end: number, connection: Encrypted): boolean {
    const { conversation } = connection;
    return (
      conversation.service === 'dtls' &&
      conversation.isFollowedBy(p.bytes, p.payloadStart, end, this.isFromClient(connection))
    );
  }

  private isFromClient({ isFromOriginator }: Encrypted): boolean {
    return this.flows.isFromOriginator === isFromOriginator;
  }

  private handshake(p: Packet, end: number, connection: Encrypted): void {
    const { conversation } = connection;
    if (conversation.isDone) return;
    const before = conversation.heldBytes;
    const isClient = this.isFromClient(connection);
    conversation.take(p.bytes, p.payloadStart, end, isClient);
    this.encryptedBytes += conversation.heldBytes - before;
    this.boundEncrypted();
  }

  private boundEncrypted(): void {
    while (this.encryptedBytes > MAX_HELD_BYTES) this.endOldestEncrypted();
  }

  private endOldestEncrypted(): void {
    const oldest = this.encrypted.oldest();
    if (oldest === undefined) return;
    const [flow, connection] = oldest;
    if (!connection.conversation.isDone) this.evicted += 1;
    this.endEncrypted(flow, connection);
  }

  private endEncrypted(flow: number, { conversation }: Encrypted): void {
    this.encryptedBytes -= conversation.heldBytes;
    conversation.finish();
    this.encrypted.delete(flow);
  }

  private dns(p: Packet, flow: number, message: DnsMessage): void {
    let conversation = this.conversations.get(flow);
    if (conversation === undefined) {
      // An announcement to all answers no question.
      const ends = endpointsOf(p, flow, !message.isResponse || isMulticast(p));
      conversation = new DnsConversation(ends, this.sink);
      if (this.conversations.size >= MAX_CONVERSATIONS) this.endOldest();
      this.conversations.set(flow, conversation);
      this.flows.services.set(flow, 'dns');
    }
    const before = conversation.heldBytes;
    conversation.take(message, { micros: p.micros, nanos: p.nanos, digits: p.digits });
    this.heldBytes += conversation.heldBytes - before;
    while (this.heldBytes > MAX_HELD_BYTES) this.endOldest();
  }

  /** A conversation without a pending request is complete. */
  private endOldest(): void {
    const oldest = this.conversations.oldest();
    if (oldest === undefined) return;
    const [flow, conversation] = oldest;
    if (conversation.heldBytes > 0) this.evicted += 1;
    this.heldBytes -= conversation.heldBytes;
    conversation.finish();
    this.conversations.delete(flow);
  }

  finish(): void {
    for (const conversation of this.conversations.values()) conversation.finish();
    for (const { conversation } of this.encrypted.values()) conversation.finish();
    for (const exchange of this.exchanges.values()) exchange.finish();
    for (const transfer of this.transfers.values()) transfer.finish();
    this.exports.finish();
  }
}

function isMulticast({ ipVersion, dst4, dst6, bytes }: Packet): boolean {
  return ipVersion === 4 ? dst4 >>> 28 === 0xe : bytes[dst6] === 0xff;
}
