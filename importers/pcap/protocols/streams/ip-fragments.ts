/**
 * Reassembles fragmented IP datagrams (RFC 791, RFC 8200 4.5) for protocol parsers.
 *
 * Invariants: datagrams are bounded in number, parts and bytes. Where parts overlap, the one that begins first
 * counts. An incomplete datagram is emitted up to its first gap, as if the rest had not been captured; one without
 * its first fragment, not at all.
 */
import { Packet } from '../../decode/packet.ts';
import type { FlowBeginnings } from './tcp-streams.ts';

const MAX_DATAGRAMS = 1024;
const MAX_PARTS = 128;
const MAX_HELD_BYTES = 8 << 20;
/** Memory overhead of a part. */
const PART_COST = 256;
/** RFC 8200: fragments of one datagram arrive within a minute. */
const MAX_MICROS = 60_000_000;
const ADDRESS_BYTES = 16;
/** Position of the transport header, after both IPv6 addresses. */
const TRANSPORT = 2 * ADDRESS_BYTES;

/** State of a packet's flow when the packet is taken. */
type Beginning = Pick<FlowBeginnings, 'isFromStart' | 'firstSequence' | 'isFromOriginator'>;

interface First extends Beginning {
  readonly packet: Packet;
  readonly flow: number;
  readonly addresses: Uint8Array;
}

interface Datagram {
  readonly micros: number;
  /** With their positions after the IP header. */
  readonly parts: { readonly from: number; readonly bytes: Uint8Array }[];
  first: First | undefined;
  /** Bytes after the IP header; until the last fragment arrives, those known so far. */
  size: number;
  isSizeKnown: boolean;
  held: number;
}

/** For a reassembled datagram, reports the state of its flow at its first fragment. */
export class IpFragments implements FlowBeginnings {
  readonly services: Map<number, string>;
  private readonly flows: FlowBeginnings;
  private readonly give: (p: Packet, flow: number) => void;
  private readonly open = new Map<string, Datagram>();
  private given: Beginning;
  private held = 0;

  /** @param give receives each datagram, with the number of its flow */
  constructor(flows: FlowBeginnings, give: (p: Packet, flow: number) => void) {
    this.flows = flows;
    this.given = flows;
    this.services = flows.services;
    this.give = give;
  }

  get isFromStart(): boolean {
    return this.given.isFromStart;
  }

  get firstSequence(): number {
    return this.given.firstSequence;
  }

  get isFromOriginator(): boolean {
    return this.given.isFromOriginator;
  }

  /** @param flow number of its flow, which the flow tracker processed last; 0: unknown */
  add(p: Packet, flow: number): void {
    const key = keyOf(p);
    let datagram = this.open.get(key);
    if (datagram !== undefined && !(Math.abs(p.micros - datagram.micros) <= MAX_MICROS)) {
      this.end(key, datagram);
      datagram = undefined;
    }
    if (datagram === undefined) {
      if (this.open.size >= MAX_DATAGRAMS) this.endOldest();
      datagram = {
        ...{ micros: p.micros, parts: [], first: undefined },
        ...{ size: 0, isSizeKnown: false, held: 0 },
      };
      this.open.set(key, datagram);
    }
    this.put(datagram, p, flow);
    if (isWhole(datagram) || datagram.parts.length >= MAX_PARTS) this.end(key, datagram);
    while (this.held > MAX_HELD_BYTES) this.endOldest();
  }

  private put(datagram: Datagram, p: Packet, flow: number): void {
    const isFirst = p.fragmentOffset === 0;
    const start = isFirst && p.transport >= 0 ? p.transport : p.payloadStart;
    const stated = p.payloadStart - start + p.payload;
    const bytes = p.bytes.slice(start, Math.max(start, Math.min(p.end, start + stated)));
    datagram.parts.push({ from: p.fragmentOffset, bytes });
    const cost = bytes.length + PART_COST;
    datagram.held += cost;
    this.held += cost;
    const end = p.fragmentOffset + stated;
    if (p.moreFragments) {
      if (!datagram.isSizeKnown) datagram.size = Math.max(datagram.size, end);
    } else if (!datagram.isSizeKnown) {
      datagram.isSizeKnown = true;
      datagram.size = end;
    }
    if (!isFirst || flow === 0 || datagram.first !== undefined) return;
    const { isFromStart, firstSequence, isFromOriginator } = this.flows;
    datagram.first = {
      ...{ flow, isFromStart, firstSequence, isFromOriginator },
      packet: Object.assign(new Packet(), p, { bytes: p.bytes.subarray(0, 0) }),
      addresses: addressesOf(p),
    };
    // Start of the payload in the fragment.
    datagram.first.packet.payloadStart -= start;
  }

  private endOldest(): void {
    const [oldest] = this.open;
    if (oldest !== undefined) this.end(...oldest);
  }

  private end(key: string, datagram: Datagram): void {
    this.open.delete(key);
    this.held -= datagram.held;
    const { first, size } = datagram;
    if (first === undefined) return;
    const captured = joined(datagram);
    const { packet: p, addresses } = first;
    const header = p.payloadStart;
    p.bytes = new Uint8Array(TRANSPORT + captured.length);
    p.bytes.set(addresses);
    p.bytes.set(captured, TRANSPORT);
    Object.assign(p, { start: 0, src6: 0, dst6: ADDRESS_BYTES, transport: TRANSPORT });
    Object.assign(p, { fragmentOffset: 0, moreFragments: false, end: p.bytes.length });
    p.payloadStart = TRANSPORT + header;
    p.payload = Math.max(0, size - header);
    p.wire = TRANSPORT + size;
    this.given = first;
    this.give(p, first.flow);
    this.given = this.flows;
  }

  /** Emits incomplete datagrams. */
  finish(): void {
    for (const [key, datagram] of this.open) this.end(key, datagram);
  }
}

function keyOf(p: Packet): string {
  const addresses = p.ipVersion === 4 ? `${p.src4} ${p.dst4}` : textOf(addressesOf(p));
  return `${addresses} ${p.proto} ${p.fragmentId} ${p.vlan} ${p.tunnel}`;
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}

/** Both of IPv6. */
function addressesOf({ ipVersion, bytes, src6 }: Packet): Uint8Array {
  return ipVersion === 6 ? bytes.slice(src6, src6 + TRANSPORT) : new Uint8Array(TRANSPORT);
}

function isWhole({ first, isSizeKnown, size, parts }: Datagram): boolean {
  if (first === undefined || !isSizeKnown) return false;
  const most = parts.reduce((sum, { bytes }) => sum + bytes.length, 0);
  return most >= size && joined({ parts, size }).length >= size;
}

/** The bytes up to the first that is missing. */
function joined({ parts, size }: Pick<Datagram, 'parts' | 'size'>): Uint8Array {
  const all = new Uint8Array(size);
  let to = 0;
  for (const { from, bytes } of parts.toSorted((a, b) => a.from - b.from)) {
    if (from > to) break;
    const rest = bytes.subarray(to - from, size - from);
    all.set(rest, to);
    to += rest.length;
  }
  return all.subarray(0, to);
}
