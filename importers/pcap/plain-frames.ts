/**
 * The frames that nearly all frames are, decoded in one go: TCP or UDP in IP in a plain link, whole, no
 * fragment and no tunnel. Whatever else is met is left to `decode.ts`, and columns are what it would
 * have written.
 */
import type { CodedColumn, EventBatch } from '../../engine/contract/event-batch.ts';
import { u16, u24, u32 } from './bytes.ts';
import { codedNumber, codedType } from './coded.ts';
import type { Writes } from './packet-events.ts';

type Circuit = 'dlci' | 'vpi' | 'vci';

const NONE = -1;
const ETHERNET = 1;
const FRAME_RELAY = 107;
const SUN_ATM = 123;

export class PlainFrames {
  private readonly writes: Writes;
  private readonly batch: EventBatch;
  private readonly type: CodedColumn | undefined;
  private readonly circuits: Record<Circuit, CodedColumn | undefined>;
  private readonly wanted: Readonly<Record<Circuit, boolean>>;

  constructor(writes: Writes, batch: EventBatch) {
    this.writes = writes;
    this.batch = batch;
    this.type = writes.type ? codedType(batch) : undefined;
    const [dlci, vpi, vci] = (['dlci', 'vpi', 'vci'] as const).map((name) => writes.wants(name));
    this.wanted = { dlci: dlci === true, vpi: vpi === true, vci: vci === true };
    this.circuits = { dlci: undefined, vpi: undefined, vci: undefined };
  }

  /** The column of a circuit's number if it is wanted; made when there is a first one. */
  private circuit(name: Circuit): CodedColumn | undefined {
    const known = this.circuits[name];
    if (known !== undefined || !this.wanted[name]) return known;
    return (this.circuits[name] = codedNumber(this.batch, name));
  }

  /**
   * Circuits, where nothing else of the frames is wanted. False, and nothing is written, when it takes
   * more to tell them.
   */
  links(
    linkType: number,
    bytes: Uint8Array,
    starts: Int32Array,
    header: number,
    n: number,
    row: number,
  ): boolean {
    if (!this.writes.linkOnly) return false;
    switch (linkType) {
      case SUN_ATM:
        for (let i = 0; i < n; i++) if (starts[i + 1]! - starts[i]! - header < 4) return false;
        if (this.wanted.vpi) {
          const { values, present } = codedNumber(this.batch, 'vpi');
          for (let i = 0; i < n; i++) values[row + i] = bytes[starts[i]! + header + 1]!;
          present.fill(1, row, row + n);
        }
        if (this.wanted.vci) {
          const { values, present } = codedNumber(this.batch, 'vci');
          for (let i = 0; i < n; i++) values[row + i] = u16(bytes, starts[i]! + header + 2);
          present.fill(1, row, row + n);
        }
        return true;
      case FRAME_RELAY:
        for (let i = 0; i < n; i++) {
          const at = starts[i]! + header;
          if (starts[i + 1]! - at < 4 || !shortAddress(bytes, at)) return false;
        }
        if (this.wanted.dlci) {
          const { values, present } = codedNumber(this.batch, 'dlci');
          for (let i = 0; i < n; i++) values[row + i] = dlciOf(bytes, starts[i]! + header);
          present.fill(1, row, row + n);
        }
        return true;
      default:
        return false;
    }
  }

  /** Writes the columns of the frame `bytes[start, end)`. False, and nothing is written, if it is not plain. */
  plain(
    linkType: number,
    bytes: Uint8Array,
    start: number,
    end: number,
    wire: number,
    row: number,
  ): boolean {
    const at = networkAt(linkType, bytes, start, end);
    if (at === NONE || at >= end) return false;
    const version = bytes[at]! >>> 4;
    const plain =
      version === 4
        ? this.ip4(bytes, at, start, end, wire, row)
        : version === 6 && this.ip6(bytes, at, start, end, wire, row);
    if (!plain) return false;
    if (linkType === FRAME_RELAY) this.circuit('dlci')?.set(row, dlciOf(bytes, start));
    else if (linkType === SUN_ATM) {
      this.circuit('vpi')?.set(row, bytes[start + 1]!);
      this.circuit('vci')?.set(row, u16(bytes, start + 2));
    }
    return true;
  }

  private ip4(
    bytes: Uint8Array,
    at: number,
    start: number,
    end: number,
    wire: number,
    row: number,
  ): boolean {
    const headerLength = (bytes[at]! & 15) * 4;
    const behind = at + headerLength;
    if (headerLength < 20 || behind > end) return false;
    const total = u16(bytes, at + 2);
    if (total < headerLength || at - start + total > wire) return false;
    if ((u16(bytes, at + 6) & 0x3fff) !== 0) return false;
    const proto = bytes[at + 9]!;
    const last = Math.min(end, at + total);
    if (!this.transport(bytes, behind, last, proto, total - headerLength, row)) return false;
    if (this.writes.addresses) {
      const { src_ip4: from, dst_ip4: to } = this.batch;
      from.set(row, u32(bytes, at + 12));
      to.set(row, u32(bytes, at + 16));
    }
    return true;
  }

  private ip6(
    bytes: Uint8Array,
    at: number,
    start: number,
    end: number,
    wire: number,
    row: number,
  ): boolean {
    if (end - at < 40) return false;
    const length = u16(bytes, at + 4);
    if (length === 0 || at - start + length + 40 > wire) return false;
    const last = Math.min(end, at + 40 + length);
    if (!this.transport(bytes, at + 40, last, bytes[at + 6]!, length, row)) return false;
    if (this.writes.addresses) {
      const { src_ip6: from, dst_ip6: to } = this.batch;
      from.set(row, bytes, at + 8);
      to.set(row, bytes, at + 24);
    }
    return true;
  }

  /** @param length bytes behind the IP header by the IP header */
  private transport(
    bytes: Uint8Array,
    at: number,
    end: number,
    proto: number,
    length: number,
    row: number,
  ): boolean {
    const { writes, batch } = this;
    if (proto === 6) {
      if (end - at < 20) return false;
      const flags = u16(bytes, at + 12);
      const header = (flags >>> 12) * 4;
      if (header < 20 || header > length) return false;
      if (writes.tcpFlags) batch.tcp_flags.set(row, flags & 0x1ff);
    } else if (proto !== 17 || end - at < 8 || mayTunnel(u16(bytes, at), u16(bytes, at + 2))) {
      return false;
    }
    if (writes.ports) {
      batch.src_port.set(row, u16(bytes, at));
      batch.dst_port.set(row, u16(bytes, at + 2));
    }
    if (writes.proto) batch.proto.set(row, proto);
    this.type?.set(row, proto);
    return true;
  }
}

/** Ports behind which network.ts looks for tunnels. */
function mayTunnel(source: number, target: number): boolean {
  switch (target) {
    case 4789:
    case 8472:
    case 4790:
    case 6081:
    case 6635:
    case 2152:
      return true;
    default:
      return source === 2152;
  }
}

/** Whether an address of frame relay has two bytes. */
function shortAddress(bytes: Uint8Array, at: number): boolean {
  return (bytes[at]! & 1) === 0 && (bytes[at + 1]! & 1) === 1;
}

function dlciOf(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! >>> 2) << 4) | (bytes[at + 1]! >>> 4);
}

/** Where IP begins in a frame of a link without detours; NONE where it takes more to tell. */
function networkAt(linkType: number, bytes: Uint8Array, start: number, end: number): number {
  switch (linkType) {
    case ETHERNET: {
      if (end - start < 14) return NONE;
      const type = u16(bytes, start + 12);
      return type === 0x0800 || type === 0x86dd ? start + 14 : NONE;
    }
    case 12:
    case 14:
    case 101:
    case 228:
    case 229:
      return start;
    case FRAME_RELAY: {
      if (end - start < 4 || !shortAddress(bytes, start) || bytes[start + 2] !== 3) return NONE;
      const at = bytes[start + 3] === 0 ? start + 4 : start + 3;
      if (bytes[at] === 0xcc) return at + 1;
      return bytes[at] === 0x80 ? behindSnap(bytes, at + 1, end) : NONE;
    }
    case SUN_ATM: {
      if (end - start < 12) return NONE;
      const type = bytes[start]! & 0x0f;
      const circuit = u16(bytes, start + 2);
      if (type === 1 || type === 5 || type === 6 || circuit === 16 || circuit === 5) return NONE;
      return u24(bytes, start + 4) === 0xaaaa03 ? behindSnap(bytes, start + 7, end) : NONE;
    }
    default:
      return NONE;
  }
}

/** Where IP begins behind a SNAP header: an organisation of zero, and an EtherType. */
function behindSnap(bytes: Uint8Array, at: number, end: number): number {
  if (end - at < 5 || u24(bytes, at) !== 0) return NONE;
  const type = u16(bytes, at + 3);
  return type === 0x0800 || type === 0x86dd ? at + 5 : NONE;
}
