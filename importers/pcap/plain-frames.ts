/**
 * The frames that nearly all frames are, decoded many at a time: TCP, UDP or ICMP in IP in a plain link,
 * whole, no fragment and no tunnel; and those of frame relay that carry no IP. A pass over the frames
 * finds where headers are, then each column is filled in a loop of its own. Whatever else is met is left
 * to `decode.ts`, and columns are what it would have written.
 */
import type { CodedColumn, EventBatch } from '../../engine/contract/event-batch.ts';
import { u16, u32 } from './bytes.ts';
import { codedNumber, codedType, codeOfLink } from './coded.ts';
import type { Circuit, Writes } from './packet-events.ts';
import {
  FRAME_RELAY,
  LINK_ONLY,
  NONE,
  SUN_ATM,
  dlciOf,
  findNetworks,
  shortAddress,
} from './plain-links.ts';
import type { FoundRecords } from './records.ts';

const TCP = 6;
const UDP = 17;

export class PlainFrames {
  /** Numbers of the frames that the last call left, ascending. */
  readonly left: Int32Array;
  /**
   * Of each frame of the last call where IP begins in it; NONE of those that are left, LINK_ONLY minus
   * their word of those without IP.
   */
  readonly networks: Int32Array;
  /** Where the transport header of each with IP begins. */
  readonly transports: Int32Array;
  private readonly writes: Writes;
  private readonly batch: EventBatch;
  private readonly type: CodedColumn | undefined;
  private readonly circuits: Record<Circuit, CodedColumn | undefined>;
  private readonly wanted: Readonly<Record<Circuit, boolean>>;
  private readonly icmpInside: boolean;
  private readonly coded: boolean;
  /** The frames that are plain: those with IP, and those without. */
  private readonly own: Int32Array;
  private readonly linked: Int32Array;

  /**
   * @param most frames at a time
   * @param coded whether texts are written, as codes; else the caller writes them
   */
  constructor(writes: Writes, batch: EventBatch, most: number, coded: boolean) {
    this.writes = writes;
    this.batch = batch;
    this.coded = coded;
    this.type = writes.type && coded ? codedType(batch) : undefined;
    const [dlci, vpi, vci] = (['dlci', 'vpi', 'vci'] as const).map((name) => writes.wants(name));
    this.wanted = { dlci: dlci === true, vpi: vpi === true, vci: vci === true };
    this.circuits = { dlci: undefined, vpi: undefined, vci: undefined };
    // What ICMP says is written from its own fields.
    this.icmpInside = writes.message || writes.wants('icmp_type') || writes.wants('icmp_code');
    this.left = new Int32Array(most);
    this.networks = new Int32Array(most);
    this.transports = new Int32Array(most);
    this.own = new Int32Array(most);
    this.linked = new Int32Array(most);
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
  private links(
    linkType: number,
    bytes: Uint8Array,
    { frames, ends }: FoundRecords,
    n: number,
    row: number,
  ): boolean {
    if (!this.writes.linkOnly) return false;
    switch (linkType) {
      case SUN_ATM:
        for (let i = 0; i < n; i++) if (ends[i]! - frames[i]! < 4) return false;
        this.atmCircuits(bytes, frames, n, row);
        return true;
      case FRAME_RELAY:
        for (let i = 0; i < n; i++) {
          const at = frames[i]!;
          if (ends[i]! - at < 4 || !shortAddress(bytes, at)) return false;
        }
        this.relayCircuits(bytes, frames, n, row);
        return true;
      default:
        return false;
    }
  }

  private atmCircuits(bytes: Uint8Array, frames: Int32Array, n: number, row: number): void {
    const vpi = this.circuit('vpi');
    if (vpi !== undefined) {
      const { values } = vpi;
      for (let i = 0; i < n; i++) values[row + i] = bytes[frames[i]! + 1]!;
      vpi.present.fill(1, row, row + n);
    }
    const vci = this.circuit('vci');
    if (vci !== undefined) {
      const { values } = vci;
      for (let i = 0; i < n; i++) values[row + i] = u16(bytes, frames[i]! + 2);
      vci.present.fill(1, row, row + n);
    }
  }

  private relayCircuits(bytes: Uint8Array, frames: Int32Array, n: number, row: number): void {
    const dlci = this.circuit('dlci');
    if (dlci === undefined) return;
    const { values } = dlci;
    for (let i = 0; i < n; i++) values[row + i] = dlciOf(bytes, frames[i]!);
    dlci.present.fill(1, row, row + n);
  }

  /**
   * Writes the columns of the plain ones of `n` frames, frame i into row `row + i`.
   * @returns how many are left; nothing is written of those
   */
  take(linkType: number, bytes: Uint8Array, found: FoundRecords, n: number, row: number): number {
    if (this.links(linkType, bytes, found, n, row)) return 0;
    const { networks, left } = this;
    const { frames, ends } = found;
    if (!findNetworks(linkType, bytes, frames, ends, n, networks)) {
      networks.fill(NONE, 0, n);
      for (let i = 0; i < n; i++) left[i] = i;
      return n;
    }
    const plain = this.sort(bytes, found, n);
    const others = this.leave(n);
    const linked = n - plain - others;
    this.columns(bytes, plain, row);
    if (!this.coded) return others;
    this.words(linked, row);
    if (linkType === FRAME_RELAY)
      this.circuitOf('dlci', plain, linked, row, (i) => dlciOf(bytes, frames[i]!));
    else if (linkType === SUN_ATM) {
      this.circuitOf('vpi', plain, linked, row, (i) => bytes[frames[i]! + 1]!);
      this.circuitOf('vci', plain, linked, row, (i) => u16(bytes, frames[i]! + 2));
    }
    return others;
  }

  /**
   * Finds the frames with plain IP, where their transport headers begin, and puts NONE where a frame
   * turns out to be another; gives how many are plain.
   */
  private sort(bytes: Uint8Array, { frames, ends, wires }: FoundRecords, n: number): number {
    const { networks, transports, own, icmpInside } = this;
    let plain = 0;
    for (let i = 0; i < n; i++) {
      const at = networks[i]!;
      if (at < 0) continue;
      const end = ends[i]!;
      // Bytes on the wire from here on.
      const wire = wires[i]! - (at - frames[i]!);
      networks[i] = NONE;
      const first = bytes[at]!;
      let proto: number;
      let behind: number;
      let length: number;
      if (first >>> 4 === 4) {
        const size = (first & 15) * 4;
        behind = at + size;
        if (size < 20 || behind > end) continue;
        const total = u16(bytes, at + 2);
        if (total < size || total > wire || (u16(bytes, at + 6) & 0x3fff) !== 0) continue;
        proto = bytes[at + 9]!;
        length = total - size;
      } else {
        if (first >>> 4 !== 6 || end - at < 40) continue;
        length = u16(bytes, at + 4);
        if (length === 0 || length + 40 > wire) continue;
        proto = bytes[at + 6]!;
        behind = at + 40;
      }
      const captured = Math.min(end - behind, length);
      if (proto === TCP) {
        if (captured < 20) continue;
        const size = (bytes[behind + 12]! >>> 4) * 4;
        if (size < 20 || size > length) continue;
      } else if (proto === UDP) {
        if (captured < 8 || mayTunnel(u16(bytes, behind), u16(bytes, behind + 2))) continue;
      } else if ((proto !== 1 && proto !== 58) || captured < 2 || icmpInside) continue;
      networks[i] = at;
      transports[i] = behind;
      own[plain++] = i;
    }
    return plain;
  }

  /** Sorts the frames that are not plain IP; gives how many are left. */
  private leave(n: number): number {
    const { networks, left, linked } = this;
    let others = 0;
    let links = 0;
    for (let i = 0; i < n; i++) {
      const at = networks[i]!;
      if (at === NONE) left[others++] = i;
      else if (at <= LINK_ONLY) linked[links++] = i;
    }
    return others;
  }

  /** The columns of frames with plain IP. */
  private columns(bytes: Uint8Array, plain: number, row: number): void {
    const { writes, batch, networks, transports, own } = this;
    if (writes.sources) this.addresses(bytes, plain, row, 'src', 12, 8);
    if (writes.targets) this.addresses(bytes, plain, row, 'dst', 16, 24);
    if (writes.proto || writes.type) {
      const { proto } = batch;
      const { type } = this;
      for (let j = 0; j < plain; j++) {
        const i = own[j]!;
        const at = networks[i]!;
        const number = bytes[at]! >>> 4 === 4 ? bytes[at + 9]! : bytes[at + 6]!;
        if (writes.proto) proto.set(row + i, number);
        type?.set(row + i, number);
      }
    }
    if (writes.sourcePort) this.ports(bytes, plain, row, 'src_port', 0);
    if (writes.targetPort) this.ports(bytes, plain, row, 'dst_port', 2);
    if (writes.tcpFlags) {
      const { values, present } = batch.tcp_flags;
      for (let j = 0; j < plain; j++) {
        const i = own[j]!;
        if (protoAt(bytes, networks[i]!) !== TCP) continue;
        values[row + i] = u16(bytes, transports[i]! + 12) & 0x1ff;
        present[row + i] = 1;
      }
    }
  }

  private addresses(
    bytes: Uint8Array,
    plain: number,
    row: number,
    side: 'src' | 'dst',
    at4: number,
    at6: number,
  ): void {
    const { batch, networks, own } = this;
    const { values, present } = batch[`${side}_ip4`];
    const long = batch[`${side}_ip6`];
    for (let j = 0; j < plain; j++) {
      const i = own[j]!;
      const at = networks[i]!;
      if (bytes[at]! >>> 4 === 4) {
        values[row + i] = u32(bytes, at + at4);
        present[row + i] = 1;
      } else long.set(row + i, bytes, at + at6);
    }
  }

  private ports(
    bytes: Uint8Array,
    plain: number,
    row: number,
    name: 'src_port' | 'dst_port',
    offset: number,
  ): void {
    const { networks, transports, own } = this;
    const { values, present } = this.batch[name];
    for (let j = 0; j < plain; j++) {
      const i = own[j]!;
      const proto = protoAt(bytes, networks[i]!);
      if (proto !== TCP && proto !== UDP) continue;
      values[row + i] = u16(bytes, transports[i]! + offset);
      present[row + i] = 1;
    }
  }

  /** What the frames that end with their link have. */
  private words(links: number, row: number): void {
    const { type, linked, networks } = this;
    if (type === undefined) return;
    for (let j = 0; j < links; j++) {
      const i = linked[j]!;
      type.set(row + i, codeOfLink(LINK_ONLY - networks[i]!));
    }
  }

  /** The number of a circuit of the frames that are not left. */
  private circuitOf(
    name: Circuit,
    plain: number,
    links: number,
    row: number,
    numberOf: (i: number) => number,
  ): void {
    if (plain + links === 0) return;
    const column = this.circuit(name);
    if (column === undefined) return;
    const { values, present } = column;
    const { own, linked } = this;
    for (let j = 0; j < plain; j++) {
      const i = own[j]!;
      values[row + i] = numberOf(i);
      present[row + i] = 1;
    }
    for (let j = 0; j < links; j++) {
      const i = linked[j]!;
      values[row + i] = numberOf(i);
      present[row + i] = 1;
    }
  }
}

/** The protocol of a plain IP packet. */
function protoAt(bytes: Uint8Array, at: number): number {
  return bytes[at]! >>> 4 === 4 ? bytes[at + 9]! : bytes[at + 6]!;
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
